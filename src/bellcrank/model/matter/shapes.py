"""Shapes: what a body looks like, and what its mass, centre and inertia are by formula.

A shape lives in the drawing: its points are world numbers. Its mass is given, or follows from
a density, or is left to the body, which spreads its own mass over its shapes by volume. A mass
of 0 makes a shape a picture only. What is wrong with a shape is said when it is made.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

from bellcrank.model.algebra import Number, Vector, congruent, diagonal, nominals, norm, unit
from bellcrank.model.elements import fields
from bellcrank.model.elements.given import (
    AxisLike,
    NumberLike,
    NumberOrNone,
    NumbersLike,
    PointLike,
    PointsLike,
    RotationLike,
    default,
)
from bellcrank.model.matter import solids
from bellcrank.model.matter.mass import (
    MassProperties,
    axisymmetric,
    combine,
    second_to_inertia,
    with_mass,
)
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    minus,
    outer,
    plus,
    scaled,
    scaled_matrix,
)


class Shape(ABC):
    """The base of all shapes.

    Attributes:
        mass: Its mass [kg], or None.
        density: Its density [kg/m³], or None; not both.
    """

    POINTS: ClassVar[tuple[str, ...]] = ()  # the fields that are points of the drawing
    mass: NumberOrNone
    density: NumberOrNone = default(None)

    @property
    def volume(self) -> Number | None:
        """Its volume [m³]; None where it has none, as a thin rod."""
        return None

    @property
    def weight(self) -> Number | None:
        """The mass it was given [kg], directly or by its density; None if neither was."""
        if self.mass is not None or self.density is None or self.volume is None:
            return self.mass
        return self.density * self.volume

    @abstractmethod
    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties with this mass spread evenly over the shape."""

    def _door(self) -> fields.Door:
        """Check the points and the mass; return the door for what else there is."""
        door = fields.Door(self, type(self).__name__)
        for field in self.POINTS:
            door.take(field, fields.point)
        if self.mass is not None:
            door.take("mass", fields.real, unit="kg", sign="nonnegative")
        if self.density is not None:
            door.take("density", fields.real, unit="kg/m³", sign="nonnegative")
            if self.mass is not None:
                door.say("takes mass or density, got both.")
        return door


class _Axial(Shape):
    """A shape along the line from `start` to `end`."""

    POINTS = ("start", "end")
    start: PointLike
    end: PointLike

    def _door(self) -> fields.Door:
        door = super()._door()
        if not door.complaints and nominals(d := self._line()) == (0.0, 0.0, 0.0):
            shown = ", ".join(f"{x:.9g}" for x in nominals(fields.padded(self.start)) or d)
            door.say(f"start and end must differ, got ({shown}) for both.")
        return door

    def _line(self) -> Vector:
        return minus(fields.padded(self.end), fields.padded(self.start))

    def _along(self, mass: Number, moments: solids.Moments) -> MassProperties:
        middle = scaled(0.5, plus(fields.padded(self.start), fields.padded(self.end)))
        inertia = axisymmetric(moments[0], moments[2], unit(self._line()))
        return MassProperties(mass, middle, inertia)


@dataclass(frozen=True)
class Rod(_Axial):
    """A straight rod from `start` to `end`; thin unless a radius is given.

    Attributes:
        start: One end [m].
        end: The other end [m].
        mass: [kg]; None leaves it to the body.
        radius: None for a thin rod, whose inertia about its own line is zero; a number for a
            solid round bar [m].

    Examples:
        >>> import bellcrank as bc
        >>> bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=2.0)).shapes[0].mass
        2.0
    """

    start: PointLike
    end: PointLike
    mass: NumberOrNone = default(None)
    radius: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        if self.radius is not None:
            door.take("radius", fields.real, unit="m", sign="positive")
        door.close()

    @property
    def volume(self) -> Number | None:
        """π r² L of a round bar [m³]; a thin rod has none."""
        if self.radius is None:
            return None
        return solids.cylinder_volume(self.radius, norm(self._line()))

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a bar of this mass."""
        d = self._line()
        if self.radius is not None:
            return self._along(mass, solids.cylinder(mass, self.radius, norm(d)))
        middle = scaled(0.5, plus(fields.padded(self.start), fields.padded(self.end)))
        # m/12 (d·d E − d dᵀ): no square root, and exactly zero along the rod.
        moments = scaled_matrix(mass / 12.0, outer(d, d))
        return MassProperties(mass, middle, second_to_inertia(moments))


@dataclass(frozen=True)
class Cylinder(_Axial):
    """A solid round cylinder between two face centres.

    Attributes:
        start: Centre of one face [m].
        end: Centre of the other face [m].
        radius: [m].
        mass: [kg].
        density: [kg/m³], instead of the mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Cylinder((0, 0, 0), (0, 0, 1), radius=0.05, mass=3.0).radius
        0.05
    """

    start: PointLike
    end: PointLike
    radius: NumberLike
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        door.close()

    @property
    def volume(self) -> Number:
        """π r² h [m³]."""
        return solids.cylinder_volume(self.radius, norm(self._line()))

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a cylinder of this mass."""
        return self._along(mass, solids.cylinder(mass, self.radius, norm(self._line())))


