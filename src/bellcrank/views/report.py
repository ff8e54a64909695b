"""A machine in words: what it is made of, how it hangs together, what it can do.

Degrees of freedom are the freedoms of the joints of the spanning tree less the rank of the
constraints, decided where the machine is assembled. Gruebler's count, coordinates less rows, is
too few where rows say the same thing twice; those that do are named.
"""

import os
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.freedom import Freedom, freedom
from bellcrank.errors import ModelError, NotSupported, StartError
from bellcrank.formulations import JointCoordinates
from bellcrank.formulations.contract.rows import rows
from bellcrank.linear.rank import SLACK
from bellcrank.machine.start import initial_state
from bellcrank.machine.system import System
from bellcrank.model import Model, Relation, Rope, mass_properties, principal_axes
from bellcrank.model.algebra import nominal, nominals
from bellcrank.model.elements.fields import short
from bellcrank.model.elements.gravity import Everywhere
from bellcrank.model.expressions import Constant, Expression, text
from bellcrank.model.names import SIZES
from bellcrank.prepare.options import check_slack
from bellcrank.replacement import path_of

Rows = list[tuple[str, ...]] | list[str]
"""Cells of a table, or lines of text."""

LARGE = 12  # bodies; beyond that chains are drawn straight down
LONGEST = 72  # letters of a law


@dataclass(frozen=True)
class Report:
    """What can be said about a machine without moving it; `str` of it is for a terminal.

    Attributes:
        model: The machine.
        slack: What counts as rounding; see `report`.
    """

    model: Model
    slack: float = SLACK

    @cached_property
    def coordinates(self) -> int:
        """Freedoms of the joints of the spanning tree."""
        tree = set(self.model.graph.tree_joint)
        joints = (joint for joint in self.model.joints if joint.name in tree)
        return sum(freedoms(joint, self.model.planar) for joint in joints)

    @cached_property
    def rows(self) -> int:
        """Rows of loop-closing joints, constraints and drivers."""
        return len(rows(self.model, 1.0, self.model.graph.loops))

    @cached_property
    def obstacle(self) -> str:
        """Why the rank of the constraints is not known: a sentence, or nothing."""
        return self._analysed[1]

    @cached_property
    def freedom(self) -> Freedom | None:
        """What the rank of the constraints says, where the machine can be assembled."""
        return self._analysed[0]

    @cached_property
    def _analysed(self) -> tuple[Freedom | None, str]:
        if not self.rows:
            return Freedom(self.coordinates, 0, {}), ""
        try:
            system, q, p = self.assembled
        except (StartError, NotSupported) as error:
            return None, str(error)
        return freedom(system, q, p), ""

    @cached_property
    def assembled(self) -> tuple[System, np.ndarray, np.ndarray]:
        """The compiled machine, its coordinates where all loops close, and its parameters.

        Raises:
            StartError: It cannot be assembled.
            NotSupported: The formulation cannot do it.
        """
        equations = JointCoordinates().equations(self.model)
        system = System(equations, level=0, slack=self.slack)
        p = system.parameter_vector()
        x = initial_state(system, None, 0.0, np.zeros(len(system.inputs)), p)
        return system, x[: len(system.coordinates)], p

    @property
    def degrees_of_freedom(self) -> int:
        """Coordinates less the rank of the constraints, or less their number if not known."""
        if self.freedom is None:
            return self.coordinates - self.rows
        return self.freedom.degrees

    @cached_property
    def redundant(self) -> tuple[str, ...]:
        """What repeats directions that others hold, a sentence each."""
        found = self.freedom.redundant if self.freedom else {}
        off = self.freedom.off if self.freedom else {}
        return tuple(
            f"{name!r} repeats {count} direction{'s' * (count > 1)} already held by "
            f"{', '.join(loop_members(self.model, name))}{_off(off.get(name, 0.0))}"
            for name, count in found.items()
        )

    @cached_property
    def sections(self) -> tuple[tuple[str, Rows], ...]:
        """What is said, under titles: rows of cells, or lines; those without any left out."""
        model = self.model
        found: tuple[tuple[str, Rows], ...] = (
            ("bodies", _bodies(model) if model.bodies else []),
            ("joints", _joints(model) if model.joints else []),
            ("tree", _tree(model)),
            ("loops", _loops(model)),
            ("constraints", [(c.name, *_holds(c)) for c in model.constraints]),
            ("forces", [(f.name, type(f).__name__, _acts_on(f)) for f in model.forces]),
            ("drivers", [(d.name, _motion(d)) for d in model.drivers]),
            ("points", [(p.name, f"on {p.body}", _vector(p.at)) for p in model.points]),
            ("variables", [(v.name, _rate(v)) for v in model.variables]),
            ("parameters", [(p.name, f"{p.value:g}") for p in model.parameters]),
            ("inputs", [(w.name,) for w in model.inputs]),
            ("redundant", list(self.redundant)),
        )
        return tuple((title, rows) for title, rows in found if rows)

    @property
    def title(self) -> tuple[str, ...]:
        """The machine in a few lines: its name, what it has, how its freedom was counted."""
        return tuple(_title(self))

    def __str__(self) -> str:
        name, *lines = self.title
        head = "\n".join([name, "─" * len(name), *lines])
        return "\n\n".join([head, *(_section(*section) for section in self.sections)])


