"""Bounds of expressions of time hold for every point; no crossing is missed."""

import numpy as np
import pytest

from bellcrank.model.expressions import Signal, evaluate, expression, walk
from bellcrank.model.expressions.crossings import SmoothSpans, TooMany, crossings, pieces
from bellcrank.model.expressions.enclosures import enclose, values_at
from bellcrank.model.expressions.tree import Operation

SMOOTH = (
    "sin({a})", "cos({a})", "tan({a}/4)", "exp({a}/3)", "tanh({a})", "atan({a})", "sinh({a}/2)",
    "cosh({a}/2)", "sqrt(4 + ({a})**2)", "log(3 + ({a})**2)", "asin(0.9*sin({a}))",
    "acos(0.8*cos({a}))", "atan2({a}, 3 + cos({b}))", "({a}) + ({b})", "({a}) - ({b})",
    "({a})*({b})", "({a})/(2 + ({b})**2)", "({a})**2", "({a})**3", "(2 + ({a})**2)**(-1.5)",
    "(1 + ({a})**2)**({b}/5)", "-({a})", "2**({a})",
)  # fmt: skip
NONSMOOTH = (
    "abs({a})", "sign({a})", "step({a})", "min({a}, {b})", "max({a}, {b})",
    "where({a} > {b}, {a}, 0.3*({b}))", "where({a} <= 0.2 or not ({b} < 0.1), {b}, -1)",
    "interp({a}, [-1, -0.2, 0.3, 1.1], [0, 2, -1, 0.5])", "interp({a}, [-1, 1], [{b}, 2])",
)  # fmt: skip


def drawn(rng, kinds, depth):
    """Return a random expression of t as text."""
    if depth == 0:
        return rng.choice([
            "t",
            f"{rng.uniform(0.3, 4):.3f}*t - {rng.uniform(0, 3):.3f}",
            "1.3",
        ])
    parts = {name: drawn(rng, kinds, depth - 1) for name in "ab"}
    return str(rng.choice(kinds)).format(**parts)


def taylor(expr, cells, order=4):
    """Return the sum of the coefficients at the middle, the last one over the whole cell."""
    a, b = cells
    middle = 0.5 * (a + b)
    at, _ = enclose(expr, (middle, middle), {}, order)
    over, bad = enclose(expr, cells, {}, order)

    def bounds(t):
        d, lo, hi = t - middle, 0.0, 0.0
        for k in range(order + 1):
            part = (at if k < order else over)[k] or (0.0, 0.0)
            ends = part[0] * d**k, part[1] * d**k
            lo, hi = lo + np.minimum(*ends), hi + np.maximum(*ends)
        return lo, hi

    return bounds, bad


@pytest.mark.parametrize("seed", range(40))
def test_taylor_coefficients_enclose_a_smooth_expression(seed):
    """f(t) lies in Σ c_k(m) (t − m)^k + c_4(cell) (t − m)⁴ by Taylor's theorem."""
    rng = np.random.default_rng(seed)
    expr = expression(drawn(rng, SMOOTH, 3))
    a = rng.uniform(-2, 2, 30)
    b = a + 10.0 ** rng.uniform(-3, 0, 30)
    with np.errstate(all="ignore"):
        bounds, bad = taylor(expr, (a, b))
        for part in (0.0, 0.13, 0.5, 0.78, 1.0):
            t = a + part * (b - a)
            exact, (lo, hi) = values_at(expr, t, {}), bounds(t)
            size = 1e-11 * (1.0 + np.abs(exact) + np.abs(lo) + np.abs(hi))
            fine = bad | ~np.isfinite(lo + hi) | ((lo - size <= exact) & (exact <= hi + size))
            assert fine.all(), (expr, t[~fine], exact[~fine], lo[~fine], hi[~fine])


@pytest.mark.parametrize("seed", range(40))
def test_every_value_lies_in_its_enclosure(seed):
    rng = np.random.default_rng(1000 + seed)
    expr = expression(drawn(rng, SMOOTH + NONSMOOTH, 3))
    a = rng.uniform(-2, 2, 20)
    b = a + 10.0 ** rng.uniform(-6, 0.5, 20)
    (c0, *_), bad = enclose(expr, (a, b), {})
    lo, hi = (np.broadcast_to(end, a.shape) for end in c0)
    for n in np.flatnonzero(~bad):
        for t in (a[n], *rng.uniform(a[n], b[n], 4)):
            value = evaluate(expr, {"t": float(t)})
            assert lo[n] <= value <= hi[n], (expr, t)


def whole(expr, span):
    """Return the crossings of zero, with all nonsmooth operations on their branches."""
    nonsmooth = ("abs", "sign", "step", "min", "max", "lt", "le", "gt", "ge", "interp", "floor")
    found = [n for n in walk(expr) if isinstance(n, Operation) and n.op in nonsmooth]
    parts = pieces([n for n in dict.fromkeys(found) if _moves(n)], span, {})
    return crossings(expr, np.zeros(1), parts, {}), parts


def _moves(node):
    return any(isinstance(each, Signal) for each in walk(node))


@pytest.mark.parametrize("seed", range(40))
def test_no_change_of_sign_is_missed(seed):
    """Signs at 4,000 points agree with what lies between them, jumps and poles included."""
    rng = np.random.default_rng(2000 + seed)
    expr = expression(drawn(rng, SMOOTH + NONSMOOTH, 3))
    if not _moves(expr):
        return
    found, parts = whole(expr, (-2.0, 2.0))
    edges = np.sort(np.concatenate([found.t, parts.edges]))
    t = np.sort(rng.uniform(-2, 2, 4000))
    apart = np.min(np.abs(t[:, None] - edges), axis=1) > 1e-9  # rounding decides there
    t = t[apart]
    signs = np.sign(values_at(expr, t, {}))
    change = np.flatnonzero((signs[1:] != signs[:-1]) & np.isfinite(signs[1:] + signs[:-1]))
    for n in change:
        assert np.any((edges >= t[n]) & (edges <= t[n + 1])), (expr, t[n])


@pytest.mark.parametrize("seed", range(10))
def test_roots_of_polynomials_are_found_however_close(seed):
    """Simple roots are crossed, double ones touched, triple ones crossed."""
    rng = np.random.default_rng(3000 + seed)
    single = np.cumsum(10.0 ** rng.uniform(-5, 0, 6))
    double, triple = -rng.uniform(1, 2), -rng.uniform(3, 4)
    factors = [f"(t - {root!r})" for root in single.tolist()]
    factors += [f"(t + {-double!r})**2", f"(t + {-triple!r})**3"]
    rng.shuffle(factors)
    found, _ = whole(expression("*".join(factors)), (-5.0, 8.0))
    np.testing.assert_allclose(found.t, [triple, *single], rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(found.touches, [double], atol=1e-6)
    assert not found.pole.any()


def test_poles_are_told_from_zeros():
    found, _ = whole(expression("tan(3*t)"), (0.1, 5.0))
    zeros, poles = np.arange(1, 5) * np.pi / 3, (np.arange(5) + 0.5) * np.pi / 3
    np.testing.assert_allclose(found.t[~found.pole], zeros, rtol=1e-14)
    np.testing.assert_allclose(found.t[found.pole], poles, rtol=1e-11)


def test_what_is_too_much_for_one_look_is_said():
    with pytest.raises(TooMany):
        crossings(expression("sin(1e7*t)"), np.zeros(1), SmoothSpans(np.array([0.0, 10.0])), {})
