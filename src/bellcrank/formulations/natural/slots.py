"""The slots and matrices of a machine in natural coordinates."""

from functools import cached_property

import casadi as ca

from bellcrank.formulations.natural.school import NaturalSchool
from bellcrank.formulations.points.embedding import embedded
from bellcrank.formulations.points.matrices import Matrices
from bellcrank.formulations.slots import BodySlots
from bellcrank.formulations.symbols import column
from bellcrank.model import Expression


class NaturalSlots:
    """Slots of the contract: those of body space, and `embed`."""

    def __init__(self, school: NaturalSchool) -> None:
        self.school, self.symbols = school, school.symbols
        # Coordinates are on the conditions of rigid bodies only where these rows hold, too.
        self.common = BodySlots(school, chain=("rigid", "loop"))

    def slot(self, name: str) -> ca.Function:
        """Return the function of a slot."""
        return self.embed() if name == "embed" else getattr(self.common, name)()

    def signals(self, expressions: tuple[Expression, ...]) -> ca.Function:
        """Return the function of expressions of the machine's signals."""
        return self.common.signals(expressions)

    def embed(self) -> ca.Function:
        """Q and u of given poses and twists of the bodies."""
        count = len(self.school.model.bodies)
        pose, twist = ca.SX.sym("pose", 7, count), ca.SX.sym("twist", 6, count)
        q, u = embedded(self.school.still, pose, twist)
        outputs = {"q_out": column(q), "u_out": column(u)}
        return self.symbols.function("embed", outputs, {"pose": pose, "twist": twist})

    @cached_property
    def quantities(self) -> Matrices:
        """The school's matrices by name."""
        return Matrices(self.school.assembled, self.symbols, self.school.model)
