"""Every school's page, read back: what is printed is worth what the formulation evaluates."""

import re
import shutil
import subprocess

import casadi as ca
import numpy as np
import pytest
from tests.analysis.scattered import random_machine
from tests.formulations.cartesian.everything import everything
from tests.views.printed import looked_up, table
from tests.views.reading import Sym, latex_blocks, page_blocks, page_equations, value

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import NotSupported, OptionError, UnknownName
from bellcrank.formulations.contract.coaxial import loop_sums
from bellcrank.formulations.contract.description import memory, modes, sizes
from bellcrank.formulations.contract.unwrapped import remembered_angles
from bellcrank.formulations.joint_coordinates.blocks import JointBlocks
from bellcrank.formulations.joint_coordinates.slots import TreeSchool
from bellcrank.spatial import letters
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.sections.kane_rows import KaneRows

SCHOOLS = {
    "kane": bc.Kane(), "joint": bc.JointCoordinates(), "cartesian": bc.Cartesian(),
    "euler": bc.Cartesian("euler"), "natural": bc.Natural(),
}  # fmt: skip
MACHINES = ("four-bar", "hooke-joint", "rolling-disc")


def machine(name):
    """Return a machine by its name; a number stands for a random one."""
    if isinstance(name, int):
        return random_machine(name)
    if name in OWN:
        return OWN[name]()
    return everything() if name == "everything" else examples.load(name)


def somewhere(equations, seed=3):
    """Return a state of no meaning, Euler parameters at unit length."""
    rng = np.random.default_rng(seed)
    q = np.array(equations.drawing(equations.parameters))
    q = q + 0.1 * rng.standard_normal(len(q))
    names = [variable.name for variable in equations.coordinates]
    for i, name in enumerate(names):
        if name.endswith("orientation_0"):
            q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q, rng.standard_normal(len(equations.speeds))


def printed_rows(blocks):
    """Return the conditions in the order of the page: element by element."""
    owners = dict.fromkeys(row.owner for row in blocks.rows)
    return [row for owner in owners for row in blocks.rows if row.owner == owner]


def label_texts(rows):
    """Return what stands above γ: the element, and which of its conditions."""
    found, counts = [], {}
    for row in rows:
        counts[row.owner] = counts.get(row.owner, 0) + 1
        several = sum(one.owner == row.owner for one in rows) > 1
        found.append(f"{row.owner},{counts[row.owner]}" if several else row.owner)
    return found


def places(blocks):
    """Return where the scalar rows of each condition are among those of the equations."""
    found, start = {}, 0
    for row in blocks.rows:
        found[id(row)] = slice(start, start + row.count)
        start += row.count
    return found


def close(got, wanted, largest=None):
    size = np.max(np.abs(wanted), initial=0.0) if largest is None else largest
    np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-13 * max(1.0, size))


@pytest.mark.parametrize("kind", ["html", "tex"])
@pytest.mark.parametrize("name", [*MACHINES, "everything", "cam-and-motor", "roped"])
def test_jacobians_of_the_cartesian_page_are_those_that_are_evaluated(name, kind):
    model = machine(name)
    sheet = bc.derive(model, formulation=bc.Cartesian(), scalars=False)
    equations, blocks = bc.Cartesian().equations(model), sheet.page.blocks
    q, u = somewhere(equations)
    C = equations.constraint_matrix(q, u, 0.3)
    evaluation = letters.Evaluation(blocks.worth(q, u, 0.3))
    rows = printed_rows(blocks)
    every = [block for row in rows for pair in row.by.values() for block in pair]
    symbol = looked_up(table(every, evaluation, kind))
    page = sheet.html() if kind == "html" else sheet.tex()
    read = page_blocks(page) if kind == "html" else latex_blocks(page)
    read = [(left, cells) for left, cells in read if left[0].letter == "Φ"]
    where = places(blocks)
    assert len(read) == len([row for row in rows if row.by])
    for row, (_, cells) in zip([row for row in rows if row.by], read, strict=True):
        got = np.zeros((row.count, C.shape[1]))
        cells = iter(cells)
        for body in row.by:
            placed = next(p for p in blocks.layout.bodies if p.name == body)
            spans = [(placed.u, placed.dim)]
            if placed.kind != "particle":
                spans.append((placed.u + placed.dim, 1 if placed.kind == "planar" else 3))
            for start, size in spans:
                part = np.asarray(value(next(cells), symbol), float)
                part = part * np.ones((3, size)) if part.ndim == 0 else part
                part = part.reshape(-1, size) if part.ndim == 1 and size == 1 else part
                part = np.atleast_2d(part)
                got[:, start : start + size] = part[: row.count, :size]
        close(got, C[where[id(row)]])


