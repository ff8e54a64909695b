"""Body space in basic points and vectors.

    r = r_i + c₁ d₁ + c₂ d₂ + c₃ d₃,     c = L⁻¹ (ρ − ρ_i),   L = [d₁ d₂ d₃] as drawn

In the plane d₂ = n × d₁; in space with two directions d₃ = d₁ × d₂; with one, d₂ and d₃ take
the shortest turn with it. Rates are the exact
derivatives of this map; the angular velocity along the frame's axes is

    ω′ = (ė₂·e₃, ė₃·e₁, ė₁·e₂)                                  where the body is rigid
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.scene import Moving, Turning
from bellcrank.formulations.body_space.signals import signal
from bellcrank.formulations.body_space.triads import triad_about
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.unwrapped import Angle, Turn
from bellcrank.formulations.points.basics import Basic, Places, PointFrame
from bellcrank.model import Joint, Model
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    cross,
    dot,
    minus,
    mul,
    plus,
    product,
    scaled,
    transpose,
)
from bellcrank.spatial.attitudes import turn_parameters

Motion = tuple[Vector, Vector, Vector]
"""A vector, its rate and the rate of that."""

STILL: Motion = (ORIGIN, ORIGIN, ORIGIN)


@dataclass(frozen=True)
class Spanned:
    """A body in its frame.

    Attributes:
        base: The motion of its base point.
        origin: Where that point is drawn [m].
        drawn: d₁, d₂, d₃ as drawn [m].
        motions: Of d₁, d₂, d₃.
    """

    base: Motion
    origin: Vector
    drawn: list[Vector]
    motions: list[Motion]

    @property
    def directions(self) -> list[Vector]:
        """d₁, d₂, d₃ [m]."""
        return [motion[0] for motion in self.motions]

    @property
    def rates(self) -> list[Vector]:
        """Their rates [m/s]."""
        return [motion[1] for motion in self.motions]

    def length(self, k: int) -> Scalar:
        """Return the length of a direction as drawn [m]."""
        return dot(self.drawn[k], self.drawn[k]) ** 0.5

    @cached_property
    def inverse(self) -> Matrix:
        """L⁻¹."""
        a, b, c = self.drawn
        rows = [cross(b, c), cross(c, a), cross(a, b)]
        return [scaled(1.0 / dot(rows[0], a), row) for row in rows]

    def carried(self, direction: Vector) -> Motion:
        """Return how a vector of the body moves that is drawn so."""
        c = apply(self.inverse, direction)
        return tuple(  # type: ignore[return-value]
            plus(*(scaled(c[k], self.motions[k][n]) for k in range(3))) for n in range(3)
        )

    def point(self, at: Vector) -> Motion:
        """Return how the point of the body moves that is drawn there."""
        arm = self.carried(minus(at, self.origin))
        return tuple(plus(self.base[n], arm[n]) for n in range(3))  # type: ignore[return-value]

    @cached_property
    def axes_drawn(self) -> list[Vector]:
        """e₁ along d₁, e₂ in the plane of d₁ and d₂, e₃ across, as drawn."""
        d, u, _ = self.drawn
        e1 = scaled(1.0 / dot(d, d) ** 0.5, d)
        across = minus(u, scaled(dot(u, e1), e1))
        e2 = scaled(1.0 / dot(across, across) ** 0.5, across)
        return [e1, e2, cross(e1, e2)]

    @cached_property
    def axes(self) -> list[Motion]:
        """e₁, e₂, e₃ as they move."""
        return [self.carried(axis) for axis in self.axes_drawn]

    @cached_property
    def turning(self) -> Turning:
        """ω = Σ ω′ e and α = Σ ω̇′ e."""
        w: Vector = ORIGIN
        al: Vector = ORIGIN
        for k in range(3):
            e, one, two = self.axes[k][0], self.axes[(k + 1) % 3], self.axes[(k + 2) % 3]
            w = plus(w, scaled(dot(one[1], two[0]), e))
            al = plus(al, scaled(add(dot(one[2], two[0]), dot(one[1], two[1])), e))
        return Turning(w, al)


class PointScene:
    """A `Scene` of a model in basic points and vectors.

    Attributes:
        model: The model.
        plan: Its points and vectors.
        number: Numbers and expressions as scalars.
        turns: What is known of the turns of joints' angles.
    """

    def __init__(
        self,
        model: Model,
        plan: Places,
        scalars: Mapping[str, Vector],
        rates: Vector,
        seconds: Vector | None = None,
        modes: Mapping[Switch, Scalar] | None = None,
        turns: Mapping[Angle, Turn] | None = None,
    ) -> None:
        self.model, self.plan, self._time = model, plan, scalars["t"][0]
        self.turns = turns or {}
        self.number = Lowering.of_model(model, scalars, self._signal, modes or {})
        count = len(rates)
        self._levels = (scalars["q"], rates, seconds if seconds is not None else [0.0] * count)

    def _signal(self, name: str) -> Scalar:
        return self._time if name == "t" else signal(self, name)

    def drawn(self, basic: Basic, body: str) -> Vector:
        """Return a basic point or vector as it is drawn on a body [m]."""
        return [mul(basic.length, self.number(entry)) for entry in basic.sides[body]]

    def size(self, number: int) -> float:
        """Return the length of a vector [m]."""
        return self.plan.basics[number].length

    def basic(self, number: int) -> Motion:
        """Return how a basic point or vector moves."""
        basic, size = self.plan.basics[number], self.plan.size
        if basic.start < 0:
            return self.drawn(basic, "ground"), ORIGIN, ORIGIN
        place = slice(basic.start, basic.start + size)
        pad: Vector = [0.0] * (3 - size)
        return tuple([*level[place], *pad] for level in self._levels)  # type: ignore[return-value]

    @cached_property
    def spanned(self) -> dict[str, Spanned]:
        """All bodies in their frames; the ground at rest."""
        still: list[Motion] = [(axis, ORIGIN, ORIGIN) for axis in IDENTITY]
        ground = Spanned(STILL, ORIGIN, list(IDENTITY), still)
        return {"ground": ground} | {
            name: self._spanned(frame) for name, frame in self.plan.frames.items()
        }

    def _spanned(self, frame: PointFrame) -> Spanned:
        body, base = frame.body, self.basic(frame.base)
        origin = self.drawn(self.plan.basics[frame.base], body)
        drawn: list[Vector] = []
        motions: list[Motion] = []
        for number in frame.directions:
            basic, there = self.plan.basics[number], self.basic(number)
            at = self.drawn(basic, body)
            drawn.append(at if basic.vector else minus(at, origin))
            motions.append(there if basic.vector else _difference(there, base))
        if not drawn:
            drawn = [list(axis) for axis in IDENTITY]
            motions = [(list(axis), ORIGIN, ORIGIN) for axis in IDENTITY]
        elif self.plan.planar:
            drawn = [drawn[0], _quarter(drawn[0]), [0.0, 0.0, 1.0]]
            turned = tuple(_quarter(part) for part in motions[0])
            normal = ([0.0, 0.0, 1.0], ORIGIN, ORIGIN)
            motions = [motions[0], turned, normal]  # type: ignore[list-item]
        elif len(drawn) == 1:
            for axis in _across(drawn[0]):
                drawn.append(axis)
                motions.append(_turned(drawn[0], axis, motions[0]))
        elif len(drawn) == 2:
            drawn.append(cross(drawn[0], drawn[1]))
            motions.append(_crossed(motions[0], motions[1]))
        return Spanned(base, origin, drawn, motions)

    # What `Scene` asks for.

    def point(self, body: str, at: Vector) -> Moving:
        """Return how the point of a body moves that is `at` in the drawing."""
        return Moving(*self.spanned[body].point(at))

    def moved(self, body: str, direction: Vector) -> tuple[Vector, Vector]:
        """Return a direction of a body, given in the drawing, as it stands, and its rate."""
        return self.spanned[body].carried(direction)[:2]

    def carried(self, body: str, direction: Vector) -> Vector:
        """Return a direction of a body, given in the drawing, as it stands now."""
        return self.spanned[body].carried(direction)[0]

    def turning(self, body: str) -> Turning:
        """Return how a body turns."""
        return self.spanned[body].turning

    def attitude(self, body: str) -> Vector:
        """Return the Euler parameters of a body's frame in the world, scalar first."""
        pose = getattr(self.model[body], "pose", None) if body != "ground" else None
        if pose is None:
            return self.turned(body)
        rows = [[self.number(entry) for entry in row] for row in pose.rotation]
        return turn_parameters(product(self._turn(body), rows))

    def turned(self, body: str) -> Vector:
        """Return the Euler parameters of a body's turn since the drawing, scalar first."""
        return turn_parameters(self._turn(body))

    def _turn(self, body: str) -> Matrix:
        return transpose([self.carried(body, list(axis)) for axis in IDENTITY])

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        return measured(self, element, level)


