"""Two free flywheels on one axis, which rows tie to each other."""

from typing import Any

import bellcrank as bc


def two_flywheels(name: str, **elements: Any) -> bc.Model:
    """Return free flywheels `a` and `b` of 1 kg m² on hinges `A` and `B` about z.

    Args:
        name: Of the machine.
        elements: Of the machine besides, by kind, as of `bc.Model`.
    """
    wheel = {"mass": 1.0, "inertia": (1, 1, 1, 0, 0, 0)}
    return bc.Model(
        name,
        gravity=(0, 0, 0),
        bodies=[bc.Body("a", **wheel), bc.Body("b", **wheel)],
        joints=[
            bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis="z"),
            bc.Revolute("B", "ground", "b", at=(0, 0, 0), axis="z"),
        ],
        **elements,
    )


EVERYWHERE: dict[str, dict] = {
    "joint coordinates": {"formulation": bc.JointCoordinates()},
    "Kane": {"formulation": bc.Kane()},
    "Cartesian": {"formulation": bc.Cartesian()},
    "Natural": {"formulation": bc.Natural()},
    "assembled": {
        "formulation": bc.Cartesian(assembled=True),
        "integrator": bc.Radau5(),
        "constraints": "index2",
    },
    "independent": {"constraints": "independent"},
}
"""Options of `simulate`: each formulation, both backends, and coordinates that are free."""
