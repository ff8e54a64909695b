"""Ends: where a spring, a bushing or a constraint holds on to a body.

An end is `("body", point)`, the point in world numbers of the drawing, or the name of a
`Point`.
"""

from typing import Any, TypeAlias

from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Refused

End: TypeAlias = str | tuple[str, tuple[Any, ...]]


def end(value: Any) -> End:
    """Return an end in its one form.

    Raises:
        Refused: It is neither a body with a point nor the name of a point.
    """
    if isinstance(value, str):
        return fields.name(value)
    if not isinstance(value, list | tuple) or len(value) != 2 or not isinstance(value[0], str):
        raise Refused(f" is ('body', point) or the name of a Point, got {fields.short(value)}.")
    return fields.name(value[0]), fields.point(value[1])


def end_name(value: End) -> str:
    """Return the body or the point that an end names."""
    return value if isinstance(value, str) else value[0]
