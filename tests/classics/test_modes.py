"""What can be done with constraints: the same motion by each, and what each is worth."""

import ctypes
from dataclasses import replace

import numpy as np
import pytest
from tests.machines import looped, rolling
from tests.machines.hinged import pendulum

import bellcrank as bc
from bellcrank.constraints.baumgarte import Baumgarte
from bellcrank.constraints.independent import Independent
from bellcrank.constraints.projecting import projection
from bellcrank.constraints.projection import Projected
from bellcrank.kernels.build import ENTRIES, Kernel
from bellcrank.kernels.entries import KERNEL

FOUR_BAR = 4.805931268833  # crank angle after 10 s, REFERENCES 0
TIGHT = {"rtol": 1e-10, "atol": 1e-12}
WAYS = (Independent("tangent"), Independent("partition"))


def alike(model, until, mode, tolerance, **options):
    """Check that a mode and projection give the same motion; return both runs."""
    expected = bc.simulate(model, until, **options)
    run = bc.simulate(model, until, constraints=mode, **options)
    for name in run.states:
        np.testing.assert_allclose(run.values(name), expected.values(name), atol=tolerance)
    return run, expected


@pytest.mark.parametrize("mode", WAYS, ids=lambda mode: mode.by)
def test_the_plain_four_bar(mode):
    run = bc.simulate(looped.plain(), 10.0, constraints=mode, **TIGHT)
    assert abs(run.values("A.angle")[-1] - FOUR_BAR) < 1e-6
    assert run.statistics["rebasings"] >= 2
    assert np.abs(run.values("constraint_residual")).max() < 1e-12


@pytest.mark.parametrize("mode", WAYS, ids=lambda mode: mode.by)
def test_turns_and_turns(mode):
    run, _ = alike(looped.plain(), 3.0, mode, 1e-6, start={"A.angle_rate": 8.0}, **TIGHT)
    assert np.ptp(run.values("A.angle")) > 6 * np.pi
    assert run.statistics["rebasings"] >= 2
    assert np.abs(run.values("constraint_residual")).max() < 1e-12


def test_the_word_means_tangent_directions():
    one, other = (
        bc.simulate(looped.plain(), 1.0, constraints=mode)
        for mode in ("independent", Independent("tangent"))
    )
    np.testing.assert_array_equal(one.values("A.angle"), other.values("A.angle"))


@pytest.mark.parametrize("mode", WAYS, ids=lambda mode: mode.by)
def test_a_four_bar_that_flattens_stays_on_its_branch(mode):
    """Not a promise: `project` is made for that. Where it is flat, q is less certain."""
    expected, run = (
        bc.simulate(looped.change_point(), 2.0, constraints=each) for each in ("project", mode)
    )
    assert abs(run.values("A.angle")[-1] - expected.values("A.angle")[-1]) < 1e-5


@pytest.mark.parametrize("mode", WAYS, ids=lambda mode: mode.by)
def test_redundant_rows(mode):
    run, _ = alike(looped.bricard(), 2.0, mode, 1e-7)
    assert np.abs(run.values("constraint_residual")).max() < 1e-12


@pytest.mark.parametrize("mode", WAYS, ids=lambda mode: mode.by)
def test_massless_bodies_and_drivers(mode):
    alike(looped.car_axis(), 1.0, mode, 2e-6, start={"strut.offset": 0.5})


@pytest.mark.parametrize("mode", [*WAYS, Baumgarte()], ids=lambda mode: type(mode).__name__)
def test_rolling(mode):
    start = {"F.angular_velocity": (0.2, 8.0, 0.1)}
    run, _ = alike(rolling.disc(), 1.5, mode, 1e-6, start=start)
    limit = 1e-12 if isinstance(mode, Independent) else 1e-7
    assert np.abs(run.values("constraint_rate_residual")).max() < limit


