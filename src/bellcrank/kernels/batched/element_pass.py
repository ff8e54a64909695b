"""A pass over all elements of a machine, in one native call: gather, run, add up.

    gather   room[i] = vector[place[i]]          from the machine's vectors to the elements
    run      kernel over elements of a kind, in lanes
    add up   total[place[i]] += value[i]         from the elements to vectors or a sparse matrix

Elements are taken `CHUNK` at a time, so that what is gathered and what kernels give stays in
the processor's own memory. Everything is a table of addresses, read by one function that all
machines share:

    how many totals, how many runs
    total    vector, count: what is set to zero first
    run      kernel, elements, inputs, strides, outputs, sizes, scratch; how many of the rest:
    gather   vector, place, room, numbers per element
    shift    where an input's address is, the address for the first element, bytes per element
    sum      values, place, total, numbers per element
"""

import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np

from bellcrank.formulations.contract.equations import Batch
from bellcrank.kernels import jit
from bellcrank.kernels.batched.arena import Arena
from bellcrank.kernels.build import Kernel
from bellcrank.kernels.ports import Port

Array = np.ndarray
CHUNK = 64  # elements at a time
SHARED = ("t", "c")
"""What all elements take alike."""
_SOURCE = {"a": "u", "x": "u", "lam": "rows", "b": "q"}
_SYMBOL = "bellcrank_element_pass"
_linked: list[jit.Library] = []  # code lives as long as its library


@dataclass(frozen=True, eq=False)
class Output:
    """What a kernel gives, while its chunk is in hand.

    Attributes:
        run: Which run of the pass it belongs to.
        width: Numbers of one element.
        room: Where they are.
    """

    run: int
    width: int
    room: Array


@dataclass(eq=False)
class _BatchRun:
    """A kernel over all elements of a batch, as entries of the table."""

    head: list[int]
    gathers: list[list[int]] = field(default_factory=list)
    shifts: list[list[int]] = field(default_factory=list)
    sums: list[list[int]] = field(default_factory=list)

    def entries(self) -> list[int]:
        """Return all numbers, in order."""
        groups = (self.gathers, self.shifts, self.sums)
        counts = [len(group) for group in groups]
        return [*self.head, *counts, *(x for group in groups for entry in group for x in entry)]


