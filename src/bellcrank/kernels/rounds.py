"""A round over all elements of a machine, in one native call: gather, run, add up.

    gather   room[i] = vector[place[i]]          from the machine's vectors to the elements
    run      kernel over all elements of a kind, in lanes
    add up   total[place[i]] += value[i]         from the elements to vectors or a sparse matrix

Everything is a table of addresses, read by one function that all machines share:

    numbers of gathers, runs and sums; then of each
    gather   vector, place, room, count
    run      kernel, elements, inputs, strides, outputs, sizes, scratch
    sum      values, place, total, count, and how much of `total` is set to zero before
"""

import ctypes
import functools
from collections.abc import Callable, Iterable, Mapping

import numpy as np

from bellcrank.formulations.equations import Batch
from bellcrank.kernels import jit
from bellcrank.kernels.build import Kernel
from bellcrank.kernels.ports import Port

Array = np.ndarray
SHARED = ("t", "c")
"""What all elements take alike."""
_SOURCE = {"a": "u", "x": "u", "lam": "rows", "b": "q"}
_SYMBOL = "bellcrank_round"
_linked: list[jit.Library] = []  # code lives as long as its library


class Round:
    """A question that is asked of all batches at once.

    Attributes:
        kernels: The kernel of each batch that is asked.
        values: What each gives, by output: one row of stored numbers per element. The next
            round overwrites them.
        takes: Names of the machine's vectors that are looked at.
    """

    def __init__(
        self, vectors: Mapping[str, Array], asked: Iterable[tuple[Batch, Kernel, Array]]
    ) -> None:
        """Lay out a round.

        Args:
            vectors: The machine's vectors by name; the round reads them where they are.
            asked: Batches, their kernels, and what these take for `n`, one row per element.
        """
        self.kernels: list[tuple[Batch, Kernel]] = []
        self.values: list[dict[str, Array]] = []
        self.takes: set[str] = set()
        self._vectors, self._keep, self._table = vectors, [], np.zeros(0, dtype=np.int64)
        self._gathers: list[list[int]] = []
        self._runs: list[list[int]] = []
        self._sums: list[list[int]] = []
        for batch, kernel, numbers in asked:
            self._lay(batch, kernel, numbers)

    def _lay(self, batch: Batch, kernel: Kernel, numbers: Array) -> None:
        """Add a batch."""
        count = len(batch.elements)
        inputs, strides = [], []
        for port in kernel.inputs:
            strides.append(0 if port.name in SHARED else port.size)
            _check_room(batch, port, count)
            if port.name == "n":
                inputs.append(np.ascontiguousarray(numbers.reshape(count, port.size)))
            elif port.name in SHARED:
                inputs.append(self._vectors[port.name])
            else:
                inputs.append(self._room(port.name, places(batch, port.name)))
            self.takes |= {port.name} - {"n"}
        found = {port.name: np.zeros((count, port.size)) for port in kernel.outputs}
        scratch = np.zeros(kernel.work + 8)
        tables = [
            np.array(column or [0], dtype=np.int64)
            for column in (
                [each.ctypes.data for each in inputs], strides,
                [each.ctypes.data for each in found.values()],
                [port.size for port in kernel.outputs],
            )
        ]  # fmt: skip
        aligned = scratch.ctypes.data + (-scratch.ctypes.data) % 64
        addresses = [table.ctypes.data for table in tables]
        self._runs.append([kernel.batch_address, count, *addresses, aligned])
        self._keep += [inputs, found, scratch, tables]
        self.kernels.append((batch, kernel))
        self.values.append(found)

    def _room(self, name: str, place: Array) -> Array:
        """Return where the numbers of one batch come to be."""
        room, where = np.zeros(place.shape), np.ascontiguousarray(place, dtype=np.int32)
        source = self._vectors[name]
        _check(where, source.size)
        if room.size:
            addresses = [source.ctypes.data, where.ctypes.data, room.ctypes.data]
            self._gathers.append([*addresses, room.size])
        self._keep += [where, source]
        return room

    def total(self, out: Array, parts: Iterable[tuple[Array, Array]]) -> Array:
        """Have values added up in `out` at the end of every round; return `out`.

        Args:
            out: A contiguous vector; what nothing is added to becomes zero.
            parts: Values of elements, and their places in `out`.
        """
        if self._table.size:
            raise RuntimeError("a round that has an address takes no more sums")
        self._sums.append([0, 0, out.ctypes.data, 0, out.size])
        self._keep.append(out)
        for values, place in parts:
            where = np.ascontiguousarray(place, dtype=np.int32)
            _check(where, out.size)
            if where.shape != values.shape:
                raise ValueError(f"values of shape {values.shape}, places {where.shape}")
            if values.size:
                addresses = [values.ctypes.data, where.ctypes.data, out.ctypes.data]
                self._sums.append([*addresses, values.size, 0])
                self._keep.append(where)
        return out

    @property
    def address(self) -> int:
        """Where the table is, for `play`."""
        if not self._table.size:
            groups = (self._gathers, self._runs, self._sums)
            flat = [len(group) for group in groups]
            flat += [number for group in groups for entry in group for number in entry]
            self._table = np.array(flat, dtype=np.int64)
        return self._table.ctypes.data

    def __call__(self) -> None:
        """Make the round."""
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
    """Return `play(table)`; it releases the interpreter's lock."""
    return ctypes.CFUNCTYPE(None, ctypes.c_int64)(play_address())


