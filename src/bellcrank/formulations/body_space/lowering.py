"""From our expression tree to CasADi.

Zero has no sign in an expression: what is worked out ahead, evaluated or compiled shall agree,
and folding 0 - x into -x changes the sign of a zero. So -0 is taken as 0 where the difference
would show: in both arguments of atan2, in denominators and under powers.

An operation that is held on its branch may lead out of where a root or an arc is defined, such
as max(x, 0)**1.5 on the branch x a little beyond x = 0, where a step that is to be cut there
has its stages. Its argument is mirrored back then, if the law itself, as it switches, is
defined. Where the law is not defined, neither is what it is lowered to.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import casadi as ca

from bellcrank.formulations.contract.switches import Switch
from bellcrank.model import Model
from bellcrank.model.expressions import (
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
    walk,
)
from bellcrank.spatial.arithmetic import Scalar

_DIRECT: dict[str, Callable[..., Scalar]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "mul": lambda a, b: a * b,
    "div": lambda a, b: a / _unsigned(b),
    "pow": lambda a, b: _unsigned(a) ** b if _may_divide(b) else a**b,
    "neg": lambda a: -a,
    "abs": ca.fabs,
    "min": ca.fmin,
    "max": ca.fmax,
    "step": lambda a: a >= 0,
    "floor": ca.floor,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "and": ca.logic_and,
    "or": ca.logic_or,
    "not": ca.logic_not,
    "where": ca.if_else,
    "atan2": lambda y, x: ca.atan2(_unsigned(y), _unsigned(x)),
} | {
    name: getattr(ca, name)
    for name in (
        "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh",
        "exp", "log", "sqrt", "sign",
    )
}  # fmt: skip


_DOMAINS: dict[str, tuple[Callable[[ca.SX], ca.SX], Callable[[ca.SX], ca.SX]]] = {
    "sqrt": (lambda x: x >= 0, lambda x: -x),
    "log": (lambda x: x > 0, lambda x: -x),
    "pow": (lambda x: x >= 0, lambda x: -x),
    "asin": (lambda x: ca.fabs(x) <= 1, lambda x: 2 * ca.sign(x) - x),
    "acos": (lambda x: ca.fabs(x) <= 1, lambda x: 2 * ca.sign(x) - x),
}
"""Where the first argument of an operation must be, and what mirrors it back there."""


def _unsigned(x: ca.SX) -> ca.SX:
    """Return x, with 0 for -0: x + |x| where x is zero, whose derivative is 1 there too."""
    if x.is_constant():
        return x if float(x) else ca.SX(0.0)
    return x + ca.if_else(x == 0, ca.fabs(x), 0)


def _may_divide(exponent: ca.SX) -> bool:
    """Return whether a power with this exponent can be a quotient."""
    return not exponent.is_constant() or float(exponent) < 0.0


class Lowering:
    """Lowers expressions for one set of symbols; equal subtrees are lowered once.

    Attributes:
        signal: Returns the symbol for the name of a signal.
        parameters, inputs, variables: Symbols by name.
        modes: The mode k of each switch. Operations that are not among them, as in events,
            are lowered to CasADi's own nonsmooth operations.
        reached: Whether the branch of a condition that is lowered here is taken by the law as
            it switches; None outside of branches that are held.
    """

    def __init__(
        self,
        signal: Callable[[str], Scalar],
        parameters: Mapping[str, Scalar],
        inputs: Mapping[str, Scalar],
        modes: Mapping[Switch, Scalar],
        variables: Mapping[str, Scalar] | None = None,
        reached: ca.SX | None = None,
    ) -> None:
        self.reached = reached
        self._switching = {operation for operation, _ in modes}
        self.signal, self.parameters, self.inputs, self.modes = (
            signal,
            parameters,
            inputs,
            modes,
        )
        self.variables = variables or {}
        self._done: dict[Expression, Scalar] = {}

    @staticmethod
    def of_model(
        model: Model,
        scalars: Mapping[str, Sequence[Scalar]],
        signal: Callable[[str], Scalar],
        modes: Mapping[Switch, Scalar],
    ) -> "Lowering":
        """Return the lowering of a model's expressions on the scalars of p, w and s."""

        def named(elements: Iterable[Any], letter: str) -> dict[str, Scalar]:
            names = (element.name for element in elements)
            return dict(zip(names, scalars[letter], strict=True))

        parameters, inputs = named(model.parameters, "p"), named(model.inputs, "w")
        return Lowering(signal, parameters, inputs, modes, named(model.variables, "s"))

    def __call__(self, value: "float | Expression") -> Scalar:
        """Return the scalar for a number or an expression: a float, or a CasADi scalar."""
        if not isinstance(value, Expression):
            return float(value)
        # Without recursion, because a sum of many terms is as deep as it is long.
        stack = [value]
        while stack:
            node = stack[-1]
            if node in self._done:
                stack.pop()
                continue
            missing = [a for a in _arguments(node) if a not in self._done]
            if missing:
                stack.extend(missing)
            else:
                self._done[node] = self._lower(node)
                stack.pop()
        return self._done[value]

    def _lower(self, node: Expression) -> Scalar:
        match node:
            case Constant(value):
                return float(value)
            case Parameter(name):
                return self.parameters[name]
            case Input(name):
                return self.inputs[name]
            case Signal(name):
                own = self.variables.get(name)
                return self.signal(name) if own is None else own
            case Operation(op, args):
                values = [ca.SX(self._done[argument]) for argument in args]
                if op == "interp":
                    return self._interp(node, values)
                if op == "sign" and (node, 0) in self.modes:
                    return (self.modes[node, 0] > 0) - (self.modes[node, 1] > 0)
                if (node, 0) in self.modes:
                    return _on_branch(op, self.modes[node, 0], *values)
                if op == "where" and self._held(args[0]):
                    values[1:] = self._branches(*args)
                if op in _DOMAINS and not _whole(op, args) and self._held(args[0]):
                    values[0] = self._within(op, args[0], values[0])
                return _DIRECT[op](*values)
        raise TypeError(f"{node!r} is no expression")

    # --- branches beyond the place where they are left

    def _held(self, argument: Expression) -> bool:
        """Return whether modes decide what an argument is, or whether it counts."""
        if self.reached is not None:
            return True
        return bool(self._switching) and any(node in self._switching for node in walk(argument))

    @cached_property
    def _switched(self) -> "Lowering":
        """The lowering of laws as they switch by themselves."""
        return Lowering(self.signal, self.parameters, self.inputs, {}, self.variables)

    def _branches(self, condition: Expression, *both: Expression) -> list[ca.SX]:
        """Return both branches of a condition that is held."""
        taken, found = ca.SX(self._switched(condition)), []
        for branch, here in zip(both, (taken, ca.logic_not(taken)), strict=True):
            if not any(isinstance(n, Operation) and n.op in _DOMAINS for n in walk(branch)):
                found.append(ca.SX(self._done[branch]))
                continue
            reached = here if self.reached is None else ca.logic_and(self.reached, here)
            given = (self.signal, self.parameters, self.inputs, self.modes, self.variables)
            found.append(ca.SX(Lowering(*given, reached)(branch)))
        return found

    def _within(self, op: str, argument: Expression, held: ca.SX) -> ca.SX:
        """Return an argument as it is held, mirrored where only that leaves the domain."""
        inside, mirrored = _DOMAINS[op]
        defined = inside(ca.SX(self._switched(argument)))
        if self.reached is not None:
            defined = ca.logic_or(defined, ca.logic_not(self.reached))
        out = ca.logic_and(ca.logic_not(inside(held)), defined)
        return ca.if_else(out, mirrored(held), held)

    def _interp(self, node: Operation, values: list[ca.SX]) -> ca.SX:
        """Return the piecewise linear table, constant beyond its ends: a bend at each knot.

        A sum over bends is short, but rounded: level pieces are written out, so that what
        compares them has equal numbers.
        """
        x, table = values[0], values[1:]
        n = len(table) // 2
        xs, ys = table[:n], table[n:]
        rises = [(ys[i + 1] - ys[i]) / (xs[i + 1] - xs[i]) for i in range(n - 1)]
        slopes = [ca.SX(0.0), *rises, ca.SX(0.0)]
        beyond = [
            self.modes[node, i] > 0 if (node, i) in self.modes else x >= xs[i] for i in range(n)
        ]
        result = ys[0]
        for i in range(n):
            result += beyond[i] * (slopes[i + 1] - slopes[i]) * (x - xs[i])
        first = 0
        while first < n:
            slope, end = slopes[first + 1], first + 1
            while slope.is_zero() and end < n and slopes[end + 1].is_zero():
                end += 1  # the same level goes on
            if slope.is_zero() or not slope.is_constant():
                on = beyond[first] if end == n else beyond[first] * (1 - beyond[end])
                result = ca.if_else(on, ys[first] + slope * (x - xs[first]), result)
            first = end
        return result


