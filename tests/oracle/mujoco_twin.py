"""Our machine rebuilt in MuJoCo: all elementary joints of a body sit in that body, in order."""

from typing import Any

import mujoco
import numpy as np
from tests.oracle.steps import Elementary
from tests.oracle.twin import Correspondence, depth_first, links

import bellcrank as bc


class MujocoTwin:
    """A MuJoCo model with the same motion as ours. It has no screw joint."""

    def __init__(self, model: bc.Model) -> None:
        spec = mujoco.MjSpec()  # type: ignore[attr-defined]
        spec.option.gravity = np.array(model.gravity, dtype=float)
        spec.compiler.balanceinertia = False
        # (body, axes of its frame in the drawing, its point)
        frames: dict[int, tuple[Any, np.ndarray, np.ndarray]] = {
            0: (spec.worldbody, np.eye(3), np.zeros(3))
        }
        steps: list[Elementary] = []
        for link in depth_first(list(links(model))):
            parent, R, p = frames[link.lower]
            before = link.steps[0].before if link.steps else np.eye(3)
            after = link.steps[-1].after if link.steps else np.eye(3)
            body = parent.add_body(
                name=link.name, pos=R.T @ (link.at - p), quat=_quaternion(R.T @ before)
            )
            frames[link.number] = body, after, link.at
            for step in link.steps:
                _add_joint(body, step, len(steps))
                steps.append(step)
            body.mass = link.mass
            body.ipos = after.T @ (link.com - link.at)
            body.fullinertia = _six(after.T @ link.inertia @ after)
            body.explicitinertial = True
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)  # type: ignore[attr-defined]
        self.same = Correspondence(tuple(steps))

    def _set(self, values: dict[str, Any], v: np.ndarray) -> None:
        self.data.qpos[:] = self.same.coordinates(values)
        self.data.qvel[:] = v

    def mass(self, values: dict[str, Any], speeds: list[str]) -> np.ndarray:
        """Return the mass matrix in our speeds."""
        G = self.same.rate_map(values, speeds)
        self._set(values, np.zeros(len(G)))
        mujoco.mj_forward(self.model, self.data)  # type: ignore[attr-defined]
        columns = [np.zeros(len(G)) for _ in G]
        for k, column in enumerate(columns):
            mujoco.mj_mulM(self.model, self.data, column, np.eye(len(G))[k])  # type: ignore[attr-defined]
        return G.T @ np.array(columns) @ G

    def accelerations(
        self, values: dict[str, Any], speeds: list[str], u: np.ndarray, tau: np.ndarray
    ) -> np.ndarray:
        """Return u̇."""
        G = self.same.rate_map(values, speeds)
        self._set(values, G @ u)
        self.data.qfrc_applied[:] = np.linalg.solve(G.T, tau)
        mujoco.mj_forward(self.model, self.data)  # type: ignore[attr-defined]
        return np.linalg.solve(G, self.data.qacc)

    def centre(self, values: dict[str, Any], body: str) -> np.ndarray:
        """Return the mass centre of a body in the world [m]."""
        self._set(values, np.zeros(self.model.nv))
        mujoco.mj_kinematics(self.model, self.data)  # type: ignore[attr-defined]
        return self.data.body(body).xipos.copy()


def _add_joint(body: Any, step: Elementary, number: int) -> None:
    kind = mujoco.mjtJoint  # type: ignore[attr-defined]
    if step.kind == "ball":
        body.add_joint(type=kind.mjJNT_BALL, name=f"j{number}")
    elif step.kind == "shift":
        # Axes are read in the frame of the body: the first body's axes, before a ball or after.
        for axis, unit in zip("xyz", np.eye(3), strict=True):
            body.add_joint(type=kind.mjJNT_SLIDE, axis=unit, name=f"j{number}{axis}")
    else:
        what = {"turn": kind.mjJNT_HINGE, "slide": kind.mjJNT_SLIDE}[step.kind]
        body.add_joint(type=what, axis=step.axis, name=f"j{number}")


def _six(inertia: np.ndarray) -> np.ndarray:
    return inertia[[0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]]


def _quaternion(R: np.ndarray) -> np.ndarray:
    found = np.zeros(4)
    mujoco.mju_mat2Quat(found, np.ascontiguousarray(R).reshape(9))  # type: ignore[attr-defined]
    return found
