"""Numbers and words about a run, as a file can hold them."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

PLAIN = frozenset((type(None), str, float, int, bool))  # kinds that JSON has


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as text, numbers, truth values, lists and mappings, as JSON has them."""
    return {
        str(name): fact if type(fact) in PLAIN else _plain(fact) for name, fact in facts.items()
    }


def same(some: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two mappings of plain facts are equal; NaN equals NaN here."""
    return json.dumps(some, sort_keys=True) == json.dumps(other, sort_keys=True)


def _plain(fact: Any) -> Any:
    if type(fact) in PLAIN:
        return fact
    if isinstance(fact, Mapping):
        return plain(fact)
    if isinstance(fact, list | tuple):
        return [_plain(each) for each in fact]
    if isinstance(fact, np.ndarray | np.generic):
        return _plain(fact.tolist())
    return str(fact)
