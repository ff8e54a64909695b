"""Moving and mirroring a whole machine.

Both are maps p → M p + r of the drawing, M orthogonal: a rotation (det M = 1) or a mirror
S = I − 2 n nᵀ (det M = −1). The machine is the same machine elsewhere, or its mirror image:
with the same values of its coordinates it moves as the image of the old one, forces and drives
included. Gravity belongs to the world and stays as it is; a mirror image moves as one where
gravity lies in the plane of the mirror.

The rules, s = det M:
    points              M p + r
    polar vectors       M v: slides, forces, lines
    axial vectors       s M v: axes of rotation, torques, angular velocities
    body frames         M R Dᵀ, where D = I for a move and D = S for a mirror, so that frames
                        stay right-handed; components along body axes become D v or s D v, and
                        the inertia D I Dᵀ. Ground and particles keep frames parallel to the
                        world: for them D = M
    scalar coordinates  keep their value, except that a mirror turns the sign of an offset
                        along an axis that serves an angle, too; so does the lead of a thread,
                        right-handed ones becoming left-handed
    vector coordinates  position and orientation change as components along the axes they are
                        given in
Expressions that read the motion are rewritten to read the same quantity of the new machine.
"""

import dataclasses
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bellcrank.errors import ModelError
from bellcrank.model import edit
from bellcrank.model.algebra import Matrix, Number, Vector, congruent, reflection
from bellcrank.model.elements import fields
from bellcrank.model.elements.bodies import Body, Particle
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.joint import Joint
from bellcrank.model.elements.mobility import LETTERS
from bellcrank.model.elements.walking import with_expressions
from bellcrank.model.expressions import Expression
from bellcrank.model.graph import GROUND
from bellcrank.model.matter.meshes import Mesh
from bellcrank.model.matter.shapes import Box, Disc, Ellipsoid, PointMasses, Shape, Torus
from bellcrank.model.mirrored_signals import linear_image, rewritten
from bellcrank.model.pose import Pose
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    apply,
    plus,
    product,
    scaled,
    scaled_matrix,
    transpose,
)


@dataclass(frozen=True)
class Isometry:
    """The map p → M p + r, and what it does to a given machine.

    Attributes:
        model: The machine.
        matrix: M, orthogonal, shape (3, 3).
        shift: r [m], shape (3,).
        sign: det M, 1 or −1.
    """

    model: Any
    matrix: Matrix
    shift: Vector = ORIGIN
    sign: float = 1.0

    def point(self, p: Vector) -> Vector:
        """Return M p + r."""
        return plus(apply(self.matrix, p), self.shift)

    def polar(self, v: Vector) -> Vector:
        """Return M v."""
        return apply(self.matrix, v)

    def axial(self, v: Vector) -> Vector:
        """Return s M v."""
        return scaled(self.sign, self.polar(v))

    def axes_of(self, body: str) -> Matrix:
        """Return D of a body: new components along its axes are D times the old ones."""
        fixed = body == GROUND or isinstance(self.model[body], Particle)
        return self.matrix if self.sign < 0 or fixed else IDENTITY

    def frame(self, R: Matrix) -> Matrix:
        """Return the image of axes whose senses do not matter, as a right-handed frame."""
        if self.sign > 0:
            return product(self.matrix, R)
        if self._aligned:
            return congruent(self.matrix, R)  # a box along the world stays along the world
        return scaled_matrix(-1.0, product(self.matrix, R))

    @cached_property
    def _aligned(self) -> bool:
        return all(self.matrix[i][j] == 0.0 for i in range(3) for j in range(3) if i != j)

    def linear_image(self, speed: str) -> list[tuple[str, Number]]:
        """Return the new speeds, each with its factor, whose sum is an old one."""
        return linear_image(speed, self)

    def flips(self, joint: str, coordinate: str) -> bool:
        """Return whether a scalar coordinate of a joint turns its sign."""
        reversed_ones = self.model[joint].mobility.mirrored
        return self.sign < 0 and coordinate.removesuffix("_rate") in reversed_ones


def moved(model: Any, pose: Pose) -> Any:
    """Return the machine carried from the world frame to a pose.

    Raises:
        ModelError: The pose is wrong, or a drive prescribes what cannot be turned.
    """
    if not isinstance(pose, Pose):
        raise ModelError(f"moved takes a Pose, got {fields.short(pose)}.")
    ModelError.gather(f"moved: {complaint}" for complaint in pose.complaints)
    return _image(model, Isometry(model, pose.rotation, pose.position))


def mirrored(model: Any, axis: Any) -> Any:
    """Return the mirror image through the plane through the origin and normal to an axis.

    Raises:
        ModelError: The axis is wrong, or a drive prescribes what cannot be mirrored.
    """
    try:
        n: Any = fields.axis(axis)
    except fields.Refused as refused:
        raise ModelError(f"mirrored: axis{refused}") from None
    if not all(type(x) is float for x in n):
        raise ModelError("mirrored: axis must be plain numbers, not expressions.")
    return _image(model, Isometry(model, reflection(n), sign=-1.0))


def _image(model: Any, iso: Isometry) -> Any:
    complaints: list[str] = []
    groups = {
        group: tuple(_element(element, iso, complaints) for element in getattr(model, group))
        for group in edit.GROUPS
    }
    ModelError.gather(complaints)
    return edit.rebuilt(model, groups)


