"""Every block that stands on a worksheet is what the formulas of the books say it is.

The blocks are read back from finished pages by a parser of its own (`reading`), and compared
with an implementation of its own in NumPy (`unconstrained`).
"""

import numpy as np
import pytest
from tests.views.reading import (
    Sup,
    Sym,
    latex_blocks,
    page_blocks,
    page_equations,
    value,
)
from tests.views.unconstrained import flat, geometry, random_state, six_bodies
from tests.views.worksheets import FORESTS, evaluated, forest, labelled, worth

import bellcrank as bc
from bellcrank import examples


def assert_blocks_are_right(rows, tree, bound):
    """Compare all blocks of all bodies, and see that none is missing."""
    n, symbol = len(tree.lower), worth(tree)
    found = labelled(rows)
    assert len(found) == 5 * n
    for (family, k), cells in found.items():
        wanted = tree.spin_blocks(k) if family == "spin" else tree.blocks(k)[family]
        assert len(cells) == n
        got = np.array([evaluated(cell, symbol) for cell in cells])
        np.testing.assert_allclose(got, wanted, rtol=0, atol=bound, err_msg=f"{family} of {k}")


LISTED = """
v1 1 | -[R1]T[~r1] 0 0 0 0 0
v1 2 | -[R1]T[~q2+~s2] -[R2]T[~r2] 0 0 0 0
v1 3 | -[R1]T[~q2+~s2] -[R2]T[~q3+~s3] -[R3]T[~r3] 0 0 0
v1 4 | -[R1]T[~q2+~s2] -[R2]T[~q4+~s4] 0 -[R4]T[~r4] 0 0
v1 5 | -[R1]T[~q5+~s5] 0 0 0 -[R5]T[~r5] 0
v1 6 | -[R1]T[~q5+~s5] 0 0 0 -[R5]T[~q6+~s6] -[R6]T[~r6]
v2 1 | I 0 0 0 0 0
v2 2 | I [R1]T 0 0 0 0
v2 3 | I [R1]T [R2]T 0 0 0
v2 4 | I [R1]T 0 [R2]T 0 0
v2 5 | I 0 0 0 [R1]T 0
v2 6 | I 0 0 0 [R1]T [R5]T
v1 rate 1 | -[R1]T[~ω1][~r1] 0 0 0 0 0
v1 rate 2 | (-[R1]T[.~s2]-[R1]T[~ω1][~q2+~s2]) -[R2]T[~ω2][~r2] 0 0 0 0
v1 rate 3 | (-[R1]T[.~s2]-[R1]T[~ω1][~q2+~s2]) (-[R2]T[.~s3]-[R2]T[~ω2][~q3+~s3]) \
-[R3]T[~ω3][~r3] 0 0 0
v1 rate 4 | (-[R1]T[.~s2]-[R1]T[~ω1][~q2+~s2]) (-[R2]T[.~s4]-[R2]T[~ω2][~q4+~s4]) 0 \
-[R4]T[~ω4][~r4] 0 0
v1 rate 5 | (-[R1]T[.~s5]-[R1]T[~ω1][~q5+~s5]) 0 0 0 -[R5]T[~ω5][~r5] 0
v1 rate 6 | (-[R1]T[.~s5]-[R1]T[~ω1][~q5+~s5]) 0 0 0 \
(-[R5]T[.~s6]-[R5]T[~ω5][~q6+~s6]) -[R6]T[~ω6][~r6]
v2 rate 1 | 0 0 0 0 0 0
v2 rate 2 | 0 [R1]T[~ω1] 0 0 0 0
v2 rate 3 | 0 [R1]T[~ω1] [R2]T[~ω2] 0 0 0
v2 rate 4 | 0 [R1]T[~ω1] 0 [R2]T[~ω2] 0 0
v2 rate 5 | 0 0 0 0 [R1]T[~ω1] 0
v2 rate 6 | 0 0 0 0 [R1]T[~ω1] [R5]T[~ω5]
spin 1 | I 0 0 0 0 0
spin 2 | 0 I 0 0 0 0
spin 3 | 0 0 I 0 0 0
spin 4 | 0 0 0 I 0 0
spin 5 | 0 0 0 0 I 0
spin 6 | 0 0 0 0 0 I
"""
"""The six-body example as printed in the literature, tildes over ṡ′ put right."""


def shorthand(cell):
    """Return the tokens of a block as in `LISTED`."""
    text = ""
    for token in cell:
        if isinstance(token, Sym):
            marks = "".join({"tilde": "~", "dot": "."}[mark] for mark in token.marks[::-1])
            text += marks + token.letter + token.sub
        elif isinstance(token, Sup):
            text += token.text
        else:
            text += token if isinstance(token, str) else f"{token:g}"
    return {"[0]": "0", "[I]": "I"}.get(text, text)


@pytest.fixture(scope="module")
def six():
    return bc.derive(examples.load("six-bodies"))


@pytest.mark.parametrize("written", ["html", "markdown", "tex"])
def test_k07_the_six_bodies_have_the_blocks_of_the_literature(six, written):
    read = page_blocks if written == "html" else latex_blocks
    found = labelled(read(getattr(six, written)()))
    lines = [
        f"{family} {k} | {' '.join(shorthand(cell) for cell in cells)}"
        for (family, k), cells in found.items()
    ]
    assert sorted(lines) == sorted(LISTED.strip().splitlines())


def test_k07_the_six_bodies_have_the_right_numbers(six):
    assert_blocks_are_right(page_blocks(six.html()), six_bodies()[0], 1e-14)


