"""The bar appears on a terminal, when asked for or when a run takes long, and goes away."""

import contextlib
import io
import time

import pytest

from bellcrank.views import progress


class Screen(io.StringIO):
    """What is written to a terminal, or to what is none."""

    def __init__(self, terminal: bool = True) -> None:
        super().__init__()
        self._terminal = terminal

    def isatty(self) -> bool:
        """Return whether it is a terminal."""
        return self._terminal


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "100")


def shown(asked, terminal: bool = True, pause: float = 0.0) -> str:
    """Return what the screen shows of the first half of a run."""
    screen = Screen(terminal)
    with (
        contextlib.redirect_stderr(screen),
        progress.bar(asked, "crank", 0.0, 10.0) as tell,
    ):
        if tell is not None:
            tell(0.0, 0)
            time.sleep(pause)
            tell(5.0, 123)
    return screen.getvalue()


def test_a_bar_is_shown_when_asked_for():
    assert "crank" in shown(True)
    assert "5 s, 123 steps" in shown(True)


def test_a_run_that_takes_less_than_a_second_shows_none():
    assert progress.PATIENCE == 1.0
    assert shown(None) == ""


def test_a_run_that_takes_longer_shows_one_unasked_but_none_where_it_is_not_wanted():
    assert "5 s, 123 steps" in shown(None, pause=1.1)
    assert shown(False) == ""
    assert shown(None, terminal=False, pause=1.1) == ""


def test_a_function_is_told_instead():
    told = []
    assert shown(lambda t, steps: told.append((t, steps))) == ""
    assert told == [(0.0, 0), (5.0, 123)]
