"""YAML text ⇄ plain data: lists, mappings, strings, numbers, and the line each stands on.

The text is read event by event, and nothing is ever constructed but these plain values, so a
file can describe data and do nothing. Limits hold while reading: size, depth, number of values.
An alias counts as much as what it stands for, so a small file cannot become a large one.

Plain scalars follow the YAML 1.2 core schema: `on`, `yes` and `12:30` are text, `1e-3` is a
number. A key is always text.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from bellcrank.errors import FileError

LARGEST_FILE = 8 * 2**20  # bytes
MOST_VALUES = 400_000  # scalars, lists and mappings, aliases written out
DEEPEST = 32  # levels of lists and mappings

CLOSED = "; the file ends with '...'"  # in its first line, where it does

Place = tuple[str | int, ...]  # keys and list positions from the top of the file

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


@dataclass
class Document:
    """Plain data and where it stands in its file.

    Attributes:
        data: What the file holds.
        source: The name of the file, for messages.
        lines: Line number, from 1, of every place that was written out.
    """

    data: Any
    source: str
    lines: dict[Place, int] = field(default_factory=dict)

    def line(self, place: Place) -> int:
        """Return the line of a place, or of the nearest place around it."""
        while place and place not in self.lines:
            place = place[:-1]
        return self.lines.get(place, 1)


@dataclass
class _Frame:
    """A list or mapping that is being read."""

    container: Any
    place: Place
    anchor: str | None
    key: str | None = None  # of a mapping: the key whose value comes next
    size: int = 1
    height: int = 1


def read_yaml(path: str | os.PathLike[str]) -> Document:
    """Return what a YAML file holds.

    Args:
        path: The file.

    Returns:
        Plain data, with the line of every value.

    Raises:
        FileError: No such file, not UTF-8, not YAML, too large, too deep, duplicate keys.
    """
    file = Path(path)
    content = file_content(file, LARGEST_FILE)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FileError(f"{file}: not UTF-8 text (byte {error.start}).") from None
    if text.partition("\n")[0].rstrip().endswith(CLOSED) and text.split()[-1:] != ["..."]:
        raise FileError(
            f"{file}: a part of a file: its first line says that it ends with '...', and it "
            "does not. Take the whole file, or take that out of the first line."
        )
    return parse_yaml(text, str(file))


def file_content(file: Path, largest: int) -> bytes:
    """Return the bytes of a plain file.

    Args:
        file: The file.
        largest: How many bytes it may have.

    Returns:
        The content.

    Raises:
        FileError: No such file, no plain file, too large, or not to be read.
    """
    if file.is_dir():
        raise FileError(f"{file} is a folder; a file is needed.")
    if not file.exists():
        raise FileError(f"no file {str(file)!r}.{_near(file)}")
    if not file.is_file():  # a device or a pipe may never end
        raise FileError(f"{file} is no plain file.")
    size = file.stat().st_size
    if size > largest:
        raise FileError(f"{file}: {size} bytes; at most {largest} are read.")
    try:
        return file.read_bytes()
    except OSError as error:
        raise FileError(f"{file}: cannot be read: {error.strerror}.") from None


def _near(file: Path) -> str:
    from bellcrank.errors import did_you_mean

    folder = file.parent
    if not folder.is_dir():
        return f" There is no folder {str(folder)!r} either."
    return did_you_mean(file.name, (f.name for f in folder.iterdir() if f.is_file()))


def parse_yaml(text: str, source: str = "text") -> Document:
    """Return what YAML text holds.

    Args:
        text: One YAML document.
        source: Its name in messages.

    Returns:
        Plain data, with the line of every value.

    Raises:
        FileError: Not YAML, too large, too deep, duplicate keys, tags, more than one document.

    Examples:
        >>> parse_yaml("a: [1, 1e-3, on]").data
        {'a': [1, 0.001, 'on']}
    """
    if len(text) > LARGEST_FILE:
        raise FileError(f"{source}: {len(text)} characters; at most {LARGEST_FILE} are read.")
    reader = _Reader(Document(None, source))
    for event in _events(text, source):
        reader.take(event)
    return reader.document


def _events(text: str, source: str) -> Iterator[Any]:
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        yield from yaml.parse(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = f", line {mark.line + 1}" if mark else ""
        said = ", ".join(filter(None, (error.context, error.problem)))
        raise FileError(f"{source}{line}: not YAML: {said}.") from None
    except yaml.YAMLError as error:
        said = " ".join(str(error).split())
        raise FileError(f"{source}: not YAML: {said}.") from None


class _Reader:
    """Builds plain data from YAML events, without recursion."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.frames: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int, int]] = {}  # value, size, height
        self.values = 0
        self.documents = 0

    def take(self, event: Any) -> None:
        """Take the next event."""
        kind = type(event).__name__
        line = event.start_mark.line + 1
        if kind == "DocumentStartEvent":
            self.documents += 1
            if self.documents > 1:
                self.refuse(line, "a second document begins; one file holds one machine.")
        elif kind in {"MappingStartEvent", "SequenceStartEvent"}:
            self.untagged(event, line)
            self.open({} if kind == "MappingStartEvent" else [], event.anchor, line)
        elif kind in {"MappingEndEvent", "SequenceEndEvent"}:
            self.close(line)
        elif kind == "ScalarEvent":
            self.scalar(event, line)
        elif kind == "AliasEvent":
            self.alias(event.anchor, line)

    def scalar(self, event: Any, line: int) -> None:
        """Take a scalar: a key of a mapping, or a value."""
        self.untagged(event, line)
        frame = self.frames[-1] if self.frames else None
        if frame and isinstance(frame.container, dict) and frame.key is None:
            self.open_key(frame, event.value, line)
            return
        value = _plain(event.value) if event.implicit[0] else event.value
        if event.anchor:
            self.anchors[event.anchor] = (value, 1, 0)
        self.place_value(value, 1, 0, line)

    def open_key(self, frame: _Frame, key: str, line: int) -> None:
        """Remember the key whose value comes next."""
        if key in frame.container:
            before = self.document.line((*frame.place, key))
            self.refuse(line, f"key {key!r} is given twice, first on line {before}.")
        frame.key = key
        self.document.lines[*frame.place, key] = line

    def open(self, container: Any, anchor: str | None, line: int) -> None:
        """Begin a list or a mapping."""
        if len(self.frames) >= DEEPEST:
            self.refuse(line, f"nested deeper than {DEEPEST} levels.")
        place = self.next_place(line)
        self.document.lines.setdefault(place, line)
        self.frames.append(_Frame(container, place, anchor))

    def close(self, line: int) -> None:
        """End the innermost list or mapping and hand it to the one around it."""
        frame = self.frames.pop()
        if frame.anchor:
            self.anchors[frame.anchor] = (frame.container, frame.size, frame.height)
        self.place_value(frame.container, frame.size, frame.height, line, opened=frame.place)

    def alias(self, anchor: str, line: int) -> None:
        """Put what an anchor stands for in the place of its alias."""
        if anchor not in self.anchors:
            self.refuse(line, f"alias *{anchor} stands for nothing before it.")
        value, size, height = self.anchors[anchor]
        if len(self.frames) + height > DEEPEST:
            self.refuse(line, f"nested deeper than {DEEPEST} levels.")
        self.place_value(value, size, height, line)

    def next_place(self, line: int) -> Place:
        """Return the place of the value that comes next."""
        if not self.frames:
            return ()
        frame = self.frames[-1]
        if isinstance(frame.container, list):
            return (*frame.place, len(frame.container))
        if frame.key is None:
            self.refuse(line, "a key must be plain text.")
        return (*frame.place, frame.key)

    def place_value(
        self, value: Any, size: int, height: int, line: int, opened: Place | None = None
    ) -> None:
        """Put a finished value where it belongs and count it."""
        self.values += size if opened is None else 1
        if self.values > MOST_VALUES:
            self.refuse(line, f"more than {MOST_VALUES} values (aliases written out).")
        place = self.next_place(line) if opened is None else opened
        self.document.lines.setdefault(place, line)
        if not self.frames:
            self.document.data = value
            return
        frame = self.frames[-1]
        frame.size += size
        frame.height = max(frame.height, height + 1)
        if isinstance(frame.container, list):
            frame.container.append(value)
        else:
            frame.container[frame.key] = value
            frame.key = None

    def untagged(self, event: Any, line: int) -> None:
        """Refuse tags: they would ask for more than plain data."""
        if event.tag not in {None, "!"}:
            self.refuse(line, f"the tag {event.tag!r} is not read; only plain data is.")

    def refuse(self, line: int, reason: str) -> NoReturn:
        """Raise a `FileError` that names file and line."""
        raise FileError(f"{self.document.source}, line {line}: {reason}")


