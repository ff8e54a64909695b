"""Strings as expressions: a small grammar over Python's own syntax tree, never `eval`.

    sum, product, quotient, power, sign     2*x + y/3 - z**2
    quantities                              t, A.angle, 'body 3'.angle_rate, m1
    functions                               sin(x), min(a, b, c), where(a > b, x, y), …
    tables                                  interp(t, [0, 1, 2], [0, 5, 5]), and smooth ones:
                                            interp(t, [0, 1, 2], [0, 5, 0], kind="cubic",
                                            periodic=True); in a machine file those it names:
                                            interp(t, lift, kind="cubic")
    conditions                              a < b, 0 <= x < 1, and, or, not
    numbers                                 1, 2.5, 1e-3, pi

Everything else is refused by name, and so is what is longer or deeper than anybody writes by
hand: nothing in a file can make the reader run out of stack or time.
"""

import ast
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import reduce
from inspect import signature
from types import MappingProxyType
from typing import Any

from bellcrank.errors import ExpressionError, unknown_name
from bellcrank.model.expressions.folding import combine
from bellcrank.model.expressions.operations import COMPOSED, FUNCTIONS, RESERVED
from bellcrank.model.expressions.tree import Constant, Expression, Signal, operand
from bellcrank.model.expressions.writing import shortened

MOST_CHARACTERS = 200_000
MOST_NODES = 50_000
MOST_LEVELS = 1_000

_TOO_DEEP = f"it is nested too deeply; {MOST_LEVELS} levels and 200 parentheses are allowed."

_BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div", ast.Pow: "pow"}
_COMPARE = {ast.Lt: "lt", ast.LtE: "le", ast.Gt: "gt", ast.GtE: "ge"}

_ADVICE: dict[type[ast.AST], str] = {
    ast.BitXor: "'^' is not an operator here; write a power as x**2",
    ast.BitAnd: "'&' is not an operator here; write 'and'",
    ast.BitOr: "'|' is not an operator here; write 'or'",
    ast.Invert: "'~' is not an operator here; write 'not'",
    ast.Mod: "'%' is not an operator here; write mod(x, period)",
    ast.FloorDiv: "'//' is not an operator here; write a quotient as x/y",
    ast.MatMult: "'@' is not an operator here; an expression is one number",
    ast.LShift: "'<<' is not an operator here; write a condition as a < b",
    ast.RShift: "'>>' is not an operator here; write a condition as a > b",
    ast.Eq: "'==' makes no condition: two real numbers are hardly ever equal; use < or >",
    ast.NotEq: "'!=' makes no condition: two real numbers are hardly ever equal; use < or >",
    ast.IfExp: "'if' is not in the grammar; write where(condition, a, b)",
    ast.Subscript: "[…] is not in the grammar; components have names, such as tip.position_x",
    ast.List: "a list belongs only in interp(x, [knots], [values])",
    ast.Tuple: "one expression is needed, got several with commas between them",
    ast.NamedExpr: "':=' is not in the grammar",
    ast.Lambda: "'lambda' is not in the grammar",
}

_Make = Callable[[list[Expression]], Expression]
Table = tuple[Sequence[float], Sequence[float]]
"""Knots and values."""
_TABLES: ContextVar[Mapping[str, Table]] = ContextVar("tables", default=MappingProxyType({}))


def parsed(source: str) -> Expression:
    """Return the expression that a string says.

    Args:
        source: A string of the grammar; line ends count as spaces.

    Raises:
        ExpressionError: The string is outside the grammar, or too long or too deep.

    Examples:
        >>> parsed("-'body 3'.angle_rate*min(1, t, 2)")
        expression("-'body 3'.angle_rate*min(min(1, t), 2)")
    """
    try:
        return _translated(_syntax_tree(source))
    except ExpressionError as error:
        raise ExpressionError(f"cannot read {shortened(source)!r}: {error}") from None


