"""Ours: a long chain in Cartesian coordinates, assembled from kinds of elements."""

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bellcrank as bc
from benchmarks.machines import LongChain

NAME = "bellcrank, Cartesian, assembled"
ROOT = Path(__file__).resolve().parent.parent.parent

Run = Callable[[float, int], np.ndarray]


def model(machine: LongChain) -> bc.Model:
    """Return the chain as a model."""
    bodies = [
        bc.Body(f"b{i}", bc.Box(machine.edges, center=machine.middle(i), mass=machine.mass))
        for i in range(machine.bodies)
    ]
    joints = [
        bc.Revolute(
            f"j{i}", f"b{i - 1}" if i else "ground", f"b{i}",
            at=machine.pin(i), axis=machine.axis(i),
        )
        for i in range(machine.bodies)
    ]  # fmt: skip
    return bc.Model("chain", bodies=bodies, joints=joints)


def build(machine: LongChain, spectral_radius: float) -> Run:
    """Return `run(step, steps)`, which returns the places of all bodies at the end."""
    drawn = model(machine)

    def run(step: float, steps: int) -> np.ndarray:
        method = bc.GeneralizedAlpha(step=step, spectral_radius=spectral_radius)
        found = bc.simulate(
            drawn, steps * step, formulation=bc.Cartesian(assembled=True), integrator=method,
            every=steps * step, progress=False,
        )  # fmt: skip
        return np.array([found.values(f"b{i}.position")[-1] for i in range(machine.bodies)])

    return run


def build_adaptive(
    machine: LongChain,
) -> Callable[[float, float], tuple[np.ndarray, bc.Result]]:
    """Return `run(until, rtol)` of Radau5, which returns the places at the end and the run."""
    drawn = model(machine)

    def run(until: float, rtol: float) -> tuple[np.ndarray, bc.Result]:
        found = bc.simulate(
            drawn, until, formulation=bc.Cartesian(assembled=True), integrator=bc.Radau5(),
            rtol=rtol, atol=rtol, every=until, progress=False,
        )  # fmt: skip
        places = [found.values(f"b{i}.position")[-1] for i in range(machine.bodies)]
        return np.array(places), found

    return run


@dataclass(frozen=True)
class First:
    """A fresh process that makes one step of a chain.

    Attributes:
        seconds: Processor time from the model to the end of the step.
        drawing: Of this, for `Model(…)`.
        memory: How much resident memory grew meanwhile at most [bytes]; where the kernels were
            loaded before, by a chain of three bodies, it is that of the machine alone.
    """

    seconds: float
    drawing: float
    memory: float


_SCRIPT = """
import gc, json, sys, time
from pathlib import Path
import bellcrank as bc
from benchmarks.machines import LongChain
from benchmarks.ours.large import model

def one_step(bodies):
    begin = time.process_time()
    drawn = model(LongChain(bodies))
    middle = time.process_time()
    bc.simulate(
        drawn, 1e-3, formulation=bc.Cartesian(assembled=True), every="step", progress=False,
        integrator=bc.GeneralizedAlpha(step=1e-3),
    )
    return time.process_time() - begin, middle - begin

def resident(what):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(x.split()[1]) for x in lines if x.startswith(what))

if sys.argv[2] == "warm":
    one_step(3)
    gc.collect()
Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
before = resident("VmRSS")
print(json.dumps([*one_step(int(sys.argv[1])), resident("VmHWM") - before]))
"""


def first(bodies: int) -> tuple[First, First]:
    """Return what the first step takes with an empty cache, and with a full one."""
    with tempfile.TemporaryDirectory() as cache:
        environment = os.environ | {"BELLCRANK_CACHE": cache}
        found = []
        for cache_is in ("cold", "warm"):
            done = subprocess.run(
                [sys.executable, "-c", _SCRIPT, str(bodies), cache_is],
                cwd=ROOT, env=environment, check=True, capture_output=True, text=True,
            )  # fmt: skip
            found.append(First(*json.loads(done.stdout.splitlines()[-1])))
    return found[0], found[1]
