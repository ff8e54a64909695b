"""Figures of results, ready for a paper: units on the axes, colours everybody can tell apart.

Figures are made without pyplot, so nothing global changes and no window opens. They show
themselves in notebooks; `.savefig("motion.pdf")` writes them.
"""

import io
import reprlib
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from bellcrank.errors import OptionError
from bellcrank.results.labels import COMPONENTS, Label, bracketed
from bellcrank.results.summary import coordinates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from bellcrank.results.result import Result

# Okabe and Ito's colours for the colour-blind, darkest contrasts first, without the yellow.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
ENERGIES = ("kinetic_energy", "potential_energy", "energy")
LARGEST_SIZE = 1000.0  # inch
UNIT_WORDS = {
    "rad": "angle", "rad/s": "angular velocity", "rad/s²": "angular acceleration",
    "m": "position", "m/s": "velocity", "m/s²": "acceleration",
    "N": "force", "N m": "torque", "J": "energy", "W": "power",
}  # fmt: skip
STYLE: Any = {
    "font.size": 9,
    "axes.labelsize": 9,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8,
    "legend.fontsize": 8,
    "legend.title_fontsize": 8,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.7,
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.xmargin": 0.0,
    "axes.ymargin": 0.07,
    "axes.formatter.useoffset": True,
    "axes.formatter.limits": (-4, 5),
    "axes.formatter.use_mathtext": True,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.5,
    "lines.linewidth": 1.3,
    "lines.solid_capstyle": "round",
    "xtick.major.width": 0.7,
    "ytick.major.width": 0.7,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,
    "svg.fonttype": "none",
}


class Curve(NamedTuple):
    """One line of a panel."""

    label: Label
    component: int | None
    values: np.ndarray

    @property
    def name(self) -> str:
        """Full name, with the suffix of the component."""
        return (
            self.label.name if self.component is None else self.label.components[self.component]
        )


class Picture(Figure):
    """A Matplotlib figure that shows itself in notebooks without pyplot."""

    def _repr_png_(self) -> bytes:
        out = io.BytesIO()
        self.savefig(out, format="png", dpi=150)
        return out.getvalue()


def plot(run: "Result", names: Sequence[str], figure: Any, size: Any) -> Figure:
    """Return a figure of quantities over time, one panel for each unit (see `Result.plot`)."""
    chosen = run.select(*names) if names else default_names(run)
    if not chosen:
        raise OptionError("there is nothing to plot: the result has no names.")
    panels: dict[str, list[Curve]] = {}
    for name in chosen:
        for curve in _curves(run, name):
            unit = curve.label.unit
            panels.setdefault(
                unit if unit not in ("", "1") else curve.label.quantity, []
            ).append(curve)
    with mpl.rc_context(STYLE):
        drawn = _figure(figure, size, (6.4, 0.8 + 1.75 * len(panels)))
        axes = drawn.subplots(len(panels), 1, sharex=True, squeeze=False)[:, 0]
        for ax, curves in zip(axes, panels.values(), strict=True):
            _panel(ax, run.t, curves)
        _mark_events(list(axes), run)
        axes[-1].set_xlabel("time [s]")
        if len(axes) > 1:
            drawn.align_ylabels(axes)
    return drawn


def _figure(figure: Any, size: Any, usual: tuple[float, float]) -> Any:
    """Return what to draw on: what is given, or a new figure.

    Raises:
        OptionError: It is no figure, or its size no width and height.
    """
    if figure is not None:
        if not hasattr(figure, "subplots"):
            raise OptionError(f"figure takes one of Matplotlib, got {reprlib.repr(figure)}.")
        return figure
    try:
        wide, high = map(float, usual if size is None else size)
        if not (0 < wide < LARGEST_SIZE and 0 < high < LARGEST_SIZE):
            raise ValueError
    except (TypeError, ValueError, OverflowError):
        raise OptionError(
            f"size takes width and height [inch], got {reprlib.repr(size)}."
        ) from None
    return Picture(figsize=(wide, high), layout="constrained")


def phase(run: "Result", x: str, y: str, figure: Any, size: Any) -> Figure:
    """Return a figure of one quantity over another (see `Result.phase`)."""
    (across, *more), (up, *others) = _curves(run, x), _curves(run, y)
    for curve, rest in ((across, more), (up, others)):
        if rest:
            raise OptionError(
                f"a phase portrait takes single numbers, and {curve.label.name!r} has "
                f"{curve.label.size}; name one of {', '.join(curve.label.components)}."
            )
    with mpl.rc_context(STYLE | {"axes.xmargin": 0.05}):
        drawn = _figure(figure, size, (4.2, 3.6))
        ax = drawn.subplots()
        (line,) = ax.plot(across.values, up.values, color=PALETTE[0])
        for index, face in ((0, "white"), (-1, line.get_color())):
            ax.plot(
                across.values[index], up.values[index], "o", ms=5, mew=1.2, mfc=face,
                mec=line.get_color(), label="start" if index == 0 else "end", zorder=3,
            )  # fmt: skip
        ax.set_xlabel(bracketed(_long_name(across), across.label.unit))
        ax.set_ylabel(bracketed(_long_name(up), up.label.unit))
        if across.label.unit == up.label.unit == "m":
            ax.set_aspect("equal", adjustable="datalim")
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, borderaxespad=0.2)
    return drawn


