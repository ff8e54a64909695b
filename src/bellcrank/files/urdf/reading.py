"""XML → tags, each with its line, and nothing else.

Expat reads, and a document type is refused where it begins: there are no entities to expand,
and nothing outside the file is ever opened. Limits hold while reading: size, depth, number of
tags.
"""

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn
from xml.parsers import expat

from bellcrank.errors import FileError
from bellcrank.files.text import file_content

LARGEST_FILE = 16 * 2**20  # bytes
MOST_TAGS = 200_000
DEEPEST = 64  # levels of tags
BLOCK = 2**16  # bytes read between looks at the limits


@dataclass(frozen=True)
class Tag:
    """One element of the file.

    Attributes:
        name: As written, with a prefix where it has one.
        line: Where it begins, from 1.
        attributes: As written.
        children: The tags inside.
    """

    name: str
    line: int
    attributes: dict[str, str]
    children: list["Tag"] = field(default_factory=list)

    def child(self, name: str) -> "Tag | None":
        """Return the first child of that name."""
        return next((tag for tag in self.children if tag.name == name), None)


def read_tags(path: str | os.PathLike[str]) -> Tag:
    """Return the outermost tag of an XML file.

    Args:
        path: The file.

    Returns:
        The tag, with all that is inside.

    Raises:
        FileError: No such file, not XML, too large, too deep, or with a document type.
    """
    return parse_tags(file_content(Path(path), LARGEST_FILE), str(path))


def parse_tags(content: bytes, source: str = "text") -> Tag:
    """Return the outermost tag of an XML document.

    Args:
        content: The document, in UTF-8, UTF-16 or the encoding that it declares.
        source: Its name in messages.

    Returns:
        The tag, with all that is inside.

    Raises:
        FileError: Not XML, too deep, too many tags, or with a document type.
    """
    reader = _TagReader(source)
    parser = reader.parser
    try:
        for start in range(0, len(content), BLOCK):
            parser.Parse(content[start : start + BLOCK], False)
        parser.Parse(b"", True)
    except FileError:  # a `ValueError`, too
        raise
    except expat.ExpatError as error:
        reason = expat.ErrorString(error.code)
        inside = f"; <{tag.name}> of line {tag.line} is open" if (tag := reader.last) else ""
        raise FileError(f"{source}, line {error.lineno}: not XML: {reason}{inside}.") from None
    except (
        ValueError,
        LookupError,
    ) as error:  # an encoding that is unknown, or not what it says
        reader.refuse(f"not XML in an encoding that can be read: {error}.")
    assert reader.top is not None  # expat has seen to it
    return reader.top


class _TagReader:
    """Expat's handlers, and what they have seen."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.top: Tag | None = None
        self.open: list[Tag] = []
        self.count = 0
        self.parser: Any = expat.ParserCreate()
        self.parser.StartElementHandler = self.begin
        self.parser.EndElementHandler = self.end
        self.parser.StartDoctypeDeclHandler = self.doctype
        self.parser.EntityDeclHandler = self.doctype
        self.parser.ExternalEntityRefHandler = self.doctype

    @property
    def last(self) -> Tag | None:
        """The tag that was opened last and is not closed."""
        return self.open[-1] if self.open else None

    def refuse(self, reason: str) -> NoReturn:
        """Raise for the line that is being read."""
        line = self.parser.CurrentLineNumber
        raise FileError(f"{self.source}, line {line}: {reason}") from None

    def doctype(self, *_: Any) -> NoReturn:
        """Refuse a document type, and so all entities."""
        self.refuse("document types and entities are refused; take <!DOCTYPE …> out.")

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        """Open a tag."""
        self.count += 1
        if self.count > MOST_TAGS:
            self.refuse(f"more than {MOST_TAGS} tags; no more are read.")
        if len(self.open) >= DEEPEST:
            self.refuse(f"tags in tags, deeper than {DEEPEST} levels.")
        tag = Tag(name, self.parser.CurrentLineNumber, attributes)
        if self.open:
            self.open[-1].children.append(tag)
        else:
            self.top = tag
        self.open.append(tag)

    def end(self, _: str) -> None:
        """Close the tag that was opened last."""
        self.open.pop()
