"""bellcrank: one description of a machine, every formulation, native code, labelled results."""

__version__ = "0.1.0"
