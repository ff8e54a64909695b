"""Whether speeds u = Y q̇ + z fit a machine, as numbers: names, sizes and a Y of full rank.

Needs no CasADi.
"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from bellcrank.errors import OptionError, unknown_name
from bellcrank.formulations.kane.choices import Angles, LinearSpeeds
from bellcrank.formulations.kane.connection import number_at
from bellcrank.formulations.kane.layout import KaneLayout
from bellcrank.linear import rank
from bellcrank.model.expressions import Expression, Signal, signals, substitute


def looked_up(layout: KaneLayout, speeds: LinearSpeeds) -> LinearSpeeds:
    """Return the speeds with names of parameters as parameters, sizes and names checked.

    Raises:
        OptionError: All that does not fit, at once.
    """
    count, size = 6 * layout.connection.count, layout.size
    shape = len(speeds.Y), len(speeds.Y[0])
    complaints = []
    if shape != (count, size):
        complaints.append(
            f"Y is {count}×{size}, one row per speed and one column per coordinate "
            f"({layout.connection.count} bodies), got {shape[0]}×{shape[1]}."
        )
    model = layout.connection.model
    known = {variable.name for variable in layout.coordinates}
    symbols: dict[Expression, Expression] = {
        Signal(parameter.name): parameter for parameter in model.parameters
    }
    entries = [entry for row in (*speeds.Y, speeds.z) for entry in row]
    names = {n for e in entries if isinstance(e, Expression) for n in signals(e)}
    names -= {"t", *(parameter.name for parameter in model.parameters)}
    complaints += [unknown_name("coordinate", name, known) for name in sorted(names - known)]
    if complaints:
        raise OptionError(f"LinearSpeeds of '{model.name}': {' '.join(complaints)}")

    def found(row: tuple) -> tuple:
        return tuple(
            substitute(entry, symbols) if isinstance(entry, Expression) else entry
            for entry in row
        )

    return replace(speeds, Y=tuple(found(row) for row in speeds.Y), z=found(speeds.z))


def check_drawing(layout: KaneLayout, speeds: LinearSpeeds) -> None:
    """Refuse a Y that is singular in the drawing.

    Raises:
        OptionError: Naming the speeds that depend on each other, and the state.
    """
    values = [number_at(value, {}) for value in layout.drawing({})]
    state = dict(zip((v.name for v in layout.coordinates), values, strict=True))
    known = looked_up(layout, speeds)
    Y = np.array([[number_at(e, {"t": 0.0} | state) for e in row] for row in known.Y])
    complaint = singular(layout, Y, np.array(values))
    if complaint:
        shown = ", ".join(f"{name} = {value + 0.0:.6g}" for name, value in _used(known, state))
        raise OptionError(
            f"LinearSpeeds of '{layout.connection.model.name}': Y is singular in the drawing"
            f"{f' (t = 0, {shown})' if shown else ''}: {complaint}"
        )


def singular(layout: KaneLayout, Y: np.ndarray, q: np.ndarray) -> str:
    """Return what is wrong with Y at a state, empty where nothing is.

    Args:
        layout: The scalars of the machine.
        Y: 6N×nq.
        q: Coordinates there.
    """
    rows = Y
    if not isinstance(layout.orientation, Angles):  # the lengths of Euler parameters stay
        norms = np.zeros((layout.connection.count, Y.shape[1]))
        for k in range(layout.connection.count):
            norms[k, 4 * k : 4 * k + 4] = q[4 * k : 4 * k + 4]
        rows = np.vstack([Y, norms])
    lengths = np.linalg.norm(rows, axis=1)
    names = [variable.name for variable in layout.rates]
    empty = [name for name, length in zip(names, lengths, strict=False) if length == 0.0]
    if empty:
        return f"the row of {', '.join(map(repr, empty))} is zero."
    left, values, _ = np.linalg.svd(rows / lengths[:, None])
    if rank.counted(values).all():
        return ""
    share = np.abs(left[: len(names), -1])
    tied = [name for name, part in zip(names, share, strict=True) if part > 0.1 * share.max()]
    return (
        f"{', '.join(map(repr, tied))} depend on each other, so that the rates of the "
        "coordinates do not follow from the speeds. Choose speeds that are independent there."
    )


def _used(speeds: LinearSpeeds, state: Mapping[str, float]) -> list[tuple[str, float]]:
    """Return the coordinates that Y depends on."""
    entries = [e for row in speeds.Y for e in row if isinstance(e, Expression)]
    names = {name for entry in entries for name in signals(entry)}
    return [(name, value) for name, value in state.items() if name in names]
