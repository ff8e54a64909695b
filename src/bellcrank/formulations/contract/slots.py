"""Slots of the contract that follow from body space, the same for every formulation.

A formulation says where its bodies are (`Scene`), how q̇ follows from u (W, x) and what its
school writes for A and f (`School`). Rows, reactions, residuals and their derivatives,
energies and observations follow here, once.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.constraints import position_rows, velocity_rows
from bellcrank.formulations.body_space.measures import drawn_axes
from bellcrank.formulations.body_space.observation import stacked
from bellcrank.formulations.body_space.pairs import Row as Pair
from bellcrank.formulations.body_space.reactions import reactions
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.formulations.contract.breaks import jumps_with_time
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.laws import potentials
from bellcrank.formulations.contract.switches import Switch, switching_function
from bellcrank.formulations.contract.symbols import Symbols, column, dense
from bellcrank.formulations.contract.unwrapped import turns_of
from bellcrank.linear.straight_line import Factored
from bellcrank.model import Expression, Joint, Model
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.spatial.arithmetic import ORIGIN, Scalar, Vector, scaled

if TYPE_CHECKING:
    from bellcrank.formulations.contract.quantities import OfRows, PerBody

ALL_KINDS = "loop", "driver", "rigid", "norm"
"""Of rows of positions."""


class School(Protocol):
    """What a formulation writes itself, on the symbols of its slots."""

    @property
    def model(self) -> Model:
        """The machine."""
        ...

    @property
    def symbols(self) -> Symbols:
        """The arguments of all slots."""
        ...

    @property
    def switches(self) -> tuple[Switch, ...]:
        """The nonsmooth operations, in the order of the first entries of k."""
        ...

    @property
    def joints(self) -> tuple[str, ...]:
        """The joints that are rows, in order."""
        ...

    @property
    def rows(self) -> tuple[Row, ...]:
        """The descriptions of all rows."""
        ...

    @cached_property
    def W(self) -> ca.SX:
        """The matrix of q̇ = W u + x, nq×nu."""
        ...

    @property
    def x(self) -> ca.SX:
        """The rest of q̇ = W u + x, nq."""
        ...

    @cached_property
    def A(self) -> ca.SX:
        """The mass matrix, nu×nu."""
        ...

    @cached_property
    def f(self) -> ca.SX:
        """The generalized forces, nu."""
        ...

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> Scene:
        """Return body space at (t, q, u) with u̇ = a, zero if None.

        Args:
            a: Accelerations, nu.
            smooth: Whether nonsmooth operations stay on the branch that k says.
        """
        ...

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return A a − f, nu.

        Args:
            moving: The forces of the scene with u̇ = a.
            a: Accelerations, nu.
        """
        ...

    def own_rows(self) -> list[Pair]:
        """Return (Φ, Φ̇) of rows that are no joints: rigid bodies, norms. They come first."""
        ...