@dataclass(frozen=True)
class Capsule(_Axial):
    """A cylinder with a half-ball on each face.

    Attributes:
        start: Centre of one half-ball [m].
        end: Centre of the other [m].
        radius: Of the cylinder and of the half-balls [m].
        mass: [kg].
        density: [kg/m³], instead of the mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Capsule((0, 0, 0), (0, 0, 1), radius=0.05, mass=3.0).radius
        0.05
    """

    start: PointLike
    end: PointLike
    radius: NumberLike
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        door.close()

    @property
    def volume(self) -> Number:
        """π r² (h + 4r/3) [m³]."""
        return solids.capsule_volume(self.radius, norm(self._line()))

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a capsule of this mass."""
        return self._along(mass, solids.capsule(mass, self.radius, norm(self._line())))


@dataclass(frozen=True)
class Tube(_Axial):
    """A hollow round cylinder between two face centres.

    Attributes:
        start: Centre of one face [m].
        end: Centre of the other face [m].
        radius: Outside [m].
        inner: Inside [m], below `radius`; equal to it for a thin one, which takes a mass.
        mass: [kg].
        density: [kg/m³], instead of the mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Tube((0, 0, 0), (0, 0, 1), 0.05, 0.04, mass=2.0).inner
        0.04
    """

    start: PointLike
    end: PointLike
    radius: NumberLike
    inner: NumberLike
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        door.take("inner", fields.real, unit="m", sign="positive")
        if not door.complaints:
            found = nominals((self.radius, self.inner, 0.0))
            if found is not None and found[1] > found[0]:
                door.say(f"inner is at most radius, got {found[1]:.9g} and {found[0]:.9g} m.")
        door.close()

    @property
    def volume(self) -> Number:
        """π (r² − i²) h [m³]."""
        return solids.tube_volume(self.radius, self.inner, norm(self._line()))

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a tube of this mass."""
        length = norm(self._line())
        return self._along(mass, solids.tube(mass, self.radius, self.inner, length))


