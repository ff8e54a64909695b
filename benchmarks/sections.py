"""The sections of the report: what is measured, what is shown, what is demanded."""

from dataclasses import asdict
from functools import partial

from bellcrank.kernels.jit import feature
from benchmarks.machines import RUNS
from benchmarks.ours import compiling, dynamics
from benchmarks.ours import runs as our_runs
from benchmarks.peers import exudyn_tree, mujoco_rk4, pinocchio_wheel, sympy_kane
from benchmarks.processes import (
    COUNT,
    FEW,
    FIRST_RUN,
    HAND,
    IMPORTING,
    MUJOCO,
    NUMPY,
    WARM_RUN,
    Processes,
    processes,
)
from benchmarks.reference import reference
from benchmarks.report import Demand, Table, micro, milli
from benchmarks.runs import WholeRun, timed_in_turns
from benchmarks.timing import alternate
from benchmarks.units import OPERATIONS, code_generation

JOINTS = (7, 30, 100)
CODE = 6.0
"""Largest time for an operation from op list to code, over that of LLVM alone."""
WARM, FIRST, IMPORT = 1.45, 2.5, 1.0
"""Largest processor times of a fresh process: warm over MuJoCo's, the first ever over Numba's
with the same machine written by hand, `import bellcrank` over `import numpy`."""


def forward_dynamics() -> Table:
    """Accelerations of the chains, scalar code, one core."""
    rows, demands, data = [], [], []
    for n in JOINTS:
        ours, theirs = alternate(
            partial(dynamics.accelerations, n), partial(pinocchio_wheel.accelerations, n)
        )
        error = pinocchio_wheel.backward_error(n, dynamics.found_accelerations(n))
        other = pinocchio_wheel.own_backward_error(n)
        ratio = theirs / ours
        rows.append([
            f"{n} joints",
            micro(ours),
            micro(theirs),
            f"{ratio:.1f}×",
            f"{error:.1e}",
            f"{other:.1e}",
        ])
        data.append(
            {"joints": n, "seconds": ours, "pinocchio": theirs, "backward_error": error,
             "pinocchio_backward_error": other}
        )  # fmt: skip
        wanted = {7: 5.0, 30: 4.5}.get(n)
        if wanted:
            demands.append(Demand(f"forward dynamics, {n} joints, × Pinocchio", ratio, wanted))
        demands.append(
            Demand(f"backward error, {n} joints", error, 1e-12, at_least=False, form="{:.1e}")
        )
    return Table(
        "Forward dynamics, one core, scalar",
        [
            "chain",
            "bellcrank [µs]",
            "Pinocchio [µs]",
            "faster",
            "backward error",
            "Pinocchio's",
        ],
        rows,
        f"{pinocchio_wheel.NAME} as its wheel ships it, `abaInParallel`, one thread over "
        "thousands of random states; ours loops over the same in native code. "
        "Backward error: largest ‖M a − τ + c‖/‖τ − c‖ of 100 random states, M and c by "
        "Pinocchio.",
        demands,
        data,
    )


def other_dynamics() -> Table:
    """Inverse dynamics and mass matrix."""
    rows, demands, data = [], [], []
    questions = (
        ("inverse dynamics", dynamics.inverse_dynamics, pinocchio_wheel.inverse_dynamics, 5.0),
        ("mass matrix", dynamics.mass_matrix, pinocchio_wheel.mass_matrix, 3.0),
    )
    for what, our, their, wanted in questions:
        for n in JOINTS:
            ours, theirs = alternate(partial(our, n), partial(their, n))
            ratio = theirs / ours
            rows.append([f"{what}, {n} joints", micro(ours), micro(theirs), f"{ratio:.1f}×"])
            data.append({"what": what, "joints": n, "seconds": ours, "pinocchio": theirs})
            if n in (7, 30):
                demands.append(Demand(f"{what}, {n} joints, × Pinocchio", ratio, wanted))
    return Table(
        "Inverse dynamics and mass matrix, one core, scalar",
        ["question", "bellcrank [µs]", "Pinocchio [µs]", "faster"],
        rows,
        "`rneaInParallel` with one thread; `crba` called from Python, the time of the same "
        "call on one joint taken off.",
        demands,
        data,
    )


def lanes() -> Table:
    """Instances side by side in vector registers."""
    rows, demands, data = [], [], []
    wide = feature("avx512f")
    for n in (7, 30):
        counts = (1, 2, 4, 8)
        times = alternate(*(partial(dynamics.accelerations, n, count) for count in counts))
        for count, seconds in zip(counts, times, strict=True):
            found = dynamics.found_accelerations(n, count)
            error = pinocchio_wheel.backward_error(n, found)
            gain = times[0] / seconds
            rows.append([
                f"{n} joints, {count}",
                micro(seconds),
                f"{gain:.2f}×",
                f"{error:.1e}",
            ])
            data.append({"joints": n, "lanes": count, "seconds": seconds, "gain": gain})
            wanted = {8: 4.5, 4: 3.5}.get(count) if n == 7 and (wide or count < 8) else None
            if wanted:
                demands.append(Demand(f"lanes={count}, 7 joints, × scalar", gain, wanted))
    return Table(
        "Forward dynamics in lanes, per instance",
        ["chain, lanes", "bellcrank [µs]", "over scalar", "backward error"],
        rows,
        "AVX-512 is there." if wide else "No AVX-512 on this processor.",
        demands,
        data,
    )