def _syntax_tree(source: str) -> ast.expr:
    if len(source) > MOST_CHARACTERS:
        raise ExpressionError(
            f"it has {len(source)} characters, more than the {MOST_CHARACTERS} allowed."
        )
    line = " ".join(source.splitlines()).strip()
    if not line:
        raise ExpressionError("it is empty.")
    if not line.replace("\t", " ").isprintable():
        raise ExpressionError("it contains characters that cannot be printed.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # what Python is about to forbid, we forbid
            root = ast.parse(line, mode="eval").body
    except SyntaxError as error:
        if "too many nested" in error.msg:
            raise ExpressionError(_TOO_DEEP) from None
        place = min(error.offset or len(line), len(line))
        raise ExpressionError(f"not an expression near character {place}.") from None
    except (RecursionError, MemoryError):
        raise ExpressionError(_TOO_DEEP) from None
    rest = line.encode()[root.end_col_offset :].decode()
    if rest.strip(" \t)"):
        raise ExpressionError(f"there is no meaning in {shortened(rest.strip(' )'), 20)!r}.")
    return root


def _translated(root: ast.expr) -> Expression:
    """Return the tree of a syntax tree, without recursion."""
    done: list[Expression] = []
    todo: list[tuple[ast.expr | _Make, int]] = [(root, 1)]
    count = 0
    while todo:
        item, number = todo.pop()
        if not isinstance(item, ast.expr):
            start = len(done) - number
            done[start:] = [item(done[start:])]
            continue
        count += 1
        if number > MOST_LEVELS:
            raise ExpressionError(_TOO_DEEP)
        if count > MOST_NODES:
            raise ExpressionError(f"it has more than the {MOST_NODES} parts allowed.")
        make, parts = _rule(item)
        todo.append((make, len(parts)))
        todo.extend((part, number + 1) for part in reversed(parts))
    return done[0]


def _rule(node: ast.expr) -> tuple[_Make, Sequence[ast.expr]]:
    """Return how a node of the syntax tree is made, and from which parts."""
    match node:
        case ast.Constant(value=value):
            return _leaf(_constant(value)), ()
        case ast.Name(id=name):
            return _leaf(_name(name)), ()
        case ast.Attribute():
            return _leaf(Signal(_signal_name(node))), ()
        case ast.UnaryOp(op=ast.UAdd(), operand=part):
            return (lambda args: args[0]), (part,)
        case ast.UnaryOp(op=ast.USub(), operand=part):
            return _joined("neg"), (part,)
        case ast.UnaryOp(op=ast.Not(), operand=part):
            return _joined("not"), (part,)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            return _joined(_BINARY[type(op)]), (left, right)
        case ast.BoolOp(op=op, values=parts):
            return _chained("and" if isinstance(op, ast.And) else "or"), parts
        case ast.Compare():
            return _comparison(node)
        case ast.Call():
            return _call(node)
    raise ExpressionError(_refusal(node))


def _leaf(node: Expression) -> _Make:
    return lambda _: node


def _joined(op: str) -> _Make:
    return lambda args: combine(op, *args)


def _chained(op: str) -> _Make:
    return lambda args: reduce(lambda a, b: combine(op, a, b), args)


def _constant(value: object) -> Expression:
    if isinstance(value, str):
        if not value:
            raise ExpressionError("'' is not a name.")
        return Signal(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ExpressionError(f"{value!r} is not a number.")
    return Constant(value)


def _name(name: str) -> Expression:
    if name == "pi":
        return Constant(math.pi)
    if name in ("nan", "inf"):
        raise ExpressionError(f"{name!r} is not a finite number.")
    if name in FUNCTIONS & RESERVED:
        raise ExpressionError(f"{name!r} is a function; write {name}(…).")
    return Signal(name)


def _signal_name(node: ast.Attribute) -> str:
    match node.value:
        case ast.Name(id=owner) if owner not in RESERVED:
            return f"{owner}.{node.attr}"
        case ast.Constant(value=str(owner)) if owner:
            return f"{owner}.{node.attr}"
    raise ExpressionError(
        f"'.{node.attr}' must follow the name of an element, as in A.angle; a name that is "
        "more than one word is quoted: 'body 3'.angle."
    )


def _comparison(node: ast.Compare) -> tuple[_Make, Sequence[ast.expr]]:
    for op in node.ops:
        if type(op) not in _COMPARE:
            raise ExpressionError(_refusal(op))
    names = [_COMPARE[type(op)] for op in node.ops]

    def make(args: list[Expression]) -> Expression:
        pairs = zip(names, args, args[1:], strict=False)
        return _chained("and")([combine(name, a, b) for name, a, b in pairs])

    return make, (node.left, *node.comparators)


def _call(node: ast.Call) -> tuple[_Make, Sequence[ast.expr]]:
    if not isinstance(node.func, ast.Name):
        raise ExpressionError("only the functions of the grammar can be called, by their name.")
    name = node.func.id
    if name not in FUNCTIONS:
        raise ExpressionError(unknown_name("function", name, FUNCTIONS))
    if name == "interp" and (node.keywords or len(node.args) == 2):
        return _smooth_table(node)
    if node.keywords or any(isinstance(arg, ast.Starred) for arg in node.args):
        raise ExpressionError(f"{name} takes plain arguments, without '=' or '*'.")
    if name == "interp":
        return _joined(name), _table(node)
    if name in ("min", "max") and len(node.args) >= 2:
        return _chained(name), node.args
    if name in COMPOSED:
        return _composed(name), node.args
    return _joined(name), node.args


def _composed(name: str) -> _Make:
    """Return what makes a function of operations."""
    from bellcrank.model.expressions import functions
    from bellcrank.model.expressions.motions import MOTIONS

    made = MOTIONS.get(name) or getattr(functions, {"round": "round_half_up"}.get(name, name))

    def make(args: list[Expression]) -> Expression:
        given: list[Any] = [arg.value if isinstance(arg, Constant) else arg for arg in args]
        try:
            return operand(made(*given))
        except TypeError:
            how = f"{name}({', '.join(signature(made).parameters)})"
            raise ExpressionError(f"it is called as {how}, got {len(args)}.") from None

    return make


def _smooth_table(node: ast.Call) -> tuple[_Make, Sequence[ast.expr]]:
    """Return a table with `kind=` or `periodic=`, or one that is called by its name."""
    from bellcrank.model.expressions.functions import interp

    options = {}
    for word in node.keywords:
        if word.arg not in ("kind", "periodic") or not isinstance(word.value, ast.Constant):
            raise ExpressionError('interp takes kind="cubic" and periodic=True besides.')
        options[word.arg] = word.value.value
    match node.args:
        case [x, ast.Name(id=name) | ast.Constant(value=str(name))]:
            table = _named_table(name)
            return lambda args: operand(interp(args[0], *table, **options)), (x,)
    parts = _table(node)
    half = 1 + len(parts) // 2

    def make(args: list[Expression]) -> Expression:
        table: list[Any] = args[1:]
        knots, values = table[: half - 1], table[half - 1 :]
        return operand(interp(args[0], knots, values, **options))

    return make, parts


@contextmanager
def named_tables(tables: Mapping[str, Table]) -> Iterator[None]:
    """Let expressions read meanwhile call tables by name: `interp(x, lift)`.

    Args:
        tables: Knots and values by name.
    """
    before = _TABLES.set(tables)
    try:
        yield
    finally:
        _TABLES.reset(before)


def _named_table(name: str) -> Table:
    known = _TABLES.get()
    if name in known:
        return known[name]
    if known:
        raise ExpressionError(unknown_name("table", name, known))
    raise ExpressionError(
        f"there is no table {name!r}: a machine file names its own under tables, elsewhere it "
        "is bc.interp(x, *bc.table(file)) or interp(x, [knots], [values])."
    )


def _table(node: ast.Call) -> Sequence[ast.expr]:
    match node.args:
        case [
            x,
            ast.List(elts=knots) | ast.Tuple(elts=knots),
            ast.List(elts=values) | ast.Tuple(elts=values),
        ] if len(knots) == len(values) >= 2:
            return [x, *knots, *values]
    raise ExpressionError(
        "interp takes x, a list of at least 2 knots and a list of as many values: "
        "interp(t, [0, 1, 2], [0, 5, 5])."
    )


def _refusal(node: ast.AST) -> str:
    op = getattr(node, "op", node)
    known = _ADVICE.get(type(op)) or _ADVICE.get(type(node))
    return f"{known}." if known else f"{type(op).__name__} is not in the grammar."
