"""Body space in Cartesian coordinates: every body has its own place, whatever ties it.

Conventions:
    A       takes components along the body to components along the world
    s′      constant components of a point along the body, from its reference point
    ω′, ω   angular velocity along the body, along the world
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import atan2

import casadi as ca

from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.scene import Moving, Turning
from bellcrank.formulations.body_space.signals import signal
from bellcrank.formulations.cartesian.layout import BodyLayout, Placed
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.unwrapped import Angle, Turn, measured_angles
from bellcrank.model import Body, Joint, Model, mass_properties
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Scalar,
    Vector,
    apply,
    centripetal,
    cross,
    dot,
    minus,
    mul,
    plus,
    product,
    scaled,
    sub,
    transpose,
)
from bellcrank.spatial.attitudes import (
    conjugate,
    euler_product,
    is_identity,
    rate_matrix,
    rigid_rotation,
    rotation,
    turn_parameters,
)


@dataclass(frozen=True)
class Frame:
    """A body's reference point and axes, now and in the drawing.

    Attributes:
        p, v, a: Position, velocity, acceleration of the reference point, world components.
        A: Its axes. e: Their Euler parameters, scalar first.
        w, al: ω′ and ω̇′ [rad/s, rad/s²].
        home: The reference point in the drawing [m].
        axes: R_WB in the drawing.
    """

    p: Vector
    v: Vector
    a: Vector
    A: Matrix
    e: Vector
    w: Vector
    al: Vector
    home: Vector
    axes: Matrix = field(default_factory=lambda: IDENTITY)

    def arm(self, at: Vector) -> Vector:
        """Return s′ of a point given in the drawing."""
        return apply(transpose(self.axes), minus(at, self.home))

    @cached_property
    def turning(self) -> Turning:
        """ω and its rate: d(A ω′)/dt = A ω̇′."""
        return Turning(apply(self.A, self.w), apply(self.A, self.al))

    @cached_property
    def since_drawing(self) -> Matrix:
        """Takes directions of the drawing to where they are now."""
        return self.A if is_identity(self.axes) else product(self.A, transpose(self.axes))


GROUND = Frame(
    ORIGIN, ORIGIN, ORIGIN, IDENTITY, [1.0, 0.0, 0.0, 0.0], ORIGIN, ORIGIN, ORIGIN
)  # fmt: skip


class BodyScene:
    """A `Scene` of a model in Cartesian coordinates.

    Attributes:
        model: The model.
        frames: Where each body is, by name.
        turns: What is known of the turns of all joints.
    """

    def __init__(
        self,
        model: Model,
        layout: BodyLayout,
        scalars: Mapping[str, Vector],
        ud: Vector | None = None,
        modes: Mapping[Switch, Scalar] | None = None,
        turns: Mapping[Angle, Turn] | None = None,
    ) -> None:
        self.model, self.layout, self._time = model, layout, scalars["t"][0]
        self.turns = turns or {}
        self.number = Lowering.of_model(model, scalars, self._signal, modes or {})
        zeros = [0.0] * len(layout.speeds)
        q, u, ud = scalars["q"], scalars["u"], zeros if ud is None else ud
        self.frames = {"ground": GROUND} | {
            placed.name: self._frame(placed, q, u, ud) for placed in layout.bodies
        }
        self._phi = {
            placed.name: q[placed.q + placed.dim]
            for placed in layout.bodies
            if placed.kind == "planar"
        }
        if model.planar:
            joints = [joint.name for joint in model.joints]
            self.turns = {
                angle: Turn(self._planar_angle(model[angle[0]]), exact=True)
                for angle in measured_angles(model, joints)
            }

    def _planar_angle(self, joint: Joint) -> Scalar:
        """Return h (φ₂ − φ₁) of a hinge about z or −z, φ counted from the drawing."""
        one, two = (self._turn_in_plane(body) for body in (joint.first, joint.second))
        return mul(self.number(joint.axis_first[2]), sub(two, one))

    def _turn_in_plane(self, body: str) -> Scalar:
        if body not in self._phi:
            return 0.0
        axes = self.frames[body].axes
        c, s = axes[0][0], axes[1][0]
        both = isinstance(c, float) and isinstance(s, float)
        return sub(self._phi[body], atan2(s, c) if both else ca.atan2(s, c))

    def _signal(self, name: str) -> Scalar:
        return self._time if name == "t" else signal(self, name)

    def _numbers(self, vector: tuple) -> Vector:
        return [self.number(entry) for entry in vector]

    def home(self, body: str) -> Vector:
        """Return the reference point of a body in the drawing."""
        element = self.model[body]
        if self.layout.reference == "frame" and isinstance(element, Body):
            return self._numbers(element.pose.position)
        return self._numbers(mass_properties(element).com)

    def _frame(self, placed: Placed, q: Vector, u: Vector, ud: Vector) -> Frame:
        n, zeros = placed.dim, [0.0] * (3 - placed.dim)
        p = [*q[placed.q : placed.q + n], *zeros]
        v, a = ([*part[placed.u : placed.u + n], *zeros] for part in (u, ud))
        home = self.home(placed.name)
        if placed.kind == "particle":
            return Frame(p, v, a, IDENTITY, [1.0, 0.0, 0.0, 0.0], ORIGIN, ORIGIN, home)
        body = self.model[placed.name]
        axes = [self._numbers(row) for row in body.pose.rotation]
        turn, rates, more = q[placed.q + n :], u[placed.u + n :], ud[placed.u + n :]
        if placed.kind == "planar":
            phi = turn[0]
            c, s = ca.cos(phi), ca.sin(phi)
            A = [[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]
            e = [ca.cos(phi / 2), 0.0, 0.0, ca.sin(phi / 2)]
            w, al = ([0.0, 0.0, part[0]] for part in (rates, more))
            return Frame(p, v, a, A, e, w, al, home, axes)
        e = turn[:4]
        if self.layout.form == "omega":
            unit = scaled(1.0 / ca.sqrt(dot(e, e)), e)
            return Frame(p, v, a, rigid_rotation(e), unit, rates[:3], more[:3], home, axes)
        # Ġ ṗ = 0, so that ω̇′ = 2 G p̈.
        w, al = (scaled(2.0, apply(rate_matrix(e), part[:4])) for part in (rates, more))
        return Frame(p, v, a, rotation(e), list(e), w, al, home, axes)

    def point(self, body: str, at: Vector) -> Moving:
        """Return how the point of a body moves that is `at` in the drawing."""
        frame = self.frames[body]
        s = apply(frame.A, frame.arm(at))
        w, al = frame.turning
        return Moving(
            plus(frame.p, s),
            plus(frame.v, cross(w, s)),
            plus(frame.a, cross(al, s), centripetal(w, s)),
        )

    def carried(self, body: str, direction: Vector) -> Vector:
        """Return a direction of a body, given in the drawing, as it stands now."""
        return apply(self.frames[body].since_drawing, direction)

    def turning(self, body: str) -> Turning:
        """Return how a body turns."""
        return self.frames[body].turning

    def attitude(self, body: str) -> Vector:
        """Return the Euler parameters of a body's frame in the world, scalar first."""
        return self.frames[body].e

    def turned(self, body: str) -> Vector:
        """Return the Euler parameters of a body's turn since the drawing, scalar first."""
        frame = self.frames[body]
        if is_identity(frame.axes):
            return frame.e
        return euler_product(frame.e, conjugate(turn_parameters(frame.axes)))

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        return measured(self, element, level)
