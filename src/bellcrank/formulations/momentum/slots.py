"""The slots of the momentum form."""

from functools import cached_property

import casadi as ca

from bellcrank.formulations.contract.quantities import PerBody, Quantity
from bellcrank.formulations.contract.slots import BodySlots
from bellcrank.formulations.contract.symbols import column
from bellcrank.formulations.momentum import REGULAR
from bellcrank.formulations.momentum.reactions import led_reactions
from bellcrank.formulations.momentum.school import MomentumSchool
from bellcrank.formulations.points.embedding import embedded
from bellcrank.formulations.points.matrices import Matrices
from bellcrank.formulations.points.rigid import residuals
from bellcrank.model import Expression
from bellcrank.model.expressions import Signal

FLOOR = 1e-4  # the smallest sine between rows of A that a run goes to


class MomentumSlots:
    """Slots of the contract for nu = 0: what body space gives, and q̇ = x.

    Attributes:
        given: Q and H as far as the formulation fixes them, else None.
        led: Among the columns of `reactions`, those of prescribed coordinates of points.
    """

    def __init__(
        self, school: MomentumSchool, given: tuple[float | None, ...], led: tuple[int, ...] = ()
    ) -> None:
        self.school, self.symbols, self.common = school, school.symbols, BodySlots(school)
        self.given, self.led = given, led
        self._own = {
            "normalize": self.normalize,
            "residual_jacobian": self.residual_jacobian,
            "kinematics_jacobian": self.kinematics_jacobian,
            "derivatives": self.derivatives,
            "jacobian": self.jacobian,
            "embed": self.embed,
            "audit_rates": self.audit_rates,
        }
        if led:
            self._own["reactions"] = self.reactions

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        return self._own[name]() if name in self._own else getattr(self.common, name)()

    @property
    def _q(self) -> ca.SX:
        return self.symbols.columns["q"]

    def audit_rates(self) -> ca.Function:
        """What an audit integrates; the work of prescribed motion is not known without u̇."""
        return self.common.audit_rates(known=not self.school.model.drivers)

    def normalize(self) -> ca.Function:
        """Q one Newton step nearer to the rigid bodies, joints and drivers."""
        return self.symbols.function("normalize", {"q_out": self.school.back})

    def residual_jacobian(self) -> ca.Function:
        """Empty r_q and r_u."""
        outputs = {"r_q": ca.SX(0, self._q.numel()), "r_u": ca.SX(0, 0)}
        own = {"a": self.common.a, "lam": self.common.lam}
        return self.symbols.function("residual_jacobian", outputs, own)

    def kinematics_jacobian(self) -> ca.Function:
        """x_q."""
        qd_q = ca.jacobian(self.school.x, self._q)
        return self.symbols.function("kinematics_jacobian", {"qd_q": qd_q})

    def derivatives(self) -> ca.Function:
        """q̇ = x and ṡ; no speeds."""
        sd = ca.densify(self.common.sd)
        outputs = {"qd": ca.densify(self.school.x), "ud": ca.SX(0, 1), "sd": sd}
        return self.symbols.function("derivatives", outputs)

    def jacobian(self) -> ca.Function:
        """F of [q̇, ṡ] by [q, s], and the empty A."""
        rates = ca.vertcat(self.school.x, self.common.sd)
        F = ca.densify(ca.jacobian(rates, ca.vertcat(self._q, self.common.s)))
        return self.symbols.function("jacobian", {"F": F, "A": ca.SX(0, 0)})

    def reactions(self) -> ca.Function:
        """G, b, R of a machine with led points."""
        found = led_reactions(self.common.moving, self.symbols.columns["t"], self.led)
        outputs = {"G": ca.densify(found.G), "b": found.b, "R": ca.densify(found.R)}
        return self.symbols.function("reactions", outputs, {"a": self.common.a})

    def embed(self) -> ca.Function:
        """Q of given poses; the momenta of given twists where the formulation fixes none."""
        school, count = self.school, len(self.school.model.bodies)
        pose, twist = ca.SX.sym("pose", 7, count), ca.SX.sym("twist", 6, count)
        q, u = embedded(school.moved, pose, twist)
        there = [ca.vertcat(column(q), school.kept), column(u)]
        bodies = school.assembled.bodies
        parts = [ca.vertcat(placed.Phi, placed.Psi) for placed in bodies]
        momenta = sum(parts[1:], parts[0]) @ school._rates
        (momenta,) = ca.substitute([momenta], [self._q, school._rates], there)
        kept = [
            momenta[i] if value is None else ca.SX(value) for i, value in enumerate(self.given)
        ]
        outputs = {"q_out": ca.vertcat(column(q), *kept), "u_out": ca.SX(0, 1)}
        return self.symbols.function("embed", outputs, {"pose": pose, "twist": twist})

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions; `regular` is positive where A is not singular."""
        scene = self.school.scene(smooth=False)
        values = [
            self.school.watch - FLOOR
            if isinstance(expression, Signal) and expression.name == REGULAR
            else scene.number(expression)
            for expression in expressions
        ]
        return self.symbols.function("signals", {"y": column(values)})

    @cached_property
    def _matrices(self) -> Matrices:
        school = self.school
        values = column([value for value, _ in residuals(school.moved, school.plan)])
        return Matrices(school.assembled, self.symbols, school.model, values, school.q)

    def quantity(self, name: str) -> Quantity | PerBody:
        """Return one of the school's matrices by name."""
        if name in ("system_matrix", "right_side"):
            parameters = {p.name: p.value for p in self.school.model.parameters}
            return Quantity(name, getattr(self.school, name), self.symbols, parameters)
        alias = {"mass_matrix": "generalized_inertia"}.get(name, name)
        if name == "force":  # the right side, under the name that all formulations have
            return self.quantity("right_side")
        if name == "first_order_right_side":
            return self._matrices.of_momenta(self.school.kept)
        return getattr(self._matrices, alias)()
