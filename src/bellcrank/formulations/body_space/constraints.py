"""Constraints in body space, the same for every formulation.

Every row is a pair: a scalar that vanishes and its rate, which is linear in the twists of the
bodies. Rows come in the order of `rows`.
"""

import itertools
from collections.abc import Sequence
from functools import singledispatch

import casadi as ca

from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.measures import (
    angle_turns,
    screw_lead,
    sine_cosine,
    travel,
)
from bellcrank.formulations.body_space.pairs import Pair, Row, joint_pair
from bellcrank.formulations.body_space.plane import planar_rows, planar_velocity_rows
from bellcrank.formulations.body_space.scene import Scene, called
from bellcrank.formulations.body_space.signals import signal
from bellcrank.formulations.contract.unwrapped import TURN, principal, turns_of, whole_turns
from bellcrank.formulations.contract.windings import winding
from bellcrank.model import (
    Constraint,
    Distance,
    Drive,
    Gear,
    Joint,
    Parallel,
    Perpendicular,
    PointOnLine,
    PointOnPlane,
    RackAndPinion,
    Relation,
    RollingDisc,
    Rope,
    VelocityConstraint,
)
from bellcrank.model.elements.joint import geared, scalar_coordinates
from bellcrank.model.elements.mobility import Condition
from bellcrank.model.expressions import Signal, derivative, signals
from bellcrank.model.names import rate_of
from bellcrank.spatial.arithmetic import (
    Scalar,
    Vector,
    add,
    cross,
    dot,
    function,
    minus,
    mul,
    neg,
    plus,
    scaled,
    sub,
)
from bellcrank.spatial.letters import Letters, as_letters, rate


def position_rows(
    scene: Scene, time: Scalar, joints: Sequence[str], *, flat: bool = False
) -> list[Row]:
    """Return (Φ, Φ̇) of every position row: joints first, then constraints, then drivers.

    Args:
        scene: Where the bodies are.
        time: The symbol of t.
        joints: Names of the joints that are rows; the others hold by choice of coordinates.
        flat: Whether bodies cannot leave the plane: then only what is left of a row there.
    """
    found: list[Row] = []
    for name in joints:
        joint = scene.model[name]
        found += _left(joint, joint_rows(scene, joint), flat)
    return found + constraint_rows(scene, time, flat=flat)


def _left(element: Joint | Constraint, rows: list[Row], flat: bool) -> list[Row]:
    """Return what is left of an element's rows in the plane."""
    return [rows[i] for i in planar_rows(element) if i < len(rows)] if flat else rows


def constraint_rows(scene: Scene, time: Scalar, *, flat: bool = False) -> list[Row]:
    """Return (Φ, Φ̇) of every position row of constraints and drivers."""
    model, found = scene.model, []
    for constraint in model.constraints:
        found += _left(constraint, conditions(constraint, scene), flat)
    for driver in model.drivers:
        found += _driver(scene, driver, time)
    return found


def velocity_rows(scene: Scene, *, flat: bool = False) -> Vector:
    """Return every velocity-only row: zero, and linear in the speeds."""
    found: list[Scalar] = []
    for constraint in scene.model.constraints:
        speeds = slips(constraint, scene)
        left = planar_velocity_rows(constraint) if flat else range(len(speeds))
        found += [speeds[i] for i in left]
    return found


@singledispatch
def conditions(constraint: Constraint, scene: Scene) -> list[Row]:
    """Return (Φ, Φ̇) of the position rows of a constraint, in the order of its `ROWS`.

    A kind of constraint from outside the package registers its own: `@conditions.register`.

    Raises:
        NotSupported: It has rows, and nothing is registered for its kind.
    """
    if constraint.rows(scene.model):
        raise _unwritten(constraint, "conditions")
    return []


@singledispatch
def slips(constraint: Constraint, scene: Scene) -> Vector:
    """Return the rows of speeds alone of a constraint, in the order of its `SLIPS`.

    A kind of constraint from outside the package registers its own: `@slips.register`.

    Raises:
        NotSupported: It has such rows, and nothing is registered for its kind.
    """
    if constraint.SLIPS:
        raise _unwritten(constraint, "slips")
    return []


def _unwritten(constraint: Constraint, where: str) -> NotSupported:
    kind = type(constraint).__name__
    return NotSupported(
        f"constraint '{constraint.name}': nothing says what a {kind} keeps; register a "
        "function of the element and the scene with "
        f"bellcrank.formulations.body_space.constraints.{where}."
    )


@slips.register
def _speeds(element: VelocityConstraint, scene: Scene) -> Vector:
    terms = [
        mul(scene.number(coefficient), signal(scene, speed))
        for speed, coefficient in element.terms
    ]
    return [sub(plus(*([t] for t in terms))[0], scene.number(element.equals))]


