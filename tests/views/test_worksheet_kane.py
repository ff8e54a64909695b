"""What worksheets print is what the formulation `Kane` computes."""

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated
from tests.views.reading import Sym, page_blocks, page_equations, value
from tests.views.unconstrained import Tree, flat, geometry, rotation
from tests.views.worksheets import FORESTS, evaluated, forest, labelled, moving, stacked, worth

import bellcrank as bc
from bellcrank import examples, testing

MACHINES = [examples.load("six-bodies"), *(forest(*entry) for entry in FORESTS)]


@pytest.mark.parametrize("model", MACHINES, ids=lambda m: f"{len(m.bodies)} bodies")
def test_blocks_on_the_page_are_those_of_kane(model):
    equations, n = bc.equations(model, bc.Kane()), len(model.bodies)
    rng = np.random.default_rng(n)
    e = rng.normal(size=(n, 4))
    e /= np.linalg.norm(e, axis=1, keepdims=True)
    s, w, sd = rng.normal(size=(3, n, 3))
    lower, r, arms = geometry(model)
    tree = Tree(lower, r, arms, np.array([rotation(p) for p in e]), s, w, sd)
    q, u = np.concatenate([e.ravel(), s.ravel()]), tree.y
    page, symbol = bc.derive(model, scalars=False).html(), worth(tree)
    found = {
        key: flat(evaluated(cell, symbol) for cell in cells)
        for key, cells in labelled(page_blocks(page)).items()
    }
    positions = {
        left[1].sub: value(right, symbol)
        for left, right in page_equations(page)
        if left[0] == "{" and isinstance(left[1], Sym) and left[1].letter == "p"
    }
    for k, name in enumerate(model.graph.order, start=1):
        for quantity, families in (
            ("partial_velocity", ("v1", "v2")),
            ("partial_velocity_rate", ("v1 rate", "v2 rate")),
        ):
            wanted = getattr(equations, quantity)[name](q, u)
            got = np.hstack([found[family, k] for family in families])
            np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-13)
        wanted = equations.partial_angular_velocity[name](q, u)
        np.testing.assert_allclose(found["spin", k], wanted[:, : 3 * n], rtol=0, atol=1e-13)
        assert not wanted[:, 3 * n :].any()
        assert not equations.partial_angular_velocity_rate[name](q, u).any()
        np.testing.assert_allclose(
            positions[f"{k}"], equations.positions[name](q, u), atol=1e-13
        )


@pytest.mark.parametrize("kind", testing.KINDS)
def test_rows_of_joints_span_those_of_kane(kind):
    """Rows may be scaled and combined differently; what they hold is the same."""
    model = testing.machine(["Spherical", kind, "Universal"], (0, 1, 1), 7)
    found = Evaluated(model)
    q, u = found.pack(testing.state(model, 7))
    R, s, w, sd = moving(model, q, u)
    pose = found.bodies(q, u, np.zeros(len(u)))[0]
    places = [found.equations.bodies.index(name) for name in model.graph.order]
    e = np.array([[*pose[4:, place], pose[3, place]] for place in places])
    kane = bc.equations(model, bc.Kane())
    wanted = kane.constraint_matrix(
        np.concatenate([e.ravel(), s.ravel()]), np.concatenate([w.ravel(), sd.ravel()])
    )
    b, _ = stacked(model, (R, s, w, sd))
    ranks = [np.linalg.matrix_rank(rows, tol=1e-9) for rows in (b, wanted, [*b, *wanted])]
    assert ranks == [len(b)] * 3
