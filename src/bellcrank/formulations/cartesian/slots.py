"""A machine in Cartesian coordinates on CasADi symbols: W, M, S and Qᴬ."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.pairs import Row as Pair
from bellcrank.formulations.cartesian.inertia import (
    WeighedBody,
    euler_force,
    euler_mass,
    euler_quadratic,
    euler_rates,
)
from bellcrank.formulations.cartesian.layout import BodyLayout, Placed, lacking
from bellcrank.formulations.cartesian.scene import BodyScene
from bellcrank.formulations.cartesian.turning import remembered
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.quantities import PerBody, Quantity
from bellcrank.formulations.contract.slots import ALL_KINDS, BodySlots
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.symbols import Symbols, column
from bellcrank.formulations.contract.unwrapped import recalled
from bellcrank.model import Expression, Model
from bellcrank.spatial.arithmetic import (
    Scalar,
    Vector,
    apply,
    cross,
    dot,
    minus,
    mul,
    scaled,
    sub,
    transpose,
)
from bellcrank.spatial.attitudes import rate_matrix, rotation


class BodySchool:
    """W, M, S and Qᴬ of separate bodies; every joint is rows.

    Attributes:
        model: The machine.
        layout: Its bodies and scalars.
        rows: The descriptions of its rows.
        switches: Its nonsmooth operations.
        symbols: The arguments of all slots.
        joints: Every joint.
        flat: Whether rows are those of the plane.
    """

    def __init__(
        self,
        model: Model,
        layout: BodyLayout,
        rows: tuple[Row, ...],
        switches: tuple[Switch, ...],
        sizes: dict[str, int],
    ) -> None:
        self.model, self.layout, self.rows, self.switches = model, layout, rows, switches
        self.joints = tuple(joint.name for joint in model.joints)
        self.flat = model.planar
        self.symbols = Symbols.of_sizes(sizes)
        self.scalars = {name: self.symbols.scalars(name) for name in sizes}

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> BodyScene:
        """Return the bodies at (t, q, u) with u̇ = a."""
        if a is None and smooth:
            return self.still
        return self._scene(None if a is None else list(a), smooth)

    def _scene(self, ud: Vector | None, smooth: bool) -> BodyScene:
        angles = remembered(self.model)
        modes, turns = recalled(self.scalars, self.switches, angles, smooth)
        return BodyScene(self.model, self.layout, self.scalars, ud, modes, turns)

    @cached_property
    def still(self) -> BodyScene:
        """The scene with u̇ = 0, which slots share."""
        return self._scene(None, True)

    @cached_property
    def balance(self) -> Balance:
        """The forces at (t, q, u)."""
        return Balance(self.still)

    def euler(self, placed: Placed) -> bool:
        """Return whether the speeds of a body are ṗ."""
        return placed.kind == "spatial" and self.layout.form == "euler"

    def parameters(self, placed: Placed) -> Vector:
        """Return p of a spatial body."""
        return self.scalars["q"][placed.q + 3 : placed.q + 7]

    def rates(self, placed: Placed) -> Vector:
        """Return ṗ of a spatial body, a speed of the Euler-parameter form."""
        return self.scalars["u"][placed.u + 3 : placed.u + 7]

    def own_rows(self) -> list[Pair]:
        """Return ½(pᵀp − 1) of every body whose speeds are ṗ."""
        found = []
        for placed in filter(self.euler, self.layout.bodies):
            p, pd = self.parameters(placed), self.rates(placed)
            found.append((mul(0.5, sub(dot(p, p), 1.0)), dot(p, pd)))
        return found

    @cached_property
    def W(self) -> ca.SX:
        """The matrix of q̇ = W u: ones, and ½ Gᵀ where speeds are ω′."""
        W = ca.SX(len(self.layout.coordinates), len(self.layout.speeds))
        for placed in self.layout.bodies:
            turning = placed.kind == "spatial" and not self.euler(placed)
            count = 3 if turning else _size(placed, self.layout)
            for i in range(count):
                W[placed.q + i, placed.u + i] = 1
            if turning:
                G = rate_matrix(self.parameters(placed))
                for i in range(4):
                    for j in range(3):
                        W[placed.q + 3 + i, placed.u + 3 + j] = mul(0.5, G[j][i])
        return W

    @property
    def x(self) -> ca.SX:
        """Zero."""
        return ca.SX.zeros(len(self.layout.coordinates))

    @cached_property
    def _weighed(self) -> list[WeighedBody]:
        return [WeighedBody.of(self.still, placed) for placed in self.layout.bodies]

    @cached_property
    def A(self) -> ca.SX:
        """M, body by body."""
        nu = len(self.layout.speeds)
        M = ca.SX(nu, nu)
        for body in self._weighed:
            p = self.parameters(body.placed) if self.euler(body.placed) else None
            block = body.mass() if p is None else euler_mass(body, p)
            for i, row in enumerate(block):
                for j, entry in enumerate(row):
                    if i == j or not (type(entry) is float and entry == 0.0):
                        M[body.placed.u + i, body.placed.u + j] = entry
        return M

    def idle(self) -> list[ca.SX]:
        """Return a column for every massless direction, as large as inertias of others."""
        found = []
        for body in self._weighed:
            placed = body.placed
            for direction in lacking(self.model, placed):
                moved = scaled(body.size, body.about_centre(list(direction)))
                if self.euler(placed):
                    moved = euler_rates(self.parameters(placed), moved)
                N = ca.SX(len(self.layout.speeds), 1)
                for i, entry in enumerate(moved):
                    if not (type(entry) is float and entry == 0.0):
                        N[placed.u + i] = entry
                found.append(N)
        return found

    def _stacked(self, part: Callable[[WeighedBody], Vector]) -> ca.SX:
        return column([entry for body in self._weighed for entry in part(body)])

    @cached_property
    def quadratic(self) -> ca.SX:
        """S, what is quadratic in the speeds."""

        def part(body: WeighedBody) -> Vector:
            if self.euler(body.placed):
                return euler_quadratic(
                    body, self.parameters(body.placed), self.rates(body.placed)
                )
            return body.quadratic()

        return self._stacked(part)

    @cached_property
    def applied(self) -> ca.SX:
        """Qᴬ, of everything that is applied."""
        return self.generalized(self.balance)

    def applied_by(self) -> dict[str, ca.SX]:
        """Qᴬ of gravity and of each force element, by name."""
        found = {}
        for name in ("gravity", *self.balance.effects):
            alone = Balance(self.still)
            alone.effects = {key: e for key, e in alone.effects.items() if key == name}
            alone.released = {}
            if name != "gravity":
                alone.gravity = [0.0, 0.0, 0.0]
            found[name] = self.generalized(alone)
        return found

    def generalized(self, balance: Balance) -> ca.SX:
        """Return Q of the forces of a balance."""

        def part(body: WeighedBody) -> Vector:
            force = body.force(*balance.applied[body.placed.name])
            if self.euler(body.placed):
                return euler_force(self.parameters(body.placed), force)
            return force

        return self._stacked(part)

    @cached_property
    def f(self) -> ca.SX:
        """Qᴬ + S."""
        return self.applied + self.quadratic

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return M a − S − Qᴬ."""
        return self.A @ a - self.f

    def embedded(self, pose: ca.SX, twist: ca.SX) -> dict[str, ca.SX]:
        """Return q and u of bodies that are and move as given, one column each."""
        q: list[Scalar] = []
        u: list[Scalar] = []
        for i, body in enumerate(self._weighed):
            e, w = ca.vertsplit(pose[3:, i]), ca.vertsplit(twist[:3, i])
            A = rotation(e)
            s = apply(A, body.s)
            p = minus(ca.vertsplit(pose[:3, i]), s)
            v = minus(ca.vertsplit(twist[3:, i]), cross(w, s))
            q += p[: body.placed.dim]
            u += v[: body.placed.dim]
            if body.placed.kind == "planar":
                q.append(2.0 * ca.atan2(e[3], e[0]))
                u.append(w[2])
            elif body.placed.kind == "spatial":
                own = apply(transpose(A), w)
                q += e
                u += (
                    scaled(0.5, apply(transpose(rate_matrix(e)), own))
                    if self.euler(body.placed)
                    else own
                )
        return {"q_out": column(q), "u_out": column(u)}


