"""Which constraint rows repeat others: rows in nominal sizes, and a choice among them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.formulations.contract.equations import Row
from bellcrank.kernels.protocol import Machine
from bellcrank.linear import rank

CLOSED = 4e-12  # scaled residual of a machine that was closed as well as can be
NEARLY = 300.0  # times what repeats others within the slack: by less, rows nearly do
TAKES_PART = 0.1  # in what nearly vanishes, of the row that does most


def natural_lengths(
    rows: Sequence[Row], C: np.ndarray, sizes: np.ndarray, own: Sequence[bool]
) -> np.ndarray:
    """Return the natural lengths of rows, but their own length where nobody knows it.

    Args:
        rows: What they are.
        C: Rows over their nominal residuals, shape (m, n).
        sizes: Nominal sizes of the speeds, shape (n,).
        own: Rows whose nominal size is not known, such as those of laws in words, shape (m,).
    """
    length, natural = np.linalg.norm(C * sizes, axis=1), [row.natural for row in rows]
    return np.where(np.asarray(own, dtype=bool) & (length > rank.FLOOR), length, natural)


def measured_rows(
    system: Machine, arguments: Sequence[np.ndarray], *, whole: bool = False
) -> np.ndarray:
    """Return the rows of C u = ν at a state, measured, shape (m, nu).

    Args:
        system: The machine.
        arguments: Of a slot.
        whole: Whether rows that were left out are there too; else they are zero.
    """
    C, rows = system.ask("velocity", arguments, level=0)[0], system.equations.rows
    scale = np.array([row.scale for row in rows]) if whole else system.row_scales(arguments[5])
    return measured(system, C, scale)


def measured(system: Machine, C: np.ndarray, scale: np.ndarray) -> np.ndarray:
    """Return the rows of C u = ν over their nominal sizes, in those of speeds."""
    rows, C, sizes = system.equations.rows, C / scale[:, None], system.speed_sizes
    own = [row.kind == "nonholonomic" for row in rows]
    natural = natural_lengths(rows, C, sizes, own)
    return C * sizes / natural[:, None]


@dataclass(frozen=True)
class Choice:
    """Rows that are independent and say all that the others say.

    Attributes:
        rows: Their numbers, each with the largest cᵀ A⁻¹ c seen, c being the scaled row, as a
            power of two.
        exact: Whether the others repeat them to round-off, not just within the slack.
        states: Where that was seen.
        nearly: Elements whose rows nearly repeat others wherever it was looked at, and all but
            for how much; nothing where none do.
    """

    rows: dict[int, float]
    exact: bool
    states: tuple[np.ndarray, ...]
    nearly: tuple[float, tuple[str, ...]] = (np.inf, ())


def independent_rows(
    system: Machine, t: float, states: Iterable[np.ndarray], w: np.ndarray, p: np.ndarray
) -> dict[int, float]:
    """Return rows that are independent and say all that the others say; see `choice`."""
    return choice(system, t, list(states), w, p).rows


def choice(
    system: Machine, t: float, states: Sequence[np.ndarray], w: np.ndarray, p: np.ndarray
) -> Choice:
    """Return rows that are independent and say all that the others say.

    Of several states the first with most independent rows decides, since one may be singular.
    How many there are is a matter of geometry; which ones, of the mass metric, where equations
    with them are solved. There each is measured by its own length, as pivots are watched: what
    is long because it moves something light may have nothing left beside rows of heavy bodies.

    Args:
        system: The machine.
        t: The time [s].
        states: Consistent ones, or so within the slack.
        w: Inputs.
        p: Parameter values in order.
    """
    nq = len(system.coordinates)
    floor = max(rank.MARGIN * system.slack, rank.FLOOR)
    seen = [measured_rows(system, system.at_rest(t, x[:nq], w, p)) for x in states]
    sigma = [np.linalg.svd(C, compute_uv=False) for C in seen]
    ranks = [int(rank.counted(each, floor=floor).sum()) for each in sigma]
    best = int(np.argmax(ranks))
    metrics = [_in_mass_metric(system, t, x, w, p) for x in states]
    sizes = np.max([(B * B).sum(axis=0) for B in metrics], axis=0)
    there = (np.linalg.norm(seen[best], axis=1) > floor) & (sizes > 0.0)
    own = np.where(there, metrics[best] / np.sqrt(np.where(there, sizes, 1.0)), 0.0).T
    rows = sorted(rank.independent(own, relative=0.0, floor=0.0, count=ranks[best]))
    exact = _repeats(seen[best], rows) and all(_closes(system, t, x, w, p) for x in states)
    nominal = {row: float(2.0 ** np.round(np.log2(sizes[row]))) for row in rows}
    least = [each[ranks[best] - 1] for each in sigma if ranks[best]]
    near = max(least, default=np.inf) < NEARLY * rank.MARGIN * system.slack
    nearly = _nearly(system, seen, floor) if near else (np.inf, ())
    return Choice(nominal, exact, tuple(states), nearly)


def _nearly(
    system: Machine, seen: Sequence[np.ndarray], floor: float
) -> tuple[float, tuple[str, ...]]:
    """Return which elements have rows that nearly repeat others, and all but for how much.

    Rows of drivers come near to others at every dead centre, and are not looked at.

    Args:
        system: The machine.
        seen: Measured rows at some states.
        floor: What a singular value must exceed to count.
    """
    own = [i for i, row in enumerate(system.equations.rows) if row.kind != "driver"]
    parts = [np.linalg.svd(C[own], full_matrices=False)[:2] for C in seen]
    ranks = [int(rank.counted(sigma, floor=floor).sum()) for _, sigma in parts]
    count = max(ranks)
    if not count:
        return np.inf, ()
    U, sigma = max(parts, key=lambda each: each[1][count - 1])
    part = np.abs(U[:, count - 1])
    owners = (system.equations.rows[i].owner for i, x in zip(own, part, strict=True)
              if x > TAKES_PART * part.max())  # fmt: skip
    size = float(sigma[count - 1])
    near = size < NEARLY * rank.MARGIN * system.slack
    return (size, tuple(dict.fromkeys(owners))) if near else (np.inf, ())


def holds(
    system: Machine, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray, known: Choice
) -> bool:
    """Return whether a choice made for other parameter values holds at a state.

    Args:
        system: The machine.
        t: The time [s].
        x: A consistent state.
        w: Inputs.
        p: Parameter values in order.
        known: What was found for others, exactly.
    """
    if system.left_out(p):
        return False
    C = measured_rows(system, system.at_rest(t, x[: len(system.coordinates)], w, p))
    own = C[list(known.rows)]
    if rank.rank(own, floor=rank.MARGIN * system.slack) < len(own):
        return False
    return _repeats(C, tuple(known.rows)) and _closes(system, t, x, w, p)


def _repeats(C: np.ndarray, rows: Sequence[int]) -> bool:
    """Return whether all rows are combinations of some of them, to round-off."""
    Q = np.linalg.qr(C[list(rows)].T)[0]
    return float(np.abs(C - (C @ Q) @ Q.T).max(initial=0.0)) <= rank.EXACT


def _closes(system: Machine, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray) -> bool:
    """Return whether all position rows that are not left out are met to round-off."""
    if not any(row.level == "position" for row in system.equations.rows):
        return True
    phi = system.ask("position", system.at_rest(t, x[: len(system.coordinates)], w, p), level=0)
    size = np.abs(phi[0] / system.row_scales(p)[: len(phi[0])]).max(initial=0.0)
    return bool(size <= CLOSED)


def _in_mass_metric(
    system: Machine, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray
) -> np.ndarray:
    """Return L⁻¹ Cᵀ of the scaled rows, with A = L Lᵀ.

    Where A may be singular and nothing completes it, it is A + μ Cᵀ C, as it is in
    straight-line code, whose pivots are compared with what is found here.
    """
    arguments = system.at_rest(t, x[: len(system.coordinates)], w, p)
    scale = system.row_scales(p)
    if system.equations.has("bodywise"):  # the same in other speeds, by shorter code
        A, _, C = system.ask("bodywise", arguments, level=0)[:3]
    else:
        slot = "completion" if system.equations.has("completion") else "mass"
        A = system.ask(slot, arguments, level=0)[0]
        C = system.ask("velocity", arguments, level=0)[0]
    C, kind = C / scale[:, None], system.equations.mass_kind
    if kind == "semidefinite" and not system.equations.has("completion"):
        A = gauss.with_rows(A, C)
    return np.linalg.solve(np.linalg.cholesky(gauss.metric(A, C)), C.T)


def residuals(
    system: Machine, arguments: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """Return how well the rows that are held are met, and how well those that are left out.

    Args:
        system: The machine.
        arguments: Of its slots, at n states.

    Returns:
        The largest scaled Φ and C u − ν of rows that are held, and the largest scaled Φ of the
        rows of each element that are left out, by its name; shapes (n,).
    """
    rows, scale = system.equations.rows, system.row_scales(arguments[5])
    nominal = np.array([row.scale for row in rows])
    C, nu = system.ask("velocity", arguments, level=0)
    rate = np.abs((C @ arguments[2][..., None])[..., 0] - nu)
    phi, left = np.zeros((*rate.shape[:-1], 0)), {}
    if system.equations.has("position") and rows[0].level == "position":
        phi = np.abs(system.ask("position", arguments, level=0)[0])
    for i in system.left_out(arguments[5]):
        if rows[i].level == "position":
            seen = left.get(rows[i].owner, 0.0)
            left[rows[i].owner] = np.maximum(seen, phi[..., i] / nominal[i])
    held = (phi / scale[: phi.shape[-1]]).max(axis=-1, initial=0.0)
    return held, (rate / scale).max(axis=-1, initial=0.0), left
