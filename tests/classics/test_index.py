"""Constraints held by implicit methods: the stabilised index-2 form, and index 3."""

import numpy as np
import pytest
from tests.classics.test_squeezer import AT_30_MS
from tests.draws import draws
from tests.laws.closed import CLOSING, TIES, Closed, loop, tied
from tests.machines import looped, rolling
from tests.machines.hinged import pendulum

import bellcrank as bc
from bellcrank.constraints.baumgarte import Baumgarte
from bellcrank.constraints.independent import Independent

FOUR_BAR = 4.805931268833  # crank angle after 10 s, REFERENCES 0
SPIN = {"A.angle_rate": 8.0}


def residuals(run):
    """Return the largest residuals of a run, at position and velocity level."""
    names = ("constraint_residual", "constraint_rate_residual")
    return [np.max(run.values(name)) for name in names]


@pytest.mark.parametrize("mode", ["project", "index2"])
def test_the_plain_four_bar(mode):
    """REFERENCES 0 at rtol 1e-10: to 1e-5 rad; records between steps meet the constraints."""
    run = bc.simulate(
        looped.plain(), 10.0, integrator=bc.Radau5(), constraints=mode, rtol=1e-10, every=0.01
    )
    assert abs(run.values("A.angle")[-1] - FOUR_BAR) < 1e-5
    assert max(residuals(run)) < 1e-12
    assert run.statistics["method"] == "Radau5"
    assert run.statistics["jacobians"] > 0


def test_the_four_bar_by_generalized_alpha():
    """H13: second order on index 3; what is recorded has neither drift nor residual."""
    found = []
    for step in (2e-3, 1e-3):
        run = bc.simulate(
            looped.plain(), 2.0, integrator=bc.GeneralizedAlpha(step), constraints="index3"
        )
        assert max(residuals(run)) < 1e-12
        found.append(run.values("A.angle")[-1])
    exact = bc.simulate(looped.plain(), 2.0, rtol=1e-12, atol=1e-13).values("A.angle")[-1]
    assert abs(found[1] - exact) < 1e-5
    assert abs(found[0] - exact) / abs(found[1] - exact) == pytest.approx(4.0, abs=0.4)


def test_the_squeezer():
    """REFERENCES 2.1 by Radau5 at rtol 1e-10: q to 1e-6, q' to 1e-5."""
    run = bc.simulate(
        looped.andrews(), 0.03, integrator=bc.Radau5(), rtol=1e-10, atol=1e-12, every=0.03
    )
    for known, quantity, error in zip(
        AT_30_MS.T[:2], ("angle", "angle_rate"), (1e-6, 1e-5), strict=True
    ):
        found = [run.values(f"{name}.{quantity}")[-1] for name in looped.ANDREWS]
        np.testing.assert_allclose(found, known, rtol=error)


@pytest.mark.parametrize(
    ("method", "error"), [(bc.Radau5(), 1e-7), (bc.GeneralizedAlpha(step=5e-4), 1e-3)]
)
def test_the_car_axis(method, error):
    """REFERENCES 2.2, positions at 3 s: driven constraints, fast oscillation."""
    start = {"plane.x_rate": -0.5, "plane.y_rate": 0.0, "strut.offset_rate": 0.0}
    run = bc.simulate(looped.car_axis(), 3.0, integrator=method, start=start, every=3.0)
    found = [*run.values("left.position")[-1][:2], *run.values("right.position")[-1][:2]]
    known = (0.04934557842754, 0.496989460230171, 1.041742524885421, 0.37391102726536)
    np.testing.assert_allclose(found, known, atol=error)


@pytest.mark.parametrize(
    ("method", "error"), [(bc.Radau5(), 1e-7), (bc.GeneralizedAlpha(step=1e-3), 1e-4)]
)
def test_redundant_rows(method, error):
    """REFERENCES 1.2c: of six rows five are independent."""
    run = bc.simulate(looped.bricard(), 2.0, integrator=method, every=0.1)
    exact = bc.simulate(looped.bricard(), 2.0, every=0.1)
    np.testing.assert_allclose(run.values("J0.angle"), exact.values("J0.angle"), atol=error)
    assert max(residuals(run)) < 1e-12


