"""What happened during a run, and when."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, overload

import numpy as np

from bellcrank.errors import UnknownName
from bellcrank.model.names import components


@dataclass(frozen=True)
class Occurrence:
    """One event, once.

    Args:
        name: Of the event.
        time: When it happened [s].
        values: Coordinates and rates at that moment. Vectors are kept by component, and what
            is not a number is left out.

    Examples:
        >>> Occurrence("apex", 1.5, {"A.position": (1, 2, 3)}).values
        {'A.position_x': 1.0, 'A.position_y': 2.0, 'A.position_z': 3.0}
    """

    name: str
    time: float
    values: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        known = {
            part: float(number)
            for name, value in self.values.items()
            for part, number in zip(
                components(name, np.size(value)), np.ravel(value), strict=True
            )
            if number == number
        }
        object.__setattr__(self, "time", float(self.time))
        object.__setattr__(self, "values", known)

    @classmethod
    def of(cls, thing: Any) -> "Occurrence":
        """Return an occurrence from one, or from its name, time and, if known, values."""
        if isinstance(thing, Occurrence):
            return thing
        name, time, *values = thing
        return cls(str(name), time, *values)


class Events(Sequence[Occurrence]):
    """All occurrences of a run, in the order of time.

    Examples:
        >>> events = Events([("apex", 0.5), ("touch", 1.0), ("apex", 1.5)])
        >>> events.times("apex")
        array([0.5, 1.5])
        >>> events
        time [s]   event
        0.5        apex
        1          touch
        1.5        apex
    """

    def __init__(self, occurrences: Iterable[Any] = ()) -> None:
        self._all = tuple(map(Occurrence.of, occurrences))

    @property
    def names(self) -> tuple[str, ...]:
        """The events that happened, each once, in the order of first appearance."""
        return tuple(dict.fromkeys(one.name for one in self._all))

    def times(self, name: str) -> np.ndarray:
        """Return when the event of this name happened [s].

        Raises:
            UnknownName: If no event of this name happened.
        """
        if name not in self.names:
            raise UnknownName("event", name, self.names)
        return np.array([one.time for one in self._all if one.name == name])

    @overload
    def __getitem__(self, index: int) -> Occurrence: ...
    @overload
    def __getitem__(self, index: slice) -> "Events": ...
    def __getitem__(self, index: int | slice) -> "Occurrence | Events":
        return Events(self._all[index]) if isinstance(index, slice) else self._all[index]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._all)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Events) and self._all == other._all

    def __hash__(self) -> int:
        return hash(tuple((one.name, one.time) for one in self._all))

    def __repr__(self) -> str:
        if not self._all:
            return "no events"
        rows = [("time [s]", "event"), *((f"{one.time:.9g}", one.name) for one in self._all)]
        wide = max(len(time) for time, _ in rows) + 3
        return "\n".join(f"{time:<{wide}}{name}" for time, name in rows)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{one.time:.9g}</td><td>{escape(one.name)}</td></tr>" for one in self._all
        )
        return f"<table><tr><th>time [s]</th><th>event</th></tr>{rows}</table>"


NO_EVENTS = Events()
"""Of a run in which nothing was looked for, or nothing happened."""
