"""Pinocchio as its wheel ships it: C++ called over a whole batch, without Python overhead.

`abaInParallel` and `rneaInParallel` loop in C++ over the columns of a matrix; one thread. There
is no such loop for `crba`; it is called from Python and the time of the same call on a
one-joint chain is taken off, which gives Pinocchio one joint for nothing.
"""

import numpy as np
import pinocchio as pin

from benchmarks.machines import GRAVITY, Chain, batch, chain, states
from benchmarks.timing import best

NAME = f"Pinocchio {pin.__version__}"


def model(machine: Chain) -> pin.Model:
    """Return the Pinocchio model of a chain."""
    robot = pin.Model()
    robot.gravity.linear = np.array([0.0, 0.0, -GRAVITY])
    joint_of = {"x": pin.JointModelRX, "y": pin.JointModelRY}
    inertia = pin.Inertia(
        machine.mass,
        np.array([0.0, 0.0, -machine.length / 2]),
        np.diag([machine.transverse_inertia, machine.transverse_inertia, 0.0]),
    )
    joint = 0
    for k, axis in enumerate(machine.axes):
        place = pin.SE3(np.eye(3), np.array([0.0, 0.0, -machine.length if k else 0.0]))
        joint = robot.addJoint(joint, joint_of[axis](), place, f"joint{k}")
        robot.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
    return robot


def accelerations(joints: int) -> float:
    """Return the time of one forward dynamics [s]: `abaInParallel`, one thread."""
    q, u, tau = (np.asfortranarray(x.T) for x in states(joints, batch(joints)))
    pool = pin.ModelPool(model(chain(joints)), 1)
    out = np.zeros_like(q)
    return best(lambda: pin.abaInParallel(1, pool, q, u, tau, out)) / q.shape[1]


def inverse_dynamics(joints: int) -> float:
    """Return the time of one inverse dynamics [s]: `rneaInParallel`, one thread."""
    q, u, a = (np.asfortranarray(x.T) for x in states(joints, batch(joints)))
    pool = pin.ModelPool(model(chain(joints)), 1)
    out = np.zeros_like(q)
    return best(lambda: pin.rneaInParallel(1, pool, q, u, a, out)) / q.shape[1]


def mass_matrix(joints: int) -> float:
    """Return the time of one mass matrix [s]: `crba`, the Python call taken off."""
    return _crba(joints) - _crba(1)


def _crba(joints: int) -> float:
    robot = model(chain(joints))
    data = robot.createData()
    angles = [q.copy() for q in states(joints, 256)[0]]

    def sweep() -> None:
        for q in angles:
            pin.crba(robot, data, q)

    return best(sweep) / len(angles)


def backward_error(joints: int, accelerations: np.ndarray, count: int = 100) -> float:
    """Return the largest ‖M a − τ + c‖/‖τ − c‖ with Pinocchio's M and c.

    Args:
        joints: Length of the chain.
        accelerations: Of the random states `states(joints, count)`, shape (count, joints).
        count: Number of states.
    """
    robot = model(chain(joints))
    data = robot.createData()
    worst = 0.0
    for q, u, tau, a in zip(*states(joints, count), accelerations, strict=True):
        load = tau - pin.rnea(robot, data, q, u, np.zeros(joints))
        M = np.array(pin.crba(robot, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        worst = max(worst, float(np.linalg.norm(M @ a - load) / np.linalg.norm(load)))
    return worst


def own_backward_error(joints: int, count: int = 100) -> float:
    """Return the backward error of Pinocchio's own `aba` on the same states."""
    robot = model(chain(joints))
    data = robot.createData()
    found = states(joints, count)
    mine = [pin.aba(robot, data, *state).copy() for state in zip(*found, strict=True)]
    return backward_error(joints, np.array(mine), count)
