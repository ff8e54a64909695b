"""Plots in a panel of a viser server, with a line at the present time."""

from typing import Any

import numpy as np

from bellcrank.results import Result
from bellcrank.views.motion import kept
from bellcrank.views.panels import Panel, panels

INKS = ("#2b87d1", "#e8731a", "#17a37a", "#cf5f9d", "#6fb6e6", "#d19a1c", "#8a63d2", "#8b95a5")
GREY, NOW = "#8a94a6", "#e0245e"
POINTS = 500  # of a curve
CURVES = len(INKS)


class Plot:
    """One chart, with a choice of what it shows.

    Args:
        server: A viser server, inside the container that the chart belongs to.
        run: What is shown at first.
        offered: Panels to choose from.
        first: Number of the one shown at first.
        height: [pixels].
    """

    def __init__(
        self, server: Any, run: Result, offered: tuple[Panel, ...], first: int, height: int
    ) -> None:
        self.server, self.run, self.height = server, run, height
        self.offered = {panel.title: panel for panel in offered}
        titles = tuple(self.offered)
        self.panel = self.offered[titles[first]]
        self.choice = server.gui.add_dropdown("plot", titles, initial_value=self.panel.title)
        self.chart: Any = None
        self._t = float(run.t[0])
        self._make()

        @self.choice.on_update
        def _(_: Any) -> None:
            self.panel = self.offered[self.choice.value]
            self._make()

    def _columns(self) -> tuple[np.ndarray, ...]:
        rows = kept(len(self.run.t), POINTS)
        curves = [c.values(self.run)[rows] for c in self.panel.curves[:CURVES]]
        return np.asarray(self.run.t)[rows], *curves

    def _make(self) -> None:
        """Put a chart for the chosen panel in the place of the one there."""
        self._data = self._columns()
        bare = {"points": {"show": False}}
        series: list[Any] = [{"label": "t"}] + [
            {"label": curve.label, "stroke": ink, "width": 1.6} | bare
            for curve, ink in zip(self.panel.curves, INKS, strict=False)
        ]
        series.append({"label": "now", "scale": "now"} | {"stroke": NOW, "width": 1.2, **bare})
        grid = {"stroke": "#8a94a633", "width": 1}
        axis = {"stroke": GREY, "grid": grid, "ticks": {"show": False}}
        before = self.chart
        order = self.choice.order + 0.5
        made = self.server.gui.add_uplot(
            (*self._data, self._now(self._t)),
            tuple(series),
            scales={"x": {"time": False}, "y": {}, "now": {"auto": False, "range": (0.0, 1.0)}},
            axes=(
                axis | {"label": self.panel.xlabel, "labelSize": 18, "size": 26},
                axis | {"label": self.panel.title, "labelSize": 18, "size": 52},
            ),
            legend={"show": True, "live": False},
            height=self.height,
            order=order,
        )
        self.chart = made
        if before is not None:
            before.remove()

    def replace(self, run: Result) -> None:
        """Show another run."""
        self.run = run
        self._data = self._columns()
        self.mark(self._t)

    def mark(self, t: float) -> None:
        """Draw the line at the present time [s]."""
        self._t = t
        self.chart.data = (*self._data, self._now(t))

    def _now(self, t: float) -> np.ndarray:
        """Return a column that is 0 but for the present time, where it is 1: a line upwards."""
        x = self._data[0]
        column = np.zeros(len(x))
        column[int(np.clip(np.searchsorted(x, t), 0, len(x) - 1))] = 1.0
        return column


def charts(run: Result) -> tuple[Panel, ...]:
    """Return what a live view offers: all over time; reactions, which cost most, last."""
    found = [panel for panel in panels(run, drop_zero=False) if not panel.x]
    return tuple(sorted(found, key=lambda panel: panel.title.startswith("reaction")))
