"""Robots read from URDF by Pinocchio and rebuilt through our own `Model`.

The neutral configuration is the drawing. Pinocchio merges what is welded, so each of its joints
carries one body.
"""

from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
import pinocchio as pin

import bellcrank as bc

PACKAGE = "example-robot-data"


def urdf(name: str) -> str:
    """Return the path of a robot of the package `example-robot-data`."""
    found = [f for f in metadata.files(PACKAGE) or [] if str(f).endswith(f"/{name}")]
    return str(Path(str(found[0].locate())).resolve())


@dataclass(frozen=True)
class Robot:
    """One robot in both worlds.

    Attributes:
        theirs: Pinocchio's model.
        ours: The same robot as our model: joint `x` moves body `x body`.
    """

    theirs: Any
    ours: bc.Model

    def values(self, q: np.ndarray, v: np.ndarray) -> dict[str, Any]:
        """Return Pinocchio's state under our names."""
        named: dict[str, Any] = {}
        for k in range(1, self.theirs.njoints):
            joint, name = self.theirs.joints[k], self.theirs.names[k]
            x = q[joint.idx_q : joint.idx_q + joint.nq]
            xd = v[joint.idx_v : joint.idx_v + joint.nv]
            named |= _named(name, joint.shortname(), x, xd)
        return named

    def rate_map(self, q: np.ndarray, speeds: list[str]) -> np.ndarray:
        """Return G(q) with v = G u; a floating base moves along its own axes in Pinocchio."""
        G = np.zeros((self.theirs.nv, len(speeds)))
        for k in range(1, self.theirs.njoints):
            joint, name = self.theirs.joints[k], self.theirs.names[k]
            rows = np.arange(joint.idx_v, joint.idx_v + joint.nv)
            if joint.nv == 6:
                quaternion = pin.Quaternion(q[joint.idx_q + 3 : joint.idx_q + 7])
                for half, speed in enumerate(("velocity", "angular_velocity")):
                    columns = [speeds.index(f"{name}.{speed}_{axis}") for axis in "xyz"]
                    block = quaternion.matrix().T if half == 0 else np.eye(3)
                    G[np.ix_(rows[3 * half : 3 * half + 3], columns)] = block
            else:
                G[rows[0], speeds.index(_speed(name, joint.shortname()))] = 1.0
        return G

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return Ġ u, so that v̇ = G u̇ + Ġ u: a floating base's −ω × v."""
        found = np.zeros(self.theirs.nv)
        for joint in self.theirs.joints.tolist()[1:]:
            if joint.nv == 6:
                i = joint.idx_v
                found[i : i + 3] = -np.cross(v[i + 3 : i + 6], v[i : i + 3])
        return found


def _speed(name: str, kind: str) -> str:
    return f"{name}.offset_rate" if kind.startswith("JointModelP") else f"{name}.angle_rate"


def _named(name: str, kind: str, x: np.ndarray, xd: np.ndarray) -> dict[str, Any]:
    if kind == "JointModelFreeFlyer":
        R = pin.Quaternion(x[3:]).matrix()
        return {
            f"{name}.position": tuple(x[:3]),
            f"{name}.orientation": tuple(np.roll(x[3:], 1)),
            f"{name}.velocity": tuple(R @ xd[:3]),
            f"{name}.angular_velocity": tuple(xd[3:]),
        }
    value = np.arctan2(x[1], x[0]) if len(x) == 2 else x[0]
    speed = _speed(name, kind)
    return {speed.removesuffix("_rate"): float(value), speed: float(xd[0])}


def read(name: str, *, floating: bool = False) -> Robot:
    """Return a robot of `example-robot-data`, rebuilt."""
    root = [pin.JointModelFreeFlyer()] if floating else []
    theirs = pin.buildModelFromUrdf(urdf(name), *root)
    data = theirs.createData()
    pin.forwardKinematics(theirs, data, pin.neutral(theirs))
    bodies, joints = [], []
    for k in range(1, theirs.njoints):
        place, own = data.oMi[k], theirs.inertias[k]
        label = theirs.names[k]
        inertia = _tuples(place.rotation @ own.inertia @ place.rotation.T)
        bodies.append(
            bc.Body(
                f"{label} body",
                mass=float(own.mass),
                com=_numbers(place.act(own.lever)),
                inertia=inertia,
            )
        )
        lower = theirs.parents[k]
        first = f"{theirs.names[lower]} body" if lower else "ground"
        joints.append(_joint(theirs.joints[k], label, first, f"{label} body", place))
    ours = bc.Model(name, bodies=bodies, joints=joints)
    return Robot(theirs, ours)


def _joint(joint: Any, name: str, first: str, second: str, place: Any) -> Any:
    at, kind = _numbers(place.translation), joint.shortname()
    if kind == "JointModelFreeFlyer":
        return bc.Free(name, first, second, at=at)
    data = joint.createData()
    q = np.array([1.0, 0.0]) if joint.nq == 2 else np.zeros(joint.nq)
    joint.calc(data, q)
    S = np.array(data.S).reshape(6)
    turn = np.linalg.norm(S[3:]) > 0
    axis = _numbers(place.rotation @ (S[3:] if turn else S[:3]))
    return (bc.Revolute if turn else bc.Prismatic)(name, first, second, at=at, axis=axis)


def _numbers(vector: np.ndarray) -> tuple[float, ...]:
    return tuple(float(x) for x in vector)


def _tuples(matrix: np.ndarray) -> tuple[tuple[float, ...], ...]:
    symmetric = (matrix + matrix.T) / 2
    return tuple(_numbers(row) for row in symmetric)
