"""A machine with constraints, made ready for integrators that know none."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary, ref

import numpy as np

from bellcrank.formulations.pivots import Pivots
from bellcrank.kernels import cache
from bellcrank.kernels.build import Kernel
from bellcrank.kernels.build import kernel as compiled
from bellcrank.kernels.system import System

if TYPE_CHECKING:  # a tree is run without them
    from bellcrank.integrators.projection import Projected
    from bellcrank.integrators.saddle import Saddle
    from bellcrank.integrators.swift import Swift

TOGETHER = 60  # speeds and rows from which on they may be eliminated together

_known: WeakKeyDictionary[System, Projected] = WeakKeyDictionary()
_quick: WeakKeyDictionary[System, Swift] = WeakKeyDictionary()
_ranks: WeakKeyDictionary[System, int] = WeakKeyDictionary()
_saddles: WeakKeyDictionary[System, Saddle] = WeakKeyDictionary()


def projection(system: System) -> Projected | None:
    """Return the projected right-hand side of a machine, None where nothing constrains it."""
    equations = system.equations
    if not equations.rows:
        return None
    if system not in _known:
        from bellcrank.integrators.constrained import Constrained
        from bellcrank.integrators.projection import Projected

        mh = sum(row.level == "position" for row in equations.rows)
        slots = ("kinematics", "velocity", "acceleration", "mass", "force", "jerk")
        # Jerk rows are the longest code and seldom asked for: only at singular positions.
        levels = {"jerk": 0}
        kernels = {slot: system.kernel(slot, levels.get(slot), full=True) for slot in slots}
        machine = Constrained(
            nq=len(system.coordinates),
            nu=len(system.speeds),
            ns=len(equations.auxiliary),
            m=len(equations.rows),
            mh=mh,
            normalize=system.kernel("normalize") if equations.has("normalize") else None,
            position=system.kernel("position") if mh else None,
            row_scale=np.array([row.scale for row in equations.rows]),
            speed_scale=np.array([speed.scale for speed in equations.speeds]),
            **kernels,
        )
        _known[system] = Projected(machine)
    return _known[system]


def quick_projection(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> Projected | Swift | None:
    """Return the projected right-hand side, by straight-line code where that can be trusted.

    Args:
        system: The machine.
        t: The time [s].
        x: A consistent state; independent rows are chosen near it.
        w: Inputs.
        p: Parameter values in order.
    """
    equations = system.equations
    if not equations.rows or equations.auxiliary:
        return projection(system)
    if system not in _quick:
        from bellcrank.assembly.freedom import beside, independent_rows
        from bellcrank.integrators.swift import Swift

        states = [x, *beside(system, t, x, w, p)]
        rows = independent_rows(system, t, states, w, p)
        _ranks[system] = len(rows)
        held = {row: rows[row] for row in rows if equations.rows[row].level == "position"}
        orders = _orders(system, t, states, w, p, rows, held)
        correction = _kernel(system, "correction", rows, orders[0]) if held else None
        motion = _kernel(system, "motion", rows, orders[1])
        sizes = len(system.coordinates), len(system.speeds), len(equations.rows)
        make = _careful(system, t, states, w, p)
        _quick[system] = Swift(sizes, make, correction, motion)
    _quick[system].problem = None  # whatever it was in an earlier run
    return _quick[system]


def _careful(
    system: System, t: float, states: Sequence[np.ndarray], w: np.ndarray, p: np.ndarray
) -> Callable[[], Projected]:
    """Return what makes the rank-revealing way; arguments as of `quick_projection`."""
    there = ref(system)  # what is kept must not keep its key

    def make() -> Projected:
        found = there()
        assert found is not None
        careful = projection(found)
        assert careful is not None
        nq, nu = len(found.coordinates), len(found.speeds)
        for x in states:  # it learns the rank where it is full
            k = np.ones(len(found.equations.memory))
            careful.points(t, x[:nq], x[nq : nq + nu], (), w, p, k)
        return careful

    return make


def _orders(
    system: System,
    t: float,
    states: Sequence[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    *chosen: Mapping[int, float],
) -> list[Pivots | None]:
    """Return in which order speeds and each of some choices of rows are eliminated together.

    Where that is no gain, or cannot be done, None: inertias are eliminated before rows. What is
    found is kept, so that a machine has the same code whatever it starts from.
    """
    equations, found = system.equations, []
    for rows in chosen:
        if not rows or len(equations.speeds) + len(rows) < TOGETHER:
            found.append(None)
            continue

        def make(rows: Mapping[int, float] = rows) -> bytes:
            from bellcrank.assembly.together import order_together

            order = order_together(system, t, states, w, p, rows)
            return order.to_bytes() if order else b""

        key = f"order {equations.key}/{list(rows.items())}\nsources {cache.fingerprint()}"
        found.append(Pivots.from_bytes(cache.blob(key, make)))
    return found


def saddle(system: System) -> Saddle:
    """Return a machine as implicit methods take it where there are constraints.

    How many of its rows are independent is known where `quick_projection` has looked.
    """
    from bellcrank.integrators.saddle import Saddle

    if system in _saddles:
        return _saddles[system]
    equations, there = system.equations, ref(system)  # what is kept must not keep its key

    def kernel(slot: str) -> Kernel:
        found = there()
        assert found is not None
        return found.kernel(slot, full=True)

    _saddles[system] = Saddle(
        len(system.coordinates),
        len(system.speeds),
        len(equations.rows),
        sum(row.level == "position" for row in equations.rows),
        kernel,
        np.array([row.scale for row in equations.rows]),
        np.array([speed.scale for speed in equations.speeds]),
        normalized=equations.has("normalize"),
        rank=_ranks.get(system),
    )
    return _saddles[system]


def _kernel(
    system: System, what: str, rows: Mapping[int, float], order: Pivots | None
) -> Kernel:
    """Return one of the two kernels of `bellcrank.formulations.swift` for chosen rows."""
    equations = system.equations

    def make() -> object:
        from bellcrank.formulations import swift  # needs CasADi

        scale = [row.scale for row in equations.rows]
        return getattr(swift, what)(equations, rows, scale, order)

    return compiled(
        f"{what} of {equations.name}\n{equations.key}/{what}/{list(rows.items())}/{order}",
        make,  # type: ignore[arg-type]
        level=system.level,
    )
