"""The functions of the grammar, for expressions and for plain numbers alike.

A law written with them can be traced into an expression, and called with floats as well.
"""

import csv
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from bellcrank.errors import ExpressionError, unknown_name
from bellcrank.model.expressions.checks import finite
from bellcrank.model.expressions.folding import combine
from bellcrank.model.expressions.tree import Constant, Operators, condition, operand

KINDS = ("linear", "cubic", "quintic")
"""How `interp` goes from knot to knot."""
LARGEST = 4_000_000  # bytes of a file with a table


def apply(op: str, *args: Any) -> Any:
    """Return one operation on numbers or expressions.

    Args:
        op: A name in `OPERATIONS`.
        args: Finite numbers or expressions.

    Returns:
        A float where all arguments are numbers, an expression otherwise.

    Raises:
        ExpressionError: An argument is neither, or the result is not finite.

    Examples:
        >>> apply("max", 1, 2.5)
        2.5
    """
    conditions = {"where": 1, "and": 2, "or": 2, "not": 1}.get(op, 0)
    nodes = [condition(arg) for arg in args[:conditions]]
    nodes += [operand(arg) for arg in args[conditions:]]
    result = combine(op, *nodes)
    symbolic = any(isinstance(arg, Operators) for arg in args)
    return result if symbolic or not isinstance(result, Constant) else result.value


def sin(x: Any) -> Any:
    """Return the sine of an angle [rad].

    Examples:
        >>> import bellcrank as bc
        >>> bc.sin(bc.Parameter("a", 0.5))
        expression('sin(a)')
    """
    return apply("sin", x)


def cos(x: Any) -> Any:
    """Return the cosine of an angle [rad].

    Examples:
        >>> import bellcrank as bc
        >>> bc.cos(bc.Parameter("a", 0.0))
        expression('cos(a)')
    """
    return apply("cos", x)


def tan(x: Any) -> Any:
    """Return the tangent of an angle [rad].

    Examples:
        >>> import bellcrank as bc
        >>> bc.tan(bc.Parameter("a", 0.0))
        expression('tan(a)')
    """
    return apply("tan", x)


def asin(x: Any) -> Any:
    """Return the angle [rad] whose sine is x, from -π/2 to π/2.

    Examples:
        >>> import bellcrank as bc
        >>> bc.asin(bc.Parameter("a", 0.0))
        expression('asin(a)')
    """
    return apply("asin", x)


def acos(x: Any) -> Any:
    """Return the angle [rad] whose cosine is x, from 0 to π.

    Examples:
        >>> import bellcrank as bc
        >>> bc.acos(bc.Parameter("a", 1.0))
        expression('acos(a)')
    """
    return apply("acos", x)


def atan(x: Any) -> Any:
    """Return the angle [rad] whose tangent is x, from -π/2 to π/2.

    Examples:
        >>> import bellcrank as bc
        >>> bc.atan(bc.Parameter("a", 0.0))
        expression('atan(a)')
    """
    return apply("atan", x)


def sinh(x: Any) -> Any:
    """Return the hyperbolic sine.

    Examples:
        >>> import bellcrank as bc
        >>> bc.sinh(bc.Parameter("a", 0.0))
        expression('sinh(a)')
    """
    return apply("sinh", x)


def cosh(x: Any) -> Any:
    """Return the hyperbolic cosine.

    Examples:
        >>> import bellcrank as bc
        >>> bc.cosh(bc.Parameter("a", 0.0))
        expression('cosh(a)')
    """
    return apply("cosh", x)


def tanh(x: Any) -> Any:
    """Return the hyperbolic tangent.

    Examples:
        >>> import bellcrank as bc
        >>> bc.tanh(bc.Parameter("a", 0.0))
        expression('tanh(a)')
    """
    return apply("tanh", x)


def exp(x: Any) -> Any:
    """Return e to the power x.

    Examples:
        >>> import bellcrank as bc
        >>> bc.exp(bc.Parameter("a", 0.0))
        expression('exp(a)')
    """
    return apply("exp", x)


def log(x: Any) -> Any:
    """Return the natural logarithm of x > 0.

    Examples:
        >>> import bellcrank as bc
        >>> bc.log(bc.Parameter("a", 1.0))
        expression('log(a)')
    """
    return apply("log", x)


def sqrt(x: Any) -> Any:
    """Return the square root of x ≥ 0.

    Examples:
        >>> import bellcrank as bc
        >>> bc.sqrt(bc.Parameter("a", 4.0))
        expression('sqrt(a)')
    """
    return apply("sqrt", x)


