"""Large sparse systems of one pattern, record by record: what machines ask when they are big.

    [ M  Bᵀ ] [ x ]   [ f ]
    [ B  0  ] [ μ ] = [ g ]

With M = A, B = C that is Gauss' principle, min ‖x − A⁻¹ f‖_A with C x = γ; with M = 1, f = 0 it
is the least x with B x = g. Redundant rows make the matrix singular, so it is factorised with
−ε in place of the zero, and what that leaves of B x = g is solved for again. M x = f − Bᵀ μ
holds in every pass, so that x ends as the one asked for and not as one of its neighbours. Rows
that are nearly redundant take more passes than are made: they are left to others, as rows that
contradict each other are.

Time and memory grow with the entries that are not zero, not with their square.
"""

from collections.abc import Callable
from threading import Lock

import numpy as np

from bellcrank.kernels.routines import routine
from bellcrank.linear.elimination import minimum_degree
from bellcrank.linear.sparse_lu import Singular, SparseLU

Array = np.ndarray
REGULAR = 1e-12  # ε, where the diagonals of M and of B M⁻¹ Bᵀ are one
PASSES = 8
DONE = 1e-13  # of the right-hand side: what rounding leaves
MET = 1e-9  # of the right-hand side: rows are met


class SaddlePoints:
    """Systems of one pattern.

    Attributes:
        n, m: Numbers of unknowns x and of rows.
        rows: Rows and columns of the entries of B.
    """

    def __init__(
        self, sizes: tuple[int, int], mass: tuple[Array, Array], rows: tuple[Array, Array]
    ) -> None:
        """Lay out the pattern.

        Args:
            sizes: n and m.
            mass: Rows and columns of the entries of M, both triangles.
            rows: The same of B.
        """
        (self.n, self.m), self._mass, self.rows = sizes, mass, rows
        self._lock = Lock()
        n, size = self.n, sum(sizes)
        diagonal = np.arange(size)
        down = np.concatenate([mass[0], rows[1], rows[0] + n, diagonal])
        across = np.concatenate([mass[1], rows[0] + n, rows[1], diagonal])
        places, self._place = np.unique(across * size + down, return_inverse=True)
        self._down, self._across = places % size, places // size
        starts = np.searchsorted(self._across, np.arange(size + 1))
        order = minimum_degree(size, self._down, self._across)
        address = routine("sparse_lu", _find, answers=True)
        self._factors = SparseLU(starts, self._down, order, address)

    def solve(self, M: Array, B: Array, f: Array, g: Array) -> Array | None:
        """Return x, or None where it is not found to the rounding of the rows.

        Args:
            M: Entries of M.
            B: Entries of B.
            f: Shape (n,).
            g: Shape (m,).
        """
        scale = self._scales(M, B)
        entries = np.concatenate([M, B, B, np.zeros(self.n + self.m)])
        matrix = np.bincount(self._place, entries, len(self._down))
        matrix *= scale[self._down] * scale[self._across]
        matrix[(self._down == self._across) & (self._down >= self.n)] -= REGULAR
        with self._lock:
            try:
                self._factors.factor(matrix)
                return self._refined(M, B, f, g, scale)
            except Singular:
                return None

    def _scales(self, M: Array, B: Array) -> Array:
        """Return what unknowns are divided by, and equations multiplied with."""
        own = self._mass[0] == self._mass[1]
        heavy = np.bincount(self._mass[0][own], M[own], self.n)
        least = heavy[heavy > 0.0].min(initial=np.inf)
        heavy = np.where(heavy > 0.0, heavy, least if np.isfinite(least) else 1.0)
        size = np.bincount(self.rows[0], B**2 / heavy[self.rows[1]], self.m)
        return 1.0 / np.sqrt(np.concatenate([heavy, np.where(size > 0.0, size, 1.0)]))

    def _refined(self, M: Array, B: Array, f: Array, g: Array, scale: Array) -> Array | None:
        """Return x after as many passes as the rows need."""
        n, (k, c) = self.n, self.rows
        x, mu, left, most = np.zeros(n), np.zeros(self.m), np.inf, 0.0
        for _ in range(PASSES):
            top, bottom = self._left(M, B, x, mu, f, g)
            step = scale * self._factors.solve(scale * np.concatenate([top, bottom]))
            x, mu = x + step[:n], mu + step[n:]
            # Terms of B x may cancel: what is left of them is measured by them, not by g.
            terms = np.bincount(k, np.abs(B * x[c]), self.m) + np.abs(g)
            most = (scale[n:] * terms).max(initial=0.0)
            bottom = self._left(M, B, x, mu, f, g)[1]
            before, left = left, np.abs(scale[n:] * bottom).max(initial=0.0)
            if left <= DONE * most or (left <= MET * most and left > 0.3 * before):
                break
        return x if left <= MET * most and np.isfinite(x).all() else None

    def _left(
        self, M: Array, B: Array, x: Array, mu: Array, f: Array, g: Array
    ) -> tuple[Array, Array]:
        """Return f − M x − Bᵀ μ and g − B x."""
        (i, j), (k, c) = self._mass, self.rows
        top = f - np.bincount(i, M * x[j], self.n) - np.bincount(c, B * mu[k], self.n)
        return top, g - np.bincount(k, B * x[c], self.m)


def _find() -> Callable[..., int]:
    from bellcrank.linear.native.sparse_lu import sparse_lu

    return sparse_lu
