"""Four robots read from URDF by Pinocchio, rebuilt through our `Model`.

They are held against what Pinocchio read, and against MuJoCo with the same numbers.
"""

import json
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from tests.laws.evaluation import Evaluated
from tests.oracle.mujoco_twin import MujocoTwin
from tests.oracle.robots import read
from tests.oracle.test_random_trees import agree

import bellcrank as bc
from bellcrank.testing import state

pytestmark = pytest.mark.oracle

TABLE = json.loads((Path(__file__).parent.parent / "data" / "robots.json").read_text())
ROBOTS = [
    ("ur5_robot.urdf", False),
    ("panda.urdf", False),  # two prismatic fingers
    ("double_pendulum_continuous.urdf", False),  # unbounded joints, cos and sin in Pinocchio
    ("solo12.urdf", True),  # four legs on a free base
]


@pytest.mark.parametrize(("name", "floating"), ROBOTS)
def test_a_robot_from_urdf_moves_as_in_pinocchio(name, floating):
    robot = read(name, floating=floating)
    system = bc.compile(robot.ours, level=0)
    data = robot.theirs.createData()
    rng = np.random.default_rng(1)
    speeds = list(system.speeds)
    for _ in range(5):
        q = pin.integrate(
            robot.theirs, pin.neutral(robot.theirs), rng.normal(size=robot.theirs.nv)
        )
        v, tau = rng.normal(size=(2, robot.theirs.nv))
        ours_q, ours_u = system.pack(robot.values(q, v))
        G = robot.rate_map(q, speeds)
        np.testing.assert_allclose(G @ ours_u, v, atol=1e-13)
        M = np.array(pin.crba(robot.theirs, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        np.testing.assert_allclose(
            system.mass_matrix(ours_q), G.T @ M @ G, atol=1e-10 * np.abs(M).max()
        )
        a = pin.aba(robot.theirs, data, q, v, tau)
        found = system.accelerations(ours_q, ours_u, efforts=G.T @ tau)
        # Held to the size of the largest: a finger of 15 g accelerates a thousand times more.
        np.testing.assert_allclose(
            G @ found + robot.bias(q, v), a, rtol=1e-9, atol=1e-10 * np.abs(a).max()
        )


@pytest.mark.parametrize(("name", "floating"), ROBOTS)
def test_a_robot_from_urdf_moves_as_in_mujoco(name, floating):
    model = read(name, floating=floating).ours
    for seed in range(2):
        agree(Evaluated(model), MujocoTwin(model), state(model, seed))


def test_the_ur5_has_the_published_dynamics():
    """REFERENCES 5.3, tolerance 1e-9 relative."""
    table = TABLE["robots"]["ur5"]
    robot = read("ur5_robot.urdf")
    system = bc.compile(robot.ours, level=0)
    q, u = system.pack(robot.values(np.array(table["q"]), np.array(table["v"])))
    order = [list(system.speeds).index(f"{name}.angle_rate") for name in table["joints"]]
    a = np.zeros(6)
    a[order] = table["a"]
    scale = np.abs(table["M"]).max()
    M = system.mass_matrix(q)[np.ix_(order, order)]
    np.testing.assert_allclose(M, table["M"], atol=1e-9 * scale)
    efforts = system.inverse_dynamics(q, u, a)[order]
    np.testing.assert_allclose(efforts, table["inverse_dynamics"], rtol=1e-9, atol=1e-9)
    bias = system.inverse_dynamics(q, u, np.zeros(6))[order]
    np.testing.assert_allclose(bias, table["bias"], rtol=1e-9, atol=1e-9)
    gravity = system.inverse_dynamics(q, np.zeros(6), np.zeros(6))[order]
    np.testing.assert_allclose(gravity, table["gravity_torque"], rtol=1e-9, atol=1e-9)
    forward = system.accelerations(q, u)[order]
    np.testing.assert_allclose(forward, table["forward_dynamics_zero_tau"], rtol=1e-9)
