"""Where a machine is not smooth: the branch of each nonsmooth operation, kept as memory.

Inside a step every nonsmooth operation stays on one branch, chosen by a mode k = ±1, so that an
integrator of high order sees a smooth right-hand side. The mode follows the sign of a switching
function z, and the integrator ends a step where z changes its sign:

    |x| = k x                                                 z = x
    step x = (1 + k)/2                                        z = x + 0
    sign x = (k₀ − k₁)/2                                      z = x − 0, −x − 0
    max(a, b) = a or b                                        z = a − b
    min(a, b) = a or b                                        z = b − a
    a ≤ b; a < b                                              z = b − a + 0; b − a − 0
    a ≥ b; a > b                                              z = a − b + 0; a − b − 0
    interp(x, …) on one of its pieces                         z = x − x_i at each knot
    floor x even where k = 1, odd where k = −1                z = sin π(x + 0)
    atan2(y, x) continued beyond ±π                           z = y + max(x, 0)

The last one has no bend but a jump, on the negative x-axis. Its z must change sign somewhere
else as well; it does so at −π/4, where both branches agree, rather than at zero, where
an angle may rest and flip by rounding.

What jumps may rest where it does: floor(t) > 2 compares equal numbers for a second, and so does
max(x, 0) > 0 while x < 0. So ± 0 stands for the least there is on one side, `TIE`, and no such
z is zero. A sign may rest at zero, and has two modes.

This module needs no CasADi: the number of modes is part of the description of the equations.
"""

from collections.abc import Iterable
from math import pi

from bellcrank.model.expressions import (
    Expression,
    Operation,
    cos,
    inputs,
    maximum,
    signals,
    sin,
    sqrt,
    walk,
)

TIE = 1e-200  # below all that counts, above what rounding loses
ROUNDING = 1e-15  # of x in sin πx at whole x, twice over: within 1/π of it, x counts as whole
_OF_ARGUMENT = ("abs", "sign", "step")
_OF_DIFFERENCE = {"max": 1, "gt": 1, "ge": 1, "min": -1, "lt": -1, "le": -1}

JUMPING = ("sign", "step", "lt", "le", "gt", "ge", "floor")
"""What jumps; directions, atan2, are meant to go on beyond π."""

_TIES = {"step": TIE, "ge": TIE, "le": TIE, "gt": -TIE, "lt": -TIE}

Switch = tuple[Operation, int]
"""A nonsmooth operation and a number: the knot of `interp`, 1 for x < 0 of sign x, else 0."""


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
                if node.op == "sign":
                    found[node, 1] = None
            elif node.op == "interp":
                knots = (len(node.args) - 1) // 2
                found.update({(node, i): None for i in range(knots)})
    return tuple(found)


def switching_function(switch: Switch) -> Expression:
    """Return z, whose sign is the mode of a switch."""
    operation, number = switch
    x = operation.args[0]
    match operation.op:
        case "interp":
            return x - operation.args[1 + number]
        case "floor":
            early = ROUNDING * sqrt(1.0 + x * x)
            return sin(pi * x) + early * cos(pi * x)
        case "atan2":
            return x + maximum(operation.args[1], 0.0)
        case "sign":
            return (-x if number else x) - TIE
        case op if op in _OF_ARGUMENT:
            return x + _TIES[op] if op in _TIES else x
        case op:
            other = operation.args[1]
            z = x - other if _OF_DIFFERENCE[op] > 0 else other - x
            return z + _TIES[op] if op in _TIES else z
