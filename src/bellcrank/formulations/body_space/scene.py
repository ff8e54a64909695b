"""Body space on symbols: what every formulation can say about where its bodies are.

Forces, signals and observations are written against this page alone, so that they are the same
in every formulation. Points and vectors are given as they stand in the drawing; what comes back
is along world axes.
"""

from typing import Any, NamedTuple, Protocol

from bellcrank.model import Expression, Model
from bellcrank.spatial.arithmetic import Scalar, Vector
from bellcrank.spatial.letters import Letters


class Moving(NamedTuple):
    """Position [m], velocity [m/s] and acceleration [m/s²] of a point, world components."""

    position: Vector
    velocity: Vector
    acceleration: Vector


class Turning(NamedTuple):
    """Angular velocity [rad/s] and acceleration [rad/s²] of a body, world components."""

    velocity: Vector
    acceleration: Vector


class Scene(Protocol):
    """The places and motions of the bodies of a model."""

    @property
    def model(self) -> Model:
        """The model."""
        ...

    def number(self, value: "float | Expression") -> Scalar:
        """Return the scalar of a number or an expression of the model."""
        ...

    def point(self, body: str, at: Vector) -> Moving:
        """Return how the point of a body moves that is `at` in the drawing."""
        ...

    def carried(self, body: str, direction: Vector) -> Vector:
        """Return a direction of a body, given in the drawing, as it stands now."""
        ...

    def turning(self, body: str) -> Turning:
        """Return how a body turns."""
        ...

    def attitude(self, body: str) -> Vector:
        """Return the Euler parameters of a body's frame in the world, scalar first."""
        ...

    def turned(self, body: str) -> Vector:
        """Return the Euler parameters of a body's turn since the drawing, scalar first."""
        ...

    def joint_values(self, joint: str, level: str) -> dict[str, Vector]:
        """Return a joint's `coordinates`, `speeds` or `accelerations` by their names."""
        ...


def called(scene: Any, letter: str, value: Any, mark: str = "") -> Any:
    """Return a scalar or a vector under a name of its own where it is written, else itself.

    Args:
        scene: Where it belongs to.
        letter: Its name; the index is that of the element it is of.
        value: What it stands for.
        mark: `dot` where it is a rate.
    """
    return scene.called(letter, value, mark) if isinstance(value, Letters) else value