def body_places(model, until, start, method, **options):
    run = bc.simulate(model, until, start=start, integrator=method, every=until, **options)
    assert max(residuals(run)) < 1e-12
    return np.concatenate([run.values(f"{body.name}.position")[-1] for body in model.bodies])


def test_euler_parameters():
    """Ball joints in a loop: W is no square matrix. Radau5 to 1e-8, orders 4 and 2."""
    there = Closed(loop("Universal", 9, ("SpringDamper", "Torque")), 9)
    start = there.system.unpack(there.q, there.u)
    exact = body_places(there.model, 0.4, start, bc.DOP853(), rtol=1e-12, atol=1e-13)

    def off(method):
        return np.abs(body_places(there.model, 0.4, start, method) - exact).max()

    assert off(bc.Radau5()) < 1e-8
    assert off(bc.Gauss2(0.01)) / off(bc.Gauss2(0.005)) > 11
    ratio = off(bc.GeneralizedAlpha(2e-3)) / off(bc.GeneralizedAlpha(1e-3))
    assert ratio == pytest.approx(4.0, abs=0.4)


def test_rolling():
    """Rows of speeds only: a disc that rolls."""
    disc, start = rolling.disc(), {"F.angular_velocity": (0.2, 8.0, 0.1)}
    exact = body_places(disc, 1.5, start, bc.DOP853(), rtol=1e-12, atol=1e-13)
    for method, error in (
        (bc.Radau5(), 1e-8),
        (bc.Gauss2(0.01), 1e-6),
        (bc.GeneralizedAlpha(1e-3), 1e-4),
    ):
        assert np.abs(body_places(disc, 1.5, start, method) - exact).max() < error


MODES = (
    ("project", bc.DOP853),
    (Independent("tangent"), bc.DOP853),
    (Independent("partition"), bc.DOP853),
    (Baumgarte(), bc.DOP853),
    ("index2", bc.Radau5),
    ("index2", lambda first_step, max_step: bc.Gauss2(first_step)),
    ("index3", lambda first_step, max_step: bc.GeneralizedAlpha(first_step)),
)


@pytest.mark.family
@pytest.mark.parametrize(
    ("number", "kind"), list(enumerate([*CLOSING, *TIES])), ids=[*CLOSING, *TIES]
)
def test_all_modes_have_the_same_accelerations(number, kind):
    """To 1e-8 of the largest, at a consistent state of a random machine with a loop.

    They are the difference quotients of speeds over one short step ahead and one back. Each
    kind meets three modes in turn, and all of them where there is time.
    """
    taken = {(3 * number + k) % len(MODES) for k in range(draws(3, len(MODES)))}
    make = tied if kind in TIES else loop
    there, h = Closed(make(kind, 4, ("SpringDamper", "Torque")), 4), 2e-6
    start = there.system.unpack(there.q, there.u)
    wanted = there.system.accelerations(there.q, there.u)
    for mode, method in (MODES[k] for k in sorted(taken)):
        ends = []
        for until in (h, -h):
            run = bc.simulate(
                there.model, until, start=start, constraints=mode,
                integrator=method(first_step=h, max_step=h), every=h,
            )  # fmt: skip
            values = {name: run.values(name)[-1] for name in run.states}
            ends.append(bc.compile(there.model).pack(values)[1])
        found = (ends[0] - ends[1]) / (2 * h)
        assert np.abs(found - wanted).max() < 1e-8 * (1 + np.abs(wanted).max()), mode


def spatial():
    """Ball joints, a sleeve and a Hooke joint in a loop, moving."""
    there = Closed(loop("Universal", 9, ("SpringDamper", "Torque")), 9)
    return there.model, there.system.unpack(there.q, there.u)


def planar():
    return looped.plain(), {"A.angle_rate": 2.0}


