"""Machines that come with bellcrank, each a YAML file with a start worth looking at.

Examples:
    >>> from bellcrank import examples
    >>> "double-pendulum" in examples.names()
    True
    >>> examples.load("double-pendulum").name
    'double pendulum'
"""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bellcrank.errors import UnknownName

if TYPE_CHECKING:
    from bellcrank.model import Model

_FOLDER = Path(__file__).parent


@cache
def names() -> tuple[str, ...]:
    """Return the names of all examples."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.yaml")))


def path(name: str) -> Path:
    """Return the file of an example.

    Args:
        name: One of `names()`.

    Returns:
        Its YAML file.

    Raises:
        UnknownName: There is no such example.
    """
    if name not in names():
        raise UnknownName("example", name, names())
    return _FOLDER / f"{name}.yaml"


def title(name: str) -> str:
    """Return the first comment line of an example's file: what it is, in a sentence."""
    first, *_ = path(name).read_text(encoding="utf-8").splitlines()
    return first.removeprefix("#").strip()


def load(name: str) -> "Model":
    """Return an example as a `Model`.

    Args:
        name: One of `names()`.

    Returns:
        The machine.
    """
    from bellcrank.files import load_machine

    return load_machine(path(name))[0]


def settings(name: str) -> dict[str, Any]:
    """Return keyword arguments for `simulate` that show the example at its best.

    Args:
        name: One of `names()`.

    Returns:
        `until`, `start` and others, as its file gives them.
    """
    from bellcrank.files import load_machine

    return load_machine(path(name))[1]
