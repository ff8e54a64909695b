"""Attitude of one frame in another, by three angles turned one after the other.

Three numbers for three degrees of freedom: nothing to normalise, easy to read, and singular in
two attitudes, where the first and the third axis fall together. All twelve sequences are one
formula: turn about axis i, then j, then k, each neighbour different.

With a1, a2, a3 the axes of the three turns in the final attitude, ω = a1 θ̇1 + a2 θ̇2 + a3 θ̇3.
The middle axis is at right angles to the other two, so the inverse needs no solve:
its rows are b = (a2 × a3)/d, a2 and a3 - (a1·a3) b with d = a1 · (a2 × a3), ±cos θ2 or -sin θ2.

Conventions:
    θ       three angles [rad], right-handed, in the order they are turned
    R_AB    takes components of a vector in B to its components in A. Texts of Kamman write [R]
            for R_BA, the other way
    w_AB_B  angular velocity of B in A, along B: ω′ = Y(θ) θ̇, θ̇ = W(θ) ω′
    w_AB_A  along A: ω = Γ(θ) θ̇

References:
    Kane, Likins and Levinson (1983), Spacecraft Dynamics, ch. 1 and appendices I, II.
"""

from dataclasses import dataclass
from typing import Literal

import casadi as ca

from bellcrank.errors import ModelError
from bellcrank.spatial.vectors import Expr, axis


