"""What else stands on the pages of bodies: inertia, forces, conditions and abbreviations.

Each is read back off the HTML and the LaTeX, and is worth what is evaluated; that these add up
to the equations is in `test_worksheet_schools`.
"""

import zlib

import numpy as np
import pytest
from tests.views.printed import looked_up, table, tokens_of
from tests.views.reading import Sym, Table, latex_equations, page_equations, value
from tests.views.test_worksheet_schools import close, kane_state, machine, somewhere

import bellcrank as bc
from bellcrank.errors import NotSupported
from bellcrank.spatial import letters
from bellcrank.spatial.formula import Letter, Script
from bellcrank.spatial.letters import name
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.sections.body_rows import BodyRows
from bellcrank.worksheets.sections.kane_rows import KaneRows

T = 0.3
MACHINES = ["four-bar", "rolling-disc", "tsda", "rsda", "suspension", "in fields", "everything"]
KINDS = ["html", "tex"]


def plain(sym):
    """Return a letter without the blanks of its scripts, which LaTeX does not keep."""
    return (sym.letter, sym.marks, sym.sub.replace(" ", ""), sym.sup.replace(" ", ""))


def key(formula, kind):
    """Return how a left side is found on a page: by its only letter."""
    (only,) = [token for token in tokens_of(formula, kind) if isinstance(token, Sym)]
    return plain(only)


def equations_of(sheet, kind):
    """Return all right sides of a page, by their left sides."""
    pairs = page_equations(sheet.html()) if kind == "html" else latex_equations(sheet.tex())
    found = {}
    for left, right in pairs:
        names = [token for token in left if isinstance(token, Sym)]
        if len(names) == 1:
            found.setdefault(plain(names[0]), right)
    return found


def compare(read, wanted, evaluation, kind):
    """Compare what is printed with what is evaluated, part below part."""
    every = [part for parts in wanted.values() for row in parts for part in row]
    symbol = looked_up(table(every, evaluation, kind))
    for left, rows in wanted.items():
        right = read[left]
        right = right[: right.index("=")] if "=" in right else right
        tables = [token for token in right if isinstance(token, Table)]
        cells = tables[0].rows if tables else ((tuple(right),),)
        assert len(cells) == len(rows)
        for one, parts in zip(cells, rows, strict=True):
            for cell, part in zip(one, parts, strict=True):
                got = value(cell, lambda s: T if s == Sym("t") else symbol(s))
                worth = np.asarray(evaluation.of(part), float)
                got = np.zeros(worth.shape) if np.ndim(got) == 0 and got == 0 else got
                close(np.ravel(got), np.ravel(worth))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["omega", "euler"])
@pytest.mark.parametrize("which", MACHINES)
def test_terms_of_the_cartesian_page(which, form, kind):
    check_cartesian_terms(machine(which), form, kind)


def check_cartesian_terms(model, form, kind):
    """Compare Φ, ν, M, S, Qᴬ and all abbreviations, of bodies in space."""
    sheet = bc.derive(model, formulation=bc.Cartesian(form), scalars=False)
    equations, blocks = bc.equations(model, bc.Cartesian(form)), sheet.page.blocks
    q, u = somewhere(equations)
    evaluation = letters.Evaluation(completed(blocks.worth(q, u, T)))
    rows = BodyRows(model, blocks, form == "euler")
    read, wanted = equations_of(sheet, kind), {}
    for row in blocks.rows:
        above = text(rows.label(row), kind)
        if row.phi is not None:
            wanted["Φ", (), "", above] = [[row.phi]]
        if row.nu:
            wanted["ν", (), "", above] = [[row.nu]]
    for one in blocks.masses:
        i, kind_ = str(blocks.bodies[one.name].number), one.weighed.placed.kind
        unit, coupling, J = one.mass
        if kind_ == "particle":
            wanted["M", (), i, ""] = [[unit]]
        elif kind_ == "spatial":
            wanted["M", (), i, ""] = [[unit, coupling], [coupling.T, J]]
            if any(one.quadratic):
                wanted["S", (), i, ""] = [[part] for part in one.quadratic]
    for force in blocks.forces:
        i = str(blocks.bodies[force.body].number)
        above = force.element.replace(" ", "")
        placed = next(p for p in blocks.layout.bodies if p.name == force.body)
        parts = [force.force] if placed.kind == "particle" else [force.force, force.torque]
        wanted["Q", (), i, above] = [[part] for part in parts]
    wanted |= abbreviations(blocks.lettering, read, kind)
    compare(read, wanted, evaluation, kind)


def completed(worth):
    """Return values of symbols, any where a state has none: inputs, variables, bushings."""

    def found(symbol):
        try:
            return worth(symbol)
        except (NotSupported, KeyError):
            rng = np.random.default_rng(zlib.crc32(str(symbol.key).encode()))
            return np.squeeze(rng.uniform(0.5, 1.5, symbol.shape))

    return found


def abbreviations(lettering, read, kind):
    """Return what the letters of elements stand for, where the page says it."""
    found = {}
    for symbols in lettering.called.values():
        for symbol in symbols:
            if symbol.definition is not None and key(symbol.formula, kind) in read:
                found[key(symbol.formula, kind)] = [[symbol.definition]]
    return found


def text(formula, kind):
    """Return a label as scripts have it."""
    found = []
    for token in tokens_of(formula, kind):
        part = token.letter if isinstance(token, Sym) else token
        part = f"{part:g}" if isinstance(part, float) else part
        found.append(part.replace(" ", ""))
    return "".join(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", MACHINES)
def test_forces_and_rows_of_kanes_page(which, kind):
    check_kane_terms(machine(which), kind)


def check_kane_terms(model, kind):
    """Compare {F_K}, {M′_K}, Φ and the blocks of b and b0, off the page."""
    sheet = bc.derive(model, formulation=bc.Kane(), scalars=False)
    rows, equations = KaneRows(NumberedMachine(model)), bc.equations(model, bc.Kane())
    q, u = somewhere(equations)
    blocks, names = rows.rows.blocks, rows.machine.names
    rows.forces()  # which names its letters
    state = kane_state(equations, blocks, names, q, u)
    evaluation = letters.Evaluation(completed(lambda symbol: state(symbol.key)))
    read, wanted = equations_of(sheet, kind), {}
    for row in blocks.rows:
        above = text(rows.rows.label(row), kind)
        if row.phi is not None:
            wanted["Φ", (), "", above] = [[row.phi]]
        if row.nu:
            wanted["b", (), "0", above] = [[-row.nu]]
        for j in rows.machine.bodies:
            marks = (
                (True, name("ω", j, prime=True)),
                (False, name("s", j, prime=True, marks="dot")),
            )
            for turning, mark in marks:
                block = rows.row_block(row, j, turning)
                if block:
                    left = Script(Letter("b"), mark, rows.rows.label(row))
                    wanted[key(left, kind)] = [[block]]
    for k in rows.machine.bodies:
        force, torque = rows.acting(k)
        wanted["F", (), str(k), ""] = [[force]]
        if torque:
            wanted["M", (), str(k), "′"] = [[torque]]
    wanted |= abbreviations(blocks.lettering, read, kind)
    compare(read, wanted, evaluation, kind)