def _difference(there: Motion, base: Motion) -> Motion:
    return tuple(minus(a, b) for a, b in zip(there, base, strict=True))  # type: ignore[return-value]


def _quarter(a: Vector) -> Vector:
    """Return n × a in the plane."""
    return [mul(-1.0, a[1]), a[0], 0.0]


def _across(d: Vector) -> list[Vector]:
    """Return two vectors across a direction of numbers, all three of one length."""
    length = dot(d, d) ** 0.5
    f, g, _ = triad_about(tuple(entry / length for entry in d), float)
    return [scaled(length, f), scaled(length, g)]


def _turned(drawn: Vector, axis: Vector, motion: Motion) -> Motion:
    """Return how a vector across a rod moves that takes the shortest turn with it.

    Q b = b + v × b + v × (v × b)/(1 + e₀·e) with v = e₀ × e takes e₀ to e.
    """
    s, rate, second = (ca.SX.sym(name, 3) for name in ("d", "dd", "ddd"))
    square = dot(drawn, drawn)
    e0, e = scaled(square**-0.5, drawn), scaled(square**-0.5, ca.vertsplit(s))
    v = cross(e0, e)
    b = plus(axis, cross(v, axis), scaled(1.0 / (1.0 + dot(e0, e)), cross(v, cross(v, axis))))
    value = ca.vertcat(*b)
    along = ca.jtimes(value, s, rate)
    bend = ca.jtimes(along, s, rate) + ca.jtimes(along, rate, second)
    now = [ca.vertcat(*(ca.SX(entry) for entry in part)) for part in motion]
    found = ca.substitute([value, along, bend], [s, rate, second], now)
    return tuple(ca.vertsplit(part) for part in found)  # type: ignore[return-value]


def _crossed(a: Motion, b: Motion) -> Motion:
    """Return how a × b moves."""
    rate = plus(cross(a[1], b[0]), cross(a[0], b[1]))
    second = plus(cross(a[2], b[0]), scaled(2.0, cross(a[1], b[1])), cross(a[0], b[2]))
    return cross(a[0], b[0]), rate, second
