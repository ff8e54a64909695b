"""Pages by school: what stands on the worksheet of a formulation."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import singledispatch
from typing import Any

import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.formulations.contract.equations import Equations
from bellcrank.formulations.contract.lettering import PageLetters
from bellcrank.model import Model
from bellcrank.spatial import letters
from bellcrank.spatial.formula import (
    Formula,
    Grid,
    Line,
    Sign,
    Stack,
    Terms,
    line,
    numeral,
    width,
)
from bellcrank.spatial.letters import Letters, written
from bellcrank.worksheets.machine import clean
from bellcrank.worksheets.writing.document import Item, Section, Text, TextTable, say

WIDE = 30.0  # em, from which on a sum in a matrix is set in lines


@dataclass(frozen=True)
class Page:
    """What a school writes of a machine.

    Attributes:
        lead: A sentence below the title.
        sections: All that stands below it.
        blocks: The school's blocks, which have values.
    """

    lead: str
    sections: tuple[Section, ...]
    blocks: Any = None


@singledispatch
def page(formulation: Any, model: Model, values: bool, scalars: bool | None) -> Page:
    """Return the page of a formulation.

    Args:
        formulation: Which.
        model: The machine.
        values: Whether numbers stand for letters.
        scalars: Whether scalar equations are written out; None where they are short.

    Raises:
        NotSupported: The formulation has no page.
    """
    raise NotSupported(
        f"{type(formulation).__name__} has no worksheet; register one with "
        "bellcrank.worksheets.school.page."
    )


def counted(number: int, one: str, many: str = "") -> str:
    """Return `1 body`, `2 bodies` and the like."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def values_of(lettering: PageLetters) -> list[Item]:
    """Return the table of constants behind the letters."""
    rows = tuple(
        (constant.symbol.formula, shown_value(constant.value), constant.meaning)
        for constant in lettering.constants.values()
    )
    if not rows:
        return [say("There are no constants.")]
    return [TextTable(("letter", "value", "meaning"), rows)]


def shown_value(value: Any) -> Text:
    """Return a number, a vector or a matrix as text, or as a matrix of numbers."""
    array = np.asarray(value, dtype=float)
    if array.ndim == 0:
        return f"{float(array):.6g}".replace("-", "−")
    if array.ndim == 1:
        entries = ", ".join(f"{x + 0.0:.6g}" for x in clean(array))
        return f"({entries})".replace("-", "−")
    off = array - np.diag(np.diag(array))
    if np.max(np.abs(off)) <= 1e-14 * np.max(np.abs(array), initial=0.0):
        entries = ", ".join(f"{x:.6g}" for x in np.diag(array))
        return f"diag({entries})"
    return Grid(tuple(tuple(numeral(float(x)) for x in row) for row in clean(array)))


def numbered(lettering: PageLetters, values: bool) -> Any:
    """Return a context in which numbers stand for letters of constants, where wanted."""
    return letters.in_numbers(_Worth(lettering) if values else None)


class _Worth(Mapping[Any, Any]):
    """Values of constants by their keys, also of those that come later."""

    def __init__(self, lettering: PageLetters) -> None:
        self._lettering = lettering

    def __getitem__(self, key: Any) -> Any:
        return self._lettering.constants[key].value

    def __contains__(self, key: object) -> bool:
        return key in self._lettering.constants

    def __iter__(self) -> Iterator[Any]:
        return iter(self._lettering.constants)

    def __len__(self) -> int:
        return len(self._lettering.constants)


def ranked(matrix: np.ndarray) -> int:
    """Return the rank of a matrix of numbers."""
    if not matrix.size:
        return 0
    sizes = np.linalg.svd(np.atleast_2d(matrix), compute_uv=False)  # a column comes flat
    return int(np.sum(sizes > 1e-9 * max(sizes[0], 1e-300)))


def drawing_state(equations: Equations) -> tuple[np.ndarray, np.ndarray]:
    """Return q of the drawing, and u = 0."""
    q = np.array(equations.drawing(equations.parameters), dtype=float)
    return q, np.zeros(len(equations.speeds))


def stacked(*parts: Letters) -> Formula:
    """Return vectors one below the other, long sums in lines of their own."""
    shown = [written(part) for part in parts]
    return Grid(tuple(
        (Stack(one.parts) if isinstance(one, Terms) and width(one) > WIDE else one,)
        for one in shown
    ))  # fmt: skip


def comma(*parts: "Formula | str") -> Formula:
    """Return parts with commas between them."""
    found: list[Formula] = []
    for part in parts:
        found += [Sign(",")] if found else []
        found.append(line(part))
    return Line(tuple(found)) if len(found) > 1 else found[0]
