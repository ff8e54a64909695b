"""A tree of links as steps from frame to frame, on symbols.

Conventions:
    link frame   origin at the joint's point on the link, axes those of the joint's side
    drawing      world coordinates of the drawing configuration; a body that a weld shifts is
                 shifted in the drawing first
"""

from dataclasses import dataclass, replace
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.measures import screw_lead
from bellcrank.formulations.joint_coordinates.frames import (
    Between,
    JointFrames,
    Lift,
    joint_frames,
)
from bellcrank.formulations.joint_coordinates.inertia import Rigid
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, nominal_inertia
from bellcrank.formulations.joint_coordinates.steps import (
    AxisTurn,
    FrameTurn,
    FreeMotion,
    Place,
    RateColumn,
    Shift,
    Step,
)
from bellcrank.model import Joint, Model, mass_properties
from bellcrank.model.elements.mobility import Motion
from bellcrank.model.names import SIZES
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    congruent,
    dot,
    gyration,
    minus,
    mul,
    neg,
    plus,
    product,
    scaled,
    sub,
    symmetric,
    transpose,
)
from bellcrank.spatial.attitudes import is_identity, rigid_rotation, turn_parameters

LIGHT = 1e-4  # of the inertia carried: a link as good as without any


@dataclass(frozen=True, slots=True)
class LinkFrame:
    """A link frame in the drawing: its origin, and R_WL whose columns are its axes."""

    origin: Vector
    axes: Matrix

    def point(self, at: Vector) -> Vector:
        """Return a point of the drawing in this frame."""
        return apply(transpose(self.axes), minus(at, self.origin))


@dataclass(frozen=True, slots=True)
class Joined:
    """The scalars of one joint: coordinates, speeds and rates of speeds."""

    q: Vector
    u: Vector
    ud: Vector
    first_speed: int


