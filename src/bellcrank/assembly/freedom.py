"""Degrees of freedom of a machine, and which constraints repeat others."""

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from bellcrank.assembly.closing import Held, close
from bellcrank.errors import StartError
from bellcrank.kernels import gauss
from bellcrank.kernels.system import System

RANK = 1e-8  # scaled singular values below this part of the largest count as zero


@dataclass(frozen=True)
class Freedom:
    """What the rank of the scaled constraints says.

    Attributes:
        speeds: Number of generalized speeds.
        rank: Rank of the constraints.
        redundant: For each element that repeats directions held by others: how many.
    """

    speeds: int
    rank: int
    redundant: dict[str, int]

    @property
    def degrees(self) -> int:
        """Degrees of freedom."""
        return self.speeds - self.rank


def freedom(system: System, q: np.ndarray, p: np.ndarray, t: float = 0.0) -> Freedom:
    """Return the freedom of a machine at consistent coordinates.

    The rank is decided on the constraints, where redundant rows are exactly so.

    Args:
        system: The machine.
        q: Consistent coordinates.
        p: Parameter values in order.
        t: The time [s].
    """
    rows, nu = system.equations.rows, len(system.speeds)
    if not rows:
        return Freedom(nu, 0, {})
    arguments = system.at_rest(t, q, np.zeros(len(system.inputs)), p)
    C = system.ask("velocity", arguments, level=0)[0]
    C = C / np.array([row.scale for row in rows])[:, None]
    rank, N = _dependencies(C)
    owners, redundant = np.array([row.owner for row in rows]), {}
    for owner in dict.fromkeys(owners):
        sigma = np.linalg.svd(N[owners == owner], compute_uv=False)
        repeated = int((sigma > RANK).sum())
        if repeated:
            redundant[str(owner)] = repeated
    return Freedom(nu, rank, redundant)


def _dependencies(C: np.ndarray) -> tuple[int, np.ndarray]:
    """Return the rank r of C (m, n), and N (m, m − r) with NᵀC = 0 and NᵀN = 1.

    Rows repeat as many directions as they have independent entries in N: without k rows, those
    combinations of the others that vanish are the ones of N that vanish on the k.
    """
    m = len(C)
    if not C.size:
        return 0, np.eye(m)
    U, sigma, _ = np.linalg.svd(C, full_matrices=m > min(C.shape))
    rank = int((sigma > RANK * sigma[0]).sum())
    return rank, U[:, rank:]


def independent_rows(
    system: System, t: float, states: Iterable[np.ndarray], w: np.ndarray, p: np.ndarray
) -> dict[int, float]:
    """Return rows that are independent and say all that the others say.

    Of several states the first with most independent rows decides, since one may be singular.
    With each row comes the largest cᵀ A⁻¹ c seen, c being the scaled row, as a power of two.

    Args:
        system: The machine.
        t: The time [s].
        states: Consistent ones.
        w: Inputs.
        p: Parameter values in order.
    """
    metrics = [_in_mass_metric(system, t, x, w, p) for x in states]
    rows = max((gauss.independent(B, RANK) for B in metrics), key=len)
    sizes = np.max([(B * B).sum(axis=0) for B in metrics], axis=0)
    return {row: float(2.0 ** np.round(np.log2(sizes[row]))) for row in rows}


def beside(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> Iterator[np.ndarray]:
    """Yield consistent states at rest some way from a state, where they can be found."""
    nq, nu = len(system.coordinates), len(system.speeds)
    noise, free = np.random.default_rng(1), np.zeros(nu, dtype=bool)
    W = system.ask("kinematics", system.at_rest(t, x[:nq], w, p), level=0)[0]
    for reach in (0.05, 0.2):
        moved = np.concatenate([x[:nq], np.zeros(nu)])
        moved[:nq] += W @ (reach * noise.normal(size=nu))
        with contextlib.suppress(StartError, np.linalg.LinAlgError):
            yield close(system, t, moved, w, p, Held(free, free))


def _in_mass_metric(
    system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Return L⁻¹ Cᵀ of the scaled rows, with A = L Lᵀ."""
    arguments = system.at_rest(t, x[: len(system.coordinates)], w, p)
    scale = np.array([row.scale for row in system.equations.rows])
    if system.equations.has("bodywise"):  # the same in other speeds, by shorter code
        A, _, C = system.ask("bodywise", arguments, level=0)[:3]
    else:
        slot = "completion" if system.equations.has("completion") else "mass"
        A = system.ask(slot, arguments, level=0)[0]
        C = system.ask("velocity", arguments, level=0)[0]
    C = C / scale[:, None]
    return np.linalg.solve(np.linalg.cholesky(gauss.metric(A, C)), C.T)
