"""Random regular machines, run in many ways: which alarms of their audits are false?

`make audit`: python -m tests.analysis.audited [structures] [first]

A structure is compiled once and run several times: with other sizes, weights, laws and starts,
by other methods, at other tolerances. A run that warns is compared with one at a hundredth of
its tolerance in another formulation. The alarm is true where it is off by more than its
tolerance explains. One structure in sixteen is compared even where nothing was said.
"""

import sys
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from tests.analysis.resized import SIZE, resized
from tests.analysis.scattered import planar_machine
from tests.laws.closed import CLOSING, TIES, closing, tied

import bellcrank as bc
from bellcrank.errors import BellcrankError, IntegrationFailed
from bellcrank.testing import FORCES, KINDS, machine, state

SORTS = ("tree", "spinning", "loop", "planar", "driven", "free", "tied", "doubled")
FORMULATIONS = (
    bc.JointCoordinates(), bc.JointCoordinates(), bc.Cartesian(), bc.Kane(),
    bc.JointCoordinates(), bc.JointCoordinates(), bc.Kane("relative body"), bc.Natural(),
    bc.JointCoordinates(), bc.Cartesian(form="euler"), bc.JointCoordinates(),
)  # fmt: skip
SMOOTH = tuple(kind for kind in FORCES if kind != "Motor")
RUNS = 12  # of each structure
SPAN = 2.0  # [s]
PROMISED = 1e3  # tolerances by which the state of a right run may be off after some steps
GROSS = 0.05  # … by which one with steps of fixed length may be

# x and v stand for the coordinate and its rate, in radians or in sizes of the machine.
LAWS = (
    "push*cos(pace*t)",
    "push*sign(sin(pace*t))",
    "push*(step(t - level) - step(t - level - 0.02))",
    "push*where(x > level, 1.5, 1)",
    "-20*max(0, x - level)",
    "push*where(sin(x) > 0.9, 1, 0.2)",
    "push*max(0, sin(pace*t)) - 0.3*v",
    "push*interp(sin(x), [-1, 0, 0.5, 1], [0, 1, 0.3, 0.4])",
    "-push**2*tanh(10*v)",
    "push*abs(sin(2*x)) - 0.1*abs(v)*v",
    "push*exp(-((t - level)*pace)**2)",
)


@dataclass(frozen=True)
class Case:
    """One run to be made.

    Attributes:
        number: Of the structure.
        run: Of the run.
        model: The machine.
        formulation: How its equations are written.
        options: Of `simulate`, all others.
    """

    number: int
    run: int
    model: bc.Model
    formulation: Any
    options: dict[str, Any]

    def simulated(self, **other: Any) -> tuple[bc.Result, list[str]]:
        """Return the run and what its audit said."""
        options = {"formulation": self.formulation, "every": SPAN / 8} | self.options | other
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            run = bc.simulate(self.model, SPAN, **options)
        return run, [str(w.message) for w in caught if w.category is bc.AuditWarning]

    def __str__(self) -> str:
        what = self.options.get("integrator"), self.options.get("constraints")
        rtol = self.options.get("rtol")
        return f"structure {self.number}.{self.run} ({SORTS[self.number % len(SORTS)]}), " + (
            f"{self.formulation}, {what[0]}, {what[1]}, rtol {rtol}"
        )


def structure(number: int) -> bc.Model:
    """Return the machine that a number stands for, with parameters for all that is drawn."""
    sort, rng = SORTS[number % len(SORTS)], np.random.default_rng(91000 + number)
    forces = tuple(rng.choice(SMOOTH, size=rng.integers(0, 3), replace=False))
    count = int(rng.integers(1, 4))
    kinds = [str(kind) for kind in rng.choice(KINDS, count)]
    lower = [int(rng.integers(0, k + 1)) for k in range(count)]
    if sort == "planar":
        model = planar_machine(rng)
    elif sort == "loop":
        kinds = tuple(rng.choice(("Spherical", "Cylindrical", "Revolute", "Universal"), 3))
        kind = str(rng.choice([k for k in CLOSING if k not in ("Fixed", "Prismatic")]))
        model = machine(kinds, (0, 1, 0), number, forces=forces)
        model = model.add(closing(kind, ("B3", "B2"), number))
    elif sort == "tied":
        model = tied(str(rng.choice(TIES)), number, forces)
    elif sort == "free":
        gravity = (0, 0, 0)
        model = machine(["Free", *kinds], [0, *(k + 1 for k in lower)], number, gravity=gravity)
    else:
        if sort != "tree":
            kinds[0] = "Revolute" if sort == "doubled" else str(rng.choice(KINDS[:4]))
        model = machine(kinds, lower, number, forces=forces)
    return _with_laws(resized(model), sort, rng)