@pytest.mark.parametrize("name", [*MACHINES, "everything"])
def test_right_sides_of_the_cartesian_page_are_those_that_are_evaluated(name):
    model = machine(name)
    sheet = bc.derive(model, formulation=bc.Cartesian(), scalars=False)
    equations, blocks = bc.Cartesian().equations(model), sheet.page.blocks
    q, u = somewhere(equations)
    gamma = equations.acceleration_right_side(q, u, 0.3)
    evaluation = letters.Evaluation(blocks.worth(q, u, 0.3))
    rows, where = printed_rows(blocks), places(blocks)
    symbol = looked_up(table([row.gamma for row in rows], evaluation, "html"))
    read = {
        left[0].sup: right for left, right in page_equations(sheet.html())
        if isinstance(left[0], Sym) and left[0].letter == "γ"
    }  # fmt: skip
    time, labels = Sym("t"), label_texts(rows)
    assert set(labels) <= set(read)
    for row, right in zip(rows, (read[label] for label in labels), strict=True):
        got = value(right, lambda s: 0.3 if s == time else symbol(s))
        got = got * np.ones(row.count) if np.ndim(got) == 0 else got[: row.count]
        close(got, gamma[where[id(row)]])


@pytest.mark.parametrize("form", ["omega", "euler"])
@pytest.mark.parametrize(
    "name", [*MACHINES, "tsda", "rsda", "arm", "gravity-boom", "in fields", "everything"]
)
def test_blocks_of_bodies_add_up_to_the_equations(name, form):
    """M, S and Qᴬ, body by body and element by element; rows of both forms of speeds."""
    model = machine(name)
    formulation = bc.Cartesian(form)
    sheet = bc.derive(model, formulation=formulation, scalars=False)
    equations, blocks = formulation.equations(model), sheet.page.blocks
    q, u = somewhere(equations)
    others = unwritten(equations, model, blocks, q, u)
    evaluation = letters.Evaluation(blocks.worth(q, u, 0.3, others))
    M = equations.mass_matrix(q, u, 0.3)
    S = equations.velocity_quadratic(q, u, 0.3)
    for one in blocks.masses:
        placed = one.weighed.placed
        at, n = slice(placed.u, placed.u + placed.dim), placed.dim
        close(evaluation.of(one.mass[0])[:n, :n], M[at, at])
        if placed.kind == "spatial":
            size = 4 if form == "euler" else 3
            turn = slice(placed.u + 3, placed.u + 3 + size)
            close(evaluation.of(one.mass[1]), M[at, turn])
            close(evaluation.of(one.mass[2]), M[turn, turn])
            close(evaluation.of(one.quadratic[1]).ravel(), S[turn])
        if placed.kind != "particle":
            close(evaluation.of(one.quadratic[0]).ravel()[:n], S[at])
    if others is None:
        return
    wanted = equations.generalized_force(q, u, 0.3)
    got = np.zeros_like(wanted)
    gravity = np.array([bc.model.algebra.nominal(e) for e in (*model.gravity, 0.0)][:3])
    for one in blocks.masses:
        placed = one.weighed.placed
        at = slice(placed.u, placed.u + placed.dim)
        got[at] += (float(evaluation.of(one.weighed.m)) * gravity)[: placed.dim]
    for force in blocks.forces:
        placed = next(p for p in blocks.layout.bodies if p.name == force.body)
        at = slice(placed.u, placed.u + placed.dim)
        got[at] += evaluation.of(force.force).ravel()[: placed.dim]
        if placed.kind != "particle":
            turn = np.atleast_1d(evaluation.of(force.torque)).ravel()
            got[placed.u + placed.dim : placed.u + placed.dim + len(turn)] += turn
    if form == "omega":
        close(got, wanted)


def unwritten(equations, model, blocks, q, u):
    """Return values of symbols that no state has: none, or None where forces need more."""
    kinds = {type(force).__name__ for force in model.forces}
    return None if "Bushing" in kinds or model.inputs else {}


