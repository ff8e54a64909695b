"""Numbers by name: where each name is in q, u and s, put there and taken from there."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from bellcrank.errors import StartError, did_you_mean
from bellcrank.formulations import Equations
from bellcrank.machine.arguments import entries_of

VECTORS = ("position", "orientation", "velocity", "angular_velocity", "orientation_rate")
"""Quantities whose scalars are components of one name."""

Place = tuple[str, int, int]
"""`q`, `u` or `s`, the first entry, the number of entries."""


def places(equations: Equations, bare: bool = True) -> dict[str, Place]:
    """Return where every name is; with `bare` also joints alone that have one coordinate."""
    found: dict[str, Place] = {}
    owners: dict[str, list[str]] = {}
    for vector, variables in (
        ("q", equations.coordinates), ("u", equations.speeds), ("s", equations.auxiliary),
    ):  # fmt: skip
        for i, variable in enumerate(variables):
            whole = variable.name
            if variable.quantity in VECTORS:
                whole = whole.rpartition("_")[0]
            if whole in found:
                _, start, size = found[whole]
                found[whole] = vector, start, size + 1
            else:
                found[whole] = vector, i, 1
                if vector == "q":
                    owners.setdefault(variable.owner, []).append(whole)
    if bare:
        found |= {owner: found[names[0]] for owner, names in owners.items() if len(names) == 1}
    return found


def put(
    values: Mapping[str, Any],
    equations: Equations,
    where: Mapping[str, Place],
    vectors: Mapping[str, np.ndarray],
) -> None:
    """Write values by name into q, u and s.

    Args:
        values: Such as {"A.angle": 0.3}.
        equations: Of the machine.
        where: Where each name is: `places` of the equations.
        vectors: q, u and s by their letters.

    Raises:
        StartError: An unknown name, a wrong number of values, one that is not finite, or one
            given twice; all of them at once.
    """
    complaints = []
    given: dict[Place, str] = {}
    for name, value in values.items():
        if name not in where:
            complaints.append(_unknown(str(name), equations, where))
            continue
        vector, start, size = place = where[name]
        if place in given:
            complaints.append(f"'{given[place]}' and '{name}' are the same; give one.")
        given[place] = name
        entries = entries_of(value, size, unit=vector == "q" and size == 4)
        if isinstance(entries, str):
            complaints.append(f"'{name}' takes {entries}.")
        else:
            vectors[vector][start : start + size] = entries
    if complaints:
        raise StartError(" ".join(complaints))


def taken(
    where: Mapping[str, Place], vectors: Mapping[str, np.ndarray]
) -> dict[str, np.ndarray]:
    """Return the values of vectors, given by their letters, by name; the inverse of `put`."""
    return {
        name: _part(vectors[vector], start, size)
        for name, (vector, start, size) in where.items()
    }


def parts(y: np.ndarray, channels: Iterable[Any]) -> dict[str, np.ndarray]:
    """Return the parts of y by the names of channels, which lie there one after the other."""
    found, start = {}, 0
    for channel in channels:
        found[channel.name] = _part(y, start, channel.size)
        start += channel.size
    return found


def _part(y: np.ndarray, start: int, size: int) -> np.ndarray:
    return y[..., start] if size == 1 else y[..., start : start + size]


def _unknown(name: str, equations: Equations, where: Mapping[str, object]) -> str:
    names = ", ".join(list(places(equations, bare=False))[:12])
    return (
        f"'{name}' is no coordinate{',' if equations.auxiliary else ' or'} speed"
        f"{' or variable' if equations.auxiliary else ''} of '{equations.name}'."
        f"{did_you_mean(name, where)} A start may name: {names}"
        f"{', …' if len(where) > 12 else ''}."
    )
