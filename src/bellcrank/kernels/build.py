"""Kernels: native functions of arrays, compiled when first asked for and kept from then on.

    kernel(key, make) → remembered in this process? kept on disk? else make() and compile

A kernel kept on disk needs neither CasADi nor a compiler: reading and linking it takes about
two milliseconds.
"""

import ctypes
import functools
import itertools
import json
import math
import reprlib
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.kernels import cache, jit
from bellcrank.kernels.ports import Port, collect
from bellcrank.kernels.program import Program, ports_from_json

if TYPE_CHECKING:
    import casadi

ENTRIES = ("kernel", "kernel_batch")
LANES = (1, 2, 4, 8)
REMEMBERED = 512  # kernels kept alive in the process; one that is in use lives anyway

_memo: OrderedDict[tuple[str, int, int], "Kernel"] = OrderedDict()
_lock = threading.RLock()

_SINGLE = ctypes.PYFUNCTYPE(None, *[ctypes.c_void_p] * 3)  # microseconds: keeps the GIL
_BATCH = ctypes.CFUNCTYPE(None, ctypes.c_int64, *[ctypes.c_void_p] * 5)  # releases it


def _aligned(size: int) -> np.ndarray:
    """Return zeros that begin at a multiple of 64 bytes, as wide vectors like it."""
    room = np.zeros(size + 8)
    start = -(room.ctypes.data // 8) % 8
    return room[start : start + size]


def _pointers(arrays: Sequence[np.ndarray]) -> np.ndarray:
    return np.array([array.ctypes.data for array in arrays] or [0], dtype=np.uintp)


class Kernel:
    """A native function with named inputs and outputs.

    Called with arrays, it returns a tuple of arrays. Leading axes are a batch: those of the
    inputs broadcast against each other. Safe to call from several threads.

    Attributes:
        name: What it is called.
        inputs: The inputs in order.
        outputs: The outputs in order.
        lanes: Instances that run side by side in a batch.
        address: Of `void f(const double **in, double **out, double *work)`.
        batch_address: Of the batch entry, see `bellcrank.kernels.emit.llvm`.
        work: Doubles of working memory that either needs.
        inner: A kernel whose code this one calls.
        operations: Instructions of its program.
    """

    def __init__(
        self,
        name: str,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        library: jit.Library,
        *,
        work: int,
        lanes: int,
        operations: int = 0,
    ) -> None:
        self.name, self.inputs, self.outputs = name, inputs, outputs
        self.work, self.lanes = work, lanes
        self.operations = operations
        self.address, self.batch_address = (library[entry] for entry in ENTRIES)
        self._library = library
        self.inner: Kernel | None = None
        self._batch = _BATCH(self.batch_address)
        self._prepare()

    def __repr__(self) -> str:
        taken = ", ".join(f"{port.name}{list(port.shape)}" for port in self.inputs)
        given = ", ".join(f"{port.name}{list(port.shape)}" for port in self.outputs)
        return f"<Kernel {self.name}: ({taken}) -> ({given}), lanes={self.lanes}>"

    def _prepare(self) -> None:
        """Set up buffers for single calls, whose addresses are looked up once."""
        self._lock = threading.Lock()
        self._in = [np.zeros(port.size) for port in self.inputs]
        offsets = np.cumsum([0, *(port.size for port in self.outputs)]).tolist()
        self._flat = np.zeros(offsets[-1])
        self._parts = [slice(*pair) for pair in itertools.pairwise(offsets)]
        self._room = _aligned(self.work)
        out = [self._flat[part] for part in self._parts]
        self._tables = _pointers(self._in), _pointers(out)
        addresses = (*(table.ctypes.data for table in self._tables), self._room.ctypes.data)
        single, arguments = _SINGLE(self.address), [ctypes.c_void_p(a) for a in addresses]
        self._single = functools.partial(single, *arguments)
        self._shapes = [port.shape for port in self.inputs]
        self._copied = [(i, buffer) for i, buffer in enumerate(self._in) if buffer.size]
        self._simple, self._plain = (
            all(port.nonzeros is None and port.cols == 1 for port in ports)
            for ports in (self.inputs, self.outputs)
        )

    def __call__(self, *arrays: Any) -> tuple[np.ndarray, ...]:
        """Return the outputs for these inputs.

        Args:
            arrays: One for each input, shape (..., *port.shape); leading axes broadcast. A
                bare number does for an input of one.

        Returns:
            One array for each output, shape (..., *port.shape), matrices full.

        Raises:
            OptionError: If there are too few or too many inputs, or shapes do not fit.
        """
        if self._simple and len(arrays) == len(self._shapes):
            for array, shape in zip(arrays, self._shapes, strict=True):
                if type(array) is not np.ndarray or array.shape != shape:
                    break
            else:
                return self._one(arrays)
        return self._many(arrays)

    def _one(self, arrays: Sequence[np.ndarray]) -> tuple[np.ndarray, ...]:
        """Evaluate one instance whose inputs are vectors."""
        with self._lock:
            for place, buffer in self._copied:
                buffer[:] = arrays[place]
            self._single()
            flat = self._flat.copy()
        if not self._plain:
            pairs = zip(self.outputs, self._parts, strict=True)
            return tuple([port.unpack(flat[part]) for port, part in pairs])
        if len(self._parts) == 1:
            return (flat,)
        return tuple([flat[part] for part in self._parts])

    def _many(self, arrays: Sequence[Any]) -> tuple[np.ndarray, ...]:
        """Evaluate a batch; matrices are filled with their zeros."""
        return tuple(
            port.unpack(numbers)
            for port, numbers in zip(self.outputs, self.stored(*arrays), strict=True)
        )

    def stored(self, *arrays: Any) -> list[np.ndarray]:
        """Return the stored numbers of every output, shape (..., port.size); see `Port`.

        An input without leading axes is shared, not copied.

        Args:
            arrays: As of a call.
        """
        batch, given = collect(self.name, self.inputs, arrays)
        count = math.prod(batch)
        rows, strides = [], []
        for port, numbers in zip(self.inputs, given, strict=True):
            shared = numbers.ndim == 1
            if not shared:
                numbers = np.broadcast_to(numbers, (*batch, port.size))
            rows.append(np.ascontiguousarray(numbers))
            strides.append(0 if shared else port.size)
        results = [np.zeros((*batch, port.size)) for port in self.outputs]
        if count:
            self._run(count, rows, strides, results)
        return results

    def _run(
        self, count: int, rows: list[np.ndarray], strides: list[int], results: list[np.ndarray]
    ) -> None:
        tables = (
            _pointers(rows),
            np.array(strides or [0], dtype=np.int64),
            _pointers(results),
            np.array([port.size for port in self.outputs] or [0], dtype=np.int64),
            _aligned(self.work),
        )
        self._batch(count, *(table.ctypes.data for table in tables))


def kernel(
    key: str,
    make: "Callable[[], Program | casadi.Function]",
    *,
    lanes: int = 1,
    level: int = 1,
) -> Kernel:
    """Return the kernel kept under `key`, compiling it if it is not kept.

    Args:
        key: All that decides what `make` returns: model structure, formulation, question.
            Processor, library versions and our own sources are added to it.
        make: Makes the function to compile; called only if it must be.
        lanes: Instances side by side in batches: 1, 2, 4 or 8.
        level: Effort of code generation: 1, or 0 for what runs seldom.

    Raises:
        OptionError: If there is no such number of lanes, or level.
    """
    check_build(lanes, level)
    place = (key, lanes, level)
    with _lock:
        if place in _memo:
            _memo.move_to_end(place)
            return _memo[place]
        full = f"kernel {key}\nlanes {lanes} level {level}\nsources {cache.fingerprint()}"
        payload = cache.blob(full, lambda: _compile(make(), lanes, level), name=_title(key))
        _memo[place] = found = _from_bytes(payload)
        if len(_memo) > REMEMBERED:
            _memo.popitem(last=False)
        return found


def forget() -> None:
    """Forget the kernels of this process: those asked for next come from the cache again."""
    with _lock:
        _memo.clear()


def check_build(lanes: int, level: int) -> None:
    """Complain about a way to compile that there is not.

    Raises:
        OptionError: If there is no such number of lanes, or level.
    """
    if not isinstance(lanes, int) or lanes not in LANES:
        raise OptionError(f"lanes must be one of 1, 2, 4, 8, got {reprlib.repr(lanes)}.")
    if not isinstance(level, int) or level not in (0, 1, 2, 3):
        raise OptionError(f"level must be 0, 1, 2 or 3, got {reprlib.repr(level)}.")


def _title(key: str) -> str:
    r"""Return what the notice calls a kernel: `question of model` begins its key.

    Examples:
        >>> _title("derivatives of four-bar\nq, u")
        "the equations of 'four-bar'"
    """
    _, _, model = key.split("\n", 1)[0].partition(" of ")
    return f"the equations of {model if len(model) <= 60 else model[:59] + '…'!r}"


def build(function: "Program | casadi.Function", *, lanes: int = 1, level: int = 1) -> Kernel:
    """Return a kernel of a function, compiled now and kept nowhere."""
    return _from_bytes(_compile(function, lanes, level))


def _compile(function: "Program | casadi.Function", lanes: int, level: int) -> bytes:
    """Return a kernel as bytes: a line of JSON, then the object file."""
    from bellcrank.kernels.emit.llvm import emit

    if not isinstance(function, Program):
        from bellcrank.kernels.lower import lower

        function = lower(function)
    code = emit(function, lanes=lanes, level=level)
    header = {
        "name": function.name,
        "inputs": [asdict(port) for port in function.inputs],
        "outputs": [asdict(port) for port in function.outputs],
        "work": code.work,
        "lanes": lanes,
        "operations": len(function.operations),
    }
    return json.dumps(header).encode() + b"\n" + code.object


def _from_bytes(payload: bytes) -> Kernel:
    line, _, code = payload.partition(b"\n")
    header = json.loads(line)
    return Kernel(
        header["name"],
        ports_from_json(header["inputs"]),
        ports_from_json(header["outputs"]),
        jit.link(code, ENTRIES),
        work=header["work"],
        lanes=header["lanes"],
        operations=header["operations"],
    )
