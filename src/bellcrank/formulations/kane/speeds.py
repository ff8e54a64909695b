"""Generalized speeds that are components of angular velocities, or rates of angles.

The base of everything is y = (ω′_1 … ω′_N, ṡ′_1 … ṡ′_N). Other speeds u give it as

    y = T u,    ẏ = T u̇ + Ṫ u

With σ_K the angular velocity of K in the frame that its speeds are counted from, σ_K = B_K u_K:

    speeds           σ_K     B_K              dσ_K/dt
    absolute body    ω′_K    1                u̇_K
    absolute fixed   ω′_K    [R_K]            [R_K] u̇_K
    relative body    ω̂′_K    1                u̇_K
    relative fixed   ω̂′_K    [R_K][R_L]ᵀ      [R_K][R_L]ᵀ u̇_K
    angle rates      either  Y(θ_K)           Y θ̈_K + Ẏ θ̇_K

and for the relative ones, outwards along the tree with L = L(K), R_LK = [R_K][R_L]ᵀ,

    ω′_K = R_LK ω′_L + ω̂′_K,    α′_K = R_LK α′_L − ω̂′_K × R_LK ω′_L + dω̂′_K/dt
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Protocol

import casadi as ca

from bellcrank.formulations.kane.attitude import Attitudes
from bellcrank.formulations.kane.choices import AngleRates
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.formulations.kane.matrices.blocks import Assembly, BlockRow, block, vectors
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Scalar,
    Vector,
    apply,
    cross,
    minus,
    plus,
    product,
    scaled_matrix,
    transpose,
)

Base = tuple[list[Vector], list[Vector]]
"""(ω′_K, ṡ′_K) or their rates, for K = 0 … N."""


class SpeedsOnSymbols(Protocol):
    """How y and q̇ follow from the chosen speeds u."""

    @property
    def base(self) -> Base:
        """ω′ and ṡ′."""
        ...

    def base_rate(self, a: Sequence[Scalar] | None) -> Base:
        """Return ω̇′ and d ṡ′/dt for u̇ = a, zero if None."""
        ...

    @property
    def T(self) -> ca.SX | None:
        """∂y/∂u, 6N×6N; None for the identity."""
        ...

    def projected(self, M: ca.SX) -> ca.SX:
        """Return Tᵀ M of a matrix of 6N rows."""
        ...

    @property
    def W(self) -> ca.SX:
        """∂q̇/∂u."""
        ...

    @property
    def x(self) -> ca.SX:
        """Q̇ at u = 0,."""
        ...

    def from_base(self, spins: list[Vector], slides: list[Vector]) -> Vector:
        """Return u of given ω′ and ṡ′, K = 0 … N."""
        ...


class ComponentSpeeds:
    """Speeds that belong to one body each.

    Attributes:
        layout: The scalars of the machine.
        attitudes: Orientations of the bodies.
        relative: Whether angular velocities are counted from the lower body.
    """

    def __init__(self, layout: KaneLayout, attitudes: Attitudes, u: Sequence[Scalar]) -> None:
        self.layout, self.attitudes = layout, attitudes
        chosen, count = layout.speeds, layout.connection.count
        self.rates = isinstance(chosen, AngleRates)
        self.relative = (
            chosen.relative
            if isinstance(chosen, AngleRates)
            else str(chosen).startswith("relative")
        )
        self._own = [ORIGIN, *vectors(u[: 3 * count], count)]
        self._slides = [ORIGIN, *vectors(u[3 * count :], count)]

    def _low(self, k: int) -> int:
        return self.layout.connection.lower[k - 1]

    def own_block(self, k: int) -> Matrix:
        """Return B_K."""
        match self.layout.speeds:
            case AngleRates():
                return self._spin_blocks[k]
            case "absolute fixed":
                return transpose(self.attitudes.matrices[k])
            case "relative fixed":
                return self.attitudes.between(k, self._low(k))
        return IDENTITY

    @cached_property
    def _spin_blocks(self) -> list[Matrix]:
        bodies = self.layout.connection.bodies
        return [IDENTITY, *(self.attitudes.spin_block(k) for k in bodies)]

    @cached_property
    def own(self) -> list[Vector]:
        """σ_K for K = 0 … N."""
        bodies = self.layout.connection.bodies
        return [ORIGIN, *(apply(self.own_block(k), self._own[k]) for k in bodies)]

    @cached_property
    def base(self) -> Base:
        """ω′ and ṡ′."""
        if not self.relative:
            return self.own, self._slides
        spins: list[Vector] = [ORIGIN]
        for k in self.layout.connection.bodies:
            spins.append(plus(self._carried(spins, k), self.own[k]))
        return spins, self._slides

    def _carried(self, spins: list[Vector], k: int) -> Vector:
        """Return R_LK ω′_L."""
        low = self._low(k)
        return apply(self.attitudes.between(k, low), spins[low]) if low else ORIGIN

    def base_rate(self, a: Sequence[Scalar] | None) -> Base:
        """Return ω̇′ and d ṡ′/dt for u̇ = a, zero if None."""
        count = self.layout.connection.count
        given = [0.0] * (6 * count) if a is None else list(a)
        turning = [ORIGIN, *vectors(given[: 3 * count], count)]
        spins = self.base[0]
        found: list[Vector] = [ORIGIN]
        for k in self.layout.connection.bodies:
            rate = apply(self.own_block(k), turning[k])
            if self.rates:
                rate = plus(rate, self.attitudes.bending(k, self._own[k]))
            if self.relative and self._low(k):
                swept = cross(self._carried(spins, k), self.own[k])
                rate = plus(self._carried(found, k), swept, rate)
            found.append(rate)
        return found, [ORIGIN, *vectors(given[3 * count :], count)]

    def spin_partial(self, k: int) -> BlockRow:
        """Return the blocks of ∂ω′_K/∂u by body."""
        if not self.relative:
            return {k: self.own_block(k)}
        return {
            j: product(self.attitudes.between(k, j), self.own_block(j))
            for j in self.layout.connection.paths[k]
        }

    def _turn_partial(self, k: int) -> BlockRow:
        """Return the blocks of the angular velocity of K's orientation by u."""
        low = self._low(k)
        if self.attitudes.relative == self.relative or low == 0:
            return {k: self.own_block(k)}
        if self.relative:
            return self.spin_partial(k)
        across = product(self.attitudes.between(k, low), self.own_block(low))
        return {k: self.own_block(k), low: scaled_matrix(-1.0, across)}

    @cached_property
    def T(self) -> ca.SX | None:
        """∂y/∂u; None for the identity."""
        if self.layout.speeds == "absolute body":
            return None
        n = 3 * self.layout.connection.count
        assembly = Assembly(2 * n, 2 * n)
        for k in self.layout.connection.bodies:
            for j, rows in self.spin_partial(k).items():
                assembly.put(3 * (k - 1), 3 * (j - 1), block(rows))
            assembly.put(n + 3 * (k - 1), n + 3 * (k - 1), ca.SX.eye(3))
        return assembly.matrix()

    def projected(self, M: ca.SX) -> ca.SX:
        """Return Tᵀ M of a matrix of 6N rows, for relative speeds by sums taken inwards.

        [R_K][R_J]ᵀ B_J has K and J apart, so that rows along the inertial frame are added up
        from the tips to the roots, and blocks are multiplied once per body.
        """
        if self.T is None:
            return M
        count, low = self.layout.connection.count, self._low
        rows = [ca.SX(), *ca.vertsplit(M, [*range(0, 3 * count + 1, 3), M.shape[0]])]
        slides = rows.pop()
        A = [block(matrix) for matrix in self.attitudes.matrices]
        if self.relative:
            rows = [A[k] @ rows[k] if k else rows[0] for k in range(count + 1)]
            for k in range(count, 0, -1):
                if low(k):
                    rows[low(k)] += rows[k]
            rows = [A[k].T @ rows[k] if k else rows[0] for k in range(count + 1)]
        turns = [block(self.own_block(k)).T @ rows[k] for k in range(1, count + 1)]
        return ca.vertcat(*turns, slides)

    @cached_property
    def W(self) -> ca.SX:
        """∂q̇/∂u."""
        layout, n = self.layout, 3 * self.layout.connection.count
        assembly = Assembly(layout.size, 2 * n)
        for k in layout.connection.bodies:
            first = layout.width * (k - 1)
            if self.rates:
                assembly.put(first, 3 * (k - 1), ca.SX.eye(3))
            else:
                rate = self.attitudes.rate_block(k)
                for j, rows in self._turn_partial(k).items():
                    assembly.put(first, 3 * (j - 1), block(product(rate, rows)))
            assembly.put(layout.turns + 3 * (k - 1), n + 3 * (k - 1), ca.SX.eye(3))
        return assembly.matrix()

    @property
    def x(self) -> ca.SX:
        """Zero."""
        return ca.SX(self.layout.size, 1)

    def from_base(self, spins: list[Vector], slides: list[Vector]) -> Vector:
        """Return u of given ω′ and ṡ′, K = 0 … N."""
        u: list[Scalar] = []
        for k in self.layout.connection.bodies:
            own = spins[k]
            if self.relative:
                own = minus(own, self._carried(spins, k))
            back = self.attitudes.rate_block(k) if self.rates else transpose(self.own_block(k))
            u += apply(back, own)
        return u + [entry for slide in slides[1:] for entry in slide]
