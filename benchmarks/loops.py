"""The sections on loops and stiff machines: what is measured, shown and demanded."""

from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

from benchmarks.linkages import PLAIN_ANSWER, ladder, ladder_error, plain_four_bar
from benchmarks.ours import linkages as ours
from benchmarks.ours.stiff import METHODS, StiffRun, stiff_run
from benchmarks.peers import exudyn_linkage, mujoco_linkage, sympy_four_bar
from benchmarks.report import Demand, Table, micro, milli
from benchmarks.timing import in_turns, once

SIZES = (1, 5, 10, 20, 40)
WANTED = 1e-3
"""Largest distance of B0 from the closed form [m]: the library's high precision."""
NOTE = (
    "Processor time of one thread, the least of many, measured in turns; nobody uses more. "
    "Building and code generation apart."
)


def loops() -> dict[str, Table]:
    """All tables of this kind, by their name in the record."""
    tables = {"four-bar": four_bar(), "ladders": ladders(), "stiff": stiff()}
    first = {"four-bar": tables["four-bar"].data["compiling"]}
    first |= {f"ladder of {x['N']}": x["compiling"] for x in tables["ladders"].data[:-1]}
    return tables | {"projection": costs(first)}


def four_bar() -> Table:
    """The plain four-bar against reduced equations and generalized-α."""
    machine = plain_four_bar()
    run = ours.Runs(machine, every=machine.until)
    compiling, _ = once(lambda: run(1e-9))
    deriving, reduced = once(sympy_four_bar.build)
    alpha, stiff = exudyn_linkage.build(machine), mujoco_linkage.build(machine)
    soft = mujoco_linkage.build(machine, mujoco_linkage.DEFAULT)
    rtols = (1e-9, 1e-10, 1e-11)
    errors = [_off(run(rtol)[1][-1]) for rtol in rtols]
    residuals = [_residual(machine, rtol) for rtol in rtols]
    tolerances = [_matching(reduced, error) for error in errors]
    times = in_turns(
        *(partial(run, rtol) for rtol in rtols), *(partial(reduced, t) for t in tolerances),
        partial(alpha, 1e-3), partial(stiff, 1e-3),
    )  # fmt: skip
    mine, theirs, exudyn, mujoco = times[:3], times[3:6], times[6], times[7]
    rows, demands = [], []
    for rtol, error, residual, t, other, s in zip(
        rtols, errors, residuals, mine, tolerances, theirs, strict=True
    ):
        found = _off(reduced(other))
        rows.append([
            f"{ours.NAME}, rtol {rtol:g}",
            f"{error:.1e}",
            milli(t),
            f"{residual:.1e}",
        ])
        rows.append([f"{sympy_four_bar.NAME}, {other:.0e}", f"{found:.1e}", milli(s), ""])
        demands += _four_bar_demands(rtol, error, residual, s / t)
    for peer, name, seconds in (
        (alpha, f"{exudyn_linkage.NAME}, 1 ms", exudyn),
        (stiff, f"{mujoco_linkage.NAME}, 1 ms", mujoco),
        (soft, "MuJoCo, same with default connect", None),
    ):
        rows.append([name, f"{_off(peer(1e-3)[1][-1]):.1e}", milli(seconds), ""])
    demands.append(Demand("four-bar, × Exudyn at 1 ms", exudyn / mine[0], 50.0))
    return Table(
        "Plain four-bar, crank angle at 10 s",
        ["package", "error [rad]", "run [ms]", "loop residual"],
        rows,
        f"SymPy at the coarsest tolerance with no larger error than ours. {NOTE} First run "
        f"of ours {compiling:.1f} s with empty caches, SymPy's derivation {deriving:.1f} s.",
        demands,
        {"rtol": rtols, "error": errors, "residual": residuals, "seconds": mine,
         "sympy": theirs, "exudyn": exudyn, "mujoco": mujoco, "compiling": compiling,
         "deriving": deriving},
    )  # fmt: skip


