"""How much of a family is drawn: some of it in every test run, all of it in `make release`.

Tests that ask here are marked `family`; `make families` runs them with `BELLCRANK_LONG=1`.
"""

import os

import pytest

LONG = os.environ.get("BELLCRANK_LONG", "") == "1"
IN_RELEASE = pytest.mark.skipif(not LONG, reason="takes long: make release")
"""Marks what is tried in `make release` alone, such as sweeps through browsers."""


def draws(few: int, many: int) -> int:
    """Return how many members of a family to draw: few, or many where there is time."""
    return many if LONG else few
