"""Independent coordinates chosen among Cartesian ones: tangent directions and partitions."""

import numpy as np
import pytest
from tests.classics.test_stiff import begin, slow, sprung  # noqa: F401
from tests.formulations.cartesian.embedded import FORMS
from tests.formulations.cartesian.test_dynamics import STATE, mechanism
from tests.machines import looped

import bellcrank as bc
from bellcrank.constraints.independent import Chart, Independent
from bellcrank.constraints.projecting import projection
from bellcrank.machine.start import beginning

pytestmark = pytest.mark.slow

WAYS = ("tangent", "partition")
BOTH_WAYS = pytest.mark.parametrize("by", WAYS)
BOTH_FORMS = pytest.mark.parametrize("formulation", FORMS, ids=repr)


def charted(formulation, by):
    """Return the mechanism of five freedoms with a chart at its state, and where that is."""
    model = mechanism()
    system = bc.compile(model, formulation, level=0)
    held = projection(system)
    assert held is not None
    nothing = np.zeros(0)
    x, k = beginning(system, STATE, 0.0, nothing, nothing, bc.compile(model, level=0))
    q, u = np.split(x, [len(system.coordinates)])
    given = [np.zeros(1), q, u, nothing, nothing, nothing, k]
    chart = Chart(held.machine, Independent(by), given)
    v, w = np.split(chart.inside(x), [chart.nv])
    return system, chart, given, (0.0, v, w, nothing, nothing, nothing, k)


@BOTH_WAYS
@BOTH_FORMS
def test_accelerations_are_those_of_multipliers(formulation, by):
    """H10, H11: in 5 independent coordinates, to 1e-9."""
    system, chart, given, inside = charted(formulation, by)
    assert (chart.nv, chart.nw) == (5, 5)
    ud, _ = chart.ask("accelerations", *inside)
    known = system.constrained_accelerations(given)
    np.testing.assert_allclose(ud, known, atol=1e-9 * np.abs(known).max())


@BOTH_WAYS
def test_the_term_quadratic_in_independent_speeds(by):
    """H21: (Ψ_v v̂̇)_v v̇ against differences of Ψ_v v̇ with v̇ held, to 1e-7."""
    _, chart, _, (t, v, w, *rest) = charted(FORMS[1], by)
    _, drift = chart.ask("accelerations", t, v, w, *rest)

    def rates(h):
        """Return q̇ = Ψ_v v̇, which in these speeds is u."""
        return chart.ask("point", t, v + h * w, w, *rest)[1]

    h = 1e-3
    found = (8 * (rates(h) - rates(-h)) - (rates(2 * h) - rates(-2 * h))) / (12 * h)
    np.testing.assert_allclose(found, drift, atol=1e-7)
    assert np.abs(drift).max() > 0.1


@pytest.mark.parametrize(("formulation", "by"), list(zip(FORMS, WAYS, strict=True)), ids=repr)
def test_a_run_keeps_the_constraints(formulation, by):
    """H10, H14: |Φ| < 1e-12 after 0.6 s with re-basings; joints move as in a tree, to 1e-9."""
    tight = {"rtol": 1e-11, "atol": 1e-12, "every": 0.1, "start": STATE}
    mode = Independent(by, rebase=0.3)
    run = bc.simulate(mechanism(), 0.6, formulation=formulation, constraints=mode, **tight)
    tree = bc.simulate(mechanism(), 0.6, **tight)
    assert run.statistics["rebasings"] >= 1
    assert np.max(run.values("constraint_residual")) < 1e-12
    for name in ("R.angle", "U.angle1", "U.angle2", "C.angle", "C.offset"):
        np.testing.assert_allclose(run.values(name), tree.values(name), atol=1e-9)


@BOTH_WAYS
@pytest.mark.parametrize(
    ("method", "order"), [(bc.Nystrom4, 4), (bc.Gauss2, 4), (bc.Trapezoidal, 2)]
)
def test_orders_on_independent_coordinates(method, order, by):
    """H12, H13: halved steps on a planar four-bar, re-based on the way; within 0.3."""
    model = looped.modelica()
    exact = bc.simulate(model, 0.4, rtol=1e-12, atol=1e-13, every=0.4).values("A.angle")[-1]
    errors = []
    for step in (0.02, 0.01, 0.005):
        run = bc.simulate(
            model, 0.4, formulation=bc.Cartesian(), integrator=method(step=step),
            constraints=Independent(by, rebase=0.4), every=0.4,
        )  # fmt: skip
        errors.append(abs(run.values("A.angle")[-1] - exact))
    seen = np.log2(errors[0] / errors[2]) / 2
    assert run.statistics["rebasings"] >= 1
    assert seen == pytest.approx(order, abs=0.3), errors


@BOTH_WAYS
@pytest.mark.parametrize(
    "method", [bc.Radau5(), bc.SDIRK54()], ids=lambda one: type(one).__name__
)
def test_implicit_methods_meet_their_tolerance(method, by):
    """H13: on a planar four-bar, whose speeds are rates: the second-order form, to 1e-6."""
    model = looped.modelica()
    exact = bc.simulate(model, 0.5, rtol=1e-12, atol=1e-13, every=0.5).values("A.angle")[-1]
    run = bc.simulate(
        model, 0.5, formulation=bc.Cartesian(), integrator=method, rtol=1e-8, atol=1e-10,
        constraints=Independent(by), every=0.5,
    )  # fmt: skip
    assert run.values("A.angle")[-1] == pytest.approx(exact, abs=1e-6)
    assert run.statistics["jacobians"] >= 1


@BOTH_WAYS
@BOTH_FORMS
@pytest.mark.parametrize("method", [bc.Radau5, bc.SDIRK54])
def test_a_stiff_spring_in_independent_coordinates(sprung, method, formulation, by):  # noqa: F811
    """H13: k = 1e8 at steps of 0.05 s, started on the slow manifold, to 1e-4."""
    run = bc.simulate(
        sprung, 1.0, start=begin(), every="step", rtol=0.1, atol=1.0, formulation=formulation,
        integrator=method(first_step=0.05, max_step=0.05), constraints=Independent(by),
    )  # fmt: skip
    t = np.asarray(run.t)
    assert len(t) <= 25
    assert abs(run.values("S.offset") - slow(t)[0]).max() < 1e-4