def _four_bar_demands(rtol: float, error: float, residual: float, ratio: float) -> list[Demand]:
    wanted = {1e-9: 1e-5, 1e-10: 1e-6, 1e-11: 1e-7}[rtol]
    return [
        Demand(f"four-bar, error at rtol {rtol:g} [rad]", error, wanted, False, "{:.1e}"),
        Demand(f"four-bar, loop residual at rtol {rtol:g}", residual, 1e-12, False, "{:.1e}"),
        Demand(f"four-bar, × SymPy at the error of rtol {rtol:g}", ratio, 10.0),
    ]


def _off(angle: float) -> float:
    return abs(float(angle) - PLAIN_ANSWER)


def _residual(machine: Any, rtol: float) -> float:
    """Return the largest loop residual of 1,000 records."""
    run = ours.Runs(machine, every=machine.until / 1000)
    run(rtol)
    return float(abs(run.last.values("constraint_residual")).max())


def _matching(run: Callable[[float], float], error: float) -> float:
    """Return the first tolerance from which on two in a row are at least so good."""
    kept = None
    for tolerance in sympy_four_bar.SETTINGS:
        if _off(run(tolerance)) > error:
            kept = None
        elif kept is not None:
            break
        else:
            kept = tolerance
    return kept or sympy_four_bar.SETTINGS[-1]


def ladders() -> Table:
    """The ladder of N four-bars against N, and against the peers at 1e-3 m."""
    rows, demands, data, default = [], [], [], {}
    for N, until in (*((N, 10.0) for N in SIZES), (40, 20.0)):
        found = _ladder(N, until)
        rows.append(_ladder_row(found))
        data.append(found)
        if until == 10.0:
            default[N] = found["default"]["seconds"]
            for peer, wanted in (("exudyn", 5.0), ("mujoco", 2.0)):
                ratio = found[peer]["seconds"] / found["coarse"]["seconds"]
                demands.append(Demand(f"ladder of {N}, 1e-3 m, × {peer}", ratio, wanted))
    growth = max(default[N] / N for N in SIZES[2:]) / (default[5] / 5)
    demands.append(
        Demand("ladder, default, time per four-bar: worst of 10, 20, 40 over 5", growth, 1.5,
               at_least=False)
    )  # fmt: skip
    return Table(
        "Ladder of N four-bars, B0 every 0.05 s",
        ["N", "rtol", "error [m]", "run [ms]", "default: error", "run [ms]", "per N [ms]",
         "steps", "Exudyn 2 ms: error", "run [ms]", "MuJoCo 2 ms: error", "run [ms]"],
        rows,
        f"Ours at the coarsest rtol within {WANTED:g} m, and at the default 1e-9. "
        f"{exudyn_linkage.NAME}; {mujoco_linkage.NAME}. {NOTE}",
        demands,
        data,
    )  # fmt: skip


def _ladder(N: int, until: float) -> dict[str, Any]:
    machine = ladder(N, until)
    run = ours.Runs(machine)
    compiling, _ = once(lambda: run(1e-9))
    steps, note = run.statistics["steps"], run.note
    coarse, coarse_error = _coarsest(run, N, until)
    alpha, stiff = exudyn_linkage.build(machine), mujoco_linkage.build(machine)
    rounds = 3 if N < 20 else 2 if until <= 10.0 else 1
    kept: dict[str, Any] = {}
    actions: list[Callable[[], object]] = [
        lambda: kept.update(exudyn=alpha(2e-3)), lambda: kept.update(mujoco=stiff(2e-3)),
    ]  # fmt: skip
    actions += [] if note else [partial(run, 1e-9)]
    actions += [] if coarse is None else [partial(run, coarse)]
    exudyn, mujoco, *mine = in_turns(*actions, rounds=rounds)
    inf = float("inf")
    default = inf if note else mine[0]
    error = inf if note else ladder_error(N, *run(1e-9), until)
    return {
        "N": N, "until": until, "note": note, "compiling": compiling,
        "default": {"error": error, "seconds": default, "steps": steps},
        "coarse": {"rtol": coarse, "error": coarse_error,
                   "seconds": inf if coarse is None else mine[-1]},
        "exudyn": {"error": ladder_error(N, *kept["exudyn"], until=until), "seconds": exudyn},
        "mujoco": {"error": ladder_error(N, *kept["mujoco"], until=until), "seconds": mujoco},
    }  # fmt: skip


