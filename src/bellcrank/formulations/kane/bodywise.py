"""Kane's equations body by body: the speeds in which the mass matrix falls apart.

With w = (ω′_1 … ω′_N, v_1 … v_N), v_K the velocity of the mass centre along the inertial frame,

    w = J u,   u = J⁻¹ w,   A = Jᵀ D J,   f = Jᵀ F,   C = C_w J,   D = diag(I′_K, m_K)

J⁻¹ ties a body to its lower body only, and rows tie the bodies of one joint, so that both are
sparse where A and C are full. Motion under constraints is found there and brought back.
"""

import copy
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.constraints import position_rows, velocity_rows
from bellcrank.formulations.body_space.scene import Moving
from bellcrank.formulations.kane.equations import lacking
from bellcrank.formulations.kane.matrices.blocks import Assembly, block, column_of, vectors
from bellcrank.formulations.kane.motion import BodyMotion
from bellcrank.formulations.kane.school import KaneSchool
from bellcrank.spatial.arithmetic import ORIGIN, Vector, apply, cross, minus, transpose


class Bodywise:
    """D, C_w, F, w and J⁻¹ of a machine.

    Attributes:
        school: Its equations.
    """

    def __init__(self, school: KaneSchool) -> None:
        self.school, self._connection = school, school.connection
        self._count = school.connection.count
        self._symbol = ca.SX.sym("w", 6 * self._count)
        triples = vectors(ca.vertsplit(self._symbol), 2 * self._count)
        self._spins = [ORIGIN, *triples[: self._count]]
        self._centres = [ORIGIN, *triples[self._count :]]

    @cached_property
    def D(self) -> ca.SX:
        """diag(I′_K, m_K)."""
        geometry, n = self.school.geometry, 3 * self._count
        assembly = Assembly(2 * n, 2 * n)
        for k in self._connection.bodies:
            at = 3 * (k - 1)
            assembly.put(at, at, block(geometry.inertia[k]))
            assembly.put(n + at, n + at, geometry.mass[k] * ca.SX.eye(3))
        return ca.sparsify(assembly.matrix())

    @property
    def idle(self) -> ca.SX:
        """Massless directions: columns of turns and slides, as large as inertias are."""
        completions = self._connection.completions
        found = ca.DM(6 * self._count, len(completions))
        for i, (k, turn, slide) in enumerate(completions):
            at = 3 * (k - 1)
            found[at : at + 3, i] = ca.DM(turn)
            found[3 * self._count + at : 3 * self._count + at + 3, i] = ca.DM(slide)
        return ca.SX(ca.sparsify(found))

    @property
    def F(self) -> ca.SX:
        """(M′ − I′α′ − ω′ × I′ω′, F − m a) of all bodies, at u̇ = 0."""
        pushes = lacking(
            self._connection, self.school.still.motion, self.school.balance.applied
        )[1:]
        return column_of([
            *(entry for _, torque in pushes for entry in torque),
            *(entry for force, _ in pushes for entry in force),
        ])

    @property
    def w(self) -> ca.SX:
        """J u."""
        motion, bodies = self.school.still.motion, self._connection.bodies
        centres = [motion.point(k, motion.geometry.r[k]).velocity for k in bodies]
        parts = [*motion.spins[1:], *centres]
        return column_of([entry for vector in parts for entry in vector])

    @cached_property
    def back(self) -> ca.SX:
        """J⁻¹."""
        slides: list[Vector] = [ORIGIN]
        motion, places = self.school.still.motion, self._moved.places
        for k in self._connection.bodies:
            low = self._connection.lower[k - 1]
            if low == 0:
                slides.append(places[k].velocity)
                continue
            seen = minus(places[k].velocity, places[low].velocity)
            swept = cross(self._spins[low], motion.arms[k])
            slides.append(minus(apply(transpose(motion.A[low]), seen), swept))
        u = column_of(self.school.speeds.from_base(self._spins, slides))
        return ca.jacobian(u, self._symbol)

    @cached_property
    def _moved(self) -> BodyMotion:
        """The bodies where they are, moving as w says."""
        found = copy.copy(self.school.still.motion)
        found.spins = self._spins
        found.spin_rates = list[Vector]([ORIGIN] * (self._count + 1))
        found.places = [
            Moving(place.position, self._origin_velocity(k), ORIGIN)
            for k, place in enumerate(found.places)
        ]
        return found

    def _origin_velocity(self, k: int) -> Vector:
        motion = self.school.still.motion
        arm = cross(self._spins[k], motion.geometry.r[k])
        return minus(self._centres[k], apply(motion.A[k], arm))

    @cached_property
    def C(self) -> ca.SX:
        """The rates of all rows by w."""
        scene = self.school.scene_of(self._moved)
        time = self.school.symbols.columns["t"]
        rates = [rate for _, rate in position_rows(scene, time, self.school.joints)]
        return ca.jacobian(column_of([*rates, *velocity_rows(scene)]), self._symbol)

    def accelerations(self, extra: ca.SX | None = None) -> ca.SX:
        """Return u̇ without constraints: J⁻¹ D⁻¹ (F + J⁻ᵀ e) for extra efforts e."""
        push = self.F if extra is None else self.F + self.back.T @ extra
        return ca.densify(self.back @ self.solved(push))

    def solved(self, push: ca.SX) -> ca.SX:
        """Return D⁻¹ F, body by body."""
        n, geometry = 3 * self._count, self.school.geometry
        turns, slides = [], []
        for k in self._connection.bodies:
            own = slice(3 * (k - 1), 3 * k)
            turns.append(ca.inv(block(geometry.inertia[k])) @ push[own])
            slides.append(push[n:][own] / geometry.mass[k])
        return ca.vertcat(*turns, *slides)
