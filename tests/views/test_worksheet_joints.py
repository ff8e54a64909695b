"""Joints on worksheets: their rows vanish for every motion the joints allow, and no other."""

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated
from tests.views.closed import closed_state
from tests.views.reading import page_blocks, page_equations, value
from tests.views.unconstrained import flat, geometry, rotation, skew
from tests.views.worksheets import moving, stacked

import bellcrank as bc
from bellcrank import examples, testing
from bellcrank.worksheets.blocks import Values
from bellcrank.worksheets.joints import eliminate, joint_rows
from bellcrank.worksheets.machine import NumberedMachine


@pytest.mark.parametrize("kind", testing.KINDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_rows_of_a_tree_hold_exactly_what_its_joints_hold(kind, seed):
    """B y = 0 for the motion of joint coordinates, and 6N − rank b is their number."""
    others = testing.KINDS[seed::3]
    model = testing.machine([others[0], kind, others[1]], (0, 1, 1), seed)
    found = Evaluated(model)
    q, u = found.pack(testing.state(model, seed))
    b, y = stacked(model, moving(model, q, u))
    assert np.abs(b @ y).max(initial=0.0) < 1e-12
    assert 18 - np.linalg.matrix_rank(b) == len(u)
    assert b.shape == (18 - len(u), 18)


@pytest.mark.parametrize("name", ["slider-crank", "four-bar", "bricard"])
def test_rows_of_a_loop_vanish_where_the_loop_is_closed(name):
    model = examples.load(name)
    q, u, _ = closed_state(model, 4)
    b, y = stacked(model, moving(model, q, u))
    assert np.abs(y).max() > 0.1
    assert np.abs(b @ y).max() < 1e-9
    assert 6 * len(model.bodies) - np.linalg.matrix_rank(b, tol=1e-9) == 1


def only_joints(name):
    """Return whether nothing but joints holds an example."""
    model = examples.load(name)
    return not (model.constraints or model.drivers)


@pytest.mark.parametrize("name", [*filter(only_joints, examples.names())])
def test_independent_speeds_are_the_degrees_of_freedom(name):
    model = examples.load(name)
    machine = NumberedMachine(model)
    found = eliminate(machine, joint_rows(machine))
    freedom = bc.report(model).degrees_of_freedom
    assert 6 * machine.count - found.rank == freedom
    dependent = [place for places in found.dependent for place in places]
    assert len(set(dependent)) == len(dependent) == found.rank
    words = f"{freedom} independent speed{'s' * (freedom != 1)} remain{'s' * (freedom == 1)}"
    if found.rank:
        assert words in bc.derive(model, scalars=False).html()


def test_dependent_speeds_are_determined_by_the_others():
    """The columns of the dependent speeds have full rank in the drawing."""
    model = examples.load("bricard")
    machine = NumberedMachine(model)
    found = eliminate(machine, joint_rows(machine))
    still = np.zeros((machine.count, 3))
    b, _ = stacked(model, (machine.drawing.R, machine.drawing.s, still, still))
    columns = [place for places in found.dependent for place in places]
    assert np.linalg.matrix_rank(b[:, columns]) == len(columns) == np.linalg.matrix_rank(b)


def test_the_rate_of_a_loop_joint_is_as_printed():
    """{ṡ′_C} by the block rows of its points on the page equals the rows that are counted."""
    model = examples.load("four-bar")
    rng = np.random.default_rng(3)
    q = rng.normal(size=(3, 4))
    R = np.array([rotation(p / np.linalg.norm(p)) for p in q])
    state = (R, *rng.normal(size=(3, 3, 3)))
    machine = NumberedMachine(model)
    joint = joint_rows(machine)[-1]
    at = Values(machine.constants | joint.constants, *state)
    _, s, w, sd = state
    y = np.concatenate([w.ravel(), sd.ravel()])
    page = bc.derive(model, scalars=False).html()
    points = {}
    for left, cells in page_blocks(page):
        name = next(token.sub for token in left if hasattr(token, "letter"))
        if name[0] in "PQ":
            points[name.replace("C", "")] = cells
    assert set(points) == {"P,y1", "P,y2", "Q,y1", "Q,y2"}

    def symbol(sym):
        if sym.letter == "I":
            return np.eye(3)
        if sym.letter == "R":
            return R[int(sym.sub) - 1]
        vectors = {"s": s, "q": geometry(model)[2]}
        vector = (
            vectors[sym.letter][int(sym.sub) - 1]
            if sym.letter in vectors
            else {
                "a": np.array(joint.constants[joint.points()[0].tip]),
                "c": np.array(joint.constants[joint.points()[1].tip]),
            }[sym.letter]
        )
        return skew(vector) if "tilde" in sym.marks else vector

    def rate(point):
        cells = points[f"{point},y1"] + points[f"{point},y2"]
        zero = ["[", 0.0, "]"]
        return flat(np.zeros((3, 3)) if c == zero else value(c, symbol) for c in cells) @ y

    ends = [end.position.value(at) for end in joint.points()]
    gap = R[1] @ (ends[1] - ends[0])
    wanted = R[1] @ (rate("Q") - rate("P")) + np.cross(gap, w[1])
    np.testing.assert_allclose((joint.matrix(at) @ y)[:3], wanted, atol=1e-12)


def test_rows_are_listed_on_the_page():
    page = bc.derive(examples.load("four-bar"), scalars=False).html()
    rows = [left for left, right in page_equations(page) if right in ([0.0], ["{", 0.0, "}"])]
    assert len(rows) == 4 * 3  # a vector and two scalars for each hinge
    assert "The joints add 20 scalar rows" in page
    assert "20 rows, of which 17 are independent in the drawing" in page


def test_constraints_and_drivers_are_counted():
    assert (
        "Constraints and drivers add 3 more" in bc.derive(examples.load("rolling-disc")).html()
    )
    assert (
        "Constraints and drivers add 1 more" in bc.derive(examples.load("hooke-joint")).html()
    )
