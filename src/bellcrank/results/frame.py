"""A result as a table: one row per record, one column per number."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from bellcrank.replacement import replacing
from bellcrank.results.labels import COMPONENTS

if TYPE_CHECKING:
    import pandas

    from bellcrank.results.result import Result

PORTION = 4096  # rows written at a time


def frame(run: "Result", patterns: tuple[str, ...]) -> "pandas.DataFrame":
    """Return quantities as a table over time; vectors have a column for each component.

    `attrs` has `units` and `long_names` by column, the name of the model and the status.

    Args:
        run: The result.
        patterns: Names or patterns; everything without them.

    Raises:
        UnknownName: If something is no name and matches none.
    """
    import pandas

    columns, units, words = dict[str, Any](), dict[str, str](), dict[str, str]()
    for name in run.select(*(patterns or ("*",))):
        label, index = run.find(name)
        values = run.values(label.name).reshape(len(run.t), -1)
        for n in range(label.size) if index is None else (index,):
            column = label.components[n]
            columns[column], units[column] = values[:, n], label.unit or "1"
            part = f", {COMPONENTS[label.size][n]}" if label.size > 1 else ""
            words[column] = label.long_name + part
    table = pandas.DataFrame(columns, index=pandas.Index(run.t, name="time"))
    table.attrs = {
        "units": {"time": "s"} | units,
        "long_names": {"time": "time"} | words,
        "model": str(run.provenance.get("model", "")),
        "status": run.status,
    }
    return table


def save_csv(run: "Result", path: Path) -> None:
    """Write all numbers as comma-separated values, in full precision, all of it or nothing.

    The first row has the names: `time, A.angle, tip.position_x, …`.

    Raises:
        FileError: If the file cannot be written.
    """
    table = run.frame()
    with replacing(path) as draft, draft.open("w", newline="", encoding="utf-8") as out:
        table.to_csv(out, chunksize=PORTION)
