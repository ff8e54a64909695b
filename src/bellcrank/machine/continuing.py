"""A result or a state as the start of something else, in any formulation.

In its own formulation the coordinates and speeds carry over as they are. In another one those
of all joints do, which every result and every state knows by name, whatever it was computed in.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeGuard, cast

import numpy as np

from bellcrank.errors import StartError
from bellcrank.machine.system import System
from bellcrank.model.elements.near import Near


class Continued(Protocol):
    """A result or a state to continue from, as far as a start needs it.

    Attributes:
        t: Its times, or its time [s].
        states: The names of its coordinates and speeds.
    """

    t: Any
    states: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """All names it knows."""
        ...

    @property
    def final(self) -> Any:
        """What it has at its end, by name."""
        ...

    @property
    def provenance(self) -> Mapping[str, Any]:
        """What computed it; `formulation` is the one it was computed in."""
        ...


Start = Mapping[str, Any] | Continued | None


def continued(start: object) -> TypeGuard[Continued]:
    """Return whether a start is a result or a state, not values by name."""
    return hasattr(start, "states")


def time_of(start: Start) -> float | None:
    """Return the time at which a result ends or a state is [s]; None for values by name."""
    return float(np.ravel(start.t)[-1]) if continued(start) else None


def values_of(start: Start, system: System) -> Mapping[str, Any] | None:
    """Return start values by name; of a result or a state, those at its end.

    Args:
        start: Values by name, a result or a state.
        system: The machine that begins.

    Raises:
        StartError: It is of a machine with other coordinates.
    """
    if not continued(start):
        return cast("Mapping[str, Any] | None", start)
    names, known = start.states, system.state_names
    if start.provenance.get("formulation", "") != system.equations.formulation:
        own = system.jointed().state_names
        if set(own) <= set(start.names):
            names = known = own
    strange = [name for name in names if name not in known]
    if strange:
        raise StartError(
            f"the {_kind(start)} to continue has {', '.join(map(repr, strange[:6]))}"
            f"{', …' if len(strange) > 6 else ''}, which '{system.equations.name}' has not. "
            "Give what carries over by name."
        )
    lost = [name for name in known if name not in names and system.moves(name)]
    if lost:
        raise StartError(
            f"the {_kind(start)} to continue has no {', '.join(map(repr, lost[:6]))}"
            f"{', …' if len(lost) > 6 else ''}: it is of another machine than "
            f"'{system.equations.name}'. Give what carries over by name."
        )
    return {name: start.final[name] for name in names}


def _kind(start: Continued) -> str:
    return "result" if np.ndim(start.t) else "state"


def projected(values: Mapping[str, Any]) -> dict[str, Near]:
    """Return values that need not be met: they are brought onto the constraints."""
    return {name: Near(value) for name, value in values.items()}


def angles_of(start: Start, system: System) -> dict[str, float]:
    """Return the angles at the end of a result whose full turns a start must know [rad]."""
    if not continued(start):
        return {}
    e, there = system.equations, frozenset(start.names)
    kept = [v.name for v in (*e.memory, *e.closing) if v.quantity == "angle"]
    wanted = dict.fromkeys((*kept, *e.sums))
    return {name: float(start.final[name]) for name in wanted if name in there}
