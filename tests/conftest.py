"""What all tests share: guard words round everything that native code writes, slow folders."""

import os
import tempfile
from pathlib import Path

import pytest

os.environ.setdefault("BELLCRANK_GUARDS", "1")
# Hypothesis keeps failing examples, and not in the checkout.
KEPT = Path(tempfile.gettempdir()) / "bellcrank-hypothesis"
os.environ.setdefault("HYPOTHESIS_STORAGE_DIRECTORY", str(KEPT))

HERE = Path(__file__).parent
SLOW = ("analysis", "classics", "door", "matrix", "oracle")
"""Folders whose tests run whole machines by many ways; `make quick` leaves them out."""


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark all tests of a slow folder."""
    for item in items:
        if item.path.is_relative_to(HERE) and item.path.relative_to(HERE).parts[0] in SLOW:
            item.add_marker(pytest.mark.slow)
