"""A machine with constraints, made ready for integrators that know none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from bellcrank.constraints.assembly.closing import leave_out_repeated
from bellcrank.constraints.assembly.redundancy import Choice, choice, holds
from bellcrank.kernels import cache
from bellcrank.kernels.build import Kernel
from bellcrank.kernels.build import kernel as compiled
from bellcrank.kernels.late import Late
from bellcrank.kernels.ports import Port
from bellcrank.kernels.protocol import Machine

if TYPE_CHECKING:  # a tree is run without them
    from bellcrank.constraints.index2.saddle import Saddle
    from bellcrank.constraints.projection import Projected
    from bellcrank.constraints.straight_line import StraightLine
    from bellcrank.linear.pivots import Pivots

M = TypeVar("M", bound=Machine)
LARGE = 200  # speeds and rows from which on solving takes longer than evaluating
JOINT_ORDER = 60  # speeds and rows from which on saddle-point elimination is considered
LONG = 15_000  # products in straight-line code from which on full matrices take less time


class Known:
    """What is known about the constraints of a machine; `Machine.once` keeps it with it.

    Attributes:
        chosen: Rows that say all that the others say, by parameter values.
        projections: Ways to bring states onto the constraints, by rows that are left out.
        straight: The same in straight-line code, by these and by the rows chosen.
        saddles: It as implicit methods take it, by rows that are left out and rank.
    """

    def __init__(self, system: Machine) -> None:
        self.chosen: dict[bytes, Choice] = {}
        self.projections: dict[object, Projected] = {}
        self.straight: dict[object, StraightLine] = {}
        self.saddles: dict[object, Saddle] = {}


def moving(system: M, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray) -> M:
    """Return a machine as it is integrated, and leave out what repeats within the slack.

    Where all rows repeat what the coordinates hold already, it is the machine without them.

    Args:
        system: The machine.
        t: The time [s].
        x: A consistent state; independent rows are chosen near it.
        w: Inputs.
        p: Parameter values in order.
    """
    equations = system.equations
    if not equations.rows or not equations.has("derivatives"):
        return system
    if chosen(system, t, x, w, p).rows:
        return system
    return system.once(_without_rows)


def _without_rows(system: M) -> M:
    return system.without_rows()


def chosen(system: Machine, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray) -> Choice:
    """Return rows that say all that the others say; arguments as of `moving`.

    What was found is kept, also for other parameter values while it holds for them. Where it
    does not hold to round-off, the other rows are left out.
    """
    from bellcrank.constraints.assembly.freedom import neighbours

    kept, values = system.once(Known).chosen, p.tobytes()
    if values in kept:
        return kept[values]
    last = next(reversed(kept.values()), None)
    if last is not None and last.exact and last.rows and holds(system, t, x, w, p, last):
        kept[values] = last
        return last
    found = choice(system, t, [x, *neighbours(system, t, x, w, p)], w, p)
    if not found.exact:
        leave_out_repeated(system, t, x, w, p)
        found = choice(system, t, [x, *neighbours(system, t, x, w, p)], w, p)
    if not found.rows and not system.left_out(p):  # nothing is held that is not held already
        system.leave_out(p, range(len(system.equations.rows)), exact=found.exact)
    kept[values] = found
    return found


def projection(system: Machine, p: np.ndarray | None = None) -> Projected | None:
    """Return the projected right-hand side of a machine, None where nothing constrains it.

    Args:
        system: The machine.
        p: Parameter values in order: rows left out may depend on them. None for the model's.
    """
    p = system.parameter_vector() if p is None else p
    equations, out = system.equations, system.left_out(p)
    if not equations.rows:
        return None
    made = system.once(Known).projections
    if out not in made:
        from bellcrank.constraints.constrained import Constrained
        from bellcrank.constraints.projection import Projected

        nu, m = len(system.speeds), len(equations.rows)
        mh = sum(row.level == "position" for row in equations.rows)
        slots = ("kinematics", "velocity", "acceleration", "mass", "force")
        # Where full matrices take most of the time, the code that was begun with will do.
        level = 0 if nu + m >= LARGE else None
        kernels = {slot: system.kernel(slot, level, full=True) for slot in slots}
        machine = Constrained(
            nq=len(system.coordinates),
            nu=nu,
            ns=len(equations.auxiliary),
            m=m,
            mh=mh,
            normalize=system.kernel("normalize") if equations.has("normalize") else None,
            position=system.kernel("position", level) if mh else None,
            jerk=_jerk(system, kernels["acceleration"].inputs, nu, m),
            auxiliary=system.kernel("auxiliary") if equations.auxiliary else None,
            row_scale=system.row_scales(p),
            speed_scale=np.array([speed.scale for speed in equations.speeds]),
            auxiliary_scale=np.array([each.scale for each in equations.auxiliary]),
            semidefinite=equations.mass_kind == "semidefinite",
            **kernels,
        )
        made[out] = Projected(machine)
    return made[out]


def _jerk(system: Machine, given: Sequence[Port], nu: int, m: int) -> Late:
    """Return D and d: the longest code, and asked for at singular positions alone."""
    found = Port("D", m, nu, matrix=True), Port("d", m)
    return Late(given, found, lambda: system.kernel("jerk", 0, full=True))


def quick_projection(
    system: Machine,
    t: float,
    x: np.ndarray,
    w: np.ndarray,
    p: np.ndarray,
    rtol: float | None = None,
) -> Projected | StraightLine | None:
    """Return the projected right-hand side, by straight-line code where that can be trusted.

    Args:
        system: The machine.
        t: The time [s].
        x: A consistent state; independent rows are chosen near it.
        w: Inputs.
        p: Parameter values in order.
        rtol: Relative tolerance of the run; None for the least there is.
    """
    equations = system.equations
    if not equations.rows:
        return projection(system, p)
    found, made = chosen(system, t, x, w, p), system.once(Known).straight
    rows, states = found.rows, found.states
    key = system.left_out(p), tuple(rows)
    if key not in made:
        from bellcrank.constraints.straight_line import StraightLine

        held = {row: rows[row] for row in rows if equations.rows[row].level == "position"}
        orders = _orders(system, t, states, w, p, held, rows)
        if _too_long(system, t, states, w, p, rows, orders[1]):
            rank_revealing = _rank_revealing(system, t, states, w, p)()
            rank_revealing.begin(rtol)
            return rank_revealing
        correction = _kernel(system, "correction", p, rows, orders[0]) if held else None
        motion = _kernel(system, "motion", p, rows, orders[1])
        sizes = (
            len(system.coordinates), len(system.speeds), len(equations.rows),
            len(equations.auxiliary),
        )  # fmt: skip
        make = _rank_revealing(system, t, states, w, p)
        variables = system.kernel("auxiliary") if equations.auxiliary else None
        made[key] = StraightLine(sizes, make, correction, motion, variables)
    made[key].begin(rtol)
    return made[key]


def _too_long(
    system: Machine,
    t: float,
    states: Sequence[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    rows: Mapping[int, float],
    order: Pivots | None,
) -> bool:
    """Return whether straight-line code would take longer to compile than it saves.

    In joint coordinates a long chain of loops has products like the cube of its length.
    """
    if len(system.equations.speeds) + len(rows) < JOINT_ORDER:
        return False
    from bellcrank.constraints.elimination_order import products

    return products(system, t, states, w, p, rows, order) > LONG


def _rank_revealing(
    system: Machine, t: float, states: Sequence[np.ndarray], w: np.ndarray, p: np.ndarray
) -> Callable[[], Projected]:
    """Return what makes the rank-revealing projection; arguments as of `quick_projection`."""

    def make() -> Projected:
        rank_revealing = projection(system, p)
        assert rank_revealing is not None
        nq, nu = len(system.coordinates), len(system.speeds)
        for x in states:  # it learns the rank where it is full
            here = x[:nq], x[nq : nq + nu], x[nq + nu :], w, p
            rank_revealing.points(t, *here, system.modes([np.array([t]), *here]))
        return rank_revealing

    return make


def _orders(
    system: Machine,
    t: float,
    states: Sequence[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    *chosen: Mapping[int, float],
) -> list[Pivots | None]:
    """Return the order of saddle-point elimination for each of some choices of rows.

    Where that is no gain, or cannot be done, None: the Schur complement is used. What is
    found is kept, so that a machine has the same code whatever it starts from.
    """
    equations, found = system.equations, []
    for rows in chosen:
        if not rows or len(equations.speeds) + len(rows) < JOINT_ORDER:
            found.append(None)
            continue
        from bellcrank.linear.pivots import Pivots

        def make(rows: Mapping[int, float] = rows) -> bytes:
            from bellcrank.constraints.elimination_order import elimination_order

            order = elimination_order(system, t, states, w, p, rows)
            return order.to_bytes() if order else b""

        key = f"order {equations.key}/{list(rows.items())}\nsources {cache.fingerprint()}"
        found.append(Pivots.from_bytes(cache.blob(key, make)))
    return found


def _kernel(
    system: Machine, what: str, p: np.ndarray, rows: Mapping[int, float], order: Pivots | None
) -> Kernel:
    """Return one of the two kernels of `straight_line_code` for chosen rows."""
    equations, out = system.equations, system.left_out(p)
    key = f"{equations.key}/{what}/{list(rows.items())}/{order}"
    key += f" without {out}" if out else ""

    def make() -> object:
        from bellcrank.constraints import straight_line_code  # needs CasADi

        scale = system.row_scales(p).tolist()
        return getattr(straight_line_code, what)(equations, rows, scale, order)

    return compiled(
        f"{what} of {equations.name}\n{key}",
        make,  # type: ignore[arg-type]
        level=system.level,
    )
