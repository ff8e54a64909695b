"""Numbers and words about a run, as a file can hold them."""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return facts as text, numbers, truth values, lists and mappings."""
    return json.loads(json.dumps(dict(facts), default=_plainer))


def same(some: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two mappings of plain facts are equal; NaN equals NaN here."""
    return json.dumps(some, sort_keys=True) == json.dumps(other, sort_keys=True)


def _plainer(fact: Any) -> Any:
    return fact.tolist() if isinstance(fact, np.ndarray | np.generic) else str(fact)
