"""Everything bellcrank raises on purpose.

A message says what is wrong, which one, what was got, and what would do. All errors derive
from `BellcrankError`, and carry as attributes the data their message is made of.
"""

import difflib
from collections.abc import Iterable
from typing import Any


class BellcrankError(Exception):
    """The base of all errors raised on purpose."""


class ModelError(BellcrankError, ValueError):
    """A description of a machine that cannot be right.

    Attributes:
        complaints: One sentence for each thing that is wrong.
    """

    def __init__(self, *complaints: str) -> None:
        self.complaints = complaints
        if len(complaints) == 1:
            super().__init__(complaints[0])
        else:
            lines = "\n".join(f"  - {complaint}" for complaint in complaints)
            super().__init__(f"{len(complaints)} complaints:\n{lines}")

    @staticmethod
    def gather(complaints: Iterable[str]) -> None:
        """Raise one `ModelError` with all complaints, or return if there are none."""
        found = tuple(complaints)
        if found:
            raise ModelError(*found)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the nearest known name, or an empty string.

    Examples:
        >>> did_you_mean("uper", ["lower", "upper"])
        " Did you mean 'upper'?"
    """
    near = difflib.get_close_matches(name, list(known), n=1)
    return f" Did you mean {near[0]!r}?" if near else ""


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the sentence that says that `name` is not among `known`."""
    names = sorted(known)
    shown = ", ".join(names[:12]) + (f", … ({len(names)} in all)" if len(names) > 12 else "")
    return f"no {kind} named {name!r}.{did_you_mean(name, names)} There are: {shown or 'none'}."


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
    """

    def __init__(self, kind: str, name: str, known: Iterable[str]) -> None:
        self.name, self.known = name, tuple(sorted(known))
        super().__init__(unknown_name(kind, name, self.known))

    def __str__(self) -> str:
        return self.complaints[0]


class ExpressionError(ModelError):
    """An expression that is outside the grammar, or uses what it may not."""


class StartError(BellcrankError, ValueError):
    """Start values that do not fit the machine."""


class OptionError(BellcrankError, ValueError):
    """An option that does not exist, or does not go with the others."""


class NotSupported(BellcrankError, NotImplementedError):
    """The machine is sound, but this question about it has no answer here.

    It is a `NotImplementedError` as well, for code that catches those and knows nothing of
    bellcrank; no function of the package is a stub.
    """


class FileError(BellcrankError, ValueError):
    """A file that cannot be read as what it should be."""


class FileWarning(UserWarning):
    """A file was read; some of it was left out or changed."""


class MissingExtra(BellcrankError, ImportError):
    """An optional package is needed.

    Attributes:
        package: The package that is missing.
        extra: The extra of bellcrank that brings it.
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
    """

    def __init__(self, reason: str, time: float, run: Any, advice: str = "") -> None:
        self.reason, self.time, self.run = reason, time, run
        kept = "The run up to there is kept in `.run` of this error."
        super().__init__(
            " ".join(filter(None, (f"stopped at t = {time:.9g} s: {reason}", advice, kept)))
        )


class NearlySingular(UserWarning):
    """A machine comes near a state in which its equations are singular."""


class Bifurcation(UserWarning):
    """A machine starts in, or is assembled through, a position in which its motions branch."""