class Tree:
    """The steps and inertias of all links, for given scalars q, u and u̇.

    Attributes:
        model, layout: What it is a tree of.
        steps: For each link (0, the ground, has none) the steps from the inner link's frame.
        inertia: For each link its rigid inertia about its frame's origin.
        frames: For each link its frame in the drawing.
    """

    def __init__(
        self,
        model: Model,
        layout: LinkLayout,
        lift: Lift,
        q: Vector,
        u: Vector,
        ud: Vector | None = None,
    ) -> None:
        self.model, self.layout, self.lift = model, layout, lift
        self.q, self.u, self.ud = q, u, ud or [0.0] * len(u)
        self._shifts: dict[str, Vector] = {"ground": ORIGIN}
        self.frames: list[LinkFrame] = [LinkFrame(ORIGIN, IDENTITY)]
        self.steps: list[tuple[Step, ...]] = [()]
        self._weld(0)
        for number in range(1, len(layout.links)):
            self._tie(number)
            self._weld(number)
        self.inertia = [self._inertia(number) for number in range(len(layout.links))]

    def _tie(self, number: int) -> None:
        """Add the frame of a link and the steps that lead to it."""
        link = self.layout.links[number]
        joint = link.joint
        assert joint is not None
        base = self.frames[link.parent]
        between = Between(base.axes, self._behind[number], link.reversed)
        frames = joint_frames(self.model, joint, self.lift, between)
        at_first, at_second = self._at(joint.at_first), self._at(joint.at_second)
        pieces = joint_steps(joint, frames, self.lift, self._scalars(joint))
        if self._light[number]:
            pieces = [for_thin_bodies(step) for step in pieces]
        if link.reversed:
            inner, outer = (at_second, frames.second, joint.second), (at_first, frames.first)
            pieces = [inverted(step) for step in reversed(pieces)]
        else:
            inner, outer = (at_first, frames.first, joint.first), (at_second, frames.second)
        at, axes, body = inner
        steps: list[Step] = [Shift(base.point(plus(at, self._shifts[body])))]
        R = product(transpose(base.axes), axes)
        if not is_identity(R):
            steps.append(FrameTurn(R, turn_parameters(R)))
        self.frames.append(LinkFrame(*outer))
        self._shifts[link.bodies[0]] = ORIGIN
        self.steps.append(tuple(steps + pieces))

    def _weld(self, number: int) -> None:
        """Note by how much each welded body of a link is shifted in the drawing."""
        ties = dict(zip(self.model.graph.order, self.model.graph.tree_joint, strict=True))
        for body in self.layout.links[number].bodies[1:]:
            joint = self.model[ties[body]]
            assert isinstance(joint, Joint)
            gap = minus(self._at(joint.at_first), self._at(joint.at_second))
            inner = joint.first if joint.second == body else joint.second
            outward = gap if joint.second == body else [neg(entry) for entry in gap]
            self._shifts[body] = plus(self._shifts[inner], outward)

    def _at(self, point: tuple) -> Vector:
        return [self.lift(entry) for entry in point]

    def _scalars(self, joint: Joint) -> Joined:
        q0, u0 = self.layout.q_start[joint.name], self.layout.u_start[joint.name]
        nq, nu = (
            sum(SIZES.get(name, 1) for name in names)
            for names in (joint.coordinates, joint.speeds)
        )
        return Joined(self.q[q0 : q0 + nq], self.u[u0 : u0 + nu], self.ud[u0 : u0 + nu], u0)

    def _inertia(self, number: int) -> Rigid:
        """Return the inertia of a link, all its bodies together, about its frame's origin."""
        total = Rigid(0.0, ORIGIN, [0.0] * 6)
        if number == 0:
            return total
        axes = transpose(self.frames[number].axes)
        for body in self.layout.links[number].bodies:
            properties = mass_properties(self.model[body])
            m = self.lift(properties.mass)
            c = self.body_point(body, self._at(properties.com))
            inertia = [[self.lift(entry) for entry in row] for row in properties.inertia]
            J = plus(congruent(axes, symmetric(inertia)), scaled(m, gyration(c)))
            total = total + Rigid(m, scaled(m, c), J)
        return total

    def body_point(self, body: str, at: Vector) -> Vector:
        """Return a point of a body, given in the drawing, in its link's frame."""
        frame = self.frames[self.layout.link_of[body]]
        return frame.point(plus(at, self._shifts[body]))

    @cached_property
    def _behind(self) -> list[tuple[Joint, ...]]:
        """The joints that tie other links to each link."""
        links = self.layout.links
        found: list[list[Joint]] = [[] for _ in links]
        for link in links:
            if link.joint is not None:
                found[link.parent].append(link.joint)
        return [tuple(joints) for joints in found]

    @cached_property
    def _light(self) -> list[bool]:
        """Whether each link has next to no inertia, compared with what it carries."""
        links = self.layout.links
        own = [
            sum(nominal_inertia(self.model, body, link.joint.at_first) for body in link.bodies)
            if link.joint is not None
            else 0.0
            for link in links
        ]
        carried = [0.0] * len(links)
        for number in range(len(links) - 1, 0, -1):
            carried[links[number].parent] += carried[number] + own[number]
        return [a < LIGHT * b for a, b in zip(own, carried, strict=True)]

    @cached_property
    def spins(self) -> list[list[Vector]]:
        """Angular velocity before each step and after the last, along the frames, per link."""
        result: list[list[Vector]] = [[ORIGIN]]
        for number, steps in enumerate(self.steps[1:], start=1):
            w = [result[self.layout.links[number].parent][-1]]
            for step in steps:
                w.append(step.spun(w[-1]))
            result.append(w)
        return result

    @cached_property
    def places(self) -> list[Place]:
        """Where each link's frame is in the world and how it moves, with u̇ as given."""
        zero = ORIGIN
        result = [Place(IDENTITY, zero, [1.0, 0.0, 0.0, 0.0], zero, zero, zero, zero)]
        for number, steps in enumerate(self.steps[1:], start=1):
            place = result[self.layout.links[number].parent]
            for step in steps:
                place = step.placed(place)
            result.append(place)
        return result