def absolute(x: Any) -> Any:
    """Return |x|.

    Examples:
        >>> import bellcrank as bc
        >>> bc.absolute(bc.Parameter("a", -2.0))
        expression('abs(a)')
    """
    return apply("abs", x)


def sign(x: Any) -> Any:
    """Return 1 where x > 0, -1 where x < 0, and 0 where x = 0.

    Examples:
        >>> import bellcrank as bc
        >>> bc.sign(bc.Parameter("a", -2.0))
        expression('sign(a)')
    """
    return apply("sign", x)


def step(x: Any) -> Any:
    """Return 1 where x ≥ 0, and 0 elsewhere.

    Examples:
        >>> import bellcrank as bc
        >>> bc.step(bc.Parameter("a", 0.5))
        expression('step(a)')
    """
    return apply("step", x)


def atan2(y: Any, x: Any) -> Any:
    """Return the angle [rad] of the point (x, y), from -π to π.

    Examples:
        >>> import bellcrank as bc
        >>> bc.atan2(bc.Parameter("y", 1.0), 2.0)
        expression('atan2(y, 2)')
    """
    return apply("atan2", y, x)


def minimum(first: Any, second: Any, *more: Any) -> Any:
    """Return the smallest of two or more.

    Examples:
        >>> import bellcrank as bc
        >>> bc.minimum(bc.Parameter("a", 1.0), 0.0)
        expression('min(a, 0)')
    """
    result = apply("min", first, second)
    for value in more:
        result = apply("min", result, value)
    return result


def maximum(first: Any, second: Any, *more: Any) -> Any:
    """Return the largest of two or more.

    Examples:
        >>> import bellcrank as bc
        >>> bc.maximum(bc.Parameter("a", 1.0), 0.0)
        expression('max(a, 0)')
    """
    result = apply("max", first, second)
    for value in more:
        result = apply("max", result, value)
    return result


def where(condition: Any, a: Any, b: Any) -> Any:
    """Return a where the condition holds, and b elsewhere.

    Examples:
        >>> where(2.0 > 1.0, 5.0, 6.0)
        5.0
    """
    return apply("where", condition, a, b)


def floor(x: Any) -> Any:
    """Return the largest whole number that is not above x.

    Examples:
        >>> import bellcrank as bc
        >>> bc.floor(bc.Parameter("a", 1.5))
        expression('floor(a)')
    """
    return apply("floor", x)


def ceil(x: Any) -> Any:
    """Return the smallest whole number that is not below x.

    Examples:
        >>> import bellcrank as bc
        >>> bc.ceil(bc.Parameter("a", 1.5))
        expression('-floor(-a)')
    """
    return -floor(-x)


def round_half_up(x: Any) -> Any:
    """Return the whole number nearest to x, of two the larger; `round(x)` in expressions.

    Examples:
        >>> import bellcrank as bc
        >>> bc.round_half_up(2.5)
        3.0
    """
    return floor(x + 0.5)


def mod(x: Any, period: Any) -> Any:
    """Return x less whole periods, from 0 up to the period.

    Examples:
        >>> mod(-0.5, 2.0)
        1.5
    """
    return x - period * floor(apply("div", x, period))


def hypot(x: Any, y: Any, *more: Any) -> Any:
    """Return the length of a vector, √(x² + y² + …).

    Examples:
        >>> import bellcrank as bc
        >>> bc.hypot(bc.Parameter("a", 3.0), 4.0)
        expression('sqrt(a*a + 16)')
    """
    total = x * x + y * y
    for value in more:
        total = total + value * value
    return sqrt(total)


def interp(
    x: Any,
    knots: Iterable[float],
    values: Iterable[Any],
    kind: str = "linear",
    periodic: bool = False,
) -> Any:
    """Return the value at x of a line or a smooth curve through a table.

    Outside the table a line holds its end values; `splines` says how curves go on.

    Args:
        x: Where to read the table.
        knots: At least two numbers that increase.
        values: The value at each knot; plain numbers for curves.
        kind: `linear`, or a natural spline: `cubic` or `quintic`.
        periodic: Whether the table is repeated; its last value is its first.

    Raises:
        ExpressionError: There are not as many values as knots, the knots do not increase, or
            a table that is repeated does not end as it begins.

    Examples:
        >>> interp(0.5, [0, 1, 2], [0, 10, 10])
        5.0
    """
    xs, ys = tuple(knots), tuple(values)
    if len(xs) != len(ys):
        raise ExpressionError(
            f"interp takes as many knots as values, got {len(xs)} knots and {len(ys)} values."
        )
    if kind not in KINDS:
        raise ExpressionError(f"interp: kind is one of {', '.join(KINDS)}, got {kind!r}.")
    if kind == "linear" and not periodic:
        return apply("interp", x, *xs, *ys)
    found = _curve(x, xs, ys, kind, periodic)
    return (
        found.value if isinstance(found, Constant) and not isinstance(x, Operators) else found
    )


