"""Basic points and vectors of a machine, and the frame of each body made of them.

A body is known by a base point and directions: other points counted from the base, and vectors.
In the plane one direction is enough, in space two span the third by their product, and three
are there by themselves. Points and vectors that joints share come first; what a body lacks is
its own: a named point of it, its mass centre, or a vector across.

Needs no CasADi: names and sizes are known before any equation is written.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import sqrt

from bellcrank.formulations.contract.rows import nominal_length
from bellcrank.formulations.points.basics import Basic, Places, PointFrame, value
from bellcrank.formulations.points.sharing import Drawn, SharedBasic, shared
from bellcrank.model import (
    Body,
    Model,
    Particle,
    mass_properties,
)
from bellcrank.model.expressions import Expression
from bellcrank.model.lines import BodyLine, felt
from bellcrank.spatial.arithmetic import cross, dot, minus, scaled

APART = 1e-3  # of the machine's length: points nearer to each other make no direction
ALONG = 1e-12  # what counts as on a line, of the machine's length
LEANING = 0.1  # sine of the angle at which a direction counts as independent
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def places(model: Model, constant: bool = False) -> Places:
    """Return the basic points and vectors of a model.

    Args:
        model: The machine.
        constant: Whether bodies in space get a third direction of their own where joints give
            two, so that their mass matrix is constant.
    """
    ties = shared(model)
    plan = _Plan(model, nominal_length(model), constant)
    plan.points = [_of_joint(tie, False) for tie in ties.points]
    plan.vectors = [_of_joint(tie, True) for tie in ties.vectors]
    frames = [plan.frame(body) for body in model.bodies]
    basics, number = _ordered(plan, frames, 2 if model.planar else 3)
    tied = set(ties.joints)
    loose = tuple(j.name for j in model.joints if not (j.name in tied or j.mobility.free))
    return Places(
        model.planar,
        plan.length,
        basics,
        {frame.body: _renumbered(frame, number) for frame in frames},
        ties.joints,
        loose,
    )


def _of_joint(tie: SharedBasic, vector: bool) -> Basic:
    words = ("axis", "axis_rate") if vector else ("position", "velocity")
    name, rate = (f"{tie.owner}.{word}" for word in words)
    return Basic(name, rate, tie.owner, vector, tie.sides, length=0.0 if vector else 1.0)


@dataclass
class _Plan:
    """Frames while they are chosen; points are numbered from 0 up, vectors from −1 down."""

    model: Model
    length: float
    constant: bool
    points: list[Basic] = field(default_factory=list)
    vectors: list[Basic] = field(default_factory=list)

    def basic(self, number: int) -> Basic:
        """Return a point or vector by its number."""
        return self.points[number] if number >= 0 else self.vectors[-1 - number]

    def _own_point(self, name: str, rate: str, owner: str, body: str, at: Drawn) -> int:
        """Return the number of a new point of one body."""
        self.points.append(Basic(name, rate, owner, False, {body: at}))
        return len(self.points) - 1

    def _own_vector(self, name: str, body: str, axis: Drawn, length: float) -> int:
        """Return the number of a new vector of one body."""
        self.vectors.append(Basic(name, f"{name}_rate", body, True, {body: axis}, length))
        return -len(self.vectors)

    def frame(self, body: Body | Particle) -> PointFrame:
        """Return the frame of a body, with points and vectors of its own where it lacks any."""
        name = body.name
        points = [i for i, point in enumerate(self.points) if name in point.sides]
        inner = [joint for joint in self.model.joints if joint.second == name]
        owners = {joint.name for joint in inner}
        points.sort(key=lambda i: self.points[i].owner not in owners)
        vectors = [-1 - i for i, vector in enumerate(self.vectors) if name in vector.sides]
        if isinstance(body, Particle) and self._spinless(body, points):
            return PointFrame(name, points[0] if points else self._point_of(body, []))
        if not points:
            points = [self._point_of(body, [])]
        needed = 1 if self.model.planar else 2
        chosen = self._chosen(name, points, vectors)
        if len(chosen) < needed and len(points) == 1:
            fresh = self._point_of(body, [self._drawn(name, p) for p in points])
            inward = (
                self.points[points[0]].owner in owners or self.points[points[0]].owner == name
            )
            points = [*points, fresh] if inward else [fresh, *points]
            chosen = self._chosen(name, points, vectors)
        if len(chosen) == 1 and not vectors and self._is_rod(body, points, chosen[0]):
            others = tuple(n for n in points[1:] if n not in chosen)
            return PointFrame(name, points[0], chosen, others)
        missing = needed - len(chosen)
        if self.constant and not self.model.planar:
            missing = 3 - len(chosen)
        for _ in range(missing):
            chosen = (*chosen, self._across(name, points[0], chosen))
        self._stretch(name, points[0], chosen)
        others = tuple(n for n in (*points[1:], *vectors) if n not in chosen)
        return PointFrame(name, points[0], chosen, others)

    def _spinless(self, body: Particle, points: Sequence[int]) -> bool:
        """Return whether nothing holds the attitude of a particle."""
        joints = [j for j in self.model.joints if body.name in (j.first, j.second)]
        here = [value(entry) for entry in mass_properties(body).com]
        return all(j.mobility.ball for j in joints) and all(
            self._drawn(body.name, p) == here for p in points
        )

    def _is_rod(self, body: Body | Particle, points: Sequence[int], end: int) -> bool:
        """Return whether a body is a thin rod along its points, whose own turn nobody feels."""
        properties = mass_properties(body)
        numbers = [*properties.com, *(entry for row in properties.inertia for entry in row)]
        numbers += [entry for p in points for entry in self.basic(p).sides[body.name]]
        joints = [j for j in self.model.joints if body.name in (j.first, j.second)]
        if self.model.planar or any(isinstance(entry, Expression) for entry in numbers):
            return False
        if not all(joint.mobility.ball for joint in joints):
            return False
        base, d = self._drawn(body.name, points[0]), self._direction(body.name, points[0], end)
        e = scaled(1.0 / sqrt(dot(d, d)), d)
        arms = [minus(self._drawn(body.name, p), base) for p in points]
        arms.append(minus([float(entry) for entry in properties.com], base))
        across = (_across_all(arm, [e]) for arm in arms)
        J = [list(map(float, row)) for row in properties.inertia]
        spin = max(abs(dot(row, e)) for row in J)
        thin = spin <= ALONG * max(J[i][i] for i in range(3))
        slim = thin and all(sqrt(dot(a, a)) <= ALONG * self.length for a in across)
        return slim and not felt(self.model, BodyLine(body.name, base, d))

    def _drawn(self, body: str, number: int) -> Sequence[float]:
        basic = self.basic(number)
        return [value(entry) * (basic.length or 1.0) for entry in basic.sides[body]]

    def _direction(self, body: str, base: int, number: int) -> Sequence[float]:
        at = self._drawn(body, number)
        return at if number < 0 else minus(at, self._drawn(body, base))

    def _chosen(self, body: str, points: list[int], vectors: list[int]) -> tuple[int, ...]:
        """Return independent directions, points before vectors."""
        most = 1 if self.model.planar else 3
        chosen: list[int] = []
        spanned: list[Sequence[float]] = []
        candidates = [*self._by_distance(body, points), *([] if self.model.planar else vectors)]
        for number in candidates:
            d = self._direction(body, points[0], number)
            size = sqrt(dot(d, d))
            if len(chosen) == most or (number >= 0 and size < APART * self.length):
                continue
            rest = _across_all(scaled(1.0 / size, d), spanned)
            leaning = sqrt(dot(rest, rest))
            if leaning > LEANING:
                chosen.append(number)
                spanned.append(scaled(1.0 / leaning, rest))
        return tuple(chosen)

    def _by_distance(self, body: str, points: list[int]) -> list[int]:
        def away(number: int) -> float:
            d = self._direction(body, points[0], number)
            return -dot(d, d)

        return sorted(points[1:], key=away)

    def _point_of(self, body: Body | Particle, others: Sequence[Sequence[float]]) -> int:
        """Return a new point of a body, away from others: named, its mass centre, or made."""
        name, com = body.name, mass_properties(body).com
        far = lambda at: all(  # noqa: E731
            sqrt(dot(d, d)) > APART * self.length
            for d in (minus([value(e) for e in at], other) for other in others)
        )
        for point in self.model.points if others else ():
            if point.body == name and far(point.at):
                words = f"{point.name}.position", f"{point.name}.velocity"
                return self._own_point(*words, point.name, name, tuple(point.at))
        if far(com):
            words = f"{name}.position", f"{name}.velocity"
            return self._own_point(*words, name, name, tuple(com))
        made = (com[0] + 0.3 * self.length, *com[1:])
        return self._own_point(f"{name}.point", f"{name}.point_rate", name, name, made)

    def _across(self, body: str, base: int, chosen: tuple[int, ...]) -> int:
        """Return a new vector of a body that is perpendicular to the directions it has."""
        spanned: list[Sequence[float]] = []
        for number in chosen:
            rest = _across_all(self._direction(body, base, number), spanned)
            spanned.append(scaled(1.0 / sqrt(dot(rest, rest)), rest))
        if len(spanned) == 2:
            axis = cross(spanned[0], spanned[1])
        else:
            rests = [_across_all(axis, spanned) for axis in AXES]
            sizes = [round(dot(rest, rest), 9) for rest in rests]
            rest = rests[sizes.index(max(sizes))]
            axis = scaled(1.0 / sqrt(dot(rest, rest)), rest)
        mine = sum(vector.owner == body for vector in self.vectors)
        name = f"{body}.vector{mine + 1 if mine else ''}"
        length = self._reach(body, base, chosen)
        return self._own_vector(name, body, tuple(axis), length)

    def _reach(self, body: str, base: int, chosen: tuple[int, ...]) -> float:
        """Return the length of a body: from its base to the first point it counts."""
        for number in chosen:
            if number >= 0:
                d = self._direction(body, base, number)
                return sqrt(dot(d, d))
        return self.length

    def _stretch(self, body: str, base: int, chosen: tuple[int, ...]) -> None:
        """Make vectors without a length as long as the first body they belong to."""
        for number in chosen:
            if number < 0 and self.basic(number).length == 0.0:
                length = self._reach(body, base, chosen)
                self.vectors[-1 - number] = replace(self.basic(number), length=length)


def _across_all(d: Sequence[float], spanned: Sequence[Sequence[float]]) -> Sequence[float]:
    for e in spanned:
        d = minus(d, scaled(dot(e, d), e))
    return d


def _ordered(
    plan: _Plan, frames: list[PointFrame], size: int
) -> tuple[tuple[Basic, ...], dict[int, int]]:
    """Return the basics in the order of the bodies that have them, points first."""
    met = [n for frame in frames for n in (frame.base, *frame.directions, *frame.others)]
    unique = list(dict.fromkeys(met))
    unique.sort(key=lambda number: number < 0)
    basics, start = [], 0
    for number in unique:
        basic = plan.basic(number)
        length = basic.length or plan.length
        moving = basic.fixed is None
        basics.append(replace(basic, length=length, start=start if moving else -1))
        start += size if moving else 0
    return tuple(basics), {number: i for i, number in enumerate(unique)}


def _renumbered(frame: PointFrame, number: dict[int, int]) -> PointFrame:
    return PointFrame(
        frame.body,
        number[frame.base],
        tuple(number[n] for n in frame.directions),
        tuple(number[n] for n in frame.others),
    )