def _element(element: Any, iso: Isometry, complaints: list[str]) -> Any:
    """Return the image of an element."""
    laws = getattr(element, "LAWS", ())

    def law(field: str, expr: Expression) -> Expression:
        return rewritten(expr, iso) if field in laws else expr

    element = with_expressions(element, law)
    changes: dict[str, Any] = _places(element, iso)
    if isinstance(element, Body):
        changes |= _body(element, iso)
    elif isinstance(element, Joint):
        changes |= _joint(element, iso)
    elif element.KIND in ("force", "constraint"):
        changes |= element.image(iso)
    elif isinstance(element, Drive):
        try:
            changes["motion"] = _motion(element, iso)
        except fields.Refused as refused:
            complaints.append(f"driver {element.name!r}: {refused}")
    return dataclasses.replace(element, **changes)


def _places(element: Any, iso: Isometry) -> dict[str, Any]:
    """Return the images of points, ends, and lines whose sense does not matter."""
    changes: dict[str, Any] = {}
    for field in getattr(element, "POINTS", ()):
        value = getattr(element, field)
        if value is not None:
            sided = isinstance(value[0], tuple)
            changes[field] = tuple(map(iso.point, value)) if sided else iso.point(value)
    for field in getattr(element, "ENDS", ()):
        if isinstance(end := getattr(element, field), tuple):
            changes[field] = (end[0], iso.point(end[1]))
    for field in getattr(element, "AXES", ()):
        changes[field] = iso.polar(getattr(element, field))
    return changes


def _body(body: Body, iso: Isometry) -> dict[str, Any]:
    D = iso.axes_of(body.name)
    rotation = product(product(iso.matrix, body.pose.rotation), transpose(D))
    changes: dict[str, Any] = {"pose": Pose(iso.point(body.pose.position), rotation)}
    changes["shapes"] = tuple(_shape(shape, iso) for shape in body.shapes)
    if body.com is not None:
        changes["com"] = iso.point(body.com)
    if body.inertia is not None:
        changes["inertia"] = congruent(D, body.inertia)
    return changes


def _shape(shape: Any, iso: Isometry) -> Shape:
    changes: dict[str, Any] = {f: iso.point(getattr(shape, f)) for f in shape.POINTS}
    if isinstance(shape, Disc | Torus):
        changes["axis"] = iso.polar(shape.axis)
    elif isinstance(shape, Box | Ellipsoid):
        changes["rotation"] = iso.frame(shape.rotation)
    elif isinstance(shape, PointMasses):
        changes["points"] = tuple(map(iso.point, shape.points))
    elif isinstance(shape, Mesh):
        # A mirrored mesh is the mesh scaled by −1, turned by −S R.
        rotation = scaled_matrix(iso.sign, product(iso.matrix, shape.pose.rotation))
        changes["pose"] = Pose(iso.point(shape.pose.position), rotation)
        changes["scale"] = scaled(iso.sign, shape.scale)
    return dataclasses.replace(shape, **changes)


def _joint(joint: Joint, iso: Isometry) -> dict[str, Any]:
    mobility = joint.mobility
    changes: dict[str, Any] = {}
    for field, letter in joint.TRIAD.items():
        image = iso.axial if mobility.axial(letter) else iso.polar
        value = getattr(joint, field)
        if value is not None:
            sided = isinstance(value[0], tuple)
            changes[field] = tuple(map(image, value)) if sided else image(value)
    changes |= _ruled(joint, iso, changes)
    if mobility.lead:
        changes[mobility.lead] = iso.sign * getattr(joint, mobility.lead)
    if any(motion.whole and not motion.turns for motion in mobility.motions):
        changes["drawn"] = apply(iso.axes_of(joint.first), joint.drawn)
    elif mobility.mirrored:
        pairs = zip(joint.coordinates, joint.drawn, strict=True)
        changes["drawn"] = tuple(
            iso.sign * x if c in mobility.mirrored else x for c, x in pairs
        )
    return changes


def _ruled(joint: Joint, iso: Isometry, changes: dict[str, Any]) -> dict[str, Any]:
    """Return the images of axes that may be left to a rule: None where it gives the image."""
    found: dict[str, Any] = {}
    for field, letter in joint.TRIAD.items():
        drawn = joint.directions[LETTERS.index(letter)]
        if field == "axis" or drawn is None or not hasattr(type(joint), field):
            continue  # what has no default is always drawn
        image = iso.axial(drawn) if joint.mobility.axial(letter) else iso.polar(drawn)
        usual = dataclasses.replace(joint, **(changes | {field: None}))
        found[field] = None if image == usual.directions[LETTERS.index(letter)] else image
    return found


def _motion(drive: Drive, iso: Isometry) -> tuple[tuple[str, Any], ...]:
    """Return the image of a prescribed motion."""
    target = iso.model[drive.of]
    given = dict(drive.motion)
    kept: dict[str, Any] = {
        coordinate: -motion if isinstance(target, Joint) and iso.flips(drive.of, coordinate)
        else motion
        for coordinate, motion in drive.motion
        if not coordinate.startswith("position_")
    }  # fmt: skip
    places: list[Any] = [given.get(f"position_{k}") for k in "xyz"]
    if all(place is None for place in places):
        return tuple(kept.items())
    on_point = not isinstance(target, Joint)
    M = iso.matrix if on_point else iso.axes_of(target.first)
    shift = iso.shift if on_point else ORIGIN
    for row, start, k in zip(M, shift, "xyz", strict=True):
        used = [(m, place) for m, place in zip(row, places, strict=True) if not _negligible(m)]
        if all(place is not None for _, place in used):
            kept[f"position_{k}"] = sum((m * place for m, place in used), start=start)
    if len(kept) != len(given):
        raise fields.Refused(
            f"prescribes some components of the position of {drive.of!r} only, "
            "which are no components along the axes after the turn; prescribe all three."
        )
    return tuple(kept.items())


def _negligible(entry: Any) -> bool:
    """Return whether an entry of a rotation is zero but for rounding."""
    return isinstance(entry, float) and abs(entry) < 1e-14
