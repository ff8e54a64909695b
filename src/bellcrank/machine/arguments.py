"""What a user hands a `System`, made arrays, or refused by name."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bellcrank.errors import OptionError, refuse_unknown
from bellcrank.model.elements.fields import short

Values = Mapping[str, float] | ArrayLike | None


def check_mapping(option: str, values: Any) -> None:
    """Complain about values that are not given by name.

    Raises:
        OptionError: Naming the option and what was got.
    """
    if values is not None and not isinstance(values, Mapping):
        raise OptionError(f"{option} takes values by name, as in {{...}}, got {short(values)}.")


def names_given(option: str, names: Any) -> tuple[str, ...]:
    """Return names, of which one may be given alone.

    Raises:
        OptionError: They are no names.
    """
    if isinstance(names, str):
        return (names,)
    try:
        found = tuple(names)
    except TypeError:
        found = (names,)
    if not all(isinstance(name, str) for name in found):
        raise OptionError(f"{option} takes names, as in ['A.angle'], got {short(names)}.")
    return found


def finite(option: str, value: Any, unit: str = "") -> float:
    """Return a finite number.

    Raises:
        OptionError: It is none.
    """
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        found = np.nan
    if not np.isfinite(found):
        raise OptionError(f"{option} takes a finite number{unit}, got {short(value)}.")
    return found


def parameter_vector(nominal: Mapping[str, float], given: Values) -> np.ndarray:
    """Return p: nominal values, with those given by name in their place, or a whole vector."""
    if given is None:
        return np.array(list(nominal.values()), dtype=float)
    if isinstance(given, Mapping):
        values = {**nominal, **numbers("parameter", given, nominal)}
        return np.array(list(values.values()), dtype=float)
    return vector_of("parameters", given, tuple(nominal))


def input_vector(names: Sequence[str], given: Values, machine: str) -> np.ndarray:
    """Return w from values by name, or a whole vector; every input of a machine needs one."""
    if given is None or isinstance(given, Mapping):
        values = numbers("input", given or {}, names)
        missing = [name for name in names if name not in values]
        if missing:
            raise OptionError(
                f"input{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))} of "
                f"'{machine}' without a value. Give inputs={{{missing[0]!r}: …}}."
            )
        return np.array([values[name] for name in names], dtype=float)
    return vector_of("inputs", given, names)


def numbers(kind: str, given: Mapping[str, float], known: Any) -> dict[str, float]:
    """Return finite floats by name.

    Raises:
        ModelError: Names that are not known.
        OptionError: A value that is not a finite number.
    """
    found = {}
    refuse_unknown(kind, given, known)
    for name, value in given.items():
        try:
            found[name] = float(value)
        except (TypeError, ValueError, OverflowError):
            found[name] = np.nan
        if not np.isfinite(found[name]):
            raise OptionError(f"{kind} '{name}' takes a finite number, got {value!r}.")
    return found


def entries_of(value: Any, size: int, unit: bool) -> np.ndarray | str:
    """Return the numbers of one name, or what it takes instead.

    Args:
        value: What was given.
        size: How many there should be.
        unit: Whether they are made a vector of unit length.
    """
    try:
        entries = np.atleast_1d(np.asarray(value, dtype=float))
    except (TypeError, ValueError, OverflowError):
        entries = np.array([])
    if entries.shape != (size,) or not np.all(np.isfinite(entries)):
        return f"{size} finite number{'s' * (size > 1)}, got {value!r}"
    if not unit:
        return entries
    length = np.sqrt(entries @ entries)
    return entries / length if length > 0 else "four Euler parameters, not all zero"


def vector_of(letter: str, values: ArrayLike, names: Sequence[str]) -> np.ndarray:
    """Return an array whose last axis has one entry per name.

    Raises:
        OptionError: Another number of entries, or no numbers.
    """
    array = floats(letter, values)
    if array.ndim == 0 or array.shape[-1] != len(names):
        got = "a single number" if array.ndim == 0 else str(array.shape[-1])
        shown = ", ".join(names[:8]) + (", …" if len(names) > 8 else "")
        raise OptionError(f"{letter} takes {len(names)} entries ({shown}), got {got}.")
    return array


def floats(letter: str, values: ArrayLike) -> np.ndarray:
    """Return an array of floats.

    Raises:
        OptionError: There are things in it that are no numbers.
    """
    try:
        return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"{letter} takes numbers, got {short(values)}.") from None