def report(
    model: Model, path: str | os.PathLike[str] | None = None, *, slack: float = SLACK
) -> Report:
    """Return what can be said about a machine without moving it.

    Args:
        model: The machine.
        path: A file name that ends in `.html`, to write the report as a page with a drawing.
        slack: Rounding of lengths, in lengths of the machine, and of angles [rad] within which
            constraints count as repeating others.

    Returns:
        A report, to be printed.

    Raises:
        ModelError: It is no model.
        FileError: The page cannot be written, or is not named like `x.html`.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> str(bc.report(examples.load("double-pendulum"))).splitlines()[2]
        '2 bodies, 2 joints, 2 degrees of freedom'
    """
    if not isinstance(model, Model):
        raise ModelError(f"a report is of a Model, got {short(model)}.")
    made = Report(model, check_slack(slack))
    if path is not None:
        from bellcrank.views.report_page import write_report

        write_report(made, path_of(path))
    return made


def loop_members(model: Model, name: str) -> list[str]:
    """Return the tree joints of the loop that a joint closes; all joints for a constraint."""
    joint = model[name]
    if name not in model.graph.loops:
        return [one.name for one in model.joints]
    graph = model.graph
    ends = [set(graph.path(graph.number[body])) for body in (joint.first, joint.second)]
    return [graph.tree_joint[k - 1] for k in sorted(ends[0] ^ ends[1])]


def freedoms(joint: Any, planar: bool = False) -> int:
    """Return how many speeds a joint has, in space or in the plane."""
    count = sum(SIZES.get(name, 1) for name in joint.speeds)
    return min(count, 3) if planar else count


def _off(size: float) -> str:
    """Return by how much something repeats others only nearly, or nothing."""
    return f", but for {size:.2g} of the machine's length or of a radian" if size else ""


def _title(report: Report) -> list[str]:
    model = report.model
    counts = [
        _count(len(model.bodies), "body", "bodies"),
        _count(len(model.joints), "joint", "joints"),
    ]
    if model.graph.loops:
        counts.append(_count(len(model.graph.loops), "loop", "loops"))
    counted = _count(report.degrees_of_freedom, "degree of freedom", "degrees of freedom")
    counts.append(counted if report.freedom else f"{counted} by Gruebler's count")
    lines = [model.name, ", ".join(counts)]
    if report.rows and report.freedom:
        lines.append(
            f"({report.coordinates} coordinates less the rank {report.freedom.rank} of "
            f"{report.rows} constraint rows)"
        )
    elif report.rows:
        lines += textwrap.wrap(f"({report.obstacle})", 96)
    lines.append(f"gravity {_vector(model.gravity)} m/s²" + (", planar" * model.planar))
    return lines


def _count(n: int, one: str, many: str) -> str:
    return f"{n} {one if n == 1 else many}"


def _section(title: str, rows: Rows) -> str:
    """Return a titled table with aligned columns."""
    cells = [(row,) if isinstance(row, str) else row for row in rows]
    columns = max(map(len, cells))
    widths = [max(len(row[i]) for row in cells if len(row) > i) for i in range(columns)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=False)) for row in cells]
    return "\n".join([title, *(f"  {line}".rstrip() for line in lines)])


def _bodies(model: Model) -> list[tuple[str, ...]]:
    rows = [("", "mass [kg]", "mass centre [m]", "principal inertias [kg m²]")]
    for body in model.bodies:
        properties = mass_properties(body)
        inertia = [nominals(row) for row in properties.inertia]
        moments = principal_axes(inertia)[0] if None not in inertia else ()
        shown = ", ".join(_number(max(J, 0.0) if J > -1e-12 else J) for J in moments)
        rows.append((body.name, _number(properties.mass), _vector(properties.com), shown))
    return rows