def joint_rows(scene: Scene, joint: Joint) -> list[Row]:
    """Return the rows of a joint, whether it closes a loop or not."""
    pair = joint_pair(scene, joint)
    return [
        condition_row(scene, joint, pair, condition) for condition in joint.mobility.conditions
    ]


def condition_row(scene: Scene, joint: Joint, pair: Pair, condition: Condition) -> Row:
    """Return (Φ, Φ̇) of one condition of a joint."""
    match condition.form:
        case "point":
            return pair.components()[condition.axes[0]]
        case "along":
            return pair.across(*condition.axes)
        case "square":
            return pair.square(*condition.axes)
        case "lead":
            return _lead(scene, joint, pair)


def _lead(scene: Scene, joint: Joint, pair: Pair) -> Row:
    """Return h·d − κθ: by what part of a turn θ is beside h·d/κ, whole turns need no count."""
    lead = screw_lead(joint, scene.number)
    along, h = pair.across(2), pair.axis(0, 2)[0]
    if isinstance(along[0], Letters):  # whole turns are not written
        turned = function("atan2", *sine_cosine(pair))
        return sub(along[0], mul(lead, turned)), sub(along[1], mul(lead, dot(h, pair.spin)))
    beside = principal(*sine_cosine(pair), travel(scene, joint, pair))
    return mul(neg(lead), beside), sub(along[1], mul(lead, dot(h, pair.spin)))


def _end(scene: Scene, end: object) -> tuple[str, Vector]:
    body, at = scene.model.end(end)  # type: ignore[arg-type]
    return body, [scene.number(entry) for entry in at]


def _triad(axis: Vector) -> list[Vector]:
    """Return f, g, h with h along an axis of unit length.

    f = e − (e·h) h with e the world axis least along h is never zero; which one it is may
    depend on parameters, so that it is chosen by the numbers themselves.
    """
    sizes = [ca.fabs(ca.SX(entry)) for entry in axis]
    x_least = ca.logic_and(sizes[0] <= sizes[1], sizes[0] <= sizes[2])
    y_least = sizes[1] <= sizes[2]
    e = [
        ca.if_else(x_least, 1.0, 0.0),
        ca.if_else(x_least, 0.0, ca.if_else(y_least, 1.0, 0.0)),
        ca.if_else(x_least, 0.0, ca.if_else(y_least, 0.0, 1.0)),
    ]
    f = minus(e, scaled(dot(e, axis), axis))
    f = [_folded(entry / ca.sqrt(dot(f, f))) for entry in f]
    return [f, [_folded(ca.SX(entry)) for entry in cross(axis, f)], axis]


def _folded(value: ca.SX) -> Scalar:
    return float(value) if value.is_constant() else value


def _axis(scene: Scene, axis: tuple) -> Vector:
    vector = [scene.number(entry) for entry in axis]
    length = dot(vector, vector) ** 0.5
    return [entry / length for entry in vector]


@conditions.register
def _distance(element: Distance, scene: Scene) -> list[Row]:
    """(d·d − L²)/2L, which is a length and smooth for any d."""
    if element.driven(scene.model):
        return []
    d, rate = _line(element, scene)
    length = scene.number(scene.model.drawn_length(element))
    value = (dot(d, d) - mul(length, length)) / (2.0 * length)
    return [(value, dot(d, rate) / length)]


def _line(element: Distance, scene: Scene) -> tuple[Vector, Vector]:
    """Return d, from the first end to the second, and its rate."""
    (body1, at1), (body2, at2) = (_end(scene, e) for e in (element.first, element.second))
    one, two = scene.point(body1, at1), scene.point(body2, at2)
    return minus(two.position, one.position), minus(two.velocity, one.velocity)


@conditions.register
def _on_line(element: PointOnLine, scene: Scene) -> list[Row]:
    pair = carrier(scene, element)
    return [pair.across(0), pair.across(1)]


@conditions.register
def _on_plane(element: PointOnPlane, scene: Scene) -> list[Row]:
    return [carrier(scene, element).across(2)]


def carrier(scene: Scene, element: PointOnLine | PointOnPlane) -> Pair:
    """Return the carrier of a line or a plane, whose h is along the axis, and the point."""
    body, at = _end(scene, element.point)
    origin = [scene.number(entry) for entry in element.at]
    triad = _triad(_axis(scene, element.axis))
    return Pair(scene, (element.body, body), (origin, at), (triad, triad))


def directions(scene: Scene, element: Parallel | Perpendicular) -> Pair:
    """Return two bodies with triads whose h are along the two axes."""
    origin = [0.0, 0.0, 0.0]
    triads = tuple(_triad(_axis(scene, axis)) for axis in (element.axis1, element.axis2))
    return Pair(scene, (element.first, element.second), (origin, origin), triads)  # type: ignore[arg-type]


