"""The backend of small machines: straight-line code of the whole machine, full matrices."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.freedom import off
from bellcrank.constraints.assembly.redundancy import residuals
from bellcrank.constraints.projecting import moving, projection, quick_projection
from bellcrank.kernels.protocol import Arguments, MotionKernels, SaddlePoint
from bellcrank.machine.full_turns import unasked_turns
from bellcrank.machine.mobility import check_motion
from bellcrank.machine.start import arguments_at, beginning
from bellcrank.machine.system import System
from bellcrank.model import Model

KEPT = 64  # values of parameters for which inertias are kept
Array = np.ndarray
Arrays = dict[str, Array]


class StraightLineMachine:
    """A machine whose equations are straight-line code; see `kernels.protocol.Integrable`."""

    explicit = True
    batched = False

    def __init__(self, model: Model, system: System, p: Array) -> None:
        """Take a machine with parameter values.

        Args:
            model: The machine.
            system: Its equations.
            p: Parameter values in order.
        """
        self.model, self.system, self.p = model, system, p
        self._held: Any = None

    def begin(
        self,
        start: Mapping[str, Any] | None,
        t: float,
        w: Array,
        angles: Mapping[str, float],
        exact: bool = True,
    ) -> tuple[Array, Array]:
        """Return the state x for start values by name, and the memory k."""
        picture = self.system.jointed() if self.system.equations.has("embed") else None
        found = beginning(self.system, start, t, w, self.p, picture, angles)
        if self._mix():  # its rows are others, off by the slack
            found = beginning(self.system, start, t, w, self.p, picture, angles)
        return found

    def _mix(self) -> bool:
        """Go on with combinations of rows where rows become dependent; say whether they do."""
        before, self.system = self.system, self.system.mixed(self.p)
        return self.system is not before

    def check_motion(self, t: float, x: Array, w: Array, k: Array) -> None:
        """Raise where the machine has no finite accelerations at the beginning."""
        check_motion(self.system, self.model, t, x, w, self.p)

    def tied_inertias(self, t: float, x: Array, w: Array) -> Array | None:
        """Return the diagonal of A where rows tie speeds together, shape (nu,), else None."""
        if not self.system.equations.rows:
            return None
        known, values = self.system.once(_known_inertias), self.p.tobytes()
        if values not in known:
            if len(known) >= KEPT:
                known.clear()
            arguments = arguments_at(self.system, t, x, w, self.p)
            known[values] = self.system.ask("mass", arguments, level=0)[0].diagonal()
        return known[values]

    def unasked_turns(self, t: float, x: Array, w: Array, start: object) -> dict[str, float]:
        """Return how far angles begin from the drawing that could be a turn nearer [rad]."""
        if not self.system.equations.rows or not start:
            return {}
        return unasked_turns(self.system, t, x, w, self.p, start)

    def moving(self, t: float, x: Array, w: Array) -> "StraightLineMachine":
        """Return the machine without rows where all of them repeat what coordinates hold."""
        if not self.system.equations.rows:
            return self
        moved = moving(self.system, t, x, w, self.p)
        if moved is self.system:
            self._mix()
            return self
        return StraightLineMachine(self.model, moved, self.p)

    def motion(
        self, t: float, x: Array, w: Array, k: Array, *, pushed: bool, rtol: float | None
    ) -> MotionKernels:
        """Return the kernels by which it is integrated from a state."""
        system, e = self.system, self.system.equations
        held = self._held = quick_projection(system, t, x, w, self.p, rtol) if e.rows else None
        # Straight-line code takes another matrix for A where that is singular.
        plain = e.mass_kind != "semidefinite" and not e.has("completion")
        brought = projection(system, self.p) or held if held and pushed and not plain else held
        normalize = system.kernel("normalize") if e.has("normalize") else None
        return MotionKernels(
            rhs=held.rhs if held else system.kernel("derivatives"),
            normalize=brought.project if brought else normalize,
            switches=system.kernel("switches") if e.has("switches") else None,
            revise=system.kernel("revise") if e.has("revise") else None,
            audit=system.kernel("audit", level=0),
            audit_rates=system.kernel("audit_rates", level=0),
        )

    def saddle(self) -> SaddlePoint:
        """Return it as implicit methods take it where there are constraints."""
        from bellcrank.constraints.index2.saddle import saddle_of  # explicit ones do without

        return saddle_of(self.system, self.p)

    @property
    def problem(self) -> BaseException | None:
        """Why what is needed near a singular position could not be made, if so."""
        return getattr(self._held, "problem", None)

    def rows(self, t: float, q: Array) -> Array:
        """Return C of C u = ν at a time and coordinates, shape (m, nu)."""
        system, w = self.system, np.zeros(len(self.system.inputs))
        return system.ask("velocity", system.at_rest(t, q, w, self.p), level=0)[0]

    def switching(self, arguments: Arguments) -> Array | None:
        """Return z at records."""
        return self.system.kernel("switches")(*arguments)[0]

    def observed(self, arguments: Arguments) -> "StraightLineObservation":
        """Return what is seen of it at the records of a run."""
        return StraightLineObservation(self.system, arguments)


def _known_inertias(system: System) -> dict[bytes, Array]:
    """Return where inertias are kept by parameter values: sizes of them, of any state, do."""
    return {}


class StraightLineObservation:
    """What is seen of a machine at the records of a run; see `kernels.protocol.Observed`."""

    single = None
    followed = True

    def __init__(self, system: System, arguments: Arguments) -> None:
        self.system, self.arguments = system, arguments
        self.later = (lambda: system.balanced(arguments, self._rates),)

    @cached_property
    def _rates(self) -> Any:
        """Rates at the records, for all that needs them."""
        return self.system.rates(self.arguments)

    def everything(self) -> Arrays:
        """Return arrays by channel, all but reactions where constraints are balanced."""
        return self.system.observe_arguments(self.arguments, self._rates)

    def orientation(self, body: str) -> Array:
        """Return the Euler parameters of a body, shape (n, 4)."""
        return self.system.shown([f"{body}.orientation_{i}" for i in range(4)], self.arguments)

    def power(self) -> Array:
        """Return the power of forces that are not conservative, shape (n,) [W]."""
        if not self.system.equations.elements:
            return np.zeros(len(self.arguments[0]))
        return self.system.kernel("power", level=0)(*self.arguments)[0].sum(axis=-1)

    def diagnosis(self) -> dict[str, Any]:
        """Return the smallest singular value, what is left out, residuals of the rest."""
        system, arguments = self.system, self.arguments
        p, smallest, kept = arguments[5], np.inf, {}
        held = projection(system, p)
        if held is not None:
            t = arguments[0][:, 0]
            smallest = float(held.diagnose(t, *arguments[1:]).smallest.min(initial=np.inf))
        if system.rounded(p):
            position, rate, _ = residuals(system, arguments)
            kept["position_residual"] = float(position.max(initial=0.0))
            kept["velocity_residual"] = float(rate.max(initial=0.0))
        return kept | {
            "left_out": off(system, arguments),
            "smallest_singular_value": smallest,
        }

    def undetermined(self) -> list[str]:
        """Return components of reactions that redundancy leaves open at the first record."""
        first = [part[0] if part.ndim > 1 else part for part in self.arguments]
        return list(self.system.undetermined(first))
