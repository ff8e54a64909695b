"""Random trees against Pinocchio and MuJoCo, every joint at the root, in the middle, as leaf.

Two packages that share no line with ours, nor with each other, must find the same mass matrix,
the same accelerations and the same mass centres, to 1e-10 of their size.
"""

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated
from tests.oracle.mujoco_twin import MujocoTwin
from tests.oracle.pinocchio_twin import PinocchioTwin

from bellcrank.testing import KINDS, PLACES, machine, state

pytestmark = pytest.mark.oracle

NEIGHBOURS = ("Revolute", "Universal", "Planar")
"""What the other two joints of the chain are, by the place they have."""


def chain_with(kind: str, place: str):
    kinds = list(NEIGHBOURS)
    kinds[PLACES.index(place)] = kind
    seed = 10 * KINDS.index(kind) + PLACES.index(place)
    return machine(kinds, seed=seed), state(machine(kinds, seed=seed), seed)


def branched(seed: int):
    """Return a tree of six bodies with a fork, on Spherical, Free and scalar joints."""
    kinds = ["Free", "Spherical", "Cylindrical", "Revolute", "Fixed", "Prismatic"]
    model = machine(kinds, (0, 1, 1, 2, 3, 5), seed)
    return model, state(model, seed)


MACHINES = [pytest.param(*chain_with(k, p), id=f"{k}-{p}") for k in KINDS for p in PLACES]
MACHINES += [pytest.param(*branched(seed), id=f"branched-{seed}") for seed in range(4)]


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.max(np.abs(found - expected)) / max(1.0, np.max(np.abs(expected))))


def agree(ours: Evaluated, twin, values) -> None:
    q, u = ours.pack(values)
    tau = np.random.default_rng(5).normal(size=ours.nu)
    a = ours.accelerations(q, u, tau)
    assert relative(ours.mass(q, u), twin.mass(values, ours.speeds)) < 1e-10
    assert relative(a, twin.accelerations(values, ours.speeds, u, tau)) < 1e-10
    pose, _, _ = ours.bodies(q, u, a)
    for k, body in enumerate(ours.equations.bodies):
        assert relative(pose[:3, k], twin.centre(values, body)) < 1e-10


@pytest.mark.parametrize(("model", "values"), MACHINES)
def test_a_tree_moves_as_in_pinocchio(model, values):
    ours, twin = Evaluated(model), PinocchioTwin(model)
    agree(ours, twin, values)
    q, u = ours.pack(values)
    a = np.random.default_rng(6).normal(size=ours.nu)
    efforts = ours("residual", q, u, a, np.zeros(0))[0]
    assert relative(efforts, twin.inverse_dynamics(values, ours.speeds, u, a)) < 1e-10


@pytest.mark.parametrize(
    ("model", "values"), [case for case in MACHINES if "Screw" not in str(case.id)]
)
def test_a_tree_moves_as_in_mujoco(model, values):
    agree(Evaluated(model), MujocoTwin(model), values)
