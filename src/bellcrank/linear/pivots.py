"""The order of saddle-point elimination: speeds and rows of a machine.

    [ M  Cᵀ ] [ u̇ ]   [ f ]
    [ C  0  ] [ λ ] = [ γ ]

In straight-line code pivots cannot be chosen as one goes; they are chosen here, once, by the
numbers of a few states. A row has a pivot only after speeds it holds have been eliminated, and
that pivot must not depend on how the machine stands in space: so all speeds of one owner (a
body, a joint's point and axis) go together, those with fewest neighbours first, and the rows
they can carry follow at once. What a row gets from them is a squared length; what rows before
it leave of that is the squared sine between the row and them.

From the tips of a tree to its root nothing is filled in but the neighbour's block.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

Array = np.ndarray

CARRIED = 1e-3  # part of a row's squared length that eliminated speeds must have
APART = 0.01  # squared sine between a row and those before it that lets it follow at once
LEAST = 0.004  # squared sine of rows that have waited for all speeds; native code has 0.001


@dataclass(frozen=True)
class Pivots:
    """An order of elimination.

    Attributes:
        order: Speeds 0 … n − 1 and rows n … n + m − 1, rows numbered as chosen.
        lengths: The squared length of each row when its turn came, a power of two.
    """

    order: tuple[int, ...]
    lengths: tuple[float, ...]

    def to_bytes(self) -> bytes:
        """Return the order as bytes."""
        return json.dumps([self.order, self.lengths]).encode()

    @staticmethod
    def from_bytes(data: bytes) -> "Pivots | None":
        """Return what `to_bytes` wrote; None of no bytes."""
        if not data:
            return None
        order, lengths = json.loads(data)
        return Pivots(tuple(order), tuple(lengths))


def pivots(samples: Sequence[tuple[Array, Array]], owners: Sequence[str]) -> Pivots | None:
    """Return an order that is good at all samples, None where there is none.

    Args:
        samples: M (n, n), definite, and scaled independent rows C (m, n) at some states.
        owners: Whose each speed is, shape (n,).
    """
    found = _Elimination(samples)
    groups = [
        np.array([j for j, name in enumerate(owners) if name == owner])
        for owner in dict.fromkeys(owners)
    ]
    while groups:
        place = min(range(len(groups)), key=lambda i: found.neighbours(groups[i]))
        for k in groups.pop(place):
            found.take(int(k))
        found.take_rows(APART)
    found.take_rows(LEAST)
    return found.result()


class _Elimination:
    """The matrices of all samples, while they are eliminated."""

    def __init__(self, samples: Sequence[tuple[Array, Array]]) -> None:
        (M, C), count = samples[0], len(samples)
        self.n, self.m = len(M), len(C)
        size = self.n + self.m
        self.K = np.zeros((count, size, size))
        for K, (M, C) in zip(self.K, samples, strict=True):
            K[: self.n, : self.n] = M
            K[self.n :, : self.n], K[: self.n, self.n :] = C, C.T
        self.pattern = (self.K != 0).any(axis=0)
        self.left = np.ones(size, dtype=bool)
        self.squares = self.K[:, self.n :, : self.n] ** 2
        self.carried, self.length = np.zeros((2, count, self.m))
        self.order: list[int] = []
        self.lengths = np.zeros(self.m)

    def neighbours(self, group: Array) -> int:
        """Return how many speeds and rows a group of speeds meets."""
        near = self.pattern[group].any(axis=0) & self.left
        return int(near.sum())

    def take(self, k: int) -> None:
        """Eliminate a speed or a row."""
        self.left[k] = False
        self.order.append(k)
        near = np.flatnonzero(self.pattern[k] & self.left)
        column, pivot = self.K[:, near, k], self.K[:, k, k]
        with np.errstate(all="ignore"):  # a sample without inertia is found out by its rows
            square = np.einsum("si,sj->sij", column, column) / pivot[:, None, None]
        at = np.ix_(near, near)
        self.K[:, at[0], at[1]] -= square
        self.pattern[at] = True
        if k < self.n:
            rows = near >= self.n
            self.length[:, near[rows] - self.n] += (column**2 / pivot[:, None])[:, rows]
            self.carried += self.squares[:, :, k]

    def take_rows(self, least: float) -> None:
        """Eliminate the rows that are as far from those before them as said, best first."""
        while True:
            rows = np.flatnonzero(self.left[self.n :])
            if not rows.size:
                return
            at = rows + self.n
            length = self.length[:, rows]
            with np.errstate(all="ignore"):
                sine = np.where(length > 0, -self.K[:, at, at] / length.max(axis=0), 0.0)
                part = self.carried[:, rows] / self.squares[:, rows].sum(axis=-1)
            sine = np.where(part >= CARRIED, sine, 0.0).min(axis=0)
            best = int(np.argmax(sine))
            if not sine[best] >= least:
                return
            row = int(rows[best])
            self.lengths[row] = length[:, best].max()
            self.take(row + self.n)

    def result(self) -> Pivots | None:
        """Return the order, None where rows are left."""
        if self.left.any():
            return None
        return Pivots(
            tuple(self.order), tuple(float(x) for x in 2.0 ** np.round(np.log2(self.lengths)))
        )
