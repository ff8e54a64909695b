"""Constraints held by feedback: for study, and for comparison with what others do.

    C u̇ = γ - 2α (C u - ν) - β² Φ

Errors of the constraints neither vanish nor grow: they hover where what the integrator adds
and what the feedback takes away balance. `projection` and `independent` leave none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import isfinite

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.integrators import table as c
from bellcrank.integrators.projection import SLOTS, Constrained, Entry
from bellcrank.integrators.shims import routine, shims


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

    def __init__(self, machine: Constrained, mode: Baumgarte = Baumgarte()) -> None:
        self.machine = machine
        places = c.places(machine.nq, machine.nu, machine.ns, machine.m, scratch(machine))
        self._knobs = np.array([mode.alpha, mode.beta], dtype=float)
        self._scales, self._table = described(machine, places, 2)
        self._table[c.SIZE + 1] = self._knobs.ctypes.data
        address = self._table.ctypes.data
        library = shims(routine("baumgarte", _stabilize), address, {"rhs": 1})
        self.rhs = Entry(library["rhs"], places[c.SIZE], (self, library))


def _stabilize() -> Callable[..., None]:
    from bellcrank.integrators.native.baumgarte import stabilize

    return stabilize


def scratch(machine: Constrained) -> int:
    """Return the doubles of scratch that the kernels of a machine want."""
    return max(kernel.work for kernel in machine.kernels.values())


def described(
    machine: Constrained, places: dict[int, int], more: int
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return numbers about a machine, to be kept alive, and its table with `more` slots."""
    weight = 1.0 / np.asarray(machine.row_scale, dtype=float)
    speed = 1.0 / np.asarray(machine.speed_scale, dtype=float)
    table = np.zeros(c.SIZE + more, dtype=np.int64)
    for slot, offset in places.items():
        table[slot] = offset
    for name in ("nq", "nu", "ns", "m", "mh"):
        table[getattr(c, name.upper())] = getattr(machine, name)
    for name, kernel in machine.kernels.items():
        table[SLOTS[name]] = kernel.address
    table[c.WEIGHT], table[c.SPEED] = weight.ctypes.data, speed.ctypes.data
    order = np.arange(max(machine.nu, machine.m), dtype=np.int64)
    table[c.SPEED_ORDER] = table[c.ROW_ORDER] = order.ctypes.data
    table[c.RANK] = table[c.RANK_H] = -1
    return (weight, speed, order), table
