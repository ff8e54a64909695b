"""Kinds that a file of this folder declares are known while its own tests run."""

import pytest

from bellcrank.model.elements.kinds import KINDS, shipped


def pytest_collection_modifyitems():
    """Forget what importing the files of this folder has declared."""
    for kinds in KINDS.values():
        for name in [name for name, kind in kinds.items() if not shipped(kind)]:
            del kinds[name]


@pytest.fixture(autouse=True)
def declared(request, monkeypatch):
    """Know the kinds that the file of a test declares."""
    for name, kind in vars(request.module).items():
        if getattr(kind, "__module__", "") == request.module.__name__ and hasattr(kind, "KIND"):
            monkeypatch.setitem(KINDS[kind.KIND], name, kind)
