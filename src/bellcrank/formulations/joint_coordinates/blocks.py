"""A tree in joint coordinates, block by block in letters: partial velocities and their rates.

With h_j the axis of a freedom as it stands, o_j the joint's point, r_K the mass centre of K,
and j any freedom between the ground and K:

    ω_K,j = h_j    v_K,j = h_j × (r_K − o_j)        a turn
    ω_K,j = 0      v_K,j = h_j                      a slide

all in world components. A = Σ_K (m_K v_Kᵀ v_K + ω_Kᵀ J_K ω_K) and the other sums are the same
as the recursions of the school give; named quantities are evaluated from here.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import casadi as ca

from bellcrank.formulations.body_space.balance import coordinate_axis
from bellcrank.formulations.body_space.measures import drawn_axes, screw_lead
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.formulations.contract.lettering import PageLetters, motion
from bellcrank.formulations.contract.symbols import column, dense
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, layout
from bellcrank.model import Joint, Model, mass_properties
from bellcrank.model.algebra import nominal
from bellcrank.model.graph import path
from bellcrank.model.names import SIZES
from bellcrank.spatial import letters
from bellcrank.spatial.arithmetic import apply, product, transpose
from bellcrank.spatial.formula import Letter, Script
from bellcrank.spatial.letters import Letters, Symbol, name, rate

if TYPE_CHECKING:
    from bellcrank.formulations.joint_coordinates.slots import TreeSchool


@dataclass(frozen=True)
class TreeFreedom:
    """A freedom of a joint of the tree: one axis, or three at once.

    Attributes:
        joint: The joint.
        coordinate: Its coordinate: `angle`, `offset`, `orientation`, ….
        names: Names of its speeds.
        start: The place of the first of them in u.
        turns: Whether it is a rotation.
        sign: −1 where the tree passes the joint from its second body to its first.
        body: K, the body it moves against L(K).
        axis: h_j, or the matrix of three axes. point: o_j.
        speed: Its speed, or three of them.
        carrier: The body whose axis it is; `ground` for a constant one.
        lead: κ of a screw, 0 for all others.
    """

    joint: Joint
    coordinate: str
    names: tuple[str, ...]
    start: int
    turns: bool
    sign: float
    body: int
    axis: Symbol
    point: Symbol
    speed: Symbol
    carrier: str
    lead: Letters | float = 0.0


class JointBlocks:
    """The partial velocities of a tree.

    Attributes:
        model: The machine.
        layout: Its links and scalars.
        lettering: Letters of constants.
    """

    def __init__(self, model: Model) -> None:
        self.model, self.layout = model, layout(model)
        self.lettering = PageLetters(model)
        self.graph = model.graph

    @property
    def bodies(self) -> range:
        """1 … N."""
        return range(1, len(self.graph.order) + 1)

    # --- symbols

    def spin(self, k: int) -> Letters:
        """Return ω_K, world components; zero for the ground."""
        return Symbol(("w", k), name("ω", k))() if k else letters.zero()

    @cached_property
    def centres(self) -> dict[int, Symbol]:
        """r_K, whose rate is ṙ_K."""
        return {
            k: Symbol(
                ("position", k),
                name("r", k),
                rate=Symbol(("velocity", k), name("r", k, marks="dot")),
            )
            for k in self.bodies
        }

    def rotation(self, k: int) -> Symbol:
        """Return A_K, body to world components."""
        return Symbol(("A", k), name("A", k), (3, 3), rigid=True)

    def mass(self, k: int) -> Letters:
        """Return m_K."""
        body = self.graph.order[k - 1]
        value = mass_properties(self.model[body]).mass
        return self.lettering.scalar("m", k, value=value, meaning=f"mass of {body} [kg]")

    def inertia(self, k: int) -> Letters:
        """Return A_K J′_K A_Kᵀ, about the mass centre, world components."""
        body = self.graph.order[k - 1]
        J = self._along(body)
        meaning = f"inertia of {body} about its mass centre [kg m²]"
        own = self.lettering.matrix("J", k, value=J, meaning=meaning)
        return self.rotation(k)() @ own @ self.rotation(k)().T

    def _along(self, body: str, number: Callable[[Any], Any] = lambda x: x) -> Any:
        """Return J′, along the body."""
        J = [[number(e) for e in row] for row in mass_properties(self.model[body]).inertia]
        pose = getattr(self.model[body], "pose", None)
        if pose is None:
            return J
        turn = [[number(e) for e in row] for row in pose.rotation]
        return product(transpose(turn), product(J, turn))

    @cached_property
    def freedoms(self) -> tuple[TreeFreedom, ...]:
        """All freedoms of the joints of the tree, in the order of u."""
        found: list[TreeFreedom] = []
        for k in self.bodies:
            joint = self.model[self.graph.tree_joint[k - 1]]
            assert isinstance(joint, Joint)
            start = self.layout.u_start[joint.name]
            for i, (coordinate, speed) in enumerate(
                zip(joint.coordinates, joint.speeds, strict=True)
            ):
                size = SIZES.get(speed, 1)
                found.append(self._freedom(k, joint, coordinate, start, size, i))
                start += size
        return tuple(found)

    def _freedom(
        self, k: int, joint: Joint, coordinate: str, start: int, size: int, i: int
    ) -> TreeFreedom:
        several = len(joint.coordinates) > 1
        index = (joint.name, i + 1) if several else (joint.name,)
        turns = coordinate.startswith(("angle", "orientation"))
        pins = joint.mobility.rotations
        outer = coordinate == "orientation" or (
            len(pins) == 2 and coordinate == pins[1].coordinate
        )
        carrier = joint.second if outer else joint.first
        spin = self.spin(self.graph.number[carrier])
        axis: Symbol
        axis = Symbol(
            ("axis", joint.name, coordinate), name("h" if turns else "a", *index),
            (3, 1) if size == 1 else (3, 3),
            rate=(lambda: letters.skew(spin) @ axis()) if spin else None,
        )  # fmt: skip
        point = Symbol(
            ("o", joint.name), name("o", joint.name),
            rate=Symbol(("od", joint.name), name("o", joint.name, marks="dot")),
        )  # fmt: skip
        variables = self.layout.speeds[start : start + size]
        names = tuple(variable.name for variable in variables)
        shown = motion(names[0], rate=True) if size == 1 else name(
            "ω" if turns else "x", joint.name, marks="hat" if turns else "dot"
        )  # fmt: skip
        speed = Symbol(("u", start), shown, (size, 1) if size > 1 else (1, 1))
        lead: Letters | float = 0.0
        if joint.mobility.lead and turns:
            lead = self.lettering.scalar(
                "κ", joint.name, value=screw_lead(joint, lambda x: x),
                meaning=f"advance of {joint.name} [m/rad]",
            )  # fmt: skip
        sign = -1.0 if self.graph.reversed[k - 1] else 1.0
        return TreeFreedom(joint, coordinate, names, start, turns, sign, k, axis, point, speed,
                       carrier, lead)  # fmt: skip

    def axis_definition(self, freedom: TreeFreedom) -> Letters:
        """Return h_j as A h′_j of the body that carries it."""
        k = self.graph.number[freedom.carrier]
        turn = self.rotation(k)() if k else letters.identity()
        if freedom.axis.shape[1] == 3:
            return turn
        drawing: Any = _Drawing(self.model)
        drawn = coordinate_axis(drawing, freedom.joint, freedom.coordinate)[1]
        pose = getattr(self.model[freedom.carrier], "pose", None) if k else None
        along = drawn if pose is None else apply(
            transpose([[self.lettering.worth(e) for e in row] for row in pose.rotation]), drawn
        )  # fmt: skip
        index = freedom.axis.formula.lower  # type: ignore[union-attr]
        letter = "h" if freedom.turns else "a"
        own = self.lettering.vector(
            letter, freedom.joint.name, freedom.coordinate, value=along,
            meaning=f"axis of {freedom.joint.name}.{freedom.coordinate} on {freedom.carrier}",
        )  # fmt: skip
        symbol = next(iter(letters.symbols(own)))
        shown = Symbol(symbol.key, Script(Letter(letter), index, Letter("′")), symbol.shape)
        known = self.lettering.constants[symbol.key]
        self.lettering.constants[symbol.key] = replace(known, symbol=shown)
        return turn @ shown()

    # --- partial velocities

    def moves(self, freedom: TreeFreedom, k: int) -> bool:
        """Return whether a freedom moves body K."""
        return freedom.body in path(self.graph.lower, k)

    def angular(self, freedom: TreeFreedom, k: int) -> Letters:
        """Return ω_K,j."""
        if not self.moves(freedom, k) or not freedom.turns:
            return Letters((3, freedom.axis.shape[1]))
        return freedom.axis() * freedom.sign

    def angular_along(self, freedom: TreeFreedom, k: int) -> Letters:
        """Return ω′_K,j, along body K."""
        return self.rotation(k)().T @ self.angular(freedom, k)

    def linear(self, freedom: TreeFreedom, k: int) -> Letters:
        """Return v_K,j, of the mass centre."""
        h = freedom.axis()
        if not self.moves(freedom, k):
            return Letters((3, freedom.axis.shape[1]))
        if not freedom.turns:
            return h * freedom.sign
        arm = self.centres[k]() - freedom.point()
        if freedom.axis.shape[1] == 1:
            return (letters.cross(h, arm) + h * freedom.lead) * freedom.sign
        return (letters.skew(arm) @ h) * -freedom.sign

    def spin_sum(self, k: int) -> Letters:
        """Return ω_K as a sum over freedoms."""
        return self._total(self.angular, k)

    def velocity_sum(self, k: int) -> Letters:
        """Return v_K as a sum over freedoms."""
        return self._total(self.linear, k)

    def _total(self, part: Callable[[TreeFreedom, int], Letters], k: int) -> Letters:
        total = letters.zero()
        for freedom in self.freedoms:
            if self.moves(freedom, k):
                total = total + part(freedom, k) @ freedom.speed()
        return total

    def spin_rate(self, k: int) -> Letters:
        """Return α_K at u̇ = 0."""
        return rate(self.spin_sum(k))

    def velocity_rate(self, k: int) -> Letters:
        """Return the acceleration of the mass centre at u̇ = 0."""
        return rate(self.velocity_sum(k))

    # --- values

    def worth(self, school: "TreeSchool") -> Callable[[Symbol], Any]:
        """Return the symbols on those of CasADi."""
        scene, known = school.still, {}
        known |= {key: constant.value for key, constant in self.lettering.constants.items()}
        for k in self.bodies:
            body = self.graph.order[k - 1]
            at = [scene.number(e) for e in mass_properties(self.model[body]).com]
            centre = scene.point(body, at)
            axes = [scene.carried(body, axis) for axis in drawn_axes(scene, body)]
            known |= {
                ("position", k): column(centre.position),
                ("velocity", k): column(centre.velocity),
                ("w", k): column(scene.turning(body).velocity),
                ("A", k): dense(transpose(axes)),
            }  # fmt: skip
            known["J", k] = dense(self._along(body, scene.number))
            known["m", k] = ca.SX(scene.number(mass_properties(self.model[body]).mass))
        for freedom in self.freedoms:
            known |= _freedom_values(freedom, scene, school.rates)
        return lambda symbol: known[symbol.key]

    def quantities(self, school: "TreeSchool") -> Mapping[str, Callable[[int], ca.SX]]:
        """Return what is evaluated from the blocks, per body."""
        value = letters.Evaluation(self.worth(school), ca)

        def row(part: Callable[[TreeFreedom, int], Letters]) -> Callable[[int], ca.SX]:
            def built(k: int) -> ca.SX:
                found = ca.SX(3, len(self.layout.speeds))
                for freedom in self.freedoms:
                    if self.moves(freedom, k):
                        place = slice(freedom.start, freedom.start + len(freedom.names))
                        found[:, place] = value.of(part(freedom, k))
                return ca.sparsify(school.in_speeds(found))

            return built

        return {
            "partial_angular_velocity": row(self.angular_along),
            "partial_angular_velocity_fixed": row(self.angular),
            "partial_velocity": row(self.linear),
            "velocity_remainder_rate": lambda k: ca.SX(value.of(self.velocity_rate(k))),
            "angular_velocity_remainder_rate": lambda k: ca.SX(value.of(self.spin_rate(k))),
        }


class _Drawing:
    """Directions as they are drawn: a scene in which nothing has moved."""

    def __init__(self, model: Model) -> None:
        self.model = model

    def number(self, value: Any) -> float:
        """Return a number of the drawing."""
        return float(nominal(value) or 0.0)

    def carried(self, body: str, direction: Any) -> Any:
        """Return a direction as it is drawn."""
        return list(direction)


def _freedom_values(freedom: TreeFreedom, scene: Scene, u: ca.SX) -> dict[Any, Any]:
    """Return axis, point and speed of a freedom in a scene."""
    joint = freedom.joint
    if len(freedom.names) == 1:
        axis = column(coordinate_axis(scene, joint, freedom.coordinate)[1])
    else:
        drawn = drawn_axes(scene, freedom.carrier)
        axis = dense(transpose([scene.carried(freedom.carrier, one) for one in drawn]))
    at = scene.point(joint.second, [scene.number(e) for e in joint.at_second])
    count = len(freedom.names)
    found = {
        freedom.axis.key: axis, freedom.point.key: column(at.position),
        ("od", joint.name): column(at.velocity),
        freedom.speed.key: u[freedom.start : freedom.start + count],
    }  # fmt: skip
    if joint.mobility.lead:
        found["κ", joint.name] = ca.SX(screw_lead(joint, scene.number))
    return found


__all__ = ["JointBlocks", "LinkLayout", "TreeFreedom"]