def _coarsest(run: ours.Runs, N: int, until: float) -> tuple[float | None, float]:
    """Return the first rtol from which on two in a row are within `WANTED`, and its error."""
    kept: tuple[float | None, float] = (None, float("inf"))
    for rtol in ours.SETTINGS:
        error = ladder_error(N, *run(rtol), until)
        if error > WANTED:
            if run.note:  # no end in sight: finer ones take longer still
                return None, error
            kept = (None, error)
        elif kept[0] is None:
            kept = (rtol, error)
        else:
            return kept
    return kept


def _ladder_row(found: dict[str, Any]) -> list[str]:
    coarse, default, N = found["coarse"], found["default"], found["N"]
    rtol = found["note"] if coarse["rtol"] is None else f"{coarse['rtol']:.0e}"
    label = f"{N}" if found["until"] == 10.0 else f"{N}, {found['until']:g} s"
    return [
        label, rtol, f"{coarse['error']:.0e}", milli(coarse["seconds"]),
        f"{default['error']:.0e}", milli(default["seconds"]), milli(default["seconds"] / N),
        str(default["steps"]),
        *(cell for peer in ("exudyn", "mujoco")
          for cell in (f"{found[peer]['error']:.0e}", milli(found[peer]["seconds"]))),
    ]  # fmt: skip


def stiff() -> Table:
    """The stiff double pendulum: explicit and implicit methods at equal error."""
    runs = {name: stiff_run(name) for name in METHODS}
    rows = [_stiff_row(run) for run in runs.values()]
    fewer = runs["DOPRI5"].steps / runs["Radau5"].steps if runs["Radau5"].steps else 0.0
    return Table(
        "Stiff double pendulum, angles within 1e-6 rad over 4 s",
        ["method", "rtol", "error [rad]", "steps", "evaluations", "run [ms]"],
        rows,
        "Each at the coarsest rtol that is right at 0.1, 0.5, 1 and 4 s; steps with the "
        "rejected ones. The explicit ones are held back by stability, whatever the rtol.",
        [Demand("stiff double pendulum, Radau5's steps, × fewer than DOPRI5", fewer, 50.0)],
        [asdict(run) for run in runs.values()],
    )


def _stiff_row(run: StiffRun) -> list[str]:
    if run.note:
        return [run.method, run.note, "", "", "", ""]
    return [
        run.method, f"{run.rtol:.0e}", f"{run.error:.1e}", str(run.steps),
        str(run.evaluations), milli(run.seconds),
    ]  # fmt: skip


def costs(first: dict[str, float]) -> Table:
    """What a projected evaluation, code generation and reading a channel cost us.

    Args:
        first: Duration of the first run [s] by machine, nothing compiled before.
    """
    rows, data, reading = [], [], 0.0
    for machine in (plain_four_bar(), *(ladder(N) for N in SIZES)):
        run, rods = ours.Runs(machine), len(machine.bars)
        each = run.per_evaluation(1e-9)
        reading = _reading(run) if reading is not None and reading < 0.5 else None
        rows.append([
            machine.name, str(rods), micro(each), micro(each / rods),
            str(run.statistics["evaluations"]), f"{first[machine.name]:.1f}", milli(reading),
        ])  # fmt: skip
        data.append({"machine": machine.name, "per_evaluation": each, "reading": reading,
                     "first_run": first[machine.name]})  # fmt: skip
    return Table(
        "Our own costs with loops, rtol 1e-9",
        ["machine", "rods", "evaluation [µs]", "per rod [µs]", "evaluations", "first run [s]",
         "reading [ms]"],
        rows,
        "Evaluation: time of the solution over its evaluations, projection and the step itself "
        "included. First run: with code generation, for the four-bar that of projection and "
        "integrator too. Reading: the first channel that is no coordinate, 201 records, code "
        "there; not tried any more once it took half a second.",
        data=data,
    )  # fmt: skip


def _reading(run: ours.Runs) -> float:
    """Return the time to read the position of a point from a new result, code compiled."""
    run.last.values("top.position")
    run(1e-9)
    return once(lambda: run.last.values("top.position"))[0]
