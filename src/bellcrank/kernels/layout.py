"""Memory that native code and Python know by the same names: records, and parts of arrays."""

from collections.abc import Iterable, Mapping

import numpy as np

from bellcrank.kernels import guards


def layout(*, integers: Iterable[str], doubles: Iterable[str] = ()) -> np.dtype:
    """Return the layout of a record: 64-bit integers (sizes, counts, addresses), then doubles.

    Python reads and writes `record["nx"]`, native code `record.nx`, where `record` comes of
    `linear.native.raw.record`.

    Args:
        integers: Names, one or several in a string.
        doubles: The same.
    """
    kinds = ((integers, np.int64), (doubles, np.float64))
    return np.dtype(
        [(name, kind) for lines, kind in kinds for line in lines for name in line.split()],
        align=True,
    )


def words(kind: np.dtype, names: Iterable[str]) -> np.ndarray:
    """Return which 64-bit words of a record fields are, to write many of them at once.

    Args:
        kind: The layout.
        names: Of the fields.
    """
    fields = kind.fields or {}
    return np.array([fields[name][1] // 8 for name in names], dtype=np.intp)


def values(record: np.void) -> dict[str, float]:
    """Return all fields of a record by name, which is quicker than one by one."""
    return dict(zip(record.dtype.names or (), record.item(), strict=True))


def offsets(sizes: Mapping[str, int], start: int = 0) -> dict[str, int]:
    """Return where each part of an array begins [doubles], and at last its `size`.

    Where guard words are asked for, they lie behind each part.

    Args:
        sizes: Of the parts, in order, by their names in a record.
        start: Where the first one begins.
    """
    found, place, guard = {}, start, guards.width()
    for name, size in sizes.items():
        found[name] = place
        place += size + guard
    return found | {"size": place}