@pytest.mark.parametrize(
    "name", [*MACHINES, "arm", "six-bodies", "tennis-racket", "everything"]
)
def test_partial_velocities_of_joints_add_up_to_the_recursions(name):
    """Σ (m vᵀv + ωᵀJω) = A and Σ vᵀ(F − m a⁰) + … = f, with the school's own A and f."""
    model = machine(name)
    blocks = JointBlocks(model)
    kept = memory(model, remembered_angles(model, model.graph.loops, loop_sums(model)))
    counts = sizes(model, blocks.layout.coordinates, blocks.layout.speeds, kept)
    school = TreeSchool(model, blocks.layout, (), modes(model), counts)
    worth = blocks.worth(school)
    evaluation, n = letters.Evaluation(worth, ca), len(blocks.layout.speeds)
    rows = blocks.quantities(school)
    A, f = ca.SX(n, n), ca.SX(n, 1)
    for k in blocks.bodies:
        turn = worth(blocks.rotation(k))
        v, w = rows["partial_velocity"](k), turn @ rows["partial_angular_velocity"](k)
        m, J = evaluation.of(blocks.mass(k)), evaluation.of(blocks.inertia(k))
        force, torque = (
            ca.vertcat(*part) for part in school.balance.applied[model.graph.order[k - 1]]
        )
        spin = worth(letters.Symbol(("w", k), None))
        A += m * v.T @ v + w.T @ J @ w
        f += v.T @ (force - m * evaluation.of(blocks.velocity_rate(k)))
        f += w.T @ (torque - J @ evaluation.of(blocks.spin_rate(k)) - ca.cross(spin, J @ spin))
    equations = bc.JointCoordinates().equations(model)
    q, u = somewhere(equations)
    columns = school.symbols.columns
    given = {"t": 0.3, "q": q, "u": u, "p": list(equations.parameters.values())}
    arguments = [given.get(name, np.zeros(c.numel())) for name, c in columns.items()]
    function = ca.Function("sums", list(columns.values()), [A, school.A, f, school.f])
    got_A, want_A, got_f, want_f = (
        x.full() for x in function.call(list(map(ca.DM, arguments)))
    )
    close(got_A, want_A)
    close(got_f, want_f)


@pytest.mark.parametrize("name", ["floating-arm", "four-bar", "astronaut", "double-pendulum",
                                  "arm", "bricard", "three-links"])  # fmt: skip
def test_momenta_of_points_are_those_that_are_evaluated(name):
    model = machine(name)
    sheet = bc.derive(model, formulation=bc.Natural(), scalars=False)
    equations, blocks = bc.Natural().equations(model), sheet.page.blocks
    q, _ = somewhere(equations)
    evaluation, size = letters.Evaluation(blocks.worth(q)), blocks.plan.size
    for part, wanted in (
        ("momentum", equations.momentum_matrix(q)),
        ("angular", equations.angular_momentum_matrix(q)),
    ):
        got = np.zeros_like(np.atleast_2d(wanted))
        for number, block in blocks.assembled(part).items():
            start = blocks.plan.basics[number].start
            entries = evaluation.of(block) if size == 3 else [
                [np.squeeze(evaluation.of(x)) for x in row] for row in block
            ]  # fmt: skip
            got[:, start : start + size] = entries
        close(got, np.atleast_2d(wanted))


@pytest.mark.parametrize("name", ["floating-arm", "four-bar", "three-links"])
def test_psi_of_the_plane_is_read_back_from_the_page(name):
    """Ψ_1, Ψ_2, … as in (21) of the literature, entry by entry, off the HTML."""
    model = examples.load(name)
    sheet = bc.derive(model, formulation=bc.Natural(), scalars=False)
    equations, blocks = bc.Natural().equations(model), sheet.page.blocks
    q, _ = somewhere(equations)
    evaluation = letters.Evaluation(blocks.worth(q))
    entries = [x for block in blocks.assembled("angular").values() for x in block[0]]
    symbol = looked_up(table(entries, evaluation, "html"))
    wanted = equations.angular_momentum_matrix(q).ravel()
    section = re.search(r"Momenta</h2>(.*?)</section>", sheet.html(), re.DOTALL)[1]
    read = {
        left[0].sub: value(right, symbol)
        for left, right in page_equations(section)
        if left[0].letter == "Ψ" and left[0].sub
    }
    assert len(read) == len(wanted)
    close([read[str(i)] for i in range(1, len(wanted) + 1)], wanted)


