"""Where a machine is not smooth: the branch of each nonsmooth operation, kept as memory.

Inside a step every nonsmooth operation stays on one branch, chosen by a mode k = ±1, so that an
integrator of high order sees a smooth right-hand side. The mode follows the sign of a switching
function z, and the integrator ends a step where z changes its sign:

    |x| = k x    sign x = k    step x = (1 + k)/2             z = x
    max(a, b) = a or b                                        z = a − b
    min(a, b) = a or b                                        z = b − a
    a < b, a ≤ b                                              z = b − a
    a > b, a ≥ b                                              z = a − b
    interp(x, …) on one of its pieces                         z = x − x_i at each knot
    floor x even where k = 1, odd where k = −1                z = sin πx
    atan2(y, x) continued beyond ±π                           z = y + max(x, 0)

The last one has no bend but a jump, on the negative x-axis. Its z must change sign somewhere
else as well; it does so at −π/4, where both branches agree, rather than at zero, where
an angle may rest and flip by rounding.

This module needs no CasADi: the number of modes is part of the description of the equations.
"""

from collections.abc import Iterable
from math import pi

from bellcrank.model.expressions import (
    Expression,
    Operation,
    inputs,
    maximum,
    signals,
    sin,
    walk,
)

_OF_ARGUMENT = ("abs", "sign", "step")
_OF_DIFFERENCE = {"max": 1, "gt": 1, "ge": 1, "min": -1, "lt": -1, "le": -1}

Switch = tuple[Operation, int]
"""A nonsmooth operation and, for `interp`, the number of the knot (else 0)."""


def switches(expressions: Iterable[Expression]) -> tuple[Switch, ...]:
    """Return the switches of expressions, each once, in order of appearance.

    What depends on parameters alone does not switch during a run and is left out.
    """
    found: dict[Switch, None] = {}
    for expression in expressions:
        for node in walk(expression):
            if not isinstance(node, Operation) or not (signals(node) or inputs(node)):
                continue
            if node.op in (*_OF_ARGUMENT, *_OF_DIFFERENCE, "atan2", "floor"):
                found[node, 0] = None
            elif node.op == "interp":
                knots = (len(node.args) - 1) // 2
                found.update({(node, i): None for i in range(knots)})
    return tuple(found)


def switching_function(switch: Switch) -> Expression:
    """Return z, whose sign is the mode of a switch."""
    operation, knot = switch
    if operation.op in _OF_ARGUMENT:
        return operation.args[0]
    if operation.op == "interp":
        return operation.args[0] - operation.args[1 + knot]
    if operation.op == "floor":
        return sin(pi * operation.args[0])
    if operation.op == "atan2":
        return operation.args[0] + maximum(operation.args[1], 0.0)
    a, b = operation.args
    return a - b if _OF_DIFFERENCE[operation.op] > 0 else b - a
