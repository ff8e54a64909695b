"""Body space of Kane's bodies."""

from collections.abc import Mapping
from functools import cached_property
from typing import NamedTuple

from bellcrank.formulations.body_space.lowering import Lowering
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.body_space.scene import Moving, Turning
from bellcrank.formulations.body_space.signals import signal
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.unwrapped import Angle, Turn
from bellcrank.formulations.kane.attitude import UPRIGHT, Attitudes
from bellcrank.formulations.kane.connection import Connection
from bellcrank.formulations.kane.motion import BodyMotion
from bellcrank.model import Joint, Model
from bellcrank.spatial.arithmetic import Matrix, Scalar, Vector, apply, transpose
from bellcrank.spatial.attitudes import euler_product, turn_parameters

Scalars = Mapping[str, Vector]


class Memory(NamedTuple):
    """What names and memory stand for.

    Attributes:
        named: Scalars that only this formulation has, by name.
        modes: The branch of each nonsmooth operation.
        turns: What is known of the turns of each angle.
    """

    named: Mapping[str, Scalar]
    modes: Mapping[Switch, Scalar]
    turns: Mapping[Angle, Turn]


class KaneScene:
    """A `Scene` of a model whose bodies move as a `BodyMotion` says.

    Attributes:
        connection: The numbered bodies.
        motion: Where they are.
        number: Lowers numbers and expressions of the model.
        turns: What is known of the turns of joints' angles.
    """

    def __init__(
        self,
        connection: Connection,
        scalars: Scalars,
        motion: BodyMotion,
        attitudes: Attitudes,
        memory: "Memory | None" = None,
    ) -> None:
        self.connection, self.motion, self._attitudes = connection, motion, attitudes
        memory = memory or Memory({}, {}, {})
        self._time, self._own, self.turns = scalars["t"][0], memory.named, memory.turns
        self.number = Lowering.of_model(self.model, scalars, self._signal, memory.modes)

    @property
    def model(self) -> Model:
        """The model."""
        return self.connection.model

    def _signal(self, name: str) -> Scalar:
        if name == "t":
            return self._time
        return self._own[name] if name in self._own else signal(self, name)

    def point(self, body: str, at: Vector) -> Moving:
        """Return how the point of a body moves that is `at` in the drawing."""
        k = self.connection.number(body)
        if k == 0:
            still = [0.0, 0.0, 0.0]
            return Moving(list(at), still, still)
        return self.motion.point(k, self.motion.geometry.in_body(k, at))

    def carried(self, body: str, direction: Vector) -> Vector:
        """Return a direction of a body, given in the drawing, as it stands now."""
        k = self.connection.number(body)
        return apply(self._since_drawing[k], direction) if k else list(direction)

    @cached_property
    def _since_drawing(self) -> list[Matrix]:
        return [self.motion.since_drawing(k) for k in range(self.connection.count + 1)]

    def turning(self, body: str) -> Turning:
        """Return how a body turns."""
        return self._turnings[self.connection.number(body)]

    @cached_property
    def _turnings(self) -> list[Turning]:
        return [self.motion.turning(k) for k in range(self.connection.count + 1)]

    def attitude(self, body: str) -> Vector:
        """Return the Euler parameters of a body's frame in the world, scalar first."""
        return self._attitudes.parameters[self.connection.number(body)]

    def turned(self, body: str) -> Vector:
        """Return the Euler parameters of a body's turn since the drawing, scalar first."""
        k = self.connection.number(body)
        axes = self.motion.geometry.axes[k]
        if axes is None:
            return self.attitude(body) if k else list(UPRIGHT)
        return euler_product(self.attitude(body), turn_parameters(transpose(axes)))

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
        element = self.model[joint]
        assert isinstance(element, Joint)
        return measured(self, element, level)