def _plain(text: str) -> Any:
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text) and len(text) < 18:
        return int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def write_yaml(data: Any, comment: str = "", *, closed: bool = False) -> str:
    """Return YAML text of plain data, whose `parse_yaml` gives the same data.

    Sections are written in blocks, what fits on a line on one line, and whole numbers
    without a decimal point.

    Args:
        data: A mapping of mappings, lists, strings and numbers.
        comment: One line to stand at the top.
        closed: Whether the text ends with YAML's mark for the end of a document, and its first
            line says so: a part of it is then told from the whole.

    Returns:
        The text.

    Examples:
        >>> print(write_yaml({"gravity": [0.0, 0.0, -9.81], "bodies": [{"name": "a"}]}), end="")
        gravity: [0, 0, -9.81]
        bodies:
          - {name: a}
    """
    import io

    import yaml

    class Dumper(yaml.SafeDumper):
        """Writes lists indented, floats as short as they read back."""

        def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
            super().increase_indent(flow, False)

        def ignore_aliases(self, data: Any) -> bool:
            return True

    def number(dumper: Any, value: float) -> Any:
        whole = abs(value) < 1e15 and value == int(value)
        kind, text = ("int", str(int(value))) if whole else ("float", repr(value))
        return dumper.represent_scalar(f"tag:yaml.org,2002:{kind}", text)

    Dumper.add_representer(float, number)
    # A string that our own reader would take for a number has to be quoted.
    for tag, pattern in (("float", _FLOAT), ("int", _INT)):
        Dumper.add_implicit_resolver(
            f"tag:yaml.org,2002:{tag}",
            re.compile(f"^(?:{pattern.pattern})$"),
            list("-+.0123456789"),
        )
    out = io.StringIO()
    dumper = Dumper(out, allow_unicode=True, width=10**9, sort_keys=False)
    dumper.open()
    node = dumper.represent_data(data)
    _lay_out(node, 0)
    dumper.serialize(node)
    dumper.close()
    if closed:
        return f"# {comment}{CLOSED}\n{out.getvalue()}...\n"
    return (f"# {comment}\n" if comment else "") + out.getvalue()


def _lay_out(node: Any, depth: int) -> None:
    """Choose for each node whether it stands on one line or in a block."""
    parts = _parts(node)
    if parts is None:
        return
    leaf = all(_parts(part) is None for part in parts)
    sequence = not isinstance(node.value[0], tuple) if node.value else True
    if depth == 0:
        flow = False
    elif depth == 1:
        flow = sequence and leaf and _width(node) <= 88
    else:
        flow = _width(node) <= 88
    node.flow_style = flow
    for part in parts:
        _lay_out(part, depth + 1)


def _parts(node: Any) -> list[Any] | None:
    if isinstance(node.value, str):
        return None
    return [x for item in node.value for x in (item if isinstance(item, tuple) else (item,))]


def _width(node: Any) -> int:
    parts = _parts(node)
    return len(node.value) if parts is None else 2 + sum(_width(part) + 2 for part in parts)
