"""The four steps a joint is made of, each leading from one frame to the next one outwards.

    Shift(r)          the point moves by r, along the frame's own axes
    AxisTurn(k, θ)    the frame turns about its own axis k
    Turn(R)           the frame turns by any R
    Freedom(columns)  rates are added: the frame after it moves against the frame before it,
                      with which it coincides

A revolute joint about z is `AxisTurn(2, q), Freedom(angular z)`, a slider along x is
`Shift(q e_x), Freedom(linear x)`, a ball is `Turn(R(p)), Freedom(angular x, y, z)`. A joint
that is passed from its second body to its first is the same list backwards, each step inverted.

Every step knows the same five things: how angular velocity, acceleration and pose go outwards,
and how a wrench and an inertia go inwards. Accelerations are classical (of points), so that
linear velocity is needed only where a force asks for it.
"""

from dataclasses import dataclass, replace
from typing import Protocol

from bellcrank.formulations.joint_coordinates.inertia import Articulated, Rigid, turn_vector
from bellcrank.spatial.arithmetic import (
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    centripetal,
    cross,
    mul,
    neg,
    plus,
    product,
    scaled,
    transpose,
)
from bellcrank.spatial.attitudes import euler_product


@dataclass(frozen=True, slots=True)
class Place:
    """Where a frame is in the world and how it moves; all components along world axes.

    Attributes:
        R: R_WL. p: its point [m]. e: its Euler parameters, scalar first.
        w, v: Angular velocity [rad/s], velocity of the point [m/s].
        al, a: Angular acceleration [rad/s²], acceleration of the point [m/s²].
    """

    R: Matrix
    p: Vector
    e: Vector
    w: Vector
    v: Vector
    al: Vector
    a: Vector


class Step(Protocol):
    """What every step knows. `before` is the inner, `after` the outer frame."""

    def spun(self, w: Vector) -> Vector:
        """Return ω after, from ω before, each along its own frame [rad/s]."""
        ...

    def accelerated(self, w: Vector, al: Vector, a: Vector) -> tuple[Vector, Vector]:
        """Return (α, a) after, from ω, α and a before; a `FreeMotion` adds its bias only."""
        ...

    def wrench(self, n: Vector, f: Vector) -> tuple[Vector, Vector]:
        """Return the wrench (n, f) at the point before, from that at the point after."""
        ...

    def rigid(self, inertia: Rigid) -> Rigid:
        """Return a rigid inertia before, from that after."""
        ...

    def articulated(self, inertia: Articulated, w: Vector) -> Articulated:
        """Return an articulated inertia before, from that after; ω is the one before."""
        ...

    def placed(self, place: Place) -> Place:
        """Return the place after, from the place before; a `FreeMotion` takes its rates in."""
        ...


@dataclass(frozen=True, slots=True)
class Shift:
    """The point moves by r along the axes of the frame [m]."""

    r: Vector

    def spun(self, w: Vector) -> Vector:
        """Return ω unchanged."""
        return w

    def accelerated(self, w: Vector, al: Vector, a: Vector) -> tuple[Vector, Vector]:
        """Return (α, a + α × r + ω × (ω × r))."""
        return al, plus(a, cross(al, self.r), centripetal(w, self.r))

    def wrench(self, n: Vector, f: Vector) -> tuple[Vector, Vector]:
        """Return (n + r × f, f)."""
        return plus(n, cross(self.r, f)), f

    def rigid(self, inertia: Rigid) -> Rigid:
        """Return the inertia about the point before."""
        return inertia.shifted(self.r)

    def articulated(self, inertia: Articulated, w: Vector) -> Articulated:
        """Return the inertia at the point before, ω × (ω × r) taken into its bias."""
        return inertia.biased([0.0, 0.0, 0.0], centripetal(w, self.r)).shifted(self.r)

    def placed(self, place: Place) -> Place:
        """Return the place with its point moved."""
        r = apply(place.R, self.r)
        return replace(
            place,
            p=plus(place.p, r),
            v=plus(place.v, cross(place.w, r)),
            a=plus(place.a, cross(place.al, r), centripetal(place.w, r)),
        )


@dataclass(frozen=True, slots=True)
class AxisTurn:
    """The frame turns by an angle about its own axis.

    Attributes:
        axis: 0, 1 or 2.
        c, s: Cosine and sine of the angle.
        half: Cosine and sine of half of it.
        thin: Whether what turns may have next to no inertia in a direction.
    """

    axis: int
    c: Scalar
    s: Scalar
    half: tuple[Scalar, Scalar]
    thin: bool = False

    def spun(self, w: Vector) -> Vector:
        """Return ω along the frame after."""
        return turn_vector(self.axis, self.c, neg(self.s), w)

    def accelerated(self, w: Vector, al: Vector, a: Vector) -> tuple[Vector, Vector]:
        """Return (α, a) along the frame after."""
        return self.spun(al), self.spun(a)

    def wrench(self, n: Vector, f: Vector) -> tuple[Vector, Vector]:
        """Return (n, f) along the frame before."""
        return (
            turn_vector(self.axis, self.c, self.s, n),
            turn_vector(self.axis, self.c, self.s, f),
        )

    def rigid(self, inertia: Rigid) -> Rigid:
        """Return the inertia along the frame before."""
        return inertia.turned_about(self.axis, self.c, self.s)

    def articulated(self, inertia: Articulated, w: Vector) -> Articulated:
        """Return the inertia along the frame before."""
        return inertia.turned_about(self.axis, self.c, self.s, self.thin)

    def placed(self, place: Place) -> Place:
        """Return the place with its frame turned."""
        # Columns of R_after = R_before R(θ): row by row this is a turn by −θ.
        R = [turn_vector(self.axis, self.c, neg(self.s), row) for row in place.R]
        turn = [self.half[0], 0.0, 0.0, 0.0]
        turn[1 + self.axis] = self.half[1]
        return replace(place, R=R, e=euler_product(place.e, turn))