@functools.cache
def play_address() -> int:
    """Return the address of `void play(int64 *table)`."""
    library = jit.link(jit.assemble(_text(), level=2), [_SYMBOL])
    _linked.append(library)
    return library[_SYMBOL]


def _entry(count: int, pointers: str) -> str:
    """Return code that reads an entry of `count` integers at %at, some of them as addresses."""
    lines = []
    for n in range(count):
        kind = "ptr" if n < len(pointers) and pointers[n] == "p" else "i64"
        lines.append(f"  %place{n} = getelementptr i64, ptr %at, i64 {n}")
        lines.append(f"  %e{n} = load {kind}, ptr %place{n}")
    return "\n".join(lines)


def _over_entries(name: str, count: int, pointers: str, body: str) -> str:
    """Return a function that does `body` for `n` entries from %at on, and returns the end."""
    return f"""
define internal ptr @{name}(ptr %begin, i64 %n) {{
start:
  br label %head
head:
  %k = phi i64 [ 0, %start ], [ %k.next, %next ]
  %at = phi ptr [ %begin, %start ], [ %at.next, %next ]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %entry, label %end
entry:
{_entry(count, pointers)}
{body}
next:
  %at.next = getelementptr i64, ptr %at, i64 {count}
  %k.next = add i64 %k, 1
  br label %head
end:
  ret ptr %at
}}"""


def _loop(step: str) -> str:
    """Return a loop over `step`, %e3 times, with %i and its place %j, from %entry to %next."""
    return f"""  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %step ]
  %go = icmp slt i64 %i, %e3
  br i1 %go, label %step, label %next
step:
  %where = getelementptr i32, ptr %e1, i64 %i
  %j32 = load i32, ptr %where
  %j = zext i32 %j32 to i64
{step}
  %i.next = add i64 %i, 1
  br label %loop"""


def _text() -> str:
    """Return the module of `play`."""
    gather = _loop("""  %from = getelementptr double, ptr %e0, i64 %j
  %value = load double, ptr %from
  %to = getelementptr double, ptr %e2, i64 %i
  store double %value, ptr %to""")
    add = _loop("""  %from = getelementptr double, ptr %e0, i64 %i
  %value = load double, ptr %from
  %to = getelementptr double, ptr %e2, i64 %j
  %before = load double, ptr %to
  %after = fadd double %before, %value
  store double %after, ptr %to""")
    add = f"""  %bytes = mul i64 %e4, 8
  call void @llvm.memset.p0.i64(ptr %e2, i8 0, i64 %bytes, i1 false)
{add}"""
    run = """  call void %e0(i64 %e1, ptr %e2, ptr %e3, ptr %e4, ptr %e5, ptr %e6)
  br label %next"""
    return f"""
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)
{_over_entries("gather", 4, "ppp", gather)}
{_over_entries("run", 7, "p.ppppp", run)}
{_over_entries("add", 5, "ppp", add)}
define void @{_SYMBOL}(ptr %table) {{
  %runs.at = getelementptr i64, ptr %table, i64 1
  %sums.at = getelementptr i64, ptr %table, i64 2
  %first = getelementptr i64, ptr %table, i64 3
  %gathers = load i64, ptr %table
  %runs = load i64, ptr %runs.at
  %sums = load i64, ptr %sums.at
  %second = call ptr @gather(ptr %first, i64 %gathers)
  %third = call ptr @run(ptr %second, i64 %runs)
  %last = call ptr @add(ptr %third, i64 %sums)
  ret void
}}
"""
