"""Events to look for in a run, and sampled controllers."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Door, Refused
from bellcrank.model.elements.given import LawLike
from bellcrank.model.expressions import is_condition, text

SIGNS = (-1, 0, 1)


@dataclass(frozen=True)
class Event:
    """A zero crossing of an expression.

    Attributes:
        name: How it is listed in `run.events`.
        when: An expression; the event is where it passes through zero, or comes to rest there.
        direction: +1 for upward crossings only, −1 for downward only, 0 for both.
        terminal: Whether the run ends there.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Event("apex", "tip.velocity_z", direction=-1, terminal=True).terminal
        True
    """

    KIND: ClassVar[str] = "event"
    LAWS: ClassVar[tuple[str, ...]] = ("when",)
    name: str
    when: LawLike
    direction: int = 0
    terminal: bool = False

    def __post_init__(self) -> None:
        door = Door(self, f"event {self.name!r}")
        door.take("name", fields.name)
        if door.take("when", fields.law) and is_condition(self.when):
            door.say(
                "when is an expression that passes through zero, such as 'A.angle - 1', "
                f"got the condition {text(self.when)!r}."
            )
        if not isinstance(self.direction, Real) or self.direction not in SIGNS:
            door.say(f"direction is -1, 0 or 1, got {fields.short(self.direction)}.")
        else:
            door.put("direction", int(self.direction))
        if not isinstance(self.terminal, bool):
            door.say(f"terminal is True or False, got {fields.short(self.terminal)}.")
        door.close()


@dataclass(frozen=True)
class Sampled:
    """A digital controller: a function called at equal intervals, its output held between.

    Attributes:
        law: `law(t, values) -> {input name: number}`; `values` has what `reads` names. First
            called at the start of the run.
        every: The interval [s].
        reads: Names of what it measures, such as `"A.angle"`.

    Examples:
        >>> import bellcrank as bc
        >>> law = bc.Sampled(lambda t, seen: {"torque": -2 * seen["A.angle"]},
        ...     every=0.01, reads=("A.angle",))
    """

    law: Callable[..., Any]
    every: float
    reads: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        door = Door(self, "sampled controller")
        if not callable(self.law):
            door.say(f"law must be a function law(t, values), got {fields.short(self.law)}.")
        elif not _takes_two(self.law):
            door.say("law must take two arguments, law(t, values).")
        good = door.take("every", fields.real, unit="s", sign="positive")
        if good and not isinstance(self.every, float):
            door.say("every must be a plain number [s], not an expression.")
        door.take("reads", _reads)
        door.close()


def _takes_two(law: Callable[..., Any]) -> bool:
    """Return whether a function takes (t, values), as far as Python can tell."""
    try:
        inspect.signature(law).bind(0.0, {})
    except TypeError:
        return False
    except ValueError:  # a builtin that does not say what it takes
        return True
    return True


def _reads(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    try:
        names = tuple(value)
    except TypeError:
        raise Refused(f" needs names, got {fields.short(value)}.") from None
    for name in names:
        if not isinstance(name, str):
            raise Refused(f" needs names, got {fields.short(name)}.")
    return names