def trajectory(machine, mode, method, **options):
    """Return all coordinates and speeds at all records, and check that constraints hold."""
    model, start = machine
    run = bc.simulate(
        model, 1.0, start=start, constraints=mode, integrator=method, every=0.02, **options
    )
    assert max(residuals(run)) < 1e-12
    return np.concatenate([run.values(n).reshape(len(run.t), -1) for n in run.states], axis=1)


@pytest.mark.parametrize("make", [planar, spatial])
def test_all_modes_have_the_same_trajectory(make):
    """At every record: to 1e-7 at default tolerances; what is of order 2, extrapolated."""
    machine = make()
    exact = trajectory(machine, "project", bc.DOP853(), rtol=1e-12, atol=1e-13)
    assert np.ptp(exact, axis=0).max() > 1  # it moves

    def off(found):
        return np.abs(found - exact).max()

    for mode in ("project", Independent("tangent"), Independent("partition")):
        assert off(trajectory(machine, mode, bc.DOP853())) < 1e-7, mode
    for mode in ("project", "index2"):
        assert off(trajectory(machine, mode, bc.Radau5())) < 1e-7, mode
    coarse, fine = (
        trajectory(machine, "index3", bc.GeneralizedAlpha(step)) for step in (1e-3, 5e-4)
    )
    assert off(coarse) / off(fine) == pytest.approx(4.0, abs=0.2)
    assert off((4 * fine - coarse) / 3) < min(off(fine) / 100, 1e-5)


# --- events, ticks, switches --------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "error"), [(bc.Radau5(), 1e-6), (bc.GeneralizedAlpha(step=5e-4), 1e-3)]
)
def test_events_ticks_and_switches(method, error):
    """A stop with a corner, a sampled brake and events: as by an explicit method."""
    model = looped.plain().add(
        bc.Motor("brake", "D", bc.Input("effort")),
        bc.JointSpring("stop", "A", law=lambda angle, rate: 50 * bc.maximum(angle - 2.2, 0)),
    )
    options = {
        "inputs": {
            "effort": bc.Sampled(
                lambda t, values: {"effort": -2.0 * values["D.angle_rate"]},
                every=0.05, reads=("D.angle_rate",),
            )
        },
        "events": [bc.Event("there", "A.angle - 2.0"), bc.Event("still", "D.angle_rate")],
    }  # fmt: skip
    exact = bc.simulate(model, 1.5, every=0.1, **options)
    run = bc.simulate(model, 1.5, every=0.1, integrator=method, **options)
    np.testing.assert_allclose(run.values("A.angle"), exact.values("A.angle"), atol=error)
    assert run.statistics["ticks"] == exact.statistics["ticks"] == 29
    assert run.statistics["switches"] == exact.statistics["switches"] > 0
    assert [hit.name for hit in run.events] == [hit.name for hit in exact.events] != []
    for one, other in zip(run.events, exact.events, strict=True):
        assert abs(one.time - other.time) < error
    assert max(residuals(run)) < 1e-12


def test_backwards():
    run = bc.simulate(looped.plain(), -1.0, integrator=bc.Radau5(), every=0.1)
    exact = bc.simulate(looped.plain(), -1.0, every=0.1)
    np.testing.assert_allclose(run.values("A.angle"), exact.values("A.angle"), atol=1e-7)


@pytest.mark.parametrize("method", [bc.Radau5(), bc.GeneralizedAlpha(step=1e-3)])
def test_a_singular_position_is_named(method):
    """REFERENCES 1.2b: it lies flat at half a turn. The run up to there is kept, and right."""
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(looped.change_point(), 4.0, integrator=method, start=SPIN, every=0.05)
    name = type(method).__name__
    assert (
        "constraints that are independent elsewhere become dependent: a singular position, "
        f"which {name} does not pass. An explicit method such as DOP853() with "
        "constraints='project' does."
    ) in str(caught.value)
    run = caught.value.run
    flat = looped.change_point_time(np.pi)
    assert flat - 2e-3 < run.t[-1] < flat + 1e-6
    known = looped.change_point_answer(0.2)
    assert run.values("A.angle")[4] == pytest.approx(known, abs=1e-4)


