"""What does not matter: names, the order of the lists, and where the ground is."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated
from tests.laws.laws import close

import bellcrank as bc
from bellcrank.testing import FORCES, KINDS, machine, state

pytestmark = pytest.mark.slow

LOWER = (0, 1, 1, 2)
TREES = [(kind, "Universal", "Spherical", "Planar") for kind in KINDS]


def body_accelerations(model: bc.Model, values: dict[str, Any]) -> dict[str, np.ndarray]:
    """Return angular and linear acceleration of every body, by name."""
    found = Evaluated(model)
    q, u = found.pack(values)
    _, _, acceleration = found.bodies(q, u, found.accelerations(q, u))
    return dict(zip(found.equations.bodies, acceleration.T, strict=True))


@pytest.mark.parametrize("kinds", TREES, ids=lambda kinds: kinds[0])
def test_renaming_and_reordering_change_nothing(kinds):
    model = machine(kinds, LOWER, seed=7, forces=FORCES)
    values = state(model, 7)
    expected = body_accelerations(model, values)
    renamed = model.prefixed("left_")
    found = body_accelerations(renamed, {f"left_{name}": x for name, x in values.items()})
    for name, acceleration in expected.items():
        close(found[f"left_{name}"], acceleration, tol=1e-10)
    shuffled = replace(
        model, bodies=model.bodies[::-1], joints=model.joints[::-1], forces=model.forces[::-1]
    )
    found = body_accelerations(shuffled, values)
    for name, acceleration in expected.items():
        close(found[name], acceleration, tol=1e-10)


def quaternion_product(a: Any, b: Any) -> tuple[float, ...]:
    a0, av, b0, bv = a[0], np.asarray(a[1:]), b[0], np.asarray(b[1:])
    return (float(a0 * b0 - av @ bv), *(float(x) for x in a0 * bv + b0 * av + np.cross(av, bv)))


def carried(
    model: bc.Model, moved: bc.Model, values: dict[str, Any], p: Any, Q: np.ndarray
) -> dict[str, Any]:
    """Return the values that describe the moved machine in the moved state.

    Only what is counted along the axes of ground changes, and the in-plane axes of a planar
    joint, which are chosen anew for its new normal.
    """
    found = dict(values)
    for joint, new in zip(model.joints, moved.joints, strict=True):
        name = joint.name
        if isinstance(joint, bc.Spherical | bc.Free) and joint.first == "ground":
            found[f"{name}.orientation"] = quaternion_product(p, values[f"{name}.orientation"])
        if isinstance(joint, bc.Free) and joint.first == "ground":
            for part in ("position", "velocity"):
                found[f"{name}.{part}"] = tuple(Q @ values[f"{name}.{part}"])
        if isinstance(joint, bc.Planar):
            axes, new_axes = np.array(joint.plane_axes), np.array(new.plane_axes)
            for end in ("", "_rate"):
                in_plane = [values[f"{name}.{axis}{end}"] for axis in "xy"]
                for axis, x in zip("xy", new_axes @ Q @ (axes.T @ in_plane), strict=True):
                    found[f"{name}.{axis}{end}"] = float(x)
    return found


@pytest.mark.parametrize("kinds", TREES, ids=lambda kinds: kinds[0])
def test_moving_the_ground_moves_everything(kinds):
    forces = ("SpringDamper", "JointSpring", "Bushing", "Motor")
    model = machine(kinds, LOWER, seed=11, forces=forces)
    values = state(model, 11)
    p = np.array([0.8, 0.1, -0.5, 0.3])
    p = p / np.linalg.norm(p)
    pose = bc.Pose((0.4, -0.3, 0.9), tuple(float(x) for x in p))
    Q = np.array(pose.rotation, dtype=float)
    gravity = tuple(float(x) for x in Q @ np.array(model.gravity))
    moved = replace(model.moved(pose), gravity=gravity)
    expected = body_accelerations(model, values)
    found = body_accelerations(moved, carried(model, moved, values, p, Q))
    for name, acceleration in expected.items():
        close(found[name], (Q @ acceleration.reshape(2, 3).T).T.reshape(6), tol=1e-9)
