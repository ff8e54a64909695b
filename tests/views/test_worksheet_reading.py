"""Pages of joint coordinates and of momenta, read back off the HTML and the LaTeX.

What is printed, with full-precision values put in for its letters, is what the formulation
evaluates, within 1e-13 of each block's largest entry.
"""

from functools import partial

import casadi as ca
import numpy as np
import pytest
from tests.analysis.scattered import random_machine
from tests.draws import draws
from tests.views import test_worksheet_schools as schools
from tests.views import test_worksheet_terms as terms
from tests.views.printed import looked_up, table
from tests.views.reading import (
    Sym,
    Table,
    latex_blocks,
    latex_equations,
    page_blocks,
    page_equations,
    value,
)
from tests.views.test_worksheet_schools import close, machine, somewhere

import bellcrank as bc
from bellcrank.formulations.contract.coaxial import loop_sums
from bellcrank.formulations.contract.description import memory, modes, sizes
from bellcrank.formulations.contract.unwrapped import remembered_angles
from bellcrank.formulations.joint_coordinates.slots import TreeSchool
from bellcrank.spatial import letters

T = 0.3  # the time of all states
FEW = {
    "four-bar": {"u1": "A.angle_rate + 0.5*B.angle_rate"},
    "cart-pole": {"u1": "rail.offset_rate + 0.3*cos(hinge.angle)*hinge.angle_rate", "u2":
                  "hinge.angle_rate + sin(t)"},
    "spherical-pendulum": {"u1": "hook.angular_velocity_x - 2*hook.angular_velocity_z"},
}  # fmt: skip


def numeric(school, worth, equations, q, u):
    """Return an evaluation of letters in numbers, at a state."""
    columns = dict(school.symbols.columns)
    given = {"t": T, "q": q, "u": u, "p": list(equations.parameters.values())}
    arguments = [ca.DM(given.get(n, np.zeros(c.numel()))) for n, c in columns.items()]

    def number(symbol):
        found = worth(symbol)
        if not isinstance(found, ca.SX):
            return np.asarray(found, float)
        return ca.Function("f", list(columns.values()), [found]).call(arguments)[0].full()

    return letters.Evaluation(number)


def tree(model, blocks):
    """Return the school of joint rates whose symbols the blocks are worth."""
    kept = memory(model, remembered_angles(model, model.graph.loops, loop_sums(model)))
    counts = sizes(model, blocks.layout.coordinates, blocks.layout.speeds, kept)
    return TreeSchool(model, blocks.layout, (), modes(model), counts)


def read_back(sheet, kind):
    page = sheet.html() if kind == "html" else sheet.tex()
    found = page_blocks(page) if kind == "html" else latex_blocks(page)
    return {(left[0].letter, left[0].sub): cells for left, cells in found
            if left[0].letter in "vω" and left[0].sub.endswith("u")}  # fmt: skip


def check_partials(model, equations, read, symbol, widths, q, u):
    """Compare the rows [v_K,u] and [ω_K,u] of every body with the formulation's own."""
    order = model.graph.order
    for k, body in enumerate(order, start=1):
        for letter, wanted in (
            ("v", equations.partial_velocity[body]),
            ("ω", equations.partial_angular_velocity_fixed[body]),
        ):
            cells = read[letter, f"{k},u"]
            parts = [
                np.asarray(value(cell, symbol), float) * np.ones((3, n)) if np.ndim(
                    value(cell, symbol)) == 0 else np.reshape(value(cell, symbol), (3, n))
                for cell, n in zip(cells, widths, strict=True)
            ]  # fmt: skip
            close(np.hstack(parts), wanted(q, u, T).reshape(3, -1))


@pytest.mark.parametrize("kind", ["html", "tex"])
@pytest.mark.parametrize("name", ["four-bar", "arm", "hooke-joint", "everything"])
def test_partial_velocities_of_the_joint_page(name, kind):
    model = machine(name)
    check_joint_page(model, kind)


def check_joint_page(model, kind):
    sheet = bc.derive(model, formulation=bc.JointCoordinates(), scalars=False)
    equations, blocks = bc.equations(model), sheet.page.blocks
    school = tree(model, blocks)
    q, u = somewhere(equations)
    evaluation = numeric(school, blocks.worth(school), equations, q, u)
    every = [part(f, k) for k in blocks.bodies for f in blocks.freedoms
             for part in (blocks.linear, blocks.angular)]  # fmt: skip
    symbol = looked_up(table(every, evaluation, kind))
    widths = [len(freedom.names) for freedom in blocks.freedoms]
    check_partials(model, equations, read_back(sheet, kind), symbol, widths, q, u)
    if kind == "html":
        check_velocity_terms(sheet, blocks, evaluation)


