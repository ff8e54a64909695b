"""What may be given for a field of an element, as types.

An element brings what it is given into one form: numbers become floats or expressions of
parameters, sequences become tuples (`fields`). `Given[…]` is the type of such a field: it takes
what may be given, and reading it gives `Any`: type checkers do not follow the conversion.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, SupportsFloat, TypeAlias, TypeVar

from bellcrank.model.expressions import Expression

if TYPE_CHECKING:
    import numpy as np

    from bellcrank.model.elements.limits import Limits

    Array: TypeAlias = np.ndarray
else:
    Array = Any

What = TypeVar("What")


class Given(Generic[What]):
    """The type of a field that takes `What`; for type checkers alone."""

    if TYPE_CHECKING:

        def __get__(self, element: Any, kind: Any) -> Any: ...
        def __set__(self, element: Any, value: What) -> None: ...


def default(value: Any) -> Any:
    """Return a default for a field that is `Given`."""
    return value


Number: TypeAlias = SupportsFloat | str | Expression
Numbers: TypeAlias = Sequence[Number] | Array
Law: TypeAlias = Number | Callable[..., Any]
Axis: TypeAlias = str | Numbers
Rows: TypeAlias = Sequence[Numbers] | Array

NumberLike: TypeAlias = Given[Number]
NumberOrNone: TypeAlias = Given[Number | None]
NumbersLike: TypeAlias = Given[Numbers]
NumberOrNumbers: TypeAlias = Given[Number | Numbers | None]
LawLike: TypeAlias = Given[Law]
LawOrNone: TypeAlias = Given[Law | None]
LawsLike: TypeAlias = Given[Sequence[Law] | Array]
LawsOrNone: TypeAlias = Given[Sequence[Law] | Array | str | None]
LawsByName: TypeAlias = Given[Mapping[str, Law] | Sequence[tuple[str, Law]]]
PointLike: TypeAlias = Given[Numbers]
PointOrNone: TypeAlias = Given[Numbers | None]
PointsLike: TypeAlias = Given[Rows]
PointPerSide: TypeAlias = Given[Numbers | Mapping[str, Numbers] | tuple[Numbers, Numbers]]
AxisLike: TypeAlias = Given[Axis]
AxisOrNone: TypeAlias = Given[Axis | None]
AxisPerSide: TypeAlias = Given[Axis | Mapping[str, Axis] | tuple[Axis, Axis] | None]
RowsOrNone: TypeAlias = Given[Numbers | Rows | None]
RotationLike: TypeAlias = Given[Numbers | Rows]
EndLike: TypeAlias = Given[str | tuple[str, Numbers]]
LimitsLike: TypeAlias = Given["Limits | Mapping[str, Number] | Sequence[Number] | None"]
