"""Everything bellcrank raises on purpose.

A message says what is wrong, which one, what was got, and what would do. All errors derive
from `BellcrankError`, and carry as attributes the data their message is made of.
"""

import difflib
import sys
from collections import Counter
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any


class BellcrankError(Exception):
    """The base of all errors raised on purpose.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.BellcrankError, bc.BellcrankError)
        True
    """


class ModelError(BellcrankError, ValueError):
    """A description of a machine that cannot be right.

    Attributes:
        complaints: One sentence for each thing that is wrong.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.ModelError, bc.BellcrankError)
        True
    """

    def __init__(self, *complaints: str) -> None:
        self.complaints = complaints
        if len(complaints) == 1:
            super().__init__(complaints[0])
        else:
            shown = complaints[:MOST_COMPLAINTS]
            lines = "\n".join(f"  - {complaint}" for complaint in shown)
            rest = len(complaints) - len(shown)
            more = f"\n  and {rest} more, in `.complaints` of this error." if rest else ""
            super().__init__(f"{len(complaints)} complaints:\n{lines}{more}")

    @staticmethod
    def gather(complaints: Iterable[str]) -> None:
        """Raise one `ModelError` with all complaints, or return if there are none."""
        found = tuple(complaints)
        if found:
            raise ModelError(*found)


LONGEST_NAME = 80  # letters of a name that a message shows
MOST_COMPLAINTS = 50  # that a message lists; all of them are in `complaints`
FEW = 100  # known names, each of which is compared with an unknown one
COMMON = 200  # names with the same two letters: these letters tell little
CLOSEST = 8  # names compared of those that share most


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the nearest known name, or an empty string.

    Of many known names only those are compared that share pairs of letters with it: a message
    must not take longer than what it is about.

    Examples:
        >>> did_you_mean("uper", ["lower", "upper"])
        " Did you mean 'upper'?"
    """
    if not isinstance(name, str) or len(name) > LONGEST_NAME:
        return ""
    names = _Names.of(known)
    near = difflib.get_close_matches(name, names.alike(name), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


class _Names:
    """Names that are known, in order, and those that contain two letters side by side."""

    def __init__(self, names: frozenset[str]) -> None:
        self.sorted = sorted(names)

    @staticmethod
    def of(known: Iterable[str]) -> "_Names":
        return _names(frozenset(known))

    @cached_property
    def _with_pair(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for name in self.sorted:
            for pair in {name[i : i + 2] for i in range(min(len(name), LONGEST_NAME) - 1)}:
                found.setdefault(pair, []).append(name)
        return found

    def alike(self, name: str) -> list[str]:
        """Return the names worth comparing with one."""
        if len(self.sorted) <= FEW:
            return self.sorted
        shared: Counter[str] = Counter()
        for pair in {name[i : i + 2] for i in range(len(name) - 1)}:
            shared.update(self._with_pair.get(pair, ())[:COMMON])
        return [other for other, _ in shared.most_common(CLOSEST)]


@lru_cache(maxsize=8)
def _names(known: frozenset[str]) -> _Names:
    return _Names(known)


def shortened(name: str) -> str:
    """Return a name in quotes, the middle left out where it is long; its kind if it is none.

    Examples:
        >>> shortened("upper")
        "'upper'"
    """
    if not isinstance(name, str):
        return f"{repr(name)[:LONGEST_NAME]}, a {type(name).__name__}"
    if len(name) <= LONGEST_NAME:
        return repr(name)
    return f"{name[:40]!r}…{name[-20:]!r} ({len(name)} letters)"


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence that says that `name` is not among `known`."""
    names = _Names.of(known).sorted
    shown = ", ".join(map(_plain, names[:12])) + (
        f", … ({len(names)} in all)" if len(names) > 12 else ""
    )
    near = did_you_mean(name, names)
    return f"no {kind} named {shortened(name)}.{near} There are: {shown or 'none'}."


def _plain(name: str) -> str:
    return name if len(name) <= LONGEST_NAME else shortened(name)


