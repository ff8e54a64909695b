"""What of a machine depends on time alone, and can therefore be known ahead of it.

This module needs no CasADi, and no state: it only sorts the expressions of a model.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from bellcrank.formulations.contract.laws import expressions
from bellcrank.formulations.contract.switches import (
    JUMPING,
    Switch,
    switches,
    switching_function,
)
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import (
    Constant,
    Input,
    Operation,
    Signal,
    inputs,
    signals,
    walk,
)

SEAMS = frozenset({"atan2", "asin", "acos", "sqrt", "pow"})
"""Operations that are not smooth somewhere, without a switch."""


@dataclass(frozen=True)
class Timed:
    """The parts of a model's laws that depend on time alone.

    Attributes:
        switches: Of the modes, the last ones in k.
        operations: Their operations, inner ones first.
        terms: Expressions whose variation limits the steps.
        seams: Operations that may jump or bend without a switch.
    """

    switches: tuple[Switch, ...]
    operations: tuple[Operation, ...]
    terms: tuple[Expression, ...]
    seams: tuple[Operation, ...]


NEVER = Timed((), (), (), ())
"""Where nothing depends on time alone."""


def of_time(expr: Expression) -> bool:
    """Return whether an expression depends on time, and on nothing else that changes."""
    return signals(expr) == {"t"} and not inputs(expr)


def in_order(found: Iterable[Switch]) -> tuple[Switch, ...]:
    """Return switches with those of time alone at the end, else in the same order."""
    given = tuple(found)
    timed = [of_time(switching_function(switch)) for switch in given]
    rest = [switch for switch, late in zip(given, timed, strict=True) if not late]
    return (*rest, *(switch for switch, late in zip(given, timed, strict=True) if late))


@lru_cache(maxsize=128)
def timed(model: Model) -> Timed:
    """Return what of a model's laws depends on time alone."""
    laws = tuple(expressions(model))
    late = tuple(s for s in switches(laws) if of_time(switching_function(s)))
    parts = tuple(dict.fromkeys(part for law in laws for part in _largest(law)))
    seams = (node for part in parts for node in walk(part) if isinstance(node, Operation))
    bent = tuple(dict.fromkeys(node for node in seams if node.op in SEAMS and _bends(node)))
    if not (late or parts or bent):
        return NEVER
    return Timed(late, operations_of(late), parts, bent)


def jumps_with_time(law: Expression) -> bool:
    """Return whether an expression jumps at times that are known ahead, wherever things are."""
    return any(
        switch[0].op in (*JUMPING, "atan2") and of_time(switching_function(switch))
        for switch in switches([law])
    )


def operations_of(found: Iterable[Switch]) -> tuple[Operation, ...]:
    """Return the operations of switches, each once."""
    return tuple(dict.fromkeys(operation for operation, _ in found))


def _largest(expr: Expression) -> Iterator[Expression]:
    """Yield the largest parts of an expression that depend on time alone."""
    alone: dict[int, bool] = {}
    for node in walk(expr):
        if isinstance(node, Operation):
            alone[id(node)] = all(alone[id(arg)] for arg in node.args)
        else:
            alone[id(node)] = not isinstance(node, Input) and (
                not isinstance(node, Signal) or node.name == "t"
            )
    todo, seen = [expr], set[int]()
    while todo:
        node = todo.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if alone[id(node)]:
            if isinstance(node, Operation) and signals(node):
                yield node
        elif isinstance(node, Operation):
            todo += node.args


def _bends(node: Operation) -> bool:
    """Return whether an operation of `SEAMS` can be anything but smooth over time."""
    if not signals(node):
        return False
    if node.op != "pow":
        return True
    exponent = node.args[1]
    return not (isinstance(exponent, Constant) and exponent.value == round(exponent.value))