class BodySlots:
    """Builds slots of one machine; everything that slots share is built once.

    Attributes:
        school: What the formulation writes itself.
        chain: Kinds of rows whose rates are Φ_q q̇ + Φ_t by the chain rule. Those of others
            are written in the twists of bodies, which is the same where q is on its own
            invariants.
        flat: Whether rows are only what is left of them in the plane.
        a: Accelerations u̇, an argument of some slots.
        lam: Multipliers of all rows, an argument of some slots.
    """

    def __init__(
        self, school: School, *, chain: tuple[str, ...] = (), flat: bool = False
    ) -> None:
        self.school, self.symbols, self.chain, self.flat = school, school.symbols, chain, flat
        self.a = ca.SX.sym("a", self.symbols.columns["u"].numel())
        self.lam = ca.SX.sym("lam", len(school.rows))

    @property
    def q(self) -> ca.SX:
        """Coordinates."""
        return self.symbols.columns["q"]

    @property
    def u(self) -> ca.SX:
        """Speeds."""
        return self.symbols.columns["u"]

    @cached_property
    def balance(self) -> Balance:
        """The forces at (t, q, u), with u̇ = 0."""
        return Balance(self.school.scene())

    @cached_property
    def moving(self) -> Balance:
        """The forces at (t, q, u), with u̇ = a."""
        return Balance(self.school.scene(ca.vertsplit(self.a) if self.a.numel() else []))

    @cached_property
    def _rows(self) -> tuple[ca.SX, ca.SX]:
        """Φ, and the rates of all rows: Φ̇ first, then velocity-only rows; C u − ν."""
        scene = self.balance.scene
        found = self.school.own_rows()
        time = self.symbols.columns["t"]
        found += position_rows(scene, time, self.school.joints, flat=self.flat)
        values, rates = column([value for value, _ in found]), [rate for _, rate in found]
        others = column(velocity_rows(scene, flat=self.flat))
        if self.chain:
            along = ca.vertsplit(self._along(values))
            rows = zip(self.school.rows, along, rates, strict=False)
            rates = [own if row.kind in self.chain else rate for row, own, rate in rows]
        return values, ca.vertcat(column(rates), others)

    @cached_property
    def C(self) -> ca.SX:
        """The rates of all rows as C u − ν: C."""
        return ca.jacobian(self._rows[1], self.u)

    @property
    def qd(self) -> ca.SX:
        """q̇ = W u + x."""
        return self.school.W @ self.u + self.school.x

    def _along(self, expression: ca.SX) -> ca.SX:
        """Return the rate of an expression of (t, q, s) along the motion, u held."""
        moved = ca.jtimes(expression, self.q, self.qd)
        if ca.depends_on(expression, self.symbols.columns["s"]):  # speeds led by variables
            moved += ca.jtimes(expression, self.symbols.columns["s"], self.sd)
        return moved + ca.jtimes(expression, self.symbols.columns["t"], ca.SX.ones(1))

    @cached_property
    def gamma(self) -> ca.SX:
        """γ of C u̇ = γ."""
        return -self._along(self._rows[1])

    def row_quantities(self) -> "dict[str, Callable[[], ca.SX]]":
        """Return Φ, C, ν and γ by the names that users know them by."""
        still = ca.SX.zeros(self.u.shape)
        return {
            "constraint_residual": lambda: self._rows[0],
            "constraint_matrix": lambda: self.C,
            "velocity_right_side": lambda: -ca.substitute(self._rows[1], self.u, still),
            "acceleration_right_side": lambda: self.gamma,
        }

    def partials(self, name: str) -> "dict[str, ca.SX]":
        """Return [v_K,u] of mass centres, or [ω′_K,u] along each body, by body."""
        scene, found = self.balance.scene, {}
        for body, heavy in self.balance.bodies.items():
            rate = column(heavy.centre.velocity)
            if name == "partial_angular_velocity":
                axes = [scene.carried(body, axis) for axis in drawn_axes(scene, body)]
                rate = dense(axes) @ column(heavy.turning.velocity)
            found[body] = ca.jacobian(rate, self.u)
        return found

    def element_forces(self) -> "dict[str, ca.SX]":
        """Return Qᴬ of each force element, and of gravity: Σ_K v_K,uᵀ F + ω_K,uᵀ M, nu."""
        gravity = {
            name: (scaled(body.m, self.balance.gravity), ORIGIN)
            for name, body in self.balance.bodies.items()
        }
        elements = {name: self.balance.of_element(name) for name in self.balance.effects}
        return {
            name: self._generalized(wrenches)
            for name, wrenches in (elements | {"gravity": gravity}).items()
        }

    def _generalized(self, wrenches: "Mapping[str, tuple[Vector, Vector]]") -> ca.SX:
        total = ca.SX.zeros(self.u.shape)
        for name, (force, torque) in wrenches.items():
            body = self.balance.bodies[name]
            for rate, push in ((body.centre, force), (body.turning, torque)):
                total += ca.jacobian(column(rate.velocity), self.u).T @ column(push)
        return total

    def named_forces(self, name: str) -> "PerBody | OfRows":
        """Return `element_force` by element, or `constraint_force` by element."""
        from bellcrank.formulations.contract.quantities import OfRows, PerBody, Quantity

        nominal = {one.name: one.value for one in self.school.model.parameters}
        if name == "element_force":
            return PerBody(name, {
                each: Quantity(f"{name} of '{each}'", value, self.symbols, nominal)
                for each, value in self.element_forces().items()
            })  # fmt: skip
        owners = [row.owner for row in self.school.rows]
        return OfRows(Quantity("constraint_matrix", self.C, self.symbols, nominal), owners)

    @property
    def s(self) -> ca.SX:
        """Variables of the user's own."""
        return self.symbols.columns["s"]

    @cached_property
    def sd(self) -> ca.SX:
        """ṡ, the rates of variables."""
        number = self.balance.scene.number
        return column([number(each.rate) for each in self.school.model.variables])

    # The slots, in the order of the contract.

    def kinematics(self) -> ca.Function:
        """W, x."""
        x = ca.densify(self.school.x)
        return self.symbols.function("kinematics", {"W": self.school.W, "x": x})

    def mass(self) -> ca.Function:
        """A."""
        return self.symbols.function("mass", {"A": self.school.A})

    def force(self) -> ca.Function:
        """F."""
        return self.symbols.function("force", {"f": ca.densify(self.school.f)})

    def _solved(self, b: ca.SX) -> ca.SX:
        """Return A⁻¹ b by straight-line factors; A must be definite."""
        rows, cols = self.school.A.sparsity().get_triplet()
        lower = {(i, j): self.school.A[i, j] for i, j in zip(rows, cols, strict=True) if i >= j}
        found = Factored(b.numel(), lower).solve(dict(enumerate(ca.vertsplit(b))))
        return column([found[i] for i in range(b.numel())])

    def accelerate(self) -> ca.Function:
        """u̇ under extra efforts e, without constraints."""
        e = ca.SX.sym("e", self.u.numel())
        ud = self._solved(self.school.f + e)
        return self.symbols.function("accelerate", {"ud": ud}, {"e": e})

    def derivatives(self) -> ca.Function:
        """q̇, u̇, ṡ of a machine without constraints."""
        outputs = {"qd": ca.densify(self.qd), "ud": self._solved(self.school.f)}
        return self.symbols.function("derivatives", outputs | {"sd": self.sd})

    def jacobian(self) -> ca.Function:
        """F = M ∂ẋ/∂x without constraints, and A of M = diag(1, A, 1)."""
        return self.jacobian_at(self._solved(self.school.f))

    def jacobian_at(self, ud: ca.SX) -> ca.Function:
        """Return the slot `jacobian` for given u̇.

        Derivatives of A a − f at a = u̇ are less than half the work of those of u̇ itself.
        """
        rows = [ca.jacobian(self.r, each) for each in (self.q, self.u, self.s)]
        r_q, r_u, r_s = ca.substitute(rows, [self.a], [ud])
        slopes = [ca.jacobian(self.sd, each) for each in (self.q, self.u, self.s)]
        still = ca.SX(self.q.numel(), self.s.numel())
        F = ca.blockcat([
            [ca.jacobian(self.qd, self.q), self.school.W, still],
            [-r_q, -r_u, -r_s],
            slopes,
        ])
        F, A = ca.cse([ca.densify(F), ca.densify(self.school.A)])
        return self.symbols.function("jacobian", {"F": F, "A": A})

    def position(self) -> ca.Function:
        """Φ."""
        return self.symbols.function("position", {"Phi": ca.densify(self._rows[0])})

    def velocity(self) -> ca.Function:
        """C, ν."""
        nu = -ca.substitute(self._rows[1], self.u, ca.SX.zeros(self.u.shape))
        return self.symbols.function("velocity", {"C": self.C, "nu": ca.densify(nu)})

    def acceleration(self) -> ca.Function:
        """γ."""
        return self.symbols.function("acceleration", {"gamma": ca.densify(self.gamma)})

    def jerk(self) -> ca.Function:
        """D, d: (Ċ − γ_u) u̇ = γ_q q̇ + γ_t."""
        entries = column(self.C.nonzeros())  # the others are zero always
        C_rate = ca.SX(self.C.sparsity(), ca.densify(self._along(entries)))
        D = C_rate - ca.jacobian(self.gamma, self.u)
        return self.symbols.function("jerk", {"D": D, "d": ca.densify(self._along(self.gamma))})

    def reactions(self) -> ca.Function:
        """G, b, R of all rows in body space."""
        found = reactions(self.moving, self.symbols.columns["t"])
        outputs = {"G": ca.sparsify(found.G), "b": found.b, "R": ca.sparsify(found.R)}
        return self.symbols.function("reactions", outputs, {"a": self.a})

    def constraint_jacobian(self) -> ca.Function:
        """(C u − ν)_q T, with T = W."""
        rates_q = ca.jacobian(self._rows[1], self.q) @ self.school.W
        return self.symbols.function("constraint_jacobian", {"rates_q": rates_q})

    @cached_property
    def r(self) -> ca.SX:
        """A a − f."""
        return self.school.needed(self.moving, self.a)

    @cached_property
    def _residual(self) -> ca.SX:
        """A a − f + Cᵀ λ."""
        return self.r + self.C.T @ self.lam if self.lam.numel() else self.r

    def residual(self) -> ca.Function:
        """A a − f + Cᵀ λ for given accelerations a and multipliers λ."""
        r = ca.densify(self._residual)
        return self.symbols.function("residual", {"r": r}, {"a": self.a, "lam": self.lam})

    def residual_jacobian(self) -> ca.Function:
        """r_q T and r_u, with T = W."""
        r_q = ca.jacobian(self._residual, self.q) @ self.school.W
        outputs = {"r_q": r_q, "r_u": ca.jacobian(self._residual, self.u)}
        own = {"a": self.a, "lam": self.lam}
        return self.symbols.function("residual_jacobian", outputs, own)

    def kinematics_jacobian(self) -> ca.Function:
        """(W u + x)_q T, with T = W."""
        qd_q = ca.jacobian(self.qd, self.q) @ self.school.W
        return self.symbols.function("kinematics_jacobian", {"qd_q": qd_q})

    def auxiliary(self) -> ca.Function:
        """ṡ."""
        return self.symbols.function("auxiliary", {"sd": ca.densify(self.sd)})

    def switches(self) -> ca.Function:
        """Z, one per switch."""
        number = self.balance.scene.number
        z = [number(switching_function(switch)) for switch in self.school.switches]
        return self.symbols.function("switches", {"z": column(z)})

    def revise(self) -> ca.Function:
        """K with the angles of measured joints as they are now, and their rates."""
        scene = self.balance.scene
        k = self.symbols.scalars("k")[: len(self.school.switches)]
        time = self.symbols.scalars("t")[0]
        for (joint, coordinate), turn in turns_of(scene).items():
            if not turn.kept:
                continue
            drawn = scene.model[joint].drawn[_place(scene.model[joint], coordinate)]
            value = scene.joint_values(joint, "coordinates")[coordinate][0]
            rate = scene.joint_values(joint, "speeds")[f"{coordinate}_rate"][0]
            k += [value - scene.number(drawn) - rate * time, rate]
        return self.symbols.function("revise", {"k_out": column(k)})

    def bodies(self) -> ca.Function:
        """Pose, twist and acceleration of every body."""
        scene = self.moving.scene
        heavy = self.moving.bodies.values()
        pose = [[*body.centre.position, *scene.attitude(body.name)] for body in heavy]
        twist = [[*body.turning.velocity, *body.centre.velocity] for body in heavy]
        rate = [[*body.turning.acceleration, *body.centre.acceleration] for body in heavy]
        outputs = {"pose": pose, "twist": twist, "acceleration": rate}
        return self.symbols.function(
            "bodies", {name: dense(rows).T for name, rows in outputs.items()}, {"a": self.a}
        )

    def applied(self) -> ca.Function:
        """Torque about the mass centre and force on every body."""
        applied, bodies = self.balance.applied, self.school.model.bodies
        rows = [[*torque, *force] for force, torque in (applied[b.name] for b in bodies)]
        return self.symbols.function("applied", {"wrench": dense(rows).T})

    def energy(self) -> ca.Function:
        """Kinetic and potential energy, momentum."""
        linear, angular = self.balance.momentum()
        outputs = {
            "kinetic": column([self.balance.kinetic()]),
            "potential": column([self.balance.potential()]),
            "momentum": column([*linear, *angular]),
        }
        return self.symbols.function("energy", outputs)

    def power(self) -> ca.Function:
        """Power of what is not conservative, per force element."""
        powers = [effect.power for effect in self.balance.effects.values()]
        return self.symbols.function("power", {"P": column(powers)})

    def audit(self) -> ca.Function:
        """Energies and residuals, by which a run is judged; see `equations`."""
        size = [self.balance.kinetic(), self.balance.potential(), *self._residuals()]
        return self.symbols.function("audit", {"y": column(size)})

    def audit_rates(self, known: bool = True) -> ca.Function:
        """What an audit integrates along a run; see `equations`.

        Args:
            known: Whether uᵀ(A a − f) is the power of what is prescribed; without speeds, where
                something is prescribed, it is not. Nor is there one of potentials that jump.
        """
        scene, angles = self.balance.scene, []
        for joint, coordinate in turns_of(scene):
            rates = scene.joint_values(joint, "speeds")
            angles.append(rates[f"{coordinate}_rate"][0])
        jumping = any(map(jumps_with_time, potentials(self.school.model)))
        power = self._powers() if known and not jumping else ca.SX.zeros(3)
        timed = self._timed() if known else ca.SX(0, 1)
        outputs = {"power": power, "rates": column(angles), "timed": timed}
        return self.symbols.function("audit_rates", outputs, {"a": self.a})

    @cached_property
    def _switching(self) -> Balance:
        """The forces at (t, q, u), nonsmooth laws switching by themselves."""
        smooth = not self.school.switches
        return self.balance if smooth else Balance(self.school.scene(smooth=False))

    def _timed(self) -> ca.SX:
        """Return the sum of forces and efforts that depend on time by themselves, if any."""
        found: list[Scalar] = []
        for effect in self._switching.effects.values():
            found += [effort for _, _, effort in effect.efforts]
            found += [part for push in effect.pushes for part in (*push.force, *push.torque)]
        time = self.symbols.columns["t"]
        timed = [part for part in map(ca.SX, found) if ca.depends_on(part, time)]
        return sum(timed, ca.SX(0)) if timed else ca.SX(0, 1)

    def _powers(self) -> ca.SX:
        """Return the power of force elements, and of what is prescribed; only what there is.

        Laws switch by themselves here, so that a run which did not see a switch is found out.
        """
        effects = self._switching.effects.values()
        of_forces = sum((effect.power for effect in effects), ca.SX(0))
        if self.school.rows:
            still = ca.substitute(self._rows[1], self.u, ca.SX.zeros(self.u.shape))
            if not still.is_zero():
                return ca.vertcat(of_forces, ca.dot(self.u, self.r))
        return ca.SX(0, 1) if of_forces.is_zero() else of_forces

    def observe(self) -> ca.Function:
        """All channels."""
        y = column(stacked(self.moving, self._residuals()))
        return self.symbols.function("observe", {"y": y}, {"a": self.a})

    def _residuals(self) -> tuple[Scalar, Scalar]:
        """Return the largest scaled residual at position and at velocity level."""
        if not self.school.rows:
            return 0.0, 0.0
        scale = ca.DM([row.scale for row in self.school.rows])
        largest = [
            ca.mmax(ca.fabs(part / scale[: part.numel()])) if part.numel() else 0.0
            for part in self._rows
        ]
        return largest[0], largest[1]

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions; nonsmooth ones switch by themselves."""
        scene = self.school.scene(smooth=False)
        values = [scene.number(expression) for expression in expressions]
        return self.symbols.function("signals", {"y": column(values)})


def _place(joint: Joint, coordinate: str) -> int:
    """Return where a scalar coordinate is among those of its joint."""
    return scalar_coordinates(joint).index(coordinate)
