"""The section on large machines: a chain of up to 5,000 bodies, index 3 and index 2."""

from functools import partial
from typing import Any

import numpy as np

from benchmarks.machines import LongChain
from benchmarks.ours import large as ours
from benchmarks.peers import exudyn_chain
from benchmarks.processes import by_hand
from benchmarks.report import Demand, Table, milli
from benchmarks.timing import in_turns

SIZES = (100, 300, 1000, 5000)
STEP = 1e-3
TOLERANCES = (1e-4, 1e-6)
SHORT, LONG = 20, 60
"""Steps of the two runs whose difference is the cost of a step, without what comes first."""
LASTING = 300
"""Steps of the longer run of ours, which would otherwise differ too little."""
ROUNDS = 6
"""How often each is timed: what fills the cache of a neighbour slows the largest the most."""
FIRST = 1.6
"""Largest processor time from `Model(…)` to the first step of 1,000 bodies with an empty cache,
over a fresh process in which Numba compiles and runs a double pendulum written by hand."""
NOTE = (
    "Rods of 0.1 m and 1 kg, horizontal at the start, hinges about y and z in turn, steps of "
    f"1 ms, spectral radius {exudyn_chain.SPECTRAL_RADIUS}. A step: processor time of one "
    f"thread, the difference of runs of {SHORT} and {LASTING} steps (Exudyn {LONG}) over their "
    f"number, each the least of {ROUNDS}, all sizes in turns. Error: largest distance of a "
    "body after 0.06 s from where ours has it at steps of 0.0625 ms. First: a fresh process "
    "with an empty cache, processor time from Model(…) to the end of one step. Memory: how "
    "much a process grows at most for the same, kernels loaded before."
)


def large() -> dict[str, Table]:
    """The table of this section, by its name in the record."""
    found = _sizes()
    rows = [_row(x) for x in found]
    middle = next(x for x in found if x["bodies"] == 1000)
    fastest = min(middle["exudyn"], middle["exudyn_default"])
    demands = [
        Demand("chain of 1,000, from Model to the first step, empty cache, over Numba by hand",
               middle["first"] / by_hand(), FIRST, at_least=False),
        Demand("chain of 1,000, one step, × Exudyn at its fastest", fastest / middle["step"],
               3.0),
        Demand("chain of 1,000, error over Exudyn's",
               middle["error"] / min(middle["exudyn_errors"]), 1.1, at_least=False),
        Demand("chain, time per body and step, largest over smallest", _spread(found, "step"),
               1.5, at_least=False),
        Demand("chain, time per body and step, 5,000 over 1,000", _spread(found[-2:], "step"),
               1.5, at_least=False),
        Demand("chain, memory per body, largest over smallest", _spread(found, "memory"), 1.5,
               at_least=False),
    ]  # fmt: skip
    table = Table(
        "Chains of many bodies, generalized-α",
        ["bodies", "first [s]", "memory [MB]", "step [ms]", "per body [µs]", "error [m]",
         "Exudyn: step [ms]", "error [m]", "default: step [ms]", "error [m]"],
        rows,
        f"{exudyn_chain.NAME}. {NOTE} Numba by hand: {by_hand():.1f} processor seconds.",
        demands,
        found,
    )  # fmt: skip
    return {"large": table, "large, Radau5": _adaptive()}


