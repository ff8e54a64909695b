"""Body space of bodies whose poses and twists are given: where joints are measured from."""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import casadi as ca

from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.scene import Moving, Turning
from bellcrank.model import Body, Expression, Joint, Model, mass_properties
from bellcrank.spatial.arithmetic import (
    IDENTITY,
    ORIGIN,
    Matrix,
    Scalar,
    Vector,
    apply,
    centripetal,
    cross,
    minus,
    plus,
    product,
    transpose,
)
from bellcrank.spatial.attitudes import euler_product, rotation, turn_parameters


class PosedScene:
    """A `Scene` in which poses and twists are arguments, and nothing accelerates.

    Attributes:
        model: The model.
    """

    def __init__(
        self, model: Model, number: Callable[[Any], Scalar], pose: ca.SX, twist: ca.SX
    ) -> None:
        """Take the bodies as the slots `bodies` gives them.

        Args:
            model: The machine.
            number: Lowers numbers and expressions of the model.
            pose: Mass centres and Euler parameters of the bodies' frames, 7×nb.
            twist: Angular velocities and velocities of mass centres, 6×nb.
        """
        self.model, self._lowered = model, number
        names = [body.name for body in model.bodies]
        self._pose = {name: ca.vertsplit(pose[:, i]) for i, name in enumerate(names)}
        self._twist = {name: ca.vertsplit(twist[:, i]) for i, name in enumerate(names)}

    def number(self, value: "float | Expression") -> Scalar:
        """Return the scalar of a number or an expression of the model."""
        return self._lowered(value)

    @cached_property
    def _since_drawing(self) -> dict[str, Matrix]:
        found: dict[str, Matrix] = {"ground": IDENTITY}
        for name, pose in self._pose.items():
            found[name] = product(rotation(pose[3:]), transpose(self._drawn(name)))
        return found

    def _drawn(self, body: str) -> Matrix:
        element = self.model[body]
        if not isinstance(element, Body):
            return IDENTITY
        return [[self.number(entry) for entry in row] for row in element.pose.rotation]

    def point(self, body: str, at: Vector) -> Moving:
        """Return how the point of a body moves that is `at` in the drawing."""
        if body == "ground":
            return Moving(list(at), ORIGIN, ORIGIN)
        com = [self.number(entry) for entry in mass_properties(self.model[body]).com]
        arm = self.carried(body, minus(list(at), com))
        w, v = self._twist[body][:3], self._twist[body][3:]
        position = plus(self._pose[body][:3], arm)
        return Moving(position, plus(v, cross(w, arm)), centripetal(w, arm))

    def carried(self, body: str, direction: Vector) -> Vector:
        """Return a direction of a body, given in the drawing, as it stands now."""
        return apply(self._since_drawing[body], direction)

    def turning(self, body: str) -> Turning:
        """Return how a body turns."""
        return Turning(ORIGIN if body == "ground" else self._twist[body][:3], ORIGIN)

    def attitude(self, body: str) -> Vector:
        """Return the Euler parameters of a body's frame in the world, scalar first."""
        return [1.0, 0.0, 0.0, 0.0] if body == "ground" else self._pose[body][3:]

    def turned(self, body: str) -> Vector:
        """Return the Euler parameters of a body's turn since the drawing, scalar first."""
        if body == "ground":
            return self.attitude(body)
        drawn = turn_parameters(transpose(self._drawn(body)))
        return euler_product(self.attitude(body), drawn)

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        return measured(self, element, level)
