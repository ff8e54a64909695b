"""Tables for people: on the terminal by Rich, in a file as Markdown, from the same cells."""

from dataclasses import dataclass, field
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as RichTable
from rich.text import Text


@dataclass(frozen=True)
class Demand:
    """A number that must be reached.

    Attributes:
        what: In words.
        found: What was measured.
        wanted: What it must be.
        at_least: Whether more is better.
        form: How to print both.
    """

    what: str
    found: float
    wanted: float
    at_least: bool = True
    form: str = "{:.2f}"

    @property
    def met(self) -> bool:
        """Whether it is reached."""
        return self.found >= self.wanted if self.at_least else self.found <= self.wanted

    def cells(self) -> list[str]:
        """Return the row of the table of demands."""
        sign = "≥" if self.at_least else "≤"
        found, wanted = self.form.format(self.found), self.form.format(self.wanted)
        return [self.what, found, f"{sign} {wanted}", "yes" if self.met else "NO"]


@dataclass
class Table:
    """Rows of text under a title, with the numbers they came from.

    Attributes:
        title: What it shows.
        columns: Headings.
        rows: Cells.
        note: What a reader must know to trust it.
        demands: The numbers among these that must be reached.
        data: Everything, for the JSON file.
    """

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)
    note: str = ""
    demands: list[Demand] = field(default_factory=list)
    data: Any = None

    def show(self, console: Console) -> None:
        """Print it."""
        # Plain text: Rich would take the unit [s] for a mark of its own.
        table = RichTable(title=Text(self.title), box=box.SIMPLE_HEAD, title_justify="left")
        for number, column in enumerate(self.columns):
            table.add_column(Text(column), justify="right" if number else "left")
        for row in self.rows:
            table.add_row(*map(Text, row))
        console.print(table)
        if self.note:
            console.print(Text(f"{self.note}\n", style="dim"))

    def markdown(self) -> str:
        """Return it as Markdown, without its title."""
        rule = ["---", *["---:"] * (len(self.columns) - 1)]
        lines = [self.columns, rule, *self.rows]
        body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return f"{body}\n" + (f"\n{self.note}\n" if self.note else "")


def demands_table(tables: list[Table]) -> Table:
    """Return one table of all demands."""
    demands = [demand for table in tables for demand in table.demands]
    met = sum(demand.met for demand in demands)
    return Table(
        f"Demands: {met} of {len(demands)} met",
        ["what", "found", "wanted", "met"],
        [demand.cells() for demand in demands],
        demands=demands,
    )


def micro(seconds: float | None) -> str:
    """Return a time in microseconds.

    Examples:
        >>> micro(1.5e-6)
        '1.50'
    """
    return (
        ""
        if seconds is None
        else f"{seconds * 1e6:.3g}"
        if seconds < 1e-6
        else f"{seconds * 1e6:.2f}"
    )


def milli(seconds: float | None) -> str:
    """Return a time in milliseconds."""
    return "" if seconds is None else f"{seconds * 1e3:.3g}"
