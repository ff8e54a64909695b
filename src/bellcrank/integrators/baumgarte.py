"""Constraints held by feedback: for study, and for comparison with what others do.

    C u̇ = γ - 2α (C u - ν) - β² Φ

Errors of the constraints neither vanish nor grow: they hover where what the integrator adds
and what the feedback takes away balance. `projection` and `independent` leave none.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isfinite

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators import table as c
from bellcrank.integrators.constrained import Constrained, described, scratch
from bellcrank.integrators.entries import Entry
from bellcrank.integrators.problem import Track
from bellcrank.integrators.shims import routine, shims
from bellcrank.kernels.guards import spots


@dataclass(frozen=True)
class Baumgarte:
    """Constraints held by feedback.

    Attributes:
        alpha: Rate at which errors of the speeds decay [1/s].
        beta: Natural frequency of errors of the positions [1/s]; critically damped where it
            equals `alpha`.
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
        self._scales, self._table = described(machine, places, 2)
        self._table[c.SIZE + 1] = self._knobs.ctypes.data
        self._table[c.RANK] = -1 if rank is None else rank
        address = self._table.ctypes.data
        library = shims(routine("baumgarte", _stabilize), address, {"rhs": 1})
        self.rhs = Entry(library["rhs"], places[c.SIZE], (self, library), spots(places, c))

    @property
    def lost(self) -> bool:
        """Whether rows were too close to dependent somewhere."""
        return bool(self._knobs[3])

    def explained(self, track: Track) -> Track:
        """Return a run with the reason of its failure, where that was a singular position."""
        if not self.lost or track.status not in ("non-finite", "smallest step"):
            return track
        message = (
            f"beyond t = {track.until_reached:.9g} s constraints that are independent "
            "elsewhere become dependent: a singular position, near which feedback holds "
            "nothing. constraints='project' passes such positions."
        )
        return replace(track, status="dependent", message=message)


def _stabilize() -> Callable[..., None]:
    from bellcrank.integrators.native.baumgarte import stabilize

    return stabilize
