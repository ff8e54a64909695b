"""The kinds of joints, constraints and force elements there are, by the name of their class.

A class is listed when it is defined, in this package or outside of it: files find it by its
name. A base of several kinds is none itself: `class Base(ForceElement, kind=False)`.
"""

KINDS: dict[str, dict[str, type]] = {"joint": {}, "constraint": {}, "force": {}}
"""Classes by sort of element and name."""

_HOME = "bellcrank."


def declare(sort: str, kind: type) -> None:
    """List a class under its name.

    Raises:
        TypeError: A class of this package has that name.
    """
    name = kind.__name__
    known = KINDS[sort].get(name)
    if known is not None and shipped(known) and known.__module__ != kind.__module__:
        raise TypeError(f"{sort} {name!r} is a kind of bellcrank's own; choose another name.")
    KINDS[sort][name] = kind


def shipped(kind: type) -> bool:
    """Return whether a class belongs to this package."""
    return kind.__module__.startswith(_HOME)


def named(sort: str) -> tuple[str, ...]:
    """Return the names of the kinds of this package, in the order of their definition."""
    return tuple(name for name, kind in KINDS[sort].items() if shipped(kind))


def kind_named(name: str) -> type | None:
    """Return the class of a name, None where there is none."""
    return next((kinds[name] for kinds in KINDS.values() if name in kinds), None)
