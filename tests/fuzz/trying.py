"""Cases tried side by side, and what went wrong with them.

A case is drawn from its family, the seed and its number alone, so that it can be drawn again:
no input, which may be anything, has to travel between processes.
Patience is counted in processor time: a busy computer makes no hang. Of each kind of failure
the shortest input is made shorter while it fails likewise, and printed.
"""

import contextlib
import signal
import sys
import time
import warnings
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random
from typing import Any

from tests.fuzz.cases import FAMILIES, INTEGRATORS, LOOP, MODES, PEND
from tests.fuzz.shrinking import shortest

import bellcrank as bc

LIMIT = 20.0  # s of processor time: what takes longer hangs
Job = tuple[str, int, int]
Tried = tuple[str, int, float, str | None]


class Hang(BaseException):
    """A case took too long."""


def tried(job: Job, limit: float = LIMIT) -> Tried:
    """Return family, number, seconds and complaint of one case.

    Args:
        job: Family, seed and number.
        limit: Seconds of processor time that are no hang.
    """
    name, _, number = job
    return name, number, *judged(name, drawn(job), limit)


def drawn(job: Job) -> Any:
    """Return the input of a case."""
    name, seed, number = job
    return FAMILIES[name].draw(Random(f"{name} {seed} {number}"))


def judged(name: str, given: Any, limit: float = LIMIT) -> tuple[float, str | None]:
    """Return seconds of processor time and the complaint about an input."""
    begun = time.process_time()
    before = signal.signal(signal.SIGPROF, _hangs)
    signal.setitimer(signal.ITIMER_PROF, limit)
    try:
        problem = FAMILIES[name].judge(given)
    except Hang:
        problem = f"no end in {limit:g} s"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        signal.signal(signal.SIGPROF, before)
    return time.process_time() - begun, problem


def _hangs(*_: object) -> None:
    raise Hang


def kind(problem: str | None) -> str:
    """Return what failures have in common: an exception, a hang, a disagreement."""
    return (problem or "").partition(":")[0]


def minimised(name: str, given: Any, problem: str) -> tuple[Any, str]:
    """Return a shorter input that fails likewise, and what it says."""
    if name == "metamorphic" or problem.startswith("no end"):
        return given, problem
    short = shortest(given, lambda other: kind(judged(name, other)[1]) == kind(problem))
    return short, judged(name, short)[1] or problem


def jobs(seed: int, cases: int, only: str | None) -> list[Job]:
    """Return families, seeds and numbers: the shares of each family in so many cases."""
    chosen = {name: f.share for name, f in FAMILIES.items() if only in (None, name)}
    total = sum(chosen.values())
    return [
        (name, seed, number)
        for name, share in chosen.items()
        for number in range(max(1, round(cases * share / total)))
    ]


def warm() -> None:
    """Compile what is compiled once a computer, for all machines: that is no hang."""
    for model in (PEND, LOOP):
        for method in INTEGRATORS:
            for mode in MODES if model is LOOP else MODES[:1]:
                with contextlib.suppress(bc.BellcrankError), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    bc.simulate(model, 1e-9, integrator=method, constraints=mode)


def main(seed: int, cases: int, only: str | None = None, workers: int = 2) -> int:
    """Try cases side by side; return how many kinds of failures there are."""
    begun, counted, slowest = time.perf_counter(), Counter(), (0.0, "", 0)
    failures: dict[tuple[str, str], tuple[int, Any, str]] = {}
    warm()
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for name, number, seconds, problem in pool.map(
            tried, jobs(seed, cases, only), chunksize=8
        ):
            counted[name] += 1
            slowest = max(slowest, (seconds, name, number))
            if problem:
                print(f"{name} {number}: {problem[:200]}", file=sys.stderr, flush=True)
                given = drawn((name, seed, number))
                least = failures.get((name, kind(problem)))
                if least is None or len(repr(given)) < len(repr(least[1])):
                    failures[name, kind(problem)] = (number, given, problem)
    for (name, _), (number, given, problem) in sorted(failures.items()):
        short, said = minimised(name, given, problem)
        print(f"{name} {number} of seed {seed}: {said[:400]}\n    {short!r}"[:2000])
    each = ", ".join(f"{n} {name}" for name, n in counted.items())
    print(
        f"{counted.total()} cases of seed {seed} ({each}): {len(failures)} kinds of failures; "
        f"slowest {slowest[0]:.1f} s ({slowest[1]} {slowest[2]}), "
        f"{time.perf_counter() - begun:.0f} s in all."
    )
    return len(failures)
