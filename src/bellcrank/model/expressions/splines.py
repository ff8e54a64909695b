"""Smooth curves through tables, as expressions: cubic and quintic splines, and periodic ones.

A spline is a polynomial between any two knots, chosen by halving the table, so that reading a
table of n knots passes log n conditions, each of which is located like any other:

    s(x) = Σ cᵢₖ (x − xᵢ)ᵏ    for xᵢ ≤ x < xᵢ₊₁

Beyond its ends a cubic spline goes on as a straight line and a quintic one as a parabola, which
is as smooth as the spline is: their ends are natural, s″ = 0 of the cubic, s‴ = s⁗ = 0 of the
quintic.
"""

from collections.abc import Sequence
from typing import Any

from bellcrank.errors import ExpressionError
from bellcrank.model.expressions.folding import combine
from bellcrank.model.expressions.tree import Constant, Expression, operand

DEGREES = {"cubic": 3, "quintic": 5}


def spline(x: Any, knots: Sequence[float], values: Sequence[float], kind: str) -> Any:
    """Return the natural spline through a table."""
    degree = DEGREES[kind]
    rows = _coefficients(knots, values, degree, periodic=False)
    ends = [rows[0][: (degree + 1) // 2], _moved(rows[-1], knots[-1] - knots[-2])]
    ends[1] = ends[1][: (degree + 1) // 2]
    pieces = [(knots[0], ends[0]), *zip(knots, rows, strict=False), (knots[-1], ends[1])]
    return _chosen(operand(x), list(knots), pieces)


def periodic_spline(x: Any, knots: Sequence[float], values: Sequence[float], kind: str) -> Any:
    """Return the periodic spline through a table whose first and last values are equal."""
    rows = _coefficients(knots, values, DEGREES[kind], periodic=True)
    pieces = list(zip(knots, rows, strict=False))
    return _chosen(wrapped(x, knots[0], knots[-1]), list(knots[1:-1]), pieces)


def wrapped(x: Any, begin: float, end: float) -> Expression:
    """Return x brought into [begin, end) by whole periods."""
    period, node = Constant(end - begin), operand(x)
    turns = combine("floor", combine("div", combine("sub", node, Constant(begin)), period))
    return combine("sub", node, combine("mul", period, turns))


def check_period(values: Sequence[float]) -> None:
    """Refuse a periodic table whose ends differ.

    Raises:
        ExpressionError: Naming both values.
    """
    first, last = float(values[0]), float(values[-1])
    if abs(last - first) > 1e-9 * max(map(abs, map(float, values)), default=0.0):
        raise ExpressionError(
            f"a periodic table ends with the value it begins with, got {first:.9g} and "
            f"{last:.9g}."
        )


def _coefficients(
    knots: Sequence[float], values: Sequence[float], degree: int, periodic: bool
) -> list[list[float]]:
    """Return the coefficients of each piece, the lowest power first."""
    from scipy.interpolate import PPoly, make_interp_spline  # only who asks waits for it

    least = degree + 1 if degree > 3 or periodic else 2
    if len(knots) < least:
        raise ExpressionError(
            f"a spline of degree {degree} needs {least} knots, got {len(knots)}."
        )
    if len(knots) == 2:
        slope = (values[1] - values[0]) / (knots[1] - knots[0])
        return [[float(values[0]), slope]]
    natural = [(order, 0.0) for order in range((degree + 1) // 2, degree)]
    known: Any = "periodic" if periodic else (natural, natural)
    ends = [*values[:-1], values[0]] if periodic else list(values)
    found = PPoly.from_spline(make_interp_spline(knots, ends, k=degree, bc_type=known))
    return [
        [float(entry) for entry in column[::-1]]
        for column, begin, end in zip(found.c.T, found.x, found.x[1:], strict=False)
        if end > begin and knots[0] < 0.5 * (begin + end) < knots[-1]
    ]


def _moved(row: Sequence[float], by: float) -> list[float]:
    """Return the coefficients of a polynomial about a point further on."""
    out = list(row)
    for low in range(len(out)):
        for place in range(len(out) - 2, low - 1, -1):
            out[place] += by * out[place + 1]
    return out


def _chosen(
    x: Expression, knots: list[float], pieces: Sequence[tuple[float, Sequence[float]]]
) -> Expression:
    """Return the piece that x is in: the first where x < knots[0], and so on."""
    if len(pieces) == 1:
        return _polynomial(x, *pieces[0])
    half = len(pieces) // 2
    below = _chosen(x, knots[: half - 1], pieces[:half])
    above = _chosen(x, knots[half:], pieces[half:])
    return combine("where", combine("lt", x, Constant(knots[half - 1])), below, above)


def _polynomial(x: Expression, begin: float, row: Sequence[float]) -> Expression:
    """Return Σ cₖ (x − begin)ᵏ, nested."""
    d = combine("sub", x, Constant(begin))
    found: Expression = Constant(row[-1])
    for entry in reversed(row[:-1]):
        found = combine("add", Constant(entry), combine("mul", d, found))
    return found