@pytest.mark.parametrize("method", [bc.RK4, bc.Nystrom4])
def test_fixed_steps_keep_their_order_across_bases(method):
    mode, ends = Independent(rebase=0.2), []
    for step in (0.01, 0.005):
        run = bc.simulate(looped.plain(), 1.0, integrator=method(step), constraints=mode)
        assert run.statistics["rebasings"] >= 2
        assert run.statistics["steps"] == round(1.0 / step)
        ends.append(run.values("A.angle")[-1])
    exact = bc.simulate(looped.plain(), 1.0, rtol=1e-13, atol=1e-13).values("A.angle")[-1]
    ratio = abs(ends[0] - exact) / abs(ends[1] - exact)
    assert 11 < ratio < 24


# --- borders between bases ----------------------------------------------------------------


def test_events_do_not_mind_the_base():
    events = [bc.Event("up", "A.angle - 3.0"), bc.Event("still", "D.angle_rate", direction=1)]
    mode = Independent(rebase=0.1)
    run, expected = alike(looped.plain(), 4.0, mode, 1e-7, events=events, **TIGHT)
    assert run.statistics["rebasings"] > 20
    assert len(run.events) == len(expected.events) > 2
    for one, other in zip(run.events, expected.events, strict=True):
        assert one.name == other.name
        assert abs(one.time - other.time) < 1e-8


def test_a_terminal_event_ends_it():
    stop = bc.Event("stop", "A.angle - 3.0", terminal=True)
    mode = Independent(rebase=0.1)
    run, _ = alike(looped.plain(), 4.0, mode, 1e-7, events=[stop], **TIGHT)
    assert run.status == "terminated"
    assert abs(run.values("A.angle")[-1] - 3.0) < 1e-9


def test_sampled_inputs_see_coordinates():
    model = looped.plain().add(bc.Motor("motor", "A", bc.Input("effort")))
    seen = []

    def law(t, values):
        seen.append((t, values["A.angle"]))
        return {"effort": -20.0 * (values["A.angle"] - 1.0)}

    sampled = bc.Sampled(law, every=0.05, reads=("A.angle",))
    mode = Independent(rebase=0.1)
    run, expected = alike(model, 1.0, mode, 1e-7, inputs={"effort": sampled})
    assert run.statistics["ticks"] == expected.statistics["ticks"] == 19
    first, second = seen[: len(seen) // 2], seen[len(seen) // 2 :]
    np.testing.assert_allclose(first, second, atol=1e-8)


def test_nonsmooth_laws_do_not_mind_the_base():
    model = looped.plain().add(
        bc.JointSpring("stop", "A", law=lambda angle, rate: 50 * bc.maximum(angle - 1.7, 0))
    )
    run, expected = alike(model, 3.0, Independent(rebase=0.1), 1e-6)
    assert run.statistics["switches"] == expected.statistics["switches"] > 0


def test_an_interruption_keeps_what_there_is():
    def progress(time, steps):
        if time > 2.0:
            raise KeyboardInterrupt

    mode = Independent(rebase=0.1)
    run = bc.simulate(
        looped.plain(), 10_000.0, constraints=mode, progress=progress, every=0.01
    )  # fmt: skip
    assert run.status == "interrupted"
    assert 2.0 < run.t[-1] < 10_000.0
    assert np.isfinite(run.values("A.angle")).all()


def test_a_failure_carries_what_there_is():
    model = looped.plain().add(bc.Torque("motor", "crank", (0, 0, "sqrt(1 - t)")))
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 2.0, constraints=Independent(rebase=0.1))
    message = str(caught.value)
    assert "the solution is not finite, however short the step." in message
    assert "The law of force 'motor' is not defined there: sqrt(1 - t)" in message
    run = caught.value.run
    assert 0.9 < run.t[-1] <= 1.0
    assert np.isfinite(run.values("A.angle")).all()