def _adaptive() -> Table:
    """The same chains by Radau5, whose steps follow a tolerance."""
    found, until = [], LONG * STEP
    for n in SIZES:
        run = ours.build_adaptive(LongChain(n))
        exact = run(until, 1e-10)[0] if n <= 1000 else None
        for rtol in TOLERANCES:
            places, last = run(until, rtol)
            taken = [last, *(run(until, rtol)[1] for _ in range(2))]
            seconds = min(each.statistics["seconds"] for each in taken)
            counts = {
                name: last.statistics[name] for name in ("steps", "rejected", "jacobians")
            }
            error = np.nan if exact is None else _off(places, exact)
            found.append({"bodies": n, "rtol": rtol, "run": seconds, "error": error} | counts)
    rows = [
        [
            f"{x['bodies']:,}", f"{x['rtol']:.0e}", f"{x['steps']} + {x['rejected']}",
            str(x["jacobians"]), milli(x["run"]),
            f"{x['run'] / (x['steps'] + x['rejected']) / x['bodies'] * 1e6:.1f}",
            "" if np.isnan(x["error"]) else f"{x['error']:.1e}",
        ]
        for x in found
    ]  # fmt: skip
    return Table(
        "Chains of many bodies, Radau5",
        ["bodies", "rtol = atol", "steps + rejected", "Jacobians", "run [ms]",
         "per body and step [µs]", "error [m]"],
        rows,
        f"The chains above for {until:g} s, stabilised index 2. Run: integration alone, the "
        "least of three. Error: largest distance of a body at the end from where a run at "
        "1e-10 has it.",
        data=found,
    )  # fmt: skip


def _sizes() -> list[dict[str, Any]]:
    """Return what was found of all sizes; their steps are timed in turns with one another."""
    sizes = [_Runs(n) for n in SIZES]
    pairs = [pair for size in sizes for pair in size.pairs]
    times = in_turns(
        *(partial(each, STEP, steps) for each, last in pairs for steps in (SHORT, last)),
        rounds=ROUNDS,
    )
    spans = zip(times[::2], times[1::2], pairs, strict=True)
    steps = {each: (b - a) / (last - SHORT) for a, b, (each, last) in spans}
    return [size.found(steps) for size in sizes]


class _Runs:
    """A chain as we run it, and as others do where it is short enough."""

    def __init__(self, n: int) -> None:
        machine, self.bodies = LongChain(n), n
        self.first = ours.first(n)
        self.ours = ours.build(machine, exudyn_chain.SPECTRAL_RADIUS)
        modes = (True, False) if n <= 1000 else ()
        self.peers = [exudyn_chain.build(machine, fast) for fast in modes]

    @property
    def pairs(self) -> list[tuple[ours.Run, int]]:
        """What is timed, and for how many steps at most."""
        return [(self.ours, LASTING), *((peer, LONG) for peer in self.peers)]

    def found(self, steps: dict[ours.Run, float]) -> dict[str, Any]:
        """Return all that is known of this size, given how long a step of each run takes."""
        taken, errors = [steps[each] for each, _ in self.pairs], [np.nan] * 3
        if self.peers:
            exact = self.ours(STEP / 16, 16 * LONG)
            errors = [_off(run(STEP, LONG), exact) for run in (self.ours, *self.peers)]
        taken += [np.nan] * (3 - len(taken))
        cold, warm = self.first
        return {
            "bodies": self.bodies, "first": cold.seconds, "drawing": cold.drawing,
            "warm": warm.seconds, "memory": warm.memory, "step": taken[0],
            "exudyn": taken[1], "exudyn_default": taken[2], "error": errors[0],
            "exudyn_errors": errors[1:],
        }  # fmt: skip


def _off(places: np.ndarray, exact: np.ndarray) -> float:
    return float(np.linalg.norm(places - exact, axis=1).max())


def _spread(found: list[dict[str, Any]], what: str) -> float:
    """Return the largest share of one body over the smallest, whichever chain it is in."""
    shares = [x[what] / x["bodies"] for x in found]
    return max(shares) / min(shares)


def _row(x: dict[str, Any]) -> list[str]:
    def known(value: float, form: str) -> str:
        return "" if np.isnan(value) else form.format(value)

    return [
        f"{x['bodies']:,}", f"{x['first']:.1f}", f"{x['memory'] / 1e6:.0f}", milli(x["step"]),
        f"{x['step'] / x['bodies'] * 1e6:.2f}", known(x["error"], "{:.1e}"),
        known(x["exudyn"] * 1e3, "{:.3g}"), known(x["exudyn_errors"][0], "{:.1e}"),
        known(x["exudyn_default"] * 1e3, "{:.3g}"), known(x["exudyn_errors"][1], "{:.1e}"),
    ]  # fmt: skip
