"""Kane's page in chosen speeds, read back: partial velocities and rows are those evaluated."""

import re

import numpy as np
import pytest
from tests.formulations.cartesian.everything import everything
from tests.views.printed import looked_up, table
from tests.views.reading import latex_equations, page_equations, value
from tests.views.test_worksheet_schools import close, kane_state

import bellcrank as bc
from bellcrank import examples
from bellcrank.spatial import letters
from bellcrank.worksheets.machine import NumberedMachine
from bellcrank.worksheets.sections.kane_chosen import ChosenBlocks
from bellcrank.worksheets.sections.kane_rows import KaneRows

CHOICES = (
    bc.Kane(),
    bc.Kane("absolute fixed", "relative Euler parameters"),
    bc.Kane("relative body"),
    bc.Kane("relative fixed", bc.Angles("132", relative=True)),
    bc.Kane(bc.AngleRates()),
    bc.Kane(bc.AngleRates("231", relative=True)),
)


def branched():
    """Return a tree with a fork, a gear, a distance, a driver and a relation."""
    inertia = (0.1, 0.2, 0.15, 0.01, 0.0, 0.02)
    bodies = [
        bc.Body(n, mass=m, com=c, inertia=inertia)
        for n, m, c in (
            ("base", 2.0, (0.1, 0.2, 0.5)), ("left", 1.0, (0.6, 0.1, 0.7)),
            ("right", 1.5, (-0.4, 0.3, 0.6)), ("tip", 0.5, (0.9, 0.2, 1.1)),
        )
    ]  # fmt: skip
    return bc.Model(
        "fork", bodies=bodies,
        joints=[
            bc.Free("F", "ground", "base", at=(0, 0, 0.3)),
            bc.Revolute("L", "base", "left", at=(0.3, 0.1, 0.6), axis=(1, 2, 3)),
            bc.Revolute("R", "base", "right", at=(-0.2, 0.1, 0.6), axis=(0, 2, 1)),
            bc.Spherical("S", "left", "tip", at=(0.8, 0.1, 0.9)),
        ],
        constraints=[
            bc.Gear("gear", "L", "R", ratio=-2.5),
            bc.Distance("link", ("ground", (0.2, 0, 2)), ("tip", (1, 0.3, 1.2))),
            bc.VelocityConstraint("skate", {"base.velocity_x": 1.0, "R.angle_rate": "0.3*t"}),
        ],
        drivers=[bc.Drive("lift", "F", position_z="0.1*sin(t)")],
    )  # fmt: skip


def state(equations, choice, model):
    """Return coordinates with turns that are ones, and speeds, of no meaning."""
    rng = np.random.default_rng(7)
    q = np.array(equations.drawing(equations.parameters))
    q = q + 0.3 * rng.standard_normal(len(q))
    width = (len(q) - 3 * len(model.bodies)) // len(model.bodies)
    for k in range(len(model.bodies) if width == 4 else 0):
        q[4 * k : 4 * k + 4] /= np.linalg.norm(q[4 * k : 4 * k + 4])
    return q, rng.standard_normal(len(equations.speeds))


def known(equations, chosen, q, u):
    """Return the values of the letters of a page at a state."""
    blocks, names = chosen.rows.rows.blocks, chosen.machine.names
    found = kane_state(equations, blocks, names, q, np.zeros(6 * len(names)))
    width = (len(q) - 3 * len(names)) // len(names)
    s = {("s", k): q[width * len(names) + 3 * k - 3 :][:3] for k in chosen.machine.bodies}

    def worth(symbol):
        kind, *index = symbol.key if isinstance(symbol.key, tuple) else (symbol.key,)
        if kind in ("Y", "E"):
            return equations.orientation_matrix[names[index[0] - 1]](q)
        if symbol.key in s:
            return s[symbol.key]
        return found(symbol.key)

    return worth


