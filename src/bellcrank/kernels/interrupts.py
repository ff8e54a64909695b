"""Ctrl-C while code is compiled: never lost, and never in the midst of an import.

The packages that compile call Python from inside, in destructors and in conversions that drop
whatever is raised there, Ctrl-C too; and a package whose import is cut short is left in pieces
for the rest of the process. Both are mended here, in the main thread, which is where Python
hears signals. Whoever has a handler of their own keeps it.
"""

import importlib
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def heard() -> Iterator[None]:
    """Raise a Ctrl-C that came inside, at the end at the latest.

    Examples:
        >>> with heard():
        ...     pass
    """
    with _handled(raised=True):
        yield


def whole(name: str) -> Any:
    """Import a package; Ctrl-C waits until it is there.

    Examples:
        >>> whole("json").dumps([1])
        '[1]'
    """
    if name in sys.modules:
        return sys.modules[name]
    with _handled(raised=False):
        return importlib.import_module(name)


@contextmanager
def _handled(raised: bool) -> Iterator[None]:
    """Note Ctrl-C; raise it inside, if `raised`, and at the end, if nothing else is raised."""
    before, note = _handler(), _Note(raised)
    if not (before is signal.default_int_handler or isinstance(before, _Note)):
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if note.came:
        raise KeyboardInterrupt


class _Note:
    """Hears Ctrl-C."""

    def __init__(self, raised: bool) -> None:
        self._raised, self.came = raised, False

    def __call__(self, number: int, frame: Any) -> None:
        self.came = True
        if self._raised:
            raise KeyboardInterrupt


def _handler() -> Any:
    """Return what hears Ctrl-C in this thread; None where nothing can be set."""
    if threading.current_thread() is not threading.main_thread():
        return None
    return signal.getsignal(signal.SIGINT)