@pytest.mark.parametrize("name", ["rolling-disc", "hooke-joint", "four-bar", "everything"])
def test_rows_of_kane_are_those_that_are_evaluated(name):
    """B by blocks of bodies and partial velocities, b0 of drivers, {F_K} and {M′_K}."""
    model = machine(name)
    rows = KaneRows(NumberedMachine(model))
    equations = bc.Kane().equations(model)
    q, u = somewhere(equations)
    count = len(model.bodies)
    for k in range(count):  # Euler parameters of Kane's bodies
        q[4 * k : 4 * k + 4] /= np.linalg.norm(q[4 * k : 4 * k + 4])
    blocks, names = rows.rows.blocks, rows.machine.names
    known = kane_state(equations, blocks, names, q, u)
    evaluation = letters.Evaluation(lambda symbol: known(symbol.key))
    b = equations.constraint_matrix(q, u, 0.3)
    b0 = equations.constraint_remainder(q, u, 0.3)
    joints = sum(len(joint.mobility.conditions) for joint in model.joints)
    positions = [i for i, row in enumerate(equations.rows) if row.level == "position"][joints:]
    speeds = [i for i, row in enumerate(equations.rows) if row.level == "velocity"]
    own = [*positions, *speeds]
    assert sum(row.count for row in blocks.rows) == len(own)
    for place, row in zip(own, blocks.rows, strict=True):
        got = np.zeros((1, 6 * count))
        for turning in (True, False):
            for j in range(1, count + 1):
                at = 3 * (j - 1) + (0 if turning else 3 * count)
                block = rows.row_block(row, j, turning)
                got[:, at : at + 3] = evaluation.of(block)
        close(got.ravel(), b[place])
        close(float(evaluation.of(-row.nu)), b0[place])


def kane_state(equations, blocks, names, q, u):
    """Return the values of Kane's letters at a state, by their keys."""
    constants, n = blocks.lettering.constants, len(names)
    found = {"t": 0.3}
    for k, name in enumerate(names, start=1):
        R = equations.rotation_matrix[name](q)
        found |= {
            ("R", k): R, ("A", k): R.T, ("w", k): u[3 * k - 3 : 3 * k],
            ("sd", k): u[3 * n + 3 * k - 3 : 3 * n + 3 * k],
            ("s", k): q[4 * n + 3 * k - 3 : 4 * n + 3 * k],
            ("position", k): equations.positions[name](q),
            ("velocity", k): equations.velocities[name](q, u),
        }  # fmt: skip

    return lambda key: constants[key].value if key in constants else found[key]


# --- pages as such


OWN = {"roped": lambda: roped(), "in fields": lambda: in_fields()}


def roped():
    """A rope over a point of a moving body, and a load on it."""
    bodies = [bc.Body(n, mass=1, com=(x, 0, 0), inertia=(1, 2, 3, 0, 0, 0)) for n, x in (
        ("a", 1.0), ("b", 2.0))]  # fmt: skip
    return bc.Model(
        "roped", bodies=bodies,
        joints=[bc.Free("F", "ground", "a"), bc.Free("G", "ground", "b")],
        points=[bc.Point("p", "ground", (0, 0, 0)), bc.Point("q", "a", (1, 0, 0.1)),
                bc.Point("r", "b", (2, 0, 0.2))],
        constraints=[bc.Rope("rope", ("p", "q", "r"))],
    )  # fmt: skip


def in_fields():
    """A boom that a potential, a swirl and a planet pull at."""
    model = examples.load("gravity-boom")
    return model.without("gravity").add(
        bc.Field(potential="9.81*z*(1 - z/6.4e6) + 0.1*x*y*sin(t)", name="well"),
        bc.Field(("-y", "0.3*x*t", "-9.81"), name="swirl"),
        bc.CentralGravity(3.5, at=(3.0, -2.0, 0.5), name="planet"),
    )


@pytest.mark.parametrize("school", ["kane", "joint", "cartesian", "natural"])
def test_fields_of_gravity_relations_and_ropes_have_pages(school):
    for model in (*map(examples.load, ("gravity-boom", "cam-and-motor")), roped()):
        text = bc.derive(model, formulation=SCHOOLS[school], scalars=False).markdown()
        assert "[U+" not in text
        names = [element.name for element in (*model.forces, *model.constraints)]
        assert all(name.split()[0] in text for name in names)


