"""The tree of an expression: constants, parameters, inputs, signals and operations on them.

A node is a frozen value: it knows its hash from birth, compares by structure, and pickles as
a flat list, so that a sum of ten thousand terms is as harmless as one of two. Arithmetic on
nodes makes new nodes, folded where all arguments are constants (see `folding`).

Conventions:
    ==  compares structure. Conditions are made with <, <=, >, >= and joined with &, |, ~.
    A bare `Signal("m1")` stands for a name that the model has yet to look up.
"""

import numbers
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from bellcrank.errors import ExpressionError, unknown_name
from bellcrank.model.expressions.checks import arity_complaint, check_name, finite, plain
from bellcrank.model.expressions.operations import OPERATIONS, fits

tracing: ContextVar[bool] = ContextVar("tracing", default=False)
"""Whether a callable is being traced: then == is a mistake for a condition, and raises."""


class Operators:
    """Arithmetic, comparisons and NumPy functions, for nodes and for what stands for one.

    Attributes:
        __expression__: Returns the node that the object stands for; every kind has its own.
    """

    __slots__ = ()
    # Declared, not abstract: an abstract class makes every isinstance of a node much slower.
    __expression__: Callable[[], "Expression"]

    def __add__(self, other: Any) -> "Expression":
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> "Expression":
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> "Expression":
        return _binary("sub", self, other)

    def __rsub__(self, other: Any) -> "Expression":
        return _binary("sub", other, self)

    def __mul__(self, other: Any) -> "Expression":
        return _binary("mul", self, other)

    def __rmul__(self, other: Any) -> "Expression":
        return _binary("mul", other, self)

    def __truediv__(self, other: Any) -> "Expression":
        return _binary("div", self, other)

    def __rtruediv__(self, other: Any) -> "Expression":
        return _binary("div", other, self)

    def __pow__(self, other: Any) -> "Expression":
        return _binary("pow", self, other)

    def __rpow__(self, other: Any) -> "Expression":
        return _binary("pow", other, self)

    def __lt__(self, other: Any) -> "Expression":
        return _binary("lt", self, other)

    def __le__(self, other: Any) -> "Expression":
        return _binary("le", self, other)

    def __gt__(self, other: Any) -> "Expression":
        return _binary("gt", self, other)

    def __ge__(self, other: Any) -> "Expression":
        return _binary("ge", self, other)

    def __and__(self, other: Any) -> "Expression":
        return _binary("and", self, other)

    def __rand__(self, other: Any) -> "Expression":
        return _binary("and", other, self)

    def __or__(self, other: Any) -> "Expression":
        return _binary("or", self, other)

    def __ror__(self, other: Any) -> "Expression":
        return _binary("or", other, self)

    def __neg__(self) -> "Expression":
        return _combine("neg", self.__expression__())

    def __pos__(self) -> "Expression":
        return self.__expression__()

    def __abs__(self) -> "Expression":
        return _combine("abs", self.__expression__())

    def __invert__(self) -> "Expression":
        return _combine("not", self.__expression__())

    def __eq__(self, other: object) -> bool:
        if tracing.get():
            raise ExpressionError(
                "== and != make no condition: two real numbers are hardly ever equal. "
                "Use <, <=, > or >=."
            )
        if not isinstance(other, Operators):
            return NotImplemented
        return same(self.__expression__(), other.__expression__())

    def __hash__(self) -> int:
        return hash(self.__expression__())

    def __bool__(self) -> bool:
        raise ExpressionError(
            f"{self!r} is neither true nor false until the machine runs, so `if`, `and`, `or`, "
            "`not`, min() and max() cannot decide on it. Use where(condition, a, b) to choose, "
            "&, | and ~ to join conditions, minimum(a, b) and maximum(a, b)."
        )

    def __float__(self) -> float:
        node = self.__expression__()
        if isinstance(node, Constant):
            return node.value
        raise ExpressionError(
            f"{self!r} has no number until the machine runs, so float() and the functions of "
            "`math` cannot take it. Use those of numpy or bellcrank: np.sin(x) or bc.sin(x) "
            "instead of math.sin(x)."
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        from bellcrank.model.expressions.numpy_calls import call_ufunc

        return call_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        from bellcrank.model.expressions.numpy_calls import call_function

        return call_function(function, args, options)


class Expression(Operators):
    """A node of an expression tree: the base of the five kinds of node."""

    __slots__ = ("_hash",)
    _hash: int

    def __expression__(self) -> "Expression":
        """Return itself."""
        return self

    def __hash__(self) -> int:
        return self._hash

    def __copy__(self) -> "Expression":
        return self

    def __deepcopy__(self, memo: Any) -> "Expression":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpacked, (_packed(self),)

    def __repr__(self) -> str:
        from bellcrank.model.expressions.writing import shown

        return f"expression({shown(self, 200)!r})"

    def _seal(self, *key: object) -> None:
        object.__setattr__(self, "_hash", hash((type(self).__name__, *key)))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Constant(Expression):
    """A number.

    Attributes:
        value: A finite number; -0.0 becomes 0.0.
    """

    value: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", finite(self.value))
        self._seal(self.value)

    def __repr__(self) -> str:
        return f"Constant({self.value!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Parameter(Expression):
    """A number with a name, which may be changed without compiling again.

    Attributes:
        name: The name of the parameter.
        value: Its value unless another is given [the unit of the place it is used in].

    Examples:
        >>> 2 * Parameter("m1", 2.0) + 1
        expression('2*m1 + 1')
    """

    name: str
    value: float

    def __post_init__(self) -> None:
        check_name("parameter", self.name)
        try:
            object.__setattr__(self, "value", finite(self.value))
        except ExpressionError as error:
            raise ExpressionError(f"parameter {self.name!r}: {error}") from None
        self._seal(self.name, self.value)

    def __repr__(self) -> str:
        return f"Parameter({self.name!r}, {self.value!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Input(Expression):
    """A quantity that comes from outside while the machine runs.

    Attributes:
        name: The name of the input.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Motor("drive", "A", bc.Input("torque")).effort
        Input('torque')
    """

    name: str

    def __post_init__(self) -> None:
        check_name("input", self.name)
        self._seal(self.name)

    def __repr__(self) -> str:
        return f"Input({self.name!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Signal(Expression):
    """A quantity of the machine, by its name.

    Attributes:
        name: `t`, `A.angle`, `tip.position_x`, or a bare name that the model looks up.
    """

    name: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name:
            raise ExpressionError(
                f"a signal is named by a string such as 'A.angle', got {self.name!r}."
            )
        self._seal(self.name)

    def __repr__(self) -> str:
        return f"Signal({self.name!r})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Operation(Expression):
    """An operation on other nodes, as it stands: nothing is folded here.

    Attributes:
        op: A name in `OPERATIONS`.
        args: The nodes it works on.
    """

    op: str
    args: tuple[Expression, ...]

    def __post_init__(self) -> None:
        if self.op not in OPERATIONS:
            raise ExpressionError(unknown_name("operation", self.op, OPERATIONS))
        for arg in self.args:
            if not isinstance(arg, Expression):
                raise ExpressionError(f"operation {self.op!r} works on nodes, got {arg!r}.")
        if not fits(self.op, len(self.args)):
            raise ExpressionError(arity_complaint(self.op, len(self.args)))
        self._seal(self.op, self.args)


def operand(value: Any) -> Expression:
    """Return a number or an expression as a node; strings are not parsed here.

    Raises:
        ExpressionError: The value is neither.
    """
    value = plain(value)
    return value.__expression__() if isinstance(value, Operators) else Constant(value)


def condition(value: Any) -> Expression:
    """Return a condition as a node; True and False count as conditions.

    Raises:
        ExpressionError: The value is neither a condition nor a number.
    """
    value = plain(value)
    return Constant(float(value)) if isinstance(value, bool) else operand(value)


def same(a: Expression, b: Expression) -> bool:
    """Return whether two trees have the same structure."""
    todo, seen = [(a, b)], set()
    while todo:
        a, b = todo.pop()
        if a is b:
            continue
        if a._hash != b._hash or type(a) is not type(b):
            return False
        if isinstance(a, Operation) and isinstance(b, Operation):
            if a.op != b.op or len(a.args) != len(b.args):
                return False
            if (id(a), id(b)) not in seen:  # shared parts are compared once
                seen.add((id(a), id(b)))
                todo.extend(zip(a.args, b.args, strict=True))
        elif _leaf_key(a) != _leaf_key(b):
            return False
    return True


def walk(expr: Expression) -> Iterator[Expression]:
    """Yield every node once, arguments before the operation that takes them."""
    seen: set[int] = set()
    todo: list[tuple[Expression, bool]] = [(expr, False)]
    while todo:
        node, ready = todo.pop()
        if id(node) in seen:
            continue
        if isinstance(node, Operation) and not ready:
            todo.append((node, True))
            todo.extend((arg, False) for arg in reversed(node.args))
        else:
            seen.add(id(node))
            yield node


def _leaf_key(node: Expression) -> tuple[Any, ...]:
    if isinstance(node, Constant):
        return (node.value,)
    if isinstance(node, Parameter):
        return node.name, node.value
    assert isinstance(node, Input | Signal)
    return (node.name,)


def _packed(expr: Expression) -> list[tuple[Any, ...]]:
    """Return the tree as flat rows; an operation refers to earlier rows by their number."""
    place: dict[int, int] = {}
    rows: list[tuple[Any, ...]] = []
    for node in walk(expr):
        place[id(node)] = len(rows)
        if isinstance(node, Operation):
            rows.append((Operation, node.op, *(place[id(arg)] for arg in node.args)))
        else:
            rows.append((type(node), *_leaf_key(node)))
    return rows


def _unpacked(rows: list[tuple[Any, ...]]) -> Expression:
    """Return the tree that `_packed` made flat."""
    nodes: list[Expression] = []
    for kind, first, *rest in rows:
        if kind is Operation:
            nodes.append(Operation(first, tuple(nodes[i] for i in rest)))
        else:
            nodes.append(kind(first, *rest))
    return nodes[-1]


def _binary(op: str, a: Any, b: Any) -> Any:
    """Return op(a, b), or NotImplemented where Python should go on to ask the other side."""
    convert = condition if op in ("and", "or") else operand
    a, b = plain(a), plain(b)
    if not isinstance(a, Operators | numbers.Real) or not isinstance(
        b, Operators | numbers.Real
    ):
        return NotImplemented
    return _combine(op, convert(a), convert(b))


def _combine(op: str, *args: Expression) -> Expression:
    from bellcrank.model.expressions.folding import combine

    return combine(op, *args)