def refuse_unknown(kind: str, names: Iterable[str], known: Iterable[str]) -> None:
    """Raise for the names that are not known: `UnknownName`, or one error with all of them.

    Raises:
        UnknownName: One name is not known.
        ModelError: Several are not.
    """
    there = tuple(known)
    lost = [name for name in names if name not in there]
    if len(lost) == 1:
        raise UnknownName(kind, lost[0], there)
    ModelError.gather(unknown_name(kind, name, there) for name in lost)


class UnknownName(ModelError, KeyError):
    """A name was used that is not there.

    Attributes:
        name: The name asked for.
        known: The names there are.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.UnknownName, bc.BellcrankError)
        True
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(sorted(known))
        super().__init__(unknown_name(kind, name, self.known))

    def __str__(self) -> str:
        return self.complaints[0]


class ExpressionError(ModelError):
    """An expression that is outside the grammar, or uses what it may not.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.ExpressionError, bc.BellcrankError)
        True
    """


class StartError(BellcrankError, ValueError):
    """Start values that do not fit the machine.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.StartError, bc.BellcrankError)
        True
    """


class LockedStart(StartError):
    """A start that no motion leaves although forces push the machine."""


class OptionError(BellcrankError, ValueError):
    """An option that does not exist, or does not go with the others.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.OptionError, bc.BellcrankError)
        True
    """


class NotSupported(BellcrankError, NotImplementedError):
    """The machine is sound, but this question about it has no answer here.

    It is a `NotImplementedError` as well, for code that catches those and knows nothing of
    bellcrank; no function of the package is a stub.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.NotSupported, bc.BellcrankError)
        True
    """


class FileError(BellcrankError, ValueError):
    """A file that cannot be read as what it should be.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.FileError, bc.BellcrankError)
        True
    """


class FileWarning(UserWarning):
    """A file was read; some of it was left out or changed.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.FileWarning, UserWarning)
        True
    """


class MissingExtra(BellcrankError, ImportError):
    """An optional package is needed.

    Attributes:
        package: The package that is missing.
        extra: The extra of bellcrank that brings it.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.MissingExtra, bc.BellcrankError)
        True
    """

    def __init__(self, package: str, extra: str, purpose: str) -> None:
        self.package, self.extra = package, extra
        super().__init__(
            f"{purpose} needs {package}, which is not installed. "
            f"Install it with: pip install 'bellcrank[{extra}]'"
        )


class IntegrationFailed(BellcrankError, RuntimeError):
    """A run that stopped before its end. What was computed is kept.

    Attributes:
        run: The partial `Result`.
        time: The time reached [s].
        reason: Why it stopped.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.IntegrationFailed, bc.BellcrankError)
        True
    """

    def __init__(self, reason: str, time: float, run: Any, advice: str = "") -> None:
        self.reason, self.time, self.run = reason, time, run
        kept = "The run up to there is kept in `.run` of this error."
        super().__init__(
            " ".join(filter(None, (f"stopped at t = {time:.9g} s: {reason}", advice, kept)))
        )


class NearlySingular(UserWarning):
    """A machine comes near a state in which its equations are singular."""


class AuditWarning(UserWarning):
    """A run came to its end, but its own audit contradicts it.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.AuditWarning, UserWarning)
        True
    """


class OffConstraints(UserWarning):
    """A question about a machine with loops is asked at a state at which these are open.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.OffConstraints, UserWarning)
        True
    """


class LostDigits(UserWarning):
    """A number was computed, and round-off leaves few of its digits.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.LostDigits, UserWarning)
        True
    """


class Bifurcation(UserWarning):
    """A machine starts in, or is assembled through, a position in which its motions branch.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.Bifurcation, UserWarning)
        True
    """


INSIDE = ("bellcrank", "functools")


def outside() -> int:
    """Return the `stacklevel` by which a warning names the first line outside this package.

    It is asked for by the function that warns.
    """
    frame, level = sys._getframe(1), 1
    # A property that is kept is asked for through functools.
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] in INSIDE:
        frame, level = frame.f_back, level + 1
    return level
