"""The letters of a machine and their values, in the drawing."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.formulations.kane.connection import Connection
from bellcrank.model import Model
from bellcrank.model.algebra import Number, nominal, nominals
from bellcrank.model.expressions import Expression, text
from bellcrank.worksheets.blocks import Values, VectorQuantity
from bellcrank.worksheets.tree import TreeKinematics, r


@dataclass(frozen=True)
class NumberedMachine:
    """A model seen as numbered bodies.

    Attributes:
        model: The model.
    """

    model: Model

    @cached_property
    def connection(self) -> Connection:
        """Its numbered bodies: L(K), r′, q′, s′, masses and inertias."""
        return Connection(self.model)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies in the order of their numbers."""
        return self.connection.names

    @property
    def lower(self) -> tuple[int, ...]:
        """L(K) for K = 1 … N."""
        return self.connection.lower

    @property
    def count(self) -> int:
        """N, how many bodies there are."""
        return self.connection.count

    @property
    def bodies(self) -> range:
        """1 … N."""
        return self.connection.bodies

    def kinematics(self, k: int) -> TreeKinematics:
        """Return what can be said of the mass centre of body K."""
        return TreeKinematics(self.lower, k, r(k))

    def mass_number(self, k: int) -> float:
        """Return m_K with parameters at their own values [kg]."""
        return _numbers((self.connection.mass(k),))[0]

    def inertia_numbers(self, k: int) -> tuple[tuple[float, ...], ...]:
        """Return I′_K with parameters at their own values [kg m²]."""
        rows = self.connection.inertia(k)
        flat = _numbers([x for row in rows for x in row])
        return flat[0:3], flat[3:6], flat[6:9]

    @cached_property
    def constants(self) -> dict[VectorQuantity, tuple[float, ...]]:
        """Values of r′_K and q′_K, parameters at their own values."""
        found = {}
        for k in self.bodies:
            found[VectorQuantity("r", k)] = _numbers(self.connection.r(k))
            if self.lower[k - 1]:
                found[VectorQuantity("q", k)] = _numbers(self.connection.q(k))
        return found

    @cached_property
    def drawing(self) -> Values:
        """The numbers of the machine at rest in the drawing."""
        R = np.array([
            np.array([_numbers(row) for row in self.connection.axes(k)], dtype=float).T
            for k in self.bodies
        ])
        s = np.array([_numbers(self.connection.s(k)) for k in self.bodies])
        still = np.zeros((self.count, 3))
        return Values(self.constants, R.reshape(-1, 3, 3), s.reshape(-1, 3), still, still)


def _numbers(values: Any) -> tuple[float, ...]:
    """Return values with parameters at their own; no −0.0, and dust of rotations as 0."""
    found = nominals(values)
    assert found is not None  # a model has no open names in its geometry
    size = max((abs(x) for x in found), default=0.0)
    return tuple(0.0 if abs(x) <= 1e-15 * (1.0 + size) else x for x in found)


def shown(value: Number) -> str:
    """Return a number with six digits; an expression of parameters with its value."""
    size = nominal(value)
    if not isinstance(value, Expression):
        return f"{size:.6g}"
    written = text(value)
    return f"{written} = {size:.6g}" if len(written) <= 24 else f"{size:.6g}"


def clean(values: np.ndarray) -> np.ndarray:
    """Return numbers with dust of rotations as 0 and no −0.0."""
    size = float(np.max(np.abs(values), initial=0.0))
    return np.where(np.abs(values) <= 1e-15 * (1.0 + size), 0.0, values) + 0.0
