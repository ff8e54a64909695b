"""A private, empty cache for every test of the kernels."""

import pytest

from bellcrank.kernels import build, cache


@pytest.fixture(autouse=True)
def cache_folder(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv("BELLCRANK_CACHE", str(folder))
    monkeypatch.setattr(build, "_memo", build.OrderedDict())
    monkeypatch.setattr(cache, "_memory", {})
    monkeypatch.setattr(cache, "_warned", set())
    return folder
