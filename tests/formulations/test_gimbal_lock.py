"""Suspensions through gimbal lock: what they carry turns as on a ball joint."""

import warnings

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import bellcrank as bc
from bellcrank.errors import NearlySingular

O = (0.0, 0.0, 0.0)
EPS = np.finfo(float).eps


def suspension(
    kind: str = "RRR",
    ring: float = 0.0,
    R=np.eye(3),
    swing: float = 0.0,
    angle: float = np.pi / 2,
) -> bc.Model:
    """Return a rotor on hinges whose first and third axis can coincide.

    Args:
        kind: Hinges (R) and universal joints (U) from the ground to the rotor, or a ball (S);
            hinges from the rotor to the ground are written small.
        ring: Inertia of the rings between them [kg m²]; their mass is 1 mg.
        R: Turns all of it.
        swing: Angle of the second hinge in the drawing [rad].
        angle: Between consecutive axes [rad].
    """
    swung = R @ Rotation.from_rotvec([0.0, swing, 0.0]).as_matrix()
    a = tuple(R @ [0.0, np.cos(angle), np.sin(angle)])
    b = tuple(R @ [0.0, 1.0, 0.0])
    c = tuple(swung @ [np.sin(angle), np.cos(angle), 0.0])
    rotor = bc.Body(
        "rotor", mass=2.0, com=O, inertia=swung @ np.diag([0.01, 0.02, 0.03]) @ swung.T
    )
    outer, inner = (
        bc.Body(name, mass=1e-6, com=O, inertia=(ring, ring, ring, 0, 0, 0))
        for name in ("outer", "inner")
    )
    A = bc.Revolute("A", "ground", "outer", at=O, axis=a)
    B = bc.Revolute("B", "outer", "inner", at=O, axis=b)
    C = bc.Revolute("C", "inner", "rotor", at=O, axis=c)
    rings = {"RRR": (outer, inner), "UR": (inner,), "RU": (outer,), "S": ()}[kind.upper()]
    if kind == "RRR":
        joints = [A, B, C]
    elif kind == "rrr":  # written from the rotor to the ground
        joints = [
            bc.Revolute(each.name, each.second, each.first, at=O, axis=each.axis)
            for each in (A, B, C)
        ]
    elif kind == "UR":
        joints = [bc.Universal("U", "ground", "inner", at=O, axis1=a, axis2=b), C]
    elif kind == "RU":
        joints = [A, bc.Universal("U", "outer", "rotor", at=O, axis1=b, axis2=c)]
    else:
        joints = [bc.Spherical("S", "ground", "rotor", at=O)]
    return bc.Model("suspension", bodies=[*rings, rotor], joints=joints, gravity=O)


TILTED = Rotation.random(random_state=3).as_matrix()


def start(kind: str, cross: float, rate: float = 1.0) -> dict[str, float]:
    """Return rates that lead through the lock, past it by about the cross rate [rad]."""
    first = "U.angle1_rate" if kind == "UR" else "A.angle_rate"
    second = {"UR": "U.angle2_rate", "RU": "U.angle1_rate"}.get(kind, "B.angle_rate")
    return {first: cross, second: -rate if kind == "rrr" else rate}


def final(run: bc.Result) -> np.ndarray:
    """Return the attitude, either sign, and the angular velocity of the rotor at the end."""
    p = run.values("rotor.orientation")[-1]
    return np.concatenate([p * np.sign(p[0]), run.values("rotor.angular_velocity")[-1]])


@pytest.mark.parametrize("swing", [0.0, 0.4])
@pytest.mark.parametrize("R", [np.eye(3), TILTED], ids=["straight", "tilted"])
@pytest.mark.parametrize("kind", ["RRR", "rrr", "UR", "RU"])
@pytest.mark.filterwarnings("ignore::bellcrank.errors.NearlySingular")
def test_rings_without_inertia_let_a_rotor_turn_as_on_a_ball(kind, R, swing):
    """To ε⁻¹ times the rounding error, in some steps: rings make half a turn within ε s."""
    cross = 1e-6
    begun = start(kind, cross)
    held = bc.simulate(suspension(kind, R=R, swing=swing), 2.0, start=begun, every="step")
    velocity = held.values("rotor.angular_velocity")[0]
    ball = {"S.angular_velocity": tuple(velocity)}
    free = bc.simulate(suspension("S", R=R, swing=swing), 2.0, start=ball, every=2.0)
    energy = held.values("energy")
    rounding = 1e-9 + 50 * EPS / cross
    assert np.abs(energy / energy[0] - 1).max() < rounding
    assert np.abs(final(held) - final(free)).max() < rounding
    assert len(energy) < 300


def warned(model: bc.Model, begun: dict[str, float]) -> list[str]:
    """Return what a run through the lock warned of."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        bc.simulate(model, 2.0, start=begun, every=0.1)
    return [str(each.message) for each in said if each.category is NearlySingular]


@pytest.mark.parametrize(("ring", "cross"), [(1e-3, 1e-8), (1e-10, 1e-6), (0.0, 1e-4)])
def test_nothing_is_said_where_no_digits_are_lost(ring, cross):
    assert not warned(suspension(ring=ring), start("RRR", cross))


def test_gimbal_lock_is_warned_of_where_it_costs_digits():
    (said,) = warned(suspension(), start("RRR", 1e-8))
    for words in ("axes of 'A' and 'C'", "'rotor'", "Spherical"):
        assert words in said
    askew = suspension(angle=1.2)
    (said,) = warned(askew, start("RRR", 1e-4, -1.0))
    assert "0.001 rad" in said
    tilted = suspension(angle=1.2).replace("C", axis=(1.0, 0.0, 0.0))
    assert not bc.equations(tilted).guards  # these axes never meet
