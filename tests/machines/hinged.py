"""One body on hinges: pendulums and doors."""

from typing import Any

import bellcrank as bc

AXIS = (0.48, 0.6, 0.64)
"""A direction that is none of the world's, of length one."""


def pendulum(tip: Any = (1, 0, 0), mass: Any = 1.0, **more: Any) -> bc.Model:
    """Return a rod from the origin to a tip, hinged about y."""
    return bc.Model(
        "pendulum",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), tip, mass=mass))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        **more,
    )


def door(*heights: float, axis: tuple[float, ...] = AXIS) -> bc.Model:
    """Return a door on hinges J0, J1, … at some heights along its axis [m]."""
    return bc.Model(
        "door",
        bodies=[bc.Body("B", mass=1.0, com=(0.5, 0.2, -0.3), inertia=(0.3, 0.4, 0.5, 0, 0, 0))],
        joints=[
            bc.Revolute(f"J{i}", "ground", "B", at=tuple(h * a for a in axis), axis=axis)
            for i, h in enumerate(heights)
        ],
    )
