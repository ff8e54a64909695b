"""Constraints held by feedback: for study, and for comparison with what others do.

    C u̇ = γ - 2α (C u - ν) - β² Φ

Errors of the constraints neither vanish nor grow: they hover where what the integrator adds
and what the feedback takes away balance. `projection` and `independent` leave none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from bellcrank.constraints import table as c
from bellcrank.constraints.constrained import Constrained, described, scratch
from bellcrank.errors import OptionError
from bellcrank.kernels.entries import Entry
from bellcrank.kernels.guards import spots
from bellcrank.kernels.routines import routine, shims

Array = np.ndarray


@dataclass(frozen=True)
class Baumgarte:
    """Constraints held by feedback.

    Attributes:
        alpha: Rate at which errors of the speeds decay [1/s].
        beta: Natural frequency of errors of the positions [1/s]; critically damped where it
            equals `alpha`.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Baumgarte()
        Baumgarte(alpha=5.0, beta=5.0)
    """

    alpha: float = 5.0
    beta: float = 5.0

    def __post_init__(self) -> None:
        for knob, value in (("alpha", self.alpha), ("beta", self.beta)):
            if not (isfinite(value) and value >= 0):
                raise OptionError(
                    f"Baumgarte: {knob} must be a number of at least zero, got {value!r}."
                )


class Stabilized:
    """A machine with constraints held by feedback, ready to be integrated.

    Attributes:
        machine: What it was made of.
        rhs: Gives q̇, u̇, ṡ.
    """

    def __init__(
        self, machine: Constrained, mode: Baumgarte = Baumgarte(), rank: int | None = None
    ) -> None:
        """Lay out what native code works on.

        Args:
            machine: What is held.
            mode: How strongly.
            rank: How many rows are independent; None to take those of the start.
        """
        self.machine = machine
        places = c.places(machine.nq, machine.nu, machine.ns, machine.m, scratch(machine))
        self._knobs = np.zeros(5 + machine.m)  # as `native.baumgarte` lays them out
        self._knobs[:2] = mode.alpha, mode.beta
        self._scales, self._table = described(machine, places)
        self._table["knobs"] = self._knobs.ctypes.data
        self._table["rank"] = -1 if rank is None else rank
        address = self._table.ctypes.data
        library = shims(routine("baumgarte", _stabilize), address, {"rhs": 1})
        self.rhs = Entry(
            library["rhs"], places["size"], (self, library), spots(places, "Baumgarte")
        )

    @property
    def lost(self) -> bool:
        """Whether rows were too close to dependent somewhere."""
        return bool(self._knobs[3])


def _stabilize() -> Callable[..., None]:
    from bellcrank.constraints.native.baumgarte import stabilize

    return stabilize
