"""The free-floating arms of the paper's two tables, and their motion by other means.

The references are written in the fewest coordinates there are, in NumPy alone: body positions
from the mass centre, momentum as a sum over bodies, rates from a small linear system.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import bellcrank as bc

TIGHT = {"rtol": 1e-11, "atol": 1e-13}


class PlanarArm:
    """Table 1: a hub and two rods on hinges.

    Attributes:
        m: Masses [kg]. J: The hub's moment of inertia [kg m²]. l: Lengths [m].
    """

    def __init__(self, m=(4.0, 1.3, 0.9), J=2.1, l=(1.1, 1.7, 1.4)) -> None:
        self.m, self.J, self.l = m, J, l

    def model(self, *drivers: Any, **others: Any) -> bc.Model:
        """Return the machine, drawn straight along x."""
        x = np.cumsum([0.0, *self.l])
        points = [(float(v), 0.0) for v in x]
        rods = [bc.Rod(points[k], points[k + 1], mass=self.m[k]) for k in (1, 2)]
        hub = bc.Body("hub", mass=self.m[0], com=(0, 0), inertia=(self.J,) * 3 + (0,) * 3)
        return bc.Model(
            "planar arm",
            planar=True,
            gravity=(0, 0),
            bodies=[hub, bc.Body("upper", rods[0]), bc.Body("lower", rods[1])],
            joints=[
                bc.Planar("float", "ground", "hub"),
                bc.Revolute("shoulder", "hub", "upper", at=points[1]),
                bc.Revolute("elbow", "upper", "lower", at=points[2]),
            ],
            points=[bc.Point("tip", "lower", at=points[3])],
            drivers=list(drivers),
            **others,
        )

    def points(self, angles: Sequence[float]) -> np.ndarray:
        """Return points 1 to 4 from the mass centre, for (φ, ψ2, ψ3), shape (4, 2)."""
        turned = np.cumsum(angles)
        steps = [
            length * np.array([np.cos(a), np.sin(a)])
            for length, a in zip(self.l, turned, strict=True)
        ]
        r = np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])
        return r - self._centres(r).T @ self.m / np.sum(self.m)

    def _centres(self, r: np.ndarray) -> np.ndarray:
        return np.array([r[0], (r[1] + r[2]) / 2, (r[2] + r[3]) / 2])

    def velocities(self, angles: Sequence[float], rates: Sequence[float]) -> np.ndarray:
        """Return the velocities of points 1 to 4 when the mass centre rests, shape (4, 2)."""
        turned, spins = np.cumsum(angles), np.cumsum(rates)
        steps = [
            length * w * np.array([-np.sin(a), np.cos(a)])
            for length, w, a in zip(self.l, spins, turned, strict=True)
        ]
        v = np.vstack([np.zeros(2), np.cumsum(steps, axis=0)])
        return v - self._centres(v).T @ self.m / np.sum(self.m)

    def momentum(self, angles: Sequence[float], rates: Sequence[float]) -> float:
        """Return H about the mass centre by summing over bodies."""
        r, v = (self._centres(x) for x in (self.points(angles), self.velocities(angles, rates)))
        J = [
            self.J,
            *(m * length**2 / 12 for m, length in zip(self.m[1:], self.l[1:], strict=True)),
        ]
        orbit = np.array(self.m) @ (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0])
        return float(orbit + np.array(J) @ np.cumsum(rates))

    def hub_angle(
        self,
        psi: Callable[[float], Any],
        psi_rate: Callable[[float], Any],
        until: float,
        H0: float = 0.0,
        phi: float = 0.0,
    ) -> float:
        """Return φ at the end, for prescribed joint angles: one unknown rate."""

        def rate(t: float, y: np.ndarray) -> list[float]:
            angles, joints = (y[0], *psi(t)), psi_rate(t)
            known = self.momentum(angles, (0.0, *joints))
            inertia = self.momentum(angles, (1.0, 0.0, 0.0))
            return [(H0 - known) / inertia]

        run = solve_ivp(rate, (0, until), [phi], "DOP853", rtol=1e-12, atol=1e-14)
        return float(run.y[0, -1])

    def tip_matrix(self, angles: Sequence[float]) -> np.ndarray:
        """Return what takes (φ̇, ψ̇2, ψ̇3) to (H, velocity of the tip), 3×3."""
        return np.array([
            [self.momentum(angles, e), *self.velocities(angles, e)[3]] for e in np.eye(3)
        ]).T

    def reach(
        self,
        velocity: Callable[[float], Any],
        angles: Sequence[float],
        until: float,
        H0: float = 0.0,
    ):
        """Return the solution (φ, ψ2, ψ3) over time, for a prescribed velocity of the tip."""

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            return np.linalg.solve(self.tip_matrix(y), [H0, *velocity(t)])

        return solve_ivp(
            rate, (0, until), angles, "DOP853", rtol=1e-12, atol=1e-14, dense_output=True
        )


class SpatialArm:
    """Table 2: a hub, and two rods on a universal joint and a hinge.

    Attributes:
        m: Masses [kg]. J: The hub's moments of inertia [kg m²]. l: Lengths [m].
    """

    def __init__(self, m=(5.0, 1.4, 0.8), J=(2.0, 3.1, 2.6), l=(1.2, 1.6, 1.3)) -> None:
        self.m, self.J, self.l = m, J, l

    def model(self, *drivers: Any, **others: Any) -> bc.Model:
        """Return the machine, drawn straight along x; joint axes are x, y and y."""
        x = np.cumsum([0.0, *self.l])
        points = [(float(v), 0.0, 0.0) for v in x]
        rods = [bc.Rod(points[k], points[k + 1], mass=self.m[k]) for k in (1, 2)]
        hub = bc.Body("hub", mass=self.m[0], com=(0, 0, 0), inertia=(*self.J, 0, 0, 0))
        return bc.Model(
            "spatial arm",
            gravity=(0, 0, 0),
            bodies=[hub, bc.Body("upper", rods[0]), bc.Body("lower", rods[1])],
            joints=[
                bc.Free("float", "ground", "hub"),
                bc.Universal("shoulder", "hub", "upper", at=points[1], axis1="x", axis2="y"),
                bc.Revolute("elbow", "upper", "lower", at=points[2], axis="y"),
            ],
            points=[bc.Point("tip", "lower", at=points[3])],
            drivers=list(drivers),
            **others,
        )

    def motion(
        self,
        p: Sequence[float],
        gamma: Sequence[float],
        w: Sequence[float],
        gamma_rate: Sequence[float],
    ) -> tuple[np.ndarray, np.ndarray, list, list]:
        """Return points, their velocities, attitudes and angular velocities.

        Args:
            p: Euler parameters of the hub, scalar first.
            gamma: Joint angles.
            w: Angular velocity of the hub, world components.
            gamma_rate: Joint rates.
        """
        R1 = rotation(np.asarray(p) / np.linalg.norm(p))
        cross1 = R1 @ about(0, gamma[0])
        R2 = cross1 @ about(1, gamma[1])
        R3 = R2 @ about(1, gamma[2])
        w1 = np.asarray(w, dtype=float)
        w2 = w1 + R1[:, 0] * gamma_rate[0] + cross1[:, 1] * gamma_rate[1]
        w3 = w2 + R2[:, 1] * gamma_rate[2]
        r, v = [np.zeros(3)], [np.zeros(3)]
        for R, spin, length in zip((R1, R2, R3), (w1, w2, w3), self.l, strict=True):
            step = length * R[:, 0]
            r.append(r[-1] + step)
            v.append(v[-1] + np.cross(spin, step))
        r, v = (
            np.array(x) - self.m @ self._centres(np.array(x)) / np.sum(self.m) for x in (r, v)
        )
        return r, v, [R1, R2, R3], [w1, w2, w3]

    def _centres(self, r: np.ndarray) -> np.ndarray:
        return np.array([r[0], (r[1] + r[2]) / 2, (r[2] + r[3]) / 2])

    def momentum(self, *state: Any) -> np.ndarray:
        """Return H about the mass centre by summing over bodies."""
        r, v, Rs, ws = self.motion(*state)
        H = np.zeros(3)
        inertias = [np.diag(self.J)]
        inertias += [
            m * length**2 / 12 * np.diag([0, 1, 1])
            for m, length in zip(self.m[1:], self.l[1:], strict=True)
        ]
        for m, c, cd, R, w, J in zip(
            self.m, self._centres(r), self._centres(v), Rs, ws, inertias, strict=True
        ):
            H += m * np.cross(c, cd) + R @ J @ R.T @ w
        return H

    def cycle(
        self,
        gamma: Callable[[float], Any],
        gamma_rate: Callable[[float], Any],
        until: float,
        H0=(0.0, 0.0, 0.0),
        p=(1.0, 0.0, 0.0, 0.0),
    ) -> np.ndarray:
        """Return the hub's Euler parameters at the end, for prescribed joint angles."""

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            angles, joints = gamma(t), gamma_rate(t)
            known = self.momentum(y, angles, np.zeros(3), joints)
            inertia = np.array([self.momentum(y, angles, e, np.zeros(3)) for e in np.eye(3)]).T
            return euler_rates(y, np.linalg.solve(inertia, np.array(H0) - known))

        run = solve_ivp(rate, (0, until), p, "DOP853", rtol=1e-12, atol=1e-14)
        return run.y[:, -1] / np.linalg.norm(run.y[:, -1])

    def tip_matrix(self, p: Sequence[float], gamma: Sequence[float]) -> np.ndarray:
        """Return what takes (ω, γ̇) to (H, velocity of the tip), 6×6."""
        columns = []
        for e in np.eye(6):
            state = p, gamma, e[:3], e[3:]
            columns.append(np.concatenate([self.momentum(*state), self.motion(*state)[1][3]]))
        return np.array(columns).T

    def reach(
        self,
        velocity: Callable[[float], Any],
        p: Sequence[float],
        gamma: Sequence[float],
        until: float,
        H0=(0.0, 0.0, 0.0),
    ):
        """Return the solution (p, γ) over time, for a prescribed velocity of the tip."""

        def rate(t: float, y: np.ndarray) -> np.ndarray:
            found = np.linalg.solve(self.tip_matrix(y[:4], y[4:]), [*H0, *velocity(t)])
            return np.concatenate([euler_rates(y[:4], found[:3]), found[3:]])

        return solve_ivp(
            rate, (0, until), [*p, *gamma], "DOP853", rtol=1e-12, atol=1e-14, dense_output=True
        )


def rotation(p: np.ndarray) -> np.ndarray:
    """Return body to world for Euler parameters, scalar first."""
    e0, e = p[0], p[1:]
    skew = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (e0**2 - e @ e) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * skew


def about(axis: int, angle: float) -> np.ndarray:
    """Return the turn by an angle about x (0) or y (1)."""
    c, s = np.cos(angle), np.sin(angle)
    if axis == 0:
        return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])


def euler_rates(p: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Return ṗ for the angular velocity along world axes."""
    return 0.5 * np.concatenate([[-w @ p[1:]], p[0] * w + np.cross(w, p[1:])])


def turn_between(p: np.ndarray, q: np.ndarray) -> float:
    """Return the angle between two attitudes."""
    return 2 * float(np.arccos(min(1.0, abs(float(p @ q)))))
