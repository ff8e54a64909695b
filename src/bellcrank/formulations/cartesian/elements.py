"""CasADi functions of one element: its share of the equations, by question (see `batches`)."""

from collections.abc import Callable, Sequence
from functools import cache, cached_property, partial

import casadi as ca

from bellcrank.formulations.body_space.constraint_forces import forces_per_multiplier
from bellcrank.formulations.body_space.observation import observation
from bellcrank.formulations.body_space.plane import planar_rows, planar_velocity_rows
from bellcrank.formulations.body_space.reactions import reactions
from bellcrank.formulations.cartesian.kinds import Kind
from bellcrank.formulations.cartesian.layout import BodyLayout, Form, Placed, Reference
from bellcrank.formulations.cartesian.slots import BodySchool
from bellcrank.formulations.cartesian.turning import remembered
from bellcrank.formulations.contract.description import memory, modes, sizes
from bellcrank.formulations.contract.equations import StateVariable
from bellcrank.formulations.contract.rows import rows
from bellcrank.formulations.contract.slots import ALL_KINDS, BodySlots
from bellcrank.formulations.contract.switches import switching_function
from bellcrank.formulations.contract.symbols import column
from bellcrank.model import Constraint, Joint, Variable
from bellcrank.model.names import channels
from bellcrank.spatial.arithmetic import Scalar, Vector, dot, plus, scaled, total
from bellcrank.spatial.attitudes import euler_product

Outputs = dict[str, ca.SX]


