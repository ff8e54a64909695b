"""Whether saddle-point or Schur elimination takes fewer products, from matrices in numbers."""

from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from bellcrank.kernels.protocol import Machine
from bellcrank.linear import fill
from bellcrank.linear.pivots import Pivots, pivots

GAIN = 2  # times fewer products that saddle-point elimination must promise


def elimination_order(
    system: Machine,
    t: float,
    states: Iterable[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    rows: Mapping[int, float],
) -> Pivots | None:
    """Return the order of saddle-point elimination, None where the Schur complement is better.

    Arguments as of `matrices`.
    """
    found = matrices(system, t, states, w, p, rows)
    owners = [speed.owner for speed in system.equations.speeds]
    order = pivots([(M, C) for M, _, C in found], owners)
    if order is None:
        return None
    M, own, C = (matrix != 0 for matrix in found[-1])
    return order if GAIN * fill.saddle_point(M, C, order.order) < fill.schur(own, C) else None


def products(
    system: Machine,
    t: float,
    states: Sequence[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    rows: Mapping[int, float],
    order: Pivots | None,
) -> int:
    """Return how many products straight-line code takes, by an order or by S = C A⁻¹ Cᵀ.

    Arguments as of `matrices`.
    """
    M, own, C = (matrix != 0 for matrix in matrices(system, t, states[-1:], w, p, rows)[0])
    return fill.schur(own, C) if order is None else fill.saddle_point(M, C, order.order)


def matrices(
    system: Machine,
    t: float,
    states: Iterable[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    rows: Mapping[int, float],
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Return M of `augmented` and `straight_line_code` and the scaled chosen rows, at states.

    Args:
        system: The machine.
        t: The time [s].
        states: Consistent ones.
        w: Inputs.
        p: Parameter values in order.
        rows: The chosen rows, each with its nominal cᵀ M⁻¹ c.
    """
    equations, nq = system.equations, len(system.coordinates)
    chosen, weights = list(rows), 1.0 / np.array(list(rows.values()))
    scale = np.array([equations.rows[row].scale for row in rows])
    found = []
    for x in states:
        arguments = system.at_rest(t, x[:nq], w, p)
        if equations.has("bodywise"):
            own, N, C = system.ask("bodywise", arguments, level=0)[:3]
            M = own - N @ N.T
        else:
            M, C = (system.ask(slot, arguments, level=0)[0] for slot in ("mass", "velocity"))
            own = None
        C = C[chosen] / scale[:, None]
        if equations.mass_kind == "semidefinite":
            M = M + C.T @ (weights[:, None] * C)
        if equations.has("completion") and own is None:
            own = system.ask("completion", arguments, level=0)[0]
        found.append((M, M if own is None else own, C))
    return found
