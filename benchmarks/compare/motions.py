"""Motions of the shipped examples, written by one process and compared by another.

Bodies are compared, not coordinates: position, velocity, orientation and angular velocity of
each at the records of a run.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

STEPS = 100
EQUAL = 1e-11
"""Largest difference after `STEPS` fixed steps, over the largest value or 1."""
QUANTITIES = ("position", "velocity", "orientation", "angular_velocity")


def write(path: Path) -> None:
    """Run every example with fixed steps, by default, and at a tenth of rtol and atol.

    Args:
        path: File to write; arrays by `example|kind|body.quantity`, and `example|kind|failed`
            with the reason where a run did not come to its end.
    """
    from bellcrank import examples

    arrays: dict[str, np.ndarray] = {}
    for name in examples.names():
        for kind, options in _kinds(examples.settings(name)).items():
            for channel, values in _motion(examples.load(name), options):
                arrays[f"{name}|{kind}|{channel}"] = values
    np.savez(path, **arrays)  # type: ignore[arg-type]


def _kinds(settings: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return the arguments of `simulate` by the kind of run."""
    import bellcrank as bc

    until, rtol = settings["until"], settings.get("rtol", 1e-9)
    step = until / 1000
    fixed = {key: value for key, value in settings.items() if key not in ("rtol", "atol")}
    return {
        "fixed": fixed
        | {"until": STEPS * step, "integrator": bc.RK4(step=step), "every": STEPS * step},
        "default": settings,
        "finer": settings | {"rtol": rtol / 10, "atol": 1e-12},
    }


def _motion(model: Any, options: dict[str, Any]) -> Iterator[tuple[str, np.ndarray]]:
    """Yield what the bodies do, or why there is nothing."""
    import bellcrank as bc

    try:
        run = bc.simulate(model, **options)
    except bc.BellcrankError as reason:
        yield "failed", np.array(str(reason))
        return
    for body in model.bodies:
        for quantity in QUANTITIES:
            if f"{body.name}.{quantity}" in run:
                yield (
                    f"{body.name}.{quantity}",
                    np.asarray(run.values(f"{body.name}.{quantity}")),
                )


@dataclass(frozen=True)
class Comparison:
    """How far the motions of one example lie apart.

    Attributes:
        example: Its name.
        fixed: Largest difference after `STEPS` fixed steps, over the largest value or 1.
        adaptive: Largest difference of the runs by default, likewise.
        error: How far those runs are from runs at a tenth of the tolerance, both together.
        note: Why there is no number, where there is none.
    """

    example: str
    fixed: float = float("inf")
    adaptive: float = float("inf")
    error: float = 0.0
    note: str = ""

    @property
    def equal(self) -> bool:
        """Whether the motions are the same, in so far as either revision knows them."""
        return self.fixed <= EQUAL and self.adaptive <= max(self.error, EQUAL)


def compared(before: Path, after: Path) -> list[Comparison]:
    """Return the comparison of all examples that both files have."""
    one, other = (_by_run(path) for path in (before, after))
    names = dict.fromkeys(example for example, _ in one if (example, "fixed") in other)
    return [_compared(name, one, other) for name in names]


Motion = dict[str, np.ndarray]
Runs = dict[tuple[str, str], Motion]


def _by_run(path: Path) -> Runs:
    """Return the motions of a file by example and kind."""
    found: Runs = {}
    with np.load(path) as arrays:
        for key in arrays:
            name, kind, channel = key.split("|")
            found.setdefault((name, kind), {})[channel] = arrays[key]
    return found


def _compared(name: str, one: Runs, other: Runs) -> Comparison:
    failed = [
        f"{kind} failed {when}: {runs[name, kind]['failed']}"
        for kind in ("fixed", "default", "finer")
        for when, runs in (("before", one), ("after", other))
        if "failed" in runs[name, kind]
    ]
    if failed:
        return Comparison(name, note="; ".join(failed))
    return Comparison(
        name,
        distance(one[name, "fixed"], other[name, "fixed"]),
        distance(one[name, "default"], other[name, "default"]),
        sum(distance(runs[name, "default"], runs[name, "finer"]) for runs in (one, other)),
    )


def distance(one: Motion, other: Motion) -> float:
    """Return the largest difference of two motions, over the largest value or 1.

    Euler parameters e and -e are the same orientation.
    """
    far = 0.0
    for channel in one.keys() & other.keys():
        a, b = one[channel], other[channel]
        if a.shape != b.shape or not np.isfinite(a - b).all():
            return float("inf")
        off = np.abs(a - b).max(axis=-1)
        if channel.endswith(".orientation"):
            off = np.minimum(off, np.abs(a + b).max(axis=-1))
        far = max(far, float(off.max()) / max(1.0, float(np.abs(a).max())))
    return far