def _size(placed: Placed, layout: BodyLayout) -> int:
    """Return how many speeds a body has."""
    if placed.kind == "particle":
        return placed.dim
    return 3 if placed.kind == "planar" else 6 + (layout.form == "euler")


class CartesianSlots:
    """The slots of a machine in Cartesian coordinates."""

    def __init__(self, school: BodySchool) -> None:
        self.school, self.symbols = school, school.symbols
        chain = ALL_KINDS if school.layout.form == "euler" else ()
        self.common = BodySlots(school, chain=chain, flat=school.flat)
        self._own = {
            "normalize": self.normalize,
            "embed": self.embed,
            "completion": self.completion,
        }

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        return self._own[name]() if name in self._own else getattr(self.common, name)()

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions of the machine's signals."""
        return self.common.signals(expressions)

    def normalize(self) -> ca.Function:
        """Q with all Euler parameters at unit length."""
        q = list(self.school.scalars["q"])
        for placed in self.school.layout.bodies:
            if placed.kind == "spatial":
                p = self.school.parameters(placed)
                q[placed.q + 3 : placed.q + 7] = scaled(1.0 / ca.sqrt(dot(p, p)), p)
        return self.symbols.function("normalize", {"q_out": column(q)})

    def completion(self) -> ca.Function:
        """M with inertia in every direction, and what was added: N, and along p.

        What is added along p is taken up by the norm rows.
        """
        school = self.school
        N = ca.horzcat(ca.SX(self.common.u.numel(), 0), *school.idle())
        M = school.A + N @ N.T
        for placed in filter(school.euler, school.layout.bodies):
            p, place = column(school.parameters(placed)), slice(placed.u + 3, placed.u + 7)
            # Rows of joints have a part along p; this much keeps them well apart from norms.
            M[place, place] += 4.0 * ca.trace(M[place, place]) * (p @ p.T)
        return self.symbols.function("completion", {"M": M, "N": N})

    def embed(self) -> ca.Function:
        """Q and u of bodies that are and move as given."""
        count = len(self.school.layout.bodies)
        pose, twist = ca.SX.sym("pose", 7, count), ca.SX.sym("twist", 6, count)
        outputs = self.school.embedded(pose, twist)
        return self.symbols.function("embed", outputs, {"pose": pose, "twist": twist})

    def quantity(self, name: str) -> Any:
        """Return a matrix of this school by its name."""
        if name in ("partial_velocity", "partial_angular_velocity", "element_force"):
            nominal = {one.name: one.value for one in self.school.model.parameters}
            each = self.school.applied_by if name == "element_force" else (
                lambda: self.common.partials(name)
            )  # fmt: skip
            entries = {
                one: Quantity(f"{name} of '{one}'", ca.SX(value), self.symbols, nominal)
                for one, value in each().items()
            }
            return PerBody(name, entries)
        if name == "constraint_force":
            return self.common.named_forces(name)
        school = self.school
        values = self.common.row_quantities() | {
            "mass_matrix": lambda: school.A,
            "force": lambda: school.f,
            "velocity_quadratic": lambda: school.quadratic,
            "generalized_force": lambda: school.applied,
            "rate_matrix": lambda: school.W,
        }
        nominal = {one.name: one.value for one in school.model.parameters}
        return Quantity(name, ca.SX(values[name]()), self.symbols, nominal)