@conditions.register
def _parallel(element: Parallel, scene: Scene) -> list[Row]:
    pair = directions(scene, element)
    return [pair.square(0, 2), pair.square(1, 2)]


@conditions.register
def _perpendicular(element: Perpendicular, scene: Scene) -> list[Row]:
    return [directions(scene, element).square(2, 2)]


def _counted(scene: Scene, joint: str, coordinate: str) -> tuple[Scalar, Scalar]:
    """Return a coordinate of a joint, counted from the drawing, and its rate."""
    element = scene.model[joint]
    drawn = element.drawn[element.coordinates.index(coordinate)]
    value = scene.joint_values(joint, "coordinates")[coordinate][0]
    rate = scene.joint_values(joint, "speeds")[f"{coordinate}_rate"][0]
    return sub(value, scene.number(drawn)), rate


@conditions.register
def _gear(element: Gear, scene: Scene) -> list[Row]:
    joints = (element.first, element.second)
    coordinate = geared(*(scene.model[joint] for joint in joints))
    (one, one_rate), (two, two_rate) = (_counted(scene, j, coordinate) for j in joints)
    ratio = scene.number(element.ratio)
    rate = sub(two_rate, mul(ratio, one_rate))
    if coordinate != "angle" or isinstance(one, Letters):  # whole turns are not written
        return [(sub(two, mul(ratio, one)), rate)]
    # Of many turns the difference is small, and each of its terms large: its rounding would be
    # that of the terms. Parts of a turn are small, and whole turns change only as one is over.
    (one, whole_one), (two, whole_two) = (_parts_of_turns(scene, joint) for joint in joints)
    whole = mul(TURN, sub(whole_two, mul(ratio, whole_one)))
    return [(add(sub(two, mul(ratio, one)), whole), rate)]


def _parts_of_turns(scene: Scene, joint: str) -> tuple[Scalar, Scalar]:
    """Return an angle from the drawing as a part of a turn [rad] and a number of turns.

    One that is no sine and cosine to begin with is all in the first.
    """
    turn = turns_of(scene).get((joint, "angle"))
    if turn is None or turn.exact:
        return _counted(scene, joint, "angle")[0], 0.0
    element = scene.model[joint]
    S, C = angle_turns(joint_pair(scene, element), element, "angle")
    part = principal(S, C, 0.0)
    return part, whole_turns(part, turn)


@conditions.register
def _rack(element: RackAndPinion, scene: Scene) -> list[Row]:
    travel, travel_rate = _counted(scene, element.rack, "offset")
    turn, turn_rate = _counted(scene, element.pinion, "angle")
    radius = scene.number(element.radius)
    return [(sub(travel, mul(radius, turn)), sub(travel_rate, mul(radius, turn_rate)))]


@conditions.register
def _positions(element: Relation, scene: Scene) -> list[Row]:
    """Φ and Σ ∂Φ/∂x ẋ over all positions x that it names, t among them."""
    names, number = sorted(signals(element.zero)), scene.number
    if not isinstance(number, Lowering):  # letters
        return [_written(element, scene, names)]
    x = ca.SX.sym("x", len(names))
    places = dict(zip(names, ca.vertsplit(x), strict=True))
    own = Lowering(places.__getitem__, number.parameters, {}, number.modes)
    value = ca.SX(own(element.zero))
    if (turn := winding(element.zero)) is not None:  # whole turns do not count
        value -= ca.SX(own(turn)) * ca.floor(value / own(turn) + 0.5)
    here = ca.vertcat(*(ca.SX(number(Signal(name))) for name in names))
    value, slopes = ca.substitute([value, ca.jacobian(value, x)], [x], [here])
    rates = (1.0 if name == "t" else signal(scene, rate_of(name)) for name in names)
    return [(value, slopes @ ca.vertcat(*map(ca.SX, rates)))]


def _written(element: Relation, scene: Scene, names: list[str]) -> Row:
    """Return the same by derivatives of the expression."""
    rate: Scalar = 0.0
    for name in names:
        slope = scene.number(derivative(element.zero, name))
        rate = add(rate, mul(slope, 1.0 if name == "t" else signal(scene, rate_of(name))))
    return scene.number(element.zero), rate


@conditions.register
def _rope(element: Rope, scene: Scene) -> list[Row]:
    """Σ |d| − L and Σ d·ḋ/|d|."""
    points = (scene.model.end(name) for name in element.points)
    places = [scene.point(body, [scene.number(x) for x in at]) for body, at in points]
    total: Scalar = neg(scene.number(scene.model.drawn_length(element)))
    rate: Scalar = 0.0
    for one, two in itertools.pairwise(places):
        d, speed = minus(two.position, one.position), minus(two.velocity, one.velocity)
        length = function("sqrt", dot(d, d))
        total, rate = add(total, length), add(rate, dot(d, speed) / length)
    return [(total, rate)]


