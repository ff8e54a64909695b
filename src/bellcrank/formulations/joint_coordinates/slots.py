"""A tree in joint coordinates on CasADi symbols: W, A and f, and its recursions."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import casadi as ca

from bellcrank.formulations.body_space.balance import Balance
from bellcrank.formulations.body_space.pairs import Row as Pair
from bellcrank.formulations.contract.coaxial import loop_sums
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.quantities import OfAccelerations, PerBody, Quantity
from bellcrank.formulations.contract.slots import BodySlots
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.symbols import Symbols, column, dense
from bellcrank.formulations.contract.unwrapped import recalled, remembered_angles
from bellcrank.formulations.joint_coordinates.blocks import JointBlocks
from bellcrank.formulations.joint_coordinates.layout import LinkLayout
from bellcrank.formulations.joint_coordinates.recursions import (
    Wrenches,
    accelerations,
    mass_entries,
    needed_efforts,
)
from bellcrank.formulations.joint_coordinates.scene import TreeScene
from bellcrank.model import Expression, Model, mass_properties
from bellcrank.spatial.arithmetic import ORIGIN, Scalar, Vector, cross, plus, scaled


class TreeSchool:
    """W, A and f of a tree; loops are rows.

    Attributes:
        model: The machine.
        layout: Its links and scalars.
        rows: The descriptions of its rows.
        switches: Its nonsmooth operations.
        symbols: The arguments of all slots.
    """

    def __init__(
        self,
        model: Model,
        layout: LinkLayout,
        rows: tuple[Row, ...],
        switches: tuple[Switch, ...],
        sizes: dict[str, int],
    ) -> None:
        self.model, self.layout, self.rows, self.switches = model, layout, rows, switches
        self.joints, self.sums = model.graph.loops, loop_sums(model)
        self.symbols = Symbols.of_sizes(sizes)
        self.scalars = {name: self.symbols.scalars(name) for name in sizes}

    def scene(self, a: Sequence[Scalar] | None = None, smooth: bool = True) -> TreeScene:
        """Return the bodies at (t, q, u) with u̇ = a."""
        if a is None and smooth:
            return self.still
        return self._scene(self.scalars, None if a is None else list(a), smooth)

    def _scene(self, scalars: dict, ud: Vector | None = None, smooth: bool = True) -> TreeScene:
        angles = remembered_angles(self.model, self.joints, self.sums)
        modes, kept = recalled(self.scalars, self.switches, angles, smooth)
        return TreeScene(
            self.model, self.layout, scalars, ud, modes, kept, self.sums, self.named
        )

    def own_rows(self) -> list[Pair]:
        """Return none: joint coordinates have no invariants but norms, which never drift."""
        return []

    def quaternions(self) -> list[tuple[int, int]]:
        """Return (first coordinate, first speed) of each set of Euler parameters."""
        found = []
        for link in self.layout.links[1:]:
            assert link.joint is not None
            if link.joint.mobility.ball:
                offset = 3 if link.joint.mobility.slid else 0
                q0 = self.layout.q_start[link.joint.name] + offset
                found.append((q0, self.layout.u_start[link.joint.name] + offset))
        return found

    @cached_property
    def named(self) -> Mapping[str, Scalar]:
        """Scalars that only a choice of speeds has names for."""
        return {}

    @cached_property
    def rates(self) -> ca.SX:
        """The joint rates, which are the speeds."""
        return self.symbols.columns["u"]

    def in_speeds(self, partials: ca.SX) -> ca.SX:
        """Return partial velocities by the speeds of those by joint rates."""
        return partials

    @cached_property
    def joint_kinematics(self) -> ca.SX:
        """The matrix of q̇ = W y of the joint rates: ones, and ½ Gᵀ for Euler parameters."""
        nq, nu = len(self.layout.coordinates), len(self.layout.speeds)
        W = ca.SX(nq, nu)
        taken = {}
        for q0, u0 in self.quaternions():
            e0, x, y, z = self.scalars["q"][q0 : q0 + 4]
            W[q0 : q0 + 4, u0 : u0 + 3] = 0.5 * dense([
                [-x, -y, -z],
                [e0, -z, y],
                [z, e0, -x],
                [-y, x, e0],
            ])
            taken[q0] = u0
        q = u = 0
        while q < nq:
            if q in taken:
                q, u = q + 4, u + 3
            else:
                W[q, u] = 1
                q, u = q + 1, u + 1
        return W

    @cached_property
    def W(self) -> ca.SX:
        """The matrix of q̇ = W u + x."""
        return self.joint_kinematics

    @property
    def x(self) -> ca.SX:
        """Zero: joint rates are all there is."""
        return ca.SX.zeros(self.W.shape[0])

    @cached_property
    def still(self) -> TreeScene:
        """The scene with u̇ = 0, which slots share."""
        return self._scene(self.scalars)

    @cached_property
    def balance(self) -> Balance:
        """The forces at (t, q, u)."""
        return Balance(self.still)

    @cached_property
    def wrenches(self) -> Wrenches:
        """What pushes links, gravity excepted, at the origins of their frames."""
        found: Wrenches = {}
        for body, (force, torque) in self.balance.pushes(self.joints).items():
            number = self.layout.link_of[body]
            if number == 0:
                continue
            n, f = self.still.push_in_link(body, force, torque)
            com = [self.still.number(entry) for entry in mass_properties(self.model[body]).com]
            n = plus(n, cross(self.still.tree.body_point(body, com), f))
            before = found.get(number, ([0.0] * 3, [0.0] * 3))
            found[number] = plus(before[0], n), plus(before[1], f)
        return found

    @cached_property
    def efforts(self) -> Vector:
        """Efforts of motors and springs on joints of the tree, one per speed."""
        efforts: list[Scalar] = [0.0] * len(self.layout.speeds)
        places = {variable.name: i for i, variable in enumerate(self.layout.speeds)}
        for effect in self.balance.effects.values():
            for joint, coordinate, effort in effect.efforts:
                if joint in self.joints:  # it closes a loop: among `wrenches`
                    continue
                rate = f"{coordinate}_rate"
                if coordinate.startswith("position"):
                    rate = coordinate.replace("position", "velocity")
                i = places[f"{joint}.{rate}"]
                efforts[i] = efforts[i] + effort
        return efforts

    @cached_property
    def A(self) -> ca.SX:
        """The mass matrix."""
        return self.joint_mass

    @cached_property
    def joint_mass(self) -> ca.SX:
        """The mass matrix of the joint rates, by the composite-body recursion."""
        nu = len(self.layout.speeds)
        A = ca.SX(nu, nu)
        for (i, j), entry in mass_entries(self.still.tree).items():
            A[i, j] = A[j, i] = entry
        return A

    @cached_property
    def f(self) -> ca.SX:
        """The right side."""
        return self.joint_force

    @cached_property
    def joint_force(self) -> ca.SX:
        """Efforts less the ones that u̇ = 0 needs, by the Newton-Euler recursion."""
        bias = needed_efforts(self.still.tree, self.balance.gravity, self.wrenches)
        return column(self.efforts) - column(bias)

    @cached_property
    def resisted(self) -> ca.SX:
        """What inertia alone needs at u̇ = 0: minus the generalized inertia forces there."""
        return self.projected(column(needed_efforts(self.still.tree, ORIGIN, {})))

    @property
    def active(self) -> ca.SX:
        """Kane's generalized active forces, of efforts, forces and gravity."""
        return ca.densify(self.f + self.resisted)

    def projected(self, efforts: ca.SX) -> ca.SX:
        """Return generalized forces along the speeds of those along joint rates."""
        return efforts

    def needed(self, moving: Balance, a: ca.SX) -> ca.SX:
        """Return A a − f, by the Newton-Euler recursion."""
        tree = moving.scene.tree  # type: ignore[attr-defined]
        needed = needed_efforts(tree, self.balance.gravity, self.wrenches)
        return column(needed) - column(self.efforts)

    def accelerations(self, extra: Sequence[Scalar]) -> ca.SX:
        """Return u̇ without constraints under extra efforts, by the articulated recursion."""
        efforts = plus(self.efforts, list(extra))
        if not efforts:
            return ca.SX(0, 1)
        gravity, tree = self.balance.gravity, self.still.tree
        return column(accelerations(tree, gravity, self.wrenches, efforts))


