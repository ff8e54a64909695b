"""What two bodies' points and axes do relative to each other, at a joint.

Each quantity comes with its rate, which is linear in the twists of the two bodies; constraints,
coordinates of joints that close loops, and reactions are all made of these.

    d = P₁P₂                     ḋ = v₂ − v₁
    a₁ · b₂                      (ω₁ × a₁) · b₂ + a₁ · (ω₂ × b₂)
    a₁ · d                       (ω₁ × a₁) · d + a₁ · ḋ

Conventions:
    f, g, h   a right-handed triad, drawn once and carried by each body; h is the joint's axis
"""

from dataclasses import dataclass
from functools import cached_property

from bellcrank.formulations.body_space.scene import Scene, called
from bellcrank.formulations.body_space.triads import joint_triads
from bellcrank.model import Joint
from bellcrank.spatial.arithmetic import Matrix, Scalar, Vector, add, cross, dot, minus

Row = tuple[Scalar, Scalar]
"""A scalar that vanishes, and its rate."""


@dataclass(frozen=True)
class Pair:
    """A point and three axes on each of two bodies.

    Attributes:
        scene: Where the bodies are.
        bodies: The first and the second.
        points: Their points in the drawing [m].
        axes: Their triads (f, g, h) in the drawing.
    """

    scene: Scene
    bodies: tuple[str, str]
    points: tuple[Vector, Vector]
    axes: tuple[Matrix, Matrix]

    @cached_property
    def _moving(self) -> tuple:
        return tuple(
            self.scene.point(body, at)
            for body, at in zip(self.bodies, self.points, strict=True)
        )

    @cached_property
    def d(self) -> Vector:
        """From the first's point to the second's [m]."""
        gap = minus(self._moving[1].position, self._moving[0].position)
        return called(self.scene, "d", gap)

    @cached_property
    def d_rate(self) -> Vector:
        """Its rate [m/s]."""
        return minus(self._moving[1].velocity, self._moving[0].velocity)

    @cached_property
    def d_acceleration(self) -> Vector:
        """The rate of that [m/s²]."""
        return minus(self._moving[1].acceleration, self._moving[0].acceleration)

    def axis(self, side: int, number: int) -> tuple[Vector, Vector]:
        """Return an axis (0, 1, 2 for f, g, h) of a side (0 or 1) and its rate."""
        body = self.bodies[side]
        a = self.scene.carried(body, self.axes[side][number])
        return a, cross(self.scene.turning(body).velocity, a)

    @cached_property
    def spin(self) -> Vector:
        """ω₂ − ω₁ [rad/s]."""
        one, two = (self.scene.turning(body).velocity for body in self.bodies)
        return minus(two, one)

    @cached_property
    def spin_rate(self) -> Vector:
        """α₂ − α₁ [rad/s²]."""
        one, two = (self.scene.turning(body).acceleration for body in self.bodies)
        return minus(two, one)

    def square(self, first: int, second: int) -> Row:
        """Return a₁ · b₂ of an axis of the first and one of the second."""
        (a, a_rate), (b, b_rate) = self.axis(0, first), self.axis(1, second)
        return dot(a, b), add(dot(a_rate, b), dot(a, b_rate))

    def across(self, number: int) -> Row:
        """Return a₁ · d, how far the second's point is along an axis of the first."""
        a, a_rate = self.axis(0, number)
        return dot(a, self.d), add(dot(a_rate, self.d), dot(a, self.d_rate))

    def components(self) -> list[Row]:
        """Return the three components of d."""
        return list(zip(self.d, self.d_rate, strict=True))


def joint_pair(scene: Scene, joint: Joint) -> Pair:
    """Return the pair of a joint, with triads that coincide when its coordinates are zero."""
    points = tuple(
        [scene.number(entry) for entry in at] for at in (joint.at_first, joint.at_second)
    )
    triads = joint_triads(joint, scene.number)
    return Pair(scene, (joint.first, joint.second), points, triads)  # type: ignore[arg-type]
