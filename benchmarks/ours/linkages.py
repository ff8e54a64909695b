"""Linkages with loops by `bc.simulate`, as a user calls it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import bellcrank as bc
from benchmarks.linkages import OUTPUT, Linkage
from benchmarks.machines import GRAVITY

NAME = f"bellcrank {bc.__version__}"
PATIENCE = 4.0
"""How long a run may take before it counts as failed [s]."""
SETTINGS = tuple(10.0 ** (-k / 2) for k in range(6, 21))
"""Relative tolerance; the absolute one is 1/100 of it."""


def model(machine: Linkage) -> bc.Model:
    """Return our model; the free end of the first rod is the point `top`."""
    bodies = [
        bc.Body(bar.name, bc.Rod(bar.start, bar.end, mass=bar.mass)) for bar in machine.bars
    ]
    joints = [bc.Revolute(pin.name, pin.first, pin.second, at=pin.at) for pin in machine.pins]
    return bc.Model(
        machine.name,
        planar=True,
        bodies=bodies,
        joints=joints,
        points=[bc.Point("top", machine.bars[0].name, at=machine.bars[0].end)],
        gravity=(0.0, -GRAVITY),
    )


@dataclass
class Runs:
    """Runs of one linkage.

    Attributes:
        machine: Which.
        every: Interval of the records [s].
        last: The last result.
        note: Why the last run has no end, if it has none.
    """

    machine: Linkage
    every: float = OUTPUT
    last: Any = None
    note: str = ""

    def __post_init__(self) -> None:
        self.model = model(self.machine)

    def __call__(self, rtol: float) -> tuple[np.ndarray, np.ndarray]:
        """Return times and angles turned by the first rod; what there is, if it fails."""
        first = self.machine.pins[0].name
        try:
            self.last = bc.simulate(
                self.model, self.machine.until,
                start={f"{first}.angle_rate": self.machine.bars[0].rate},
                rtol=rtol, atol=rtol / 100, every=self.every, progress=_patience(),
            )  # fmt: skip
            self.note = "" if self.last.status == "done" else f"more than {PATIENCE:g} s"
        except bc.IntegrationFailed as failure:
            self.last, self.note = failure.run, f"stopped: {failure.reason}"
        return np.asarray(self.last.t), np.asarray(self.last.values(f"{first}.angle"))

    @property
    def done(self) -> bool:
        """Whether the last run came to its end."""
        return not self.note

    @property
    def statistics(self) -> Any:
        """Of the last run."""
        return self.last.statistics

    def per_evaluation(self, rtol: float) -> float:
        """Return the time of a solution over its evaluations [s], the least of many."""
        begin, found = time.perf_counter(), []
        while not found or (self.done and time.perf_counter() - begin < 0.3):
            self(rtol)
            found.append(self.statistics["seconds"] / self.statistics["evaluations"])
        return min(found)


def _patience() -> Callable[[float, int], None]:
    """Return a function of progress that gives up `PATIENCE` after its first call."""
    due: list[float] = []

    def watch(_t: float, _steps: int) -> None:
        due.append(time.perf_counter() + PATIENCE)
        if time.perf_counter() > due[0]:
            raise KeyboardInterrupt

    return watch
