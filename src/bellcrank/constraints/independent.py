"""Machines with constraints as ordinary differential equations in independent coordinates.

    v = E (q - q0),  w = F u          (tangent space at q0, or some of the coordinates)
    q = Ψ(t, v),     u = T w + …      by Newton's method and by elimination
    v̇ = E (W u + x), (Tᵀ A T) ẇ = Tᵀ (f - A c)

The constraints hold to rounding wherever the right-hand side exists. It ends where the tangent
at the base has turned too far from the one at the point: `rebasing` moves the base in time.
Rows that hold speeds only take nothing from the coordinates; where there are no others, v is
q itself.

References:
    Haug (1989, 2021), Computer-Aided Kinematics and Dynamics, ch. 4: tangent space and
    generalized coordinate partitioning. Kane, Levinson (1985); Huston (1990): elimination
    of dependent speeds.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite
from typing import Any, Literal

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.constraints import table as c
from bellcrank.constraints.constrained import Constrained, described, scratch
from bellcrank.constraints.directions import partition, tangent
from bellcrank.errors import OptionError
from bellcrank.kernels.entries import KERNEL, Entry, Native, each_point
from bellcrank.kernels.guards import Guards, spots
from bellcrank.kernels.routines import routine, shims
from bellcrank.linear import rank

Array = np.ndarray

BESIDE = 1e-8  # of points between which rows are compared, in nominal units,
TRIES = 3  # and in how many directions
NEAR = 0.1  # of the largest distance to a singular position: this is beside one

ENTRIES = {
    "point": c.POINT, "rates": c.RATES, "events": c.AT_EVENTS, "switches": c.AT_SWITCHES,
    "accelerations": c.ACCELERATIONS, "anchor": c.SET_ANCHOR,
    "check": c.CHECK, "slopes": c.SLOPES, "revise": c.AT_REVISE,
}  # fmt: skip


@dataclass(frozen=True)
class Independent:
    """Independent coordinates, chosen anew where they serve badly.

    Attributes:
        by: `tangent` for directions tangent to the constraints, orthonormal in the metric of
            the mass matrix; `partition` for some of the coordinates themselves, and beside
            singular positions for `tangent`.
        rebase: How far to go before they are chosen anew, in nominal units (radians, lengths
            of the machine).
        iterations: Newton iterations after a step above which they are chosen anew.
        growth: How many times farther than at first a unit of an independent speed may move
            the machine before they are chosen anew.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Independent()
        Independent(by='tangent', rebase=1.0, iterations=6, growth=2.0)
    """

    by: Literal["tangent", "partition"] = "tangent"
    rebase: float = 1.0
    iterations: int = 6
    growth: float = 2.0

    def __post_init__(self) -> None:
        if self.by not in ("tangent", "partition"):
            raise OptionError(
                f"Independent: by takes 'tangent' or 'partition', got {self.by!r}."
            )
        if not self.rebase > 0:
            raise OptionError(
                f"Independent: rebase must be a positive number, got {self.rebase!r}."
            )
        if not self.iterations >= 1:
            raise OptionError(
                f"Independent: iterations must be at least 1, got {self.iterations!r}."
            )
        if not (isfinite(self.growth) and self.growth > 1):
            raise OptionError(
                f"Independent: growth must be a number above 1, got {self.growth!r}."
            )


@dataclass(frozen=True)
class Base:
    """Independent directions at a point.

    Attributes:
        q: q0, shape (nq,).
        E, D: v = E (q - q0) and Δq = D Δv, shapes (nv, nq) and (nq, nv).
        F, T: w = F u and u = T w + …, shapes (nw, nu) and (nu, nw).
        rows_h, rows: Numbers of independent rows, at position level and of all.
        length_v, length_w: How far a unit of v and w moves speeds, in nominal units.
        round_off: What rounding leaves of Φ, in nominal units, shape (mh,).
        by: `tangent` or `partition`.
    """

    q: Array
    E: Array
    D: Array
    F: Array
    T: Array
    rows_h: list[int]
    rows: list[int]
    length_v: Array
    length_w: Array
    round_off: Array
    by: str


def base(machine: Constrained, by: str, given: list[Array]) -> Base:
    """Return independent directions at a consistent point.

    Args:
        machine: Whose.
        by: How to choose them, `tangent` or `partition`.
        given: t, q, u, s, w, p, k.
    """
    nq, nu, m, mh = machine.nq, machine.nu, machine.m, machine.mh
    W = machine.kinematics(*given)[0].reshape(nq, nu)
    C = machine.velocity(*given)[0].reshape(m, nu)
    A = machine.mass(*given)[0].reshape(nu, nu)
    scale = np.asarray(machine.speed_scale, dtype=float)
    C = C / np.asarray(machine.row_scale)[:, None]
    if machine.semidefinite:  # what rounding leaves of moments that cancel is no measure
        A = gauss.metric(A, C, scale)
    rows_h = rank.independent(C[:mh] * scale, relative=rank.COLLAPSED)
    rows = rank.independent(C * scale, relative=rank.COLLAPSED)

    def free(numbers: list[int]) -> tuple[Array, Array]:
        chosen = C[numbers]
        return tangent(chosen, A) if by == "tangent" else partition(chosen, scale)

    F, T = free(rows)
    F_h, T_h = (F, T) if len(rows) == len(rows_h) else free(rows_h)
    E, D = (F_h @ np.linalg.pinv(W), W @ T_h) if mh else (np.eye(nq), np.eye(nq))
    length_v = np.linalg.norm(T_h / scale[:, None], axis=0) if mh else np.ones(nq)
    length_w = np.linalg.norm(T / scale[:, None], axis=0)
    round_off = _round_off(machine, given, W, C[:mh])
    return Base(given[1], E, D, F, T, rows_h, rows, length_v, length_w, round_off, by)


def _round_off(machine: Constrained, given: list[Array], W: Array, C: Array) -> Array:
    """Return what rounding leaves of each Φ, in nominal units, shape (mh,).

    It is measured: Φ(q + W ξ) - Φ(q - W ξ) is 2 C ξ but for terms in ξ³ and for rounding. The
    numbers in which Φ is made tell of it only where they are coordinates: a body that hangs
    in joint coordinates 7,000 km from the origin has coordinates of zero.

    Args:
        machine: Whose rows they are.
        given: t, q, u, s, w, p, k.
        W: q̇ = W u + …, shape (nq, nu).
        C: Rows at position level, scaled, shape (mh, nu).
    """
    if machine.position is None:
        return np.zeros(0)
    directions = np.random.default_rng(0).uniform(-1.0, 1.0, (TRIES, machine.nu))
    found = np.zeros(machine.mh)
    for xi in BESIDE * directions * np.asarray(machine.speed_scale):
        ahead, behind = (
            machine.position(given[0], given[1] + step, *given[2:])[0].ravel()
            for step in (W @ xi, -W @ xi)
        )
        left = (ahead - behind) / np.asarray(machine.row_scale)[: machine.mh] - 2.0 * C @ xi
        found = np.maximum(found, np.abs(left))
    return found


class Chart:
    """A machine in independent coordinates round a base that can be moved.

    Attributes:
        machine: What it was made of.
        mode: How the coordinates are chosen.
        nv: Number of independent coordinates.
        nw: Number of independent speeds.
        base: The directions in use.
        guards: Words beside its arrays that must stay as they are.
        rates: Gives v̇, ẇ, ṡ.
        events, switches, revise: Give what those kernels of q and u give.
        check: Gives v and w back, not-a-number where q and u do not exist.
        slopes: Gives the Jacobian of the rates, and a unit matrix.
    """

    def __init__(
        self,
        machine: Constrained,
        mode: Independent,
        given: list[Array],
        events: Native | None = None,
        switches: Native | None = None,
        revise: Native | None = None,
    ) -> None:
        self.machine, self.mode = machine, mode
        self.base = first = base(machine, mode.by, given)
        self._distance = 0.0
        self.nv, self.nw = len(first.E), len(first.F)
        room = max(
            scratch(machine), *(each.work for each in (events, switches, revise) if each), 0
        )  # fmt: skip
        nq, nu = machine.nq, machine.nu
        places = c.places(nq, nu, machine.ns, machine.m, room)
        more = c.chart_places(nq, nu, machine.ns, self.nv, self.nw, places["size"])
        self._alive, self._table = described(machine, places)
        for name, offset in more.items():
            self._table[name] = offset
        self._table["nv"], self._table["nw"] = self.nv, self.nw
        self._table["taken_h"], self._table["taken"] = len(first.rows_h), len(first.rows)
        self._table["events"] = events.address if events else 0
        self._table["switches"] = switches.address if switches else 0
        self._table["revise"] = revise.address if revise else 0
        self.guards = Guards()
        self._numbers = self._allot()
        self._write(first)
        library = shims(routine("independent", _find), self._table.ctypes.data, ENTRIES)
        within = spots(places, "projection") | spots(more, "independent coordinates")
        kernels = events, switches, revise
        owner = (self._table, self._numbers, self._alive, machine, library, *kernels)
        self._entries = {
            name: Entry(library[name], more["size"], owner, within) for name in ENTRIES
        }  # fmt: skip
        self._work = np.zeros(more["size"])
        self.guards.put(self._work, within)
        self._desk = _Desk(self, given)
        self.rates, self.events = self._entries["rates"], self._entries["events"]
        self.switches, self.check = self._entries["switches"], self._entries["check"]
        self.slopes, self.revise = self._entries["slopes"], self._entries["revise"]

    def _allot(self) -> dict[str, Array]:
        """Return the arrays that the table points at, and point it at them."""
        nq, nu, nv, nw = self.machine.nq, self.machine.nu, self.nv, self.nw
        sizes = {
            "base": nq, "e": nv * nq, "f": nw * nu, "length_v": nv, "length_w": nw,
            "anchor_q": nq, "anchor_v": nv, "anchor_d": nq * nv, "seen": 3,
            "kept": 2 + nv + nw + nq + nu, "length_s": self.machine.ns,
            "round_off": self.machine.mh,
        }  # fmt: skip
        numbers: dict[str, Array] = {
            name: self.guards.array(name, (size,)) for name, size in sizes.items()
        }
        for name in ("rows_h", "rows"):
            numbers[name] = self.guards.array(name, (self.machine.m,), np.int64)
        scale = self.machine.auxiliary_scale
        numbers["length_s"][:] = 1.0 if scale is None else 1.0 / scale
        for name, array in numbers.items():
            self._table[name] = array.ctypes.data
        return numbers

    def _write(self, new: Base) -> None:
        """Make a base the one in use."""
        for name, values in (
            ("base", new.q), ("e", new.E.T), ("f", new.F.T), ("length_v", new.length_v),
            ("length_w", new.length_w), ("rows_h", new.rows_h), ("rows", new.rows),
            ("anchor_q", new.q), ("anchor_d", new.D.T), ("anchor_v", np.zeros(self.nv)),
            ("round_off", new.round_off),
        ):  # fmt: skip
            flat = np.ravel(values)
            self._numbers[name][: flat.size] = flat
        self._numbers["kept"][0] = 0.0
        self.base = new

    def move(self, given: list[Array]) -> bool:
        """Choose the directions anew at a point; False if there are more or fewer of them."""
        new = base(self.machine, self._by, given)
        if (len(new.rows_h), len(new.rows)) != (len(self.base.rows_h), len(self.base.rows)):
            return False
        self._write(new)
        return True

    # --- states ---------------------------------------------------------------------------

    def outside(self, t: float, y: Array, w: Array, k: Array, what: str = "point") -> Array:
        """Return [q, u, s] of one state [v, w, s]; not-a-number where there is none.

        Args:
            t: The time [s].
            y: The state.
            w: Inputs.
            k: Memory.
            what: `point`, or `anchor`: points later asked for are then sought from here.
        """
        return self._desk.outside(t, y, w, k, what)

    def inside(self, x: Array) -> Array:
        """Return [v, w, s] at the base of a state [q, u, s]."""
        nq, nu = self.machine.nq, self.machine.nu
        v = np.zeros(self.nv) if self.machine.mh else x[:nq]
        return np.concatenate([v, self.base.F @ x[nq : nq + nu], x[nq + nu :]])

    def far(self, y: Array) -> float:
        """Return how far [v, w, s] is from the base, in nominal units."""
        if not self.machine.mh:
            return 0.0
        return float(np.linalg.norm(y[: self.nv] * self.base.length_v))

    @property
    def units(self) -> Array:
        """Changes of [v, w, s] that are nominal ones of q and u; zero for s."""
        lengths = np.concatenate([self.base.length_v, self.base.length_w])
        return np.append(1.0 / np.maximum(lengths, 1e-300), np.zeros(self.machine.ns))

    def tolerances(self, rtol: float, atol: float | Array, x: Array) -> Array:
        """Return the errors of [v, w, s] that count as those of [q, u, s] do.

        Each is such that an error of that size makes errors of q or u whose mean square,
        measured by atol + rtol |x|, is one.

        Args:
            rtol: Relative tolerance.
            atol: Absolute tolerance of [q, u, s].
            x: The state, close to the anchor.
        """
        nq, nu = self.machine.nq, self.machine.nu
        size = atol + rtol * np.abs(x)
        slope = self._numbers["anchor_d"][: nq * self.nv].reshape(self.nv, nq)
        of_v = _tolerance(slope, size[:nq]) if self.machine.mh else size[:nq]
        of_w = _tolerance(self.base.T.T, size[nq : nq + nu])
        return np.concatenate([of_v, of_w, size[nq + nu :]])

    @property
    def due(self) -> bool:
        """Whether the directions serve badly at the last anchor, or others would be better."""
        iterations, growth, _ = self._numbers["seen"]
        badly = iterations > self.mode.iterations or growth > self.mode.growth
        return bool(badly or self._by != self.base.by)

    @property
    def _by(self) -> str:
        """How directions are to be chosen at the last anchor.

        At a distance θ from a singular position rounding makes ε/θ³ of accelerations along
        the direction e that becomes free there. Coordinates that are some of q take part in
        that motion and keep it, e being zero in others only. Tangent coordinates do not:
        F e = Tᵀ A e = 0.
        """
        distance = float(self._numbers["seen"][2])
        self._distance = max(self._distance, distance)
        near = NEAR if self.base.by == self.mode.by else 2.0 * NEAR
        return "tangent" if distance < near * self._distance else self.mode.by

    def ask(self, what: str, *given: Any) -> list[Array]:
        """Return what an entry gives at every point of a batch.

        Args:
            what: `point` and `anchor` give q, u; `rates` v̇, ẇ, ṡ; `accelerations` u̇ and the
                part of it that ẇ does not make.
            given: t, v, w, s, inputs, p, k; leading axes are a batch, t having no other.
        """
        nq, nu = self.machine.nq, self.machine.nu
        sizes = {"rates": (self.nv, self.nw, self.machine.ns), "accelerations": (nu, nu)}
        return each_point(self._entries[what], given, sizes.get(what, (nq, nu)), self._work)


class _Desk:
    """Where the arguments of one call lie, so that a call costs little."""

    def __init__(self, chart: Chart, given: list[Array]) -> None:
        machine, work = chart.machine, chart._work
        self._sizes = chart.nv + chart.nw, machine.nq + machine.nu
        self._t, self._y = np.zeros(1), np.zeros(sum((self._sizes[0], machine.ns)))
        self._w, self._p, self._k = (np.array(each, dtype=float) for each in given[4:])
        self._x = np.zeros(self._sizes[1] + machine.ns)
        own = (self._t, self._y, self._w, self._p, self._k, self._x, work)
        t, y, w, p, k, x, self._memory = (each.ctypes.data for each in own)
        first = [t, y, y + 8 * chart.nv, y + 8 * self._sizes[0], w, p, k]
        self._places = np.array([*first, x, x + 8 * machine.nq], dtype=np.int64)
        self._in = self._places.ctypes.data
        self._calls = {
            name: KERNEL(chart._entries[name].address) for name in ("point", "anchor")
        }  # fmt: skip

    def outside(self, t: float, y: Array, w: Array, k: Array, what: str) -> Array:
        self._t[0], self._y[:], self._w[:], self._k[:] = t, y, w, k
        self._calls[what](self._in, self._in + 56, self._memory)
        self._x[self._sizes[1] :] = y[self._sizes[0] :]
        return self._x.copy()


def _tolerance(directions: Array, sizes: Array) -> Array:
    """Return the size of an error along each direction whose entries have mean square one."""
    squares = ((directions / sizes) ** 2).mean(axis=1)
    return 1.0 / np.sqrt(np.maximum(squares, np.finfo(float).tiny))


def _find() -> Callable[..., None]:
    from bellcrank.constraints.native.independent import independent

    return independent
