"""Compare the working tree, or a revision, with an earlier revision.

python -m benchmarks.compare REVISION [--after REVISION] [--rounds 10] [--only WORDS …]

The exit code is 1 where a row is more than 10 % slower or a motion differs, else 0.
"""

import argparse
import tempfile
from pathlib import Path

from rich.console import Console

from benchmarks.compare.motions import Comparison, compared
from benchmarks.compare.revision import Revision, checked_out, working_tree
from benchmarks.compare.tables import motions_table, times_table
from benchmarks.compare.turns import child, in_turns, slower
from benchmarks.processor import processor


def main() -> int:
    """Measure, compare and print; return 1 where something is worse."""
    asked = _arguments()
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        cache = Path(asked.cache or place / "caches").resolve()
        before = checked_out(asked.revision, place / "before", cache)
        if asked.after:
            after = checked_out(asked.after, place / "after", cache)
        else:
            after = working_tree(cache)
        names = before.name, after.name
        times = in_turns(before, after, asked.rounds, tuple(asked.only))
        tables = [times_table(*times, names, asked.rounds)]
        found = [] if asked.only else _motions(before, after, place)
        if found:
            tables.append(motions_table(found, names))
    _show(tables, asked.output)
    return 1 if slower(*times) or not all(each.equal for each in found) else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compare",
        description="Processor times and motions of two revisions, measured in turns.",
    )
    parser.add_argument("revision", help="what comes before: any commit")
    parser.add_argument("--after", help="what comes after; default: the working tree")
    parser.add_argument("--rounds", type=int, default=10, help="turns; the least counts")
    parser.add_argument(
        "--only", nargs="+", default=(), metavar="WORDS", help="time rows whose name has them"
    )
    parser.add_argument("--cache", help="keep compiled code in this folder")
    parser.add_argument("-o", "--output", type=Path, help="write the tables as Markdown, too")
    return parser.parse_args()


def _motions(before: Revision, after: Revision, place: Path) -> list[Comparison]:
    """Return how far the motions of all examples lie apart."""
    files = place / "before.npz", place / "after.npz"
    for revision, file in zip((before, after), files, strict=True):
        child(revision, "motions", str(file))
    return compared(*files)


def _show(tables: list, output: Path | None) -> None:
    console = Console(width=150)
    console.print(str(processor()))
    for table in tables:
        table.show(console)
    if output:
        text = [f"### {x.title}\n\n{processor()}\n\n{x.markdown()}" for x in tables]
        output.write_text("\n".join(text), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