class ElementSlots:
    """Builds the functions of one kind of element.

    Attributes:
        kind: The kind.
        slots: The equations of its tiny machine.
        speeds: u, and the variables after them.
        a: Their rates.
        c: The five factors of `iteration`.
        x: The step ξ that led here, for `iteration`.
        b: The argument of `tangent`, a change of q.
        step: The argument of `move`, along T.
        pose, twist: The arguments of `embed`, as the slot `bodies` gives them.
    """

    def __init__(self, kind: Kind, form: Form, reference: Reference) -> None:
        model = kind.model
        self.kind, self.plan = kind, _plan(kind, form, reference)
        own = rows(model, 1.0, kind.joints, flat=model.planar)
        kept = memory(model, remembered(model))
        counts = sizes(model, self.plan.coordinates, self.plan.speeds, kept)
        self.school = BodySchool(model, self.plan, own, modes(model), counts)
        self.school.joints = kind.joints  # rows are its own, whatever joints it reads besides
        self.slots = BodySlots(
            self.school, chain=ALL_KINDS if form == "euler" else (), flat=model.planar
        )
        self.speeds = ca.vertcat(self.slots.u, self.slots.s)
        self.a = ca.vertcat(self.slots.a, ca.SX.sym("sd", self.slots.s.numel()))
        self.c, self.step = ca.SX.sym("c", 5), ca.SX.sym("a", self.a.numel())
        self.x = ca.SX.sym("x", self.a.numel())
        self.b = ca.SX.sym("b", self.slots.q.numel())
        self.pose, self.twist = ca.SX.sym("pose", 7), ca.SX.sym("twist", 6)
        self.positions = sum(row.level == "position" for row in own)

    def questions(self) -> dict[str, Callable[[], ca.Function]]:
        """Return builders of all functions; each is split from what numbers alone decide."""
        found: dict[str, Callable[[], ca.Function]] = {}
        for name in ("residual", "iteration", "rows", "memory", "observe", "balance", "embed",
                     "reaction", "move", "stage", "slopes", "flow", "tangent"):  # fmt: skip
            split = cache(partial(self._split, name))
            found[name] = lambda split=split: split()[0]
            found[f"{name} numbers"] = lambda split=split: split()[1]
        return found

    @cached_property
    def _arguments(self) -> dict[str, ca.SX]:
        symbols = {name: self.slots.symbols.columns[name] for name in ("t", "q", "w", "k")}
        symbols["u"] = self.speeds
        own = {"a": self.a, "lam": self.slots.lam, "c": self.c, "x": self.x, "b": self.b}
        return symbols | own | {"pose": self.pose, "twist": self.twist}

    def _split(self, name: str) -> tuple[ca.Function, ca.Function]:
        """Return the function of a question, and of what its numbers alone decide."""
        outputs: Outputs = getattr(self, f"_{name}")()
        numbers = self.slots.symbols.columns["p"]
        entries, symbols, parts = ca.extract_parametric(
            ca.cse(list(outputs.values())), numbers, {"extract_trivial": True}
        )
        n, parts = _column(symbols), _column(parts)
        arguments = self._arguments | ({"a": self.step} if name == "move" else {})
        used = {str(symbol) for entry in entries for symbol in ca.symvar(entry)}
        taken = {
            key: value
            for key, value in arguments.items()
            if value.numel() and used & {str(symbol) for symbol in ca.symvar(value)}
        }
        inputs = taken | {"n": n}
        title = f"{self.kind.name}_{name}"
        return (
            ca.Function(title, list(inputs.values()), entries, list(inputs), list(outputs)),
            ca.Function(f"{title}_numbers", [numbers], [parts], ["p"], ["n"]),
        )

    # --- questions

    def _residual(self) -> Outputs:
        phi, rates = self.slots._rows
        g = ca.vertcat(phi, rates[self.positions :, :])  # a slice of one scalar needs both
        return {"r": ca.densify(self._left), "g": ca.densify(g)}

    @cached_property
    def _left(self) -> ca.SX:
        """A a − f + Cᵀλ, and of a variable that is the element (ṡ − rate)/scale²."""
        slots, own = self.slots, self.kind.model[self.kind.own]
        left = ca.SX(slots.s.numel(), 1)
        if isinstance(own, Variable):
            scale = slots.balance.scene.number(own.scale)
            left[0] = (self.a[slots.u.numel()] - slots.sd[0]) / scale**2
        return ca.vertcat(slots._residual, left)

    def _iteration(self) -> Outputs:
        slots, c, W = self.slots, self.c, self.school.W @ self._turned
        r, mh, ns = self._left, self.positions, slots.s.numel()
        J = c[0] * ca.jacobian(r, self.a) + c[1] * ca.jacobian(r, self.speeds)
        J += c[2] * ca.horzcat(ca.jacobian(r, slots.q) @ W, ca.SX(r.numel(), ns))
        C, rates = slots.C, slots._rows[1][mh:, :]
        rates_q = ca.jacobian(rates, slots.q) @ W
        G = ca.vertcat(C[:mh, :] @ self._turned, c[3] * C[mh:, :] + c[4] * rates_q)
        rates_s = ca.vertcat(ca.SX(mh, ns), c[3] * ca.jacobian(rates, slots.s))
        return {"J": J, "G": ca.horzcat(G, rates_s), "C": C}

    @cached_property
    def _turned(self) -> ca.SX:
        """B of δq = T B δξ: what a change of the step ξ turns a body by where it ends.

        B = I − a ξ̃ + b ξ̃², of whose a = (1 − cos|ξ|)/|ξ|² and b = (|ξ| − sin|ξ|)/|ξ|³ two
        terms are plenty for a Newton iteration.
        """
        B = ca.SX.eye(self.slots.u.numel())
        for placed in self.plan.bodies:
            if placed.kind != "spatial":
                continue
            own = slice(placed.u + 3, placed.u + 6)
            turn = ca.skew(self.x[own])
            size = ca.dot(self.x[own], self.x[own])
            a, b = 1 / 2 - size / 24, 1 / 6 - size / 120
            B[own, own] = ca.SX.eye(3) - a * turn + b * (turn @ turn)
        return B

    def _stage(self) -> Outputs:
        phi, rates = self.slots._rows
        parts = {"r": self._left, "Phi": phi, "rates": rates}
        return {name: ca.densify(part) for name, part in parts.items()}

    def _slopes(self) -> Outputs:
        return {"E": ca.jacobian(self.slots._rows[1], self.slots.q) @ self.school.W}

    def _flow(self) -> Outputs:
        return {"q_rate": ca.densify(self.school.W @ self.slots.a)}

    def _tangent(self) -> Outputs:
        # Columns of W are at right angles to each other where p has length one.
        W = self.school.W
        return {"v": ca.densify((W.T @ self.b) / ca.sum1(W * W).T)}

    def _rows(self) -> Outputs:
        phi, rates = self.slots._rows
        parts = {"Phi": phi, "rates": rates, "gamma": self.slots.gamma}
        return {name: ca.densify(part) for name, part in parts.items()}

    def _memory(self) -> Outputs:
        number = self.slots.balance.scene.number
        z = [number(switching_function(switch)) for switch in self.school.switches]
        turns = ca.SX(0, 1)
        if isinstance(self.kind.model[self.kind.own], Joint):
            kept = ca.Function.call(self.slots.revise(), list(self._slot_arguments))[0]
            turns = kept[len(z) :, :]
        return {"z": column(z), "turns": ca.densify(turns)}

    @property
    def _slot_arguments(self) -> Sequence[ca.SX]:
        return list(self.slots.symbols.columns.values())

    def _observe(self) -> Outputs:
        values = observation(self.slots.moving, (0.0, 0.0))
        own = self.kind.own
        shown = [c.name for c in channels(self.kind.model) if c.owner == own]
        entries = [e for name in shown if ".reaction_" not in name for e in values[name]]
        return {"y": ca.densify(column(entries))}

    def _balance(self) -> Outputs:
        balance = self.slots.balance
        linear, angular = balance.momentum()
        power = ca.SX(total([effect.power for effect in balance.effects.values()]))
        energies = [balance.kinetic(), balance.potential(), power]
        return {
            "sums": ca.densify(column([*energies, *linear, *angular])),
            "power": ca.SX(0, 1) if power.is_zero() else power,
        }

    def _reaction(self) -> Outputs:
        own = self.kind.model[self.kind.own]
        if isinstance(own, Constraint):
            columns = forces_per_multiplier(own, self.slots.moving.scene)
            per_unit = ca.horzcat(*(column(entries) for entries in columns))
            return {"y": ca.densify(per_unit @ self._spatial_multipliers(len(columns)))}
        if not isinstance(own, Joint):
            return {"y": -self.slots.lam}
        found = reactions(self.slots.moving, self.slots.symbols.columns["t"])
        return {"y": ca.densify(found.R @ self._spatial_multipliers(found.R.shape[1]))}

    def _spatial_multipliers(self, count: int) -> ca.SX:
        """Return multipliers of all rows in space: those that the plane lacks are zero."""
        lam = self.slots.lam
        if lam.numel() == count:
            return lam
        own, full = self.kind.model[self.kind.own], ca.SX(count, 1)
        slips = planar_velocity_rows(own)
        speeds = len(own.SLIPS) if isinstance(own, Constraint) else 0
        places = planar_rows(own)
        for i, place in enumerate((*places, *(count - speeds + i for i in slips))):
            full[place] = lam[i]
        return full

    def _move(self) -> Outputs:
        q, step = self.school.scalars["q"], ca.vertsplit(self.step)
        moved: list[Scalar] = []
        for placed in self.plan.bodies:
            moved += _moved(placed, q[placed.q :], step[placed.u :])
        return {"q_out": column(moved)}

    def _embed(self) -> Outputs:
        found = self.school.embedded(self.pose, self.twist)
        return {name: ca.densify(part) for name, part in found.items()}


