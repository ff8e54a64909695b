"""How far, how fast and how hard a joint may go."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bellcrank.errors import unknown_name
from bellcrank.model.algebra import nominal
from bellcrank.model.elements import fields
from bellcrank.model.elements.given import NumberOrNone, default
from bellcrank.model.elements.walking import field_names


@dataclass(frozen=True)
class Limits:
    """The range of a joint's coordinate, its fastest rate and its largest effort.

    They are kept with the joint, for controllers, plots and checks; nothing stops it there.

    Attributes:
        lower: Smallest coordinate [rad or m]; None for no limit.
        upper: Largest coordinate [rad or m]; None for no limit.
        velocity: Largest magnitude of its rate [rad/s or m/s]; None for no limit.
        effort: Largest magnitude of its effort [N m or N]; None for no limit.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Limits(-1.0, 2.0, effort=50.0).upper
        2.0
    """

    lower: NumberOrNone = default(None)
    upper: NumberOrNone = default(None)
    velocity: NumberOrNone = default(None)
    effort: NumberOrNone = default(None)

    complaints = ()

    def __post_init__(self) -> None:
        door = fields.Door(self)
        for field in field_names(Limits):
            if getattr(self, field) is not None:
                sign = "nonnegative" if field in ("velocity", "effort") else "any"
                door.take(field, fields.real, sign=sign)
        if not door.complaints and None not in (self.lower, self.upper):
            low, high = nominal(self.lower), nominal(self.upper)
            if low is not None and high is not None and low > high:
                door.say(f"lower must not be above upper, got {low:.9g} and {high:.9g}.")
        door.keep()


def limits(value: Any) -> Limits:
    """Return limits from limits, from a mapping of their fields, or from (lower, upper).

    Raises:
        Refused: It is none of these.
    """
    if isinstance(value, Limits):
        return value
    if isinstance(value, Mapping):
        known = field_names(Limits)
        for key in value:
            if key not in known:
                raise fields.Refused(f": {unknown_name('key', str(key), known)}")
        return Limits(**value)
    if isinstance(value, list | tuple) and len(value) == 2:
        return Limits(*value)
    raise fields.Refused(
        f" must be Limits, or a pair (lower, upper), got {fields.short(value)}."
    )
