"""An expression as text, in the one form that the grammar reads back.

The text of an expression reads back as the same tree, except that parameters and inputs come
back as bare names, which the model looks up. A name that is no identifier is quoted:
`'body 3'.angle_rate`.
"""

import keyword
import math
import unicodedata
from collections.abc import Iterator
from itertools import islice

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.operations import RESERVED
from bellcrank.model.expressions.tree import (
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
)

LONGEST = 1_000_000
"""The most pieces an expression is written in; shared parts are written out every time."""

# How strongly a form holds together, as in Python.
_ANY, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _SIGN, _POWER, _ATOM = range(10)

# The mark between two operands, the strength of the form, and what it asks of each operand.
_BETWEEN = {
    "or": (" or ", _OR, _OR, _AND),
    "and": (" and ", _AND, _AND, _NOT),
    "lt": (" < ", _COMPARE, _SUM, _SUM),
    "le": (" <= ", _COMPARE, _SUM, _SUM),
    "gt": (" > ", _COMPARE, _SUM, _SUM),
    "ge": (" >= ", _COMPARE, _SUM, _SUM),
    "add": (" + ", _SUM, _SUM, _PRODUCT),
    "sub": (" - ", _SUM, _SUM, _PRODUCT),
    "mul": ("*", _PRODUCT, _PRODUCT, _SIGN),
    "div": ("/", _PRODUCT, _PRODUCT, _SIGN),
    "pow": ("**", _POWER, _ATOM, _SIGN),
}
_BEFORE = {"neg": ("-", _SIGN), "not": ("not ", _NOT)}

_Piece = str | tuple[Expression, int]


def text(expr: Expression) -> str:
    """Return the canonical text of an expression.

    Raises:
        ExpressionError: The text would be too long.

    Examples:
        >>> text(2 * Signal("body 3.angle_rate") ** 2)
        "2*'body 3'.angle_rate**2"
    """
    pieces = list(islice(_pieces(expr), LONGEST + 1))
    if len(pieces) > LONGEST:
        raise ExpressionError(f"an expression starting {shown(expr)!r} is too long to write.")
    return "".join(pieces)


def shown(expr: Expression, limit: int = 60) -> str:
    """Return the text of an expression for people, cut off after `limit` characters."""
    return shortened("".join(islice(_pieces(expr), limit + 1)), limit)


def shortened(words: str, limit: int = 60) -> str:
    """Return a text cut off after `limit` characters, with … where something is missing."""
    return words if len(words) <= limit else words[: limit - 1] + "…"


def quoted(name: str) -> str:
    """Return a signal's name as the grammar reads it.

    Examples:
        >>> quoted("A.angle"), quoted("body 3.angle"), quoted("pi")
        ('A.angle', "'body 3'.angle", "'pi'")
    """
    owner, dot, quantity = name.rpartition(".")
    if not dot:
        return name if name == "t" or (_plain(name) and name not in RESERVED) else repr(name)
    if not owner or not _plain(quantity):
        return repr(name)
    return f"{owner if _plain(owner) and owner not in RESERVED else repr(owner)}.{quantity}"


def _plain(name: str) -> bool:
    """Return whether Python reads the name as an identifier, and as the same one."""
    if not name.isidentifier() or keyword.iskeyword(name):
        return False
    return unicodedata.normalize("NFKC", name) == name


def _pieces(expr: Expression) -> Iterator[str]:
    """Yield the text piece by piece, from left to right."""
    todo: list[_Piece] = [(expr, _ANY)]
    while todo:
        item = todo.pop()
        if isinstance(item, str):
            yield item
            continue
        strength, pieces = _form(item[0])
        if strength < item[1]:
            pieces = ["(", *pieces, ")"]
        todo.extend(reversed(pieces))


def _form(node: Expression) -> tuple[int, list[_Piece]]:
    """Return how strongly a node holds together, and its pieces."""
    if isinstance(node, Constant):
        return (_ATOM if node.value >= 0.0 else _SIGN), [_number(node.value)]
    if isinstance(node, Signal | Parameter | Input):
        return _ATOM, [quoted(node.name)]
    assert isinstance(node, Operation)
    args = node.args
    if node.op in _BETWEEN:
        mark, strength, left, right = _BETWEEN[node.op]
        return strength, [(args[0], left), mark, (args[1], right)]
    if node.op in _BEFORE:
        mark, strength = _BEFORE[node.op]
        return strength, [mark, (args[0], strength)]
    if node.op == "interp":
        half = 1 + len(args) // 2
        table = [", [", *_listed(args[1:half]), "], [", *_listed(args[half:]), "])"]
        return _ATOM, ["interp(", (args[0], _ANY), *table]
    return _ATOM, [f"{node.op}(", *_listed(args), ")"]


def _listed(args: tuple[Expression, ...]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for arg in args:
        pieces += [", ", (arg, _ANY)]
    return pieces[1:]


def _number(value: float) -> str:
    if abs(value) == math.pi:
        return "pi" if value > 0.0 else "-pi"
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
