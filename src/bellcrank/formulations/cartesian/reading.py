"""One element of a machine and what it refers to: its structure, its numbers, and copies.

Names are replaced by local ones and numbers by parameters, in the order in which they are met:
two elements with equal structure are of one kind, whatever their names and numbers.

Needs no CasADi.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bellcrank.formulations.body_space.plane import planar_rows, planar_velocity_rows
from bellcrank.formulations.cartesian.layout import Kind as Sort
from bellcrank.formulations.cartesian.turning import remembered
from bellcrank.formulations.contract.laws import laws_of
from bellcrank.formulations.contract.switches import Switch, switches
from bellcrank.model import (
    Body,
    Joint,
    Model,
    Particle,
    Variable,
    mass_properties,
)
from bellcrank.model.algebra import Number, nominal
from bellcrank.model.elements.constraints import Constraint
from bellcrank.model.elements.walking import field_names
from bellcrank.model.expressions import (
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
    expression,
    renamed,
    substitute,
    text,
    walk,
)
from bellcrank.model.matter.mass import MassProperties
from bellcrank.model.pose import Pose
from bellcrank.spatial.arithmetic import IDENTITY, ORIGIN

REFERENCES = frozenset({"first", "second", "of", "body"})
"""Fields of joints, drivers and points that name another element."""
IDLE = frozenset({"limits", "as_given"})
"""Fields of joints that do not act; those of its axes are read elsewhere."""
NOTHING = MassProperties(0.0, ORIGIN, ((0.0,) * 3,) * 3)  # type: ignore[arg-type]


@dataclass(frozen=True)
class Instance:
    """One element of a kind.

    Attributes:
        element: Its name in the machine.
        bodies: The machine's bodies that are `b0`, `b1`, … of the kind.
        variables: The machine's variables that are `v0`, `v1`, … of the kind.
        inputs: The machine's inputs that are those of the kind.
        modes: Its nonsmooth operations, in the order of the kind's.
        angles: The machine's remembered angles (joint, coordinate) of the kind's joints.
        numbers: Values of the kind's parameters: floats, or expressions of the machine's.
    """

    element: str
    bodies: tuple[str, ...]
    variables: tuple[str, ...]
    inputs: tuple[str, ...]
    modes: tuple[Switch, ...]
    angles: tuple[tuple[str, str], ...]
    numbers: tuple[Number, ...]


@dataclass
class Reading:
    """One pass over an element and what it refers to.

    Attributes:
        model: The machine.
        element: The element.
        sorts: What each body is to Cartesian coordinates.
        template: Whether copies with parameters for numbers are made, or only the structure.
        names: Local names of elements met so far, in the order they were met.
        numbers: Numbers met so far.
        inputs: Local names of inputs.
    """

    model: Model
    element: Any
    sorts: Mapping[str, Sort]
    template: bool = False
    names: dict[str, str] = field(default_factory=dict)
    numbers: list[Number] = field(default_factory=list)
    inputs: dict[str, str] = field(default_factory=dict)

    def parts(self) -> list[Any]:
        """Return the element and all that it refers to: copies, or their structure."""
        self.local(self.element.name)
        queue = [self.element]
        found = []
        for element in queue:  # grows while names are met
            known = len(self.names)
            found.append(self._part(element))
            queue += [self.model[name] for name in list(self.names)[known:]]
        return found

    def shape(self) -> tuple:
        """Return the structure: equal for elements of one kind."""
        found = tuple(self.parts())
        gravity = self.gravity if isinstance(self.element, Body | Particle) else ()
        left = ()
        if self.model.planar and isinstance(self.element, Joint | Constraint):
            left = planar_rows(self.element), planar_velocity_rows(self.element)
        return (*found, gravity, left)

    @property
    def gravity(self) -> Any:
        """The weight of the world, as numbers of a body."""
        if not hasattr(self, "_gravity"):
            self._gravity = self._vector(self.model.gravity)
        return self._gravity

    @property
    def parameters(self) -> list[Parameter]:
        """The numbers as parameters."""
        return [Parameter(f"n{i}", nominal(x) or 0.0) for i, x in enumerate(self.numbers)]

    @property
    def bodies(self) -> tuple[str, ...]:
        """The machine's bodies that are `b0`, `b1`, …: names are given in the order met."""
        return self._named("b")

    def _named(self, letter: str) -> tuple[str, ...]:
        return tuple(name for name, local in self.names.items() if local[0] == letter)

    def instance(self) -> Instance:
        """Return what was met, in the names of the machine."""
        angles = remembered(self.model, self._named("j"))
        acting = self.element.KIND in ("force", "driver", "variable", "constraint")
        modes = switches(laws_of(self.element)) if acting else ()
        return Instance(
            self.element.name,
            self.bodies,
            self._named("v"),
            tuple(self.inputs),
            modes,
            angles,
            tuple(self.numbers),
        )

    def local(self, name: str) -> str:
        """Return the local name of an element, which is read later if it is new."""
        if name == "ground":
            return name
        if name not in self.names:
            letter = _LETTERS.get(self.model[name].KIND, "e")
            count = sum(local[0] == letter for local in self.names.values())
            self.names[name] = f"{letter}{count}"
        return self.names[name]

    # --- one element

    def _part(self, element: Any) -> Any:
        if isinstance(element, Body | Particle):
            return self._body(element, element is self.element)
        if isinstance(element, Variable):
            return self._variable(element)
        values = {"name": self.local(element.name)}
        laws = getattr(element, "LAWS", ())
        for name in field_names(type(element)):
            if name == "name" or (isinstance(element, Joint) and self._idle(element, name)):
                continue
            value = getattr(element, name)
            if name in laws:
                values[name] = self._law(value)
            elif name in REFERENCES or name in _references(element):
                values[name] = self._end(value)
            else:
                values[name] = self._value(value)
        more = self._axes(element) if isinstance(element, Joint) else {}
        return self._made(type(element), values, more)

    def _variable(self, variable: Variable) -> Any:
        """Return a variable; one that is only used has no rate of its own here."""
        own = variable is self.element
        rate = self._law(variable.rate) if own else 0.0
        values = {"name": self.local(variable.name), "rate": rate}
        values["scale"] = self._number(variable.size) if own else 1.0
        if self.template:
            values |= {"rate": expression(rate), "start": 0.0, "unit": ""}
        return self._made(Variable, values, {})

    def _made(self, kind: type, values: dict[str, Any], more: dict[str, Any]) -> Any:
        """Return a copy that nothing checks, or the structure of one."""
        if not self.template:
            return (kind.__name__, *values.items(), *more.items())
        made = object.__new__(kind)
        made.__dict__.update(values | more)
        return made

    def _body(self, body: Body | Particle, heavy: bool) -> Any:
        """Return a body by its mass properties; one that only carries has no mass."""
        properties = mass_properties(body)
        com = self._vector(properties.com)
        mass, inertia, own = NOTHING.mass, NOTHING.inertia, NOTHING.own
        if heavy:
            mass = self._number(properties.mass)
            inertia = self._symmetric(properties.inertia)
            own = None if properties.own is None else self._symmetric(properties.own)
        name, sort = self.local(body.name), self.sorts[body.name]
        # A particle with an attitude is a body whose frame is where the particle is.
        pose = self._pose(body.pose if isinstance(body, Body) else None, com)
        if not self.template:
            return ("body", name, sort, pose, mass, inertia, own)
        values = {"name": name, "shapes": (), "at": com}
        values |= {"mass_properties": MassProperties(mass, com, inertia, own)}
        if sort == "particle":
            return self._made(Particle, values, {})
        return self._made(Body, values, {"pose": pose})

    def _symmetric(self, matrix: Any) -> Any:
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
        a, b, c, d, e, f = self._vector((xx, yy, zz, xy, xz, yz))
        return ((a, d, e), (d, b, f), (e, f, c))

    def _pose(self, pose: Pose | None, com: tuple) -> Any:
        """Return the pose of a body's frame, its attitude as numbers unless the world's."""
        position = com if pose is None else self._vector(pose.position)
        rotation: Any = IDENTITY
        if pose is not None and pose.rotation != IDENTITY:
            rotation = tuple(tuple(self._number(e) for e in row) for row in pose.rotation)
        if not self.template:
            return pose is None, rotation == IDENTITY
        made = object.__new__(Pose)
        made.__dict__.update(position=position, rotation=rotation)
        return made

    @staticmethod
    def _idle(joint: Joint, field: str) -> bool:
        return field in IDLE or field in joint.TRIAD

    def _axes(self, joint: Joint) -> dict[str, Any]:
        """Return the unit axes of a joint, and what is chosen by their values."""
        sided = {"axis": None} if "axis" in field_names(type(joint)) else {}
        if all(axis is None for axis in joint.directions):
            return sided
        first = self._vector(joint.axis_first)
        same = joint.axis_second == joint.axis_first
        second = first if same else self._vector(joint.axis_second)
        known: dict[Any, Any] = {joint.axis_second: second, joint.axis_first: first}
        found: dict[str, Any] = {"axis_first": first, "axis_second": second}
        found["directions"] = tuple(
            None if axis is None else known[axis] if axis in known else self._vector(axis)
            for axis in joint.directions
        )
        if self.template:
            return found | dict.fromkeys(sided, first)
        sizes = [abs(nominal(entry) or 0.0) for entry in joint.axis_first]
        return found | {"least": sizes.index(min(sizes))}

    # --- values

    def _number(self, value: Number) -> Any:
        self.numbers.append(value)
        if not self.template:
            return "#"
        return Parameter(f"n{len(self.numbers) - 1}", nominal(value) or 0.0)

    def _vector(self, values: Any) -> tuple:
        return tuple(self._number(value) for value in values)

    def _value(self, value: Any) -> Any:
        """Return a field without its numbers; a zero that stands alone stays."""
        if isinstance(value, float | Expression):
            return value if type(value) is float and value == 0.0 else self._number(value)
        if isinstance(value, tuple):
            return tuple(
                self._number(v) if isinstance(v, float | Expression) else self._value(v)
                for v in value
            )
        return value

    def _end(self, value: Any) -> Any:
        """Return a reference, an end or names of points, with local names."""
        if isinstance(value, tuple) and all(isinstance(each, str) for each in value):
            return tuple(map(self.local, value))
        if isinstance(value, str):
            return self.local(value)
        body, at = value
        return self.local(body), self._vector(at)

    def _law(self, value: Any) -> Any:
        """Return a law with local names; its constants and parameters are numbers."""
        if isinstance(value, tuple):
            return tuple(self._law(entry) for entry in value)
        if isinstance(value, str):  # a speed, or a coordinate
            owner, dot, quantity = value.rpartition(".")
            return f"{self.local(owner)}.{quantity}" if dot else value
        if value is None or (type(value) is float and value == 0.0):
            return value
        if not isinstance(value, Expression):
            return self._number(value)
        law = self._local_law(value)
        return law if self.template else text(law)

    @property
    def _variables(self) -> frozenset[str]:
        return frozenset(each.name for each in self.model.variables)

    def _local_law(self, law: Expression) -> Expression:
        names: dict[str, str] = {}
        changes: dict[Expression, Expression] = {}
        kept = _structural(law)
        for node in walk(law):
            if isinstance(node, Signal):
                owner, dot, own = node.name.rpartition(".")
                if dot or own in self._variables:
                    names[owner or own] = self.local(owner or own)
            elif isinstance(node, Input):
                names[node.name] = self.inputs.setdefault(node.name, f"w{len(self.inputs)}")
            elif isinstance(node, Parameter):
                self._renumbered(node, node, changes)
            elif isinstance(node, Constant) and node.value != 0.0 and node not in kept:
                self._renumbered(node, node.value, changes)
        return substitute(renamed(law, names), changes)

    def _renumbered(
        self, node: Expression, value: Number, changes: dict[Expression, Expression]
    ) -> None:
        """Put a number in the place of a node, one for all equal nodes."""
        if node not in changes:
            self.numbers.append(value)
            at = len(self.numbers) - 1
            changes[node] = Parameter(f"n{at}", nominal(value) or 0.0)


_LETTERS: dict[str, str] = {"body": "b", "joint": "j", "point": "p", "variable": "v"}


def _references(element: Any) -> tuple[str, ...]:
    """Return the fields of an element that are ends, or name a body or a joint."""
    declared = (getattr(element, field, ()) for field in ("ENDS", "BODIES", "JOINTS", "PLACES"))
    return tuple(name for fields in declared for name in fields)


def _structural(law: Expression) -> set[Expression]:
    """Return constants that are exponents or knots somewhere: these are code, not data."""
    found: set[Expression] = set()
    for node in walk(law):
        if isinstance(node, Operation) and node.op == "pow":
            found.add(node.args[1])
        elif isinstance(node, Operation) and node.op == "interp":
            found.update(node.args[1 : 1 + (len(node.args) - 1) // 2])
    return {each for each in found if isinstance(each, Constant)}
