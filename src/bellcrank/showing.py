"""How models and results show themselves, without knowing by what.

Views register what draws; they are imported when something is to be shown for the first time.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeVar

VIEWS = "bellcrank.views.showing"  # registers its functions when it is imported
F = TypeVar("F", bound=Callable[..., Any])

_shown: dict[str, Callable[..., Any]] = {}


def shows(function: F) -> F:
    """Register a function that shows something, under its own name."""
    _shown[function.__name__] = function
    return function


def show(name: str, *things: Any) -> Any:
    """Return what a registered function makes of things."""
    if name not in _shown:
        import_module(VIEWS)
    return _shown[name](*things)
