"""Fresh processes, measured by the parent from exec to exit.

The double pendulum of the whole runs for 10 s, from nothing but a Python interpreter: what a
user waits for. Peers do the same with their own settings for the same accuracy.
"""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import textwrap
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from benchmarks.units import BY_HAND

COUNT = 20
FEW = 3
"""How often what takes seconds is run."""
ROOT = Path(__file__).resolve().parent.parent

OURS = """
import math, bellcrank as bc
ends = [(0, 0, 0), (0, 0, -1), (0, 0, -2)]
pendulum = bc.Model(
    "double pendulum",
    bodies=[bc.Body(f"rod{k}", bc.Rod(ends[k - 1], ends[k], mass=1.0)) for k in (1, 2)],
    joints=[
        bc.Revolute("A", "ground", "rod1", at=ends[0], axis="x"),
        bc.Revolute("B", "rod1", "rod2", at=ends[1], axis="x"),
    ],
    points=[bc.Point("tip", "rod2", at=ends[2])],
)
run = bc.simulate(pendulum, 10.0, start={"A": math.pi / 2})
run.values("A.angle"), run.values("tip.position")
"""
PEER = """
from benchmarks.machines import RUNS
from benchmarks.peers import {peer}
{peer}.build(RUNS[0])({setting!r})
"""
IMPORTED = """
import json, sys
tops = {name.split(".")[0] for name in sys.modules} - set(sys.stdlib_module_names)
print(json.dumps(sorted(name for name in tops if not name.startswith("_"))))
"""


WARM_RUN, FIRST_RUN = "bellcrank, warm cache", "bellcrank, first run ever"
IMPORTING, NUMPY = "import bellcrank alone", "import numpy alone"
EXUDYN, MUJOCO, HAND = "Exudyn, same run", "MuJoCo, same run", "Numba by hand, same run"
PEERS = {"exudyn_tree": EXUDYN, "mujoco_rk4": MUJOCO}
"""What the table calls them, by the name of their file."""

Pair = tuple[float, float]
"""Wall-clock and processor time [s]."""


@dataclass(frozen=True)
class Processes:
    """What fresh processes take.

    Attributes:
        times: Wall-clock and processor time [s] by what is run; medians of `COUNT`, what takes
            seconds the least of `FEW`.
        notice: What the first run ever said meanwhile.
        modules: Packages imported by the warm run.
    """

    times: dict[str, Pair]
    notice: str
    modules: tuple[str, ...]


def processes(peer_settings: dict[str, float]) -> Processes:
    """Return the times of fresh processes.

    Args:
        peer_settings: Step or tolerance for the peers' runs, by the name of their file.
    """
    first, hand, said = _first_runs()
    with tempfile.TemporaryDirectory() as folder:
        env = _environment(folder)
        _run(OURS, env)
        times = {WARM_RUN: _median(OURS, env), FIRST_RUN: first}
        times |= {
            IMPORTING: _import_time("bellcrank", env),
            NUMPY: _import_time("numpy", env),
        }
        for peer, setting in peer_settings.items():
            times[PEERS[peer]] = _median(PEER.format(peer=peer, setting=setting), env)
        times |= {HAND: hand, "Python that does nothing": _median("", env)}
        modules = _run(OURS + IMPORTED, env)[1].strip().splitlines()[-1]
    return Processes(times, said.strip(), tuple(json.loads(modules)))


def _first_runs() -> tuple[Pair, Pair, str]:
    """Return what first runs take, ours with empty caches and Numba's, and what ours said."""
    ours, hand, said = [], [], ""
    for _ in range(FEW):
        with tempfile.TemporaryDirectory() as folder:
            pair, said = _run(OURS, _environment(folder))
        ours.append(pair)
        hand.append(_run(BY_HAND, dict(os.environ))[0])
    return _each(min, ours), _each(min, hand), said


@cache
def by_hand() -> float:
    """Return the processor time of Numba's first run with a machine written by hand [s]."""
    return min(_run(BY_HAND, dict(os.environ))[0][1] for _ in range(FEW))


def _environment(cache: str) -> dict[str, str]:
    """Return ours, with a cache and the peers' files."""
    found = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    return bytecode_kept() | {"BELLCRANK_CACHE": cache, "PYTHONPATH": os.pathsep.join(found)}


def bytecode_kept() -> dict[str, str]:
    """Return our environment, where Python keeps bytecode as of what is installed."""
    return {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _median(code: str, env: dict[str, str]) -> Pair:
    return _each(statistics.median, [_run(code, env)[0] for _ in range(COUNT)])


def _each(kind: Callable[[list[float]], float], pairs: list[Pair]) -> Pair:
    """Return one number of all wall-clock times and one of all processor times."""
    wall, used = (kind(list(column)) for column in zip(*pairs, strict=True))
    return wall, used


def _run(code: str, env: dict[str, str]) -> tuple[Pair, str]:
    """Return wall-clock and processor time of a process [s], and what it printed."""
    begin, before = time.perf_counter(), _processor_time()
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    pair = time.perf_counter() - begin, _processor_time() - before
    if done.returncode:
        raise RuntimeError(f"a process failed:\n{textwrap.indent(done.stderr, '    ')}")
    return pair, done.stderr + done.stdout


def _processor_time() -> float:
    """Return the processor time of all children so far [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _import_time(package: str, env: dict[str, str]) -> Pair:
    """Return what importing a package takes, measured inside; medians."""
    code = (
        "from time import perf_counter, process_time; begin = perf_counter(), process_time(); "
        f"import {package}; print(perf_counter() - begin[0], process_time() - begin[1])"
    )
    lines = [_run(code, env)[1].strip().splitlines()[-1] for _ in range(COUNT)]
    pairs = [(float(wall), float(used)) for wall, used in map(str.split, lines)]
    return _each(statistics.median, pairs)
