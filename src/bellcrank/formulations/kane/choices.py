"""What a user may choose in Kane's equations: generalized speeds and orientations.

Needs no CasADi: a choice is a value, and part of the key of the equations.
"""

from dataclasses import dataclass
from typing import Any, Literal

from bellcrank.errors import OptionError, did_you_mean
from bellcrank.model.expressions import Constant, Expression, expression, text

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


@dataclass(frozen=True, repr=False)
class LinearSpeeds:
    """Speeds u = Y q̇ + z, any linear combination of the rates of the coordinates.

    q are the coordinates of the bodies, orientations first: 6N with angles, 7N with Euler
    parameters, to which the rows εᵀε̇ = 0 are added before Y is inverted. Entries are numbers
    or expressions of t, parameters and the names of coordinates, as in
    `"cos('body 2'.angle3)"`.

    Attributes:
        Y: One row per speed, 6N rows.
        z: One entry per speed; zeros if not given.
        names: What the speeds are called; `u1`, `u2`, … if not given.

    Examples:
        >>> import bellcrank as bc
        >>> import inspect
        >>> sorted(inspect.signature(bc.LinearSpeeds).parameters)
        ['Y', 'names', 'z']
    """

    Y: Any
    z: Any = None
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        rows = tuple(_entries(f"Y[{i}]", row) for i, row in enumerate(_rows(self.Y)))
        widths = {len(row) for row in rows}
        if len(widths) > 1:
            raise OptionError(f"LinearSpeeds: rows of Y have {sorted(widths)} entries.")
        z = (0.0,) * len(rows) if self.z is None else _entries("z", self.z)
        names = tuple(self.names) or tuple(f"u{i + 1}" for i in range(len(rows)))
        for what, found in (("z", z), ("names", names)):
            if len(found) != len(rows):
                raise OptionError(
                    f"LinearSpeeds: {what} takes {len(rows)} entries, one per row of Y, "
                    f"got {len(found)}."
                )
        if len(set(names)) < len(names) or not all(isinstance(n, str) and n for n in names):
            raise OptionError("LinearSpeeds: names must be different texts.")
        for field, value in (("Y", rows), ("z", z), ("names", names)):
            object.__setattr__(self, field, value)

    def __repr__(self) -> str:
        """In full, because it is part of the key under which kernels are kept."""
        rows = [[_written(entry) for entry in row] for row in (*self.Y, self.z)]
        return f"LinearSpeeds(Y={rows[:-1]}, z={rows[-1]}, names={self.names})"


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


def _rows(matrix: Any) -> tuple[Any, ...]:
    try:
        rows = tuple(matrix)
    except TypeError:
        rows = ()
    if not rows or any(isinstance(row, str) for row in rows):
        raise OptionError(f"LinearSpeeds: Y takes a matrix, one row per speed, got {matrix!r}.")
    return rows


def _entries(what: str, row: Any) -> tuple[float | Expression, ...]:
    try:
        items = tuple(row)
    except TypeError:
        raise OptionError(f"LinearSpeeds: {what} takes a sequence, got {row!r}.") from None
    found = [expression(item) for item in items]
    return tuple(_number(entry) for entry in found)


def _written(entry: float | Expression) -> float | str:
    return text(entry) if isinstance(entry, Expression) else entry


def _number(entry: Expression) -> float | Expression:
    """Return a constant as a float."""
    return float(entry.value) if isinstance(entry, Constant) else entry