def _plan(kind: Kind, form: Form, reference: Reference) -> BodyLayout:
    """Return the coordinates of a kind's bodies, which the machine decided."""
    bodies: list[Placed] = []
    q = u = 0
    dim = 2 if kind.model.planar else 3
    for body, sort in zip(kind.model.bodies, kind.sorts, strict=True):
        bodies.append(Placed(body.name, sort, q, u, dim))
        turns = {"particle": (0, 0), "planar": (1, 1)}.get(sort, (4, 4 - (form == "omega")))
        q, u = q + dim + turns[0], u + dim + turns[1]
    scalars = [tuple(StateVariable(f"{i}", "offset", "") for i in range(n)) for n in (q, u)]
    return BodyLayout(tuple(bodies), scalars[0], scalars[1], form, reference)


def _moved(placed: Placed, q: Vector, step: Vector) -> Vector:
    """Return the coordinates of a body after a step: r + ξ_r, and p turned by ξ_ω along it."""
    if placed.kind != "spatial":
        count = placed.dim + (placed.kind == "planar")
        return plus(q[:count], step[:count])
    turn = step[3:6]
    size = ca.sqrt(dot(turn, turn) + 1e-200)  # whose sine over itself is 1 where it is zero
    e = [ca.cos(size / 2), *scaled(ca.sin(size / 2) / size, turn)]
    p = euler_product(q[3:7], e)
    return [*plus(q[:3], step[:3]), *scaled(1.0 / ca.sqrt(dot(p, p)), p)]


def _column(parts: list[ca.SX]) -> ca.SX:
    return ca.vertcat(*(ca.vec(part) for part in parts)) if parts else ca.SX(0, 1)
