"""A formulation with one mistake in it, made by changing its source as it is imported."""

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = "bellcrank.formulations"


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves one module from changed source."""

    def __init__(self, name: str, old: str, new: str) -> None:
        self.name = name
        found = importlib.util.find_spec(name)
        assert found is not None
        assert found.origin is not None
        self.origin = found.origin
        source = Path(self.origin).read_text(encoding="utf-8")
        assert source.count(old) == 1, f"{name} has {source.count(old)} of {old!r}"
        self.source = source.replace(old, new)

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        """Return this loader for the one module."""
        if fullname != self.name:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, origin=self.origin)

    def create_module(self, spec: Any) -> None:
        """Leave the module to Python."""

    def exec_module(self, module: ModuleType) -> None:
        """Run the changed source."""
        exec(compile(self.source, self.origin, "exec"), module.__dict__)


@contextmanager
def mutated(module: str, old: str, new: str) -> Iterator[ModuleType]:
    """Give the package of formulations with one text in one of its modules changed.

    Args:
        module: Its name under `bellcrank.formulations`.
        old: What must be there once.
        new: What is there instead.
    """
    finder = _Finder(f"{ROOT}.{module}", old, new)
    parent = sys.modules["bellcrank"]
    kept = {n: m for n, m in sys.modules.items() if n == ROOT or n.startswith(f"{ROOT}.")}
    for name in kept:
        del sys.modules[name]
    sys.meta_path.insert(0, finder)
    try:
        yield importlib.import_module(ROOT)
    finally:
        sys.meta_path.remove(finder)
        for name in [n for n in sys.modules if n == ROOT or n.startswith(f"{ROOT}.")]:
            del sys.modules[name]
        sys.modules.update(kept)
        parent.__dict__["formulations"] = kept[ROOT]
