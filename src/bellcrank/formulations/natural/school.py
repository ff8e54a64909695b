"""W, A and f in natural coordinates, on CasADi symbols.

    M q̈ = Σ S_bᵀ ( V_bᵀ F + G_bᵀ n′ − bias ) − Cᵀ λ

with force F and torque n′ about the mass centre of each body; `bias` is what a frame of two
directions and their product adds.
"""

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.contract.symbols import column
from bellcrank.formulations.points.assembled import AssembledBodies
from bellcrank.formulations.points.scene import PointScene
from bellcrank.formulations.points.school import PointSchool
from bellcrank.spatial.arithmetic import Scalar


class NaturalSchool(PointSchool):
    """What the school writes itself: W, A and f."""

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> PointScene:
        """Return the bodies at (t, q, u) with q̈ = a."""
        if a is None and smooth:
            return self.still
        return self.moving(self.point_rates(), a, smooth)

    @cached_property
    def W(self) -> ca.SX:
        """The identity: speeds are the rates of the coordinates."""
        return ca.SX.eye(len(self.scalars["q"]))

    @property
    def x(self) -> ca.SX:
        """Zero."""
        return ca.SX.zeros(len(self.scalars["q"]))

    @cached_property
    def assembled(self) -> AssembledBodies:
        """The matrices of all bodies."""
        return AssembledBodies(self.still, self.symbols.columns["q"], self.symbols.columns["u"])

    @cached_property
    def A(self) -> ca.SX:
        """The generalized inertia M = Σ S_bᵀ M_b S_b."""
        return self.assembled.total("M")

    @cached_property
    def balance(self) -> Balance:
        """The forces at (t, q, u)."""
        return Balance(self.still)

    @cached_property
    def f(self) -> ca.SX:
        """The generalized forces, applied and of inertia."""
        return self.generalized(self.balance)

    def generalized(self, balance: Balance) -> ca.SX:
        """Return Σ Vᵀ F + Gᵀ Rᵀ n − bias for the forces of a scene."""
        f = ca.SX.zeros(len(self.scalars["q"]))
        for placed in self.assembled.bodies:
            force, torque = (column(part) for part in balance.applied[placed.name])
            if self.plan.planar:
                f += placed.V.T @ force[:2] + placed.G.T @ torque[2]
            else:
                f += placed.V.T @ force + placed.G.T @ (placed.R.T @ torque)
            f -= placed.bias
        return f

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return A a − f."""
        return self.A @ a - self.f
