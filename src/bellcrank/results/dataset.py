"""A result as xarray sees it. Only labelled arrays need xarray; files do without it."""

from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.kernels.interrupts import whole
from bellcrank.results.labels import COMPONENTS, DIMENSIONS, Label

if TYPE_CHECKING:
    import xarray

    from bellcrank.results.result import Result

COORDINATES = ("time", "component", "euler_parameter", "event")
"""Names the coordinates of the Dataset have taken; a channel so named gets an underscore."""


def data_array(run: "Result", name: str) -> "xarray.DataArray":
    """Return one quantity, or one component of it, with its times, unit and words.

    Raises:
        UnknownName: If there is no such name.
    """
    whole("xarray")
    import xarray

    label, index = run.find(name)
    size = label.size if index is None else 1
    coords = _coordinates(run, size)
    attrs = describe(label)
    if index is not None:
        attrs["long_name"] += f", {COMPONENTS[label.size][index]}"
    return xarray.DataArray(run.values(name), coords, DIMENSIONS[size], name=name, attrs=attrs)


def dataset(run: "Result") -> "xarray.Dataset":
    """Return everything recorded, with units, events, statistics and provenance."""
    whole("xarray")
    import xarray

    variables: dict[str, Any] = {
        key: (DIMENSIONS[label.size], run.values(label.name), describe(label))
        for key, label in zip(variable_names(run), run.channels, strict=True)
    }
    coords = {k: v for size in DIMENSIONS for k, v in _coordinates(run, size).items()}
    if run.events:
        attrs = {"long_name": "time of the event", "units": "s"}
        variables["event_time"] = ("event", np.array([e.time for e in run.events]), attrs)
        coords["event"] = ("event", np.array([e.name for e in run.events]), {})
    return xarray.Dataset(variables, coords, facts(run))


def variable_names(run: "Result") -> tuple[str, ...]:
    """Return the names of the variables: those of the channels where they are free."""
    return tuple(f"{n}_" if n in (*COORDINATES, "event_time") else n for n in run.names)


def describe(label: Label) -> dict[str, Any]:
    """Return the attributes of a variable, by the CF names that plots and tools look for."""
    return {
        "long_name": label.long_name,
        "units": label.unit or "1",
        "quantity": label.quantity,
        "owner": label.owner,
    }


def facts(run: "Result") -> dict[str, Any]:
    """Return the attributes of the whole: status, statistics and provenance, flat."""
    found: dict[str, Any] = {
        "title": str(run.provenance.get("model", "")),
        "status": run.status,
    }
    for group in ("statistics", "provenance"):
        for key, value in getattr(run, group).items():
            number = isinstance(value, int | float) and not isinstance(value, bool)
            found[f"{group}_{key}"] = value if number else str(value)
    return found


def _coordinates(run: "Result", size: int) -> dict[str, Any]:
    coords: dict[str, Any] = {"time": ("time", run.t, {"long_name": "time", "units": "s"})}
    if size > 1:
        dimension = DIMENSIONS[size][1]
        coords[dimension] = (dimension, list(COMPONENTS[size]), {})
    return coords
