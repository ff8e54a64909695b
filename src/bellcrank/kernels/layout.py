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