def test_k05_k06_k09_k10_the_reference_numbers_follow_from_the_page(six):
    """S6: from what stands on the page alone, to all digits that are known."""
    tree, F, M = six_bodies()
    page = six.html()
    symbol = worth(tree)
    vectors = {}
    for left, right in page_equations(page):
        if len(left) == 3 and left[0] == "{" and isinstance(left[1], Sym):
            name = left[1].letter + left[1].sub
            if name[0] in "pv" and name[1:].isdigit():
                vectors[name] = value(right, symbol)
    known = {
        "p6": (-0.367530791789, 1.660058651026, -0.95535483871),
        "v6": (0.394527038123, 0.073409970674, 0.229604222874),
    }
    for name, wanted in known.items():
        np.testing.assert_allclose(vectors[name], wanted, rtol=0, atol=1e-11)
    found = {
        key: flat(evaluated(cell, symbol) for cell in cells)
        for key, cells in labelled(page_blocks(page)).items()
    }
    A, f = np.zeros((36, 36)), np.zeros(36)
    for k in range(1, 7):
        v = np.hstack([found["v1", k], found["v2", k]])
        v_rate = np.hstack([found["v1 rate", k], found["v2 rate", k]])
        w = np.hstack([found["spin", k], np.zeros((3, 18))])
        np.testing.assert_allclose(v @ tree.y, vectors[f"v{k}"], rtol=0, atol=1e-14)
        I, spin = np.diag([k, k + 1.0, k + 2.0]), tree.w[k - 1]
        A += k * v.T @ v + w.T @ I @ w
        f += v.T @ (F[k - 1] - k * v_rate @ tree.y)
        f += w.T @ (M[k - 1] - np.cross(spin, I @ spin))
    yd = np.linalg.solve(A, f)
    assert np.trace(A) == pytest.approx(288.7418, abs=1e-10)
    assert np.linalg.slogdet(A)[1] == pytest.approx(44.753621931, abs=1e-9)
    assert tree.y @ A @ tree.y / 2 == pytest.approx(4.35735897363417, abs=1e-13)
    assert f.sum() == pytest.approx(-610.969861379574, abs=1e-11)
    assert np.linalg.norm(f) == pytest.approx(297.846753914176, abs=1e-11)
    np.testing.assert_allclose(
        yd[33:], (0.08859261708, 0.192394241637, -0.02648727194), atol=1e-11
    )
    np.testing.assert_allclose(yd[:3], (0.16, 0.03, -0.06), atol=1e-12)


@pytest.mark.parametrize(("count", "seed"), FORESTS)
@pytest.mark.parametrize("written", ["html", "markdown", "tex"])
def test_every_block_of_a_random_forest_is_right(count, seed, written):
    model = forest(count, seed)
    tree = random_state(*geometry(model), seed)
    assert tree.lower.count(0) >= 2
    read = page_blocks if written == "html" else latex_blocks
    rows = read(getattr(bc.derive(model, scalars=False), written)())
    assert_blocks_are_right(rows[: 5 * count], tree, 1e-13)


@pytest.mark.parametrize(("count", "seed"), FORESTS)
def test_positions_and_velocities_of_a_random_forest_are_right(count, seed):
    model = forest(count, seed)
    tree = random_state(*geometry(model), seed)
    symbol, found = worth(tree), {}
    for left, right in page_equations(bc.derive(model, scalars=False).html()):
        if left[0] == "{" and isinstance(left[1], Sym) and left[1].letter in "pv":
            found[left[1].letter, int(left[1].sub)] = value(right, symbol)
    assert len(found) == 2 * count
    for k in range(1, count + 1):
        v = np.hstack([flat(tree.blocks(k)[name]) for name in ("v1", "v2")]) @ tree.y
        np.testing.assert_allclose(found["p", k], tree.position(k), atol=1e-13)
        np.testing.assert_allclose(found["v", k], v, atol=1e-13)


@pytest.mark.parametrize(("count", "seed"), FORESTS)
def test_blocks_have_the_values_that_are_printed(count, seed):
    """The objects behind the page evaluate to what their printed form is worth."""
    model = forest(count, seed)
    tree = random_state(*geometry(model), seed)
    sheet = bc.derive(model)
    at = sheet.values(tree.R, tree.s, tree.w, tree.sd)
    for k, name in enumerate(model.graph.order, start=1):
        blocks = tree.blocks(k)
        for quantity, families in (
            ("partial_velocity", ("v1", "v2")),
            ("partial_velocity_rate", ("v1 rate", "v2 rate")),
        ):
            got = np.array([block.value(at) for block in sheet.block(quantity, name)])
            wanted = np.concatenate([blocks[family] for family in families])
            np.testing.assert_allclose(got, wanted, atol=1e-13)
        got = np.array([b.value(at) for b in sheet.block("partial_angular_velocity", name)])
        np.testing.assert_array_equal(got[:count], tree.spin_blocks(k))
        assert not got[count:].any()


def test_values_stand_in_place_of_letters():
    """r′ and q′ of the six bodies have at most two decimals, so that nothing is lost."""
    page = bc.derive(examples.load("six-bodies"), "values").html()
    rows = page_blocks(page)
    letters = {t.letter for _, cells in rows for cell in cells for t in cell if type(t) is Sym}
    assert letters == {"R", "I", "s", "ω"}
    assert_blocks_are_right(rows, six_bodies()[0], 1e-14)


def test_a_constant_that_is_zero_leaves_a_zero_block():
    ball = bc.Body("ball", bc.Sphere(0.1, mass=1.0))
    model = bc.Model("ball", bodies=[ball], joints=[bc.Free("F", "ground", "ball")])
    rows = labelled(page_blocks(bc.derive(model, "values").html()))
    assert [shorthand(cell) for cell in rows["v1", 1]] == ["0"]
    rows = labelled(page_blocks(bc.derive(model).html()))
    assert [shorthand(cell) for cell in rows["v1", 1]] == ["-[R1]T[~r1]"]
