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
from dataclasses import dataclass
from pathlib import Path

COUNT = 20
HEAVY = ("casadi", "numba", "scipy", "pandas", "xarray", "matplotlib", "llvmlite", "numpy")
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


@dataclass(frozen=True)
class Processes:
    """What fresh processes take [s].

    Attributes:
        python: An interpreter that does nothing.
        warm: A finished run, kernels in the cache; median of `COUNT`.
        warm_cpu: Its processor time, which a busy machine disturbs less; mean of `COUNT`.
        cold: The first run ever, caches empty.
        notice: What it said meanwhile.
        importing: `import bellcrank` alone, measured inside; median of `COUNT`.
        modules: Packages imported by the warm run.
        peers: Medians of the peers, by name.
    """

    python: float
    warm: float
    warm_cpu: float
    cold: float
    notice: str
    importing: float
    modules: tuple[str, ...]
    peers: dict[str, float]


def processes(peer_settings: dict[str, float]) -> Processes:
    """Return the times of fresh processes.

    Args:
        peer_settings: Step or tolerance for the peers' runs, by the name of their file.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"BELLCRANK_CACHE": folder, "PYTHONPATH": str(ROOT)}
        cold, said = _run(OURS, env)
        before = _processor_time()
        warm = _median(OURS, env)
        warm_cpu = (_processor_time() - before) / COUNT
        _, modules = _run(OURS + IMPORTED, env)
        inside = [_import_time(env) for _ in range(COUNT)]
        peers = {
            peer: _median(PEER.format(peer=peer, setting=setting), env)
            for peer, setting in peer_settings.items()
        }
        python = _median("", env)
    return Processes(
        python, warm, warm_cpu, cold, said.strip(), statistics.median(inside),
        tuple(json.loads(modules.strip().splitlines()[-1])), peers,
    )  # fmt: skip


def _median(code: str, env: dict[str, str]) -> float:
    return statistics.median(_run(code, env)[0] for _ in range(COUNT))


def _run(code: str, env: dict[str, str]) -> tuple[float, str]:
    """Return the time of a process [s] and what it printed."""
    begin = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin
    if done.returncode:
        raise RuntimeError(f"a process failed:\n{textwrap.indent(done.stderr, '    ')}")
    return seconds, done.stderr + done.stdout


def _processor_time() -> float:
    """Return the processor time of all children so far [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _import_time(env: dict[str, str]) -> float:
    code = (
        "import time; t = time.perf_counter(); import bellcrank; print(time.perf_counter() - t)"
    )
    return float(_run(code, env)[1].strip().splitlines()[-1])
