"""Body space of a tree: where its bodies are, from its links' places."""

from collections.abc import Mapping
from functools import cached_property

from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.scene import Moving, Turning
from bellcrank.formulations.body_space.signals import signal
from bellcrank.formulations.contract.coaxial import Sum
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.unwrapped import Angle, Turn
from bellcrank.formulations.joint_coordinates.layout import LinkLayout
from bellcrank.formulations.joint_coordinates.steps import Place
from bellcrank.formulations.joint_coordinates.tree import Tree
from bellcrank.model import Body, Joint, Model
from bellcrank.model.names import SIZES
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    Matrix,
    Scalar,
    Vector,
    add,
    apply,
    centripetal,
    cross,
    mul,
    plus,
    product,
    sub,
    transpose,
)
from bellcrank.spatial.attitudes import euler_product, is_identity, turn_parameters


class TreeScene:
    """A `Scene` of a model in joint coordinates.

    Attributes:
        model: The model.
        tree: Its links on the given symbols.
        turns: What is known of the turns of joints that close loops.
    """

    def __init__(
        self,
        model: Model,
        layout: LinkLayout,
        scalars: Mapping[str, Vector],
        ud: Vector | None = None,
        modes: Mapping[Switch, Scalar] | None = None,
        kept: Mapping[Angle, Turn] | None = None,
        sums: Mapping[Angle, Sum] | None = None,
        named: Mapping[str, Scalar] | None = None,
    ) -> None:
        self.model, self.layout, self._time = model, layout, scalars["t"][0]
        self._own = named or {}
        self.number = Lowering.of_model(model, scalars, self._signal, modes or {})
        self.tree = Tree(model, layout, self.number, scalars["q"], scalars["u"], ud)
        self.turns = dict(kept or {}) | {
            angle: Turn(self._total(one), one.exact) for angle, one in (sums or {}).items()
        }

    def _total(self, one: Sum) -> Scalar:
        """Return a sum of angles of the tree, all counted from the drawing."""
        total: Scalar = 0.0
        for angle, sign in one.terms:
            name, _, coordinate = angle.rpartition(".")
            joint = self.model[name]
            place = joint.coordinates.index(coordinate)
            turn = sub(
                self.tree.q[self.layout.q_start[name] + place], self.number(joint.drawn[place])
            )
            total = add(total, mul(sign, turn))
        return total

    def _signal(self, name: str) -> Scalar:
        if name == "t":
            return self._time
        return self._own[name] if name in self._own else signal(self, name)

    def _place(self, body: str) -> Place:
        return self.tree.places[self.layout.link_of[body]]

    def point(self, body: str, at: Vector) -> Moving:
        """Return how the point of a body moves that is `at` in the drawing."""
        place = self._place(body)
        r = apply(place.R, self.tree.body_point(body, at))
        return Moving(
            plus(place.p, r),
            plus(place.v, cross(place.w, r)),
            plus(place.a, cross(place.al, r), centripetal(place.w, r)),
        )

    @cached_property
    def _since_drawing(self) -> list[Matrix]:
        pairs = zip(self.tree.places, self.tree.frames, strict=True)
        return [product(place.R, transpose(frame.axes)) for place, frame in pairs]

    def carried(self, body: str, direction: Vector) -> Vector:
        """Return a direction of a body, given in the drawing, as it stands now."""
        return apply(self._since_drawing[self.layout.link_of[body]], direction)

    def turning(self, body: str) -> Turning:
        """Return how a body turns."""
        place = self._place(body)
        return Turning(place.w, place.al)

    def turned(self, body: str) -> Vector:
        """Return the Euler parameters of a body's turn since the drawing, scalar first."""
        return self._turned_from(body, IDENTITY)

    def attitude(self, body: str) -> Vector:
        """Return the Euler parameters of a body's frame in the world, scalar first."""
        element = self.model[body] if body != "ground" else None
        if not isinstance(element, Body):
            return self.turned(body)
        rows = [[self.number(entry) for entry in row] for row in element.pose.rotation]
        return self._turned_from(body, rows)

    def _turned_from(self, body: str, R_WB: Matrix) -> Vector:
        axes = self.tree.frames[self.layout.link_of[body]].axes
        R_LB = product(transpose(axes), R_WB)
        e = self._place(body).e
        return e if is_identity(R_LB) else euler_product(e, turn_parameters(R_LB))

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        if joint in self.model.graph.loops:
            return measured(self, element, level)
        if level == "coordinates":
            scalars, start = self.tree.q, self.layout.q_start[joint]
        else:
            scalars = self.tree.u if level == "speeds" else self.tree.ud
            start = self.layout.u_start[joint]
        values = {}
        for name in getattr(element, level):
            size = SIZES.get(name, 1)
            values[name] = scalars[start : start + size]
            start += size
        return values

    def push_in_link(self, body: str, force: Vector, torque: Vector) -> tuple[Vector, Vector]:
        """Return a wrench at a body's mass centre as (n, f) at the origin of its link's frame.

        Args:
            body: The body.
            force: World components [N], shape (3,).
            torque: About the mass centre, world components [N m], shape (3,).
        """
        R_LW = transpose(self._place(body).R)
        return apply(R_LW, torque), apply(R_LW, force)
