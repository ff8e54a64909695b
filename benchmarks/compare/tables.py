"""The two tables: times, and how far motions lie apart."""

from benchmarks.compare.motions import EQUAL, STEPS, Comparison
from benchmarks.compare.turns import FIRST, LIMIT, Times, ratios, slower
from benchmarks.report import Table

PARTS = ("whole", "before the first step", "integration")


def times_table(before: Times, after: Times, names: tuple[str, str], rounds: int) -> Table:
    """Return the table of processor times.

    Args:
        before: Of the one revision.
        after: Of the other.
        names: What the two are called.
        rounds: How many children of each were measured.
    """
    found = ratios(before, after)
    rows = [_row(name, before[name], after.get(name, "not there"), found) for name in before]
    rows += [[name, "not there before", *[""] * 9] for name in after if name not in before]
    worse = slower(before, after)
    heads = [head for part in PARTS for head in (f"{part} [ms]", "after", "ratio")]
    return Table(
        f"{names[0]} and {names[1]}: "
        + (f"{len(worse)} rows are slower" if worse else "no row is slower"),
        ["run", *heads, ""],
        rows,
        f"Least processor time of {rounds} child processes of each revision, in turns, warm; "
        f"ratio: after over before. A part of a run more than {LIMIT - 1:.0%} slower makes the "
        "row slower. Whole: `simulate` as it is called by default, or an evaluation of 1,000 "
        "states.",
    )


def _row(
    name: str, one: list[float] | str, other: list[float] | str, found: dict[str, list[float]]
) -> list[str]:
    if name not in found:
        said = [
            f"{when}: {x}"
            for when, x in (("before", one), ("after", other))
            if isinstance(x, str)
        ]
        return [name, "; ".join(said), *[""] * 9]
    cells = []
    for a, b, ratio in zip(one, other, found[name], strict=False):
        cells += [f"{1e3 * float(a):.3g}", f"{1e3 * float(b):.3g}", f"{ratio:.2f}"]
    verdict = "slower" if name != FIRST and max(found[name]) > LIMIT else ""
    return [name, *cells, *[""] * (9 - len(cells)), verdict]


def motions_table(found: list[Comparison], names: tuple[str, str]) -> Table:
    """Return the table of differences between motions."""
    equal = sum(each.equal for each in found)
    rows = [
        [
            each.example, f"{each.fixed:.1e}", f"{each.adaptive:.1e}", f"{each.error:.1e}",
            each.note or ("yes" if each.equal else "NO"),
        ]
        for each in found
    ]  # fmt: skip
    return Table(
        f"Motions of {names[0]} and {names[1]}: {equal} of {len(found)} are equal",
        ["example", f"{STEPS} fixed steps", "default", "own error", "equal"],
        rows,
        "Largest difference of position, velocity, orientation and angular velocity of any "
        f"body, over the largest value or 1. Fixed: {STEPS} steps of RK4, each a thousandth of "
        f"the example's run, wanted within {EQUAL:g}. Default: the whole run, wanted within "
        "its own error: the distances of both from their own runs at a tenth of rtol, "
        "added.",
    )
