"""Cases tried side by side, and what went wrong with them.

A case is drawn from its family, the seed and its number alone, so that it can be drawn again.
Failures are printed with the family and the number, the shortest input of each kind first.
"""

import signal
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from random import Random

from tests.fuzz.cases import SHARES

LIMIT = 20  # s: what takes longer hangs
FAMILIES = {case.__name__: case for case in SHARES}


class Hang(BaseException):
    """A case took too long."""


def tried(job: tuple[str, int, int]) -> tuple[str, int, float, str, str | None]:
    """Return family, number, seconds, input and complaint of one case."""
    family, seed, number = job
    begun = time.perf_counter()
    signal.signal(signal.SIGALRM, _hangs)
    signal.alarm(LIMIT * (6 if family in ("metamorphic", "native") else 1))  # these compile
    given, problem = "", None
    try:
        given, problem = FAMILIES[family](Random(f"{family} {seed} {number}"))
    except Hang:
        problem = f"no end in {LIMIT} s"
    except Exception as error:
        problem = f"{type(error).__name__}: {error}"
    finally:
        signal.alarm(0)
    return family, number, time.perf_counter() - begun, given, problem


def _hangs(*_: object) -> None:
    raise Hang


def jobs(seed: int, cases: int, only: str | None) -> list[tuple[str, int, int]]:
    """Return families, seeds and numbers: the shares of each family in so many cases."""
    chosen = {
        f: n for f, n in ((c.__name__, n) for c, n in SHARES.items()) if only in (None, f)
    }
    total = sum(chosen.values())
    return [
        (family, seed, number)
        for family, share in chosen.items()
        for number in range(max(1, round(cases * share / total)))
    ]


def main(seed: int, cases: int, only: str | None = None, workers: int = 2) -> int:
    """Try cases side by side; return how many kinds of failures there are."""
    begun, counted, slowest, failures = time.perf_counter(), Counter(), 0.0, {}
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        for family, number, seconds, given, problem in pool.map(
            tried, jobs(seed, cases, only), chunksize=8
        ):
            counted[family] += 1
            slowest = max(slowest, seconds)
            if problem:
                kind = (family, problem.partition(":")[0])
                shortest = failures.get(kind)
                if shortest is None or len(given) < len(shortest[1]):
                    failures[kind] = (number, given, problem)
    for (family, _), (number, given, problem) in sorted(failures.items()):
        print(f"{family} {number} of seed {seed}: {problem[:400]}\n    {given[:400]!r}")
    each = ", ".join(f"{n} {family}" for family, n in counted.items())
    print(
        f"{counted.total()} cases of seed {seed} ({each}): {len(failures)} kinds of failures; "
        f"slowest {slowest:.1f} s, {time.perf_counter() - begun:.0f} s in all."
    )
    return len(failures)
