"""From what a user says of the beginning and of the inputs to numbers for the integrator."""

from bellcrank.assembly.inputs import Bound, bind
from bellcrank.assembly.start import initial_state

__all__ = ["Bound", "bind", "initial_state"]
