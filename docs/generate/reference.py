"""The reference: a page for each group of public names, made of signatures and docstrings.

Groups follow from where names live, and within the model from what kind of element they are, so
that a new name has its place at once.
"""

import inspect
import logging
from collections.abc import Iterator
from typing import Any

from griffe import Docstring

import bellcrank as bc
from bellcrank import HOMES
from bellcrank.model.elements.kinds import KINDS

GROUPS = {
    "verbs": "Verbs", "model": "The model", "joints": "Joints", "constraints": "Constraints",
    "forces": "Forces", "formulations": "Formulations", "integrators": "Integrators",
    "results": "Machines and results", "expressions": "Expressions",
    "errors": "Errors and warnings",
}  # fmt: skip
ROOMS = {
    "formulations": "formulations", "integrators": "integrators", "constraints": "integrators",
    "model": "model", "errors": "errors", "kernels": "results", "machine": "results",
    "results": "results", "analysis": "results",
}  # fmt: skip
logging.getLogger("griffe").setLevel(logging.ERROR)  # types are in signatures, not in words


def group_of(name: str) -> str:
    """Return the page on which a public name stands."""
    thing, home = getattr(bc, name), HOMES[name]
    for sort, kinds in KINDS.items():
        if thing in kinds.values() and f"{sort}s" in GROUPS:
            return f"{sort}s"
    if home == "bellcrank.model.expressions":
        return "expressions"
    if inspect.isfunction(thing):
        return "verbs"
    return ROOMS[home.split(".")[1]]


def grouped() -> dict[str, list[str]]:
    """Return the public names of every page."""
    found: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in sorted(HOMES, key=str.casefold):
        found[group_of(name)].append(name)
    return found


def pages() -> Iterator[tuple[str, str]]:
    """Return path and text of every page."""
    lines = ["# Reference", "", "Every public name, as `import bellcrank as bc` gives it.", ""]
    lines += ["| page | names |", "| --- | --- |"]
    for group, names in grouped().items():
        listed = ", ".join(f"[{name}]({group}.md#{name.lower()})" for name in names)
        lines.append(f"| [{GROUPS[group]}]({group}.md) | {listed} |")
    listing = "\n".join(["", "```{toctree}", ":hidden:", "", *GROUPS, "```"])
    yield "reference/index.md", "\n".join([*lines, listing])
    for group, names in grouped().items():
        entries = (entry(name) for name in names)
        yield f"reference/{group}.md", "\n\n".join([f"# {GROUPS[group]}", *entries])


def entry(name: str) -> str:
    """Return all that is said of a public name."""
    thing = getattr(bc, name)
    parts = [f"## {name}", code(f"bc.{name}{signature(thing)}"), words(inspect.getdoc(thing))]
    if inspect.isclass(thing) and not issubclass(thing, BaseException):
        parts += [method(thing, each) for each in vars(thing) if shown(thing, each)]
    return "\n\n".join(part for part in parts if part)


def shown(kind: type, name: str) -> bool:
    """Return whether a method or a property is one to be shown."""
    thing = inspect.getattr_static(kind, name)
    plain = inspect.isfunction(thing) or isinstance(
        thing, property | classmethod | staticmethod
    )
    return plain and not name.startswith("_") and bool(inspect.getdoc(getattr(kind, name)))


def method(kind: type, name: str) -> str:
    """Return all that is said of a method or a property."""
    thing = inspect.getattr_static(kind, name)
    is_property = isinstance(thing, property)
    heading = f"### {kind.__name__}.{name}"
    line = "" if is_property else code(f"{name}{signature(getattr(kind, name))}")
    return "\n\n".join(filter(None, [heading, line, words(inspect.getdoc(thing))]))


def signature(thing: Any) -> str:
    """Return a signature without types: names and what they are if not given."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    bare = [
        each.replace(annotation=each.empty)
        for each in found.parameters.values()
        if each.name != "self"
    ]
    return str(inspect.Signature(bare)).replace("bellcrank.", "")


def words(text: str | None) -> str:
    """Return a docstring as Markdown: its sections as tables, its examples as code."""
    found = []
    for section in Docstring(text or "").parse("google"):
        match section.kind.value:
            case "text":
                found.append(section.value)
            case "parameters" | "attributes" | "raises" | "returns":
                found.append(table(section))
            case "examples":
                lines = [body for kind, body in section.value if kind.value == "examples"]
                found.append(code("\n\n".join(lines), "pycon"))
            case other:
                found.append(f"**{other.capitalize()}** {section.value}")
    return "\n\n".join(found)


def table(section: Any) -> str:
    """Return what is said of arguments, attributes, errors or answers, in two columns."""
    lines = [f"| {section.kind.value} | |", "| --- | --- |"]
    for each in section.value:
        name = getattr(each, "name", "") or getattr(each, "annotation", "") or ""
        said = " ".join(each.description.split()).replace("|", "\\|")
        lines.append(f"| {f'`{name}`' if name else ''} | {said} |")
    return "\n".join(lines)


def code(text: str, language: str = "python") -> str:
    """Return a fenced block."""
    return f"```{language}\n{text}\n```"
