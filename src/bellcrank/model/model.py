"""The model: a whole machine as one value."""

import hashlib
import itertools
from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from bellcrank.errors import ExpressionError, ModelError, UnknownName
from bellcrank.model import check, edit
from bellcrank.model.algebra import Number, Vector, norm
from bellcrank.model.elements.bodies import Body, Particle, Point
from bellcrank.model.elements.constraints import Constraint
from bellcrank.model.elements.drivers import Drive
from bellcrank.model.elements.ends import End
from bellcrank.model.elements.forces import ForceElement
from bellcrank.model.elements.given import Given, Numbers, default
from bellcrank.model.elements.gravity import CentralGravity, Field
from bellcrank.model.elements.joint import Joint
from bellcrank.model.elements.relations import Relation
from bellcrank.model.elements.variables import Variable
from bellcrank.model.expressions import (
    Expression,
    Input,
    Parameter,
    Signal,
    expression,
    signals,
)
from bellcrank.model.graph import Graph, spanning_graph
from bellcrank.model.pose import Pose
from bellcrank.model.structure import written
from bellcrank.showing import show
from bellcrank.spatial.arithmetic import minus

Element = Body | Particle | Joint | Constraint | ForceElement | Drive | Point | Variable


@dataclass(frozen=True, repr=False)
class Model:
    """A machine, drawn once in world coordinates, SI units and radians.

    A model is a value: frozen, comparable, hashable, picklable. Everything about it is checked
    when it is made, and all complaints are raised together.

    Attributes:
        name: What it is called.
        bodies: `Body` and `Particle`.
        joints: What ties bodies together; each body must be tied to ground somehow.
        constraints: Other constraints.
        forces: Force elements.
        drivers: Prescribed motion.
        points: Named places.
        variables: First-order states of the user's own.
        gravity: World components [m/s²], shape (3,); (0, 0, −9.81), planar (0, −9.81, 0). A
            `CentralGravity` or a `Field` becomes one of the forces, and this zero.
        planar: Whether everything is in the x-y plane: points may be pairs, axes default to z.
        parameters: All parameters, those given first, then by first appearance.
        inputs: All inputs, in the same order.

    Examples:
        >>> from bellcrank.model import Body, Revolute, Rod
        >>> pendulum = Model(
        ...     "pendulum",
        ...     bodies=[Body("rod", Rod((0, 0, 0), (1, 0, 0), mass=2.0))],
        ...     joints=[Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        ... )
        >>> pendulum.replace("rod", mass=3.0)["rod"].mass
        3.0
    """

    name: str
    bodies: Given[Iterable[Body | Particle]] = default(())
    joints: Given[Iterable[Joint]] = default(())
    constraints: Given[Iterable[Constraint]] = default(())
    forces: Given[Iterable[ForceElement]] = default(())
    drivers: Given[Iterable[Drive]] = default(())
    points: Given[Iterable[Point]] = default(())
    gravity: Given[Numbers | CentralGravity | Field | None] = default(None)
    planar: bool = False
    parameters: Given[Iterable[Parameter]] = default(())
    inputs: Given[Iterable[Input]] = default(())
    variables: Given[Iterable[Variable]] = default(())

    def __post_init__(self) -> None:
        for field, value in check.admitted(self).items():
            object.__setattr__(self, field, value)

    def __repr__(self) -> str:
        counts = ((group, len(getattr(self, group))) for group in edit.GROUPS)
        one = {group: kind for kind, group in edit.HOMES.items()}
        shown = (f"{n} {one[group] if n == 1 else group}" for group, n in counts if n)
        return f"<Model {self.name!r}: {', '.join(shown) or 'empty'}>"

    def _repr_html_(self) -> str:
        return show("drawing", self)

    def __getstate__(self) -> dict[str, Any]:
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        # Every run asks for it, to look up what was made for the machine.
        return hash(tuple(getattr(self, each.name) for each in fields(self) if each.compare))

    @cached_property
    def elements(self) -> tuple[Element, ...]:
        """All that has a name, in the order of the groups."""
        return tuple(item for group in edit.GROUPS for item in getattr(self, group))

    @cached_property
    def _index(self) -> dict[str, Element]:
        return {element.name: element for element in self.elements}

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all elements."""
        return tuple(self._index)

    def __getitem__(self, name: str) -> Any:
        """Return the element of that name."""
        if name not in self._index:
            raise UnknownName("element", name, self._index)
        return self._index[name]

    def __contains__(self, name: object) -> bool:
        return name in self._index

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._index)

    def end(self, end: End) -> tuple[str, Vector]:
        """Return the body and the point [m] of an end: of a pair, or of a `Point`'s name."""
        if isinstance(end, str):
            place = self[end]
            return place.body, place.at
        return end

    def drawn_length(self, element: ForceElement | Constraint) -> Number:
        """Return the length of a spring, a link or a rope [m]: as given, or as drawn."""
        given = getattr(element, "length", None)
        if given is not None:
            return given
        if isinstance(element, Constraint) and element.PLACES:
            places = [self[name].at for name in getattr(element, element.PLACES[0])]
            pairs = itertools.pairwise(places)
            lengths = [norm(minus(two, one)) for one, two in pairs]
            return sum(lengths[1:], start=lengths[0])
        first, second = (self.end(getattr(element, field))[1] for field in element.ENDS)
        return norm(minus(second, first))

    def resolve(
        self,
        law: Any,
        who: str = "expression",
        *,
        observed: bool = False,
        others: Iterable[str] = (),
    ) -> Expression:
        """Return an expression with its names looked up in this model.

        Args:
            law: A number, a string, a callable or an expression.
            who: What it belongs to, for messages.
            observed: Whether it may use all that results show, accelerations and reactions
                included, as events may; or what forces may use only.
            others: Further names that it may use.

        Raises:
            ModelError: It is no expression, or names are not there, with all such names.
        """
        try:
            read = expression(law)
        except ExpressionError as error:
            raise ExpressionError(f"{who}: {error}") from None
        found, complaints = check.resolved(
            read, self._index, self._symbols, {n: Signal(n) for n in others}, observed=observed
        )
        ModelError.gather(f"{who}: {complaint}" for complaint in complaints)
        return found

    @cached_property
    def _symbols(self) -> dict[str, Expression]:
        return {symbol.name: symbol for symbol in (*self.parameters, *self.inputs)}

    @cached_property
    def graph(self) -> Graph:
        """Spanning tree, loops and body-connection array."""
        joints = [(joint.name, joint.first, joint.second) for joint in self.joints]
        return spanning_graph((body.name for body in self.bodies), joints, self._counted)

    @property
    def _counted(self) -> frozenset[str]:
        """Joints whose coordinate is needed over many turns, and so belong in the tree."""
        screws = {joint.name for joint in self.joints if joint.mobility.lead}
        acting = (*self.constraints, *self.forces)
        named = {getattr(element, field) for element in acting for field in element.JOINTS}
        named |= {
            name.partition(".")[0]
            for relation in self.constraints
            if isinstance(relation, Relation)
            for name in signals(relation.zero)
        }
        return frozenset(screws | named | {driver.of for driver in self.drivers})

    @cached_property
    def _structure(self) -> str:
        return written(self)

    def structure(self) -> str:
        """Return the model as canonical text: everything but the values of parameters."""
        return self._structure

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the structure, in hexadecimal."""
        return hashlib.sha256(self._structure.encode()).hexdigest()

    def replace(self, name: str | None = None, /, **changes: Any) -> "Model":
        """Return the model with fields of one element, or a parameter's value, changed.

        A new name is followed wherever the element is referred to. Without a name, fields of
        the model itself are changed: `model.replace(gravity=(0, 0, -1.62))`.
        """
        if name is None:
            return edit.replace_fields(self, changes)
        return edit.replace(self, name, changes)

    def add(self, *elements: Element) -> "Model":
        """Return the model with more elements."""
        return edit.add(self, elements)

    def without(self, *names: str) -> "Model":
        """Return the model without these elements."""
        return edit.without(self, names)

    def prefixed(self, prefix: str) -> "Model":
        """Return the model with a prefix to all names: elements, parameters and inputs."""
        return edit.prefixed(self, prefix)

    def moved(self, pose: Pose) -> "Model":
        """Return the machine carried from the world frame to `pose`; see `isometry`."""
        from bellcrank.model import isometry

        return isometry.moved(self, pose)

    def mirrored(self, axis: Any) -> "Model":
        """Return the mirror image through the plane normal to `axis`; see `isometry`."""
        from bellcrank.model import isometry

        return isometry.mirrored(self, axis)