def of_values(
    expressions: Sequence[Expression],
    names: Sequence[str],
    inputs: Sequence[str],
    parameters: Sequence[str],
) -> ca.Function:
    """Return the function of expressions whose names have values: v, w, p → y.

    Args:
        expressions: The expressions; nonsmooth ones switch by themselves.
        names: Of the signals, in the order of v.
        inputs: Of w.
        parameters: Of p.
    """
    given = {"v": names, "w": inputs, "p": parameters}
    symbols = {letter: ca.SX.sym(letter, len(each)) for letter, each in given.items()}
    known = {
        letter: dict(zip(each, ca.vertsplit(symbols[letter]) if each else (), strict=True))
        for letter, each in given.items()
    }
    lowered = Lowering(known["v"].__getitem__, known["p"], known["w"], {})
    y = ca.densify(ca.vertcat(*(ca.SX(lowered(each)) for each in expressions)))
    return ca.Function("values", list(symbols.values()), [y], list(symbols), ["y"])


def _whole(op: str, args: Sequence[Expression]) -> bool:
    """Return whether an operation is a power with a whole exponent, which has any base."""
    if op != "pow" or not isinstance(args[1], Constant):
        return False
    return float(args[1].value).is_integer()


def _arguments(node: Expression) -> tuple[Expression, ...]:
    return node.args if isinstance(node, Operation) else ()


def _on_branch(op: str, k: Scalar, *args: ca.SX) -> ca.SX:
    """Return a nonsmooth operation on the branch of the mode k = ±1."""
    match op:
        case "abs":
            return k * args[0]
        case "atan2":
            return _continued(k, ca.atan2(*args))
        case "floor":
            odd = ca.if_else(k > 0, 0.0, 1.0)
            return 2.0 * ca.floor(0.5 * (args[0] - odd) + 0.25) + odd
        case "min" | "max":
            return ca.if_else(k > 0, args[0], args[1])
        case _:  # step and comparisons
            return k > 0


def _continued(k: Scalar, angle: ca.SX) -> ca.SX:
    """Return an angle that goes on beyond π where k = 1, and beyond −π where k = −1.

    The modes hold from −π/4 to π and from −π to −π/4; the jumps are opposite to the middle.
    """
    jump = 5 * math.pi / 8
    up, down = angle < -jump, angle > math.pi - jump
    return angle + 2 * math.pi * ca.if_else(k > 0, up, -down)
