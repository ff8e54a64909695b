"""The report of a machine as a page: its drawing, its tree, its numbers."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.errors import BellcrankError
from bellcrank.views import page
from bellcrank.views.drawing import draw
from bellcrank.views.motion import SceneMotion, standing

if TYPE_CHECKING:
    from bellcrank.views.report import Report, Rows

WORDS = {
    "bodies": "Bodies and mass properties",
    "tree": "Body-connection tree",
    "redundant": "Redundant constraints",
}
HEADED = ("bodies", "joints")  # sections whose first row says what stands below it


def write_report(report: "Report", path: Path) -> None:
    """Write a report as an HTML page.

    Args:
        report: Of a machine.
        path: A file name that ends in `.html`.

    Raises:
        FileError: The name has another suffix, or the file cannot be written.
    """
    page.write(path, lambda: report_page(report))


def report_page(report: "Report") -> str:
    """Return the report as a whole HTML page."""
    motion, drawn = _picture(report)
    name, *lines = report.title
    tables = "\n".join(
        f"<h2>{escape(WORDS.get(title, title.capitalize()))}</h2>{_table(title, rows)}"
        for title, rows in report.sections
    )
    tiles = "".join(
        f"<div><b>{number}</b><span>{escape(words)}</span></div>"
        for words, number in counts(report).items()
    )
    body = (
        f'<div class="report"><h1 class="name">{escape(name)}</h1>'
        f'<p class="lead">{escape(" · ".join(lines))}</p>{page.player(motion, None, 0, 1)}'
        f'<p class="lead">{escape(drawn)}</p><div class="tiles">{tiles}</div>{tables}</div>'
    )
    return page.document(name, body, page.asset("report.css"))


def counts(report: "Report") -> dict[str, int]:
    """Return the numbers of the machine and of its equations, by what they count."""
    found = {
        "degrees of freedom": report.degrees_of_freedom,
        "bodies": len(report.model.bodies),
        "joints": len(report.model.joints),
        "loops": len(report.model.graph.loops),
        "dynamical equations": report.coordinates,
        "constraint equations": report.rows,
    }
    if report.freedom is not None:
        found["redundant constraints"] = report.rows - report.freedom.rank
    return found


def _picture(report: "Report") -> tuple[SceneMotion, str]:
    """Return the machine as drawn, its loops closed where they can be, and words for it."""
    scene = draw(report.model)
    if not report.rows:
        return standing(scene), "As drawn."
    try:
        system, q, p = report.assembled
        off = np.zeros(len(system.inputs))
        values = system.observe(q, np.zeros(len(system.speeds)), parameters=p, inputs=off)
    except BellcrankError:
        return standing(scene), "As drawn; the loops of this drawing could not be closed."
    return standing(scene, values), "Assembled from the drawing."


def _table(title: str, rows: "Rows") -> str:
    if isinstance(rows[0], str) or title == "tree":
        return f"<pre>{escape(chr(10).join(map(str, rows)))}</pre>"
    columns = max(map(len, rows))
    html = []
    for k, row in enumerate(rows):
        cell = "th" if k == 0 and title in HEADED else "td"
        cells = [*row, *[""] * (columns - len(row))]
        html.append("".join(f"<{cell}>{escape(text)}</{cell}>" for text in cells))
    return "<table>" + "".join(f"<tr>{row}</tr>" for row in html) + "</table>"