@dataclass(frozen=True)
class Cone(_Axial):
    """A round cone from the centre of its base to its tip.

    Attributes:
        start: Centre of the base [m].
        end: The tip [m].
        radius: Of the base [m].
        mass: [kg].
        density: [kg/m³], instead of the mass.
        hollow: Whether it is its side alone, a thin sheet without base, which takes a mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Body("tip", bc.Cone((0, 0, 0), (0, 0, 1), radius=0.2,
        ...     mass=3.0)).shapes[0].mass
        3.0
    """

    start: PointLike
    end: PointLike
    radius: NumberLike
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)
    hollow: bool = False

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        _check_shell(self, door)
        door.close()

    @property
    def volume(self) -> Number | None:
        """π r² h/3 [m³]; a thin sheet has none."""
        if self.hollow:
            return None
        return solids.cone_volume(self.radius, norm(self._line()))

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a cone of this mass."""
        line = self._line()
        moments = solids.cone_shell if self.hollow else solids.cone
        across, _, along = moments(mass, self.radius, norm(line))
        com = plus(fields.padded(self.start), scaled(1.0 / 3.0 if self.hollow else 0.25, line))
        return MassProperties(mass, com, axisymmetric(across, along, unit(line)))


@dataclass(frozen=True)
class Ellipsoid(Shape):
    """An ellipsoid.

    Attributes:
        radii: Its half-axes along its own axes [m], shape (3,).
        center: [m], shape (3,).
        mass: [kg].
        density: [kg/m³], instead of the mass.
        rotation: R_WB of its own axes B in the drawing, 3×3 or four Euler parameters.
        hollow: Whether it is a thin shell between two similar ellipsoids, which takes a mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Ellipsoid((0.3, 0.2, 0.1), mass=2.0).radii
        (0.3, 0.2, 0.1)
    """

    POINTS = ("center",)
    radii: NumbersLike
    center: PointLike = default(ORIGIN)
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)
    rotation: RotationLike = default(IDENTITY)
    hollow: bool = False

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radii", fields.vector, unit="m", sign="positive")
        door.take("rotation", fields.rotation)
        _check_shell(self, door)
        door.close()

    @property
    def volume(self) -> Number | None:
        """4π a b c/3 [m³]; a thin shell has none."""
        return None if self.hollow else solids.ellipsoid_volume(*self.radii)

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of an ellipsoid of this mass."""
        moments = solids.ellipsoid_shell if self.hollow else solids.ellipsoid
        inertia = congruent(self.rotation, diagonal(*moments(mass, *self.radii)))
        return MassProperties(mass, fields.padded(self.center), inertia)


@dataclass(frozen=True)
class Torus(Shape):
    """A round ring.

    Attributes:
        radius: From its centre to the middle of its section [m].
        tube: Radius of its section [m], at most `radius`.
        center: [m], shape (3,).
        axis: About which it is round: `"x"`, `"-y"`, … or three numbers.
        mass: [kg].
        density: [kg/m³], instead of the mass.
        hollow: Whether it is its thin surface alone, which takes a mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Torus(0.3, 0.02, mass=1.0).tube
        0.02
    """

    POINTS = ("center",)
    radius: NumberLike
    tube: NumberLike
    center: PointLike = default(ORIGIN)
    axis: AxisLike = default("z")
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)
    hollow: bool = False

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        door.take("tube", fields.real, unit="m", sign="positive")
        door.take("axis", fields.axis)
        if not door.complaints:
            found = nominals((self.radius, self.tube, 0.0))
            if found is not None and found[1] > found[0]:
                door.say(f"tube is at most radius, got {found[1]:.9g} and {found[0]:.9g} m.")
        _check_shell(self, door)
        door.close()

    @property
    def volume(self) -> Number | None:
        """2π² R r² [m³]; a thin surface has none."""
        return None if self.hollow else solids.torus_volume(self.radius, self.tube)

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a ring of this mass."""
        moments = solids.torus_shell if self.hollow else solids.torus
        across, _, along = moments(mass, self.radius, self.tube)
        inertia = axisymmetric(across, along, unit(self.axis))
        return MassProperties(mass, fields.padded(self.center), inertia)


@dataclass(frozen=True)
class Box(Shape):
    """A solid box.

    Attributes:
        size: Lengths of its edges along its own axes [m], shape (3,).
        center: [m], shape (3,).
        mass: [kg].
        density: [kg/m³], instead of the mass.
        rotation: R_WB of its own axes B in the drawing, 3×3 or four Euler parameters.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Box((1.0, 0.5, 0.2), center=(0, 0, 1), density=7800.0).size
        (1.0, 0.5, 0.2)
    """

    POINTS = ("center",)
    size: NumbersLike
    center: PointLike = default(ORIGIN)
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)
    rotation: RotationLike = default(IDENTITY)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("size", _size)
        door.take("rotation", fields.rotation)
        door.close()

    @property
    def volume(self) -> Number:
        """Product of its edges [m³]."""
        return solids.box_volume(*self.size)

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a box of this mass."""
        inertia = congruent(self.rotation, diagonal(*solids.box(mass, *self.size)))
        return MassProperties(mass, fields.padded(self.center), inertia)


