"""Figures of poles, frequency responses and root loci."""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

GREY = "0.6"


def _axes(figure: Any, count: int = 1, shared: bool = False) -> tuple[Figure, Any]:
    made = Figure(figsize=(6.4, 4.2 if count == 1 else 5.6), layout="constrained")
    drawn = made if figure is None else figure
    return drawn, drawn.subplots(count, 1, sharex=shared, squeeze=False)[:, 0]


def poles(linear: Any, figure: Any = None) -> Figure:
    """Return a figure of poles in the complex plane."""
    drawn, (axes,) = _axes(figure)
    axes.axhline(0, color=GREY, linewidth=0.8)
    axes.axvline(0, color=GREY, linewidth=0.8)
    axes.plot(linear.poles.real, linear.poles.imag, "x", markersize=8, markeredgewidth=1.8)
    axes.set(xlabel="real part [1/s]", ylabel="imaginary part [rad/s]")
    axes.set_title(f"poles of {linear.at.model.name}")
    return drawn


def bode(response: Any, figure: Any = None) -> Figure:
    """Return a figure of gain and phase over frequency, one line for each output and input."""
    drawn, (gain, phase) = _axes(figure, 2, shared=True)
    w = response["frequency"].values
    for i, output in enumerate(response["output"].values):
        for j, given in enumerate(response["input"].values):
            values = response.values[:, i, j]
            gain.loglog(w, np.abs(values), label=f"{output} by {given}")
            phase.semilogx(w, np.degrees(np.unwrap(np.angle(values))))
    gain.set(ylabel="gain")
    phase.set(xlabel="angular frequency [rad/s]", ylabel="phase [deg]")
    for axes in (gain, phase):
        axes.grid(alpha=0.3)
    gain.legend(fontsize="small")
    return drawn


def locus(values: Any, branches: Any, label: str, figure: Any = None) -> Figure:
    """Return a figure of real parts and frequencies over a parameter, branch by branch."""
    drawn, (real, imaginary) = _axes(figure, 2, shared=True)
    for branch in branches.T:
        (line,) = real.plot(values, branch.real, linewidth=1.4)
        imaginary.plot(values, np.abs(branch.imag), color=line.get_color(), linewidth=1.4)
    real.axhline(0, color=GREY, linewidth=0.8)
    real.set(ylabel="real part [1/s]")
    imaginary.set(xlabel=label, ylabel="frequency [rad/s]")
    for axes in (real, imaginary):
        axes.grid(alpha=0.3)
    return drawn


def campbell(
    values: Any, branches: Any, label: str, met: dict[float, Any], figure: Any = None
) -> Figure:
    """Return a figure of frequencies over a speed, with its multiples and where they meet."""
    drawn, (axes,) = _axes(figure)
    speeds = np.abs(values)
    for branch in branches.T:
        if np.any(branch.imag > 0):
            axes.plot(speeds, np.where(branch.imag > 0, branch.imag, np.nan), linewidth=1.4)
    top = 1.15 * float(np.nanmax(np.abs(branches.imag), initial=1e-9))
    for order, places in met.items():
        axes.plot(speeds, order * speeds, "--", color=GREY, linewidth=1.0)
        end = min(speeds.max(), 0.95 * top / max(order, 1e-300))
        axes.annotate(f"{order:g}×", (end, order * end), color=GREY)
        axes.plot(np.abs(places), order * np.abs(places), "o", color="black", markersize=5)
    axes.set(xlabel=f"{label} [rad/s]", ylabel="frequency [rad/s]")
    axes.set_ylim(0, top)
    axes.grid(alpha=0.3)
    return drawn


def sweep(found: Any, names: Any, figure: Any = None) -> Figure:
    """Return a figure of quantities over a sweep, one panel for each."""
    wanted = names or [n for n in found.names if n.endswith((".angle", ".offset"))]
    drawn, panels = _axes(figure, len(wanted), shared=True)
    for axes, name in zip(panels, wanted, strict=True):
        array = found.plain(name)
        labels = [name] if array.ndim == 1 else [f"{name} {part}" for part in "xyz"]
        for column, label in zip(np.atleast_2d(array.T), labels, strict=False):
            axes.plot(found.values, column, linewidth=1.4, label=label)
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
    panels[-1].set_xlabel(found.name)
    return drawn


def efforts(found: Any, names: Any, figure: Any = None) -> Figure:
    """Return a figure of efforts over time, one panel for each."""
    drawn, panels = _axes(figure, len(names), shared=True)
    for axes, name in zip(panels, names, strict=True):
        axes.plot(found.t, found.plain(name), linewidth=1.4, label=name)
        axes.legend(fontsize="small")
        axes.grid(alpha=0.3)
    panels[-1].set_xlabel("time [s]")
    return drawn
