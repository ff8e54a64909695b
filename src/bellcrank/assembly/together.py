"""Mass matrices and rows as they are eliminated together, in numbers."""

from collections.abc import Iterable, Mapping

import numpy as np

from bellcrank.kernels.system import System


def together(
    system: System,
    t: float,
    states: Iterable[np.ndarray],
    w: np.ndarray,
    p: np.ndarray,
    rows: Mapping[int, float],
) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return M and the scaled chosen rows of `bellcrank.formulations.saddle` at some states.

    Args:
        system: The machine.
        t: The time [s].
        states: Consistent ones.
        w: Inputs.
        p: Parameter values in order.
        rows: The chosen rows, each with its nominal cᵀ M⁻¹ c.
    """
    equations, nq, nu = system.equations, len(system.coordinates), len(system.speeds)
    chosen, weights = list(rows), 1.0 / np.array(list(rows.values()))
    scale = np.array([equations.rows[row].scale for row in rows])
    found = []
    for x in states:
        arguments = [np.array([t]), x[:nq], np.zeros(nu), np.zeros(0), w, p]
        arguments = [*arguments, system.modes(arguments)]
        if equations.has("bodywise"):
            M, N, C = system.ask("bodywise", arguments, level=0)[:3]
            A = M - N @ N.T
        else:
            A, C = (system.ask(slot, arguments, level=0)[0] for slot in ("mass", "velocity"))
        C = C[chosen] / scale[:, None]
        if equations.mass_kind == "semidefinite":
            A = A + C.T @ (weights[:, None] * C)
        found.append((A, C))
    return found
