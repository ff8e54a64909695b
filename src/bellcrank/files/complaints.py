"""Complaints about a file: where it is wrong, and what is wrong there."""

import re
from collections.abc import Iterable
from typing import Any

from bellcrank.errors import MOST_COMPLAINTS, FileError, did_you_mean, unknown_name
from bellcrank.files import schema
from bellcrank.files.text import Document, Place

_OWNER = re.compile(r"^\w+ (['\"])(?P<name>.*?)\1(:| )")


class Complaints:
    """Collects what is wrong with a document, to raise it all at once.

    Attributes:
        document: What is complained about.
        found: Lines and sentences so far.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.found: list[tuple[int, str]] = []

    def add(self, place: Place, sentence: str, key: str | int | None = None) -> None:
        """Add a sentence about a place in the file, or about one key there."""
        where = _written(place)
        line = self.document.line(place if key is None else (*place, key))
        self.found.append((line, f"{where}: {sentence}" if where else sentence))

    def add_about_elements(self, sentences: Iterable[str], places: dict[str, Place]) -> None:
        """Add sentences that begin with an element, such as `joint 'A': …`, at its place."""
        for sentence in sentences:
            owner = _OWNER.match(sentence)
            self.add(places.get(owner["name"], ()) if owner else (), sentence)

    def close(self) -> None:
        """Raise a `FileError` with all complaints, if there are any."""
        if not self.found:
            return
        lines = [
            f"line {line}, {text}" for line, text in sorted(self.found, key=lambda c: c[0])
        ]
        if len(lines) == 1:
            raise FileError(f"{self.document.source}, {lines[0]}")
        listed = "\n".join(f"  - {line}" for line in lines[:MOST_COMPLAINTS])
        rest = len(lines) - MOST_COMPLAINTS
        more = f"\n  and {rest} more." if rest > 0 else ""
        raise FileError(f"{self.document.source}: {len(lines)} complaints:\n{listed}{more}")


def _written(place: Place) -> str:
    """Return a place as it is read aloud: `joints[0].axis`."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)
    return text.removeprefix(".")


def about_keys(error: Any) -> tuple[Place, str, str | int | None]:
    """Return place and sentence for one error that pydantic found.

    Args:
        error: As `ValidationError.errors()` gives it.

    Returns:
        The place of the mapping, list or value that is wrong, what is wrong there, and the key
        it is about, if it is about one.
    """
    place, owner = _place(error["loc"])
    kind, got = error["type"], error["input"]
    if kind == "extra_forbidden":
        key = place[-1]
        return place[:-1], unknown_name("key", str(key), _keys(place[:-1], owner)), key
    if kind == "missing":
        return place[:-1], f"{str(place[-1])!r} is missing.", None
    if kind == "literal_error" and place == ("bellcrank",):
        said = f"version {got!r} of the file format is not known; this is {schema.FORMAT}."
        return place, said, None
    if kind in ("union_tag_invalid", "union_tag_not_found", "literal_error"):
        return *_about_type(place, got), None
    wanted = _WANTED.get(kind)
    if wanted is None:
        return place, f"{error['msg']}.", None
    if got is None:
        return place, f"is empty; {wanted} is needed, or leave it out.", None
    return place, f"must be {wanted}, got {_short(got)}.", None


_WANTED = {
    "list_type": "a list",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
    "dict_type": "a mapping",
    "string_type": "text",
    "bool_type": "true or false",
}


def _place(loc: tuple[Any, ...]) -> tuple[Place, str]:
    """Return the place without pydantic's own labels, and the class that was expected there."""
    place: list[str | int] = []
    owner = "Machine"
    for part in loc:
        if place and isinstance(place[-1], int) and part in (*schema.SHAPES, *_classes()):
            owner = str(part)
            continue
        if isinstance(part, int) and place and place[-1] in ("drivers", "points"):
            owner = schema.IMPLIED[str(place[-1])]
        place.append(part)
    return tuple(place), owner


def _classes() -> tuple[str, ...]:
    return tuple(name for names in schema.sections().values() for name in names)


def _keys(place: Place, owner: str) -> tuple[str, ...]:
    if place == ("simulate",):
        return schema.SIMULATE_KEYS
    if place[:1] == ("tables",):
        return schema.TABLE_KEYS
    if owner == "Machine":
        return tuple(schema.machine_class().model_fields)
    return ("type", *schema.fields_of(owner))


def _about_type(place: Place, got: Any) -> tuple[Place, str]:
    if place and place[-1] == "type":
        place = place[:-1]
    section = place[0] if place else ""
    names = schema.SHAPES if "shapes" in place else schema.sections().get(str(section), ())
    if isinstance(got, str):
        found: Any = got
    elif isinstance(got, dict):
        found = got.get("type")
    else:
        return place, f"must be a mapping, got {_short(got)}."
    if found is None:
        return place, f"'type' is missing; it is one of {', '.join(names)}."
    hint = did_you_mean(str(found), names)
    return place, f"no type {found!r}.{hint} It is one of {', '.join(names)}."


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"a {type(value).__name__}"
