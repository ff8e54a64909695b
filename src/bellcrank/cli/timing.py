"""Times of the compiled equations of a machine."""

import time
import warnings
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from bellcrank.model import Model


def timings(machine: "Model", states: int) -> Iterator[str]:
    """Yield a line for each question asked of a machine at random states, on one core."""
    import numpy as np

    import bellcrank as bc

    begun = time.perf_counter()
    system = bc.compile(machine)
    rng = np.random.default_rng(1)
    q0, u0 = system.placed({})
    q = q0 + rng.normal(0, 0.3, (states, q0.size))
    u = u0 + rng.normal(0, 1.0, (states, u0.size))
    off = {one.name: 0.0 for one in machine.inputs}
    questions = {
        "accelerations": lambda: system.accelerations(q, u, inputs=off),
        "mass_matrix": lambda: system.mass_matrix(q),
        "inverse_dynamics": lambda: system.inverse_dynamics(q, u, u, inputs=off),
    }
    yield f"{machine.name}: {len(u0)} speeds, {states} random states"
    for name, ask in questions.items():
        # Random states leave loops open, which takes as long.
        warnings.simplefilter("ignore", bc.OffConstraints)
        ask()
        ready = time.perf_counter() - begun
        best = min(_seconds(ask) for _ in range(7)) / states
        yield f"{name:18} {best * 1e6:9.3f} µs   (ready after {ready:.2f} s)"
        begun = time.perf_counter()


def _seconds(ask: Callable[[], Any]) -> float:
    begun = time.perf_counter()
    ask()
    return time.perf_counter() - begun
