"""The 1e-13 trajectories that every run is held against.

They come from a package that takes no part in the race of whole runs: Pinocchio's
articulated-body algorithm in SciPy's DOP853 at rtol = atol = 1e-13. A second run at 2e-13 with
another largest step says how well the reference knows itself.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.integrate import solve_ivp

from benchmarks.machines import Chain, chain_tip
from benchmarks.peers import pinocchio_wheel

TOLERANCE = 1e-13


@dataclass(frozen=True)
class Reference:
    """A trajectory at 1e-13 that any time can be asked of.

    Attributes:
        machine: Whose trajectory it is.
        solution: SciPy's dense output.
        uncertainty: Distance of the tips of two such runs, its largest value [m].
    """

    machine: Chain
    solution: Any
    uncertainty: float = 0.0

    def tip(self, times: np.ndarray) -> np.ndarray:
        """Return the tip position [m] at the times, shape (n, 3)."""
        angles = self.solution(np.clip(times, 0.0, self.machine.until))
        return chain_tip(self.machine, angles[: self.machine.joints].T)

    def error(self, times: np.ndarray, tips: np.ndarray) -> float:
        """Return the largest distance of tips from the reference [m]; inf for a failed run."""
        complete = len(times) > 1 and times[-1] >= self.machine.until * (1 - 1e-9)
        if not complete or not np.all(np.isfinite(tips)):
            return float("inf")
        return float(np.max(np.linalg.norm(tips - self.tip(times), axis=1)))


def reference(machine: Chain) -> Reference:
    """Return the reference trajectory of a run, its own uncertainty included."""
    solution = _solve(machine, TOLERANCE, np.inf)
    again = Reference(machine, _solve(machine, 2 * TOLERANCE, 0.02))
    known = Reference(machine, solution).tip(machine.grid)
    return Reference(machine, solution, again.error(machine.grid, known))


def _solve(machine: Chain, tolerance: float, max_step: float) -> Any:
    n = machine.joints
    model = pinocchio_wheel.model(machine)
    data = model.createData()

    def rates(_t: float, x: np.ndarray) -> np.ndarray:
        u = x[n:]
        return np.concatenate([u, pin.aba(model, data, x[:n], u, -machine.damping * u)])

    x0 = np.concatenate([machine.start, np.zeros(n)])
    run = solve_ivp(
        rates, (0.0, machine.until), x0, "DOP853",
        rtol=tolerance, atol=tolerance, dense_output=True, max_step=max_step,
    )  # fmt: skip
    if not run.success:
        raise RuntimeError(f"no reference for the {machine.name}: {run.message}")
    return run.sol
