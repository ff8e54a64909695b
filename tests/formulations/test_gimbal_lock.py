"""Suspensions whose rings weigh nothing: joint coordinates say where they lose digits."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import NearlySingular


def suspension(ring: float, tilt: float = 0.0) -> bc.Model:
    """Return a rotor in two rings, each of some inertia; the last axis may be tilted."""
    rings = [
        bc.Body(name, mass=1e-6, com=(0, 0, 0), inertia=(ring, ring, ring, 0, 0, 0))
        for name in ("outer", "inner")
    ]
    own = (0.01, 0.02, 0.03, 0, 0, 0)
    axis = (float(np.cos(tilt)), float(np.sin(tilt)), 0.0)
    return bc.Model(
        "suspension",
        bodies=[*rings, bc.Body("rotor", mass=2.0, com=(0, 0, 0), inertia=own)],
        joints=[
            bc.Revolute("A", "ground", "outer", at=(0, 0, 0), axis=(0, 0, 1)),
            bc.Revolute("B", "outer", "inner", at=(0, 0, 0), axis=(0, 1, 0)),
            bc.Revolute("C", "inner", "rotor", at=(0, 0, 0), axis=axis),
        ],
        gravity=(0, 0, 0),
    )


@pytest.mark.parametrize(
    ("ring", "tilt", "warned"), [(1e-10, 0, 2), (1e-3, 0, 0), (1e-10, 1, 0)]
)
def test_only_light_rings_with_axes_that_can_meet_are_watched(ring, tilt, warned):
    assert len(bc.equations(suspension(ring, tilt)).guards) == warned


def test_gimbal_lock_is_warned_of_where_it_is_passed():
    start = {"B.angle_rate": 1.0, "A.angle_rate": 1e-6}
    with pytest.warns(NearlySingular, match="axes of 'A' and 'C'.*'rotor'.*Spherical"):
        bc.simulate(suspension(1e-10), 2.0, start=start, every=0.1)
