"""Kane's matrices of a tree of bodies, block by block.

With L(K) the lower body of K, path(K) = (root, …, K), and C the body of path(K) next above J:

    p_K = Σ [R_L(J)]ᵀ(q′_J + s′_J) + [R_K]ᵀ r′_K                       J in path(K)
    v_K,y1[J] = −[R_J]ᵀ ~(q′_C + s′_C)   J below K;    −[R_K]ᵀ r̃′_K   J = K
    v_K,y2[J] = [R_L(J)]ᵀ                J in path(K);   else 0
    d/dt v_K,y1[J] = −[R_J]ᵀ ~ṡ′_C − [R_J]ᵀ ω̃′_J ~(q′_C + s′_C),     −[R_K]ᵀ ω̃′_K r̃′_K
    d/dt v_K,y2[J] = [R_L(J)]ᵀ ω̃′_L(J)   L(J) ≠ 0

The unknowns are y = (ω′_1 … ω′_N, ṡ′_1 … ṡ′_N); q′ of a root is zero and its s′ is inertial.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bellcrank.model.graph import path
from bellcrank.worksheets.blocks import (
    NOTHING,
    UNIT,
    Column,
    MatrixBlock,
    Product,
    Rotation,
    Skew,
    Spin,
    VectorQuantity,
    product,
)

Row = tuple[MatrixBlock, ...]
"""The blocks of a 3×3N matrix, one per body."""


def r(k: int) -> VectorQuantity:
    """Return r′_K, from O_K to the mass centre."""
    return VectorQuantity("r", k)


def displacement(
    lower: Sequence[int], k: int, rate: bool = False
) -> tuple[VectorQuantity, ...]:
    """Return (q′_K, s′_K), or (s′_K,) for a root; with `rate` (ṡ′_K,)."""
    s = VectorQuantity("s", k, rate)
    return (s,) if rate or lower[k - 1] == 0 else (VectorQuantity("q", k), s)


@dataclass(frozen=True)
class TreeKinematics:
    """Position, velocity and partial velocities of a point of body K.

    Attributes:
        lower: L(K) for K = 1 … N.
        body: K; 0 for a point of the inertial frame.
        tip: The point from O_K, r′_K for the mass centre.
    """

    lower: tuple[int, ...]
    body: int
    tip: VectorQuantity

    @property
    def path(self) -> tuple[int, ...]:
        """The bodies from the root to K."""
        return path(self.lower, self.body)

    def _arms(self) -> list[tuple[int, tuple[VectorQuantity, ...], VectorQuantity | None]]:
        """Return (J, what it carries outwards, the rate in it) for the bodies of the path."""
        found: list[tuple[int, tuple[VectorQuantity, ...], VectorQuantity | None]] = []
        for j, c in zip(self.path, self.path[1:], strict=False):
            found.append((j, displacement(self.lower, c), VectorQuantity("s", c, rate=True)))
        return [*found, (self.body, (self.tip,), None)]

    @property
    def position(self) -> MatrixBlock:
        """Inertial components of the position [m]."""
        steps = [
            product(1, Rotation(self.lower[j - 1]), Column(displacement(self.lower, j)))
            for j in self.path
        ]
        return MatrixBlock((*steps, product(1, Rotation(self.body), Column((self.tip,)))))

    @property
    def velocity(self) -> MatrixBlock:
        """Inertial components of the velocity [m/s]."""
        slides = [
            product(1, Rotation(self.lower[j - 1]), Column(displacement(self.lower, j, True)))
            for j in self.path
        ]
        turns = [
            product(-1, Rotation(j), Skew(arm), Spin(j)) for j, arm, _ in self._arms() if j
        ]
        return MatrixBlock((*slides, *turns))

    @property
    def by_turning(self) -> Row:
        """Blocks of ∂v/∂ω′_J."""
        found = {
            j: MatrixBlock((product(-1, Rotation(j), Skew(arm)),)) for j, arm, _ in self._arms()
        }
        return self._row(found)

    @property
    def by_sliding(self) -> Row:
        """Blocks of ∂v/∂ṡ′_J."""
        return self._row({j: self._slide(self.lower[j - 1]) for j in self.path})

    @property
    def by_turning_rate(self) -> Row:
        """Time derivatives of the blocks of ∂v/∂ω′_J."""
        found = {}
        for j, arm, rate in self._arms():
            w = Skew((VectorQuantity("ω", j),))
            terms: list[Product] = []
            if rate is not None:
                terms.append(product(-1, Rotation(j), Skew((rate,))))
            terms.append(product(-1, Rotation(j), w, Skew(arm)))
            found[j] = MatrixBlock(tuple(terms))
        return self._row(found)

    @property
    def by_sliding_rate(self) -> Row:
        """Time derivatives of the blocks of ∂v/∂ṡ′_J."""
        found = {}
        for j in self.path:
            low = self.lower[j - 1]
            if low:
                found[j] = MatrixBlock((
                    product(1, Rotation(low), Skew((VectorQuantity("ω", low),))),
                ))
        return self._row(found)

    def _slide(self, low: int) -> MatrixBlock:
        return UNIT if low == 0 else MatrixBlock((product(1, Rotation(low)),))

    def _row(self, found: dict[int, MatrixBlock]) -> Row:
        return tuple(found.get(j, NOTHING) for j in range(1, len(self.lower) + 1))


def spin_row(count: int, body: int) -> Row:
    """Return the blocks of ∂ω′_K/∂ω′_J: the identity for J = K."""
    return tuple(UNIT if j == body else NOTHING for j in range(1, count + 1))
