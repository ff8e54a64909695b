"""A progress bar for runs that take longer than a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

Progress = bool | Callable[[float, int], None] | None
"""True or False, a function of (time, steps), or None: a bar on a terminal if it takes long."""

PATIENCE = 1.0  # seconds before a bar appears unasked


@contextmanager
def bar(
    progress: Progress, name: str, begin: float, until: float
) -> Iterator[Callable[[float, int], None] | None]:
    """Yield the function to call with (time, steps), or None for no progress at all."""
    if callable(progress):
        yield progress
        return
    if progress is False or (progress is None and not sys.stderr.isatty()):
        yield None
        return
    shown = _Bar(name, begin, until, patience=0.0 if progress else PATIENCE)
    try:
        yield shown
    finally:
        shown.close()


class _Bar:
    """A Rich bar that appears when its patience is over."""

    def __init__(self, name: str, begin: float, until: float, patience: float) -> None:
        self._name, self._begin, self._span = name, begin, until - begin or 1.0
        self._due = time.perf_counter() + patience
        self._bar: Any = None
        self._task: Any = None

    def __call__(self, t: float, steps: int) -> None:
        if self._bar is None:
            if time.perf_counter() < self._due:
                return
            self._open()
        assert self._bar is not None
        done = (t - self._begin) / self._span
        self._bar.update(self._task, completed=done, steps=steps, now=t)

    def _open(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress

        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[now]:.3g} s, {task.fields[steps]} steps"),
            TimeRemainingColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._task = self._bar.add_task(self._name, total=1.0, steps=0, now=self._begin)
        self._bar.start()

    def close(self) -> None:
        """Take the bar away."""
        if self._bar is not None:
            self._bar.stop()