def _with_laws(model: bc.Model, sort: str, rng: np.random.Generator) -> bc.Model:
    """Return a machine with a heavier body, a motor, a drive or a second bearing."""
    heavy = bc.Parameter("heavy", 1.0)
    last = model.bodies[-1]
    if not last.shapes:
        last = replace(last, mass=heavy * last.mass, inertia=_scaled(heavy, last.inertia))
    names = {"push": 1.0, "pace": 3.0, "level": 0.5}
    model = replace(
        model,
        bodies=(*model.bodies[:-1], last),
        parameters=(*model.parameters, heavy, *(bc.Parameter(*one) for one in names.items())),
    )
    one = model.joints[0]
    if sort == "driven":
        name = one.coordinates[0]
        law = "0.3*push*sin(min(pace, 6)*t) + 0.4*t"
        law = law if name == "angle" else f"size*({law})"
        return model.add(bc.Drive("drive", one.name, **{name: law}))
    if sort == "doubled":
        at = tuple(a + 2 * SIZE * b for a, b in zip(one.at, one.axis, strict=True))
        kind = bc.Revolute if rng.random() < 0.5 else bc.Cylindrical
        model = model.add(kind("second", one.first, one.second, at=at, axis=one.axis))
    found = [(j.name, name) for j in model.joints for name in j.coordinates
             if name not in ("orientation", "position")]  # fmt: skip
    if not found or rng.random() < 0.3:
        return model
    joint, name = found[rng.integers(len(found))]
    return model.add(bc.Motor("motor", joint, _law(joint, name, rng), coordinate=name))


def _law(joint: str, name: str, rng: np.random.Generator) -> str:
    law = str(rng.choice(LAWS))
    turns = name.startswith("angle")
    signal = f"{joint}.{name}"
    x, v = (signal, f"{signal}_rate") if turns else (f"{signal}/size", f"{signal}_rate/size")
    words = {"x": f"({x})", "v": f"({v})"}
    for short, long in words.items():
        law = _replaced(law, short, long)
    return f"{'weight*size**2' if turns else 'weight*size'}*({law})"


def _replaced(law: str, short: str, long: str) -> str:
    import re

    return re.sub(rf"\b{short}\b", long, law)


def _scaled(factor: Any, value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_scaled(factor, each) for each in value)
    return factor * value


def cases(number: int) -> Iterator[Case]:
    """Yield the runs of one structure."""
    model, rng = structure(number), np.random.default_rng(5000 + number)
    formulation = FORMULATIONS[number % len(FORMULATIONS)]
    method, way = _method(rng, _tied(model, formulation)), _way(rng)
    other = 10.0 ** rng.uniform(-9, 6)
    for run in range(RUNS):
        # Code is compiled for every size anew, so a structure has two of them at the most.
        size = other if number % 3 == 0 and run % 3 == 2 else rng.uniform(0.5, 2.0)
        parameters = {
            "size": float(size),
            "weight": float(10.0 ** rng.choice((0, 0, rng.uniform(-9, 6)))),
            "heavy": float(10.0 ** rng.uniform(-1, 2)),
            "push": float(3 * rng.normal()),
            "pace": float(10 ** rng.uniform(-0.5, 1.8)),
            "level": float(rng.uniform(-0.5, 1.5)),
        }
        start = _start(model, parameters["size"], rng, SORTS[number % len(SORTS)])
        integrator = bc.Auto() if run % 2 else method
        rtol = (None, None, 1e-6, 1e-11, 1e-7, 1e-4)[int(rng.integers(6))]
        options = {
            "parameters": parameters,
            "start": start,
            "integrator": integrator,
            "constraints": "project" if run % 3 else _fitting(way, integrator),
            "rtol": rtol if integrator.adaptive else None,
        }
        yield Case(number, run, model, formulation, options)


def _tied(model: bc.Model, formulation: Any) -> bool:
    """Say whether equations have constraints, which some methods do not take."""
    loops = bool(model.graph.loops or model.constraints or model.drivers)
    return loops or not isinstance(formulation, bc.JointCoordinates)


def _method(rng: np.random.Generator, tied: bool) -> Any:
    step = 10.0 ** rng.uniform(-3.3, -2)
    found = (
        bc.DOP853(), bc.DOPRI5(), bc.RKF45(), bc.RK4(step=step), bc.Nystrom4(step=step),
        bc.Radau5(), bc.SDIRK54(), bc.Gauss2(step=step), bc.Trapezoidal(step=step),
        bc.GeneralizedAlpha(step=step),
    )[rng.integers(10) if rng.random() < 0.6 else rng.integers(5)]  # fmt: skip
    unfit = tied and isinstance(found, bc.SDIRK54 | bc.Trapezoidal)
    return bc.Radau5() if unfit else found


def _way(rng: np.random.Generator) -> str:
    ways = ("project", "project", "independent", "baumgarte", "index2")
    return ways[rng.integers(len(ways))]


def _fitting(way: str, method: Any) -> str:
    """Return that way to hold constraints if the method can, else the default one."""
    index2 = isinstance(method, bc.Auto | bc.Radau5 | bc.Gauss2)
    implicit = method.implicit
    fits = {
        "independent": not isinstance(method, bc.GeneralizedAlpha),
        "baumgarte": not implicit,
        "index2": index2,
    }
    return way if fits.get(way, True) else "project"


