"""Which curves stand together beside a scene: by unit, with names and words.

A panel is chosen for what people look at first: coordinates, energies, reactions, then rates,
forces, points, the constraint residual, and a phase portrait of every coordinate.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from bellcrank.results import Result
from bellcrank.results.labels import bracketed
from bellcrank.results.summary import coordinates

ENERGIES = ("kinetic_energy", "potential_energy", "energy")


class PanelCurve(NamedTuple):
    """One line of a panel.

    Attributes:
        name: Of what is drawn: `A.angle`, or `|A.reaction_force|` for the length of a vector.
        label: In the legend.
    """

    name: str
    label: str

    def values(self, run: Result) -> np.ndarray:
        """Return what is drawn, shape (n,)."""
        if self.name.startswith("|"):
            return np.linalg.norm(run.values(self.name.strip("|")), axis=1)
        return run.values(self.name)


class Panel(NamedTuple):
    """Curves that stand together.

    Attributes:
        title: Words and unit.
        curves: What is drawn.
        x: Name of the quantity to the right, or nothing for time.
        xlabel: Its words and unit.
    """

    title: str
    curves: tuple[PanelCurve, ...]
    x: str = ""
    xlabel: str = "time [s]"


def panels(run: Result, *, drop_zero: bool = True) -> tuple[Panel, ...]:
    """Return the panels of a result; those that are looked at first come first.

    Args:
        run: The result.
        drop_zero: Whether reactions that are zero throughout are left out, for which all
            reactions have to be computed.
    """
    moving = [label for label in coordinates(run) if label.size == 1]
    first = [*_by_words(run, [label.name for label in moving])]
    if not first:
        first = [*_by_words(run, [label.name for label in coordinates(run)])]
    energies = [PanelCurve(n, n.replace("_energy", "")) for n in ENERGIES if n in run]
    rest = [
        *_panel("energy [J]", [c._replace(label={"energy": "total"}.get(c.label, c.label))
                               for c in energies]),
        *_reactions(run, drop_zero),
        *_by_words(run, [f"{c.name}_rate" for c in moving if f"{c.name}_rate" in run]),
        *_acting(run),
        *_points(run),
        *_panel("constraint residual", [
            PanelCurve(n, n.removeprefix("constraint_").replace("_", " "))
            for n in ("constraint_residual", "constraint_rate_residual")
            if n in run and np.any(run.values(n))
        ]),
    ]  # fmt: skip
    return (*first[:1], *rest[:2], *first[1:], *rest[2:], *_phases(run, moving))


def _panel(title: str, curves: list[PanelCurve]) -> Iterator[Panel]:
    if curves:
        yield Panel(title, tuple(curves))


def _by_words(run: Result, names: list[str]) -> Iterator[Panel]:
    """Yield a panel for each quantity among scalars and vectors by component."""
    groups: dict[str, list[PanelCurve]] = {}
    for name in names:
        label, _ = run.find(name)
        title = bracketed(label.quantity.replace("_", " "), label.unit)
        groups.setdefault(title, []).extend(PanelCurve(part, part) for part in label.components)
    for title, curves in groups.items():
        ends = {curve.name.rpartition(".")[2] for curve in curves}
        if len(ends) == 1:  # what the title says is not said again
            curves = [PanelCurve(name, name.rpartition(".")[0]) for name, _ in curves]
        yield Panel(title, tuple(curves))


def _reactions(run: Result, drop_zero: bool) -> Iterator[Panel]:
    for what, unit in (("force", "N"), ("torque", "N m")):
        found = [c for c in run.channels if c.name.endswith(f".reaction_{what}")]
        curves = [
            PanelCurve(f"|{c.name}|", c.owner)
            for c in found
            if not drop_zero or np.abs(run.values(c.name)).max(initial=0.0) > 1e-9
        ]
        yield from _panel(f"reaction {what} [{unit}]", curves)


def _acting(run: Result) -> Iterator[Panel]:
    groups: dict[str, list[PanelCurve]] = {}
    for c in run.channels:
        what = c.name.rpartition(".")[2]
        known = what in ("force", "torque", "length") or what.startswith("effort")
        if c.owner and c.size == 1 and known:
            title = bracketed(f"{what} of elements", c.unit)
            groups.setdefault(title, []).append(PanelCurve(c.name, c.name))
    for title, curves in groups.items():
        yield Panel(title, tuple(curves))


def _points(run: Result) -> Iterator[Panel]:
    """Yield where named points are, which are neither bodies nor joints."""
    owners = {c.owner for c in run.channels if c.name.endswith(".orientation")}
    owners |= {c.owner for c in run.channels if c.name.endswith(".reaction_force")}
    for c in run.channels:
        if c.name.endswith(".position") and c.owner not in owners:
            curves = tuple(PanelCurve(part, part[-1]) for part in c.components)
            yield Panel(f"position of {c.owner} [m]", curves)


def _phases(run: Result, moving: list) -> Iterator[Panel]:
    for label in moving[:12]:
        rate = f"{label.name}_rate"
        if rate in run:
            across = bracketed(label.name, label.unit)
            up = bracketed(rate, run.find(rate)[0].unit)
            yield Panel(f"{up} over {across}", (PanelCurve(rate, rate),), label.name, across)