@dataclass(frozen=True)
class Sphere(Shape):
    """A solid ball.

    Attributes:
        radius: [m].
        center: [m], shape (3,).
        mass: [kg].
        density: [kg/m³], instead of the mass.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Sphere(0.1, (0, 0, 1), mass=3.0).radius
        0.1
    """

    POINTS = ("center",)
    radius: NumberLike
    center: PointLike = default(ORIGIN)
    mass: NumberOrNone = default(None)
    density: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        door.close()

    @property
    def volume(self) -> Number:
        """4π r³/3 [m³]."""
        return solids.sphere_volume(self.radius)

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a ball of this mass."""
        inertia = diagonal(*solids.sphere(mass, self.radius))
        return MassProperties(mass, fields.padded(self.center), inertia)


@dataclass(frozen=True)
class Disc(Shape):
    """A thin round disc.

    Attributes:
        radius: [m].
        center: [m], shape (3,).
        axis: Its normal: `"x"`, `"-y"`, … or three numbers.
        mass: [kg].

    Examples:
        >>> import bellcrank as bc
        >>> bc.Disc(0.3, (0, 0, 0.3), "y", mass=1.0).radius
        0.3
    """

    POINTS = ("center",)
    radius: NumberLike
    center: PointLike = default(ORIGIN)
    axis: AxisLike = default("z")
    mass: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("radius", fields.real, unit="m", sign="positive")
        door.take("axis", fields.axis)
        door.close()

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties of a disc of this mass."""
        across, _, along = solids.disc(mass, self.radius)
        inertia = axisymmetric(across, along, unit(self.axis))
        return MassProperties(mass, fields.padded(self.center), inertia)


@dataclass(frozen=True)
class PointMasses(Shape):
    """Several point masses rigidly joined.

    Attributes:
        masses: [kg], shape (n,).
        points: Where they are [m], shape (n, 3).

    Examples:
        >>> import bellcrank as bc
        >>> bc.PointMasses([1.0, 2.0], [(0, 0, 0), (1, 0, 0)]).masses
        (1.0, 2.0)
    """

    masses: NumbersLike
    points: PointsLike

    def __post_init__(self) -> None:
        door = fields.Door(self, type(self).__name__)
        door.take("masses", _masses)
        door.take("points", _points)
        if not door.complaints and len(self.masses) != len(self.points):
            door.say(
                "needs as many points as masses, "
                f"got {len(self.points)} and {len(self.masses)}."
            )
        door.close()

    @property
    def mass(self) -> Number:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Σ m_k [kg]."""
        total = self.masses[0]
        for mass in self.masses[1:]:
            total = total + mass
        return total

    def spread(self, mass: Number) -> MassProperties:
        """Return the mass properties with the masses scaled to this sum."""
        nothing = scaled_matrix(0.0, IDENTITY)
        parts = [
            MassProperties(m, fields.padded(p), nothing)
            for m, p in zip(self.masses, self.points, strict=True)
        ]
        return with_mass(combine(parts), mass)


def _check_shell(shape: Any, door: fields.Door) -> None:
    """Complain about a thin shell that is given by its density."""
    if not isinstance(shape.hollow, bool):
        door.say(f"hollow is True or False, got {fields.short(shape.hollow)}.")
    elif shape.hollow and shape.density is not None:
        door.say("a thin shell takes mass, not density.")


def _size(value: Any) -> tuple[Number, ...]:
    sizes = fields.vector(value, unit="m", sizes=(2, 3), sign="nonnegative")
    found = nominals(sizes)
    if found is not None and sum(x > 0 for x in found) < 2:
        raise fields.Refused(" needs at least two edges that are not zero.")
    return fields.padded(sizes)


def _masses(value: Any) -> tuple[Number, ...]:
    count = range(1, 1 + max(1, len(value) if hasattr(value, "__len__") else 1))
    return fields.vector(value, unit="kg", sizes=count, sign="positive")


def _points(value: Any) -> tuple[Any, ...]:
    found = []
    for i, item in enumerate(value if hasattr(value, "__len__") else ()):
        try:
            found.append(fields.point(item))
        except fields.Refused as refused:
            raise fields.Refused(f"[{i}]{refused}") from None
    if not found:
        raise fields.Refused(" needs at least one point.")
    return tuple(found)