@pytest.mark.parametrize("school", ["kane", "relative", "joint", "cartesian", "natural"])
def test_pages_of_thirty_bodies_are_small_and_whole(school):
    relative = bc.Kane(bc.AngleRates("123", relative=True))
    formulation = SCHOOLS.get(school, relative)
    sheet = bc.derive(examples.load("chain"), formulation=formulation, scalars=False)
    assert len(sheet.html().encode()) < 2_000_000
    for text in (sheet.tex(), sheet.markdown()):
        assert "[U+" not in text


@pytest.mark.parametrize("name", ["everything", "tennis-racket"])
@pytest.mark.parametrize("school", SCHOOLS)
def test_latex_is_balanced_and_has_no_letter_by_its_number(school, name):
    sheet = bc.derive(machine(name), formulation=SCHOOLS[school], scalars=False)
    text = sheet.tex()
    assert "[U+" not in text
    assert "[U+" not in sheet.markdown()
    body = text.partition(r"\begin{document}")[2].replace(r"\{", "").replace(r"\}", "")
    assert body.count("{") == body.count("}")
    for kind in ("aligned", "align*", "bmatrix", "tabular"):
        assert body.count(rf"\begin{{{kind}}}") == body.count(rf"\end{{{kind}}}")
    assert body.count(r"\left") == body.count(r"\right")
    assert "1 bodies" not in sheet.html()
    assert "K = 1, …, 1:" not in sheet.html()


@pytest.mark.parametrize("name", ["floating-arm", "reaching", "three-links", "astronaut"])
def test_the_momentum_page_says_its_size_rank_and_closure(name):
    model = examples.load(name)
    text = bc.derive(model, formulation=bc.Momentum()).markdown()
    size = bc.Momentum().equations(model).system_matrix.shape[0]
    assert "float (Planar)" not in text  # what leaves it free is no row
    assert text.count(r"\begin{bmatrix}\Psi_{1") == 1  # A, block by block, momenta first
    for joint in model.joints:
        if "ground" not in (joint.first, joint.second):
            assert re.search(
                rf"(psi|theta)_\{{.mathrm\{{{joint.name}\}}[^&]* &= .mathrm.atan2", text
            )
    assert f"{size}×{size}, of rank {size} in the drawing" in text
    assert "closed by" in text


def test_relative_speeds_show_both_boxes_along_each_path():
    model = examples.load("kane-six-bodies")
    chosen = bc.Kane(bc.AngleRates("123", relative=True))
    text = bc.derive(model, formulation=chosen, scalars=False).markdown()
    assert r"[\dot{\Gamma}_{1}]" in text
    assert r"\{\alpha'_{6}\}" in text
    assert "Relative angular velocities" not in bc.derive(model, scalars=False).markdown()


def test_a_formulation_without_a_page_and_none_at_all_are_refused():
    model = examples.load("four-bar")

    class Strange:
        def equations(self, model):
            return None

    with pytest.raises(NotSupported, match="Strange has no worksheet"):
        bc.derive(model, formulation=Strange())
    with pytest.raises(OptionError, match=r"takes one of Kane\(\)"):
        bc.derive(model, formulation="kane")
    with pytest.raises(OptionError, match="takes one of"):
        bc.derive(model, formulation=bc.Natural)


@pytest.mark.parametrize("school", SCHOOLS)
def test_letters_have_no_numbers_and_values_no_letters_of_constants(school):
    model = examples.load("four-bar")
    for numbers in ("letters", "values"):
        page = bc.derive(model, numbers, formulation=SCHOOLS[school], scalars=False).html()
        body = page.partition("<h2>")[2].rpartition("Values</h2>")[0]
        found = set(re.findall(r"<mn>([^<]*)</mn>", body))
        assert any("." in one for one in found) == (numbers == "values")


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no LaTeX")
@pytest.mark.parametrize("school", SCHOOLS)
def test_a_stock_latex_takes_every_page(school, tmp_path):
    bc.derive(
        everything(), scalars=False, formulation=SCHOOLS[school], to=tmp_path / "sheet.tex"
    )
    command = [
        "pdflatex", "-draftmode", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex",
    ]  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:]
    over = re.findall(r"Overfull .hbox \(([\d.]+)pt too wide", done.stdout)
    if school != "natural":  # G of a body with three directions is wider than a page
        assert max(map(float, over), default=0.0) < 15.0  # of 483: nothing runs off the paper


