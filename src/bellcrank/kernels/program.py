"""A function as a flat list of operations on registers: what all code generators read.

A `Program` knows nothing of CasADi. It can be written to a file without pickle, read back,
hashed, run by NumPy (`evaluate`: slow, and the judge of everything that is fast), or turned
into machine code (`bellcrank.kernels.emit.llvm`).

Instruction i is `operations[i]`, `operands[i] = (a, b)`, `targets[i] = r`, and means

    input       w[r] = a-th input, b-th stored number
    constant    w[r] = constants[a]
    output      r-th stored number of the b-th output = w[a]
    one operand w[r] = op(w[a])            two operands  w[r] = op(w[a], w[b])
"""

import functools
import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bellcrank.errors import FileError
from bellcrank.kernels.ports import Port, collect

MAGIC = b"bellcrank program 1\n"


def _both(value: Any) -> np.ndarray:
    return np.asarray(value, dtype=float)


def _sign(x: np.ndarray) -> np.ndarray:
    return np.where(x == 0, x, np.sign(x))  # the sign of a zero is that zero


def _twice(x: np.ndarray) -> np.ndarray:
    return x + x


_erf = np.vectorize(math.erf, otypes=[float])


def _remainder(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return x - n y with n the integer nearest to x/y, ties to even."""
    usual = np.isfinite(x) & (y != 0) & ~np.isnan(y)
    by_math = np.vectorize(math.remainder, otypes=[float])
    return np.where(usual, by_math(np.where(usual, x, 0.0), np.where(usual, y, 1.0)), np.nan)


UNARY: dict[str, Callable[[Any], Any]] = {
    "assign": lambda x: x,
    "neg": np.negative,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sq": np.square,
    "twice": _twice,
    "sin": np.sin,
    "cos": np.cos,
    "tan": np.tan,
    "asin": np.arcsin,
    "acos": np.arccos,
    "atan": np.arctan,
    "not": lambda x: _both(x == 0),
    "floor": np.floor,
    "ceil": np.ceil,
    "fabs": np.abs,
    "sign": _sign,
    "erf": _erf,
    "inv": lambda x: 1.0 / x,
    "sinh": np.sinh,
    "cosh": np.cosh,
    "tanh": np.tanh,
    "asinh": np.arcsinh,
    "acosh": np.arccosh,
    "atanh": np.arctanh,
    "log1p": np.log1p,
    "expm1": np.expm1,
}
"""One-operand operations and what they are in NumPy."""

BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "pow": np.power,
    "lt": lambda x, y: _both(x < y),
    "le": lambda x, y: _both(x <= y),
    "eq": lambda x, y: _both(x == y),
    "ne": lambda x, y: _both(x != y),
    "and": lambda x, y: _both((x != 0) & (y != 0)),
    "or": lambda x, y: _both((x != 0) | (y != 0)),
    "fmod": np.fmod,
    "copysign": np.copysign,
    "if_else_zero": lambda x, y: np.where(x != 0, y, 0.0),
    "fmin": np.fmin,
    "fmax": np.fmax,
    "atan2": np.arctan2,
    "hypot": np.hypot,
    "remainder": _remainder,
}
"""Two-operand operations and what they are in NumPy."""

OPERATIONS: tuple[str, ...] = ("input", "constant", "output", *UNARY, *BINARY)
"""All operations; the code of one is its place here."""

CODE: dict[str, int] = {name: code for code, name in enumerate(OPERATIONS)}


@dataclass(frozen=True, eq=False)
class Program:
    """A straight-line function.

    Attributes:
        name: What it is called in messages.
        inputs: Its inputs.
        outputs: Its outputs.
        operations: Codes, the places in `OPERATIONS`, int32, shape (n,).
        operands: See the module's head, int32, shape (n, 2).
        targets: Likewise, int32, shape (n,).
        constants: The numbers that occur, float64.
        registers: How many registers w there are.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> from bellcrank.kernels.lower import lower
        >>> equations = bc.equations(examples.load("double-pendulum"))
        >>> program = lower(equations.function("mass"))
        >>> isinstance(program, bc.Program), [port.name for port in program.outputs]
        (True, ['A'])
    """

    name: str
    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    operations: np.ndarray
    operands: np.ndarray
    targets: np.ndarray
    constants: np.ndarray
    registers: int

    def __len__(self) -> int:
        return len(self.operations)

    def __repr__(self) -> str:
        taken = ", ".join(port.name for port in self.inputs)
        given = ", ".join(port.name for port in self.outputs)
        return f"<Program {self.name}: ({taken}) -> ({given}), {len(self)} operations>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    @functools.cached_property
    def digest(self) -> str:
        """SHA-256 of all there is to it."""
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def evaluate(self, *arrays: Any) -> tuple[np.ndarray, ...]:
        """Return the outputs, by NumPy, operation by operation.

        Args:
            arrays: One for each input, shape (..., *port.shape); leading axes broadcast.

        Returns:
            One array for each output, shape (..., *port.shape).
        """
        batch, given = collect(self.name, self.inputs, arrays)
        results = [np.zeros((*batch, port.size)) for port in self.outputs]
        self.run(given, results)
        return tuple(
            port.unpack(numbers) for port, numbers in zip(self.outputs, results, strict=True)
        )

    def run(self, given: list[np.ndarray], results: list[np.ndarray]) -> None:
        """Write the outputs into arrays, in the numbers given: real ones, or complex.

        Args:
            given: One for each input, shape (..., port.size).
            results: One for each output, likewise.
        """
        w: list[Any] = [None] * self.registers
        constants = [np.float64(value) for value in self.constants]
        with np.errstate(all="ignore"):
            for code, (a, b), r in zip(
                self.operations.tolist(),
                self.operands.tolist(),
                self.targets.tolist(),
                strict=True,
            ):
                operation = OPERATIONS[code]
                if operation == "input":
                    w[r] = given[a][..., b]
                elif operation == "constant":
                    w[r] = constants[a]
                elif operation == "output":
                    results[b][..., r] = w[a]
                elif operation in UNARY:
                    w[r] = UNARY[operation](w[a])
                else:
                    w[r] = BINARY[operation](w[a], w[b])

    def to_bytes(self) -> bytes:
        """Return the program as bytes: a line of JSON, then the arrays, little-endian."""
        header = {
            "name": self.name,
            "inputs": [asdict(port) for port in self.inputs],
            "outputs": [asdict(port) for port in self.outputs],
            "operations": list(OPERATIONS),
            "length": len(self),
            "constants": len(self.constants),
            "registers": self.registers,
        }
        return b"".join((
            MAGIC,
            json.dumps(header).encode() + b"\n",
            self.operations.astype("<i4").tobytes(),
            self.operands.astype("<i4").tobytes(),
            self.targets.astype("<i4").tobytes(),
            self.constants.astype("<f8").tobytes(),
        ))

    @staticmethod
    def from_bytes(data: bytes) -> "Program":
        """Return the program that `to_bytes` wrote.

        Raises:
            FileError: If the bytes are no program, or a damaged one.
        """
        try:
            return _parse(data)
        except (ValueError, KeyError, TypeError, IndexError) as problem:
            raise FileError(f"these bytes are no bellcrank program: {problem}.") from problem

    def save(self, path: str | Path) -> None:
        """Write the program to a file."""
        Path(path).write_bytes(self.to_bytes())

    @staticmethod
    def load(path: str | Path) -> "Program":
        """Read a program from a file."""
        return Program.from_bytes(Path(path).read_bytes())


def ports_from_json(entries: list[dict[str, Any]]) -> tuple[Port, ...]:
    """Return the ports that `dataclasses.asdict` and JSON made of them."""
    return tuple(
        Port(
            entry["name"],
            entry["rows"],
            entry["cols"],
            None if entry["nonzeros"] is None else tuple(entry["nonzeros"]),
        )
        for entry in entries
    )


def _parse(data: bytes) -> Program:
    if not data.startswith(MAGIC):
        raise ValueError("they do not begin like one")
    line, _, arrays = data[len(MAGIC) :].partition(b"\n")
    header = json.loads(line)
    n, m = header["length"], header["constants"]
    if len(arrays) != 16 * n + 8 * m:
        raise ValueError(f"{16 * n + 8 * m} bytes of arrays announced, {len(arrays)} there")
    numbers = np.frombuffer(arrays, "<i4", 4 * n).astype(np.int32)
    # Codes are places in the writer's list, which may be older than ours.
    codes = np.array([CODE[name] for name in header["operations"]], dtype=np.int32)
    program = Program(
        name=header["name"],
        inputs=ports_from_json(header["inputs"]),
        outputs=ports_from_json(header["outputs"]),
        operations=codes[numbers[:n]],
        operands=numbers[n : 3 * n].reshape(n, 2),
        targets=numbers[3 * n :],
        constants=np.frombuffer(arrays, "<f8", m, 16 * n).astype(float),
        registers=header["registers"],
    )
    check(program)
    return program


def check(program: Program) -> None:
    """Raise ValueError unless every instruction stays within its ports and registers."""
    a, b, r = program.operands[:, 0], program.operands[:, 1], program.targets
    taken = np.array([port.size for port in program.inputs] or [0])
    given = np.array([port.size for port in program.outputs] or [0])
    bounds = {
        "input": (len(program.inputs), None, program.registers),
        "constant": (len(program.constants), None, program.registers),
        "output": (program.registers, len(program.outputs), None),
    }
    written = np.zeros(program.registers, dtype=bool)
    written[r[(program.operations != CODE["output"]) & (r >= 0) & (r < len(written))]] = True
    for name in {OPERATIONS[code] for code in np.unique(program.operations)}:
        at = program.operations == CODE[name]
        limits = bounds.get(name, (program.registers,) * 3)
        for values, limit in zip((a[at], b[at], r[at]), limits, strict=True):
            if limit is not None and not ((values >= 0) & (values < limit)).all():
                raise ValueError(f"an operand of {name!r} is out of range")
        if name == "input" and not ((b[at] >= 0) & (b[at] < taken[a[at]])).all():
            raise ValueError("an input is read beyond its end")
        if name == "output" and not ((r[at] >= 0) & (r[at] < given[b[at]])).all():
            raise ValueError("an output is written beyond its end")
        if name not in {"input", "constant", "output"} and not written[a[at]].all():
            raise ValueError(f"{name!r} reads a register that is never written")
