"""Our machine rebuilt in Pinocchio, elementary joint by elementary joint."""

from typing import Any

import numpy as np
import pinocchio as pin
from tests.oracle.steps import Elementary
from tests.oracle.twin import Correspondence, depth_first, links

import bellcrank as bc


class PinocchioTwin:
    """A Pinocchio model with the same motion as ours, links without mass between."""

    def __init__(self, model: bc.Model) -> None:
        self.robot = pin.Model()
        self.robot.gravity.linear = np.array(model.gravity, dtype=float)
        self.robot.gravity.angular = np.zeros(3)
        # (joint, axes of its frame in the drawing, its point) of every body
        frames: dict[int, tuple[int, np.ndarray, np.ndarray]] = {0: (0, np.eye(3), np.zeros(3))}
        steps: list[Elementary] = []
        self.centres: dict[str, tuple[int, np.ndarray]] = {}
        for link in depth_first(list(links(model))):
            joint, R, p = frames[link.lower]
            for step in link.steps:
                place = pin.SE3(R.T @ step.before, R.T @ (link.at - p))
                name = f"{step.joint}/{len(steps)}"
                joint = self.robot.addJoint(joint, _joint(step), place, name)
                R, p = step.after, link.at
                steps.append(step)
            frames[link.number] = joint, R, p
            centre = R.T @ (link.com - p)
            self.centres[link.name] = joint, centre
            inertia = pin.Inertia(link.mass, centre, R.T @ link.inertia @ R)
            if joint:
                self.robot.appendBodyToJoint(joint, inertia, pin.SE3.Identity())
        self.same = Correspondence(tuple(steps))
        self.data = self.robot.createData()

    def q(self, values: dict[str, Any]) -> np.ndarray:
        """Return Pinocchio's coordinates: its quaternions have the scalar last."""
        parts = [step.coordinates(values) for step in self.same.steps]
        return np.concatenate([np.roll(x, -1) if len(x) == 4 else x for x in parts])

    def mass(self, values: dict[str, Any], speeds: list[str]) -> np.ndarray:
        """Return the mass matrix in our speeds."""
        G = self.same.rate_map(values, speeds)
        M = np.array(pin.crba(self.robot, self.data, self.q(values)))
        return G.T @ (np.triu(M) + np.triu(M, 1).T) @ G

    def inverse_dynamics(
        self, values: dict[str, Any], speeds: list[str], u: np.ndarray, a: np.ndarray
    ) -> np.ndarray:
        """Return the efforts in our speeds."""
        G = self.same.rate_map(values, speeds)
        return G.T @ pin.rnea(self.robot, self.data, self.q(values), G @ u, G @ a)

    def accelerations(
        self, values: dict[str, Any], speeds: list[str], u: np.ndarray, tau: np.ndarray
    ) -> np.ndarray:
        """Return u̇."""
        G = self.same.rate_map(values, speeds)
        force = np.linalg.solve(G.T, tau)
        found = pin.aba(self.robot, self.data, self.q(values), G @ u, force)
        return np.linalg.solve(G, found)

    def centre(self, values: dict[str, Any], body: str) -> np.ndarray:
        """Return the mass centre of a body in the world [m]."""
        pin.forwardKinematics(self.robot, self.data, self.q(values))
        joint, local = self.centres[body]
        return self.data.oMi[joint].act(local)


def _joint(step: Elementary) -> Any:
    match step.kind:
        case "turn":
            return pin.JointModelRevoluteUnaligned(step.axis)
        case "slide":
            return pin.JointModelPrismaticUnaligned(step.axis)
        case "helix":
            return pin.JointModelHelicalUnaligned(step.axis, step.pitch)
        case "ball":
            return pin.JointModelSpherical()
        case _:
            return pin.JointModelTranslation()
