"""Memory that native code and Python know by the same names: records, and parts of arrays."""

import ctypes
from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np

from bellcrank.kernels import guards


def layout(*, integers: Iterable[str], doubles: Iterable[str] = ()) -> np.dtype:
    """Return the layout of a record: 64-bit integers (sizes, counts, addresses), then doubles.

    Python reads and writes `record["nx"]` of an array, `record.nx` of a `structure`; native
    code `record.nx`, where `record` comes of `linear.native.raw.record`.

    Args:
        integers: Names, one or several in a string.
        doubles: The same.
    """
    kinds = ((integers, np.int64), (doubles, np.float64))
    return np.dtype(
        [(name, kind) for lines, kind in kinds for line in lines for name in line.split()],
        align=True,
    )


class Record(ctypes.Structure):
    """A record whose fields are read and written as `record.nx`, as Python's numbers.

    NumPy's records are the same memory, at many times the time for a field.
    """

    __slots__ = ()

    @classmethod
    def of(cls, words: Any) -> Self:
        """Return the record that an array of 64-bit words is, in the same memory."""
        return cls.from_buffer(words)


def structure(kind: np.dtype) -> type[Record]:
    """Return the class of records of a layout."""
    kinds = {"i": ctypes.c_int64, "f": ctypes.c_double}
    known: Any = kind.fields
    fields = [(name, kinds[each[0].kind]) for name, each in known.items()]
    return type("Record", (Record,), {"_fields_": fields, "__slots__": ()})


def words(kind: np.dtype, names: Iterable[str]) -> np.ndarray:
    """Return which 64-bit words of a record fields are, to write many of them at once.

    Args:
        kind: The layout.
        names: Of the fields.
    """
    fields: Any = kind.fields
    return np.array([fields[name][1] // 8 for name in names], dtype=np.intp)


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