class ElementPass:
    """A question that is asked of all batches at once.

    Attributes:
        kernels: The kernel of each batch that is asked.
        outputs: What each gives, by name.
        takes: Names of the machine's vectors that are looked at.
    """

    def __init__(
        self,
        vectors: Mapping[str, Array],
        asked: Iterable[tuple[Batch, Kernel, Array]],
        arena: Arena,
    ) -> None:
        """Lay out a pass.

        Args:
            vectors: The machine's vectors by name; the pass reads them where they are.
            asked: Batches, their kernels, and what these take for `n`, one row per element.
            arena: Where places and numbers are kept.
        """
        self._pieces = arena
        self.kernels: list[tuple[Batch, Kernel]] = []
        self.outputs: list[dict[str, Output]] = []
        self.takes: set[str] = set()
        self._vectors, self._keep, self._table = vectors, [], np.zeros(0, dtype=np.int64)
        self._totals: list[list[int]] = []
        self._runs: list[_BatchRun] = []
        for batch, kernel, numbers in asked:
            self._lay(batch, kernel, numbers)

    def _lay(self, batch: Batch, kernel: Kernel, numbers: Array) -> None:
        """Add a batch."""
        count, rows = len(batch.elements), min(len(batch.elements), CHUNK)
        rooms = [self._input(batch, port, numbers) for port in kernel.inputs]
        found = {
            port.name: Output(len(self._runs), port.size, np.zeros((rows, port.size)))
            for port in kernel.outputs
        }
        scratch = np.zeros(kernel.work + 8)
        tables = [
            np.array(column or [0], dtype=np.int64)
            for column in (
                [each.ctypes.data for each in rooms],
                [0 if port.name in SHARED else port.size for port in kernel.inputs],
                [each.room.ctypes.data for each in found.values()],
                [port.size for port in kernel.outputs],
            )
        ]
        aligned = scratch.ctypes.data + (-scratch.ctypes.data) % 64
        addresses = [table.ctypes.data for table in tables]
        run = _BatchRun([kernel.batch_address, count, *addresses, aligned])
        for slot, (port, room) in enumerate(zip(kernel.inputs, rooms, strict=True)):
            if port.name == "n":
                run.shifts.append([addresses[0] + 8 * slot, room.ctypes.data, 8 * port.size])
            elif port.name not in SHARED and port.size:
                run.gathers.append(self._gather(batch, port, room))
        self._runs.append(run)
        self._keep += [rooms, found, scratch, tables]
        self.kernels.append((batch, kernel))
        self.outputs.append(found)

    def _input(self, batch: Batch, port: Port, numbers: Array) -> Array:
        """Return where a kernel reads an input: its room, or what is there already."""
        count = len(batch.elements)
        if port.name == "n":
            return self._pieces.copy(numbers.reshape(count, port.size))
        self.takes.add(port.name)
        if port.name in SHARED:
            return self._vectors[port.name]
        _check_room(batch, port, count)
        return np.zeros((min(count, CHUNK), port.size))

    def _gather(self, batch: Batch, port: Port, room: Array) -> list[int]:
        """Return the entry that fills a room."""
        where = self._pieces.copy(places(batch, port.name), np.int32)
        source = self._vectors[port.name]
        _check(where, source.size)
        self._keep += [where, source]
        return [source.ctypes.data, where.ctypes.data, room.ctypes.data, port.size]

    def total(self, out: Array, parts: Iterable[tuple[Output, Array]]) -> Array:
        """Have values added up in `out` in every pass; return `out`.

        Args:
            out: A contiguous vector; what nothing is added to becomes zero.
            parts: What kernels give, and its places in `out`, one row per element.
        """
        if self._table.size:
            raise RuntimeError("a pass that has an address takes no more sums")
        self._totals.append([out.ctypes.data, out.size])
        self._keep.append(out)
        for output, place in parts:
            where = self._pieces.copy(place, np.int32)
            _check(where, out.size)
            wanted = (len(self.kernels[output.run][0].elements), output.width)
            if where.shape != wanted:
                raise ValueError(f"places of shape {where.shape}, where {wanted} are given")
            if where.size:
                addresses = [output.room.ctypes.data, where.ctypes.data, out.ctypes.data]
                self._runs[output.run].sums.append([*addresses, output.width])
                self._keep.append(where)
        return out

    @property
    def address(self) -> int:
        """Where the table is, for `run_pass`."""
        if not self._table.size:
            flat = [len(self._totals), len(self._runs)]
            flat += [number for entry in self._totals for number in entry]
            flat += [number for run in self._runs for number in run.entries()]
            self._table = np.array(flat, dtype=np.int64)
        return self._table.ctypes.data

    def __call__(self) -> None:
        """Make the pass."""
        _player()(self.address)


def places(batch: Batch, name: str) -> Array:
    """Return the places an input of a kernel is read from, one row per element."""
    return batch.places[_SOURCE.get(name, name)]


def _check_room(batch: Batch, port: Port, count: int) -> None:
    """Native code trusts that every element has as many numbers as its kernel takes."""
    if port.name in SHARED or port.name == "n":
        return
    found = places(batch, port.name).shape
    if found != (count, port.size):
        raise ValueError(
            f"'{batch.kind}' takes {port.size} numbers of {port.name} for each of {count} "
            f"elements, but their places have shape {found}"
        )


def _check(where: Array, size: int) -> None:
    """Native code trusts places."""
    if where.size and not (where.min() >= 0 and where.max() < size):
        raise IndexError(f"places from {where.min()} to {where.max()} in {size} numbers")


@functools.cache
def _player() -> Callable[[int], None]:
    """Return `run_pass(table)`; it releases the interpreter's lock."""
    return ctypes.CFUNCTYPE(None, ctypes.c_int64)(pass_address())


@functools.cache
def pass_address() -> int:
    """Return the address of `void run_pass(int64 *table)`."""
    from bellcrank.kernels.batched.element_pass_text import module

    library = jit.link(jit.assemble(module(_SYMBOL, CHUNK), level=2), [_SYMBOL])
    _linked.append(library)
    return library[_SYMBOL]
