"""Points and axes of a joint, on both bodies at once or on each side its own."""

from collections.abc import Mapping
from typing import Any

from bellcrank.model.algebra import nominal, nominals, unit
from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Refused
from bellcrank.spatial.arithmetic import dot

OPPOSITE = -1 + 1e-9  # cosine of the angle between axes that count as opposite


def per_side(value: Any) -> bool:
    """Return whether a point or an axis is given for each side."""
    return isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], tuple)


def sides(value: Any, joint: Any, convert: Any) -> Any:
    """Return a point or axis for both sides, or a pair where they differ.

    Raises:
        Refused: It is neither, or names other bodies.
    """
    if isinstance(value, Mapping):
        named = (joint.first, joint.second)
        if len(value) != 2 or not all(isinstance(n, str) and n in value for n in named):
            got = ", ".join(map(repr, value))
            raise Refused(f" per side names {joint.first!r} and {joint.second!r}, got {got}.")
        value = (value[joint.first], value[joint.second])
    if not _is_pair(value, words=convert is not fields.point):
        return convert(value)
    first, second = (
        _on(body, side, convert)
        for body, side in zip((joint.first, joint.second), value, strict=True)
    )
    if convert is not fields.point and _opposite(first, second):
        raise Refused(
            f" must not be opposite on {joint.first!r} and {joint.second!r}: the rotation "
            "that aligns them is not unique. Reverse one."
        )
    return first if first == second else (first, second)


def _opposite(first: Any, second: Any) -> bool:
    """Return whether two axes are opposite, at nominal values."""
    a, b = (nominals(unit(fields.padded(axis))) for axis in (first, second))
    return a is not None and b is not None and nominal(dot(a, b)) < OPPOSITE  # pyright: ignore[reportOptionalOperand]


def _is_pair(value: Any, words: bool) -> bool:
    """Return whether a value has two sides; `words` tells whether a word can be one.

    `("x", "y")` are the axes of two sides, `("2*l", "h")` is a point of a planar model.
    """
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return any(words if isinstance(side, str) else hasattr(side, "__len__") for side in value)


def flat_axis(value: Any) -> Any:
    """Return a direction, which may have two components in a planar model."""
    return fields.axis(value, pairs=True)


def _on(body: str, side: Any, convert: Any) -> Any:
    try:
        return convert(side)
    except Refused as refused:
        raise Refused(f" on {body!r}{refused}") from None
