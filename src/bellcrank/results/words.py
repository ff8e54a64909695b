"""An audit in words."""

from collections.abc import Mapping
from typing import Any


def sentence(name: str, facts: Mapping[str, Any]) -> str:
    """Return what is wrong with the run of a machine and what would do."""
    return (
        f"the run of '{name}' contradicts its own audit: "
        f"{'; '.join(facts['contradictions'])}; {facts['advice']}."
    )


def line(facts: Mapping[str, Any]) -> str:
    """Return the audit in one line."""
    parts = list(facts.get("contradictions", ()))
    drift, residual = facts.get("energy_drift"), facts.get("position_residual")
    if not parts:
        parts += [f"energy drift {drift:.1e}"] if drift is not None else []
        parts += [f"constraint residual {residual:.1e}"] if residual else []
    else:
        parts[0] = f"contradicts itself: {parts[0]}"
    parts += [f"not judged: {each}" for each in facts.get("not_judged", ())]
    return "; ".join(parts)
