"""Generalized speeds u = Y q̇ + z of the user's own: a value, and part of the key of equations.

Needs no CasADi.
"""

from dataclasses import dataclass
from typing import Any

from bellcrank.errors import OptionError
from bellcrank.model.expressions import Constant, Expression, expression, text


@dataclass(frozen=True, repr=False)
class LinearSpeeds:
    """Speeds u = Y q̇ + z, any linear combination of the rates of the coordinates.

    In `JointCoordinates(speeds=…)` q are the joint coordinates, in the order of the equations.
    In `Kane(speeds=…)` they are those of the bodies, orientations first: 6N with angles, 7N
    with Euler parameters, to which the rows εᵀε̇ = 0 are added before Y is inverted. Entries are
    numbers or expressions of t, parameters and the names of coordinates, as in
    `"cos('body 2'.angle3)"`.

    Attributes:
        Y: One row per speed, one column per coordinate.
        z: One entry per speed; zeros if not given.
        names: What the speeds are called; `u1`, `u2`, … if not given.

    Examples:
        >>> import bellcrank as bc
        >>> import inspect
        >>> sorted(inspect.signature(bc.LinearSpeeds).parameters)
        ['Y', 'names', 'z']
    """

    Y: Any
    z: Any = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows = tuple(_entries(f"Y[{i}]", row) for i, row in enumerate(_rows(self.Y)))
        widths = {len(row) for row in rows}
        if len(widths) > 1:
            raise OptionError(f"LinearSpeeds: rows of Y have {sorted(widths)} entries.")
        z = (0.0,) * len(rows) if self.z is None else _entries("z", self.z)
        names = tuple(self.names) or tuple(f"u{i + 1}" for i in range(len(rows)))
        for what, found in (("z", z), ("names", names)):
            if len(found) != len(rows):
                raise OptionError(
                    f"LinearSpeeds: {what} takes {len(rows)} entries, one per row of Y, "
                    f"got {len(found)}."
                )
        if len(set(names)) < len(names) or not all(isinstance(n, str) and n for n in names):
            raise OptionError("LinearSpeeds: names must be different texts.")
        for field, value in (("Y", rows), ("z", z), ("names", names)):
            object.__setattr__(self, field, value)

    def __repr__(self) -> str:
        """In full, because it is part of the key under which kernels are kept."""
        rows = [[_written(entry) for entry in row] for row in (*self.Y, self.z)]
        return f"LinearSpeeds(Y={rows[:-1]}, z={rows[-1]}, names={self.names})"


def _rows(matrix: Any) -> tuple[Any, ...]:
    try:
        rows = tuple(matrix)
    except TypeError:
        rows = ()
    if not rows or any(isinstance(row, str) for row in rows):
        raise OptionError(f"LinearSpeeds: Y takes a matrix, one row per speed, got {matrix!r}.")
    return rows


def _entries(what: str, row: Any) -> tuple[float | Expression, ...]:
    try:
        items = tuple(row)
    except TypeError:
        raise OptionError(f"LinearSpeeds: {what} takes a sequence, got {row!r}.") from None
    found = [expression(item) for item in items]
    return tuple(_number(entry) for entry in found)


def _written(entry: float | Expression) -> float | str:
    return text(entry) if isinstance(entry, Expression) else entry


def _number(entry: Expression) -> float | Expression:
    """Return a constant as a float."""
    return float(entry.value) if isinstance(entry, Constant) else entry