def check_velocity_terms(sheet, blocks, evaluation):
    """Compare α⁰_K and a⁰_K, printed as equations, with the blocks that add up to f."""
    terms = {("α", k): blocks.spin_rate(k) for k in blocks.bodies}
    terms |= {("a", k): blocks.velocity_rate(k) for k in blocks.bodies}
    symbol = looked_up(table(terms.values(), evaluation, "html"))
    read = {
        (left[0].letter, int(left[0].sub)): right
        for left, right in page_equations(sheet.html())
        if len(left) == 1 and getattr(left[0], "sup", "") == "0" and left[0].letter in "αa"
    }  # fmt: skip
    for key, term in terms.items():
        if term:
            wanted = np.ravel(evaluation.of(term))
            close(np.ravel(value(read[key], symbol)), wanted)


@pytest.mark.parametrize("kind", ["html", "tex"])
@pytest.mark.parametrize("name", FEW)
def test_partial_velocities_of_chosen_speeds(name, kind):
    model, few = machine(name), bc.JointCoordinates(FEW[name])
    sheet = bc.derive(model, formulation=few, scalars=False)
    equations, blocks = bc.equations(model, few), sheet.page.blocks
    q, u = somewhere(equations)
    evaluation = numeric(blocks._school, blocks.worth(), equations, q, u)
    count = range(len(blocks.speeds))
    every = [blocks.partial(part, r, k) for k in blocks.tree.bodies for r in count
             for part in (blocks.tree.linear, blocks.tree.angular)]  # fmt: skip
    symbol = looked_up(table(every, evaluation, kind))
    check_partials(model, equations, read_back(sheet, kind), symbol, [1] * len(count), q, u)


