"""What a user may choose in Kane's equations: generalized speeds and orientations.

Needs no CasADi: a choice is a value, and part of the key of the equations.
"""

from dataclasses import dataclass
from typing import Any, Literal

from bellcrank.errors import OptionError, did_you_mean
from bellcrank.formulations.contract.linear_speeds import LinearSpeeds

COMPONENTS = ("absolute body", "absolute fixed", "relative body", "relative fixed")
"""Angular velocity components that can be speeds.

The absolute ones are components of ω_K, along body K (ω′_K) or along the inertial frame (ω_K).
The relative ones are components of the angular velocity of K in L(K), along body K (ω̂′_K) or
along L(K), the frame the motion is seen from (ω̂_K).
"""

PARAMETERS = ("Euler parameters", "relative Euler parameters")
"""Orientations by four numbers: in the inertial frame, or in the lower body."""


@dataclass(frozen=True)
class Angles:
    """Orientation by three angles turned one after the other.

    Attributes:
        sequence: Axes of the turns, three of 1, 2, 3 with neighbours different.
        relative: Whether they turn L(K) into K, rather than the inertial frame.
        fixed: `"body"`: about axes as moved by the turns before; `"space"`: about the axes of
            the frame one starts from.

    Examples:
        >>> Angles("3-1-3").sequence
        '313'
    """

    sequence: str = "123"
    relative: bool = False
    fixed: Literal["body", "space"] = "body"

    def __post_init__(self) -> None:
        _take_sequence(self)

    @property
    def axes(self) -> tuple[int, int, int]:
        """The axes as numbers, in the order in which they are turned as moved."""
        order = self.sequence if self.fixed == "body" else self.sequence[::-1]
        i, j, k = map(int, order)
        return i, j, k


@dataclass(frozen=True)
class AngleRates:
    """Rates of three angles as speeds; the orientation is by the same angles.

    Attributes:
        sequence: As of `Angles`.
        relative: As of `Angles`.
        fixed: As of `Angles`.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Kane(speeds=bc.AngleRates()).speeds
        AngleRates(sequence='123', relative=False, fixed='body')
    """

    sequence: str = "123"
    relative: bool = False
    fixed: Literal["body", "space"] = "body"

    def __post_init__(self) -> None:
        _take_sequence(self)

    @property
    def angles(self) -> Angles:
        """The angles whose rates they are."""
        return Angles(self.sequence, self.relative, self.fixed)


Speeds = str | AngleRates | LinearSpeeds
Orientation = str | Angles


def checked_speeds(speeds: Any) -> Speeds:
    """Return a choice of speeds.

    Raises:
        OptionError: There is no such choice, with those there are.
    """
    if isinstance(speeds, AngleRates | LinearSpeeds) or _among(speeds, COMPONENTS):
        return speeds
    others = "AngleRates('123') or LinearSpeeds(Y, z)"
    raise OptionError(f"Kane: speeds takes {_listed(COMPONENTS)}, {others}{_got(speeds)}")


def checked_orientation(orientation: Any, speeds: Speeds) -> Orientation:
    """Return a choice of orientation; None is what goes with the speeds.

    Raises:
        OptionError: There is no such choice, or it does not go with the speeds.
    """
    angles = speeds.angles if isinstance(speeds, AngleRates) else None
    if orientation is None:
        return angles or PARAMETERS[0]
    if not (isinstance(orientation, Angles) or _among(orientation, PARAMETERS)):
        raise OptionError(
            f"Kane: orientation takes {_listed(PARAMETERS)} or Angles('123', relative=…)"
            f"{_got(orientation)}"
        )
    if angles is not None and orientation != angles:
        raise OptionError(
            f"Kane: {speeds!r} are rates of {angles!r}, which do not go with "
            f"orientation={orientation!r}. Leave orientation out, or take components of "
            "angular velocities as speeds."
        )
    return orientation


def is_relative(orientation: Orientation) -> bool:
    """Return whether an orientation is counted from the lower body."""
    if isinstance(orientation, Angles):
        return orientation.relative
    return orientation == PARAMETERS[1]


def _among(value: Any, known: tuple[str, ...]) -> bool:
    return isinstance(value, str) and value in known


def _listed(known: tuple[str, ...]) -> str:
    return ", ".join(map(repr, known))


def _got(value: Any) -> str:
    known = (*COMPONENTS, *PARAMETERS)
    if isinstance(value, type):
        return f"; got the class {value.__name__}. Did you mean {value.__name__}()?"
    near = did_you_mean(value, known) if isinstance(value, str) else ""
    return f"; got {value!r}.{near}"


def _take_sequence(choice: Angles | AngleRates) -> None:
    kind, given = type(choice).__name__, choice.sequence
    digits = str(given).lower().replace("-", "").translate(str.maketrans("xyz", "123"))
    if len(digits) != 3 or set(digits) - set("123") or digits[1] in (digits[0], digits[2]):
        raise OptionError(
            f"{kind}: the sequence {given!r} does not exist; it takes three of 1, 2, 3 "
            "with neighbours different, like '123', '321' or '313'."
        )
    if choice.fixed not in ("body", "space"):
        raise OptionError(f"{kind}: fixed must be 'body' or 'space', got {choice.fixed!r}.")
    if not isinstance(choice.relative, bool):
        raise OptionError(f"{kind}: relative is True or False, got {choice.relative!r}.")
    object.__setattr__(choice, "sequence", digits)
