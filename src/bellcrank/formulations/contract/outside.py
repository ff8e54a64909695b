"""What kinds of elements from outside the package do, as text: part of the key of what is kept.

Compiled code is found again by the structure of its machine, which names kinds of elements.
What those of this package do follows from its source, whose digest the cache knows. What others
do follows from their declaration and from the functions that they register, read here down to
the functions and constants that these use.

Needs CasADi only where there are such kinds.
"""

from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType
from typing import Any

from bellcrank.model import Constraint, ForceElement, Joint
from bellcrank.model.elements.kinds import shipped


def told(elements: Iterable[Any]) -> str:
    """Return what decides what kinds from outside do; empty where there are none."""
    sorts = (Joint, Constraint, ForceElement)
    kinds = {type(e).__qualname__: type(e) for e in elements if isinstance(e, sorts)}
    return "\n".join(_kind(kind) for _, kind in sorted(kinds.items()) if not shipped(kind))


def _kind(kind: type) -> str:
    from bellcrank.formulations.body_space.constraint_forces import forces_per_multiplier
    from bellcrank.formulations.body_space.constraints import conditions, slips
    from bellcrank.formulations.body_space.forces import effect

    seen: set[int] = set()
    said = [
        f"{name}={_value(value, seen)}"
        for one in kind.__mro__
        if one is not object and not shipped(one)
        for name, value in sorted(vars(one).items())
        if not name.startswith("__") or name == "__post_init__"
    ]
    registered = (
        one.dispatch(kind) for one in (effect, conditions, slips, forces_per_multiplier)
    )
    return "\n".join([kind.__qualname__, *said, *(_value(one, seen) for one in registered)])


def _value(value: Any, seen: set[int]) -> str:
    """Return a constant as text, and of a function what it is made of."""
    function = getattr(value, "fget", None) or getattr(value, "func", None) or value
    if isinstance(function, FunctionType):
        return _function(function, seen)
    if isinstance(value, bool | int | float | str | tuple | dict | None):
        return repr(value)
    return type(value).__name__


def _function(function: FunctionType, seen: set[int]) -> str:
    if (function.__module__ or "").startswith("bellcrank.") or id(function) in seen:
        return function.__qualname__
    seen.add(id(function))
    codes = list(_codes(function.__code__))
    said = [f"{code.co_code.hex()} {code.co_names} {_constants(code)}" for code in codes]
    used = {name: function.__globals__.get(name) for code in codes for name in code.co_names}
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    values = [function.__defaults__, *cells, *(used[name] for name in sorted(used))]
    return "\n".join([*said, *(_value(value, seen) for value in values)])


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _constants(code: CodeType) -> list[str]:
    return [repr(one) for one in code.co_consts if not isinstance(one, CodeType)]
