"""Child processes of two revisions in turns, and the least that each took."""

import json
import sys

from benchmarks.compare.revision import Revision
from benchmarks.processes import OURS

FRESH = "fresh process, double pendulum"
FIRST = "all rows from an empty cache, once"
LIMIT, DOUBT = 1.1, 1.3
"""More than 10 % slower is slower; more than 30 % slower is so without doubt."""

Times = dict[str, list[float] | str]
"""By row: the whole, and of a run the part before its first step and the integration [s]; or
why there are none."""


def in_turns(
    before: Revision, after: Revision, rounds: int, only: tuple[str, ...] = ()
) -> tuple[Times, Times]:
    """Return the least times of both revisions.

    Rows that seem slower, but not by more than `DOUBT`, are measured as often again: the least
    of more is nearer the truth.

    Args:
        before: The one.
        after: The other.
        rounds: How many children of each.
        only: Words in the names of rows; all by default.
    """
    both, kept = (before, after), ({}, {})
    empty = not only and not any(True for each in both for _ in each.cache.iterdir())
    first = [child(revision, "time", *only)[0] for revision in both]  # fills the caches
    for turn in range(2 * rounds):
        names = only if turn < rounds else tuple(slower(*kept, most=DOUBT))
        if turn >= rounds and not names:
            break
        print(f"round {turn + 1}", file=sys.stderr, flush=True)
        for which in (0, 1) if turn % 2 else (1, 0):
            _lessen(kept[which], _times(both[which], names))
    if empty:
        for times, seconds in zip(kept, first, strict=True):
            times[FIRST] = [seconds]
    return kept


def child(revision: Revision, *arguments: str) -> tuple[float, str]:
    """Run `benchmarks.compare.child`; return its processor time [s] and what it printed."""
    return revision.run("-m", "benchmarks.compare.child", str(revision.root), *arguments)


def _times(revision: Revision, names: tuple[str, ...]) -> Times:
    times: Times = {}
    if not names or any(words in FRESH for words in names):
        times[FRESH] = [revision.run("-c", OURS)[0]]
    return times | json.loads(child(revision, "time", *names)[1].splitlines()[-1])


def _lessen(kept: Times, found: Times) -> None:
    """Keep the lesser of what is kept and what is found."""
    for name, new in found.items():
        old = kept.get(name)
        if isinstance(old, list) and isinstance(new, list):
            kept[name] = [min(pair) for pair in zip(old, new, strict=True)]
        else:
            kept[name] = new


def ratios(before: Times, after: Times) -> dict[str, list[float]]:
    """Return after over before of every row that both have times of."""
    found = {}
    for name in before:
        one, other = before[name], after.get(name)
        if isinstance(one, list) and isinstance(other, list):
            found[name] = [b / a for a, b in zip(one, other, strict=False)]
    return found


def slower(before: Times, after: Times, most: float = float("inf")) -> list[str]:
    """Return the rows that are slower than `LIMIT` in any part; what is run once is not.

    Args:
        before: Of the one revision.
        after: Of the other.
        most: Largest ratio of the parts of a row that counts.
    """
    found = ratios(before, after).items()
    return [name for name, each in found if name != FIRST and LIMIT < max(each) <= most]