def scaling() -> Table:
    """Time per body and time to make the code, as chains grow."""
    rows, data, per_body, made = [], [], {}, {}
    sizes = (10, 30, 100, 300)
    times = alternate(*(partial(dynamics.accelerations, n) for n in sizes))
    for n, seconds in zip(sizes, times, strict=True):
        making = compiling.making(n)
        per_body[n], made[n] = seconds / n, making
        rows.append(
            [f"{n} joints", micro(seconds), f"{seconds / n * 1e9:.1f}", str(making.operations),
             f"{making.equations:.2f}", f"{making.lowering:.2f}", f"{making.code:.2f}",
             f"{making.code / n * 1e3:.1f}"]
        )  # fmt: skip
        data.append(asdict(making) | {"seconds": seconds})
    measured = [per_body[n] for n in (10, 100, 300)]
    compile_ratio = (made[300].code / 300) / (made[30].code / 30)
    unit = code_generation()
    over_unit = made[300].code / made[300].operations / unit
    demands = [
        Demand("time per body at 10, 100, 300: largest/smallest",
               max(measured) / min(measured), 1.6, at_least=False),
        Demand("op list to code, 300 joints, an operation over LLVM's alone", over_unit,
               CODE, at_least=False),
        Demand("compile per body, 300 over 30", compile_ratio, 1.6, at_least=False),
    ]  # fmt: skip
    return Table(
        "How it grows: forward dynamics, scalar",
        ["chain", "time [µs]", "per body [ns]", "operations", "equations [s]", "op list [s]",
         "code [s]", "code per body [ms]"],
        rows,
        "Equations, op list and code: processor seconds. LLVM alone takes "
        f"{unit * 1e6:.1f} µs for an operation of a fixed straight-line function of "
        f"{OPERATIONS:,}.",
        demands, {"chains": data, "llvm": unit},
    )  # fmt: skip


def whole_runs() -> tuple[Table, dict[str, float]]:
    """Whole runs, and the settings the peers needed for the double pendulum."""
    rows, demands, data, settings = [], [], [], {}
    for machine in RUNS:
        known = reference(machine)
        packages = (our_runs, exudyn_tree, mujoco_rk4, sympy_kane)
        found = timed_in_turns(packages, machine, known)
        rows += [_whole_row(run) for run in found]
        data += [asdict(run) | {"reference_uncertainty": known.uncertainty} for run in found]
        ours, *others = found
        fastest = min(run.seconds for run in others if run.seconds)
        ratio = fastest / ours.seconds if ours.seconds else 0.0
        demands.append(Demand(f"whole run, {machine.name}, × best peer", ratio, 5.0))
        if machine is RUNS[0]:
            settings = {"exudyn_tree": found[1].setting, "mujoco_rk4": found[2].setting}
    table = Table(
        "Whole runs, tip within 1e-5 m on a 0.1 s grid",
        ["machine, package", "step or tolerance", "tip error [m]", "run [ms]", "build [s]"],
        rows,
        "Each package at the coarsest setting that is right; least processor time of one "
        "thread, in turns; building and code generation "
        "apart (ours with an empty cache, drivers of the integrators included). Reference: "
        "Pinocchio's ABA in SciPy's DOP853 at 1e-13.",
        demands,
        data,
    )
    return table, {name: x for name, x in settings.items() if x is not None}


def _whole_row(run: WholeRun) -> list[str]:
    label = f"{run.machine}, {run.package}"
    if run.seconds is None:
        return [label, run.note, "", "", "" if run.build is None else f"{run.build:.2f}"]
    return [
        label, f"{run.setting:.2e}", f"{run.error:.1e}", milli(run.seconds), f"{run.build:.3f}",
    ]  # fmt: skip


def fresh_processes(peer_settings: dict[str, float]) -> Table:
    """From exec to exit."""
    found: Processes = processes(peer_settings)
    rows = [[name, f"{wall:.3f}", f"{used:.3f}"] for name, (wall, used) in found.times.items()]
    unwanted = [
        name for name in ("casadi", "numba", "scipy", "pandas") if name in found.modules
    ]
    used = {name: each[1] for name, each in found.times.items()}
    demands = [
        Demand("fresh process, warm cache, over MuJoCo's", used[WARM_RUN] / used[MUJOCO], WARM,
               at_least=False),
        Demand("first run ever, over Numba by hand", used[FIRST_RUN] / used[HAND], FIRST,
               at_least=False),
        Demand("import bellcrank, over import numpy", used[IMPORTING] / used[NUMPY], IMPORT,
               at_least=False),
        Demand("casadi, numba, scipy, pandas imported", len(unwanted), 0, at_least=False,
               form="{:.0f}"),
    ]  # fmt: skip
    said = found.notice.splitlines()[0] if found.notice else "nothing"
    return Table(
        "A fresh process to a finished 10 s double pendulum [s]",
        ["what", "seconds", "processor seconds"],
        rows,
        f"Median of {COUNT}, first runs and Numba the least of {FEW}, measured by the parent; "
        "imports measured inside. Demands are ratios of processor seconds. Numba by hand: "
        "equations and RK4 typed in, compiled, run. "
        f"The first run said: {said!r}. "
        f"Packages imported by the warm run: {', '.join(found.modules)}.",
        demands,
        asdict(found),
    )
