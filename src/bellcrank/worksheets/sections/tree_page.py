"""Page of Kane's equations: the unconstrained tree, block by block, and rows on it."""

from collections.abc import Sequence

from bellcrank.formulations.kane import Kane
from bellcrank.model import Model
from bellcrank.worksheets.blocks import Style, VectorQuantity
from bellcrank.worksheets.joints import eliminate, joint_rows
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.school import Page, counted, numbered, page, shown_value
from bellcrank.worksheets.sections import constraints, dynamics, kane, tables
from bellcrank.worksheets.sections.kane_chosen import ChosenBlocks
from bellcrank.worksheets.sections.kane_rows import KaneRows
from bellcrank.worksheets.sections.kane_speeds import KaneSpeeds
from bellcrank.worksheets.sections.written_out import written_out
from bellcrank.worksheets.writing.document import Section, TextTable


@page.register
def _kane(
    formulation: Kane,
    model: Model,
    values: bool,
    scalars: bool | None,
    independent: Sequence[str] | None = None,
) -> Page:
    machine = NumberedMachine(model)
    joints = joint_rows(machine)
    constants: dict[VectorQuantity, tuple[float, ...]] = {}
    if values:
        constants = machine.constants | {
            key: value for joint in joints for key, value in joint.constants.items()
        }
    style = Style(constants)
    rows = KaneRows(machine)
    acting = tables.applied(model, values)
    with numbered(rows.rows.blocks.lettering, values):
        acting = Section(acting.title, (*acting.items, *rows.forces()))
        held = rows.constraints()
        chosen = ChosenBlocks(formulation, rows)
        other = chosen.section()
        speeds = KaneSpeeds(formulation, machine, chosen).sections()
        states = tables.variables(model, rows.rows.blocks.lettering)
    told = chosen.independent(independent)
    kept = _places(machine, independent or ())
    tied = constraints.joints(machine, joints, eliminate(machine, joints, kept), style)
    if any(joint.count for joint in joints) or held:
        tied = Section(tied.title, (*tied.items, *rows.elimination().items, *told))
    sections = (
        tables.bodies(machine),
        kane.connection(machine),
        tables.geometry(values),
        kane.state(machine),
        kane.kinematical(machine),
        kane.partial_angular_velocities(machine),
        kane.mass_centres(machine, style),
        kane.partial_velocities(machine, style),
        kane.partial_velocity_rates(machine, style),
        dynamics.dynamical(machine, values),
        acting,
        states,
        held,
        other,
        tied,
        *speeds,
        written_out(machine, values, scalars, rows.rows.blocks.lettering),
        _values(machine, joints, rows),
    )
    n = machine.count
    lead = (
        f"Kane’s equations of {counted(n, 'body', 'bodies')} as an unconstrained tree, {7 * n} "
        f"kinematical and {6 * n} dynamical equations, with the joints of the machine as "
        "constraints on them."
    )
    return Page(lead, tuple(section for section in sections if section is not None), rows)


def _places(machine: NumberedMachine, names: Sequence[str]) -> frozenset[int]:
    """Return the places in y of absolute speeds along the bodies, and of ṡ′, by their names."""
    first = {"angular_velocity_body": 0, "s_rate": 3 * machine.count}
    found = set()
    for name in names:
        body, _, part = name.rpartition(".")
        quantity, _, axis = part.rpartition("_")
        if quantity in first and axis in "xyz" and body in machine.names:
            found.add(first[quantity] + 3 * machine.names.index(body) + "xyz".index(axis))
    return frozenset(found)


def _values(machine: NumberedMachine, joints: tuple, rows: KaneRows) -> Section:
    """Return the values behind the letters, those of force elements and constraints too."""
    found = tables.values(machine, joints)
    constants = rows.rows.blocks.lettering.constants.values()
    others = [c for c in constants if c.symbol.key[0] not in ("r", "q", "m")]  # type: ignore[index]
    if not others:
        return found
    table = tuple((c.symbol.formula, shown_value(c.value), c.meaning) for c in others)
    return Section(
        found.title, (*found.items, TextTable(("letter", "value", "meaning"), table))
    )