# --- what cannot be had -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "mode", "said"),
    [
        (bc.SDIRK54(), "project",
         "SDIRK54 does not take machines with constraints, and 'four-bar' has 5: where "
         "constraints are held, its stages are of order 1 and leave it with order 2. Radau5(), "
         "Gauss2(step=…) and GeneralizedAlpha(step=…) take them."),
        (bc.Trapezoidal(0.01), "index2",
         "Trapezoidal does not take machines with constraints, and 'four-bar' has 5: it does "
         "not damp what the forces of constraints do from step to step. "
         "Radau5(), Gauss2(step=…) and GeneralizedAlpha(step=…) take them."),
        (bc.DOP853(), "index2",
         "constraints='index2' is for Radau5() and Gauss2(step=…), not for DOP853."),
        (bc.GeneralizedAlpha(0.01), "index2",
         "constraints='index2' is for Radau5() and Gauss2(step=…), not for GeneralizedAlpha."),
        (bc.Radau5(), "index3",
         "constraints='index3' is for GeneralizedAlpha(step=…), not for Radau5."),
        (bc.GeneralizedAlpha(0.01, 1.0), "project",
         "GeneralizedAlpha(step=0.01, spectral_radius=1.0, hht=None, max_steps=None) damps "
         "nothing, so that the forces of constraints would oscillate. Take a spectral_radius "
         "below 1, or hht above 0."),
    ],
)  # fmt: skip
def test_what_does_not_go_together(method, mode, said):
    with pytest.raises(bc.NotSupported) as caught:
        bc.simulate(looped.plain(), 1.0, integrator=method, constraints=mode)
    assert str(caught.value) == said


def test_index2_by_itself_means_radau():
    run = bc.simulate(looped.plain(), 0.1, constraints="index2")
    assert run.statistics["method"] == "Radau5"


@pytest.mark.parametrize(
    ("knobs", "said"),
    [
        ({"spectral_radius": 1.5}, "spectral_radius must lie between 0 and 1, got 1.5."),
        ({"hht": 0.5}, "hht must lie between 0 and 0.333, got 0.5."),
        ({"hht": "a"}, "hht must lie between 0 and 0.333, got 'a'."),
    ],
)
def test_knobs_of_generalized_alpha(knobs, said):
    with pytest.raises(bc.OptionError) as caught:
        bc.GeneralizedAlpha(step=0.01, **knobs)
    assert str(caught.value) == f"GeneralizedAlpha: {said}"


def test_generalized_alpha_on_a_tree():
    """H13: order 2 on a pendulum; the rod swings from 1 rad."""
    hanging = pendulum((0, 0, -1))
    options = {"start": {"A.angle": 1.0}, "every": 2.0}
    exact = bc.simulate(hanging, 2.0, rtol=1e-12, **options).values("A.angle")[-1]
    found = [
        abs(bc.simulate(hanging, 2.0, integrator=bc.GeneralizedAlpha(h), **options)
            .values("A.angle")[-1] - exact)
        for h in (0.01, 0.005)
    ]  # fmt: skip
    assert found[0] / found[1] == pytest.approx(4.0, abs=0.3)


@pytest.mark.parametrize("formulation", [bc.Cartesian(), bc.Kane()], ids=["Cartesian", "Kane"])
def test_other_coordinates(formulation):
    """Every joint is rows then, some of them redundant: to 1e-7 at rtol 1e-9.

    Newton's method converges on nearly every step.
    """
    exact = bc.simulate(looped.plain(), 1.0, start={"A.angle_rate": 2.0}, rtol=1e-12, every=1.0)
    run = bc.simulate(
        looped.plain(), 1.0, start={"A.angle_rate": 2.0}, formulation=formulation,
        integrator=bc.Radau5(), every=1.0,
    )  # fmt: skip
    for body in ("crank", "coupler", "rocker"):
        place = run.values(f"{body}.position")[-1]
        np.testing.assert_allclose(place, exact.values(f"{body}.position")[-1], atol=1e-7)
    assert run.statistics["rejected"] < 10
    assert max(residuals(run)) < 1e-12
