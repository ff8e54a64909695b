"""A verification to look at: a table in the terminal, a page with plots."""

import io
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

Data = Mapping[str, Any]
"""What `Verification.to_dict` gives."""

FAMILIES = ("place", "velocity", "acceleration", "energy", "force")
LAWS = (
    "power balance",
    "energy balance",
    "virtual power",
    "energy",
    "momentum",
    "residual",
    "order",
)


def text(data: Data) -> str:
    """Return a verification as plain text, as wide as it needs to be."""
    from rich.console import Console

    console = Console(file=io.StringIO(), width=118, no_color=True, highlight=False)
    for part in tables(data):
        console.print(part)
    return console.file.getvalue().rstrip()  # type: ignore[attr-defined]


def tables(data: Data) -> "list[RenderableType]":
    """Return a verification as Rich tables with the verdict last."""
    from rich.table import Table
    from rich.text import Text

    found: list[RenderableType] = []
    for title, head, rows in _grids(data):
        table = Table(box=None, pad_edge=False)
        for i, name in enumerate(head):
            # Heads of two words take two lines, so that names have room on a narrow terminal.
            table.add_column(
                name.replace(" ", "\n") if i else name,
                justify="right" if i else "left",
                no_wrap=i > 0,
                overflow="fold",
                min_width=0 if i else 16,
            )
        for cells in rows:
            table.add_row(*(Text(cell, style=_STYLES[style]) for cell, style in cells))
        found += [Text(title, style="bold"), table, Text()]
    found += [Text(line) for line in remarks(data)]
    style = "bold green" if data["agrees"] else "bold red"
    return [*found, Text(data["verdict"], style=style)]


_STYLES = {"": "", "bad": "bold red", "dim": "dim"}
Cell = tuple[str, str]
Grid = tuple[str, tuple[str, ...], list[list[Cell]]]


def _grids(data: Data) -> list[Grid]:
    """Return the three tables as titles, heads and cells with their style."""
    names = data["formulations"]
    states = f"{len(data['times'])} states, condition up to {data['condition']:.1e}"
    return [
        (
            f"Largest difference to any other formulation ({states})",
            ("formulation", *_families(data)),
            [[(name, ""), *_differences(data, name)] for name in names],
        ),
        (
            "Laws of mechanics",
            ("formulation", *LAWS),
            [[(name, ""), *_laws(data["audits"].get(name, ()))] for name in names],
        ),
        (
            "Cost",
            ("formulation", "q", "u", "rows", "operations", "compile", "evaluation", "per s"),
            [[(name, ""), *_costs(data["costs"].get(name))] for name in names],
        ),
    ]


def _families(data: Data) -> tuple[str, ...]:
    """Return the families that are shown; that of variables where there are some."""
    there = any(each["family"] == "variable" for each in data["differences"])
    return (*FAMILIES, "variable") if there else FAMILIES


def _differences(data: Data, name: str) -> Iterable[Cell]:
    for family in _families(data):
        values = [
            d["value"]
            for d in data["differences"]
            if d["family"] == family and name in (d["first"], d["second"])
        ]
        if not values:
            yield "–", "dim"
            continue
        bad = not max(values) <= data["tolerance"] and name in data["strangers"]
        yield f"{max(values):.1e}", "bad" if bad else ""


def _laws(audits: Sequence[Mapping[str, Any]]) -> Iterable[Cell]:
    for law in LAWS:
        found = [
            audit for audit in audits if audit["law"] == law and audit["value"] is not None
        ]
        if not found:
            yield "–", "dim"
            continue
        worst = (min if law == "order" else max)(audit["value"] for audit in found)
        good = all(audit["passes"] for audit in found)
        yield (f"{worst:.2f}" if law == "order" else f"{worst:.1e}"), "" if good else "bad"


def _costs(cost: Mapping[str, Any] | None) -> Iterable[Cell]:
    if cost is None:
        return
    for key in ("coordinates", "speeds", "rows"):
        yield str(cost[key]), ""
    if not cost["evaluations"]:
        yield from [("–", "dim")] * 4
        return
    yield f"{cost['operations']:,}", ""
    yield _time(cost["compile_time"]), ""
    yield _time(cost["evaluation_time"]), ""
    yield _time(cost["simulated_second"]), ""