class TreeSlots:
    """The slots of a tree: O(n) recursions where there are, the others from body space."""

    def __init__(self, school: TreeSchool) -> None:
        self.school, self.symbols, self.common = school, school.symbols, BodySlots(school)
        self._own = {
            "normalize": self.normalize,
            "accelerate": self.accelerate,
            "derivatives": self.derivatives,
            "jacobian": self.jacobian,
        }

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        return self._own[name]() if name in self._own else getattr(self.common, name)()

    def normalize(self) -> ca.Function:
        """Q with all Euler parameters at unit length."""
        q = list(self.school.scalars["q"])
        for q0, _ in self.school.quaternions():
            e = q[q0 : q0 + 4]
            q[q0 : q0 + 4] = scaled(1.0 / ca.sqrt(sum(entry * entry for entry in e)), e)
        return self.symbols.function("normalize", {"q_out": column(q)})

    def accelerate(self) -> ca.Function:
        """u̇ under extra efforts e."""
        e = ca.SX.sym("e", len(self.school.layout.speeds))
        ud = self.school.accelerations(ca.vertsplit(e) if e.numel() else [])
        return self.symbols.function("accelerate", {"ud": ud}, {"e": e})

    @cached_property
    def _ud(self) -> ca.SX:
        return self.school.accelerations([0.0] * len(self.school.layout.speeds))

    def derivatives(self) -> ca.Function:
        """q̇, u̇, ṡ."""
        outputs = {"qd": ca.densify(self.common.qd), "ud": self._ud}
        return self.symbols.function("derivatives", outputs | {"sd": self.common.sd})

    def jacobian(self) -> ca.Function:
        """F = M ∂ẋ/∂x without constraints, and A of M = diag(1, A, 1)."""
        return self.common.jacobian_at(self._ud)

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions of the machine's signals."""
        return self.common.signals(expressions)

    @cached_property
    def _per_body(self) -> Mapping[str, Callable[[int], ca.SX]]:
        return JointBlocks(self.school.model).quantities(self.school)

    def quantity(self, name: str) -> Any:
        """Return a matrix of this school by its name."""
        school, nominal = self.school, {p.name: p.value for p in self.school.model.parameters}
        if name in self._per_body:
            make, order = self._per_body[name], school.model.graph.order
            entries = {
                body: Quantity(f"{name} of '{body}'", make(k), self.symbols, nominal)
                for k, body in enumerate(order, start=1)
            }
            return PerBody(name, entries)
        if name in ("element_force", "constraint_force"):
            return self.common.named_forces(name)
        if name == "generalized_inertia_force":
            a = ca.SX.sym("udot", school.A.shape[0])
            columns = dict(self.symbols.columns) | {"s": a}
            value = ca.densify(-(school.A @ a + school.resisted))
            return OfAccelerations(Quantity(name, value, Symbols(columns), nominal))
        values = {
            "mass_matrix": lambda: school.A,
            "force": lambda: ca.densify(school.f),
            "kinematics_matrix": lambda: school.W,
            "generalized_active_force": lambda: school.active,
            "kinematics_remainder": lambda: ca.densify(school.x),
            "speeds_matrix": lambda: school.Y,  # type: ignore[attr-defined]
            "speeds_remainder": lambda: school.z,  # type: ignore[attr-defined]
        } | self.common.row_quantities()
        return Quantity(name, ca.SX(values[name]()), self.symbols, nominal)
