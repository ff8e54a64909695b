"""The worksheet of a machine: its sections, its blocks, and the files it can be written to."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, get_args

from bellcrank.errors import ModelError, OptionError, UnknownName, did_you_mean
from bellcrank.formulations import Kane
from bellcrank.formulations.contract.equations import AbstractFormulation
from bellcrank.model import Model
from bellcrank.model.elements.fields import short
from bellcrank.replacement import path_of, replace_text
from bellcrank.worksheets.blocks import MatrixBlock, Values
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.school import Page, page
from bellcrank.worksheets.tree import spin_row
from bellcrank.worksheets.writing.document import Section
from bellcrank.worksheets.writing.markdown import markdown
from bellcrank.worksheets.writing.page import html
from bellcrank.worksheets.writing.paper import tex

Numbers = Literal["letters", "values"]
SUFFIXES = (".html", ".tex", ".md", ".pdf")


@dataclass(frozen=True)
class Worksheet:
    """The equations of a machine as a lecturer would hand them out.

    Attributes:
        model: The machine.
        numbers: `"letters"`, or `"values"` where constants are printed as numbers.
        scalars: Whether the scalar equations are written out; None where they are short.
        formulation: The method whose equations they are.
        independent: Names of the independent speeds, of `Kane`; None where pivoting chooses.
    """

    model: Model
    numbers: Numbers = "letters"
    scalars: bool | None = None
    formulation: Any = field(default_factory=Kane)
    independent: tuple[str, ...] | None = None

    @cached_property
    def machine(self) -> NumberedMachine:
        """The numbered bodies and what their letters stand for."""
        return NumberedMachine(self.model)

    @property
    def title(self) -> str:
        """The title of the page."""
        return f"Equations of motion: {self.model.name}"

    @cached_property
    def page(self) -> Page:
        """What stands on it, and the blocks it is made of."""
        from bellcrank.worksheets import pages  # noqa: F401  (needs CasADi)

        own = {} if self.independent is None else {"independent": self.independent}
        values = self.numbers == "values"
        return page(self.formulation, self.model, values, self.scalars, **own)

    @property
    def lead(self) -> str:
        """A sentence below the title."""
        return self.page.lead

    @property
    def sections(self) -> tuple[Section, ...]:
        """All that stands on the page."""
        return self.page.sections

    def block(self, quantity: str, body: str) -> tuple[MatrixBlock, ...]:
        """Return the blocks of a matrix as printed, one per speed vector, ω′ first, then ṡ′.

        Args:
            quantity: `"partial_velocity"`, `"partial_velocity_rate"` or
                `"partial_angular_velocity"`.
            body: The name of a body.
        """
        if body not in self.machine.names:
            raise UnknownName("body", body, self.machine.names)
        k = self.machine.names.index(body) + 1
        of, n = self.machine.kinematics(k), self.machine.count
        found = {
            "partial_velocity": lambda: of.by_turning + of.by_sliding,
            "partial_velocity_rate": lambda: of.by_turning_rate + of.by_sliding_rate,
            "partial_angular_velocity": lambda: spin_row(n, k) + (MatrixBlock(),) * n,
        }
        if quantity not in found:
            raise UnknownName("quantity", quantity, found)
        return found[quantity]()

    def values(self, R: Any, s: Any, w: Any, sd: Any) -> Values:
        """Return a state, for which `MatrixBlock.value` gives numbers.

        Args:
            R: [R_K], inertial to body components, shape (N, 3, 3).
            s: s′_K [m], shape (N, 3).
            w: ω′_K [rad/s], shape (N, 3).
            sd: ṡ′_K [m/s], shape (N, 3).
        """
        return Values(self.machine.constants, R, s, w, sd)

    def html(self) -> str:
        """Return the worksheet as an HTML page that needs no network."""
        return html(self.title, self.lead, self.sections)

    def tex(self) -> str:
        """Return the worksheet as LaTeX: article and amsmath."""
        return tex(self.title, self.lead, self.sections)

    def markdown(self) -> str:
        """Return the worksheet as Markdown with $ and $$ formulas."""
        return markdown(self.title, self.lead, self.sections)

    def _repr_html_(self) -> str:
        from html import escape

        page = escape(self.html(), quote=True)
        return f'<iframe srcdoc="{page}" style="width:100%;height:40rem;border:0"></iframe>'

    def __repr__(self) -> str:
        return f"<Worksheet of {self.model.name!r}: {len(self.sections)} sections>"

    def save(self, path: str | Path) -> None:
        """Write the worksheet to a file; its suffix says how: .html, .tex, .md or .pdf.

        Raises:
            OptionError: The suffix is none of these, or there is no such folder.
            FileError: It cannot be written; what was there before still is.
            NotSupported: A PDF is wanted where there is neither LaTeX nor Chromium.
        """
        file = checked_path(path)
        if file.suffix == ".pdf":
            from bellcrank.worksheets.writing.pdf import write_pdf

            write_pdf(file, self.tex, self.html)
            return
        write = {".html": self.html, ".tex": self.tex, ".md": self.markdown}[file.suffix]
        replace_text(file, write())


def checked_path(path: str | Path) -> Path:
    """Return a path that a worksheet can be written to.

    Raises:
        OptionError: The suffix is not known, or there is no such folder.
    """
    file = path_of(path)
    if file.suffix not in SUFFIXES:
        listed = ", ".join(SUFFIXES[:-1])
        raise OptionError(
            f"a worksheet is written as {listed} or {SUFFIXES[-1]}, got {file.name!r}."
        )
    if not file.parent.is_dir():
        raise OptionError(f"no folder {str(file.parent)!r} to write {file.name} into.")
    return file


def _independent(names: Any, formulation: Any) -> tuple[str, ...] | None:
    """Return names of speeds, checked."""
    if names is None:
        return None
    if not isinstance(formulation, Kane):
        raise OptionError(
            "derive: independent chooses among the speeds of Kane(); the formulation is "
            f"{short(formulation)}."
        )
    listed = isinstance(names, Sequence) and not isinstance(names, str | bytes)
    if not listed or not all(isinstance(name, str) for name in names):
        raise OptionError(f"derive: independent takes names of speeds, got {short(names)}.")
    return tuple(names)


def derive(
    model: Model,
    numbers: Numbers = "letters",
    to: str | Path | None = None,
    scalars: bool | None = None,
    *,
    formulation: Any = None,
    independent: Sequence[str] | None = None,
) -> Worksheet:
    """Return the worksheet of a machine: its equations in block form, by any method.

    Args:
        model: The machine.
        numbers: `"letters"` for r′₁, m₂ and the like, with a table of their values;
            `"values"` for numbers in their place.
        to: A file to write: .html, .tex, .md or .pdf.
        scalars: Whether to write out the scalar equations in joint coordinates, by SymPy. None
            for small machines only, and a line on the page where SymPy is missing.
        formulation: The method: `Kane()` if not given, `JointCoordinates()`, `Cartesian()`,
            `Natural()` or `Momentum()`, with their own choices.
        independent: Of `Kane()`: names of the speeds to which a machine with joints is
            reduced, one for each degree of freedom. If not given, by pivoting in the drawing.

    Returns:
        The worksheet; it shows itself in a notebook.

    Raises:
        ModelError: It is no model, or it has no bodies.
        OptionError: `numbers`, the formulation or the name of the file is none of those above,
            or `independent` does not determine the other speeds.
        MissingExtra: `scalars=True` without SymPy.

    Examples:
        >>> from bellcrank import examples
        >>> sheet = derive(examples.load("six-bodies"))
        >>> sheet.block("partial_velocity", "body6")[0].terms[0].sign
        -1
    """
    if not isinstance(model, Model):
        raise ModelError(f"a worksheet is of a Model, got {short(model)}.")
    if not model.bodies:
        raise ModelError(f"model {model.name!r} has no bodies to write equations for.")
    choices = get_args(Numbers)
    if not isinstance(numbers, str) or numbers not in choices:
        hint = did_you_mean(numbers, choices) if isinstance(numbers, str) else ""
        raise OptionError(f"numbers is 'letters' or 'values', got {short(numbers)}.{hint}")
    if scalars is not None and not isinstance(scalars, bool):
        raise OptionError(f"scalars takes True, False or None, got {short(scalars)}.")
    if to is not None:
        checked_path(to)
    if formulation is None:
        formulation = Kane()
    if isinstance(formulation, type) or not isinstance(formulation, AbstractFormulation):
        raise OptionError(
            "derive: formulation takes one of Kane(), JointCoordinates(), Cartesian(), "
            f"Natural() and Momentum(), got {short(formulation)}."
        )
    chosen = _independent(independent, formulation)
    sheet = Worksheet(model, numbers, scalars, formulation, chosen)
    if to is not None:
        sheet.save(to)
    else:
        _ = sheet.page  # complaints now, not when it is printed
    return sheet