def _start(model: bc.Model, size: float, rng: np.random.Generator, sort: str) -> dict[str, Any]:
    """Return a start; of machines with loops, one rate of what is drawn."""
    if sort in ("planar", "loop", "tied"):
        joint = model.joints[rng.integers(len(model.bodies))]
        speeds = [name for name in joint.speeds if name.startswith("angle")]
        return {f"{joint.name}.{name}": float(2 * rng.normal()) for name in speeds[:1]}
    values = state(model, int(rng.integers(2**20)))
    spin = 10.0 ** rng.uniform(0, 2) if sort == "spinning" else 1.0
    skip = {"drive": (model.joints[0].name,), "doubled": ("second",)}.get(sort, ())
    skip = (model.joints[0].name,) if sort == "driven" else skip
    found = {}
    for name, value in values.items():
        joint, quantity = name.rsplit(".", 1)
        if joint in skip:
            continue
        if quantity.startswith(("offset", "position", "velocity")):
            value = tuple(size * v for v in value) if isinstance(value, tuple) else size * value
        elif joint == "J1" and quantity.endswith(("angle_rate", "angular_velocity")):
            value = tuple(spin * v for v in value) if isinstance(value, tuple) else spin * value
        found[name] = value
    return found


def off(case: Case, run: bc.Result, exact: bc.Result) -> float:
    """Return how far the motions of bodies are apart, in sizes, radians and their rates."""
    size, worst = case.options["parameters"]["size"], 0.0
    units = {"position": size, "velocity": size, "orientation": 1.0, "angular_velocity": 1.0}
    for body in case.model.bodies:
        for quantity, unit in units.items():
            one, other = (np.asarray(each.values(f"{body.name}.{quantity}")) / unit
                          for each in (run, exact))  # fmt: skip
            if len(one) != len(other):
                return np.inf
            if quantity == "orientation":  # p and −p are one attitude
                one = one * np.sign((one * other).sum(axis=-1, keepdims=True))
            worst = max(worst, float(np.abs(one - other).max() / max(1.0, np.abs(other).max())))
    return worst


def compared(case: Case, run: bc.Result) -> tuple[float, float]:
    """Return how far a run is off, and by how much it may be."""
    other = bc.Cartesian() if "Joint" in repr(case.formulation) else bc.JointCoordinates()
    method, rtol = case.options["integrator"], case.options["rtol"] or 1e-9
    exact, _ = case.simulated(
        formulation=other, integrator=bc.Auto(), constraints="project",
        rtol=max(rtol / 100, 1e-12) if method.adaptive else 1e-9,
    )  # fmt: skip
    return off(case, run, exact), PROMISED * rtol if method.adaptive else GROSS


@dataclass(frozen=True)
class Found:
    """What became of one run: its kind, and what to print."""

    kind: str
    words: str = ""


def tried(case: Case) -> Found:
    """Return what became of one run."""
    try:
        run, says = case.simulated()
    except IntegrationFailed as stop:
        return Found("stopped", str(stop))
    except BellcrankError as refusal:
        return Found("refused", str(refusal))
    except np.linalg.LinAlgError as error:
        return Found("crashed", repr(error))
    if not says and case.number % 16:
        return Found("silent")
    try:
        apart, allowed = compared(case, run)
    except (BellcrankError, np.linalg.LinAlgError) as why:
        return Found("open" if says else "silent", f"{says} {why}")
    if not says:
        words = f"off by {apart:.1e}, {allowed:.1e} allowed"
        return Found("wrong" if apart > allowed else "right", words)
    kind = "true" if apart > allowed else "false"
    return Found(kind, f"off by {apart:.1e}, {allowed:.1e} allowed: {says[0]}")


def main(count: int, first: int = 0) -> int:
    """Run machines; return how many alarms are false."""
    begun, found = time.perf_counter(), Counter()
    # Runs are short: least effort of code generation.
    flow = sys.modules["bellcrank.simulate"]
    flow.compile = partial(flow.compile, level=0)  # type: ignore[attr-defined]
    for number in range(first, first + count):
        for case in cases(number):
            one = tried(case)
            found[one.kind] += 1
            if one.kind not in ("silent", "right"):
                print(f"{one.kind}: {case}: {one.words}", flush=True)
        if (number + 1 - first) % 10 == 0:
            print(f"{number + 1 - first} structures: {dict(found)}", flush=True)
    runs = sum(found.values()) - found["refused"] - found["stopped"]
    compared_ = found["right"] + found["wrong"]
    print(
        f"{found['false']} false alarms and {found['true']} true ones in {runs} runs of "
        f"{count} structures; {found['right']} of {compared_} that said nothing and were "
        f"compared are right; {found['stopped']} stopped, {found['refused']} refused; "
        f"{time.perf_counter() - begun:.0f} s."
    )
    return found["false"]


if __name__ == "__main__":
    numbers = [int(text) for text in sys.argv[1:]]
    sys.exit(main(*(numbers or [250])) > 0)
