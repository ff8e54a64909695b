"""Ladders of four-bars and scissor lifts of many cells, by default options, everything read.

    python -m benchmarks.many_loops [records]

Each machine has a process of its own and numbers of its own, so that its code is compiled anew;
what all machines have in common is taken from the cache. Processor time and most memory.
"""

import json
import resource
import subprocess
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

import bellcrank as bc

CELLS = (10, 30, 100)
SPAN = 0.4  # s; the ladder falls flat at 0.46 s


def ladder(cells: int, mass: float = 1.0) -> bc.Model:
    """Return posts on the ground with a beam from each to the next: one freedom, many loops."""
    bodies, joints = [], []
    for i in range(cells + 1):
        foot, top = (i, 0, 0), (i + 0.6, 0, 0.8)
        bodies.append(bc.Body(f"post{i}", bc.Rod(foot, top, mass=mass)))
        joints.append(bc.Revolute(f"foot{i}", "ground", f"post{i}", at=foot, axis="y"))
        if i:
            before = (i - 0.4, 0, 0.8)
            bodies.append(bc.Body(f"beam{i}", bc.Rod(before, top, mass=0.7)))
            ends = ((f"post{i - 1}", before), (f"post{i}", top))
            joints += [
                bc.Revolute(f"pin{i}{n}", post, f"beam{i}", at=at, axis="y")
                for n, (post, at) in enumerate(ends)
            ]
    return bc.Model("ladder", bodies=bodies, joints=joints)


def scissors(cells: int, mass: float = 1.0) -> bc.Model:
    """Return a scissor lift on a foot and a slider, drawn up from the ground."""
    c, s = np.cos(0.6), np.sin(0.6)
    bodies = [bc.Body("slider", mass=0.5, com=(c, 0), inertia=(0.01, 0.01, 0.01, 0, 0, 0))]
    joints = [bc.Revolute("foot", "ground", "a0", at=(0, 0)),
              bc.Prismatic("rail", "ground", "slider", axis=(1, 0), at=(c, 0)),
              bc.Revolute("pin", "slider", "b0", at=(c, 0))]  # fmt: skip
    for k in range(cells):
        y = k * s
        bodies += [bc.Body(f"a{k}", bc.Rod((0, y), (c, y + s), mass=mass)),
                   bc.Body(f"b{k}", bc.Rod((c, y), (0, y + s), mass=mass))]  # fmt: skip
        joints.append(bc.Revolute(f"m{k}", f"a{k}", f"b{k}", at=(c / 2, y + s / 2)))
        if k:
            joints += [bc.Revolute(f"l{k}", f"b{k - 1}", f"a{k}", at=(0, y)),
                       bc.Revolute(f"r{k}", f"a{k - 1}", f"b{k}", at=(c, y))]  # fmt: skip
    return bc.Model("scissor lift", bodies=bodies, joints=joints, planar=True)


SOLVED = ("reaction", "multiplier", "acceleration")  # by [A Cᵀ; C 0] at every record
MACHINES: dict[str, Callable[..., bc.Model]] = {"ladder": ladder, "scissors": scissors}


def measure(name: str, cells: int, records: int) -> dict[str, float]:
    """Return seconds of processor time of a run and of what is read, and most memory [MB].

    Observation is every channel but those that need accelerations and multipliers.
    """
    warnings.simplefilter("ignore")
    times = [time.process_time()]
    model = MACHINES[name](cells, 1.0 + 1e-3 * (time.time() % 1.0))
    run = bc.simulate(model, SPAN, every=SPAN / (records - 1))
    times.append(time.process_time())
    solved = [name for name in run.names if any(word in name for word in SOLVED)]
    for channel in (name for name in run.names if name not in set(solved)):
        run.values(channel)
    times.append(time.process_time())
    for channel in solved:
        run.values(channel)
    times.append(time.process_time())
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e6
    parts = dict(zip(("run", "observation", "reactions"), np.diff(times).tolist(), strict=True))
    return parts | {"memory": most, "bodies": len(model.bodies), "channels": len(run.names)}


def main(records: int) -> None:
    """Print the table."""
    print(f"{SPAN} s, {records} records\n")
    print("| machine | bodies | channels | run [s] | observation [s] | reactions [s] | MB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in MACHINES:
        for cells in CELLS:
            code = (
                "import json; from benchmarks.many_loops import measure; "
                f"print(json.dumps(measure({name!r}, {cells}, {records})))"
            )
            done = subprocess.run(
                (sys.executable, "-c", code), stdout=subprocess.PIPE, text=True, check=True
            )
            x = json.loads(done.stdout.splitlines()[-1])
            print(
                f"| {name}, {cells} cells | {x['bodies']:.0f} | {x['channels']:.0f} | "
                f"{x['run']:.1f} | {x['observation']:.1f} | {x['reactions']:.1f} | "
                f"{x['memory']:.0f} |",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 101)
