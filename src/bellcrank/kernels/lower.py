"""From a CasADi function to a `Program`. The one place in the kernels that imports CasADi."""

import casadi as ca
import numpy as np

from bellcrank.errors import NotSupported
from bellcrank.kernels.ports import Port
from bellcrank.kernels.program import CODE, UNARY, Program

ALIASES = {"constpow": "pow", "const": "constant", "lift": "assign"}
"""Operations of CasADi that are another one of ours."""

NAMES: dict[int, str] = {
    getattr(ca, name): ALIASES.get(name[3:].lower(), name[3:].lower())
    for name in dir(ca)
    if name.startswith("OP_")
}
"""CasADi's code of an operation → its name."""


def lower(function: ca.Function) -> Program:
    """Return the flat instruction list of a function.

    Args:
        function: A function of scalar symbols (SX); one of matrix symbols (MX) is expanded.

    Raises:
        NotSupported: If it has free symbols, or an operation without machine code.
    """
    if not function.is_a("SXFunction"):
        function = _expanded(function)
    if function.has_free():
        free = ", ".join(function.get_free())
        raise NotSupported(f"function {function.name()!r} has free symbols: {free}.")
    n = function.n_instructions()
    ids = [function.instruction_id(k) for k in range(n)]
    _refuse_unknown(function, ids)
    operations = np.array([CODE[NAMES[i]] for i in ids], dtype=np.int32)
    operands, targets, constants = _arguments(function, [NAMES[i] for i in ids])
    return Program(
        name=function.name(),
        inputs=tuple(
            _port(function.name_in(i), function.sparsity_in(i)) for i in range(function.n_in())
        ),
        outputs=tuple(
            _port(function.name_out(i), function.sparsity_out(i))
            for i in range(function.n_out())
        ),
        operations=operations,
        operands=operands,
        targets=targets,
        constants=constants,
        registers=function.sz_w(),
    )


def _expanded(function: ca.Function) -> ca.Function:
    try:
        return function.expand()
    except RuntimeError as problem:
        raise NotSupported(
            f"function {function.name()!r} cannot be expanded into scalar operations."
        ) from problem


def _refuse_unknown(function: ca.Function, ids: list[int]) -> None:
    unknown = sorted({NAMES.get(i, f"number {i}") for i in ids} - set(CODE))
    if unknown:
        raise NotSupported(
            f"function {function.name()!r} uses {', '.join(unknown)}, which cannot be made "
            "machine code."
        )


def _port(name: str, pattern: ca.Sparsity) -> Port:
    rows, cols = pattern.shape
    if pattern.is_dense():
        return Port(name, rows, cols)
    return Port(name, rows, cols, tuple(int(i) for i in pattern.find()))


def _arguments(
    function: ca.Function, names: list[str]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return operands, targets and the table of constants."""
    operands, targets = [], []
    constants: dict[bytes, int] = {}  # by their bytes: -0.0 is not 0.0
    read, written = function.instruction_input, function.instruction_output
    for k, name in enumerate(names):
        if name == "constant":
            bits = np.float64(function.instruction_constant(k)).tobytes()
            operands.append((constants.setdefault(bits, len(constants)), 0))
            targets.append(written(k)[0])
        elif name == "output":
            port, place = written(k)
            operands.append((read(k)[0], port))
            targets.append(place)
        else:
            given = read(k)
            operands.append((given[0], 0 if name in UNARY else given[1]))
            targets.append(written(k)[0])
    return (
        np.array(operands, dtype=np.int32).reshape(-1, 2),
        np.array(targets, dtype=np.int32),
        np.frombuffer(b"".join(constants), dtype=float),
    )
