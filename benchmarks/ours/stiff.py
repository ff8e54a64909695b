"""The stiff double pendulum of REFERENCES 6.4: two rods, two torsional spring-dampers."""

import math
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

import bellcrank as bc
from benchmarks.machines import GRAVITY

WANTED = 1e-6
"""Largest error of the two angles [rad] at the four times of the table."""
SETTINGS = tuple(10.0 ** (-k / 2) for k in range(8, 23))
"""Relative tolerance; the absolute one is 1/100 of it."""
METHODS = ("DOPRI5", "DOP853", "Radau5", "SDIRK54")
ANSWERS = {
    0.1: (5.541325544013, 5.54143744605),
    0.5: (4.28179872153, 4.281838249258),
    1.0: (5.175991304269, 5.176033384795),
    4.0: (4.683237011393, 4.683233440821),
}
"""Absolute angles [rad] by time [s]; known to 5e-10."""


def model() -> bc.Model:
    """Return the pendulum, drawn hanging."""
    ends = [(0.0, 0.0), (0.0, -2.0), (0.0, -5.0)]
    down = 3 * math.pi / 2
    return bc.Model(
        "stiff double pendulum",
        planar=True,
        gravity=(0.0, -GRAVITY),
        bodies=[
            bc.Body("rod1", bc.Rod(ends[0], ends[1], mass=3.0)),
            bc.Body("rod2", bc.Rod(ends[1], ends[2], mass=0.3)),
        ],
        joints=[
            bc.Revolute("A", "ground", "rod1", at=ends[0], drawn=down),
            bc.Revolute("B", "rod1", "rod2", at=ends[1]),
        ],
        forces=[
            bc.JointSpring("S1", "A", stiffness=400.0, damping=15.0, rest=down),
            bc.JointSpring("S2", "B", stiffness=3e5, damping=5e4),
        ],
    )


@dataclass(frozen=True)
class StiffRun:
    """One method at the coarsest tolerance that is right.

    Attributes:
        method: Name of the integrator.
        rtol: Relative tolerance.
        error: Largest error of the angles [rad].
        steps: Accepted and rejected.
        evaluations: Of the right-hand side.
        seconds: Shortest processor time [s].
        note: Why there is no number, where there is none.
    """

    method: str
    rtol: float = 0.0
    error: float = float("inf")
    steps: int = 0
    evaluations: int = 0
    seconds: float = float("inf")
    note: str = ""


def stiff_run(name: str) -> StiffRun:
    """Return what a method needs for `WANTED`."""
    if not hasattr(bc, name):
        return StiffRun(name, note="not there")
    pendulum, method = model(), getattr(bc, name)()
    note = "no tolerance is right"
    for rtol in SETTINGS:
        try:
            run = _run(pendulum, method, rtol)
        except bc.BellcrankError as failure:
            note = str(failure)
            continue
        error = _error(run)
        if error <= WANTED:
            seconds = min(_seconds(pendulum, method, rtol) for _ in range(3))
            counted = run.statistics
            steps = counted["steps"] + counted["rejected"]
            return StiffRun(name, rtol, error, steps, counted["evaluations"], seconds)
    return StiffRun(name, note=note)


def _run(pendulum: bc.Model, method: Any, rtol: float) -> Any:
    start = {"A.angle_rate": 10.0}
    return bc.simulate(
        pendulum, 4.0, start=start, integrator=method, rtol=rtol, atol=rtol / 100, every=0.1
    )


def _seconds(pendulum: bc.Model, method: Any, rtol: float) -> float:
    begin = time.thread_time()
    _run(pendulum, method, rtol)
    return time.thread_time() - begin


def _error(run: Any) -> float:
    first = np.asarray(run.values("A.angle"))
    second = first + np.asarray(run.values("B.angle"))
    found = np.column_stack([first, second])
    rows = [round(10 * t) for t in ANSWERS]
    return float(np.max(np.abs(found[rows] - np.array(list(ANSWERS.values())))))
