"""The formulations and choices of speeds that a machine is put through."""

from bellcrank.formulations import (
    AbstractFormulation,
    AngleRates,
    Cartesian,
    JointCoordinates,
    Kane,
    Natural,
)


def candidates() -> tuple[AbstractFormulation, ...]:
    """Return every formulation, with every choice that changes its equations."""
    return (
        JointCoordinates(),
        Kane(),
        Kane(speeds="absolute fixed"),
        Kane(speeds="relative body", orientation="relative Euler parameters"),
        Kane(speeds="relative fixed"),
        Kane(speeds=AngleRates()),
        Cartesian(),
        Cartesian(form="euler"),
        Cartesian(reference="frame"),
        Natural(),
    )
