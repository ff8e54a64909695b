"""Equations evaluated by CasADi itself: no code is compiled for a random machine."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import bellcrank as bc

SUFFIXES = {4: ("_0", "_1", "_2", "_3"), 3: ("_x", "_y", "_z")}


class Evaluated:
    """The slots of `bc.equations(model)` as functions of NumPy vectors."""

    def __init__(self, model: bc.Model, formulation: Any = None) -> None:
        self.model = model
        self.equations = bc.equations(model, formulation or bc.JointCoordinates())
        self.coordinates = [v.name for v in self.equations.coordinates]
        self.speeds = [v.name for v in self.equations.speeds]
        self.parameters = np.array(list(self.equations.parameters.values()), dtype=float)

    @property
    def nu(self) -> int:
        """Number of speeds."""
        return len(self.speeds)

    def pack(self, values: Mapping[str, Any]) -> tuple[np.ndarray, np.ndarray]:
        """Return q and u from named values; every coordinate and speed must be there."""
        flat: dict[str, float] = {}
        for name, value in values.items():
            vector = np.atleast_1d(np.asarray(value, dtype=float))
            suffixes = SUFFIXES.get(len(vector), ("",))
            flat |= {name + suffix: x for suffix, x in zip(suffixes, vector, strict=True)}
        return (
            np.array([flat[name] for name in self.coordinates]),
            np.array([flat[name] for name in self.speeds]),
        )

    def __call__(
        self, slot: str, q: np.ndarray, u: np.ndarray, *own: np.ndarray, t: float = 0.0
    ) -> list[np.ndarray]:
        """Return the outputs of a slot; columns of length n come back with shape (n,)."""
        memory = self.modes(q, u, t)
        sizes = self.equations.sizes
        inputs = np.zeros(sizes["w"])
        auxiliary = np.zeros(sizes["s"])
        found = self.equations.function(slot).call([
            t,
            q,
            u,
            auxiliary,
            inputs,
            self.parameters,
            memory,
            *own,
        ])
        full = [np.array(x.full()) for x in found]
        return [x[:, 0] if x.shape[1] == 1 else x for x in full]

    def modes(self, q: np.ndarray, u: np.ndarray, t: float = 0.0) -> np.ndarray:
        """Return the memory that belongs to a state: the sign of every switch, no turns."""
        sizes, modes = self.equations.sizes, self.equations.modes
        k = np.zeros(sizes["k"])
        if modes:
            arguments = [t, q, u, np.zeros(sizes["s"]), np.zeros(sizes["w"]), self.parameters]
            k[:modes] = 1.0
            z = self.equations.function("switches").call([*arguments, k])[0]
            k[:modes] = np.where(z.full()[:, 0] >= 0, 1.0, -1.0)
        return k

    def mass(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return A(q), shape (nu, nu)."""
        found = self("mass", q, u)[0]
        return found.reshape(self.nu, self.nu)

    def force(self, q: np.ndarray, u: np.ndarray, t: float = 0.0) -> np.ndarray:
        """Return f(t, q, u), shape (nu,)."""
        return self("force", q, u, t=t)[0]

    def accelerations(
        self, q: np.ndarray, u: np.ndarray, efforts: np.ndarray | None = None, t: float = 0.0
    ) -> np.ndarray:
        """Return u̇ by the recursion, shape (nu,)."""
        e = np.zeros(self.nu) if efforts is None else efforts
        return self("accelerate", q, u, e, t=t)[0]

    def rates(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Return q̇ = W u + x, shape (nq,)."""
        W, x = self("kinematics", q, u)
        return W.reshape(len(q), self.nu) @ u + x

    def bodies(self, q: np.ndarray, u: np.ndarray, a: np.ndarray) -> list[np.ndarray]:
        """Return pose (7×nb), twist (6×nb) and acceleration (6×nb) of all bodies."""
        sizes, count = (7, 6, 6), len(self.equations.bodies)
        found = self("bodies", q, u, a)
        return [x.reshape(n, count) for n, x in zip(sizes, found, strict=True)]
