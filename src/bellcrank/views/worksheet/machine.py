"""The letters of a machine: what r′, q′, s′, m and I′ of its bodies are, in the drawing.

O_K is the point of body K's tree joint on K, Q_K that joint's point on L(K). Body axes are
those of the body's `pose`; ground's are the world's. q′ of a root is zero, so that s′ of a
root is the inertial position of O_K.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.model import Model, mass_properties
from bellcrank.model.algebra import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Number,
    Vector,
    matvec,
    nominal,
    nominals,
    sub,
    transpose,
)
from bellcrank.model.expressions import Expression, text
from bellcrank.model.mass import rotate_inertia
from bellcrank.views.worksheet.blocks import Quantity, Values
from bellcrank.views.worksheet.tree import Kinematics, r

GROUND = "ground"


@dataclass(frozen=True)
class Machine:
    """A model seen as numbered bodies.

    Attributes:
        model: The model.
    """

    model: Model

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the bodies in the order of their numbers."""
        return self.model.graph.order

    @property
    def lower(self) -> tuple[int, ...]:
        """L(K) for K = 1 … N."""
        return self.model.graph.lower

    @property
    def count(self) -> int:
        """N, how many bodies there are."""
        return len(self.names)

    @property
    def bodies(self) -> range:
        """1 … N."""
        return range(1, self.count + 1)

    def kinematics(self, k: int) -> Kinematics:
        """Return what can be said of the mass centre of body K."""
        return Kinematics(self.lower, k, r(k))

    def joint(self, k: int) -> Any:
        """Return the joint between K and L(K)."""
        return self.model[self.model.graph.tree_joint[k - 1]]

    def axes(self, k: int) -> Matrix:
        """Return R_WK in the drawing: components along body K to world components."""
        return IDENTITY if k == 0 else self.model[self.names[k - 1]].pose.rotation

    def along(self, k: int, vector: Vector) -> Vector:
        """Return components along body K of a vector of the drawing."""
        axes = self.axes(k)
        return vector if axes == IDENTITY else matvec(transpose(axes), vector)

    def origin(self, k: int) -> Vector:
        """Return O_K in the drawing [m]: the joint's point on K."""
        if k == 0:
            return ORIGIN
        joint = self.joint(k)
        return joint.at_first if self.model.graph.reversed[k - 1] else joint.at_second

    def socket(self, k: int) -> Vector:
        """Return Q_K in the drawing [m]: the joint's point on L(K); the origin for a root."""
        if self.lower[k - 1] == 0:
            return ORIGIN
        joint = self.joint(k)
        return joint.at_second if self.model.graph.reversed[k - 1] else joint.at_first

    def mass(self, k: int) -> Number:
        """Return m_K [kg]."""
        return mass_properties(self.model[self.names[k - 1]]).mass

    def r(self, k: int) -> Vector:
        """Return r′_K, from O_K to the mass centre along body K [m]."""
        com = mass_properties(self.model[self.names[k - 1]]).com
        return self.along(k, sub(com, self.origin(k)))

    def q(self, k: int) -> Vector:
        """Return q′_K, from O_L(K) to Q_K along L(K) [m]; zero for a root."""
        low = self.lower[k - 1]
        return ORIGIN if low == 0 else self.along(low, sub(self.socket(k), self.origin(low)))

    def s(self, k: int) -> Vector:
        """Return s′_K in the drawing, from Q_K to O_K along L(K) [m]."""
        return self.along(self.lower[k - 1], sub(self.origin(k), self.socket(k)))

    def inertia(self, k: int) -> Matrix:
        """Return I′_K, about the mass centre along body K [kg m²]."""
        inertia = mass_properties(self.model[self.names[k - 1]]).inertia
        return rotate_inertia(transpose(self.axes(k)), inertia)

    def mass_number(self, k: int) -> float:
        """Return m_K with parameters at their own values [kg]."""
        return _numbers((self.mass(k),))[0]

    def inertia_numbers(self, k: int) -> tuple[tuple[float, ...], ...]:
        """Return I′_K with parameters at their own values [kg m²]."""
        rows = self.inertia(k)
        flat = _numbers([x for row in rows for x in row])
        return flat[0:3], flat[3:6], flat[6:9]

    @cached_property
    def constants(self) -> dict[Quantity, tuple[float, ...]]:
        """Values of r′_K and q′_K, parameters at their own values."""
        found = {}
        for k in self.bodies:
            found[Quantity("r", k)] = _numbers(self.r(k))
            if self.lower[k - 1]:
                found[Quantity("q", k)] = _numbers(self.q(k))
        return found

    @cached_property
    def drawing(self) -> Values:
        """The numbers of the machine at rest in the drawing."""
        R = np.array([
            np.array([_numbers(row) for row in self.axes(k)], dtype=float).T
            for k in self.bodies
        ])
        s = np.array([_numbers(self.s(k)) for k in self.bodies])
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
