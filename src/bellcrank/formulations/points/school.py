"""What schools of points and vectors have in common: their symbols and their scenes."""

from collections.abc import Sequence
from functools import cached_property

from bellcrank.formulations.body_space.pairs import Row as Pair
from bellcrank.formulations.contract.equations import Row
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.symbols import Symbols
from bellcrank.formulations.contract.unwrapped import recalled, remembered_angles
from bellcrank.formulations.points.basics import Places
from bellcrank.formulations.points.rigid import residuals
from bellcrank.formulations.points.scene import PointScene
from bellcrank.model import Model
from bellcrank.spatial.arithmetic import Scalar


class PointSchool:
    """A machine in points and vectors, on CasADi symbols.

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

    def moving(
        self, rates: Sequence[Scalar], seconds: Sequence[Scalar] | None, smooth: bool = True
    ) -> PointScene:
        """Return the bodies at (t, q) with q̇ and q̈, zero if None."""
        angles = remembered_angles(self.model, [joint.name for joint in self.model.joints])
        modes, turns = recalled(self.scalars, self.switches, angles, smooth)
        return PointScene(self.model, self.plan, self.scalars, rates, seconds, modes, turns)

    def point_rates(self) -> Sequence[Scalar]:
        """Return q̇ of the points and vectors."""
        return self.scalars["u"]

    @cached_property
    def still(self) -> PointScene:
        """The scene without accelerations, which slots share."""
        return self.moving(self.point_rates(), None)

    def own_rows(self) -> list[Pair]:
        """Return the rigid-body conditions, and the pins of universal joints."""
        return residuals(self.still, self.plan)
