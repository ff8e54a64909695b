"""Mass matrices and velocity terms of single bodies about any reference point.

With s′ from the reference point P to the mass centre, J′ about P, force F, torque n′ about P:

    spatial   [ m I        −m A s̃′ ] [ r̈  ]   [ F − m A ω̃′ω̃′ s′ ]
              [ m s̃′ Aᵀ     J′     ] [ ω̇′ ] = [ n′ − ω̃′ J′ ω′    ]
    planar    [ m I            m A P₂ s′ ] [ r̈ ]   [ F + m φ̇² A s′ ]
              [ m (A P₂ s′)ᵀ   J         ] [ φ̈ ] = [ n             ]
    Euler     δω′ = 2 G δp:  M = Tᵀ M′ T and Q = Tᵀ Q′ with T = diag(I, 2 G), and for the
              rotation S = 8 Ġᵀ J′ Ġ p
"""

from dataclasses import dataclass

from bellcrank.formulations.cartesian.layout import Placed
from bellcrank.formulations.cartesian.scene import BodyScene, Frame
from bellcrank.model import mass_properties
from bellcrank.spatial.arithmetic import (
    Matrix,
    Scalar,
    Vector,
    apply,
    centripetal,
    congruent,
    cross,
    full,
    gyration,
    minus,
    neg,
    plus,
    product,
    scaled,
    skew,
    symmetric,
    total,
    transpose,
)
from bellcrank.spatial.attitudes import rate_matrix


@dataclass(frozen=True)
class WeighedBody:
    """A body with its mass [kg], s′ [m] and J′ about its reference point [kg m²]."""

    placed: Placed
    frame: Frame
    m: Scalar
    s: Vector
    J: Matrix

    @staticmethod
    def of(scene: BodyScene, placed: Placed) -> "WeighedBody":
        """Return a body of a scene."""
        frame, properties = scene.frames[placed.name], mass_properties(scene.model[placed.name])
        m = scene.number(properties.mass)
        s = frame.arm([scene.number(entry) for entry in properties.com])
        J = symmetric([[scene.number(entry) for entry in row] for row in properties.inertia])
        about = plus(congruent(transpose(frame.axes), J), scaled(m, gyration(s)))
        return WeighedBody(placed, frame, m, s, full(about))

    @property
    def _across(self) -> Vector:
        """A P₂ s′ of a planar body."""
        return apply(self.frame.A, [neg(self.s[1]), self.s[0], 0.0])

    def mass(self) -> Matrix:
        """Return the mass matrix in speeds ṙ, ω′ (or φ̇)."""
        n = self.placed.dim
        M = [[self.m if i == j else 0.0 for j in range(n)] for i in range(n)]
        if self.placed.kind == "particle":
            return M
        if self.placed.kind == "planar":
            side = scaled(self.m, self._across)[:2]
            return [*([*row, x] for row, x in zip(M, side, strict=True)), [*side, self.J[2][2]]]
        side = self.coupling()
        upper = [[*row, *more] for row, more in zip(M, side, strict=True)]
        return upper + [
            [*row, *more] for row, more in zip(transpose(side), self.J, strict=True)
        ]

    def coupling(self) -> Matrix:
        """Return −m A s̃′, of r̈ and ω̇′."""
        return product(self.frame.A, skew(scaled(neg(self.m), self.s)))

    def pull(self) -> Vector:
        """Return −m A ω̃′ω̃′ s′."""
        return scaled(neg(self.m), apply(self.frame.A, centripetal(self.frame.w, self.s)))

    def gyroscopic(self) -> Vector:
        """Return −ω̃′ J′ ω′."""
        w = self.frame.w
        return scaled(-1.0, cross(w, apply(self.J, w)))

    def quadratic(self) -> Vector:
        """Return what is quadratic in the speeds, on the side of the forces."""
        if self.placed.kind == "particle":
            return [0.0] * self.placed.dim
        if self.placed.kind == "planar":
            return [*self.pull()[:2], 0.0]
        return [*self.pull(), *self.gyroscopic()]

    @property
    def size(self) -> Scalar:
        """The root of a nominal inertia, of its mass or of its largest moment."""
        moments = [self.J[i][i] for i in range(3)]
        large = total(moments)
        return 1.0 if type(large) is float and large == 0.0 else large**0.5

    def about_centre(self, direction: Vector) -> Vector:
        """Return the speeds of a motion (velocity of the mass centre, ω′)."""
        v, w = direction[:3], direction[3:]
        v = minus(v, apply(self.frame.A, cross(w, self.s)))
        if self.placed.kind == "particle":
            return v[: self.placed.dim]
        return [*v[:2], w[2]] if self.placed.kind == "planar" else [*v, *w]

    def force(self, F: Vector, torque: Vector) -> Vector:
        """Return (F, n′) or (F, n) of a force and a torque about the mass centre.

        Args:
            F: World components [N].
            torque: World components [N m].
        """
        if self.placed.kind == "particle":
            return F[: self.placed.dim]
        moment = self.moment(F, torque)
        if self.placed.kind == "planar":
            return [*F[:2], moment[2]]
        return [*F, *apply(transpose(self.frame.A), moment)]

    def moment(self, F: Vector, torque: Vector) -> Vector:
        """Return the torque about the reference point, world components."""
        return plus(torque, cross(apply(self.frame.A, self.s), F))


def euler_mass(body: WeighedBody, p: Vector) -> Matrix:
    """Return Tᵀ M′ T: m I, 4 Gᵀ J′ G, and what couples them."""
    T = _expansion(p)
    return product(product(transpose(T), body.mass()), T)


def euler_force(p: Vector, force: Vector) -> Vector:
    """Return Tᵀ Q′ = (F, 2 Gᵀ n′)."""
    return apply(transpose(_expansion(p)), force)


def euler_rates(p: Vector, speeds: Vector) -> Vector:
    """Return (ṙ, ṗ = ½ Gᵀ ω′)."""
    return [*speeds[:3], *scaled(0.5, apply(transpose(rate_matrix(p)), speeds[3:]))]


def euler_quadratic(body: WeighedBody, p: Vector, pd: Vector) -> Vector:
    """Return S = (−m A ω̃′ω̃′ s′, 8 Ġᵀ J′ Ġ p)."""
    Gd = rate_matrix(pd)
    turn = scaled(8.0, apply(transpose(Gd), apply(body.J, apply(Gd, p))))
    return [*body.quadratic()[:3], *turn]


def _expansion(p: Vector) -> Matrix:
    """Return T = diag(I, 2 G), 6×7."""
    G = rate_matrix(p)
    upper = [[1.0 if i == j else 0.0 for j in range(7)] for i in range(3)]
    return upper + [[0.0, 0.0, 0.0, *scaled(2.0, row)] for row in G]
