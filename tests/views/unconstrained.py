"""Kane's matrices of a tree of free bodies in plain NumPy, from the formulas of the books.

Nothing here is shared with the package: L(K), states and vectors are arrays, and the blocks
follow from sums over the path of each body.
"""

from dataclasses import dataclass

import numpy as np
from tests.views.reading import skew


@dataclass(frozen=True)
class Tree:
    """A tree of bodies in one state; all arrays have a row (or a matrix) per body.

    Attributes:
        lower: L(K), 0 for a root.
        r, q: r′_K and q′_K.
        R: [R_K], inertial to body components.
        s, w, sd: s′_K, ω′_K, ṡ′_K.
    """

    lower: tuple
    r: np.ndarray
    q: np.ndarray
    R: np.ndarray
    s: np.ndarray
    w: np.ndarray
    sd: np.ndarray

    @property
    def y(self):
        """All speeds, ω′ first."""
        return np.concatenate([self.w.ravel(), self.sd.ravel()])

    def path(self, k):
        """Bodies from the root to K."""
        return (*self.path(self.lower[k - 1]), k) if k else ()

    def turn(self, k):
        """[R_K]ᵀ."""
        return self.R[k - 1].T if k else np.eye(3)

    def position(self, k):
        """Mass centre of K, inertial components."""
        steps = [self.turn(self.lower[j - 1]) @ (self.q + self.s)[j - 1] for j in self.path(k)]
        return sum(steps) + self.turn(k) @ self.r[k - 1]

    def blocks(self, k):
        """The four families of blocks of body K, each of shape (N, 3, 3)."""
        n, path = len(self.lower), self.path(k)
        y1, y2, y1_rate, y2_rate = np.zeros((4, n, 3, 3))
        for j, c in zip(path, (*path[1:], 0), strict=True):
            arm = self.r[k - 1] if j == k else (self.q + self.s)[c - 1]
            rate = np.zeros(3) if j == k else self.sd[c - 1]
            spin, low = skew(self.w[j - 1]), self.lower[j - 1]
            y1[j - 1] = -self.turn(j) @ skew(arm)
            y1_rate[j - 1] = -self.turn(j) @ (spin @ skew(arm) + skew(rate))
            y2[j - 1] = self.turn(low)
            if low:
                y2_rate[j - 1] = self.turn(low) @ skew(self.w[low - 1])
        return {"v1": y1, "v2": y2, "v1 rate": y1_rate, "v2 rate": y2_rate}

    def spin_blocks(self, k):
        """Blocks of [ω′_K,y1]."""
        found = np.zeros((len(self.lower), 3, 3))
        found[k - 1] = np.eye(3)
        return found


def flat(blocks):
    """Return blocks side by side, shape (3, 3N)."""
    return np.concatenate(list(blocks), axis=1)


def geometry(model):
    """Return L(K), r′ and q′ of a model, from the fields of its bodies and joints alone."""
    order, joints = model.graph.order, {}
    for name, joint in zip(order, model.graph.tree_joint, strict=True):
        joints[name] = model[joint]
    axes = {name: np.array(model[name].pose.rotation) for name in order}
    lower, r, q = [], [], []

    def point(name, on):
        joint = joints[name]
        return np.array(joint.at_first if joint.first == on else joint.at_second)

    for name in order:
        joint = joints[name]
        low = joint.second if joint.first == name else joint.first
        lower.append(0 if low == "ground" else order.index(low) + 1)
        com = np.array(model[name].mass_properties.com)
        r.append(axes[name].T @ (com - point(name, name)))
        between = np.zeros(3)
        if low != "ground":
            between = axes[low].T @ (point(name, low) - point(low, low))
        q.append(between)
    return tuple(lower), np.array(r), np.array(q)


def rotation(e):
    """Return [R] of Euler parameters with the scalar last."""
    v, c = np.asarray(e[:3]), e[3]
    return (c * c - v @ v) * np.eye(3) + 2 * np.outer(v, v) - 2 * c * skew(v)


def random_state(lower, r, q, seed):
    """Return the tree in a random state."""
    rng, n = np.random.default_rng(seed), len(lower)
    e = rng.normal(size=(n, 4))
    R = np.array([rotation(p / np.linalg.norm(p)) for p in e])
    return Tree(lower, r, q, R, *rng.normal(size=(3, n, 3)))


def six_bodies():
    """Return the six-body example and its state S6, with forces and moments."""
    K = np.arange(1, 7.0)
    ones = np.ones(6)
    r = np.stack([0.1 * K, -0.05 * K, 0.02 * K], axis=1)
    q = np.stack([0.3 * ones, 0.1 * K, -0.2 * ones], axis=1)
    q[0] = 0.0
    R = np.array([rotation(np.array([1, k, 2, 5]) / np.linalg.norm([1, k, 2, 5])) for k in K])
    s = np.stack([0.05 * K, 0.02 * ones, -0.01 * K], axis=1)
    w = np.stack([0.1 * K, -0.2 * ones, 0.3 / K], axis=1)
    sd = np.stack([0.01 * K, -0.02 * K, 0.03 * ones], axis=1)
    F = np.stack([0 * K, 0 * K, -9.81 * K], axis=1)
    M = np.stack([0.1 * K, 0 * K, -0.2 * ones], axis=1)
    return Tree((0, 1, 2, 2, 1, 5), r, q, R, s, w, sd), F, M
