"""Inputs and outputs of a kernel: names, shapes, and the order of their numbers.

A kernel reads and writes plain vectors of doubles. A port says how such a vector makes a
matrix: its entries column by column, structural zeros left out. For the caller, a matrix of
one column is a vector, and leading axes are a batch:

    shape (..., rows) when cols == 1, else (..., rows, cols)
"""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np

from bellcrank.errors import OptionError


@dataclass(frozen=True)
class Port:
    """One input or output.

    Attributes:
        name: Its name.
        rows: Rows of the matrix.
        cols: Columns of the matrix.
        nonzeros: Places r + rows c of the stored entries, ascending; None when all are.
        matrix: Whether it is a matrix by its meaning, also where it has one column.
    """

    name: str
    rows: int
    cols: int = 1
    nonzeros: tuple[int, ...] | None = None
    matrix: bool = False

    @functools.cached_property
    def size(self) -> int:
        """How many numbers are stored."""
        return self.rows * self.cols if self.nonzeros is None else len(self.nonzeros)

    @functools.cached_property
    def shape(self) -> tuple[int, ...]:
        """Shape of one instance."""
        return (self.rows,) if self.cols == 1 else (self.rows, self.cols)

    def pack(self, array: np.ndarray) -> np.ndarray:
        """Return the stored numbers of matrices of shape (..., *shape), shape (..., size)."""
        if self.cols != 1:
            array = array.swapaxes(-1, -2).reshape(*array.shape[:-2], self.rows * self.cols)
        return array if self.nonzeros is None else array[..., self.nonzeros]

    def unpack(self, numbers: np.ndarray) -> np.ndarray:
        """Return the matrices with these stored numbers: the inverse of `pack`."""
        batch = numbers.shape[:-1]
        if self.nonzeros is not None:
            full = np.zeros((*batch, self.rows * self.cols))
            full[..., self.nonzeros] = numbers
            numbers = full
        if self.cols == 1:
            return numbers
        return numbers.reshape(*batch, self.cols, self.rows).swapaxes(-1, -2)


class _WithOutputs(Protocol):
    outputs: tuple[Port, ...]


def mark_matrices(kernel: _WithOutputs, names: Sequence[str]) -> None:
    """Mark the outputs of a kernel that are matrices by their meaning."""
    kernel.outputs = tuple(replace(p, matrix=p.name in names) for p in kernel.outputs)


def collect(
    owner: str, ports: Sequence[Port], arrays: Iterable[Any]
) -> tuple[tuple[int, ...], list[np.ndarray]]:
    """Check the arguments of a kernel against its inputs.

    Returns:
        The shape of the batch, to which the leading axes of all arguments broadcast; and
        the stored numbers of each argument, with its own leading axes, shape (..., size).

    Raises:
        OptionError: If there are too few or too many arguments, or shapes do not fit.
    """
    given = [np.asarray(array, dtype=float) for array in arrays]
    if len(given) != len(ports):
        names = ", ".join(port.name for port in ports)
        raise OptionError(f"{owner} takes {len(ports)} inputs ({names}), got {len(given)}.")
    packed = [_fit(owner, port, array) for port, array in zip(ports, given, strict=True)]
    try:
        batch = np.broadcast_shapes(*(array.shape[:-1] for array in packed))
    except ValueError:
        shapes = ", ".join(
            f"{p.name} {a.shape[:-1]}" for p, a in zip(ports, packed, strict=True)
        )
        raise OptionError(
            f"{owner}: the leading axes of the inputs do not broadcast: {shapes}."
        ) from None
    return batch, packed


def _fit(owner: str, port: Port, array: np.ndarray) -> np.ndarray:
    """Return the stored numbers of one argument; a bare number does for a 1 × 1 input."""
    if array.ndim == 0 and port.shape == (1,):
        array = array.reshape(1)
    core = len(port.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != port.shape:
        wanted = ", ".join(map(str, port.shape))
        raise OptionError(
            f"{owner}: input {port.name!r} has shape (..., {wanted}), got {array.shape}."
        )
    return port.pack(array)
