"""What is found in a robot's file: complaints, which refuse it, and remarks, which do not."""

import warnings
from collections.abc import Iterable

from bellcrank.errors import FileError, FileWarning

SHOWN = 30  # of the complaints
NAMED = 4  # of those that share a remark


class Findings:
    """Collects complaints and remarks, to say them all at once.

    Attributes:
        source: The name of the file.
        complaints: Lines and sentences of what is wrong.
        remarks: Sentences a reader should know, each with lines and names of what it is about.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.complaints: list[tuple[int, str]] = []
        self.remarks: dict[str, list[tuple[int, str]]] = {}

    def complain(self, line: int, sentence: str) -> None:
        """Add a sentence about something that cannot be right, or is not understood."""
        self.complaints.append((line, sentence))

    def remark(self, line: int, who: str, sentence: str) -> None:
        """Add something that was left out or changed; one sentence may be about many."""
        self.remarks.setdefault(sentence, []).append((line, who))

    def close(self) -> None:
        """Raise a `FileError` with all complaints, if there are any."""
        if self.complaints:
            told = [f"line {n}, {text}" for n, text in sorted(self.complaints, key=_line)]
            raise FileError(_listed(self.source, "complaints", told))

    def tell(self, stacklevel: int) -> None:
        """Warn of all remarks together, if there are any."""
        if self.remarks:
            found = sorted(self.remarks.items(), key=lambda one: min(one[1]))
            told = [_about(about, sentence) for sentence, about in found]
            text = _listed(self.source, "remarks", told)
            warnings.warn(text, FileWarning, stacklevel=stacklevel + 1)


def _line(finding: tuple[int, str]) -> int:
    return finding[0]


def _about(about: list[tuple[int, str]], sentence: str) -> str:
    names = some(dict.fromkeys(who for _, who in sorted(about, key=_line)))
    return f"line {min(about)[0]}, {names}: {sentence}"


def some(names: Iterable[str]) -> str:
    """Return a list of names for a sentence, the first few if they are many."""
    told = list(names)
    more = f", … ({len(told)} in all)" if len(told) > NAMED else ""
    return ", ".join(told[:NAMED]) + more


def _listed(source: str, what: str, lines: list[str]) -> str:
    if len(lines) == 1:
        return f"{source}, {lines[0]}"
    shown = "\n".join(f"  - {line}" for line in lines[:SHOWN])
    rest = f"\n  … and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return f"{source}: {len(lines)} {what}:\n{shown}{rest}"
