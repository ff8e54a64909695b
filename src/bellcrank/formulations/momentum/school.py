"""A(q) q̇ = B on CasADi symbols.

    rows      C q̇ = ν          rigid bodies, joints that are not shared, constraints
              Φ q̇ = Q          linear momentum
              Ψ q̇ = H          angular momentum about the origin
              C q̇ = ν          drivers

The last entries of q are the momenta Q and H themselves, which do not change.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.constraints import position_rows, velocity_rows
from bellcrank.formulations.contract.symbols import column
from bellcrank.formulations.momentum.refusals import inner_joints, open_text
from bellcrank.formulations.momentum.solving import Orthogonal
from bellcrank.formulations.points.assembled import AssembledBodies
from bellcrank.formulations.points.rigid import residuals
from bellcrank.formulations.points.scene import PointScene
from bellcrank.formulations.points.school import PointSchool
from bellcrank.linear import rank
from bellcrank.spatial.arithmetic import Scalar


class MomentumSchool(PointSchool):
    """What the school writes itself; its rows are those that the scene is measured against."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.count = len(self.plan.coordinates)
        self._rates = ca.SX.sym("qd", self.count)

    @property
    def q(self) -> ca.SX:
        """The points and vectors."""
        return self.symbols.columns["q"][: self.count]

    @property
    def kept(self) -> ca.SX:
        """Q and H."""
        return self.symbols.columns["q"][self.count :]

    @cached_property
    def moved(self) -> PointScene:
        """The bodies with rates that are symbols."""
        return self.moving(ca.vertsplit(self._rates), None)

    @cached_property
    def assembled(self) -> AssembledBodies:
        """The matrices of all bodies."""
        return AssembledBodies(self.moved, self.q, self._rates)

    @cached_property
    def _constraints(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """Φ, C and ν of all rows; Φ is zero for rows of speeds alone."""
        found = residuals(self.moved, self.plan)
        found += position_rows(self.moved, self.symbols.columns["t"], self.joints)
        speeds = velocity_rows(self.moved)
        values = column([value for value, _ in found])
        t = self.symbols.columns["t"]
        along = ca.jtimes(values, self.q, self._rates) + ca.jtimes(values, t, ca.SX.ones(1))
        pairs = zip(self.rows, found, ca.vertsplit(along), strict=False)
        rates = [rate if row.kind == "driver" else own for row, (_, rate), own in pairs]
        rates = column([*rates, *speeds])
        values = ca.vertcat(values, ca.SX.zeros(len(speeds)))
        scale = ca.DM([row.scale for row in self.rows])
        values, rates = values / scale, rates / scale
        nu = -ca.substitute(rates, self._rates, ca.DM.zeros(self.count))
        return ca.densify(values), ca.jacobian(rates, self._rates), ca.densify(nu)

    @cached_property
    def _system(self) -> tuple[ca.SX, ca.SX, ca.SX]:
        """A, B, and what a step back onto the rows has on its right side."""
        phi, C, nu = self._constraints
        Phi, Psi = self.assembled.total("Phi"), self.assembled.total("Psi")
        mass = sum(self.moved.number(body.mass_properties.mass) for body in self.model.bodies)
        sizes = [mass] * Phi.shape[0] + [mass * self.plan.length] * Psi.shape[0]
        scale = ca.diag(column([1.0 / size for size in sizes]))
        momenta, kept = scale @ ca.vertcat(Phi, Psi), scale @ self.kept
        driven = [row.kind == "driver" for row in self.rows]
        held = [i for i, is_driver in enumerate(driven) if not is_driver]
        moved = [i for i, is_driver in enumerate(driven) if is_driver]
        A = ca.vertcat(C[held, :], momenta, C[moved, :])
        B = ca.vertcat(nu[held], kept, nu[moved])
        back = ca.vertcat(-phi[held], ca.SX.zeros(kept.numel()), -phi[moved])
        chosen = self._chosen(A)
        return ca.sparsify(A[chosen, :]), B[chosen], back[chosen]

    def _chosen(self, A: ca.SX) -> list[int]:
        """Return independent rows, as many as there are coordinates.

        Raises:
            NotSupported: There are not as many.
        """
        filled = {i for i, _ in zip(*A.sparsity().get_triplet(), strict=True)}
        there = [i for i in range(A.shape[0]) if i in filled]
        if len(there) > self.count:
            there = self._independent(A, there)
        missing = self.count - len(there)
        if missing:
            joints = inner_joints(self.model)
            names = [f"{joint.name}.{name}" for joint in joints for name in joint.coordinates]
            driven = [f"{d.of}.{name}" for d in self.model.drivers for name, _ in d.motion]
            raise NotSupported(open_text(self.model, names, driven, missing))
        return there

    def _independent(self, A: ca.SX, rows: list[int]) -> list[int]:
        """Return the first rows that are independent of those before them, in the drawing."""
        values = {parameter.name: parameter.value for parameter in self.model.parameters}
        columns = dict(self.symbols.columns)
        q = [*self.plan.drawn(values), *([0.0] * self.kept.numel())]
        numbers = {name: ca.DM.zeros(c.shape) for name, c in columns.items()}
        numbers |= {"q": ca.DM(q), "p": ca.DM(list(values.values()))}
        function = ca.Function("A", list(columns.values()), [ca.densify(A)])
        matrix = np.array(function.call(list(numbers.values()))[0])
        return rank.in_order(matrix, rank.limit(np.linalg.norm(matrix, axis=1)), rows)

    @property
    def system_matrix(self) -> ca.SX:
        """A of A q̇ = B, rows scaled to the machine's mass and length."""
        return self._system[0]

    @property
    def right_side(self) -> ca.SX:
        """B of A q̇ = B."""
        return self._system[1]

    @cached_property
    def _solved(self) -> Orthogonal:
        return Orthogonal(self.system_matrix)

    @property
    def watch(self) -> ca.SX:
        """How far A is from singular: the smallest sine between one of its rows and others."""
        return self._solved.watch

    @cached_property
    def rates(self) -> ca.SX:
        """q̇ of the points and vectors."""
        return column(self._solved.solve(ca.vertsplit(self.right_side)))

    @cached_property
    def seconds(self) -> ca.SX:
        """q̈, the rate of q̇ along the motion."""
        along = ca.jtimes(self.rates, self.q, self.rates)
        return along + ca.jtimes(self.rates, self.symbols.columns["t"], ca.SX.ones(1))

    @cached_property
    def back(self) -> ca.SX:
        """Q one Newton step nearer to all position rows; the momenta feel nothing of it."""
        step = column(self._solved.solve(ca.vertsplit(self._system[2])))
        return ca.vertcat(self.q + step, self.kept)

    # What `School` asks for: a machine without speeds.

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> PointScene:
        """Return the bodies at (t, q), accelerated where `a`, an empty list, is given."""
        if a is None and smooth:
            return self.still
        seconds = None if a is None else ca.vertsplit(self.seconds)
        return self.moving(self.point_rates(), seconds, smooth)

    def point_rates(self) -> Sequence[Scalar]:
        """Return q̇ of the points and vectors, which follow from the momenta."""
        return ca.vertsplit(self.rates)

    @cached_property
    def W(self) -> ca.SX:
        """Of q̇ = W u + x, no columns."""
        return ca.SX(self.count + self.kept.numel(), 0)

    @property
    def x(self) -> ca.SX:
        """q̇."""
        return ca.vertcat(self.rates, ca.SX.zeros(self.kept.numel()))

    @cached_property
    def A(self) -> ca.SX:
        """Empty."""
        return ca.SX(0, 0)

    @cached_property
    def f(self) -> ca.SX:
        """Empty."""
        return ca.SX(0, 1)

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return nothing: there are no speeds."""
        return ca.SX(0, 1)
