"""Robots of `example-robot-data` read by our URDF reader and by Pinocchio, held together.

Pinocchio's dynamics knows neither damping nor friction, and as a default it leaves `<mimic>`
out; ours is compared without those forces and without the gears.
"""

import warnings
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

import numpy as np
import pinocchio as pin
from tests.laws.evaluation import Evaluated
from tests.oracle.robots import PACKAGE, Robot

import bellcrank as bc

STATES = 2


def all_urdfs() -> list[Path]:
    """Return all URDF files of the package, sorted."""
    found = [f for f in metadata.files(PACKAGE) or [] if str(f).endswith(".urdf")]
    return sorted(Path(str(f.locate())).resolve() for f in found)


def load_quietly(path: Path, *, floating: bool = False) -> bc.Model:
    """Return the model of a file; what it remarks on is not what is tested here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.FileWarning)
        model = bc.load(path, floating=floating)
    assert isinstance(model, bc.Model)
    return model


def bare(model: bc.Model) -> bc.Model:
    """Return a model without what Pinocchio leaves out: friction and gears."""
    return model.without(*(e.name for e in (*model.forces, *model.constraints)))


def both(path: Path, *, floating: bool = False) -> Robot:
    """Return a robot as Pinocchio reads it, and as we do; their joints under our names."""
    root = [pin.JointModelFreeFlyer()] if floating else []
    theirs = pin.buildModelFromUrdf(str(path), *root)
    for k, name in enumerate(theirs.names):
        theirs.names[k] = name.replace("/", "_").replace(".", "_")
    return Robot(theirs, bare(load_quietly(path, floating=floating)))


@dataclass(frozen=True)
class Agreement:
    """The largest differences over some states, each relative to the largest number.

    Attributes:
        speeds: How many there are.
        mass: Of the mass matrix.
        inverse: Of the efforts for given accelerations.
        forward: Of the accelerations for given efforts; NaN where the mass matrix is singular.
        condition: The largest condition number of the mass matrix.
    """

    speeds: int
    mass: float
    inverse: float
    forward: float
    condition: float


def agreement(robot: Robot, seed: int = 1, states: int = STATES) -> Agreement:
    """Return how far the two are apart at random states."""
    theirs = robot.theirs
    if theirs.nv == 0:
        assert not Evaluated(robot.ours).speeds
        return Agreement(0, 0.0, 0.0, 0.0, 1.0)
    ours, data = Evaluated(robot.ours), theirs.createData()
    assert ours.nu == theirs.nv
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(states):
        q = pin.integrate(theirs, pin.neutral(theirs), rng.normal(size=theirs.nv))
        v, a, tau = rng.normal(size=(3, theirs.nv))
        G, bias = robot.rate_map(q, ours.speeds), robot.bias(q, v)
        ours_q, u = ours.pack(robot.values(q, v))
        M = np.array(pin.crba(theirs, data, q))
        M = np.triu(M) + np.triu(M, 1).T
        A, f = ours.mass(ours_q, u), ours.force(ours_q, u)
        mass = _apart(A, G.T @ M @ G)
        inverse = _apart(
            A @ np.linalg.solve(G, a - bias) - f, G.T @ pin.rnea(theirs, data, q, v, a)
        )
        condition = np.linalg.cond(M)
        forward = np.nan
        if condition < 1e14:
            expected = pin.aba(theirs, data, q, v, tau)
            forward = _apart(G @ ours.accelerations(ours_q, u, G.T @ tau) + bias, expected)
        found.append((mass, inverse, forward, condition))
    mass, inverse, forward, condition = np.max(found, axis=0)
    return Agreement(theirs.nv, mass, inverse, forward, condition)


def _apart(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())
