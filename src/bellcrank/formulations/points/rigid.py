"""Rigid-body conditions: what keeps the points and vectors of a body where they are in it.

    lengths   (d·d − L²)/2L = 0             of every direction of a frame
    angles    (d₁·d₂ − c)/|d₁||d₂| = 0      between directions
    places    r − r_i − Σ c_k d_k = 0       of points besides the frame's
    tilts     v·f = v·g = 0                 of vectors besides the frame's, f and g across them
    sizes     (v·v − L²)/2L = 0             of vectors that no frame has among its directions

A condition that two bodies share is written once. This module needs no CasADi to say which
there are; `conditions` takes scalars of any kind.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from bellcrank.formulations.body_space.triads import triad_about
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.points.basics import Places, PointFrame, pinned, value
from bellcrank.model import Joint, Model
from bellcrank.spatial.arithmetic import Scalar, add, dot, mul, sub

if TYPE_CHECKING:
    from bellcrank.formulations.points.scene import PointScene

Pair = tuple[Scalar, Scalar]
"""A scalar that vanishes, and its rate."""


@dataclass(frozen=True)
class RigidCondition:
    """One scalar condition of a body.

    Attributes:
        body: Whose it is.
        kind: `length`, `angle`, `place`, `tilt` or `size`.
        which: Numbers of directions of the frame, or of a basic and an axis.
    """

    body: str
    kind: str
    which: tuple[int, ...]


def conditions(plan: Places) -> tuple[RigidCondition, ...]:
    """Return the conditions of all bodies, each once."""
    found: list[RigidCondition] = []
    known: dict[tuple[Any, ...], list[float]] = {}
    spanning = {number for frame in plan.frames.values() for number in frame.directions}
    for frame in plan.frames.values():
        for condition in _of(plan, frame, spanning):
            drawn, basics = _drawn(plan, frame, condition)
            if not all(plan.basics[n].fixed is not None for n in basics):
                key = (condition.kind, *basics)
                before = known.setdefault(key, [])
                if condition.kind in ("length", "angle", "size"):
                    if any(abs(drawn - other) <= 1e-12 * abs(drawn) for other in before):
                        continue
                    before.append(drawn)
                found.append(condition)
            elif condition.kind == "size":
                continue
            elif condition.kind in ("place", "tilt") or drawn != _standing(plan, condition):
                found.append(condition)
    return tuple(found)


def _of(plan: Places, frame: PointFrame, spanning: set[int]) -> list[RigidCondition]:
    count, body = len(frame.directions), frame.body
    found = [RigidCondition(body, "length", (k,)) for k in range(count)]
    found += [RigidCondition(body, "angle", (k, j)) for k in range(count) for j in range(k)]
    for number in frame.others:
        vector = plan.basics[number].vector
        kind, rows = ("tilt", 2) if vector else ("place", plan.size)
        found += [RigidCondition(body, kind, (number, i)) for i in range(rows)]
        if vector and number not in spanning:
            found.append(RigidCondition(body, "size", (number,)))
    return found


def _drawn(
    plan: Places, frame: PointFrame, condition: RigidCondition
) -> tuple[float, list[int]]:
    """Return the drawn value of a length or an angle, and the basics it is of."""
    if condition.kind == "size":
        return plan.basics[condition.which[0]].length, [condition.which[0]]
    if condition.kind in ("place", "tilt"):
        return 0.0, [frame.base, *frame.directions, condition.which[0]]
    directions = [frame.directions[k] for k in condition.which]
    vectors = [direction(plan, frame, k) for k in condition.which]
    used = [n for n in directions if plan.basics[n].vector]
    points = [n for n in directions if not plan.basics[n].vector]
    size = dot(vectors[0], vectors[-1])
    return size, sorted({*points, *used, *([frame.base] if points else [])})


def direction(plan: Places, frame: PointFrame, k: int) -> list[float]:
    """Return a direction of a frame as it is drawn on its body, at nominal parameters."""
    basic = plan.basics[frame.directions[k]]
    at = [basic.length * value(entry) for entry in basic.sides[frame.body]]
    if basic.vector:
        return at
    base = plan.basics[frame.base].sides[frame.body]
    return [a - value(b) for a, b in zip(at, base, strict=True)]


def _standing(plan: Places, condition: RigidCondition) -> float:
    """Return what a length or an angle is on the ground, where nothing moves."""
    frame = plan.frames[condition.body]
    ground = PointFrame("ground", frame.base, frame.directions)
    vectors = [direction(plan, ground, k) for k in condition.which]
    return dot(vectors[0], vectors[-1])


def descriptions(model: Model, plan: Places) -> tuple[Row, ...]:
    """Return the descriptions of all own rows: rigid bodies first, then pins of crosses."""
    rows = []
    for condition in conditions(plan):
        number = " ".join(str(k + 1) for k in condition.which)
        text, scale = f"{condition.kind} {number}", 1.0
        if condition.kind in ("place", "tilt"):
            basic = plan.basics[condition.which[0]]
            axis = "xyz"[condition.which[1]] if not basic.vector else condition.which[1] + 1
            text = f"{basic.name} {axis}"
        if condition.kind == "size":
            text = f"{plan.basics[condition.which[0]].name} length"
        if condition.kind in ("length", "place", "size"):
            scale = plan.length
        name = f"{condition.body}: {text}"
        rows.append(Row(name, condition.body, "rigid", "position", scale))
    crosses = (joint.name for joint in pinned(model, plan))
    rows += [Row(f"{name}: pins", name, "loop", "position") for name in crosses]
    return tuple(rows)


def with_natural_length(model: Model, plan: Places, row: Row) -> Row:
    """Return a row with the length it has where it holds something.

    A speed counts by the length ℓ of the machine. It turns a body of size d by ℓ/d, and so
    long is the row of an angle.

    Args:
        model: The machine.
        plan: Its points and vectors.
        row: One of its rows.
    """
    if row.scale != 1.0 or row.kind not in ("loop", "rigid"):
        return row
    owner = model[row.owner]
    fields = ("first", "second") if isinstance(owner, Joint) else getattr(owner, "BODIES", ())
    bodies = [row.owner, *(getattr(owner, field) for field in fields)]
    sizes = [size for body in bodies if (size := plan.size_of(body)) > 0.0]
    return replace(row, natural=max(1.0, plan.length / min(sizes))) if sizes else row


def residuals(scene: "PointScene", plan: Places) -> list[Pair]:
    """Return (Φ, Φ̇) of all own rows, in the order of `descriptions`."""
    found = [residual(scene, plan, condition) for condition in conditions(plan)]
    return found + [_pins(scene, joint) for joint in pinned(scene.model, plan)]


def residual(scene: "PointScene", plan: Places, condition: RigidCondition) -> Pair:
    """Return (Φ, Φ̇) of one condition."""
    spanned = scene.spanned[condition.body]
    if condition.kind == "length":
        (k,) = condition.which
        d, rate, length = spanned.directions[k], spanned.rates[k], spanned.length(k)
        gap = sub(dot(d, d), length * length)
        return mul(gap, 0.5 / length), mul(dot(d, rate), 1.0 / length)
    if condition.kind == "angle":
        k, j = condition.which
        d, e = spanned.directions[k], spanned.directions[j]
        d_rate, e_rate = spanned.rates[k], spanned.rates[j]
        d0, e0 = spanned.drawn[k], spanned.drawn[j]
        size = 1.0 / (spanned.length(k) * spanned.length(j))
        gap = sub(dot(d, e), dot(d0, e0))
        return mul(gap, size), mul(add(dot(d_rate, e), dot(d, e_rate)), size)
    if condition.kind == "size":
        (number,) = condition.which
        v, rate, *_ = scene.basic(number)
        length = scene.size(number)
        gap = sub(dot(v, v), length * length)
        return mul(gap, 0.5 / length), mul(dot(v, rate), 1.0 / length)
    number, axis = condition.which
    there = scene.basic(number)
    basic = plan.basics[number]
    drawn = [mul(basic.length, scene.number(e)) for e in basic.sides[condition.body]]
    if condition.kind == "place":
        here = spanned.point(drawn)
        return sub(there[0][axis], here[0][axis]), sub(there[1][axis], here[1][axis])
    across = triad_about(basic.sides[condition.body], scene.number)[axis]
    f, f_rate = spanned.carried(across)[:2]
    size = 1.0 / basic.length
    rate = add(dot(there[1], f), dot(there[0], f_rate))
    return mul(dot(there[0], f), size), mul(rate, size)


def _pins(scene: "PointScene", joint: Any) -> Pair:
    """a₁·a₂ of the pins of a cross, one in each body."""
    sides = ((joint.first, joint.axis_first), (joint.second, joint.axis_second))
    (a, a_rate), (b, b_rate) = (
        scene.moved(body, [scene.number(entry) for entry in axis]) for body, axis in sides
    )
    return dot(a, b), add(dot(a_rate, b), dot(a, b_rate))
