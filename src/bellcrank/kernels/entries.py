"""Native code with the signature of a kernel, and calls of it at many points."""

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

Array = np.ndarray


KERNEL = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)


class Native(Protocol):
    """A compiled kernel: where it is, and how many doubles of scratch it wants.

    It is `void f(const double **in, double **out, double *work)` with the inputs
    t (1), q (nq), u (nu), s (ns), w (nw), p, k, whatever of them it uses.
    """

    @property
    def address(self) -> int:
        """Address of the function."""
        ...

    @property
    def work(self) -> int:
        """Doubles of scratch."""
        ...


@dataclass(frozen=True)
class Entry:
    """Native code with the signature of a kernel.

    Attributes:
        address: Of `void f(const double **in, double **out, double *work)`.
        work: Doubles of scratch.
        owner: What must stay alive.
        spots: Where guard words lie in the scratch, and behind what; see `guards`.
    """

    address: int
    work: int
    owner: Any
    spots: Mapping[int, str] = field(default_factory=dict)


def vectors(arguments: Sequence[Any]) -> list[Array]:
    """Return t and what follows it as arrays of vectors; t has no axis but those of a batch."""
    t, *rest = (np.asarray(each, dtype=float) for each in arguments)
    return [t[..., None], *rest]


def each_point(
    entry: Entry, arguments: Sequence[Any], sizes: Sequence[int], work: Array
) -> list[Array]:
    """Return what native code gives at every point of a batch.

    Args:
        entry: The code.
        arguments: Its inputs, t first; leading axes are a batch.
        sizes: Of the vectors it gives.
        work: Its working memory.
    """
    given = vectors(arguments)
    batch = np.broadcast_shapes(*(each.shape[:-1] for each in given))
    rows = [
        np.ascontiguousarray(np.broadcast_to(each, (*batch, each.shape[-1]))) for each in given
    ]
    results = [np.zeros((*batch, size)) for size in sizes]
    count = int(np.prod(batch, dtype=int))
    start = [each.ctypes.data for each in (*rows, *results)]
    stride = [8 * each.shape[-1] for each in (*rows, *results)]
    table = np.asarray(start) + np.arange(count)[:, None] * np.asarray(stride)
    table = np.ascontiguousarray(table, dtype=np.int64)
    function, memory, width = KERNEL(entry.address), work.ctypes.data, 8 * table.shape[1]
    for first in range(table.ctypes.data, table.ctypes.data + width * count, width):
        function(first, first + 8 * len(rows), memory)
    return results
