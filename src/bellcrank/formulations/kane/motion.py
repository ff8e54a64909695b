"""Where the bodies are and how they move, outwards along the tree.

With d_K = q′_K + s′_K along L = L(K), and A_K = [R_K]ᵀ:

    O_K:   p_K = p_L + A_L d_K
           v_K = v_L + A_L (ω′_L × d_K + ṡ′_K)
           a_K = a_L + A_L (α′_L × d_K + ω′_L × (ω′_L × d_K) + 2 ω′_L × ṡ′_K + d ṡ′_K/dt)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from bellcrank.formulations.body_space.scene import Moving, Turning
from bellcrank.formulations.kane.connection import Connection
from bellcrank.formulations.kane.speeds import Base
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Scalar,
    Vector,
    apply,
    centripetal,
    cross,
    plus,
    product,
    scaled,
    transpose,
)
from bellcrank.spatial.arithmetic import IDENTITY as AS_DRAWN


@dataclass(frozen=True)
class Geometry:
    """The constants of the bodies on symbols of parameters, for K = 0 … N.

    Attributes:
        r, q: r′_K and q′_K [m].
        origin: O_K in the drawing [m].
        axes: R_WK of the drawing; None for the identity.
        mass: m_K [kg].
        inertia: I′_K [kg m²].
    """

    r: list[Vector]
    q: list[Vector]
    origin: list[Vector]
    axes: list[Matrix | None]
    mass: Vector
    inertia: list[Matrix]

    @staticmethod
    def of(connection: Connection, number: Callable[..., Scalar]) -> "Geometry":
        """Return the constants of numbered bodies.

        Args:
            connection: The bodies.
            number: Turns a number of the model into a scalar.
        """

        def vector(entries: Sequence) -> Vector:
            return [number(entry) for entry in entries]

        def axes(k: int) -> Matrix | None:
            drawn = connection.axes(k)
            return None if drawn == AS_DRAWN else [vector(row) for row in drawn]

        bodies = connection.bodies
        return Geometry(
            [ORIGIN, *(vector(connection.r(k)) for k in bodies)],
            [ORIGIN, *(vector(connection.q(k)) for k in bodies)],
            [ORIGIN, *(vector(connection.origin(k)) for k in bodies)],
            [None, *(axes(k) for k in bodies)],
            [0.0, *(number(connection.mass(k)) for k in bodies)],
            [IDENTITY, *([vector(row) for row in connection.inertia(k)] for k in bodies)],
        )

    def in_body(self, k: int, at: Vector) -> Vector:
        """Return the point `at` of the drawing from O_K along body K [m]."""
        arm = plus(at, scaled(-1.0, self.origin[k]))
        axes = self.axes[k]
        return arm if axes is None else apply(transpose(axes), arm)

    def direction(self, k: int, vector: Vector) -> Vector:
        """Return a direction of the drawing along body K."""
        axes = self.axes[k]
        return vector if axes is None else apply(transpose(axes), vector)


class BodyMotion:
    """All bodies at given orientations, displacements, speeds and accelerations.

    Attributes:
        geometry: Constants of the bodies.
        A: [R_K]ᵀ.
        arms: d_K = q′_K + s′_K.
        spins, slides: ω′_K and ṡ′_K.
        spin_rates, slide_rates: Their rates.
        places: How O_K moves.
    """

    def __init__(
        self,
        connection: Connection,
        geometry: Geometry,
        A: list[Matrix],
        s: list[Vector],
        speeds: Base,
        rates: Base,
    ) -> None:
        self.geometry, self.A = geometry, A
        self.arms = [plus(q, displaced) for q, displaced in zip(geometry.q, s, strict=True)]
        self.spins, self.slides = speeds
        self.spin_rates, self.slide_rates = rates
        self.places = [Moving(ORIGIN, ORIGIN, ORIGIN)]
        for k in connection.bodies:
            self.places.append(self._place(k, connection.lower[k - 1]))

    def _place(self, k: int, low: int) -> Moving:
        d, slide, slide_rate = self.arms[k], self.slides[k], self.slide_rates[k]
        if low == 0:
            return Moving(d, slide, slide_rate)
        w = self.spins[low]
        velocity = plus(cross(w, d), slide)
        acceleration = plus(
            cross(self.spin_rates[low], d),
            centripetal(w, d),
            scaled(2.0, cross(w, slide)),
            slide_rate,
        )
        steps = (apply(self.A[low], part) for part in (d, velocity, acceleration))
        moved = [plus(a, b) for a, b in zip(self.places[low], steps, strict=True)]
        return Moving(*moved)

    def point(self, k: int, arm: Vector) -> Moving:
        """Return how the point of body K moves that is at `arm` from O_K, along K."""
        w = self.spins[k]
        acceleration = plus(cross(self.spin_rates[k], arm), centripetal(w, arm))
        parts = (arm, cross(w, arm), acceleration)
        steps = (apply(self.A[k], part) for part in parts)
        return Moving(*(plus(a, b) for a, b in zip(self.places[k], steps, strict=True)))

    def turning(self, k: int) -> Turning:
        """Return how body K turns, inertial components."""
        return Turning(apply(self.A[k], self.spins[k]), apply(self.A[k], self.spin_rates[k]))

    def since_drawing(self, k: int) -> Matrix:
        """Return the turn of body K since the drawing."""
        axes = self.geometry.axes[k]
        return self.A[k] if axes is None else product(self.A[k], transpose(axes))
