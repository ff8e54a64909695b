"""The numbered bodies of a machine: body-connection array, r′, q′, s′, masses and inertias.

Body K has its origin O_K at the point of its tree joint on K; Q_K is that joint's point on
L(K). Body axes are those of the body's `pose`, the ground's are the world's.

    r′_K   O_K → mass centre, along K              constant
    q′_K   O_L(K) → Q_K, along L(K)                constant; zero for a root
    s′_K   Q_K → O_K, along L(K)                   variable; inertial for a root

Needs no CasADi.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bellcrank.model import Expression, Joint, Model, mass_properties
from bellcrank.model.algebra import Matrix, Number, Vector
from bellcrank.model.expressions import evaluate
from bellcrank.model.matter.mass import rotate_inertia
from bellcrank.spatial.arithmetic import IDENTITY, ORIGIN, apply, minus, transpose

LIGHT = 1e-9
"""Part of a body's largest moment of inertia below which another counts as none."""


@dataclass(frozen=True)
class Connection:
    """A model seen as numbered bodies, K = 1 … N; 0 is the ground.

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
        """N."""
        return len(self.names)

    @property
    def bodies(self) -> range:
        """1 … N."""
        return range(1, self.count + 1)

    def name(self, k: int) -> str:
        """Return the name of body K."""
        return self.names[k - 1] if k else "ground"

    def number(self, name: str) -> int:
        """Return K of a body."""
        return self.model.graph.number[name]

    @cached_property
    def paths(self) -> tuple[tuple[int, ...], ...]:
        """(root, …, L(K), K) for each K; empty for 0."""
        found: list[tuple[int, ...]] = [()]
        for k in self.bodies:
            found.append((*found[self.lower[k - 1]], k))
        return tuple(found)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """The bodies whose lower body is K, for K = 0 … N."""
        return tuple(self.model.graph.children(k) for k in range(self.count + 1))

    def joint(self, k: int) -> Joint:
        """Return the joint between K and L(K)."""
        found = self.model[self.model.graph.tree_joint[k - 1]]
        assert isinstance(found, Joint)
        return found

    def axes(self, k: int) -> Matrix:
        """Return R_WK of the drawing: components along K to world components."""
        pose = getattr(self.model[self.name(k)], "pose", None) if k else None
        return IDENTITY if pose is None else pose.rotation

    def along(self, k: int, vector: Vector) -> Vector:
        """Return components along body K of a vector of the drawing."""
        axes = self.axes(k)
        return vector if axes == IDENTITY else apply(transpose(axes), vector)

    def origin(self, k: int) -> Vector:
        """Return O_K in the drawing [m]; the world's origin for the ground."""
        if k == 0:
            return ORIGIN
        joint = self.joint(k)
        return joint.at_first if self.model.graph.reversed[k - 1] else joint.at_second

    def socket(self, k: int) -> Vector:
        """Return Q_K in the drawing [m]; the world's origin for a root."""
        if self.lower[k - 1] == 0:
            return ORIGIN
        joint = self.joint(k)
        return joint.at_second if self.model.graph.reversed[k - 1] else joint.at_first

    def r(self, k: int) -> Vector:
        """Return r′_K [m]."""
        com = mass_properties(self.model[self.name(k)]).com
        return self.along(k, minus(com, self.origin(k)))

    def q(self, k: int) -> Vector:
        """Return q′_K [m]."""
        low = self.lower[k - 1]
        return ORIGIN if low == 0 else self.along(low, minus(self.socket(k), self.origin(low)))

    def s(self, k: int) -> Vector:
        """Return s′_K of the drawing [m]."""
        return self.along(self.lower[k - 1], minus(self.origin(k), self.socket(k)))

    def mass(self, k: int) -> Number:
        """Return m_K [kg]."""
        return mass_properties(self.model[self.name(k)]).mass

    def inertia(self, k: int) -> Matrix:
        """Return I′_K, about the mass centre along body K [kg m²]."""
        inertia = mass_properties(self.model[self.name(k)]).inertia
        axes = self.axes(k)
        return inertia if axes == IDENTITY else rotate_inertia(transpose(axes), inertia)

    @cached_property
    def completions(self) -> tuple[tuple[int, tuple[Any, ...], tuple[Any, ...]], ...]:
        """(K, ω′, v) of motions against which bodies have no inertia at nominal values.

        A turn is as long as the root of the body's largest moment of inertia, a slide of a body
        without mass as the root of the largest mass there is, or 1.
        """
        import numpy as np

        found: list[tuple[int, tuple[Any, ...], tuple[Any, ...]]] = []
        masses = {k: number_at(self.mass(k), {}) for k in self.bodies}
        slide = max(masses.values(), default=0.0) ** 0.5 or 1.0
        for k in self.bodies:
            J = np.array([[number_at(e, {}) for e in row] for row in self.inertia(k)])
            values, axes = np.linalg.eigh(J)
            size = values[-1] if values[-1] > 0.0 else 1.0
            for value, axis in zip(values, axes.T, strict=True):
                if value <= LIGHT * size:
                    found.append((k, tuple(float(x) for x in axis * size**0.5), ORIGIN))
            if masses[k] <= 0.0:
                found += [(k, ORIGIN, tuple(slide * x for x in axis)) for axis in IDENTITY]
        return tuple(found)

    def __str__(self) -> str:
        """The renumbering: K, the body's name and place in the model, L(K), u_K."""
        places = {body.name: i for i, body in enumerate(self.model.bodies, start=1)}
        lines = ["  K  body                     given as   L(K)   u_K"]
        for k in self.bodies:
            name, steps = self.name(k), self.model.graph.depth[k - 1]
            lines.append(
                f"{k:3d}  {name:24s} {places[name]:7d} {self.lower[k - 1]:7d} {steps:5d}"
            )
        return "\n".join(lines)


def number_at(value: Number, parameters: Mapping[str, float]) -> float:
    """Return a number of the model at parameter values."""
    return evaluate(value, parameters) if isinstance(value, Expression) else float(value)
