"""W, A and f in natural coordinates, on CasADi symbols.

    M q̈ = Σ S_bᵀ ( V_bᵀ F + G_bᵀ n′ − bias ) − Cᵀ λ

with force F and torque n′ about the mass centre of each body; `bias` is what a frame of two
directions and their product adds.
"""

from collections.abc import Sequence
from functools import cached_property

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.pairs import Row as Pair
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.symbols import Symbols, column
from bellcrank.formulations.contract.unwrapped import kept_turns, remembered_angles
from bellcrank.formulations.points.assembled import AssembledBodies
from bellcrank.formulations.points.basics import Places
from bellcrank.formulations.points.rigid import residuals
from bellcrank.formulations.points.scene import PointScene
from bellcrank.model import Model
from bellcrank.spatial.arithmetic import Scalar


class NaturalSchool:
    """What the school writes itself.

    Attributes:
        model: The machine.
        plan: Its points and vectors.
        rows: The descriptions of its rows.
        switches: Its nonsmooth operations.
        symbols: The arguments of all slots.
        joints: The joints that are rows.
    """

    def __init__(
        self,
        model: Model,
        plan: Places,
        rows: tuple[Row, ...],
        switches: tuple[Switch, ...],
        sizes: dict[str, int],
    ) -> None:
        self.model, self.plan, self.rows, self.switches = model, plan, rows, switches
        self.joints = plan.joints
        self.symbols = Symbols.of_sizes(sizes)
        self.scalars = {name: self.symbols.scalars(name) for name in sizes}

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> PointScene:
        """Return the bodies at (t, q, u) with q̈ = a."""
        if a is None and smooth:
            return self.still
        return self._scene(None if a is None else list(a), smooth)

    def _scene(self, a: list[Scalar] | None, smooth: bool) -> PointScene:
        k, count = self.scalars["k"], len(self.switches)
        modes = dict(zip(self.switches, k[:count], strict=True)) if smooth else {}
        joints = [joint.name for joint in self.model.joints]
        angles = remembered_angles(self.model, joints)
        turns = kept_turns(angles, k[count:], self.scalars["t"][0])
        u = self.scalars["u"]
        return PointScene(self.model, self.plan, self.scalars, u, a, modes, turns)

    @cached_property
    def still(self) -> PointScene:
        """The scene with q̈ = 0, which slots share."""
        return self._scene(None, smooth=True)

    def own_rows(self) -> list[Pair]:
        """Return the rigid-body conditions, and the pins of universal joints."""
        return residuals(self.still, self.plan)

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