@pytest.mark.parametrize(
    ("choice", "make"), [*((one, branched) for one in CHOICES), (CHOICES[-1], everything)]
)
def test_blocks_in_chosen_speeds_are_those_that_are_evaluated(choice, make):
    model = make()
    chosen = ChosenBlocks(choice, KaneRows(NumberedMachine(model)))
    equations = choice.equations(model)
    q, u = state(equations, choice, model)
    evaluation = letters.Evaluation(known(equations, chosen, q, u))
    n = len(model.bodies)
    bodies = chosen.machine.bodies

    def turning(block):
        return np.hstack([evaluation.of(block(j)) for j in bodies])

    for k, body in enumerate(chosen.machine.names, start=1):
        v = turning(lambda j, k=k: chosen.velocity(k, j, chosen.by_speed))
        w = turning(lambda j, k=k: chosen.by_speed(k, j))
        close(v, equations.partial_velocity[body](q, u, 0.3)[:, : 3 * n])
        close(w, equations.partial_angular_velocity[body](q, u, 0.3)[:, : 3 * n])
    b, W = equations.constraint_matrix(q, u, 0.3), equations.kinematics_matrix(q, u, 0.3)
    joints = sum(len(joint.mobility.conditions) for joint in model.joints)
    places = [i for i, row in enumerate(equations.rows) if row.level == "position"][joints:]
    places += [i for i, row in enumerate(equations.rows) if row.level == "velocity"]
    for place, row in zip(places, chosen.rows.rows.blocks.rows, strict=True):
        in_u = turning(lambda j, row=row: chosen.row(row, j, chosen.by_speed)).ravel()
        in_q = turning(lambda j, row=row: chosen.row(row, j, chosen.by_rate)).ravel()
        size = np.max(np.abs(b[place]))
        close(in_u, b[place][: 3 * n], size)
        # b = a W, (16) of the literature; rates of s′ are speeds.
        close(in_q @ W[: len(in_q), : 3 * n], b[place][: 3 * n], size)


def section(text, title, html):
    """Return what stands below a title."""
    start = text.index(f"{title}</h2>" if html else rf"\section{{{title}}}")
    return text[start : text.find("</section>" if html else r"\section", start + 10)]


@pytest.mark.parametrize("kind", ["html", "tex"])
@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_partials_and_rows_are_read_back_from_the_page(choice, kind):
    model, html = branched(), kind == "html"
    sheet = bc.derive(model, formulation=choice, scalars=False)
    text = sheet.html() if html else sheet.tex()
    chosen = ChosenBlocks(choice, sheet.page.blocks)
    equations = choice.equations(model)
    q, u = state(equations, choice, model)
    evaluation = letters.Evaluation(known(equations, chosen, q, u))
    wanted = {}
    rows = chosen.rows.rows.blocks.rows
    for j in chosen.machine.bodies:
        for row in rows:
            wanted["a", row.owner, j] = chosen.row(row, j, chosen.by_rate)
            if choice.speeds != "absolute body":
                wanted["b", row.owner, j] = chosen.row(row, j, chosen.by_speed)
        for k in chosen.machine.bodies:
            if choice.speeds != "absolute body":
                wanted["v", k, j] = chosen.velocity(k, j, chosen.by_speed)
    wanted = {key: block for key, block in wanted.items() if block}
    symbol = looked_up(table(wanted.values(), evaluation, kind, shaped=True))
    read = page_equations if html else latex_equations
    found = [
        (left, value(right, symbol))
        for title in ("The same rows in the rates of the coordinates", "Generalized speeds")
        if f"{title}<" in text or f"{title}}}" in text
        for left, right in read(section(text, title, html))
        if len(left) in (3, 5)
        and left[-2].letter in "abv"
        and re.search(r"[1-9]", left[-2].sub)
    ]
    assert len(found) == len(wanted)
    values = [np.asarray(evaluation.of(block), float) for block in wanted.values()]
    for _, got in found:  # each block of the page is one of those, and each of those is there
        near = [
            np.shape(got) == np.shape(v) and np.allclose(got, v, atol=1e-13) for v in values
        ]
        assert any(near)
        del values[near.index(True)]


def test_independent_speeds_are_chosen_by_name():
    """The page of Kane's equations keeps what is named, and says what follows from it."""
    model = examples.load("four-bar")
    name = "rocker.angular_velocity_body_z"
    sheet = bc.derive(model, scalars=False, independent=[name])
    text = sheet.markdown()
    assert f"by choice: {name.replace('_', chr(92) + '_')}." in text
    table = text.partition("dependent speeds |")[2].partition("With 18 speeds")[0]
    dependent = re.findall(r"\\(omega|dot\{s\})'_\{(\d\d)\}", table)
    assert len(set(dependent)) == 17
    assert ("omega", "33") not in dependent  # what was named
    assert "were not chosen by name" in text
    by_pivoting = bc.derive(model, scalars=False).markdown()
    assert "elimination with pivoting in the drawing" in by_pivoting


@pytest.mark.parametrize(
    ("names", "formulation", "said"),
    [
        (["rockr.s_rate_z"], None, "Did you mean 'rocker.s_rate_z'?"),
        (["rocker.s_rate_z"], None, "do not determine the other speeds"),
        ([], None, "takes 1 different speeds"),
        ("rocker.s_rate_z", None, "takes names of speeds"),
        (["A.angle_rate"], bc.JointCoordinates(), "chooses among the speeds of Kane()"),
    ],
)
def test_speeds_that_cannot_be_independent_are_refused(names, formulation, said):
    with pytest.raises(bc.BellcrankError) as caught:
        bc.derive(examples.load("four-bar"), formulation=formulation, independent=names)
    assert said in str(caught.value)
