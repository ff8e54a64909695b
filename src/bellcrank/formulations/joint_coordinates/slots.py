"""The slots of the contract for a tree in joint coordinates, on CasADi symbols."""

from functools import cached_property

import casadi as ca

from bellcrank.formulations.arithmetic import Scalar, Vector, cross, plus, scaled
from bellcrank.formulations.balance import Balance
from bellcrank.formulations.constraints import position_rows, velocity_rows
from bellcrank.formulations.joint_coordinates.layout import Layout
from bellcrank.formulations.joint_coordinates.recursions import (
    Wrenches,
    accelerations,
    mass_entries,
    needed_efforts,
)
from bellcrank.formulations.joint_coordinates.scene import TreeScene
from bellcrank.formulations.observation import stacked
from bellcrank.formulations.reactions import reactions
from bellcrank.formulations.rows import machine_length, rows
from bellcrank.formulations.switches import Switch, switching_function
from bellcrank.formulations.symbols import Symbols, column, dense
from bellcrank.model import Expression, Free, Model, Spherical, mass_properties


class TreeSlots:
    """Builds the slots of one model; everything that slots share is built once."""

    def __init__(
        self, model: Model, layout: Layout, switches: tuple[Switch, ...], sizes: dict[str, int]
    ) -> None:
        self.model, self.layout, self.switches = model, layout, switches
        self.symbols = Symbols.of_sizes(sizes)
        self.scalars = {name: self.symbols.scalars(name) for name in sizes}
        self.a = ca.SX.sym("a", sizes["u"])

    @property
    def constrained(self) -> bool:
        """Whether there are rows."""
        return bool(self.model.graph.loops or self.model.constraints or self.model.drivers)

    @cached_property
    def _rows(self) -> tuple[ca.SX, ca.SX]:
        """Φ, and the rates of all rows: Φ̇ first, then velocity-only rows; C u − ν."""
        found = position_rows(self.scene, self.symbols.columns["t"])
        values, rates = [value for value, _ in found], [rate for _, rate in found]
        return column(values), column([*rates, *velocity_rows(self.scene)])

    @cached_property
    def C(self) -> ca.SX:
        """The rates of all rows as C u − ν: C."""
        return ca.jacobian(self._rows[1], self.symbols.columns["u"])

    def _along(self, expression: ca.SX) -> ca.SX:
        """Return the rate of an expression of (t, q) along the motion, u held."""
        t, q, u = (self.symbols.columns[name] for name in "tqu")
        moved = ca.jtimes(expression, q, self.W @ u)
        return moved + ca.jtimes(expression, t, ca.SX.ones(1))

    @cached_property
    def gamma(self) -> ca.SX:
        """γ of C u̇ = γ."""
        return -self._along(self._rows[1])

    def position(self) -> ca.Function:
        """Φ."""
        return self.symbols.function("position", {"Phi": ca.densify(self._rows[0])})

    def velocity(self) -> ca.Function:
        """C, ν."""
        u = self.symbols.columns["u"]
        nu = -ca.substitute(self._rows[1], u, ca.SX.zeros(u.shape))
        return self.symbols.function("velocity", {"C": self.C, "nu": ca.densify(nu)})

    def acceleration(self) -> ca.Function:
        """γ."""
        return self.symbols.function("acceleration", {"gamma": ca.densify(self.gamma)})

    def jerk(self) -> ca.Function:
        """D, d: (Ċ − γ_u) u̇ = γ_q q̇ + γ_t."""
        u = self.symbols.columns["u"]
        C_rate = ca.reshape(self._along(ca.vec(ca.densify(self.C))), *self.C.shape)
        D = C_rate - ca.jacobian(self.gamma, u)
        return self.symbols.function("jerk", {"D": D, "d": ca.densify(self._along(self.gamma))})

    def reactions(self) -> ca.Function:
        """G, b, R of all rows in body space."""
        found = reactions(self.moving, self.symbols.columns["t"])
        outputs = {"G": ca.densify(found.G), "b": found.b, "R": ca.densify(found.R)}
        return self.symbols.function("reactions", outputs, {"a": self.a})

    def constraint_jacobian(self) -> ca.Function:
        """(C u − ν)_q T, with T = W."""
        rates_q = ca.jacobian(self._rows[1], self.symbols.columns["q"])
        return self.symbols.function("constraint_jacobian", {"rates_q": rates_q @ self.W})

    @cached_property
    def scene(self) -> TreeScene:
        """The scene at (t, q, u), with u̇ = 0."""
        return TreeScene(self.model, self.layout, self.scalars, None, self.switches)

    @cached_property
    def balance(self) -> Balance:
        """The forces at (t, q, u)."""
        return Balance(self.scene)

    @cached_property
    def moving(self) -> Balance:
        """The forces at (t, q, u), with u̇ = a."""
        a = ca.vertsplit(self.a) if self.a.numel() else []
        return Balance(TreeScene(self.model, self.layout, self.scalars, a, self.switches))

    def _quaternions(self) -> list[tuple[int, int]]:
        """Return (first coordinate, first speed) of each set of Euler parameters."""
        found = []
        for link in self.layout.links[1:]:
            offset = 3 if isinstance(link.joint, Free) else 0
            if isinstance(link.joint, Spherical | Free):
                q0 = self.layout.q_start[link.joint.name] + offset
                found.append((q0, self.layout.u_start[link.joint.name] + offset))
        return found

    @cached_property
    def W(self) -> ca.SX:
        """The matrix of q̇ = W u: ones, and ½ Gᵀ for Euler parameters."""
        nq, nu = len(self.layout.coordinates), len(self.layout.speeds)
        W = ca.SX(nq, nu)
        taken = {}
        for q0, u0 in self._quaternions():
            e0, x, y, z = self.scalars["q"][q0 : q0 + 4]
            W[q0 : q0 + 4, u0 : u0 + 3] = 0.5 * dense([
                [-x, -y, -z],
                [e0, -z, y],
                [z, e0, -x],
                [-y, x, e0],
            ])
            taken[q0] = u0
        q = u = 0
        while q < nq:
            if q in taken:
                q, u = q + 4, u + 3
            else:
                W[q, u] = 1
                q, u = q + 1, u + 1
        return W

    @property
    def gravity(self) -> Vector:
        """Gravity of the world."""
        return self.balance.gravity

    @cached_property
    def wrenches(self) -> Wrenches:
        """What pushes links, gravity excepted, at the origins of their frames."""
        found: Wrenches = {}
        for body, (force, torque) in self.balance.pushes().items():
            number = self.layout.link_of[body]
            if number == 0:
                continue
            n, f = self.scene.push_in_link(body, force, torque)
            com = [self.scene.number(entry) for entry in mass_properties(self.model[body]).com]
            n = plus(n, cross(self.scene.tree.body_point(body, com), f))
            before = found.get(number, ([0.0] * 3, [0.0] * 3))
            found[number] = plus(before[0], n), plus(before[1], f)
        return found

    @cached_property
    def efforts(self) -> list[Scalar]:
        """Efforts of motors and joint springs, one per speed."""
        efforts: list[Scalar] = [0.0] * len(self.layout.speeds)
        places = {variable.name: i for i, variable in enumerate(self.layout.speeds)}
        for effect in self.balance.effects.values():
            for joint, coordinate, effort in effect.efforts:
                rate = f"{coordinate}_rate"
                if coordinate.startswith("position"):
                    rate = coordinate.replace("position", "velocity")
                i = places[f"{joint}.{rate}"]
                efforts[i] = efforts[i] + effort
        return efforts

    # The slots, in the order of the contract.

    def kinematics(self) -> ca.Function:
        """W, x."""
        x = ca.SX.zeros(self.W.shape[0])
        return self.symbols.function("kinematics", {"W": self.W, "x": x})

    def normalize(self) -> ca.Function:
        """Q with all Euler parameters at unit length."""
        q = list(self.scalars["q"])
        for q0, _ in self._quaternions():
            e = q[q0 : q0 + 4]
            q[q0 : q0 + 4] = scaled(1.0 / ca.sqrt(sum(entry * entry for entry in e)), e)
        return self.symbols.function("normalize", {"q_out": column(q)})

    @cached_property
    def A(self) -> ca.SX:
        """The mass matrix."""
        nu = len(self.layout.speeds)
        A = ca.SX(nu, nu)
        for (i, j), entry in mass_entries(self.scene.tree).items():
            A[i, j] = A[j, i] = entry
        return A

    def mass(self) -> ca.Function:
        """A."""
        return self.symbols.function("mass", {"A": self.A})

    @cached_property
    def f(self) -> ca.SX:
        """F = efforts − (A u̇ − f) at u̇ = 0 without efforts."""
        bias = needed_efforts(self.scene.tree, self.gravity, self.wrenches)
        return column(self.efforts) - column(bias)

    def force(self) -> ca.Function:
        """F."""
        return self.symbols.function("force", {"f": self.f})

    def solve_mass(self) -> ca.Function:
        """A⁻¹ b, by the recursion at rest without gravity."""
        b = ca.SX.sym("b", len(self.layout.speeds))
        rest = self.scalars | {"u": [0.0] * b.numel()}
        scene = TreeScene(self.model, self.layout, rest, None, self.switches)
        a = accelerations(scene.tree, [0.0] * 3, {}, ca.vertsplit(b))
        return self.symbols.function("solve_mass", {"a": column(a)}, {"b": b})

    def _accelerate(self, extra: list[Scalar]) -> ca.SX:
        efforts = plus(self.efforts, extra)
        if not efforts:
            return ca.SX(0, 1)
        return column(accelerations(self.scene.tree, self.gravity, self.wrenches, efforts))

    def accelerate(self) -> ca.Function:
        """u̇ under extra efforts e."""
        e = ca.SX.sym("e", len(self.layout.speeds))
        ud = self._accelerate(ca.vertsplit(e) if e.numel() else [])
        return self.symbols.function("accelerate", {"ud": ud}, {"e": e})

    def derivatives(self) -> ca.Function:
        """q̇, u̇, ṡ."""
        qd = self.W @ self.symbols.columns["u"]
        ud = self._accelerate([0.0] * len(self.layout.speeds))
        return self.symbols.function(
            "derivatives", {"qd": ca.densify(qd), "ud": ud, "sd": ca.SX(0, 1)}
        )

    def jacobian(self) -> ca.Function:
        """F = M ∂ẋ/∂x without constraints, and A of M = diag(1, A, 1).

        Derivatives of A a − f at a = u̇ are less than half the work of those of u̇ itself.
        """
        q, u = self.symbols.columns["q"], self.symbols.columns["u"]
        qd, ud = self.W @ u, self._accelerate([0.0] * len(self.layout.speeds))
        rows = [ca.jacobian(self.r, q), ca.jacobian(self.r, u)]
        r_q, r_u = ca.substitute(rows, [self.a], [ud])
        F = ca.blockcat([[ca.jacobian(qd, q), self.W], [-r_q, -r_u]])
        F, A = ca.cse([ca.densify(F), ca.densify(self.A)])
        return self.symbols.function("jacobian", {"F": F, "A": A})

    @cached_property
    def r(self) -> ca.SX:
        """A a − f."""
        tree = self.moving.scene.tree  # type: ignore[attr-defined]
        needed = needed_efforts(tree, self.gravity, self.wrenches)
        return column(needed) - column(self.efforts)

    def residual(self) -> ca.Function:
        """A a − f for given accelerations a."""
        lam = ca.SX.sym("lam", 0)
        return self.symbols.function("residual", {"r": self.r}, {"a": self.a, "lam": lam})

    def residual_jacobian(self) -> ca.Function:
        """r_q T and r_u, with T = W."""
        lam = ca.SX.sym("lam", 0)
        r_q = ca.jacobian(self.r, self.symbols.columns["q"]) @ self.W
        r_u = ca.jacobian(self.r, self.symbols.columns["u"])
        return self.symbols.function(
            "residual_jacobian", {"r_q": r_q, "r_u": r_u}, {"a": self.a, "lam": lam}
        )

    def kinematics_jacobian(self) -> ca.Function:
        """(W u)_q T, with T = W."""
        qd = self.W @ self.symbols.columns["u"]
        return self.symbols.function(
            "kinematics_jacobian", {"qd_q": ca.jacobian(qd, self.symbols.columns["q"]) @ self.W}
        )

    def switches_slot(self) -> ca.Function:
        """Z, one per switch."""
        z = [self.scene.number(switching_function(switch)) for switch in self.switches]
        return self.symbols.function("switches", {"z": column(z)})

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
        applied = self.balance.applied
        rows = [
            [*torque, *force] for force, torque in (applied[b.name] for b in self.model.bodies)
        ]
        return self.symbols.function("applied", {"wrench": dense(rows).T})

    def energy(self) -> ca.Function:
        """Kinetic and potential energy, momentum."""
        linear, angular = self.balance.momentum()
        return self.symbols.function(
            "energy",
            {
                "kinetic": column([self.balance.kinetic()]),
                "potential": column([self.balance.potential()]),
                "momentum": column([*linear, *angular]),
            },
        )

    def power(self) -> ca.Function:
        """Power of what is not conservative, per force element."""
        powers = [effect.power for effect in self.balance.effects.values()]
        return self.symbols.function("power", {"P": column(powers)})

    def observe(self) -> ca.Function:
        """All channels."""
        return self.symbols.function(
            "observe", {"y": column(stacked(self.moving, self._residuals()))}, {"a": self.a}
        )

    def _residuals(self) -> tuple[Scalar, Scalar]:
        """Return the largest scaled residual at position and at velocity level."""
        if not self.constrained:
            return 0.0, 0.0
        found = rows(self.model, machine_length(self.model))
        scale = ca.DM([row.scale for row in found])
        phi, rates = self._rows
        largest = [
            ca.mmax(ca.fabs(part / scale[: part.numel()])) if part.numel() else 0.0
            for part in (phi, rates)
        ]
        return largest[0], largest[1]

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions; nonsmooth ones switch by themselves."""
        scene = TreeScene(self.model, self.layout, self.scalars)
        values = [scene.number(expression) for expression in expressions]
        return self.symbols.function("signals", {"y": column(values)})