def disc(scene: Scene, element: RollingDisc) -> tuple[Vector, Vector, Vector, Scalar]:
    """Return the centre, the normal, the axle and the sine of the angle between them."""
    centre = scene.point(element.body, [scene.number(entry) for entry in element.center])
    axle = called(scene, "a", scene.carried(element.body, _axis(scene, element.axis)))
    normal = scene.carried(element.surface, _axis(scene, element.normal))
    normal = called(scene, "n", normal)
    lean = dot(axle, normal)
    sine = called(scene, "σ", function("sqrt", 1.0 - lean * lean))
    return centre.position, normal, axle, sine


@conditions.register
def _touching(element: RollingDisc, scene: Scene) -> list[Row]:
    """n·(c − p) = R sin of the angle between axle and normal; its rate by the chain rule."""
    centre, normal, axle, sine = disc(scene, element)
    origin = scene.point(element.surface, [scene.number(entry) for entry in element.at])
    moving = scene.point(element.body, [scene.number(entry) for entry in element.center])
    radius = scene.number(element.radius)
    w_disc, w_plane = (scene.turning(b).velocity for b in (element.body, element.surface))
    up = minus(centre, origin.position)
    normal_rate, axle_rate = cross(w_plane, normal), cross(w_disc, axle)
    lean, lean_rate = dot(axle, normal), add(dot(axle_rate, normal), dot(axle, normal_rate))
    rate = add(
        add(dot(normal_rate, up), dot(normal, minus(moving.velocity, origin.velocity))),
        mul(radius, lean * lean_rate / sine),
    )
    return [(sub(dot(normal, up), mul(radius, sine)), rate)]


@slips.register
def _rolling(element: RollingDisc, scene: Scene) -> Vector:
    """Return the slip of the disc's lowest point, forward and sideways."""
    _, normal, axle, sine = disc(scene, element)
    radius = scene.number(element.radius)
    lean = dot(axle, normal)
    # In the disc's plane, from the centre straight down: −(n − (n·a) a)/sin.
    arm = scaled(-radius / sine, minus(normal, scaled(lean, axle)))
    moving = scene.point(element.body, [scene.number(entry) for entry in element.center])
    w_disc, w_plane = (scene.turning(b).velocity for b in (element.body, element.surface))
    contact = plus(moving.position, arm)
    origin = scene.point(element.surface, [scene.number(entry) for entry in element.at])
    under = plus(origin.velocity, cross(w_plane, minus(contact, origin.position)))
    slip = minus(plus(moving.velocity, cross(w_disc, arm)), under)
    forward = scaled(1.0 / sine, cross(axle, normal))
    return [dot(forward, slip), dot(cross(normal, forward), slip)]


def _driver(scene: Scene, driver: Drive, time: Scalar) -> list[Row]:
    """Coordinate − C(t), with the rate of C by differentiation."""
    found = []
    for coordinate, motion in driver.motion:
        wanted = scene.number(motion)
        wanted_rate = _motion_rate(wanted, time)
        wanted = as_letters(wanted) if isinstance(time, Letters) else ca.SX(wanted)
        if coordinate == "length":
            found.append(_ram(scene, scene.model[driver.of], wanted, wanted_rate))
            continue
        found.append((
            _deviation(scene, driver.of, coordinate, wanted),
            sub(signal(scene, rate_of(f"{driver.of}.{coordinate}")), wanted_rate),
        ))
    return found


def _motion_rate(wanted: Scalar, time: Scalar) -> Scalar:
    """Return the rate of a prescribed motion."""
    if isinstance(time, Letters):
        return rate(as_letters(wanted))
    return ca.jacobian(ca.SX(wanted), time)


def _ram(scene: Scene, element: Distance, wanted: Scalar, wanted_rate: Scalar) -> Row:
    """(d·d − C²)/2C and its rate, of a length that is C(t)."""
    d, rate = _line(element, scene)
    square = dot(d, d)
    turned = 0.5 * wanted_rate * (1.0 + square / (wanted * wanted))
    return (square / wanted - wanted) / 2.0, dot(d, rate) / wanted - turned


def _deviation(scene: Scene, owner: str, coordinate: str, wanted: Scalar) -> Scalar:
    """Return a coordinate less what is wanted; of a measured angle, less whole turns."""
    if (owner, coordinate) not in turns_of(scene):
        return sub(signal(scene, f"{owner}.{coordinate}"), wanted)
    joint = scene.model[owner]
    pair = joint_pair(scene, joint)
    drawn = joint.drawn[scalar_coordinates(joint).index(coordinate)]
    turned = angle_turns(pair, joint, coordinate)
    if isinstance(wanted, Letters):  # whole turns are not written
        return sub(signal(scene, f"{owner}.{coordinate}"), wanted)
    return principal(*turned, sub(wanted, scene.number(drawn)))
