"""A machine in two formulations at one state of its bodies, evaluated by CasADi itself."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
from tests.laws.evaluation import Evaluated

import bellcrank as bc

FORMS = (bc.Cartesian(), bc.Cartesian(form="euler"))
"""Both forms, about the centroid."""
ALL = (*FORMS, bc.Cartesian(reference="frame"), bc.Cartesian("euler", "frame"))
"""Both forms about both points."""


class State:
    """Equations at a state, and the solution of the constrained problem by NumPy alone."""

    def __init__(
        self, machine: Evaluated, q: np.ndarray, u: np.ndarray, t: float = 0.0, k: Any = None
    ) -> None:
        self.machine, self.q, self.u, self.t, self._k = machine, q, u, t, k

    def slot(self, name: str, *own: np.ndarray) -> list[np.ndarray]:
        """Return the outputs of a slot, matrices in their own shapes."""
        sizes = self.machine.equations.sizes
        k = self.machine.modes(self.q, self.u, self.t) if self._k is None else self._k
        rest = [np.zeros(sizes["s"]), np.zeros(sizes["w"]), self.machine.parameters, k]
        function = self.machine.equations.function(name)
        return [
            np.array(x.full()) for x in function.call([self.t, self.q, self.u, *rest, *own])
        ]

    @cached_property
    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """u̇ and λ of [A Cᵀ; C 0], the smallest λ where rows repeat others."""
        A, f = self.slot("mass")[0], self.slot("force")[0][:, 0]
        if not self.machine.equations.rows:
            return np.linalg.solve(A, f), np.zeros(0)
        C, gamma = self.slot("velocity")[0], self.slot("acceleration")[0][:, 0]
        K = np.block([[A, C.T], [C, np.zeros((len(C), len(C)))]])
        found = np.linalg.lstsq(K, np.concatenate([f, gamma]), rcond=1e-11)[0]
        return found[: len(f)], found[len(f) :]

    @cached_property
    def bodies(self) -> list[np.ndarray]:
        """Pose, twist and acceleration of all bodies, with the accelerations that hold."""
        return self.slot("bodies", self.solved[0])


def in_joints(model: bc.Model, values: Mapping[str, Any], t: float = 0.0) -> State:
    """Return a machine in joint coordinates at a state of its joints."""
    machine = Evaluated(model)
    return State(machine, *machine.pack(values), t)


def embedded(model: bc.Model, formulation: Any, seen: State) -> State:
    """Return a machine in another formulation, its bodies where they are seen."""
    machine = Evaluated(model, formulation)
    pose, twist, _ = seen.slot("bodies", np.zeros(len(seen.u)))
    nothing = State(
        machine, np.zeros(len(machine.coordinates)), np.zeros(machine.nu), seen.t,
        np.zeros(machine.equations.sizes["k"]),
    )  # fmt: skip
    q, u = (x[:, 0] for x in nothing.slot("embed", pose, twist))
    return State(machine, q, u, seen.t)
