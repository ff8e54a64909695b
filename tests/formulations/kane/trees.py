"""Trees of bodies that nothing ties, as models and as formulas of their own in NumPy.

The formulas are those of the source on equations of motion of an unconstrained multibody
system, for any body-connection array, and take complex numbers.
"""

from dataclasses import dataclass

import numpy as np

import bellcrank as bc

SIX = (0, 1, 2, 2, 1, 5)
FOREST = (0, 1, 1, 1, 3, 3, 0, 7)
CHAIN = (0, 1, 2, 3)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def rotation(e):
    """Return [R] of Euler parameters with the scalar last: inertial to body components."""
    v, s = e[:3], e[3]
    return (s * s - v @ v) * np.eye(3) + 2 * np.outer(v, v) - 2 * s * skew(v)


def rates(e):
    """Return E′, for which ω′ = 2 E′ ε̇."""
    return np.hstack([e[3] * np.eye(3) - skew(e[:3]), -e[:3, None]])


@dataclass
class Tree:
    """Numbered bodies: L(K), m_K, I′_K, r′_K, q′_K and what acts on them."""

    lower: tuple[int, ...]
    m: np.ndarray
    I: np.ndarray
    r: np.ndarray
    q: np.ndarray
    force: np.ndarray
    moment: np.ndarray

    @property
    def n(self):
        """How many bodies there are."""
        return len(self.lower)

    def path(self, k):
        """Return (root, …, K)."""
        return (*self.path(self.lower[k - 1]), k) if k else ()

    def model(self, joint=bc.Free):
        """Return the model: all frames along the world, every O_K at Q_K in the drawing."""
        origin = [np.zeros(3)]
        for k in range(1, self.n + 1):
            origin.append(np.round(origin[self.lower[k - 1]] + self.q[k - 1], 12))
        names = ["ground", *(f"B{k}" for k in range(1, self.n + 1))]
        six = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
        bodies, joints, forces = [], [], []
        for k in range(1, self.n + 1):
            J = tuple(float(self.I[k - 1][i, j]) for i, j in six)
            com = tuple(map(float, origin[k] + self.r[k - 1]))
            bodies.append(bc.Body(names[k], mass=float(self.m[k - 1]), com=com, inertia=J))
            at = tuple(map(float, origin[k]))
            kind = bc.Free if self.lower[k - 1] == 0 else joint
            joints.append(kind(f"J{k}", names[self.lower[k - 1]], names[k], at=at))
            force, moment = (tuple(map(float, v[k - 1])) for v in (self.force, self.moment))
            forces.append(bc.Force(f"F{k}", names[k], force, at=com))
            forces.append(bc.Torque(f"M{k}", names[k], moment, frame="body"))
        return bc.Model("tree", bodies=bodies, joints=joints, forces=forces, gravity=(0, 0, 0))

    def parts(self, x):
        """Return [R_K] and s′_K of x = (ε, s′)."""
        e, s = x[: 4 * self.n].reshape(-1, 4), x[4 * self.n :].reshape(-1, 3)
        return [np.eye(3), *(rotation(one) for one in e)], [None, *s]

    def position(self, x, k):
        """Return p_K."""
        R, s = self.parts(x)
        steps = [R[self.lower[j - 1]].T @ (self.q[j - 1] + s[j]) for j in self.path(k)]
        return sum(steps) + R[k].T @ self.r[k - 1]

    def velocity_matrix(self, x, k):
        """Return [v_K,y], block by block as printed."""
        R, s = self.parts(x)
        found, path = np.zeros((3, 6 * self.n), dtype=x.dtype), self.path(k)
        for i, j in enumerate(path):
            arm = self.r[k - 1] if j == k else self.q[path[i + 1] - 1] + s[path[i + 1]]
            found[:, 3 * (j - 1) : 3 * j] = -R[j].T @ skew(arm)
            first = 3 * (self.n + j - 1)
            found[:, first : first + 3] = R[self.lower[j - 1]].T
        return found

    def rate(self, x, y):
        """Return ẋ: the kinematical equations."""
        e, w = x[: 4 * self.n].reshape(-1, 4), y[: 3 * self.n].reshape(-1, 3)
        turned = [0.5 * rates(one).T @ spin for one, spin in zip(e, w, strict=True)]
        return np.concatenate([*turned, y[3 * self.n :]])


def s6():
    """Return the six-body example with its state (x, y)."""
    K = np.arange(1.0, 7.0)
    r = np.column_stack([0.1 * K, -0.05 * K, 0.02 * K])
    q = np.column_stack([0.3 + 0 * K, 0.1 * K, -0.2 + 0 * K])
    q[0] = 0
    I = np.array([np.diag([k, k + 1, k + 2]) for k in K])
    force = np.column_stack([0 * K, 0 * K, -9.81 * K])
    moment = np.column_stack([0.1 * K, 0 * K, -0.2 + 0 * K])
    e = np.column_stack([1 + 0 * K, K, 2 + 0 * K, 5 + 0 * K])
    e /= np.linalg.norm(e, axis=1)[:, None]
    s = np.column_stack([0.05 * K, 0.02 + 0 * K, -0.01 * K])
    w = np.column_stack([0.1 * K, -0.2 + 0 * K, 0.3 / K])
    slide = np.column_stack([0.01 * K, -0.02 * K, 0.03 + 0 * K])
    x, y = np.concatenate([e.ravel(), s.ravel()]), np.concatenate([w.ravel(), slide.ravel()])
    return Tree(SIX, K, I, r, q, force, moment), x, y


def random_tree(lower, seed=0):
    """Return random bodies on a body-connection array, with a state (x, y)."""
    rng = np.random.default_rng(seed)
    n = len(lower)
    spread = rng.uniform(0.2, 1.0, (n, 3)) ** 2
    axes = [np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(n)]
    I = np.array([
        Q @ np.diag([b + c, a + c, a + b]) @ Q.T
        for Q, (a, b, c) in zip(axes, spread, strict=True)
    ])
    r, q, force, moment = np.round(rng.uniform(-1, 1, (4, n, 3)), 6)
    q[[k for k, low in enumerate(lower) if low == 0]] = 0
    e = rng.normal(size=(n, 4))
    e /= np.linalg.norm(e, axis=1)[:, None]
    x = np.concatenate([e.ravel(), rng.uniform(-1, 1, 3 * n)])
    tree = Tree(tuple(lower), rng.uniform(0.5, 2, n), I, r, q, force, moment)
    return tree, x, rng.normal(size=6 * n)