def _joints(model: Model) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = [("", "", "first → second", "freedoms", "coordinates")]
    for joint in model.joints:
        names = ", ".join(joint.coordinates) or "none"
        count = freedoms(joint, model.planar)
        kind = type(joint).__name__
        rows.append((joint.name, kind, f"{joint.first} → {joint.second}", f"{count}", names))
    return rows


def _tree(model: Model) -> list[str]:
    """Return the spanning tree drawn with its joints, and the body-connection array.

    Branches are indented; in a large machine a body that is alone on its lower body stands
    straight below it, marked ↓.
    """
    graph = model.graph
    straight = len(graph.order) > LARGE
    drawn: list[tuple[str, str, str]] = [("ground", "", "")]
    stack = [(k, "") for k in reversed(graph.children(0))]
    while stack:
        k, indent = stack.pop()
        siblings = graph.children(graph.lower[k - 1])
        alone = straight and len(siblings) == 1 and graph.lower[k - 1] != 0
        mark = "↓ " if alone else "└─" if siblings[-1] == k else "├─"
        joint = model[graph.tree_joint[k - 1]]
        numbers = f"L({k}) = {graph.lower[k - 1]}, u = {graph.depth[k - 1]}"
        label = f"{indent}{mark} {k} {graph.order[k - 1]}"
        drawn.append((label, f"{joint.name} ({type(joint).__name__})", numbers))
        children = graph.children(k)
        if not (straight and len(children) == 1):
            indent += "   " if mark != "├─" else "│  "
        elif mark == "├─":
            indent += "│  "
        stack.extend((child, indent) for child in reversed(children))
    widths = [max(len(row[i]) for row in drawn) for i in range(3)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)) for row in drawn]
    return [*lines, *_array("L", graph.lower), *_array("u", graph.depth)]


def _array(letter: str, numbers: tuple[int, ...]) -> list[str]:
    written = f"{letter} = ({', '.join(map(str, numbers))})"
    return textwrap.wrap(written, 88, subsequent_indent="     ")


def _loops(model: Model) -> list[tuple[str, ...]]:
    joints = [model[name] for name in model.graph.loops]
    return [(j.name, type(j).__name__, f"{j.first} → {j.second}") for j in joints]


def _holds(constraint: Any) -> tuple[str, ...]:
    """Return the kind of a constraint, and what it ties where that is short."""
    kind = type(constraint).__name__
    if isinstance(constraint, Relation):
        return (kind, f"{_law(constraint.zero)} = 0")
    if isinstance(constraint, Rope):
        return (kind, " → ".join(constraint.points))
    return (kind,)


def _acts_on(force: Any) -> str:
    if hasattr(force, "joint"):
        return f"on {force.joint}" + (f".{force.coordinate}" if force.coordinate else "")
    if hasattr(force, "body"):
        return f"on {force.body}"
    if isinstance(force, Everywhere):
        return "on every body"
    ends = (e if isinstance(e, str) else e[0] for e in (force.first, force.second))
    return " ─ ".join(ends)


def _motion(driver: Any) -> str:
    return ", ".join(f"{driver.of}.{name} = {_law(law)}" for name, law in driver.motion)


def _rate(variable: Any) -> str:
    unit = f" {variable.unit}" if variable.unit else ""
    return f"begins at {_number(variable.start)}{unit}, rate {_law(variable.rate)}"


def _vector(values: Any) -> str:
    return f"({', '.join(_number(x) for x in values)})"


def _law(law: Expression) -> str:
    """Return a law as it is written, a long one by its beginning."""
    written = text(law)
    return written if len(written) <= LONGEST else f"{written[: LONGEST - 1]}…"


def _number(value: Any) -> str:
    """Return a number with six digits; an expression with its value where it has one."""
    if isinstance(value, Constant):
        value = value.value
    if not isinstance(value, Expression):
        return f"{float(value):.6g}"
    written = text(value)
    size = nominal(value) if not _moves(value) else None
    short = written if len(written) <= 24 else "…"
    return short if size is None else f"{short} = {size:.6g}"


def _moves(value: Expression) -> bool:
    """Return whether an expression depends on more than parameters."""
    from bellcrank.model.expressions import inputs, signals

    return bool(signals(value) or inputs(value))