def default_names(run: "Result") -> tuple[str, ...]:
    """Return what is plotted when nothing is named: coordinates and energies."""
    chosen = [label.name for label in coordinates(run)]
    chosen += [name for name in ENERGIES if name in run.names]
    return tuple(chosen) or run.names[:6]


def _curves(run: "Result", name: str) -> list[Curve]:
    label, index = run.find(name)
    values = run.values(name)
    if values.ndim == 1:
        return [Curve(label, index, values)]
    return [Curve(label, k, values[:, k]) for k in range(label.size)]


def _panel(ax: "Axes", t: np.ndarray, curves: list[Curve]) -> None:
    many = len(curves) > len(PALETTE)
    shades = mpl.colormaps["viridis"](np.linspace(0, 0.9, len(curves)))
    marker = {"marker": "o", "ms": 3} if len(t) < 20 else {}
    for k, curve in enumerate(curves):
        color = shades[k] if many else PALETTE[k]
        style = "-" if many else _line_style(k, curves)
        ax.plot(t, curve.values, color=color, ls=style, label=_legend(curve, curves), **marker)
    ax.set_ylabel("\n".join(textwrap.wrap(_quantity(curves), 24)))
    _widen(ax, curves)
    if len(curves) > 1:
        handles, texts = ax.get_legend_handles_labels()
        shown = _spread(len(handles), 9)
        ax.legend(
            [handles[k] for k in shown], [texts[k] for k in shown],
            loc="upper left", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2,
            title=f"{len(shown)} of {len(curves)}" if len(shown) < len(curves) else None,
            alignment="left",
        )  # fmt: skip


def _line_style(k: int, curves: list[Curve]) -> Any:
    """Return solid, or dashes through which an earlier line shows that lies underneath."""
    finite = np.concatenate([c.values[np.isfinite(c.values)] for c in curves])
    near = 0.004 * np.ptp(finite) if finite.size else 0.0
    below = sum(np.all(np.abs(c.values - curves[k].values) <= near) for c in curves[:k])
    return "-" if not below else (0, (6 / below, 5))


def _legend(curve: Curve, curves: list[Curve]) -> str:
    """Return the text of one line: only what the axis label does not say already."""
    if curve.component is not None and all(c.label == curve.label for c in curves):
        return COMPONENTS[curve.label.size][curve.component]
    return curve.name if curve.label.owned else _long_name(curve)


def _quantity(curves: list[Curve]) -> str:
    first = curves[0].label
    if all(curve.label == first for curve in curves):
        words = _long_name(curves[0]) if len(curves) == 1 else first.long_name
        words = words.replace(" (Euler parameters)", "")
    elif all(curve.label.words == first.words for curve in curves):
        words = first.words
    else:
        words = UNIT_WORDS.get(first.unit, first.words)
    return bracketed(words, first.unit)


def _long_name(curve: Curve) -> str:
    if curve.component is None:
        return curve.label.long_name
    return f"{curve.label.long_name}, {COMPONENTS[curve.label.size][curve.component]}"


def _widen(ax: "Axes", curves: list[Curve]) -> None:
    """Show what is constant up to rounding as a level line, not as noise."""
    values = np.concatenate([curve.values[np.isfinite(curve.values)] for curve in curves])
    if values.size and np.ptp(values) <= 1e-12 * np.abs(values).max():
        half = 0.1 * abs(values[0]) or 1.0
        ax.set_ylim(values[0] - half, values[0] + half)


def _spread(count: int, most: int) -> list[int]:
    """Return at most so many indices, the first and the last among them."""
    return sorted(set(np.linspace(0, count - 1, min(count, most)).round().astype(int).tolist()))


def _mark_events(axes: Sequence["Axes"], run: "Result") -> None:
    if not 0 < len(run.events) <= 60:
        return
    for ax in axes:
        for one in run.events:
            ax.axvline(one.time, color="#808080", lw=0.7, ls=(0, (4, 3)), zorder=0.5)
    if len(run.events) <= 10:
        for one in run.events:
            axes[0].annotate(
                one.name, (one.time, 1), (0, 2), xycoords=("data", "axes fraction"),
                textcoords="offset points", ha="center", va="bottom", fontsize=7,
                color="#606060",
            )  # fmt: skip