@dataclass(frozen=True, slots=True)
class FrameTurn:
    """The frame turns: R = R_before,after, with the Euler parameters `e` of the same turn."""

    R: Matrix
    e: Vector

    def spun(self, w: Vector) -> Vector:
        """Return ω along the frame after."""
        return apply(transpose(self.R), w)

    def accelerated(self, w: Vector, al: Vector, a: Vector) -> tuple[Vector, Vector]:
        """Return (α, a) along the frame after."""
        return self.spun(al), self.spun(a)

    def wrench(self, n: Vector, f: Vector) -> tuple[Vector, Vector]:
        """Return (n, f) along the frame before."""
        return apply(self.R, n), apply(self.R, f)

    def rigid(self, inertia: Rigid) -> Rigid:
        """Return the inertia along the frame before."""
        return inertia.turned(self.R)

    def articulated(self, inertia: Articulated, w: Vector) -> Articulated:
        """Return the inertia along the frame before."""
        return inertia.turned(self.R)

    def placed(self, place: Place) -> Place:
        """Return the place with its frame turned."""
        return replace(place, R=product(place.R, self.R), e=euler_product(place.e, self.e))


@dataclass(frozen=True, slots=True)
class RateColumn:
    """One rate: sign · u about (turn) and along (slide) an axis of the frame.

    Attributes:
        index: Place of the speed in u.
        axis: 0, 1 or 2.
        sign: −1 where the joint is passed from its second body to its first.
        turn: Turn per unit of u: 1 or 0 [rad].
        slide: Slide per unit of u: 0, 1, or metres per radian of a screw.
        u: The speed. ud: its rate.
    """

    index: int
    axis: int
    sign: float
    turn: float
    slide: Scalar
    u: Scalar
    ud: Scalar

    def amount(self, rate: Scalar) -> tuple[Vector, Vector]:
        """Return the angular and linear motion for a rate."""
        turn, slide = [0.0] * 3, [0.0] * 3
        turn[self.axis] = mul(self.turn * self.sign, rate)
        slide[self.axis] = mul(mul(self.slide, self.sign), rate)
        return turn, slide

    def effort(self, n: Vector, f: Vector) -> Scalar:
        """Return what a wrench does along the column: sign (turn n_k + slide f_k)."""
        along = add(mul(self.turn, n[self.axis]), mul(self.slide, f[self.axis]))
        return mul(self.sign, along)


@dataclass(frozen=True, slots=True)
class FreeMotion:
    """Rates are added: ω += Σ turn u, velocity of the point += Σ slide u."""

    columns: tuple[RateColumn, ...]

    def motion(self, rate: str = "u") -> tuple[Vector, Vector]:
        """Return the sum of the columns' motion for `u` or `ud`."""
        parts = [column.amount(getattr(column, rate)) for column in self.columns]
        return plus(*(turn for turn, _ in parts)), plus(*(slide for _, slide in parts))

    def bias(self, w: Vector) -> tuple[Vector, Vector]:
        """Return (ω × turn, 2 ω × slide): what α and a gain besides u̇."""
        turn, slide = self.motion()
        return cross(w, turn), scaled(2.0, cross(w, slide))

    def spun(self, w: Vector) -> Vector:
        """Return ω + Σ turn u."""
        return plus(w, self.motion()[0])

    def accelerated(self, w: Vector, al: Vector, a: Vector) -> tuple[Vector, Vector]:
        """Return (α, a) with the bias added; u̇ is the recursion's to add."""
        c_al, c_a = self.bias(w)
        return plus(al, c_al), plus(a, c_a)

    def wrench(self, n: Vector, f: Vector) -> tuple[Vector, Vector]:
        """Return the wrench unchanged."""
        return n, f

    def rigid(self, inertia: Rigid) -> Rigid:
        """Return the inertia unchanged."""
        return inertia

    def articulated(self, inertia: Articulated, w: Vector) -> Articulated:
        """Return the inertia with the bias taken in; the recursion removes the columns."""
        return inertia.biased(*self.bias(w))

    def placed(self, place: Place) -> Place:
        """Return the place with rates and accelerations added."""
        turn, slide = (apply(place.R, part) for part in self.motion())
        turned, slid = (apply(place.R, part) for part in self.motion("ud"))
        return replace(
            place,
            w=plus(place.w, turn),
            v=plus(place.v, slide),
            al=plus(place.al, cross(place.w, turn), turned),
            a=plus(place.a, scaled(2.0, cross(place.w, slide)), slid),
        )