def _time(seconds: float) -> str:
    for size, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds * 1e9:.0f} ns"


def remarks(data: Data) -> list[str]:
    """Return what is to be known besides the tables, a line each."""
    found = []
    if data["aside"]:
        found.append(
            f"{data['aside']} states were set aside: too near a singular position (σ < 1e-6)."
        )
    found += [f"{name} does not take it: {why}" for name, why in data["refused"].items()]
    return [*found, ""] if found else []


def page(data: Data) -> str:
    """Return a verification as one HTML page that needs nothing else."""
    parts = [f"<h1>{escape(data['model'])}</h1>"]
    parts.append(
        f"<p class='{'good' if data['agrees'] else 'bad'} verdict'>"
        f"{escape(data['verdict']).replace(chr(10), '<br>')}</p>"
    )
    for title, head, rows in _grids(data):
        cells = "".join(f"<th>{escape(name)}</th>" for name in head)
        body = "".join(
            "<tr>" + "".join(f"<td class='{s}'>{escape(c)}</td>" for c, s in row) + "</tr>"
            for row in rows
        )
        parts.append(f"<h2>{escape(title)}</h2><table><tr>{cells}</tr>{body}</table>")
    parts += [f"<p>{escape(line)}</p>" for line in remarks(data) if line]
    if data["differences"]:
        parts.append(f"<h2>Differences over time</h2>{plots(data)}")
    return _PAGE.format(title=escape(data["model"]), body="\n".join(parts))


def plots(data: Data) -> str:
    """Return the largest difference of each formulation over time, as SVG."""
    from matplotlib.figure import Figure

    shown = _families(data)
    figure = Figure(figsize=(9.5, 2.4 * len(shown)), layout="constrained")
    axes = figure.subplots(len(shown), 1, sharex=True)
    for axis, family in zip(axes, shown, strict=True):
        for name in data["formulations"]:
            rows = [
                d["over_time"]
                for d in data["differences"]
                if d["family"] == family and name in (d["first"], d["second"])
            ]
            if rows:
                # The nearest other formulation: who is alone stands out.
                values = [max(min(column), 1e-17) for column in zip(*rows, strict=True)]
                axis.semilogy(data["times"], values, label=name, linewidth=1.2)
        axis.axhline(data["tolerance"], color="0.5", linestyle=":", linewidth=1)
        axis.set_ylabel(family)
        axis.grid(alpha=0.25)
    axes[0].legend(
        fontsize=7, ncols=2, loc="upper left", bbox_to_anchor=(0, 1.6), frameon=False
    )
    axes[-1].set_xlabel("time [s]")
    out = io.StringIO()
    figure.savefig(out, format="svg", metadata={"Date": None})
    svg = out.getvalue()
    before, _, rest = svg[svg.index("<svg") :].partition("<metadata>")
    return before + rest.partition("</metadata>")[2]


_PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><title>{title}: verification</title>
<style>
:root {{ color-scheme: light; }}
body {{ font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto;
  padding: 0 1rem; color: #1b1f24; background: #fff; }}
h1 {{ font-size: 1.7rem; margin-bottom: .3rem; }} h2 {{ font-size: 1.1rem; margin-top: 2rem; }}
table {{ border-collapse: collapse; font-variant-numeric: tabular-nums; }}
th, td {{ text-align: right; padding: .25rem .8rem; border-bottom: 1px solid #e3e6ea; }}
th:first-child, td:first-child {{ text-align: left; font-family: ui-monospace, monospace; }}
th {{ font-weight: 600; color: #57606a; }}
.bad {{ color: #b42318; font-weight: 600; }} .dim {{ color: #98a2b3; }}
.verdict {{ padding: .7rem 1rem; border-radius: .5rem; background: #fef3f2; }}
.verdict.good {{ background: #ecfdf3; color: #05603a; }}
svg {{ max-width: 100%; height: auto; }}
</style>
<body>
{body}
</body></html>
"""
