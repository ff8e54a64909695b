"""A result in a few lines, for the console and for notebooks."""

from collections.abc import Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, Any

from bellcrank.results.labels import Label
from bellcrank.results.words import line

if TYPE_CHECKING:
    from bellcrank.results.result import Result

COORDINATES = ("angle", "offset", "position", "orientation")


def coordinates(run: "Result") -> tuple[Label, ...]:
    """Return the labels of the coordinates: the states that are no rates."""
    return tuple(
        label
        for label in run.channels
        if label.name in run.states and label.quantity in COORDINATES
    )


def text(run: "Result") -> str:
    """Return the summary that `print(run)` shows. Nothing is computed for it."""
    lines = [headline(run)]
    moving = [label.name for label in coordinates(run)]
    if moving:
        lines.append(f"  coordinates  {some(moving)}")
    lines.append(f"  names        {len(run.names)}: {some(run.names)}")
    rows = [name for name in run.names if ".multiplier_" in name]
    if rows:
        lines.append(f"  multipliers  {len(rows)}: {some(rows)}")
    if run.events:
        counts = (f"{len(run.events.times(n))} × {n}" for n in run.events.names)
        lines.append(f"  events       {some(counts)}")
    if run.statistics:
        lines.append(f"  statistics   {some(f'{k} {v}' for k, v in _facts(run.statistics))}")
    if run.judged:
        lines.append(f"  audit        {line(run.judged)}")
    return "\n".join(lines)


def headline(run: "Result") -> str:
    """Return one line: of which machine, how many times, from when to when, how it ended."""
    model = run.provenance.get("model")
    whose = f" of {model!r}" if model else ""
    n = len(run.t)
    span = f", {run.t[0]:.6g} to {run.t[-1]:.6g} s" if n else ""
    return f"Result{whose}: {n} {'time' if n == 1 else 'times'}{span}, {run.status}"


def some(names: Iterable[str], most: int = 6) -> str:
    """Return the first names, and how many more there are.

    Examples:
        >>> some("abcdefgh")
        'a, b, c, d, e, f, … (2 more)'
    """
    every = list(names)
    rest = f", … ({len(every) - most} more)" if len(every) > most else ""
    return ", ".join(every[:most]) + rest


def html(run: "Result") -> str:
    """Return the summary that a notebook shows. Nothing is computed for it."""
    rows = "".join(
        f"<tr><td><code>{escape(label.name)}</code></td><td>{escape(label.long_name)}</td>"
        f"<td>{escape(label.unit)}</td><td>{'' if label.size == 1 else label.size}</td></tr>"
        for label in run.channels
    )
    head = "<tr><th>name</th><th>quantity</th><th>unit</th><th>components</th></tr>"
    parts = [
        f"<strong>{escape(headline(run))}</strong>",
        *([f"<div>audit: {escape(line(run.judged))}</div>"] if run.judged else []),
        _folded(f"{len(run.channels)} names", f"<table>{head}{rows}</table>"),
    ]
    if run.events:
        parts.append(_folded(f"{len(run.events)} events", run.events._repr_html_()))
    for title in ("statistics", "provenance"):
        facts = "".join(
            f"<tr><td>{escape(key)}</td><td>{escape(value)}</td></tr>"
            for key, value in _facts(getattr(run, title))
        )
        if facts:
            parts.append(_folded(title, f"<table>{facts}</table>"))
    return f"<div>{''.join(parts)}</div>"


def _folded(title: str, inside: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{inside}</details>"


def _facts(facts: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        (key.replace("_", " "), f"{v:.6g}" if isinstance(v, float) else str(v))
        for key, v in facts.items()
    ]
