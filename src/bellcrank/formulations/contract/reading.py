"""From CasADi's scalars back to letters: what was computed is written.

Only the operations that smooth equations have; short expressions are read, long ones are told
by what they depend on.
"""

from collections.abc import Mapping
from typing import Any

import casadi as ca

from bellcrank.errors import NotSupported
from bellcrank.spatial import letters
from bellcrank.spatial.letters import Letters, Symbol, call

LONGEST = 400  # operations of an expression that is read
_NAMES = {
    ca.OP_SIN: "sin", ca.OP_COS: "cos", ca.OP_TAN: "tan", ca.OP_SQRT: "sqrt",
    ca.OP_EXP: "exp", ca.OP_LOG: "log", ca.OP_TANH: "tanh", ca.OP_ASIN: "asin",
    ca.OP_ACOS: "acos", ca.OP_ATAN: "atan", ca.OP_SINH: "sinh", ca.OP_COSH: "cosh",
    ca.OP_ATAN2: "atan2", ca.OP_FABS: "abs", ca.OP_SIGN: "sign", ca.OP_FMIN: "min",
    ca.OP_FMAX: "max", ca.OP_FLOOR: "floor", ca.OP_IF_ELSE_ZERO: "where", ca.OP_LT: "lt",
    ca.OP_LE: "le", ca.OP_NOT: "not", ca.OP_EQ: "eq", ca.OP_AND: "and", ca.OP_OR: "or",
}  # fmt: skip


def read(expression: ca.SX, names: Mapping[str, Symbol]) -> Letters:
    """Return a scalar in letters.

    Args:
        expression: 1×1.
        names: Symbols by the names of CasADi's.

    Raises:
        NotSupported: It is longer than `LONGEST` operations.
    """
    if ca.n_nodes(expression) > LONGEST:
        raise NotSupported(f"an expression of {ca.n_nodes(expression)} operations is not read.")
    return _read(expression, names, {})


def _read(node: ca.SX, names: Mapping[str, Symbol], known: dict[int, Letters]) -> Letters:
    if not node.nnz():
        return letters.zero((1, 1))
    if node.is_constant():
        return letters.as_letters(float(node))
    if node.is_symbolic():
        return names[node.name()]()
    key = node.element_hash()
    if key not in known:
        given = [_read(node.dep(i), names, known) for i in range(node.n_dep())]
        known[key] = _apply(node.op(), given)
    return known[key]


def _apply(op: int, given: list[Any]) -> Letters:
    match op:
        case ca.OP_ADD:
            return given[0] + given[1]
        case ca.OP_SUB:
            return given[0] - given[1]
        case ca.OP_MUL:
            return given[0] * given[1]
        case ca.OP_DIV:
            return given[0] / given[1]
        case ca.OP_NEG:
            return -given[0]
        case ca.OP_SQ:
            return given[0] * given[0]
        case ca.OP_TWICE:
            return given[0] * 2.0
        case ca.OP_INV:
            return 1.0 / given[0]
        case ca.OP_POW | ca.OP_CONSTPOW:
            ((_, power),) = given[1].terms.items() if len(given[1].terms) == 1 else ((0, 0.5),)
            return given[0] ** power
    return call(_NAMES.get(op, f"f{op}"), *given)