def joint_steps(joint: Joint, frames: JointFrames, lift: Lift, scalars: Joined) -> list[Step]:
    """Return the steps from the frame on a joint's first side to that on its second."""
    axes, ahead = frames.axes, iter(frames.ahead)
    if joint.mobility.ball:
        return _in_every_way(joint, axes, lift, scalars)
    lead = screw_lead(joint, lift) if joint.mobility.lead else 0.0
    q = [sub(value, lift(zero)) for value, zero in zip(scalars.q, joint.drawn, strict=True)]
    steps: list[Step] = []
    for places in _runs(joint.mobility.motions):
        first, last = places[0], places[-1] + 1
        if not joint.mobility.motions[first].turns:
            steps.append(slide(axes[first:last], q[first:last]))
            steps.append(_freedom(scalars, first, axes[first:last], 0.0, 1.0))
            continue
        steps.append(axis_turn(axes[first], add(q[first], next(ahead))))
        if joint.mobility.lead:
            steps.append(slide(axes[:1], [mul(lead, q[0])]))
        steps.append(_freedom(scalars, first, axes[first:last], 1.0, lead))
    return steps


def _runs(motions: tuple[Motion, ...]) -> list[list[int]]:
    """Return places of motions: translations that follow each other together, else one."""
    found: list[list[int]] = []
    for place, motion in enumerate(motions):
        if found and not motion.turns and not motions[place - 1].turns:
            found[-1].append(place)
        else:
            found.append([place])
    return found


def _in_every_way(
    joint: Joint, axes: tuple[tuple[int, float], ...], lift: Lift, scalars: Joined
) -> list[Step]:
    """Return the steps of a joint whose second body turns in every way, and may move so."""
    if not joint.mobility.slid:
        return [ball(scalars.q), _freedom(scalars, 0, axes, 1.0, 0.0)]
    q = [sub(x, lift(zero)) for x, zero in zip(scalars.q, joint.drawn, strict=False)]
    moved = [slide(axes, q), _freedom(scalars, 0, axes, 0.0, 1.0)]
    return [*moved, ball(scalars.q[3:]), _freedom(scalars, 3, axes, 1.0, 0.0)]


def _freedom(
    scalars: Joined,
    first: int,
    axes: tuple[tuple[int, float], ...],
    turn: Scalar,
    slide: Scalar,
) -> FreeMotion:
    """Return the freedom of a joint's speeds from the first on, one for each axis."""
    return FreeMotion(
        tuple(
            RateColumn(scalars.first_speed + i, *axis, turn, slide, scalars.u[i], scalars.ud[i])
            for i, axis in enumerate(axes, start=first)
        )
    )


def axis_turn(axis: tuple[int, float], angle: Scalar) -> AxisTurn:
    """Return the turn by an angle about a signed frame axis."""
    number, sign = axis
    c, s = ca.cos(angle), mul(sign, ca.sin(angle))
    return AxisTurn(number, c, s, (ca.cos(angle / 2), mul(sign, ca.sin(angle / 2))))


def slide(axes: tuple[tuple[int, float], ...], offsets: Vector) -> Shift:
    """Return the shift by offsets along signed frame axes."""
    r = list(ORIGIN)
    for (number, sign), offset in zip(axes, offsets, strict=True):
        r[number] = mul(sign, offset)
    return Shift(r)


def ball(e: Vector) -> FrameTurn:
    """Return the turn by Euler parameters, which need not be of unit length.

    Stages of an integrator leave the unit sphere a little, and still see rigid bodies.
    """
    R = rigid_rotation(e)
    return FrameTurn(R, scaled(1.0 / ca.sqrt(dot(e, e)), e))


def for_thin_bodies(step: Step) -> Step:
    """Return the step as it is where what turns may have next to no inertia in a direction."""
    return replace(step, thin=True) if isinstance(step, AxisTurn) else step


def inverted(step: Step) -> Step:
    """Return the step from the frame after to the frame before."""
    match step:
        case Shift(r):
            return Shift([neg(entry) for entry in r])
        case AxisTurn(_, _, s, (half_c, half_s)):
            return replace(step, s=neg(s), half=(half_c, neg(half_s)))
        case FrameTurn(R, e):
            return FrameTurn(transpose(R), [e[0], *(neg(entry) for entry in e[1:])])
        case FreeMotion(columns):
            return FreeMotion(tuple(replace(c, sign=-c.sign) for c in reversed(columns)))
    raise TypeError(f"{step!r} is no step")
