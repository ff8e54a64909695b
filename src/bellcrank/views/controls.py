"""What can be turned in a viewer, and how far: sliders for parameters and start values."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from bellcrank.model.elements.near import Near
from bellcrank.results import Result

Rerun = Callable[[Mapping[str, float], Mapping[str, Any]], Result]
"""`rerun(parameters, start) -> Result`: runs the machine again."""

MOST = 24  # sliders of one group


@dataclass(frozen=True)
class Slider:
    """A number that can be turned.

    Attributes:
        name: Of the parameter, or of the coordinate or rate.
        value: At first.
        low: Least value.
        high: Greatest value.
        unit: SI unit, if known.
        component: Of a vector; None for a number.
    """

    name: str
    value: float
    low: float
    high: float
    unit: str = ""
    component: int | None = None

    @property
    def label(self) -> str:
        """Name, component and unit."""
        part = "" if self.component is None else f"_{'xyz'[self.component]}"
        return f"{self.name}{part}" + (f" [{self.unit}]" if self.unit else "")

    @property
    def step(self) -> float:
        """A five-hundredth of the range, rounded to one digit."""
        return float(f"{(self.high - self.low) / 500:.0e}")


@dataclass(frozen=True)
class Controls:
    """What a viewer may ask for.

    Attributes:
        choose: Returns `rerun` for a formulation and an integrator by their names.
        parameters: Sliders of parameters.
        start: Sliders of start values.
        held: Start values that were given, by name, and stay unless turned.
        loops: Whether coordinates depend on each other, so that not all can be held when one
            of them is turned.
        formulations: Names to choose from; the first is chosen.
        integrators: Names to choose from; the first is chosen.
    """

    choose: Callable[[str, str], Rerun]
    parameters: tuple[Slider, ...] = ()
    start: tuple[Slider, ...] = ()
    held: Mapping[str, Any] = field(default_factory=dict)
    loops: bool = False
    formulations: tuple[str, ...] = ()
    integrators: tuple[str, ...] = ()


@dataclass(frozen=True)
class ViewRequest:
    """What was asked for.

    Attributes:
        parameters: Values by name.
        start: Start values by name.
        formulation: Its name.
        integrator: Its name.
    """

    parameters: Mapping[str, float]
    start: Mapping[str, Any]
    formulation: str
    integrator: str


def parameter_slider(name: str, value: float) -> Slider:
    """Return the slider of a parameter: from a fifth to twice its value.

    Examples:
        >>> parameter_slider("m", 2.0)
        Slider(name='m', value=2.0, low=0.4, high=4.0, unit='', component=None)
        >>> parameter_slider("x", 0.0).low
        -1.0
    """
    low, high = sorted((0.2 * value, 2.0 * value)) if value else (-1.0, 1.0)
    return Slider(name, value, float(f"{low:.4g}"), float(f"{high:.4g}"))


def start_sliders(run: Result, name: str, size: float) -> list[Slider]:
    """Return the sliders of a coordinate or rate, around where a run began.

    Args:
        run: The result whose start is shown.
        name: Of a state.
        size: Of the machine [m].
    """
    label, _ = run.find(name)
    if label.quantity == "orientation":
        return []
    reach = {"angle": np.pi, "offset": size, "position": size}.get(label.quantity)
    values = np.atleast_1d(run.values(name)[0])
    found = []
    for k, value in enumerate(float(f"{v:.9g}") for v in values):
        half = reach or max(10.0 if label.unit == "rad/s" else 2.0 * size, 2 * abs(value))
        half = float(f"{half:.3g}")
        low, high = min(-half, value), max(half, value)
        part = k if label.size > 1 else None
        found.append(Slider(name, value, low, high, label.unit, part))
    return found


def gathered(controls: Controls, values: list[float], touched: set[int]) -> dict[str, Any]:
    """Return start values by name: those given, and those whose slider was turned.

    Args:
        controls: What can be turned.
        values: What the sliders of start values say.
        touched: Numbers of those that were turned.
    """
    start, sliders = dict(controls.held), controls.start
    if touched and controls.loops:
        free = {name for s in sliders for name in (s.name, s.name.rpartition(".")[0])}
        start = {n: v for n, v in start.items() if n in free or isinstance(v, Near)}
    for name in sorted({sliders[i].name for i in touched}):
        own = [(s, v) for s, v in zip(sliders, values, strict=True) if s.name == name]
        bare, _, what = name.rpartition(".")
        if not what.endswith("_rate"):  # a joint's name means its only coordinate
            start.pop(bare, None)
        start[name] = own[0][1] if own[0][0].component is None else tuple(v for _, v in own)
    return start