@pytest.mark.parametrize("school", SCHOOLS)
def test_variables_driven_lengths_and_a_single_speed_are_written(school):
    """One coordinate, one loop: sizes are matrices of one column."""
    model = bc.Model(
        "ram",
        bodies=[bc.Body("rod", bc.Box((0.1, 0.1, 1), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        forces=[bc.Motor("motor", "A", effort="-2*x - A.angle_rate")],
        variables=[bc.Variable("x", rate="A.angle - x")],
        constraints=[bc.Distance("link", ("ground", (0, 0, 2)), ("rod", (0, 0, 1)))],
        drivers=[bc.Drive("pump", "link", length="1 + 0.1*sin(t)")],
    )
    text = bc.derive(model, formulation=SCHOOLS[school], scalars=False).markdown()
    assert "pump" in text
    assert r"\sin" in text


@pytest.mark.parametrize("school", ["kane", "cartesian", "natural"])
def test_angles_that_rows_and_forces_measure_are_defined(school):
    """θ = atan2(g_i·f_j, f_i·f_j), once, where it is used first."""
    for name, letter in (("hooke-joint", r"\mathrm{in}"), ("five-freedoms", "R")):
        text = bc.derive(
            examples.load(name), formulation=SCHOOLS[school], scalars=False
        ).markdown()
        left = rf"\theta_{{{letter}}} &= \mathrm{{atan2}}"
        assert text.count(left) == 1


def test_independent_speeds_are_listed_with_all_rows():
    text = bc.derive(examples.load("turntable"), scalars=False).markdown()
    assert "3 of the 6 speeds of this page are independent in the drawing" in text


def test_boxed_equations_of_driven_machines_have_b0_and_c():
    driven = bc.derive(examples.load("hooke-joint"), scalars=False).markdown().replace(" ", "")
    assert r"\{y\}=[T]\{y_{I}\}+\{c\}" in driven
    assert r"[\dot{b}]\{y\}-\{\dot{b}_{0}\}" in driven
    still = bc.derive(examples.load("four-bar"), scalars=False).markdown()
    assert r"\dot{b}_{0}" not in still


def test_a_singular_mass_matrix_is_told():
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, 1), mass=1.0))
    model = bc.Model(
        "rod", bodies=[rod], joints=[bc.Spherical("A", "ground", "rod", at=(0, 0, 0))]
    )
    assert "is singular: rod has no inertia" in bc.derive(model, scalars=False).markdown()


# --- names


def test_generalized_forces_of_elements_add_up():
    model = everything()
    equations = bc.equations(model, bc.Cartesian())
    q, u = somewhere(equations)
    parts = [part(q, u, 0.3) for part in equations.element_force.values()]
    close(np.sum(parts, axis=0), equations.generalized_force(q, u, 0.3))
    assert set(equations.element_force) == {"gravity", *(f.name for f in model.forces)}


def test_every_second_order_school_has_mass_matrix_force_and_partial_velocity():
    model = examples.load("double-pendulum")
    for formulation in SCHOOLS.values():
        equations = bc.equations(model, formulation)
        q = np.array(equations.drawing({}))
        n = len(equations.speeds)
        assert equations.mass_matrix(q).shape == (n, n)
        assert equations.force(q).shape == (n,)
        assert equations.partial_velocity["lower"](q).shape == (3, n)


def test_quantities_print_names_not_numbers_of_symbols():
    equations = bc.equations(examples.load("double-pendulum"), bc.JointCoordinates())
    text = str(equations.mass_matrix)
    assert "cos(B.angle)" in text
    assert "q_" not in text
    assert r"\theta_{B}" in equations.mass_matrix._repr_latex_()


def test_independent_speeds_are_taken_by_name_and_unknown_words_are_refused():
    model = examples.load("four-bar")
    equations = bc.equations(model, bc.Kane())
    q = np.array(equations.drawing(equations.parameters))
    wanted = "rocker.angular_velocity_body_z"
    u = np.linspace(-1.0, 1.0, len(equations.speeds))
    one, two = equations.elimination(q, u), equations.elimination(q, u, independent=[wanted])
    assert two.independent == (wanted,)
    np.testing.assert_allclose(one.accelerations(), two.accelerations(), atol=1e-9)
    with pytest.raises(OptionError, match="Did you mean 'independent'"):
        equations.elimination(q, independant=[wanted])
    with pytest.raises(UnknownName, match="no speed named 'rocker'"):
        equations.elimination(q, independent=["rocker"])
    with pytest.raises(OptionError, match="takes 1 different speeds"):
        equations.elimination(q, independent=[])