@dataclass(frozen=True)
class AngleSequence:
    """The axes of three turns, and what they are fixed in.

    Args:
        axes: Three of 1, 2, 3 (or x, y, z), neighbours different: `"123"`, `"3-1-3"`, `"zyx"`.
        fixed: `"body"`: each turn about an axis as moved by those before it; `"space"`: about
            the axes of the frame one starts from.

    Examples:
        >>> AngleSequence("zyx")
        AngleSequence(axes='321', fixed='body')
    """

    axes: str
    fixed: Literal["body", "space"] = "body"

    def __post_init__(self) -> None:
        digits = self.axes.lower().replace("-", "").translate(str.maketrans("xyz", "123"))
        if len(digits) != 3 or set(digits) - set("123") or digits[1] in (digits[0], digits[2]):
            raise ModelError(
                f"angle sequence {self.axes!r} does not exist; it takes three of the axes "
                "1, 2, 3 with neighbours different, like '123', '321' or '313'."
            )
        if self.fixed not in ("body", "space"):
            raise ModelError(
                f"angle sequence {self.axes!r}: fixed must be 'body' or 'space', "
                f"got {self.fixed!r}."
            )
        object.__setattr__(self, "axes", digits)

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The three axes as numbers."""
        first, second, third = map(int, self.axes)
        return first, second, third

    @property
    def proper(self) -> bool:
        """Whether the first and the third axis are the same (proper Euler angles)."""
        return self.axes[0] == self.axes[2]

    @property
    def body_fixed(self) -> "AngleSequence":
        """The body-fixed sequence of the same attitudes: reversed if this is space-fixed."""
        return self if self.fixed == "body" else AngleSequence(self.axes[::-1])

    def __str__(self) -> str:
        return f"{self.fixed}-fixed {'-'.join(self.axes)}"


# ------------------------------------------------------------------- attitude and its rate


def rotation_matrix(sequence: AngleSequence, angles: Expr) -> Expr:
    """Return R_AB = R_i(θ1) R_j(θ2) R_k(θ3); for space-fixed axes R_k(θ3) R_j(θ2) R_i(θ1).

    Args:
        sequence: Axes of the three turns.
        angles: θ [rad], shape (3,).

    Returns:
        R_AB, shape (3, 3).
    """
    i, j, k = sequence.body_fixed.numbers
    a, b, c = _body_order(sequence, angles)
    return about(i, a) @ about(j, b) @ about(k, c)


def rate_matrix(sequence: AngleSequence, angles: Expr) -> Expr:
    """Return Y, for which w_AB_B = Y θ̇.

    Args:
        sequence: Axes of the three turns.
        angles: θ [rad], shape (3,).

    Returns:
        Y, whose columns are the axes of the three turns along B, shape (3, 3).
    """
    return _columns(sequence, *_axes_in_body(sequence, angles))


def world_rate_matrix(sequence: AngleSequence, angles: Expr) -> Expr:
    """Return Γ = R_AB Y, for which w_AB_A = Γ θ̇.

    Args:
        sequence: Axes of the three turns.
        angles: θ [rad], shape (3,).

    Returns:
        Γ, whose columns are the axes of the three turns along A, shape (3, 3).
    """
    return _columns(sequence, *_axes_in_world(sequence, angles))


def inverse_rate_matrix(sequence: AngleSequence, angles: Expr) -> Expr:
    """Return W = Y⁻¹, for which θ̇ = W w_AB_B; unbounded at singular attitudes.

    Args:
        sequence: Axes of the three turns.
        angles: θ [rad], shape (3,).

    Returns:
        W, shape (3, 3).
    """
    a1, a2, a3 = _axes_in_body(sequence, angles)
    first = ca.cross(a2, a3) / _determinant(sequence, angles)
    # The third row from a3·ω = (a1·a3) θ̇1 + θ̇3, shorter than a1 × a2 because a3 is constant.
    return _stacked(sequence, first, a2, a3 - ca.dot(a1, a3) * first)


def _body_order(sequence: AngleSequence, angles: Expr) -> tuple[Expr, Expr, Expr]:
    """Return the angles in the order of the body-fixed sequence."""
    order = (0, 1, 2) if sequence.fixed == "body" else (2, 1, 0)
    return angles[order[0]], angles[order[1]], angles[order[2]]


def _axes_in_body(sequence: AngleSequence, angles: Expr) -> tuple[Expr, Expr, Expr]:
    i, j, k = sequence.body_fixed.numbers
    _, b, c = _body_order(sequence, angles)
    C_T = about(k, c).T
    return C_T @ (about(j, b).T @ axis(i)), C_T @ axis(j), axis(k)


def _axes_in_world(sequence: AngleSequence, angles: Expr) -> tuple[Expr, Expr, Expr]:
    i, j, k = sequence.body_fixed.numbers
    a, b, _ = _body_order(sequence, angles)
    A = about(i, a)
    return axis(i), A @ axis(j), A @ (about(j, b) @ axis(k))


def _columns(sequence: AngleSequence, a1: Expr, a2: Expr, a3: Expr) -> Expr:
    return ca.horzcat(a1, a2, a3) if sequence.fixed == "body" else ca.horzcat(a3, a2, a1)


def _stacked(sequence: AngleSequence, first: Expr, second: Expr, third: Expr) -> Expr:
    """Return the rows of an inverse in the order of the angles."""
    rows = (first, second, third) if sequence.fixed == "body" else (third, second, first)
    return ca.horzcat(*rows).T


def _determinant(sequence: AngleSequence, angles: Expr) -> Expr:
    """Return a1 · (a2 × a3): -sin θ2 where i = k, else ±cos θ2 with the sign of i, j, k."""
    i, j, k = sequence.body_fixed.numbers
    if sequence.proper:
        return -ca.sin(angles[1])
    return _parity(i, j, k) * ca.cos(angles[1])


def _parity(i: int, j: int, k: int) -> int:
    """Return 1 for a cyclic order of 1, 2, 3 and -1 for the other."""
    return (i - j) * (j - k) * (k - i) // 2


def about(number: int, angle: Expr | float) -> Expr:
    """Return the rotation by an angle about axis 1, 2 or 3 of a frame.

    Args:
        number: 1, 2 or 3.
        angle: [rad], right-handed.

    Returns:
        R_AB, with structural zeros where it has zeros, shape (3, 3).
    """
    j, k = number % 3, (number + 1) % 3
    R = ca.SX(3, 3) if isinstance(angle, ca.SX) else ca.DM(3, 3)
    R[number - 1, number - 1] = 1
    R[j, j] = R[k, k] = ca.cos(angle)
    R[k, j], R[j, k] = ca.sin(angle), -ca.sin(angle)
    return R
