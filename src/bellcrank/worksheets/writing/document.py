"""A worksheet as sections of paragraphs, equations, tables and a drawing.

The writers (HTML, LaTeX, Markdown) know these few kinds of item and no mechanics.
"""

from dataclasses import dataclass
from typing import TypeAlias

from bellcrank.spatial.formula import Fence, Formula, Numeral, Sign, line, width
from bellcrank.worksheets.writing.layout import TreeLayout

Text: TypeAlias = "str | Formula | tuple[str | Formula, ...]"
"""Words, a formula, or both in turn."""


LONG = 18.0  # em of a left side that stands before an equals sign


@dataclass(frozen=True)
class Paragraph:
    """A few sentences."""

    parts: tuple[str | Formula, ...]


@dataclass(frozen=True)
class Equation:
    """left = right, with a remark behind it where there is one."""

    left: Formula
    right: Formula
    remark: str = ""


@dataclass(frozen=True)
class AlignedEquations:
    """Equations below each other, aligned at the equals sign.

    Attributes:
        rows: The equations.
        boxed: Whether a frame is drawn around them.
    """

    rows: tuple[Equation, ...]
    boxed: bool = False

    @property
    def flowing(self) -> bool:
        """Whether left sides are so long that both sides are set as running lines."""
        return any(width(row.left) > LONG for row in self.rows)


@dataclass(frozen=True)
class TextTable:
    """A table; the first row is its head.

    Attributes:
        head: Titles of the columns.
        rows: Cells.
    """

    head: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True)
class TreeDrawing:
    """The tree of bodies.

    Attributes:
        layout: Where everything stands.
        caption: A sentence below it.
    """

    layout: TreeLayout
    caption: str


Item: TypeAlias = Paragraph | AlignedEquations | TextTable | TreeDrawing


@dataclass(frozen=True)
class Section:
    """A title and what is below it."""

    title: str
    items: tuple[Item, ...]


def say(*parts: str | Formula) -> Paragraph:
    """Return a paragraph."""
    return Paragraph(parts)


def equations(*pairs: tuple[Formula, Formula], boxed: bool = False) -> AlignedEquations:
    """Return equations from pairs of left and right sides."""
    return AlignedEquations(tuple(Equation(left, right) for left, right in pairs), boxed)


def listed(values: "tuple[int, ...]", kind: str = "()") -> Formula:
    """Return whole numbers in brackets, with commas."""
    parts: list[Formula] = []
    for i, value in enumerate(values):
        parts += [Sign(","), Numeral(str(value))] if i else [Numeral(str(value))]
    return Fence(line(*parts), kind)
