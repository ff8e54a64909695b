"""Accelerations and multipliers at many states, in portions: time and memory grow with both.

Small machines take full matrices, all states of a portion at once (`constraints.gauss`). Large
ones take sparse matrices, state by state (`constraints.saddle_points`), and full ones where
rows are too close to dependent for that.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.kernels.ports import Port
from bellcrank.linear import rank

if TYPE_CHECKING:
    from bellcrank.constraints.saddle_points import SaddlePoints
    from bellcrank.machine.system import System

Array = np.ndarray
PORTION = 64e6  # bytes of full matrices, or of entries, at a time
LARGE = 200  # unknowns and rows from which on sparse factors take less time


def in_portions(
    question: Callable[..., Sequence[Array]], arguments: Sequence[Array], size: float
) -> list[Array]:
    """Return the answers to a question for all states, asked portion by portion.

    Args:
        question: Takes arrays like `arguments` with one leading axis, or none where they are
            shared, and returns arrays with one.
        arguments: Arrays whose leading axes, broadcast against each other, are the states.
        size: Bytes that one state takes.
    """
    batch = np.broadcast_shapes(*(each.shape[:-1] for each in arguments))
    flat = [
        each if each.ndim == 1 else np.broadcast_to(each, (*batch, each.shape[-1]))
        for each in arguments
    ]
    count = int(np.prod(batch, dtype=int))
    flat = [each if each.ndim == 1 else each.reshape(count, each.shape[-1]) for each in flat]
    if all(each.ndim == 1 for each in flat):
        flat[0] = flat[0][None]
    step = max(1, int(PORTION / max(size, 1.0)))
    found = [
        question(*(each if each.ndim == 1 else each[first : first + step] for each in flat))
        for first in range(0, max(count, 1), step)
    ]
    whole = [np.concatenate(parts) for parts in zip(*found, strict=True)]
    return [each.reshape(*batch, *each.shape[1:]) for each in whole]


def accelerations(system: System, arguments: Sequence[Array], efforts: Array) -> Array:
    """Return u̇ on the constraints, shape (..., nu).

    Args:
        system: The machine.
        arguments: Of a slot.
        efforts: Generalized forces besides those of the model, shape (..., nu).
    """
    nu, m = len(system.speeds), len(system.equations.rows)
    scale = system.row_scales(arguments[5])

    def full(*given: Array) -> tuple[Array]:
        *own, more = given
        # Factoring takes longer than evaluating, so these need not be the quickest.
        (A,), (f,), (C, _), (gamma,) = (
            system.ask(slot, own, level=0)
            for slot in ("mass", "force", "velocity", "acceleration")
        )
        return (gauss.accelerations(A, f + more, C, gamma, scale, system.speed_sizes),)

    dense = 8.0 * (4 * nu * nu + 6 * m * nu)
    if nu + m < LARGE or not system.compiled:
        return in_portions(full, (*arguments, efforts), dense)[0]
    points, kernels = system.once(_motion)

    def sparse(*given: Array) -> tuple[Array]:
        *own, more = given
        (A,), (f,), (C, _), (gamma,) = (kernel.stored(*own) for kernel in kernels)
        C = C / scale[points.rows[0]]
        count = max(map(len, (f, gamma)))
        A, C, f, gamma = (
            np.broadcast_to(each, (count, each.shape[-1]))
            for each in (A, C, f + more, gamma / scale)
        )
        found = [points.solve(*each) for each in zip(A, C, f, gamma, strict=True)]
        return (
            _completed(found, nu, lambda bad: in_portions(full, _at(given, bad), dense)[0]),
        )

    stored = 8.0 * sum(port.size for kernel in kernels for port in kernel.outputs)
    return in_portions(sparse, (*arguments, efforts), stored)[0]


def multipliers(
    system: System,
    arguments: Sequence[Array],
    ud: Array,
    sizes: tuple[Array, Array, float],
) -> tuple[Array, Array]:
    """Return λ of all constraints, and what elements do by them.

    Args:
        system: The machine.
        arguments: Of a slot.
        ud: Accelerations, shape (..., nu).
        sizes: Nominal sizes of multipliers and of wrenches, and the floor of their rank.
    """
    weight, nominal, floor = sizes

    def full(*given: Array) -> tuple[Array, Array]:
        G, b, R = system.ask("reactions", given[:-1], given[-1], level=0)
        lam = gauss.smallest(G, b, *sizes)
        return lam, (R @ lam[..., None])[..., 0]

    dense = 8.0 * 5 * len(nominal) * len(weight)
    if len(nominal) + len(weight) < LARGE or floor > rank.FLOOR or not system.compiled:
        return tuple(in_portions(full, (*arguments, ud), dense))  # pyright: ignore[reportReturnType]
    points, kernel = system.once(_balance)
    row, column = points.rows
    ones, rest = np.ones(points.n), np.zeros(points.n)
    reading = _SparseReading(kernel.outputs[2])

    def sparse(*given: Array) -> tuple[Array, Array]:
        G, b, R = kernel.stored(*given)
        G, b = G * weight[column] / nominal[row], b / nominal
        found = [points.solve(ones, *each) for each in _scattered(G, rest, b)]
        lam = weight * _completed(
            found,
            points.n,
            lambda bad: in_portions(full, _at(given, bad), dense)[0] / weight,
        )
        return lam, reading(R, lam)

    stored = 8.0 * 3 * sum(port.size for port in kernel.outputs)
    return tuple(in_portions(sparse, (*arguments, ud), stored))  # pyright: ignore[reportReturnType]


def _scattered(G: Array, rest: Array, b: Array) -> list[tuple[Array, Array, Array]]:
    """Return what is solved at each state."""
    return [(entries, rest, right) for entries, right in zip(G, b, strict=True)]


def _motion(system: System) -> tuple[SaddlePoints, list[Any]]:
    """Return the sparse form of A u̇ + Cᵀ λ = f, C u̇ = γ, and the kernels of its entries."""
    from bellcrank.constraints.saddle_points import SaddlePoints  # small machines do without

    slots = ("mass", "force", "velocity", "acceleration")
    kernels = [system.kernel(slot, level=0) for slot in slots]
    A, C = kernels[0].outputs[0], kernels[2].outputs[0]
    return SaddlePoints((A.cols, C.rows), _entries(A), _entries(C)), kernels


def _balance(system: System) -> tuple[SaddlePoints, Any]:
    """Return the sparse form of min |λ| with G λ = b, and the kernel of its entries."""
    from bellcrank.constraints.saddle_points import SaddlePoints

    kernel = system.kernel("reactions", level=0)
    G = kernel.outputs[0]
    own = np.arange(G.cols)
    return SaddlePoints((G.cols, G.rows), (own, own), _entries(G)), kernel


def _entries(port: Port) -> tuple[Array, Array]:
    """Return rows and columns of the stored entries of a matrix."""
    places = np.arange(port.rows * port.cols) if port.nonzeros is None else port.nonzeros
    return np.asarray(places) % port.rows, np.asarray(places) // port.rows


class _SparseReading:
    """R λ at many states, R being sparse."""

    def __init__(self, port: Port) -> None:
        row, self._column = _entries(port)
        self._order = np.argsort(row, kind="stable")
        self._there, self._starts = np.unique(row[self._order], return_index=True)
        self._count = port.rows

    def __call__(self, R: Array, lam: Array) -> Array:
        out = np.zeros((len(lam), self._count))
        if len(self._there):
            products = (R * lam[:, self._column])[:, self._order]
            out[:, self._there] = np.add.reduceat(products, self._starts, axis=1)
        return out


def _at(arguments: Sequence[Array], states: Array) -> list[Array]:
    """Return the arguments at some of the states."""
    return [each if each.ndim == 1 else each[states] for each in arguments]


def _completed(
    found: list[Array | None], size: int, otherwise: Callable[[Array], Array]
) -> Array:
    """Return what was found at all states, and otherwise what is found there otherwise."""
    bad = np.array([n for n, each in enumerate(found) if each is None], dtype=int)
    whole = np.array([np.zeros(size) if each is None else each for each in found])
    if bad.size:
        whole[bad] = otherwise(bad)
    return whole
