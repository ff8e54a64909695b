"""Where a frame is and how it is turned, in the drawing."""

from dataclasses import dataclass
from typing import Any

from bellcrank.model.algebra import Matrix, Vector
from bellcrank.model.elements import fields
from bellcrank.spatial.arithmetic import IDENTITY, ORIGIN, apply, plus, product


@dataclass(frozen=True)
class Pose:
    """Position and rotation of a frame B in the world W.

    Attributes:
        position: Origin of B, world components [m], shape (3,).
        rotation: R_WB, which takes components along B to components along W, shape (3, 3);
            or four Euler parameters, scalar first, which become R_WB.

    Examples:
        A quarter turn about z, one metre up:

        >>> Pose((0, 0, 1), ((0, -1, 0), (1, 0, 0), (0, 0, 1))).point((1.0, 0.0, 0.0))
        (0.0, 1.0, 1.0)
    """

    position: Vector = ORIGIN
    rotation: Matrix = IDENTITY

    complaints = ()

    def __post_init__(self) -> None:
        if self.position is ORIGIN and self.rotation is IDENTITY:
            return
        door = fields.Door(self)
        door.take("position", _position)
        door.take("rotation", fields.rotation)
        door.keep()

    def point(self, p_B: Vector) -> Vector:
        """Return the world coordinates of a point given in B [m]."""
        return plus(self.position, self.vector(p_B))

    def vector(self, v_B: Vector) -> Vector:
        """Return the world components of a vector given along B."""
        return v_B if self.rotation == IDENTITY else apply(self.rotation, v_B)

    def __matmul__(self, other: "Pose") -> "Pose":
        """Return the pose in W of a frame whose pose in B is `other`."""
        return Pose(self.point(other.position), product(self.rotation, other.rotation))


STRAIGHT = Pose()
"""The pose of the world itself."""


def pose(value: Any) -> Pose:
    """Return the value if it is a pose.

    Raises:
        Refused: It is not.
    """
    if not isinstance(value, Pose):
        raise fields.Refused(f" must be a Pose, got {fields.short(value)}.")
    return value


def _position(value: Any) -> Any:
    return fields.padded(fields.point(value))
