"""Rigid clouds of mass points: bodies whose momenta are sums, with nothing assumed."""

from dataclasses import dataclass

import casadi as ca
import numpy as np

from bellcrank.formulations.points.bodies import PlanarBody
from bellcrank.formulations.points.spatial_bodies import SpannedBody, SpatialBody


def rotation_of(rng: np.random.Generator) -> np.ndarray:
    """Return a random right-handed rotation."""
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    return Q if np.linalg.det(Q) > 0 else -Q


@dataclass(frozen=True)
class Cloud:
    """Mass points of a body in some motion.

    Attributes:
        m: Masses [kg], shape (n,). s: Places in the body from its mass centre, shape (n, 3).
        R: Body to world. r: The mass centre [m]. w, v: Angular velocity and velocity of the
            mass centre, world components. al, a: Their rates.
    """

    m: np.ndarray
    s: np.ndarray
    R: np.ndarray
    r: np.ndarray
    w: np.ndarray
    v: np.ndarray
    al: np.ndarray
    a: np.ndarray

    @staticmethod
    def random(seed: int, planar: bool = False) -> "Cloud":
        """Return a random cloud; in the plane it moves in x and y and turns about z."""
        rng = np.random.default_rng(seed)
        m, s = rng.uniform(0.1, 1.0, 7), rng.uniform(-1, 1, (7, 3))
        R, (r, w, v, al, a) = rotation_of(rng), rng.normal(size=(5, 3))
        if planar:
            s[:, 2] = r[2] = v[2] = a[2] = 0.0
            w[:2] = al[:2] = 0.0
            angle = rng.uniform(-3, 3)
            c, d = np.cos(angle), np.sin(angle)
            R = np.array([[c, -d, 0], [d, c, 0], [0, 0, 1]])
        s = s - m @ s / m.sum()
        return Cloud(m, s, R, r, w, v, al, a)

    def place(self, s: np.ndarray) -> np.ndarray:
        """Return where a point of the body is."""
        return self.r + s @ self.R.T

    def carried(self, s: np.ndarray) -> np.ndarray:
        """Return a vector of the body along world axes."""
        return s @ self.R.T

    def velocity(self, s: np.ndarray) -> np.ndarray:
        """Return the velocity of a point of the body."""
        return self.v + np.cross(self.w, self.carried(s))

    def acceleration(self, s: np.ndarray) -> np.ndarray:
        """Return the acceleration of a point of the body."""
        arm = self.carried(s)
        spin = np.cross(self.w, np.cross(self.w, arm))
        return self.a + np.cross(self.al, arm) + spin

    @property
    def mass(self) -> float:
        """Σ dm."""
        return float(self.m.sum())

    def inertia(self, axes: np.ndarray) -> np.ndarray:
        """Return J about the mass centre along axes that are columns in the body."""
        s = self.s @ axes
        return np.einsum("i,ijk->jk", self.m, [(x @ x) * np.eye(3) - np.outer(x, x) for x in s])

    def linear(self) -> np.ndarray:
        """Return Σ dm v."""
        return self.m @ self.velocity(self.s)

    def angular(self) -> np.ndarray:
        """Return Σ dm r × v about the origin."""
        return self.m @ np.cross(self.place(self.s), self.velocity(self.s))

    def energy(self) -> float:
        """Return Σ ½ dm v·v."""
        v = self.velocity(self.s)
        return float(self.m @ (v * v).sum(axis=1) / 2)

    def force(self) -> np.ndarray:
        """Return Σ dm a."""
        return self.m @ self.acceleration(self.s)

    def moment(self) -> np.ndarray:
        """Return Σ dm r × a about the origin."""
        return self.m @ np.cross(self.place(self.s), self.acceleration(self.s))


@dataclass(frozen=True)
class Basic:
    """The coordinates of a cloud: points i and j and vectors, with rates and second rates.

    Attributes:
        cloud: The body.
        i, j: Two points of it, places from its mass centre.
        vectors: Vectors of it.
    """

    cloud: Cloud
    i: np.ndarray
    j: np.ndarray
    vectors: tuple[np.ndarray, ...]

    @staticmethod
    def random(seed: int, vectors: int, planar: bool = False) -> "Basic":
        """Return a random cloud with random points and vectors."""
        cloud = Cloud.random(seed, planar)
        rng = np.random.default_rng(seed + 1000)
        i, j, *more = rng.uniform(-1, 1, (2 + vectors, 3))
        if planar:
            i[2] = j[2] = 0.0
        return Basic(cloud, i, j, tuple(more))

    def _stacked(self, point, vector) -> np.ndarray:
        found = [point(self.i), point(self.j), *(vector(u) for u in self.vectors)]
        size = 2 if not self.vectors else 3
        return np.concatenate([part[:size] for part in found])

    @property
    def q(self) -> np.ndarray:
        """Coordinates."""
        return self._stacked(self.cloud.place, self.cloud.carried)

    @property
    def qd(self) -> np.ndarray:
        """Their rates."""
        cloud = self.cloud
        return self._stacked(cloud.velocity, lambda u: np.cross(cloud.w, cloud.carried(u)))

    @property
    def qdd(self) -> np.ndarray:
        """The rates of these."""
        cloud = self.cloud
        return self._stacked(cloud.acceleration, lambda u: cloud.acceleration(u) - cloud.a)

    @property
    def axes(self) -> np.ndarray:
        """e₁, e₂, e₃ in the body, as columns."""
        d = self.j - self.i
        e1 = d / np.linalg.norm(d)
        if not self.vectors:
            return np.column_stack([e1, np.cross([0, 0, 1], e1), [0, 0, 1]])
        e3 = np.cross(d, self.vectors[0])
        e3 /= np.linalg.norm(e3)
        return np.column_stack([e1, np.cross(e3, e1), e3])

    def coefficients(self, s: np.ndarray) -> np.ndarray:
        """Return c of points s from their definition, r − r_i = c₁ r_ij and so on."""
        d = self.j - self.i
        if not self.vectors:
            basis = np.column_stack([d[:2], np.cross([0, 0, 1], d)[:2]])
            return np.linalg.solve(basis, (s - self.i)[..., :2].T).T
        u = self.vectors[0]
        v = self.vectors[1] if len(self.vectors) == 2 else self._product()
        return np.linalg.solve(np.column_stack([d, u, v]), (s - self.i).T).T

    def _product(self) -> np.ndarray:
        d, u = self.j - self.i, self.vectors[0]
        l, cosine = np.linalg.norm(d), self._cosine()
        return np.cross(d, u) / (np.sqrt(1 - cosine**2) * l)

    def _cosine(self) -> float:
        d, u = self.j - self.i, self.vectors[0]
        return float(d @ u / (np.linalg.norm(d) * np.linalg.norm(u)))

    def body(self) -> PlanarBody | SpatialBody | SpannedBody:
        """Return the matrices of the body."""
        cloud, axes = self.cloud, self.axes
        a = ca.DM(self.coefficients(np.zeros(3)))
        l, J = float(np.linalg.norm(self.j - self.i)), cloud.inertia(axes)
        if not self.vectors:
            return PlanarBody(l, a, cloud.mass, float(J[2, 2]))
        if len(self.vectors) == 2:
            L = np.column_stack([self.j - self.i, *self.vectors])
            return SpannedBody(ca.DM(np.linalg.solve(L, axes)), a, cloud.mass, ca.DM(J))
        mu = float(np.linalg.norm(self.vectors[0]))
        return SpatialBody(l, mu, self._cosine(), a, cloud.mass, ca.DM(J))