@pytest.mark.family
@pytest.mark.parametrize("number", range(draws(3, 60)))
def test_pages_of_random_machines(number):
    """Every kind of joint, constraint, driver and force in turn, on all pages, both formats."""
    model, kind = random_machine(number), ("html", "tex")[number % 2]
    if model.graph.order and bc.equations(model).speeds:
        check_joint_page(model, kind)
    schools.test_jacobians_of_the_cartesian_page_are_those_that_are_evaluated(number, kind)
    schools.test_right_sides_of_the_cartesian_page_are_those_that_are_evaluated(number)
    schools.test_blocks_of_bodies_add_up_to_the_equations(number, "omega")
    schools.test_rows_of_kane_are_those_that_are_evaluated(number)
    schools.test_momenta_of_points_are_those_that_are_evaluated(number)
    check_bodies_of_points(model, bc.Natural(), kind)
    terms.check_cartesian_terms(model, ("omega", "euler")[number % 4 // 2], kind)
    terms.check_kane_terms(model, kind)


# --- points and vectors


@pytest.mark.parametrize("kind", ["html", "tex"])
@pytest.mark.parametrize("name", ["floating-arm", "reaching", "astronaut", "three-links"])
def test_momenta_of_the_momentum_page(name, kind):
    check_points_page(machine(name), bc.Momentum(), kind)


def check_points_page(model, formulation, kind):
    """Compare Φ and, in the plane, Ψ, and the rates of rigid bodies with those evaluated."""
    sheet = bc.derive(model, formulation=formulation, scalars=False)
    equations, blocks = bc.equations(model, formulation), sheet.page.blocks
    q, _ = somewhere(equations)
    evaluation, size = letters.Evaluation(blocks.worth(q[: _count(blocks)])), blocks.plan.size
    momenta, angular = blocks.assembled("momentum"), blocks.assembled("angular")
    page = sheet.html() if kind == "html" else sheet.tex()
    rows = page_blocks(page) if kind == "html" else latex_blocks(page)
    if size == 3:
        symbol = looked_up(table(momenta.values(), evaluation, kind))
        (cells,) = (cells for left, cells in rows if left[0].letter == "Φ"
                    and not left[0].sub and not left[0].sup)  # fmt: skip
        got = np.zeros((3, _count(blocks)))
        for cell, basic in zip(cells, _moving(blocks), strict=True):
            got[:, basic.start : basic.start + 3] = value(cell, symbol) * np.ones((3, 3)) if (
                np.ndim(value(cell, symbol)) == 0) else value(cell, symbol)  # fmt: skip
        close(got, equations.momentum_matrix(q))
        return
    entries = [x for block in angular.values() for x in block[0]]
    symbol = looked_up(table(entries, evaluation, kind))
    pairs = page_equations(page) if kind == "html" else latex_equations(page)
    read = {left[0].sub: value(right, symbol) for left, right in pairs
            if left and getattr(left[0], "letter", "") == "Ψ" and left[0].sub.isdigit()
            and len(left) == 1 and not left[0].sup}  # fmt: skip
    wanted = equations.angular_momentum_matrix(q).ravel()
    close([read[str(i)] for i in range(1, len(wanted) + 1)], wanted)


CENTRED = ["floating-arm", "astronaut", "three-links", "bicycle", "bricard", "arm",
           "tennis-racket"]  # fmt: skip


@pytest.mark.parametrize("kind", ["html", "tex"])
@pytest.mark.parametrize("name", CENTRED)
def test_matrices_of_bodies_of_points(name, kind):
    check_bodies_of_points(machine(name), bc.Natural(), kind)


@pytest.mark.parametrize("kind", ["html", "tex"])
def test_matrices_of_bodies_of_three_directions_and_of_rods(kind):
    check_bodies_of_points(machine("double-pendulum"), bc.Natural(constant=True), kind)
    O, A, B = (0, 0, 0), (0.3, 0.4, 1.2), (1, 1, 1)
    rods = [bc.Body("one", bc.Rod(O, A, mass=1.3)), bc.Body("two", bc.Rod(A, B, mass=0.7))]
    joints = [bc.Spherical("A", "ground", "one", at=O), bc.Spherical("B", "one", "two", at=A)]
    check_bodies_of_points(bc.Model("rods", bodies=rods, joints=joints), bc.Natural(), kind)


def check_bodies_of_points(model, formulation, kind):
    """Compare L, D, Φ, R, G and Ψ of every body with those that are evaluated."""
    centres = [bc.Point(f"O {body.name}", body.name, bc.mass_properties(body).com)
               for body in model.bodies]  # fmt: skip
    model = model.add(*centres)  # whose C is D
    sheet = bc.derive(model, formulation=formulation, scalars=False)
    equations, blocks = bc.equations(model, formulation), sheet.page.blocks
    q0 = np.array(equations.drawing(equations.parameters))
    q, _ = somewhere(equations)
    evaluation = letters.Evaluation(blocks.worth(q))
    known = table(every_letter(blocks), evaluation, kind, shaped=True)
    read, parts = body_matrices(sheet, kind), {}
    for body, model_body in zip(blocks.bodies, model.bodies, strict=True):
        if body.kind == "particle":
            continue
        k, mine, name = str(body.number), dict(known), body.name
        symbol = looked_up(mine)
        S = selection(blocks, body)
        worth = {}
        for letter in ("Φ", "R", "D", "L", "G"):
            place = (letter, f"({k})") if letter == "Φ" else (letter, k)
            if place in read:
                worth[letter] = np.atleast_2d(read[place](symbol))
        close(worth["Φ"] @ S, equations.body_momentum_matrix[name](q))
        close(worth["D"] @ S, equations.place_matrix[f"O {name}"](q))
        size = blocks.plan.size  # L of the plane and of rods is l I
        lengths = equations.length_matrix[name](q)
        lengths = lengths if lengths.size > 1 else lengths.ravel()[0] * np.eye(size)
        close(worth["L"][:size, :size], lengths)
        turned = worth["G"] @ S
        frame = equations.body_frame[name](q)
        if body.kind in ("spatial", "spanned"):
            close(worth["R"], frame)
            turned = np.array(model_body.pose.rotation, float).T @ equations.body_frame[name](
                q0) @ turned  # fmt: skip
        if body.kind != "rod":  # whose spin is along the world, and turns with its own frame
            close(turned, equations.body_angular_velocity_matrix[name](q))
        if body.kind != "planar":
            mine[Sym("J", (), k)] = inertia_of(body, evaluation)
        mine |= {Sym("R", (), k): worth.get("R"), Sym("G", (), k): worth["G"],
                 Sym("Φ", (), "", f"({k})"): worth["Φ"]}  # fmt: skip
        mine[Sym("r", (), f"O,{k}")] = evaluation.of(body.centre) if body.centre else None
        psi = np.atleast_2d(read["Ψ", f"({k})"](looked_up(mine)))
        close(psi @ S, np.atleast_2d(equations.body_angular_momentum_matrix[name](q)))
        for j in range(len(body.slots)):
            label = f"{k}{j + 1}" if body.number < 10 else f"{k},{j + 1}"
            parts[Sym("Ψ", (), label)] = psi[:, 3 * j : 3 * j + 3]
    check_sums(sheet, equations, parts, q, kind)
    check_rigid_rows(sheet, equations, kind)
    check_first_order(sheet, equations, parts, q, kind)


def check_first_order(sheet, equations, parts, q, kind):
    """Compare A, printed as one matrix of blocks, with that which is evaluated."""
    blocks, known = sheet.page.blocks, dict(parts)
    planar, size = blocks.plan.planar, blocks.plan.size
    evaluation = letters.Evaluation(blocks.worth(q))
    push, turn = blocks.assembled("momentum"), blocks.assembled("angular")
    every = [*every_letter(blocks), *(one for row in blocks.rigid for one in row.by.values())]
    every += [one for each in (*push.values(), *turn.values()) for one in flat(each)]
    known |= table(every, evaluation, kind, shaped=True)
    symbol = looked_up(known)
    rows = equations_of(sheet, kind, "First-order form")
    whole = [right[1].rows for left, right in rows if left == [Sym("A", (), "")]]
    few = len(blocks.moving) <= 8 and len(blocks.rigid) <= 24
    assert len(whole) == 1 + few  # of many points it is not written out
    if not few:
        return
    for left, cells in blocks_of(sheet, kind, "Momenta"):
        if left[0].letter == "Φ":
            names = [f"Φ{mark(blocks, number)}" for number in push]
            known |= {Sym("Φ", (), n[1:]): value(c, symbol)
                      for n, c in zip(names, cells, strict=True)}  # fmt: skip
    if planar:
        known |= {left[0]: float(np.squeeze(value(right, symbol)))
                  for left, right in equations_of(sheet, kind, "Momenta")
                  if left[0].letter == "Ψ" and left[0].sub}  # fmt: skip
    for left, cells in blocks_of(sheet, kind, "Rigid bodies"):
        number, *marks = left[0].sub.split(",")
        known |= {Sym("φ", (), f"{number},{m}"): value(cell, symbol)
                  for m, cell in zip(marks, cells, strict=True)}  # fmt: skip
    counts = [1 if planar else 3, size]
    counts += [size if row.kind == "place" else 1 for row in blocks.rigid]
    wanted = np.asarray(equations.first_order_matrix(q))
    found = np.zeros_like(wanted)
    starts = np.cumsum([0, *counts])
    assert starts[-1] == len(wanted)
    for row, start, count in zip(whole[1], starts[:-1], counts, strict=True):
        for cell, number in zip(row, blocks.moving, strict=True):
            first = blocks.plan.basics[number].start
            found[start : start + count, first : first + size] = part_of(
                cell, symbol, count, size
            )
    for start, count in zip(starts[:-1], counts, strict=True):
        close(found[start : start + count], wanted[start : start + count])


def part_of(cell, symbol, count, size):
    """Return the worth of a block; scalars with commas between them are a row."""
    if "," in cell:
        places = [i for i, token in enumerate(cell) if token == ","]
        pieces = np.split(np.arange(len(cell)), places)
        row = [value([cell[i] for i in p if cell[i] != ","], symbol) for p in pieces]
        return np.reshape(np.array(row, float), (1, size))
    got = np.asarray(value(list(cell), symbol), float)
    return got * np.ones((count, size)) if not got.ndim else got[:count, :size]


def mark(blocks, number):
    """Return r1 or u1, as the page calls a point or a vector."""
    return f"{'u' if blocks.plan.basics[number].vector else 'r'}{blocks.numbers[number]}"


def flat(parts):
    """Return all letters in lists of lists."""
    if isinstance(parts, list | tuple):
        return [one for part in parts for one in flat(part)]
    return [parts] if isinstance(parts, letters.Letters) else []


def equations_of(sheet, kind, title):
    page = section_of(sheet, kind, title)
    return page_equations(page) if kind == "html" else latex_equations(page)


def blocks_of(sheet, kind, title):
    page = section_of(sheet, kind, title)
    return page_blocks(page) if kind == "html" else latex_blocks(page)


def check_sums(sheet, equations, parts, q, kind):
    """Compare Ψ of the machine, sums of blocks of bodies, with that which is evaluated."""
    if sheet.page.blocks.plan.planar:
        return
    page = section_of(sheet, kind, "Momenta")
    rows = page_blocks(page) if kind == "html" else latex_blocks(page)
    (cells,) = (cells for left, cells in rows if left[0].letter == "Ψ")
    whole = equations.angular_momentum_matrix(q)
    basics = sheet.page.blocks.plan.basics
    order = [basics[number] for number in sheet.page.blocks.assembled("angular")]
    for cell, basic in zip(cells, order, strict=True):
        close(value(cell, parts.__getitem__), whole[:, basic.start : basic.start + 3])


def check_rigid_rows(sheet, equations, kind):
    """Compare φ and φ_q of rigid bodies with the first rows of the formulation."""
    blocks, size = sheet.page.blocks, sheet.page.blocks.plan.size
    q, _ = somewhere(equations)
    evaluation = letters.Evaluation(blocks.worth(q))
    every = [one for row in blocks.rigid for one in (row.phi, *row.by.values())]
    symbol, shaped = (looked_up(table(every, evaluation, kind, s)) for s in (False, True))
    page = section_of(sheet, kind, "Rigid bodies")
    pairs = page_equations(page) if kind == "html" else latex_equations(page)
    rows = page_blocks(page) if kind == "html" else latex_blocks(page)
    values = {left[0].sub: right[: right.index("=")] for left, right in pairs
              if len(left) == 1 and left[0].letter == "φ"}  # fmt: skip
    blocks_of = {left[0].sub.split(",")[0]: cells for left, cells in rows}
    C, phi, start = equations.constraint_matrix(q), equations.constraint_residual(q), 0
    for n, row in enumerate(blocks.rigid, start=1):
        count = size if row.kind == "place" else 1
        at = slice(start, start + count)
        close(np.ravel(value(values[str(n)], symbol))[:count], phi[at])
        got = np.zeros((count, C.shape[1]))
        for number, cell in zip(row.by, blocks_of[str(n)], strict=True):
            first = blocks.plan.basics[number].start
            part = np.asarray(value(cell, shaped), float)
            part = part if part.ndim else part * np.ones((count, size))
            got[:, first : first + size] = part[:count, :size]
        close(got, C[at])
        start += count
    assert start == sum(row.kind == "rigid" or row.name.endswith(": pins")
                        for row in equations.rows)  # fmt: skip


def section_of(sheet, kind, title):
    page = sheet.html() if kind == "html" else sheet.tex()
    begin, end = (f"{title}</h2>", "</section>") if kind == "html" else (
        f"{title}}}", r"\section")  # fmt: skip
    return page.partition(begin)[2].partition(end)[0]


def every_letter(blocks):
    """Return expressions with all letters that matrices of bodies have."""
    found = []
    for body in blocks.bodies:
        parts = [body.momentum, body.spin, body.angular, body.axes, body.place, body.lengths]
        while parts:
            one = parts.pop()
            if isinstance(one, list):
                parts += one
            elif isinstance(one, letters.Letters):
                found.append(one)
    return found


def inertia_of(body, evaluation):
    """Return J of a body."""
    if not isinstance(body.J, list):
        return float(np.squeeze(evaluation.of(letters.as_letters(body.J)))) * np.eye(3)
    return np.array([[float(np.squeeze(evaluation.of(letters.as_letters(x)))) for x in row]
                     for row in body.J])  # fmt: skip


def selection(blocks, body):
    """Return S of q_b = S q + s."""
    size = blocks.plan.size
    S = np.zeros((size * len(body.slots), _count(blocks)))
    for j, slot in enumerate(body.slots):
        for number, c in slot.items():
            start = blocks.plan.basics[number].start
            if start >= 0:
                S[size * j : size * (j + 1), start : start + size] += c * np.eye(size)
    return S


def body_matrices(sheet, kind):
    """Return functions of what letters are worth, by letter and index of what is printed."""
    section = section_of(sheet, kind, "Matrices of the bodies")
    pairs = page_equations(section) if kind == "html" else latex_equations(section)
    found = {}
    for left, right in pairs:
        if len(left) == 1:
            found[left[0].letter, left[0].sup or left[0].sub] = partial(value, right)
    for left, cells in page_blocks(section) if kind == "html" else latex_blocks(section):
        whole = ["[", Table((tuple(map(tuple, cells)),)), "]"]
        found[left[0].letter, left[0].sup or left[0].sub] = partial(value, whole)
    return found


def _count(blocks):
    return max(basic.start for basic in blocks.plan.basics) + blocks.plan.size


def _moving(blocks):
    return [basic for basic in blocks.plan.basics if basic.start >= 0]
