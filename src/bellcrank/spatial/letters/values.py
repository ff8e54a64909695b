"""What letters are worth for values of their symbols, in numbers or in CasADi’s SX."""

from collections.abc import Callable, Hashable
from typing import Any

from bellcrank.spatial.letters.algebra import (
    Atom,
    Call,
    Chain,
    ColumnFactor,
    Dot,
    Factor,
    Letters,
    Matrix,
    Shape,
    SkewFactor,
    Symbol,
)


def value(expression: Letters, worth: Callable[[Symbol], Any], algebra: Any = None) -> Any:
    """Return an expression for values of its symbols: NumPy arrays, or CasADi's SX and DM.

    Args:
        expression: A scalar gives a number, all else a matrix of its shape.
        worth: The value of a symbol that abbreviates nothing: a number, or a matrix of its
            shape. Vectors may be flat.
        algebra: The module with `eye`, `zeros` and functions; NumPy if not given.
    """
    return Evaluation(worth, algebra).of(expression)


_NUMPY = {"atan2": "arctan2", "pow": "power", "max": "maximum", "min": "minimum"}
_CASADI = {"max": "fmax", "min": "fmin", "abs": "fabs", "where": "if_else"}


class Evaluation:
    """Values of expressions, each symbol's found once."""

    def __init__(self, worth: Callable[[Symbol], Any], algebra: Any = None) -> None:
        if algebra is None:
            import numpy as algebra
        self.worth, self.algebra = worth, algebra
        self._known: dict[Hashable, Any] = {}

    def of(self, expression: Letters) -> Any:
        """Return the value of an expression."""
        total: Any = 0.0
        for (monomial, chain), c in expression.terms.items():
            part: Any = c
            for atom, n in monomial:
                part = part * self._atom(atom) ** n
            if chain:
                part = part * self._chain(chain)
            elif expression.shape != (1, 1):
                part = part * self._eye(expression.shape[0])
            total = total + part
        if not expression.terms and expression.shape != (1, 1):
            total = self._zeros(expression.shape)
        return total

    def _eye(self, n: int) -> Any:
        kind = getattr(self.algebra, "SX", None)
        return kind.eye(n) if kind is not None else self.algebra.eye(n)

    def _zeros(self, shape: Shape) -> Any:
        kind = getattr(self.algebra, "SX", None)
        return kind.zeros(*shape) if kind is not None else self.algebra.zeros(shape)

    def _chain(self, chain: Chain) -> Any:
        found = self._factor(chain[-1])
        for factor in reversed(chain[:-1]):
            found = self._factor(factor) @ found
        return found

    def _factor(self, factor: Factor) -> Any:
        match factor:
            case SkewFactor(vector):
                return self._skew(self.of(vector))
            case Matrix(symbol, transposed):
                found = self._symbol(symbol)
                return found.T if transposed else found
            case ColumnFactor(parts, transposed):
                found: Any = sum(c * self._symbol(symbol) for symbol, c in parts)
                return found.T if transposed else found

    def _symbol(self, symbol: Symbol) -> Any:
        if symbol.key not in self._known:
            found = symbol.definition
            worth: Any
            if symbol.numbers:
                import numpy as np

                worth = np.squeeze(np.array(symbol.numbers))
            else:
                worth = self.worth(symbol) if found is None else self.of(found)
            if symbol.shape != (1, 1) and hasattr(worth, "reshape"):
                worth = worth.reshape(symbol.shape)
            self._known[symbol.key] = worth
        return self._known[symbol.key]

    def _skew(self, a: Any) -> Any:
        if hasattr(self.algebra, "SX"):
            return self.algebra.skew(a)
        x, y, z = (a[i, 0] for i in range(3))
        return self.algebra.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])

    def _atom(self, atom: Atom) -> Any:
        match atom:
            case Symbol():
                return self._symbol(atom)
            case Dot(chain):
                return self._chain(chain)[0, 0]
            case Call(name, arguments):
                given = [self.of(argument) for argument in arguments]
                if name == "":
                    return given[0]
                own = _CASADI if hasattr(self.algebra, "SX") else _NUMPY
                return getattr(self.algebra, own.get(name, name))(*given)
