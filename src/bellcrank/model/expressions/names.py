"""The names in an expression: which there are, and the same expression with others."""

from collections.abc import Mapping
from dataclasses import replace

from bellcrank.model.expressions.folding import combine
from bellcrank.model.expressions.tree import (
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
    operand,
    walk,
)


def signals(expr: Expression) -> frozenset[str]:
    """Return the names of all signals, `t` and names not yet looked up included.

    Examples:
        >>> sorted(signals(Signal("t") + Signal("A.angle") * Parameter("k", 1.0)))
        ['A.angle', 't']
    """
    return frozenset(node.name for node in walk(expr) if isinstance(node, Signal))


def parameters(expr: Expression) -> tuple[Parameter, ...]:
    """Return the parameters, each once, in the order of the text."""
    return tuple(dict.fromkeys(node for node in walk(expr) if isinstance(node, Parameter)))


def inputs(expr: Expression) -> tuple[Input, ...]:
    """Return the inputs, each once, in the order of the text."""
    return tuple(dict.fromkeys(node for node in walk(expr) if isinstance(node, Input)))


def substitute(expr: Expression, mapping: Mapping[Expression, Expression]) -> Expression:
    """Return the expression with nodes replaced, and folded where that makes constants.

    Args:
        expr: The expression.
        mapping: The new node, or number, for each node that is to be replaced.

    Examples:
        >>> substitute(2 * Signal("m1"), {Signal("m1"): Parameter("m1", 3.0)})
        expression('2*m1')
    """
    done: dict[int, Expression] = {}
    for node in walk(expr):
        if node in mapping:
            done[id(node)] = operand(mapping[node])
        elif isinstance(node, Operation):
            args = tuple(done[id(arg)] for arg in node.args)
            kept = all(new is old for new, old in zip(args, node.args, strict=True))
            done[id(node)] = node if kept else combine(node.op, *args)
        else:
            done[id(node)] = node
    return done[id(expr)]


def renamed(expr: Expression, mapping: Mapping[str, str]) -> Expression:
    """Return the expression with elements, parameters and inputs called otherwise.

    Args:
        expr: The expression.
        mapping: The new name for each old one; `A` renames `A.angle` too.

    Examples:
        >>> renamed(Signal("A.angle") + Signal("t"), {"A": "left_A"})
        expression('left_A.angle + t')
    """
    changes: dict[Expression, Expression] = {}
    for node in walk(expr):
        if isinstance(node, Signal | Parameter | Input):
            name = _other_name(node.name, mapping)
            if name != node.name:
                changes[node] = replace(node, name=name)
    return substitute(expr, changes)


def _other_name(name: str, mapping: Mapping[str, str]) -> str:
    owner, _, quantity = name.rpartition(".")
    if name in mapping:
        return mapping[name]
    return f"{mapping[owner]}.{quantity}" if owner in mapping else name