def _curve(x: Any, xs: tuple[Any, ...], ys: tuple[Any, ...], kind: str, periodic: bool) -> Any:
    """Return a table that is smooth or repeated."""
    from bellcrank.model.expressions import splines

    nodes = [operand(entry) for entry in (*xs, *ys)]
    combine("interp", Constant(0.0), *nodes)  # complains about knots
    if any(not isinstance(node, Constant) for node in nodes):
        raise ExpressionError("interp: a table that is smooth or periodic has plain numbers.")
    numbers = [node.value for node in nodes if isinstance(node, Constant)]
    knots, values = numbers[: len(xs)], numbers[len(xs) :]
    if periodic:
        splines.check_period(values)
    if kind == "linear":
        return combine("interp", splines.wrapped(x, knots[0], knots[-1]), *nodes)
    make = splines.periodic_spline if periodic else splines.spline
    return make(x, knots, values, kind)


def table(file: str | PathLike[str], x: str | int = 0, y: str | int = 1) -> tuple[Any, Any]:
    r"""Return the knots and values of a table in a CSV file, for `interp(x, *table(file))`.

    Args:
        file: Columns of numbers, separated by commas, semicolons or tabs; a first line of names
            is allowed, and lines that begin with # are left out.
        x: The column of the knots: its name, or its number from 0 on.
        y: The column of the values.

    Raises:
        ExpressionError: There is no such file or column, or it holds no numbers.

    Examples:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
        ...     _ = file.write("angle, lift\n0, 0\n1, 0.02\n2, 0\n")
        >>> interp(1.5, *table(file.name, x="angle", y="lift"))
        0.01
    """
    text = _text(Path(file))
    lines = {
        n: line
        for n, line in enumerate(text.splitlines(), 1)
        if line.strip() and line.strip()[0] != "#"
    }
    first = next(iter(lines.values()), "")
    between = next((mark for mark in ";\t" if mark in first), ",")
    read = csv.reader(lines.values(), delimiter=between)
    rows = dict(zip(lines, ([cell.strip() for cell in row] for row in read), strict=True))
    named = bool(rows) and not _all_numbers(rows[next(iter(rows))])
    names = rows.pop(next(iter(rows))) if named else []
    if not rows:
        raise ExpressionError(f"table {str(file)!r}: there are no numbers in it.")
    columns = [_column(str(file), names, rows, which) for which in (x, y)]
    return columns[0], columns[1]


def _text(file: Path) -> str:
    """Return what a plain file of bounded size holds.

    Raises:
        ExpressionError: There is none, or it cannot be read.
    """
    try:
        plain, size = not file.exists() or file.is_file(), file.stat().st_size
        if plain and size <= LARGEST:  # a device or a pipe may never end
            return file.read_text(encoding="utf-8-sig")
        why = (
            f"{size} bytes, and at most {LARGEST} are read" if plain else "it is no plain file"
        )
    except UnicodeDecodeError:
        why = "it is no text in UTF-8"
    except OSError as error:
        why = error.strerror or error
    except ValueError as error:  # no path at all
        why = error
    raise ExpressionError(f"table {str(file)!r}: {why}.")


def _all_numbers(cells: list[str]) -> bool:
    try:
        return all(float(cell) == float(cell) for cell in cells)
    except ValueError:
        return False


def _column(
    file: str, names: list[str], rows: dict[int, list[str]], which: str | int
) -> tuple[float, ...]:
    """Return a column of a table as numbers; rows by the numbers of their lines."""
    if isinstance(which, str) and which not in names:
        raise ExpressionError(f"table {file!r}: {unknown_name('column', which, names)}")
    place, found = names.index(which) if isinstance(which, str) else which, []
    for line, row in rows.items():
        got = repr(row[place]) if -len(row) <= place < len(row) else f"{len(row)} columns"
        try:
            found.append(finite(float(row[place])))
        except (IndexError, ValueError, ExpressionError):
            raise ExpressionError(
                f"table {file!r}, line {line}: column {which!r} needs a finite number, "
                f"got {got}."
            ) from None
    return tuple(found)
