"""What is timed in both revisions: runs of machines, and evaluations of many states.

Only public names of `bellcrank`, and only those that older revisions have.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import bellcrank as bc
from bellcrank import examples
from benchmarks.linkages import ladder, plain_four_bar
from benchmarks.machines import RUNS, LongChain, chain, states
from benchmarks.ours import chains, large, linkages, stiff

Work = Callable[[], Any]
"""Returns the `Result` of a run, or what an evaluation returns."""

BATCH = 1000


def workloads() -> dict[str, Callable[[], Work]]:
    """Return what makes each piece of work, by its name in the table."""
    found: dict[str, Callable[[], Work]] = {
        name: partial(_example, name) for name in examples.names()
    }
    found |= {f"bench: {machine.name}": partial(_chain, machine) for machine in RUNS}
    for linkage in (plain_four_bar(), ladder(10), ladder(40)):
        found[f"bench: {linkage.name}"] = partial(_linkage, linkage)
    found["bench: stiff pendulum, Radau5"] = _stiff
    for bodies in (100, 1000):
        alpha = bc.GeneralizedAlpha(step=1e-3)
        found[f"bench: {bodies} bodies, generalized-α"] = partial(_large, bodies, alpha, {})
    tolerance = {"rtol": 1e-4, "atol": 1e-4}
    found["bench: 100 bodies, Radau5"] = partial(_large, 100, bc.Radau5(), tolerance)
    for what in ("accelerations", "mass_matrix", "inverse_dynamics"):
        found[f"bench: {what}, 30 joints"] = partial(_evaluation, what)
    return found


def _example(name: str) -> Work:
    return partial(bc.simulate, examples.load(name), **examples.settings(name))


def _chain(machine: Any) -> Work:
    start = {f"J{k}.angle": angle for k, angle in enumerate(machine.start, start=1)}
    return partial(bc.simulate, chains.model(machine), machine.until, start=start, every=0.1)


def _linkage(machine: Any) -> Work:
    start = {f"{machine.pins[0].name}.angle_rate": machine.bars[0].rate}
    return partial(bc.simulate, linkages.model(machine), machine.until, start=start, every=0.05)


def _stiff() -> Work:
    return partial(
        bc.simulate, stiff.model(), 4.0, start={"A.angle_rate": 10.0},
        integrator=bc.Radau5(), rtol=3e-6, atol=3e-8, every=0.1,
    )  # fmt: skip


def _large(bodies: int, method: Any, tolerance: dict[str, float]) -> Work:
    """Sixty steps of a millisecond, or as many as the tolerance asks for."""
    return partial(
        bc.simulate, large.model(LongChain(bodies)), 0.06, every=0.06, integrator=method,
        formulation=bc.Cartesian(assembled=True), **tolerance,
    )  # fmt: skip


def _evaluation(what: str) -> Work:
    system = bc.compile(chains.model(chain(30)))
    q, u, a = states(30, BATCH)
    given = {"accelerations": (q, u), "mass_matrix": (q,), "inverse_dynamics": (q, u, a)}
    return partial(getattr(system, what), *given[what])
