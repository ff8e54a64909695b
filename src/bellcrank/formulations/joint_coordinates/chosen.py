"""A tree in speeds u = Y y + z of the user's own over its joint rates y, on CasADi symbols.

    y = T (u − z),   T = Y⁻¹,   ẏ = T u̇ + b,   b = Ṫ (u − z) − T ż
    A = Tᵀ A_y T,    f = Tᵀ (f_y − A_y b),     q̇ = W_y y

The recursions of the tree stay as they are; they see y and ẏ.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.posed import PosedScene
from bellcrank.formulations.contract.coaxial import loop_sums
from bellcrank.formulations.contract.description import memory, modes, sizes
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.speeds_matrix import REGULARITY, inverse, regularity
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.symbols import column, dense
from bellcrank.formulations.contract.unwrapped import remembered_angles
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, drawn, layout
from bellcrank.formulations.joint_coordinates.scene import TreeScene
from bellcrank.formulations.joint_coordinates.slots import TreeSchool, TreeSlots
from bellcrank.formulations.joint_coordinates.speeds import ChosenSpeeds, chosen_speeds
from bellcrank.model import Model
from bellcrank.spatial.arithmetic import Scalar, Vector

if TYPE_CHECKING:
    from bellcrank.formulations.joint_coordinates import JointCoordinates


class ChosenSchool(TreeSchool):
    """W, x, A and f of a tree in chosen speeds.

    Attributes:
        choice: Y and z.
    """

    def __init__(
        self,
        model: Model,
        layout: LinkLayout,
        choice: ChosenSpeeds,
        rows: tuple[Row, ...],
        switches: tuple[Switch, ...],
        sizes: dict[str, int],
    ) -> None:
        super().__init__(model, layout, rows, switches, sizes)
        self.choice = choice
        self.scalars = self.scalars | {"u": ca.vertsplit(self.rates)}

    @cached_property
    def _constants(self) -> Lowering:
        """Lowers what Y and z may depend on: t, parameters and joint coordinates."""
        names = [parameter.name for parameter in self.model.parameters]
        parameters = dict(zip(names, self.symbols.scalars("p"), strict=True))
        coordinates = [variable.name for variable in self.layout.coordinates]
        known = dict(zip(coordinates, self.symbols.scalars("q"), strict=True))
        known["t"] = self.symbols.columns["t"]
        return Lowering(known.__getitem__, parameters, {}, {})

    @cached_property
    def Y(self) -> ca.SX:
        """∂u/∂y."""
        number = self._constants
        return ca.sparsify(dense([[number(entry) for entry in row] for row in self.choice.Y]))

    @cached_property
    def z(self) -> ca.SX:
        """U at y = 0."""
        return column([self._constants(entry) for entry in self.choice.z])

    @cached_property
    def T(self) -> ca.SX:
        """∂y/∂u."""
        return inverse(self.Y)

    @cached_property
    def rates(self) -> ca.SX:
        """The joint rates y = T (u − z)."""
        return ca.densify(self.T @ (self.symbols.columns["u"] - self.z))

    def in_speeds(self, partials: ca.SX) -> ca.SX:
        """Return [v_K,u] = [v_K,y] T."""
        return partials @ self.T

    @cached_property
    def bending(self) -> ca.SX:
        """ẏ at u̇ = 0."""
        q, t = self.symbols.columns["q"], self.symbols.columns["t"]
        moved = ca.jtimes(self.rates, q, self.joint_kinematics @ self.rates)
        return ca.densify(moved + ca.jtimes(self.rates, t, ca.SX.ones(1)))

    @cached_property
    def named(self) -> Mapping[str, Scalar]:
        """What only this choice has a name for: its speeds, and how regular Y is."""
        names = (variable.name for variable in self.choice.variables[: self.choice.named])
        found: dict[str, Scalar] = dict(zip(names, self.symbols.scalars("u"), strict=False))
        if self.choice.guards:
            p = [parameter.value for parameter in self.model.parameters]
            q = drawn(self.model, self.layout, {})
            found[REGULARITY] = regularity(self.Y, self.symbols, q, p)
        return found

    def _scene(self, scalars: dict, ud: Vector | None = None, smooth: bool = True) -> TreeScene:
        """Return the bodies with u̇ = ud."""
        rate = self.bending if ud is None else self.bending + self.T @ column(ud)
        return super()._scene(scalars, ca.vertsplit(ca.densify(rate)), smooth)

    @cached_property
    def W(self) -> ca.SX:
        """The matrix of q̇ = W u + x."""
        return self.joint_kinematics @ self.T

    @property
    def x(self) -> ca.SX:
        """The rest of q̇ = W u + x."""
        return ca.densify(-(self.W @ self.z))

    @cached_property
    def A(self) -> ca.SX:
        """The mass matrix."""
        return self.projected(self.joint_mass @ self.T)

    @cached_property
    def f(self) -> ca.SX:
        """The right side; the scene has ẏ = b where u̇ = 0."""
        return self.projected(self.joint_force)

    def projected(self, efforts: ca.SX) -> ca.SX:
        """Return generalized forces along u of those along y."""
        return self.T.T @ efforts

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return A a − f."""
        return self.projected(super().needed(moving, a))

    def accelerations(self, extra: Sequence[Scalar]) -> ca.SX:
        """Return u̇ = Y (ẏ − b) under extra efforts, by the articulated recursion."""
        efforts = ca.densify(self.Y.T @ column(list(extra)))
        rates = super().accelerations(ca.vertsplit(efforts))
        return ca.densify(self.Y @ (rates - self.bending))


class ChosenSlots(TreeSlots):
    """The slots of a tree in chosen speeds; states are embedded by measuring its joints."""

    def __init__(self, school: ChosenSchool) -> None:
        super().__init__(school)
        self._school = school
        self._own["embed"] = self.embed

    def embed(self) -> ca.Function:
        """Q and u of given poses and twists of the bodies; angles are principal values."""
        school, count = self._school, len(self.school.model.bodies)
        pose, twist = ca.SX.sym("pose", 7, count), ca.SX.sym("twist", 6, count)
        scene = PosedScene(school.model, school.still.number, pose, twist)
        q: list[Scalar] = []
        y: list[Scalar] = []
        for link in school.layout.links[1:]:
            assert link.joint is not None
            for found, level in ((q, "coordinates"), (y, "speeds")):
                for entries in scene.joint_values(link.joint.name, level).values():
                    found += entries
        u = school.Y @ column(y) + school.z
        u = ca.substitute(u, self.symbols.columns["q"], column(q))
        outputs = {"q_out": column(q), "u_out": ca.densify(u)}
        return self.symbols.function("embed", outputs, {"pose": pose, "twist": twist})


def chosen_school(
    formulation: "JointCoordinates", model: Model
) -> tuple[ChosenSpeeds, ChosenSchool]:
    """Return the speeds of a machine, and the equations of its tree in them without rows."""
    plan = layout(model)
    choice = chosen_speeds(model, plan, formulation.speeds)
    kept = memory(model, remembered_angles(model, model.graph.loops, loop_sums(model)))
    counts = sizes(model, plan.coordinates, choice.variables, kept)
    return choice, ChosenSchool(model, plan, choice, (), modes(model), counts)
