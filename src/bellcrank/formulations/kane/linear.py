"""Generalized speeds u = Y q̇ + z of the user's choice, on symbols.

    q̇ = W u + x,   W = Y⁻¹,   x = −Y⁻¹ z
    y = T u + c,   T = N W,   c = N x                     y = N q̇ the base speeds (ω′, ṡ′)

With Euler parameters Y is 6N×7N. The rates that keep their length are q̇ = W_y y, so the square
matrix to be inverted is Y W_y: T = (Y W_y)⁻¹, c = −T z, W = W_y T and x = W_y c.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.contract.speeds_matrix import inverse, regularity
from bellcrank.formulations.contract.symbols import Symbols
from bellcrank.formulations.kane.attitude import Attitudes
from bellcrank.formulations.kane.choices import AngleRates, Angles, LinearSpeeds
from bellcrank.formulations.kane.combination import looked_up
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.formulations.kane.matrices.blocks import block, column_of, folded, vectors
from bellcrank.formulations.kane.speeds import Base, ComponentSpeeds
from bellcrank.spatial.arithmetic import ORIGIN, Scalar, Vector


class CombinedSpeeds:
    """Speeds that are linear combinations of the rates of coordinates.

    Attributes:
        layout: The scalars of the machine.
        Y: 6N×nq.
        z: 6N.
    """

    def __init__(
        self, layout: KaneLayout, attitudes: Attitudes, symbols: Symbols, number: Lowering
    ) -> None:
        self.layout, self._symbols, self._attitudes = layout, symbols, attitudes
        chosen = layout.speeds
        assert isinstance(chosen, LinearSpeeds)
        known = looked_up(layout, chosen)
        self.Y = block([[number(entry) for entry in row] for row in known.Y])
        self.z = column_of([number(entry) for entry in known.z])

    def _components(self, speeds: str | AngleRates) -> ComponentSpeeds:
        nothing = [0.0] * self._symbols.columns["u"].numel()
        return ComponentSpeeds(replace(self.layout, speeds=speeds), self._attitudes, nothing)

    @cached_property
    def _rates_of_base(self) -> ca.SX:
        """W_y of q̇ = W_y y."""
        return self._components("absolute body").W

    @cached_property
    def square(self) -> ca.SX:
        """The matrix that is inverted: Y, or Y W_y."""
        angles = isinstance(self.layout.orientation, Angles)
        return self.Y if angles else self.Y @ self._rates_of_base

    @cached_property
    def _inverse(self) -> ca.SX:
        return inverse(self.square)

    @cached_property
    def T(self) -> ca.SX:
        """∂y/∂u."""
        angles = self.layout.orientation
        if not isinstance(angles, Angles):
            return self._inverse
        rates = AngleRates(angles.sequence, angles.relative, angles.fixed)
        N = self._components(rates).T
        assert N is not None
        return N @ self._inverse

    @cached_property
    def W(self) -> ca.SX:
        """∂q̇/∂u."""
        angles = isinstance(self.layout.orientation, Angles)
        return self._inverse if angles else self._rates_of_base @ self._inverse

    @cached_property
    def x(self) -> ca.SX:
        """Q̇ at u = 0: −W z."""
        return ca.densify(-(self.W @ self.z))

    @cached_property
    def _y(self) -> ca.SX:
        return ca.densify(self.T @ (self._symbols.columns["u"] - self.z))

    @cached_property
    def base(self) -> Base:
        """ω′ and ṡ′."""
        return self._split(self._y)

    def _split(self, y: ca.SX) -> Base:
        count = self.layout.connection.count
        scalars = [folded(entry) for entry in ca.vertsplit(ca.densify(y))]
        found = [ORIGIN, *vectors(scalars, 2 * count)]
        return found[: count + 1], [ORIGIN, *found[count + 1 :]]

    def base_rate(self, a: Sequence[Scalar] | None) -> Base:
        """Return ω̇′ and d ṡ′/dt for u̇ = a, zero if None."""
        rate = self._bending
        return self._split(rate if a is None else rate + self.T @ column_of(a))

    @cached_property
    def _bending(self) -> ca.SX:
        """Ṫ u + ċ, along q̇ and t."""
        q, t, u = (self._symbols.columns[name] for name in ("q", "t", "u"))
        moved = ca.jtimes(self._y, q, self.W @ u + self.x)
        return moved + ca.jtimes(self._y, t, ca.SX.ones(1))

    def projected(self, M: ca.SX) -> ca.SX:
        """Return Tᵀ M."""
        return self.T.T @ M

    def from_base(self, spins: list[Vector], slides: list[Vector]) -> Vector:
        """Return u = Y q̇ + z of given ω′ and ṡ′, K = 0 … N."""
        y = column_of([entry for part in (spins, slides) for v in part[1:] for entry in v])
        u = ca.densify(self.Y @ (self._rates_of_base @ y) + self.z)
        return [folded(entry) for entry in ca.vertsplit(u)]

    @cached_property
    def regularity(self) -> ca.SX:
        """How far Y is from singular: 1 in the drawing, 0 where it is."""
        p = [parameter.value for parameter in self.layout.connection.model.parameters]
        return regularity(self.square, self._symbols, self.layout.drawing({}), p)