def test_a_start_where_constraints_are_dependent():
    flat = looped.four_bar(1.0, 2.0, 1.0, 2.0, angle=0.0)
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(flat, 1.0, start={"A.angle_rate": 5.0}, constraints="independent")
    assert caught.value.run.t[-1] < 1e-3
    assert "a singular position, where independent coordinates cannot continue" in str(
        caught.value
    )


def test_backwards():
    run, _ = alike(looped.plain(), -2.0, Independent(rebase=0.2), 1e-7)
    assert run.t[-1] == -2.0


def test_every_step_can_be_recorded():
    mode = Independent(rebase=0.2)
    run = bc.simulate(looped.plain(), 2.0, constraints=mode, every="step")
    assert len(run.t) == run.statistics["steps"] + 1
    assert (np.diff(run.t) > 0).all()


# --- drift --------------------------------------------------------------------------------


def test_feedback_bounds_the_drift():
    """H17: residuals hover with feedback and grow without."""
    loose = {"rtol": 1e-5, "atol": 1e-7, "integrator": bc.DOPRI5()}

    def residual(mode):
        run = bc.simulate(looped.plain(), 40.0, constraints=mode, **loose)
        return np.abs(run.values("constraint_residual"))

    held = residual(Baumgarte())
    with pytest.warns(bc.AuditWarning, match="constraints are open"):
        left = residual(Baumgarte(0.0, 0.0))
    half = len(held) // 2
    assert 1e-9 < held.max() < 1e-3
    assert held[half:].max() < 3 * held[:half].max()
    assert left[half:].max() > 3 * left[:half].max()
    assert left.max() > 10 * held.max()


def test_projection_needs_few_iterations():
    """H17: from 1e-3 to 1e-13 in at most six."""
    system = bc.compile(looped.plain())
    made, calls = projection(system), []
    assert made is not None
    position = made.machine.kernels["position"]

    @KERNEL
    def noted(*tables):
        calls.append(1)
        KERNEL(position.address)(*tables)

    address = ctypes.cast(noted, ctypes.c_void_p).value
    library = dict(zip(ENTRIES, (address, position.batch_address), strict=True))
    counted = Kernel("counted", position.inputs, position.outputs, library,
                     work=position.work, lanes=position.lanes)  # fmt: skip
    held = Projected(replace(made.machine, position=counted))
    q, u = system.pack()
    k = np.zeros(len(system.equations.memory))
    rest = (np.zeros(0), np.zeros(0), system.parameter_vector(), k)
    held.points(0.0, q, u, *rest)  # here it learns how many rows are independent
    off = q + 5e-3 * np.array([1.0, -0.7, 0.4])
    assert np.abs(held.diagnose(0.0, off, u, *rest).position) > 5e-4
    calls.clear()
    there, _ = held.points(0.0, off, u, *rest)
    assert 1 <= len(calls) - 1 <= 6  # the last call finds that nothing is left to do
    assert held.diagnose(0.0, there, u, *rest).position < 1e-13


# --- what cannot be had -------------------------------------------------------------------


def test_unknown_words():
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(looped.plain(), 1.0, constraints="projected")
    assert str(caught.value) == (
        "constraints takes one of 'project', 'independent', 'index2', 'index3', 'baumgarte', "
        "an Independent(…) or a Baumgarte(…), got 'projected'."
    )


def test_implicit_methods_take_no_feedback():
    with pytest.raises(bc.NotSupported, match="Radau5 does not take constraints='baumgarte'"):
        bc.simulate(looped.plain(), 1.0, constraints="baumgarte", integrator=bc.Radau5())
    alpha = bc.GeneralizedAlpha(step=0.01)
    with pytest.raises(bc.NotSupported, match="does not take constraints='independent'"):
        bc.simulate(looped.plain(), 1.0, constraints="independent", integrator=alpha)


def test_trees_have_no_constraints():
    ends = [
        bc.simulate(pendulum(), 1.0, constraints=mode).values("A.angle")[-1]
        for mode in ("project", "independent", "baumgarte")
    ]
    assert len(set(ends)) == 1
