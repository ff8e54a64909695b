"""A private, empty cache for every test of the kernels."""

import pytest

from bellcrank.kernels import build, cache


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("BELLCRANK_CACHE", str(folder))
    build.forget()
    cache.forget()
    yield folder
    build.forget()
    cache.forget()
