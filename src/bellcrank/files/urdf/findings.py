"""What is found in a robot's file: complaints, which refuse it, and remarks, which do not."""

import warnings

from bellcrank.errors import FileError, FileWarning

SHOWN = 30  # of the complaints, and of the remarks


class Findings:
    """Collects complaints and remarks, to say them all at once.

    Attributes:
        source: The name of the file.
        complaints: Lines and sentences of what is wrong.
        remarks: Lines and sentences of what a reader should know.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.complaints: list[tuple[int, str]] = []
        self.remarks: list[tuple[int, str]] = []

    def complain(self, line: int, sentence: str) -> None:
        """Add a sentence about something that cannot be right, or is not understood."""
        self.complaints.append((line, sentence))

    def remark(self, line: int, sentence: str) -> None:
        """Add a sentence about something that was left out or changed."""
        self.remarks.append((line, sentence))

    def close(self) -> None:
        """Raise a `FileError` with all complaints, if there are any."""
        if self.complaints:
            raise FileError(_listed(self.source, "complaints", self.complaints))

    def tell(self, stacklevel: int) -> None:
        """Warn of all remarks together, if there are any."""
        if self.remarks:
            text = _listed(self.source, "remarks", self.remarks)
            warnings.warn(text, FileWarning, stacklevel=stacklevel + 1)


def _listed(source: str, what: str, found: list[tuple[int, str]]) -> str:
    lines = [f"line {line}, {text}" for line, text in sorted(found, key=lambda one: one[0])]
    if len(lines) == 1:
        return f"{source}, {lines[0]}"
    shown = "\n".join(f"  - {line}" for line in lines[:SHOWN])
    rest = f"\n  … and {len(lines) - SHOWN} more" if len(lines) > SHOWN else ""
    return f"{source}: {len(lines)} {what}:\n{shown}{rest}"
