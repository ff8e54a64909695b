"""Bodies, particles and named points of them."""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from bellcrank.model.algebra import Matrix, Number, nominal
from bellcrank.model.elements import fields, given
from bellcrank.model.elements.fields import Door, Refused
from bellcrank.model.elements.given import (
    NumberLike,
    NumberOrNone,
    PointLike,
    PointOrNone,
    RowsOrNone,
)
from bellcrank.model.matter.mass import (
    MassProperties,
    combine,
    inadmissible,
    plain,
    rotate_inertia,
    with_mass,
)
from bellcrank.model.matter.shapes import Shape
from bellcrank.model.pose import STRAIGHT, Pose, pose
from bellcrank.spatial.arithmetic import IDENTITY, scaled_matrix


@dataclass(frozen=True, init=False)
class Body:
    """A rigid body.

    Shapes give mass, mass centre, inertia and a picture; explicit numbers override them. With
    an explicit mass the distribution of the shapes is kept, and inertia grows in proportion:
    shapes that have no mass of their own share it by volume. Explicit `com` or `inertia` take
    the place of that one number and leave the others.

    Attributes:
        name: Unique in the model.
        shapes: What it is made of, in world numbers of the drawing.
        mass: [kg], None to take that of the shapes.
        com: Mass centre, world numbers of the drawing [m], shape (3,); None to take that of
            the shapes or, without shapes, the origin of `pose`.
        inertia: About the mass centre along body axes [kg m²]: 3×3, or the tensor entries
            (xx, yy, zz, xy, xz, yz); None to take that of the shapes.
        pose: Of the body frame in the drawing; as a default it coincides with the world.
        as_given: Whether mass and inertia are taken as they are, even where no distribution
            of mass has them: a mass of zero, moments that break c ≤ a + b. Files of robots have
            such links.

    Examples:
        >>> from bellcrank.model import Rod
        >>> mass_properties(Body("crank", Rod((0, 0, 0), (0, 0, 1), mass=12.0))).inertia[0]
        (1.0, 0.0, 0.0)
    """

    KIND: ClassVar[str] = "body"
    name: str
    shapes: tuple[Shape, ...]
    mass: NumberOrNone
    com: PointOrNone
    inertia: RowsOrNone
    pose: Pose
    as_given: bool

    def __init__(
        self,
        name: str,
        *shape: Shape,
        shapes: tuple[Shape, ...] = (),
        mass: given.Number | None = None,
        com: given.Numbers | None = None,
        inertia: given.Numbers | given.Rows | None = None,
        pose: Pose = STRAIGHT,
        as_given: bool = False,
    ) -> None:
        taken = (
            ("name", name),
            ("shapes", (*shape, *_listed(shapes))),
            ("mass", mass),
            ("com", com),
            ("inertia", inertia),
            ("pose", pose),
            ("as_given", as_given),
        )
        for field, value in taken:
            object.__setattr__(self, field, value)
        door = Door(self, f"body {name!r}")
        _take_body(door, self)
        if not door.complaints:
            _check_mass(door, self)
        door.close()

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, mass centre and inertia, world numbers of the drawing."""
        explicit = None not in (self.mass, self.com, self.inertia)
        base = None if explicit or not self.shapes else _of_shapes(self)
        if base is None:
            com = self.pose.position if self.com is None else fields.padded(self.com)
            base = MassProperties(self.mass, com, scaled_matrix(0.0, IDENTITY))
        com = base.com if self.com is None else fields.padded(self.com)
        inertia = base.inertia
        if self.inertia is not None:
            inertia = rotate_inertia(self.pose.rotation, self.inertia)
        return plain(MassProperties(base.mass, com, inertia))


@dataclass(frozen=True)
class Particle:
    """A point mass; its frame is parallel to the world, and its inertia is zero.

    Attributes:
        name: Unique in the model.
        mass: [kg].
        at: Where it is in the drawing [m], shape (3,).

    Examples:
        >>> import bellcrank as bc
        >>> bc.Particle("bob", 0.5, (0, 0, -1)).mass
        0.5
    """

    KIND: ClassVar[str] = "body"
    POINTS: ClassVar[tuple[str, ...]] = ("at",)
    name: str
    mass: NumberLike
    at: PointLike

    def __post_init__(self) -> None:
        door = Door(self, f"body {self.name!r}")
        door.take("name", fields.name)
        door.take("mass", fields.real, unit="kg", sign="positive")
        door.take("at", fields.point)
        door.close()

    @property
    def pose(self) -> Pose:
        """Its frame in the drawing: parallel to the world, at the particle."""
        return Pose(fields.padded(self.at))

    @property
    def shapes(self) -> tuple[Shape, ...]:
        """A particle has no shape."""
        return ()

    @cached_property
    def mass_properties(self) -> MassProperties:
        """Mass, mass centre and zero inertia."""
        return MassProperties(self.mass, fields.padded(self.at), scaled_matrix(0.0, IDENTITY))


@dataclass(frozen=True)
class Point:
    """A named place on a body, whose motion is recorded and which others may refer to.

    Attributes:
        name: Unique in the model.
        body: The body that carries it, or `"ground"`.
        at: Where it is in the drawing [m], shape (3,).

    Examples:
        >>> import bellcrank as bc
        >>> bc.Point("tip", "rod", at=(1, 0, 0)).body
        'rod'
    """

    KIND: ClassVar[str] = "point"
    POINTS: ClassVar[tuple[str, ...]] = ("at",)
    name: str
    body: str
    at: PointLike

    def __post_init__(self) -> None:
        door = Door(self, f"point {self.name!r}")
        door.take("name", fields.name)
        door.take("body", fields.name)
        door.take("at", fields.point)
        door.close()


def mass_properties(body: Body | Particle) -> MassProperties:
    """Return mass, mass centre and inertia of a body.

    Returns:
        Numbers, or expressions where parameters are in it: the mass [kg]; the mass centre in
        world numbers of the drawing [m]; the inertia about it along the world axes of the
        drawing [kg m²].

    Examples:
        >>> import bellcrank as bc
        >>> bc.mass_properties(bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0),
        ...     mass=2.0))).mass
        2.0
    """
    return body.mass_properties


def _take_body(door: Door, body: Body) -> None:
    door.take("name", fields.name)
    door.take("shapes", _shapes)
    if not isinstance(body.as_given, bool):
        door.say(f"as_given is True or False, got {fields.short(body.as_given)}.")
    if body.mass is not None:
        sign = "nonnegative" if body.as_given is True else "positive"
        door.take("mass", fields.real, unit="kg", sign=sign)
    if body.com is not None:
        door.take("com", fields.point)
    if body.inertia is not None:
        door.take("inertia", _inertia)
    if door.take("pose", pose):
        for complaint in body.pose.complaints:
            door.say(f"pose: {complaint}")


def _check_mass(door: Door, body: Body) -> None:
    """Complain about a mass that is missing or not positive, or an impossible inertia."""
    try:
        if lacking := _lacking(body):
            door.say(lacking)
            return
        properties = body.mass_properties
    except Refused as refused:  # a mesh that cannot be read
        door.say(str(refused))
        return
    size = nominal(properties.mass)
    if size is not None and not (size > 0.0 or (body.as_given and size == 0.0)):
        door.say(f"mass must be positive [kg], got {size:.9g}.")
    elif size == math.inf:
        door.say("mass must be a finite number [kg], got inf.")
    elif fault := inadmissible(properties.inertia, as_given=body.as_given):
        door.say(f"inertia belongs to no rigid body: {fault}.")


def _lacking(body: Body) -> str:
    """Return what mass, inertia or density there is none of, or an empty string."""
    if None not in (body.mass, body.com, body.inertia):
        return ""
    if not body.shapes:
        if body.mass is None:
            return "mass is needed [kg], from shapes or as mass=."
        if body.inertia is None:
            return (
                "inertia is needed, from shapes or as inertia= 3×3 or (xx, yy, zz, xy, xz, yz) "
                "[kg m²]; a point mass is a Particle."
            )
        return ""
    bare = [type(s).__name__ for s in body.shapes if s.mass is None and s.density is None]
    flat = [type(s).__name__ for s in body.shapes if s.volume is None]
    if bare and body.mass is None:
        return f"{bare[0]} needs a mass or a density, or the body a mass; 0 for a picture only."
    if bare and len(bare) < len(body.shapes):
        return f"{bare[0]} needs a mass or a density, since other shapes have one."
    if bare and flat and len(body.shapes) > 1:
        return f"{flat[0]} has no volume, so that it needs a mass of its own."
    return ""


def _of_shapes(body: Body) -> MassProperties:
    """Return the mass properties of the shapes together, scaled to an explicit mass."""
    weights: list[Number] = []
    for shape in body.shapes:
        weight = shape.weight if shape.weight is not None else shape.volume
        weights.append(1.0 if weight is None else weight)
    parts = [
        shape.spread(weight)
        for shape, weight in zip(body.shapes, weights, strict=True)
        if not (isinstance(weight, float) and weight == 0.0)
    ]
    if not parts:
        return MassProperties(0.0, body.pose.position, scaled_matrix(0.0, IDENTITY))
    if body.mass is None:
        return combine(parts)
    return with_mass(combine(parts), body.mass)


def _listed(value: Any) -> tuple[Any, ...]:
    return tuple(value) if isinstance(value, list | tuple) else (value,)


def _shapes(value: Any) -> tuple[Shape, ...]:
    for i, item in enumerate(value):
        if not isinstance(item, Shape):
            raise Refused(
                f"[{i}] must be a shape such as Rod or Box, got {fields.short(item)}."
            )
    return tuple(value)


def _inertia(value: Any) -> Matrix:
    """Return the 3×3 tensor from its rows or from its six entries."""
    size = len(value) if hasattr(value, "__len__") and not isinstance(value, str) else None
    if size == 6:
        xx, yy, zz, xy, xz, yz = fields.vector(value, unit="kg m²", sizes=(6,))
        return (xx, xy, xz), (xy, yy, yz), (xz, yz, zz)
    if size != 3 or not all(hasattr(row, "__len__") for row in value):
        got = fields.short(value) if size is None else size
        raise Refused(f" needs 3×3 entries or (xx, yy, zz, xy, xz, yz) [kg m²], got {got}.")
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = fields.matrix(value, unit="kg m²")
    largest = max(abs(nominal(x) or 0.0) for x in (xx, yy, zz, xy, xz, yz))
    for a, b, where in ((xy, yx, "xy"), (xz, zx, "xz"), (yz, zy, "yz")):
        one, other = nominal(a), nominal(b)
        if one is not None and other is not None and abs(one - other) > 1e-9 * largest:
            raise Refused(f" must be symmetric; {where} is {one:.9g} and {other:.9g}.")
    upper = [_mean(a, b) for a, b in ((xy, yx), (xz, zx), (yz, zy))]
    return (xx, upper[0], upper[1]), (upper[0], yy, upper[2]), (upper[1], upper[2], zz)


def _mean(a: Number, b: Number) -> Number:
    both = isinstance(a, float) and isinstance(b, float)
    return 0.5 * (a + b) if both else a
