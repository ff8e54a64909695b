"""Force elements: springs, dampers, bushings, applied forces and torques, motors.

Numbers (stiffness, damping, lengths) may be expressions of parameters. Laws, vectors and
efforts are expressions of anything: time, parameters, inputs, and the motion of the machine.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from bellcrank.model.elements import fields, kinds
from bellcrank.model.elements.ends import end
from bellcrank.model.elements.fields import Door
from bellcrank.model.elements.given import (
    EndLike,
    LawLike,
    LawOrNone,
    LawsLike,
    NumberLike,
    NumberOrNone,
    NumbersLike,
    PointOrNone,
    RotationLike,
    default,
)
from bellcrank.spatial.arithmetic import IDENTITY, apply, scaled

Quantities = tuple[tuple[str, str, int], ...]
"""What results show of an element: names, keys of `units.QUANTITIES`, sizes."""

WRENCH: Quantities = (("force", "force", 3), ("torque", "torque", 3))


class ForceElement:
    """The base of all force elements.

    A kind of force is a frozen dataclass that says what it refers to, what results show of it,
    how it is drawn and what its mirror image is. What it does is a function registered with
    `bellcrank.formulations.body_space.forces.effect`.
    """

    KIND: ClassVar[str] = "force"
    ENDS: ClassVar[tuple[str, ...]] = ()  # fields that are ends
    BODIES: ClassVar[tuple[str, ...]] = ()  # fields that name a body
    JOINTS: ClassVar[tuple[str, ...]] = ()  # fields that name a joint
    LAWS: ClassVar[tuple[str, ...]] = ()  # fields that are expressions of anything
    POINTS: ClassVar[tuple[str, ...]] = ()  # fields that are points of the drawing
    TURNING: ClassVar[bool] = False  # whether it feels how the bodies of its ends turn
    QUANTITIES: ClassVar[Quantities] = ()  # what results show of it, and expressions may use
    ARROW: ClassVar[str] = ""  # which of these is drawn as an arrow
    PICTURE: ClassVar[str] = ""  # what is drawn between its two ends: spring, bushing, link
    name: str
    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Any]]

    def __init_subclass__(cls, *, kind: bool = True, **options: Any) -> None:
        super().__init_subclass__(**options)
        if kind:
            kinds.declare("force", cls)

    def quantities(self, model: Any) -> Quantities:
        """Return what results show of it."""
        return self.QUANTITIES

    def image(self, iso: Any) -> dict[str, Any]:
        """Return the fields that a move or a mirror changes, besides points and ends.

        Args:
            iso: The `Isometry`.
        """
        return {}

    def __post_init__(self) -> None:
        """Check all fields; those that are not declared to be anything else are numbers."""
        door = self._door()
        for field in self.LAWS:
            if getattr(self, field) is not None:
                door.take(field, fields.law)
        for field in self.POINTS:
            if getattr(self, field) is not None:
                door.take(field, fields.point)
        declared = (self.BODIES, self.JOINTS, self.ENDS, self.LAWS, self.POINTS)
        door.take_rest({
            "name",
            "coordinate",
            *(field for names in declared for field in names),
        })
        door.close()

    def _door(self) -> Door:
        """Check the references; return the door for what else there is."""
        door = Door(self, f"force {self.name!r}")
        for field in ("name", *self.BODIES, *self.JOINTS):
            door.take(field, fields.name)
        for field in self.ENDS:
            door.take(field, end)
        return door


class CoordinateForce(ForceElement, kind=False):
    """The base of what acts along a coordinate of a joint.

    Attributes:
        joint: The joint.
        coordinate: Which of its coordinates; None where there is only one.
    """

    JOINTS = ("joint",)
    QUANTITIES = (("effort", "torque", 1),)
    joint: str
    coordinate: str | None

    def quantities(self, model: Any) -> Quantities:
        """Return its effort along the coordinate."""
        turns = (self.coordinate or "angle").startswith("angle")
        return (("effort", "torque" if turns else "force", 1),)


@dataclass(frozen=True)
class SpringDamper(ForceElement):
    """A spring, a damper and an actuator between two points (TSDA).

    Tension f = k (l − l0) + c l̇ + law, positive when it pulls the ends together; l is the
    distance of the ends.

    Attributes:
        name: Unique in the model.
        first: One end.
        second: The other end.
        stiffness: k [N/m].
        damping: c [N s/m].
        length: l0 [m]; None for the distance in the drawing.
        law: An expression [N] of `length`, `length_rate`, `t` and anything else, or None.

    Examples:
        >>> import bellcrank as bc
        >>> bc.SpringDamper("strut", ("ground", (0, 0, 0)), ("cart", (1, 0, 0)),
        ...     stiffness=200.0, damping=2.0, length=0.8).stiffness
        200.0
    """

    ENDS = ("first", "second")
    LAWS = ("law",)
    QUANTITIES = (
        ("force", "force", 1),
        ("length", "length", 1),
        ("length_rate", "length_rate", 1),
    )
    ARROW = "force"
    PICTURE = "spring"
    name: str
    first: EndLike
    second: EndLike
    stiffness: NumberLike = default(0.0)
    damping: NumberLike = default(0.0)
    length: NumberOrNone = default(None)
    law: LawOrNone = default(None)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("stiffness", fields.real, unit="N/m")
        door.take("damping", fields.real, unit="N s/m")
        if self.length is not None:
            door.take("length", fields.real, unit="m", sign="nonnegative")
        if self.law is not None:
            door.take("law", fields.law)
        if not door.complaints and self.first == self.second:
            door.say("needs two different ends, got the same twice.")
        door.close()


@dataclass(frozen=True)
class JointSpring(CoordinateForce):
    """A spring, a damper, dry friction and an actuator on a joint coordinate (RSDA).

    τ = k (θ − θ0) + c θ̇ + T tanh(θ̇/w) + law resists the coordinate: its work is −τ δθ, and
    the second body feels −τ about or along the axis.

    Attributes:
        name: Unique in the model.
        joint: The joint.
        coordinate: Which of its coordinates; None where there is only one.
        stiffness: k [N m/rad or N/m].
        damping: c [N m s/rad or N s/m].
        friction: T, the limit of dry friction [N m or N].
        rest: θ0 [rad or m].
        law: An expression [N m or N] of the coordinate, its rate, `t` and anything else.
        friction_speed: w, the rate at which friction has reached three quarters [rad/s, m/s].

    Examples:
        >>> import bellcrank as bc
        >>> bc.JointSpring("return", "A", stiffness=5.0, damping=0.1).damping
        0.1
    """

    LAWS = ("law",)
    name: str
    joint: str
    coordinate: str | None = None
    stiffness: NumberLike = default(0.0)
    damping: NumberLike = default(0.0)
    friction: NumberLike = default(0.0)
    rest: NumberLike = default(0.0)
    law: LawOrNone = default(None)
    friction_speed: NumberLike = default(1e-3)

    def __post_init__(self) -> None:
        door = self._door()
        for field in ("stiffness", "damping", "rest"):
            door.take(field, fields.real)
        door.take("friction", fields.real, sign="nonnegative")
        door.take("friction_speed", fields.real, sign="positive")
        if self.law is not None:
            door.take("law", fields.law)
        door.close()

    def image(self, iso: Any) -> dict[str, Any]:
        """Return its rest and its law, which turn their signs with its coordinate."""
        if not iso.flips(self.joint, str(self.coordinate)):
            return {}
        return {"rest": 0.0 - self.rest, "law": None if self.law is None else -self.law}


@dataclass(frozen=True)
class Bushing(ForceElement):
    """Six springs and dampers between two points.

    Along axes carried by the first body: force −K_f d − C_f ḋ on the second for the distance
    d of the ends since the drawing, torque −J⁻ᵀ K_t φ − C_t ω for the rotation vector φ of the
    second body since the drawing, so that ½ (dᵀ K_f d + φᵀ K_t φ) is its energy (δφ = J⁻¹ times
    a small turn; J⁻ᵀ K_t φ = K_t φ for a turn about one axis). The pair acts at the second end.

    Attributes:
        name: Unique in the model.
        first: The end on the body that carries the axes.
        second: The other end.
        stiffness: Three of force [N/m], three of torque [N m/rad], shape (6,).
        damping: Three of force [N s/m], three of torque [N m s/rad], shape (6,).
        axes: R_WA of the axes in the drawing, 3×3 or four Euler parameters.

    Examples:
        >>> import bellcrank as bc
        >>> mount = bc.Bushing("mount", ("frame", (0, 0, 0)), ("engine", (0, 0, 0)),
        ...     stiffness=(1e6, 1e6, 2e5, 1e3, 1e3, 1e3))
    """

    ENDS = ("first", "second")
    TURNING = True
    QUANTITIES = WRENCH
    ARROW = "force"
    PICTURE = "bushing"
    name: str
    first: EndLike
    second: EndLike
    stiffness: NumbersLike = default((0.0,) * 6)
    damping: NumbersLike = default((0.0,) * 6)
    axes: RotationLike = default(IDENTITY)

    def __post_init__(self) -> None:
        door = self._door()
        door.take("stiffness", fields.vector, sizes=(6,))
        door.take("damping", fields.vector, sizes=(6,))
        door.take("axes", fields.rotation)
        door.close()

    def image(self, iso: Any) -> dict[str, Any]:
        """Return its axes, whose senses do not matter."""
        return {"axes": iso.frame(self.axes)}


@dataclass(frozen=True)
class Force(ForceElement):
    """A force on a point of a body.

    Attributes:
        name: Unique in the model.
        body: The body it acts on.
        vector: Three expressions [N], along the world or along the body.
        at: The point of the body, world numbers of the drawing [m]; None for the mass centre.
        frame: `"world"` or `"body"`: whose axes `vector` is given along.

    Examples:
        >>> import bellcrank as bc
        >>> drag = bc.Force("drag", "cart", ("-0.5*cart.velocity_x", "0", "0"))
    """

    BODIES = ("body",)
    LAWS = ("vector",)
    POINTS = ("at",)
    QUANTITIES = WRENCH
    ARROW = "force"
    name: str
    body: str
    vector: LawsLike
    at: PointOrNone = default(None)
    frame: str = "world"

    def __post_init__(self) -> None:
        door = self._door()
        door.take("vector", fields.laws, sizes=(2, 3))
        if self.at is not None:
            door.take("at", fields.point)
        door.take("frame", fields.choice, ("world", "body"))
        door.close()

    def image(self, iso: Any) -> dict[str, Any]:
        """Return its vector, which is polar."""
        return {"vector": _along(self.frame, self.body, self.vector, iso)}


@dataclass(frozen=True)
class Torque(ForceElement):
    """A torque on a body.

    Attributes:
        name: Unique in the model.
        body: The body it acts on.
        vector: Three expressions [N m], along the world or along the body.
        frame: `"world"` or `"body"`: whose axes `vector` is given along.

    Examples:
        >>> import bellcrank as bc
        >>> wind = bc.Torque("wind", "mast", ("0", "0", "3*sin(t)"))
    """

    BODIES = ("body",)
    LAWS = ("vector",)
    QUANTITIES = WRENCH
    ARROW = "torque"
    name: str
    body: str
    vector: LawsLike
    frame: str = "world"

    def __post_init__(self) -> None:
        door = self._door()
        door.take("vector", fields.laws)
        door.take("frame", fields.choice, ("world", "body"))
        door.close()

    def image(self, iso: Any) -> dict[str, Any]:
        """Return its vector, which is axial."""
        return {"vector": scaled(iso.sign, _along(self.frame, self.body, self.vector, iso))}


@dataclass(frozen=True)
class Motor(CoordinateForce):
    """An effort on a joint coordinate, positive where it speeds the coordinate up.

    Attributes:
        name: Unique in the model.
        joint: The joint.
        effort: An expression [N m or N], often an `Input`.
        coordinate: Which coordinate of the joint; None where there is only one.

    Examples:
        >>> import bellcrank as bc
        >>> servo = bc.Motor("servo", "A", "60*(0.5 - A.angle) - 6*A.angle_rate")
    """

    LAWS = ("effort",)
    name: str
    joint: str
    effort: LawLike
    coordinate: str | None = None

    def __post_init__(self) -> None:
        door = self._door()
        door.take("effort", fields.law)
        door.close()

    def image(self, iso: Any) -> dict[str, Any]:
        """Return its effort, which turns its sign with its coordinate."""
        flips = iso.flips(self.joint, str(self.coordinate))
        return {"effort": -self.effort} if flips else {}


def _along(frame: str, body: str, vector: Any, iso: Any) -> Any:
    """Return the components of a vector, along the world or a body, after a move or mirror."""
    return apply(iso.matrix if frame == "world" else iso.axes_of(body), vector)
