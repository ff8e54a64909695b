"""Orientations of the bodies from their coordinates, and the rates of these.

    Euler parameters   ε̇ = ½ E′(ε)ᵀ ω′          angles   θ̇ = W(θ) ω′,  ω′ = Y(θ) θ̇

with ω′ the angular velocity of the body in the frame its orientation is counted from: the
inertial frame, or L(K), where it is ω̂′. A_K = [R_K]ᵀ takes components along K to inertial ones.
"""

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from bellcrank.formulations.kane.choices import Angles, is_relative
from bellcrank.formulations.kane.layout import KaneLayout, angles_of
from bellcrank.formulations.kane.matrices.blocks import column_of, folded, listed
from bellcrank.spatial import angle_sequences, attitudes
from bellcrank.spatial.angle_sequences import AngleSequence
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    Matrix,
    Scalar,
    Vector,
    product,
    scaled,
    transpose,
    unit,
)
from bellcrank.spatial.vectors import Expr

UPRIGHT: Vector = [1.0, 0.0, 0.0, 0.0]
"""Euler parameters of no turn, scalar first."""


class Attitudes:
    """The orientations of all bodies on given scalars.

    Attributes:
        layout: The scalars of the machine.
        relative: Whether orientations are counted from the lower body.
    """

    def __init__(self, layout: KaneLayout, q: Sequence[Scalar]) -> None:
        self.layout, self.relative = layout, is_relative(layout.orientation)
        width, count = layout.width, layout.connection.count
        self._own = [[], *(list(q[width * i : width * (i + 1)]) for i in range(count))]

    @property
    def angles(self) -> Angles | None:
        """The angles, if these are chosen."""
        chosen = self.layout.orientation
        return chosen if isinstance(chosen, Angles) else None

    @property
    def _sequence(self) -> AngleSequence:
        assert self.angles is not None
        return AngleSequence(self.angles.sequence, self.angles.fixed)

    def _column(self, k: int) -> ca.SX:
        return column_of(self._own[k])

    @cached_property
    def turns(self) -> list[Matrix]:
        """From components along K to those along the frame K is counted from; 0 is ground."""
        found: list[Matrix] = [IDENTITY]
        for k in self.layout.connection.bodies:
            if self.angles is None:
                found.append(attitudes.rotation(attitudes.scalar_first(self._own[k])))
            else:
                found.append(
                    listed(angle_sequences.rotation_matrix(self._sequence, self._column(k)))
                )
        return found

    @cached_property
    def matrices(self) -> list[Matrix]:
        """A_K = [R_K]ᵀ for K = 0 … N."""
        if not self.relative:
            return self.turns
        found: list[Matrix] = [IDENTITY]
        for k in self.layout.connection.bodies:
            low = self.layout.connection.lower[k - 1]
            found.append(product(found[low], self.turns[k]) if low else self.turns[k])
        return found

    def is_step(self, j: int, k: int) -> bool:
        """Return whether [R_J][R_K]ᵀ is known without a product of matrices."""
        lower = (0, *self.layout.connection.lower)
        near = lower[k] == j or lower[j] == k
        return j == k or 0 in (j, k) or (self.relative and near)

    def between(self, j: int, k: int) -> Matrix:
        """Return [R_J][R_K]ᵀ: components along K to components along J."""
        if j == k:
            return IDENTITY
        if j == 0:
            return self.matrices[k]
        if k == 0:
            return transpose(self.matrices[j])
        if (j, k) not in self._between:
            lower = self.layout.connection.lower
            if self.relative and lower[k - 1] == j:
                found = self.turns[k]
            elif self.relative and lower[j - 1] == k:
                found = transpose(self.turns[j])
            elif (k, j) in self._between:
                found = transpose(self._between[k, j])
            else:
                found = product(transpose(self.matrices[j]), self.matrices[k])
            self._between[j, k] = found
        return self._between[j, k]

    @cached_property
    def _between(self) -> dict[tuple[int, int], Matrix]:
        return {}

    @cached_property
    def parameters(self) -> list[Vector]:
        """Euler parameters of each body in the world, scalar first; 0 is ground."""
        found = [UPRIGHT]
        for k in self.layout.connection.bodies:
            p = self._turned(k)
            low = self.layout.connection.lower[k - 1]
            if self.relative and low:
                p = attitudes.euler_product(found[low], p)
            found.append(p)
        return found

    def _turned(self, k: int) -> Vector:
        """Return the Euler parameters of K's own turn, scalar first."""
        if self.angles is None:
            return attitudes.scalar_first(self._own[k])
        own = self._own[k] if self.angles.fixed == "body" else self._own[k][::-1]
        p = UPRIGHT
        for axis, angle in zip(self.angles.axes, own, strict=True):
            half = 0.5 * angle
            p = attitudes.euler_product(p, [ca.cos(half), *unit(axis - 1, ca.sin(half))])
        return p

    # --- rates

    def rate_block(self, k: int) -> Matrix:
        """Return ½ E′ᵀ (4×3) or W (3×3): rates of the coordinates by ω′ of K's own turn."""
        if self.angles is None:
            return [scaled(0.5, column) for column in transpose(self._rate_matrix(k))]
        return listed(angle_sequences.inverse_rate_matrix(self._sequence, self._column(k)))

    def spin_block(self, k: int) -> Matrix:
        """Return 2 E′ (3×4) or Y (3×3): ω′ of K's own turn by the rates of the coordinates."""
        if self.angles is None:
            return [scaled(2.0, row) for row in self._rate_matrix(k)]
        return listed(angle_sequences.rate_matrix(self._sequence, self._column(k)))

    def _rate_matrix(self, k: int) -> Matrix:
        """Return E′(ε), 3×4: G(p) with the column of the scalar moved last."""
        G = attitudes.rate_matrix(attitudes.scalar_first(self._own[k]))
        return [attitudes.scalar_last(row) for row in G]

    def world_block(self, k: int) -> tuple[ca.SX, Expr]:
        """Return the angles θ of K and Γ, whose columns are the axes of the three turns."""
        theta = self._column(k)
        return theta, angle_sequences.world_rate_matrix(self._sequence, theta)

    def bending(self, k: int, rates: Sequence[Scalar]) -> Vector:
        """Return Ẏ θ̇ for rates of the angles: ω̇′ of K's own turn with θ̈ = 0."""
        theta, rate = self._column(k), column_of(rates)
        spin = angle_sequences.rate_matrix(self._sequence, theta) @ rate
        return [folded(e) for e in ca.vertsplit(ca.jtimes(spin, theta, rate))]

    def normalized(self) -> Vector:
        """Return the coordinates of all orientations, Euler parameters at unit length."""
        found: list[Scalar] = []
        for own in self._own[1:]:
            if self.angles is None:
                found += scaled(1.0 / ca.sqrt(sum(e * e for e in own)), own)
            else:
                found += own
        return found


def coordinates_of(layout: KaneLayout, turned: Sequence[Sequence[Scalar]]) -> Vector:
    """Return the coordinates of orientations, of Euler parameters in the world.

    Args:
        layout: The scalars of the machine.
        turned: Scalar first, for K = 0 … N.
    """
    found: list[Scalar] = []
    for k in layout.connection.bodies:
        p, low = turned[k], layout.connection.lower[k - 1]
        if is_relative(layout.orientation) and low:
            p = attitudes.euler_product(attitudes.conjugate(turned[low]), p)
        if isinstance(layout.orientation, Angles):
            found += angles_of(layout.orientation, attitudes.rotation(p), ca)
        else:
            found += attitudes.scalar_last(p)
    return found
