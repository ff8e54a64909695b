"""Joints given per side: a body drawn elsewhere is brought home by the shortest turn."""

import numpy as np
import pytest

import bellcrank as bc

AT, AXIS = np.array([0.1, 0.2, 0.3]), np.array([2.0, 4.0, 1.0]) / np.sqrt(21.0)
ELSEWHERE, OTHER = np.array([1.0, -2.0, 0.5]), np.array([0.0, 0.6, -0.8])


def shortest_turn(a, b):
    """Return the rotation about a × b that takes a to b."""
    v = np.cross(a, b)
    K = np.cross(np.eye(3), v)
    return np.eye(3) + K + K @ K / (1 + a @ b)


def machine(kind, Q, r, backwards, **sides):
    body = bc.Body(
        "b",
        mass=1.5,
        com=Q @ [0.4, 0.1, -0.2] + r,
        inertia=Q @ np.diag([0.1, 0.2, 0.25]) @ Q.T,
    )
    ends = ("b", "ground") if backwards else ("ground", "b")
    return bc.Model(kind, bodies=[body], joints=[getattr(bc, kind)("A", *ends, **sides)])


@pytest.mark.parametrize("backwards", [False, True])
@pytest.mark.parametrize("kind", ["Revolute", "Prismatic", "Cylindrical", "Planar"])
def test_a_body_drawn_elsewhere_moves_as_if_drawn_at_its_joint(kind, backwards):
    Q = shortest_turn(AXIS, OTHER)
    elsewhere = machine(
        kind, Q, ELSEWHERE, backwards,
        at={"ground": AT, "b": Q @ AT + ELSEWHERE}, axis={"ground": AXIS, "b": OTHER},
    )  # fmt: skip
    at_home = machine(kind, np.eye(3), np.zeros(3), backwards, at=AT, axis=AXIS)
    coordinate = "offset" if kind == "Prismatic" else "angle"
    start = {f"A.{coordinate}": 0.3, f"A.{coordinate}_rate": -1.0}
    found, expected = (
        bc.simulate(model, 1.0, start=start, every=0.25) for model in (elsewhere, at_home)
    )
    for name in ("b.position", "b.angular_velocity", "A.reaction_force", "A.reaction_torque"):
        np.testing.assert_allclose(found.values(name), expected.values(name), atol=1e-7)
