"""The formulations and choices of speeds that a machine is put through."""

from bellcrank.formulations import AbstractFormulation, JointCoordinates


def candidates() -> tuple[AbstractFormulation, ...]:
    """Return every formulation, with every choice that changes its equations."""
    return (JointCoordinates(),)
