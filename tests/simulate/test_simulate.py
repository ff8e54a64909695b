"""The whole flow: options, parameters, continuing, events, failures."""

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.testing import machine, state


def pendulum(length=1.0, mass=1.0):
    return bc.Model(
        "pendulum",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1 * length), mass=mass))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        points=[bc.Point("tip", "rod", at=(0, 0, -1 * length))],
    )


def test_a_swept_rod_length_equals_a_rebuilt_model():
    swept = pendulum(bc.Parameter("L", 1.0), bc.Parameter("m", 2.0))
    for length in (0.5, 1.0, 1.7):
        one = bc.simulate(swept, 2.0, start={"A": 1.0}, parameters={"L": length}, every=0.1)
        other = bc.simulate(pendulum(length, 2.0), 2.0, start={"A": 1.0}, every=0.1)
        for name in ("A.angle", "tip.position", "energy", "A.reaction_force"):
            np.testing.assert_allclose(one.values(name), other.values(name), atol=2e-9)


def test_records_are_where_they_are_asked_for():
    run = bc.simulate(pendulum(), until=1.0, start={"A": 1.0})
    np.testing.assert_array_equal(run.t, np.linspace(0, 1, 1001))
    run = bc.simulate(pendulum(), until=1.0, start={"A": 1.0}, every=0.3)
    np.testing.assert_allclose(run.t, [0, 0.3, 0.6, 0.9, 1.0], rtol=1e-15)
    run = bc.simulate(pendulum(), until=1.0, start={"A": 1.0}, every="step")
    assert len(run.t) == run.statistics["steps"] + 1


def test_a_result_can_be_continued():
    model = machine(["Free", "Universal"], forces=["SpringDamper"])
    start = state(model, 4)
    whole = bc.simulate(model, until=1.0, start=start, every=0.25)
    half = bc.simulate(model, until=0.5, start=start, every=0.25)
    rest = bc.simulate(model, until=1.0, start=half, every=0.25)
    assert rest.t[0] == 0.5
    for name in whole.states:
        np.testing.assert_allclose(rest.values(name)[-1], whole.values(name)[-1], atol=1e-7)


def test_time_runs_backwards_too():
    there = bc.simulate(pendulum(), until=1.0, start={"A": 1.0}, every=0.5)
    back = bc.simulate(pendulum(), until=0.0, start=there, every=0.5)
    assert back.values("A.angle")[-1] == pytest.approx(1.0, abs=1e-8)


def test_events_are_found_named_and_may_end_the_run():
    run = bc.simulate(
        pendulum(),
        until=5.0,
        start={"A": 0.1},
        events=[
            bc.Event("bottom", "A.angle", direction=-1),
            bc.Event("enough", "t - 2.5", terminal=True),
        ],
    )
    assert run.status == "terminated"
    # T = 2π √(2L/3g) (1 + A²/16 + 11 A⁴/3072 + …)
    period = 2 * np.pi * np.sqrt(2 / (3 * 9.81)) * (1 + 0.1**2 / 16 + 11 * 0.1**4 / 3072)
    crossings = [event.time for event in run.events if event.name == "bottom"]
    np.testing.assert_allclose(crossings[:2], [period / 4, 5 * period / 4], atol=1e-8)
    assert run.events[-1].name == "enough"
    assert run.t[-1] == pytest.approx(2.5, abs=1e-12)


def test_an_event_that_rests_at_zero_happens_once_in_each_swing():
    options = {"start": {"A": 1.0}, "until": 5.0}
    plain, rests = (
        bc.simulate(pendulum(), events=[bc.Event("down", when, direction=-1)], **options)
        for when in ("A.angle", "max(A.angle, 0)")
    )
    assert len(plain.events) == 3
    np.testing.assert_allclose(
        rests.events.times("down"), plain.events.times("down"), rtol=1e-13
    )


def test_an_event_that_is_not_a_number_is_named_and_the_run_kept():
    """The rod falls from 1 rad; its angle is below zero from a quarter of a period on."""
    passes = bc.Event("bottom", "A.angle")
    root = bc.Event("root", "sqrt(A.angle) - 2")
    quarter = bc.simulate(pendulum(), 1.0, start={"A": 1.0}, events=[passes]).events[0].time
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(pendulum(), 2.0, start={"A": 1.0}, events=[passes, root], every=0.1)
    assert str(caught.value) == (
        f"stopped at t = {quarter:.9g} s: at or beyond t = {quarter:.9g} s event 'root' is not "
        "a number. What it looks at must have a value all the time, such as sqrt(max(x, 0)) in "
        "place of sqrt(x). The run up to there is kept in `.run` of this error."
    )
    run = caught.value.run
    np.testing.assert_allclose(run.t, [*np.arange(0, quarter, 0.1), quarter], rtol=1e-13)
    assert abs(run.values("A.angle")[-1]) < 1e-12


def test_a_missing_signal_in_an_event_is_named():
    with pytest.raises(bc.ModelError, match=r"joint 'A' has no 'angel'. Did you mean 'angle'"):
        bc.simulate(pendulum(), until=1.0, events=[bc.Event("e", "A.angel")])


def test_a_tolerance_for_a_fixed_step_is_refused():
    with pytest.raises(bc.OptionError, match="rtol"):
        bc.simulate(pendulum(), until=1.0, integrator=bc.RK4(step=0.01), rtol=1e-6)


def test_a_failed_run_keeps_what_was_computed():
    """ẍ = x³ blows up: x = √2/(τ − t) from x = √2, ẋ = √2 ends at τ = 1."""
    model = bc.Model(
        "runaway",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=1.0))],
        joints=[bc.Prismatic("X", "ground", "block", axis="x")],
        forces=[bc.Motor("push", "X", effort="X.offset**3")],
    )
    start = {"X": np.sqrt(2), "X.offset_rate": np.sqrt(2)}
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, until=2.0, start=start, every=0.01)
    failed = caught.value
    assert failed.time == pytest.approx(1.0, abs=1e-3)
    assert "kept in `.run`" in str(failed)
    t = failed.run.t
    assert t[-1] > 0.9
    early = t < 0.9
    exact = np.sqrt(2) / (1 - t[early])
    np.testing.assert_allclose(failed.run.values("X.offset")[early], exact, rtol=1e-6)


# A test run in the background has SIGINT ignored, which a child would inherit.
INTERRUPTED = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.default_int_handler)
import bellcrank as bc
model = bc.Model(
    "pendulum",
    bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=1.0))],
    joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
)
bc.simulate(model, until=1.0, start={"A": 1.0})
print("ready", flush=True)
run = bc.simulate(model, until=1e8, start={"A": 1.0}, every=100.0, rtol=1e-12)
print(run.status, len(run.t), run.t[-1] > 0, flush=True)
"""


def test_ctrl_c_returns_the_partial_result():
    """SIGINT to a child in the middle of a run of hours yields what there is."""
    child = subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.7)
    child.send_signal(signal.SIGINT)
    status, count, moved = child.stdout.readline().split()
    child.wait(timeout=20)
    assert (status, moved) == ("interrupted", "True")
    assert int(count) > 0


def test_progress_is_told():
    told = []
    model = machine(["Free", "Spherical", "Universal"])
    bc.simulate(model, until=3.0, start=state(model, 1), progress=lambda t, n: told.append(t))
    assert told == sorted(told)


def test_a_machine_that_cannot_move_is_simulated_all_the_same():
    model = bc.Model(
        "shelf",
        bodies=[bc.Body("shelf", bc.Box((1, 1, 0.1), mass=3.0))],
        joints=[bc.Fixed("wall", "ground", "shelf")],
    )
    run = bc.simulate(model, until=1.0)
    assert run.values("wall.reaction_force")[-1] == pytest.approx([0, 0, 3 * 9.81])


def test_nonsmooth_forces_are_met_at_full_accuracy():
    """A block braked by dry friction μ = sign(v) stops at v0²/2a, and x follows exactly."""
    model = bc.Model(
        "brake",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=1.0))],
        joints=[bc.Prismatic("X", "ground", "block", axis="x")],
        forces=[bc.Motor("drag", "X", effort="-2*where(X.offset < 1, 0, 1) - X.offset")],
    )
    run = bc.simulate(model, until=1.0, start={"X.offset_rate": 2.0}, every=0.05)
    reach = np.arcsin(0.5)  # x = 2 sin t reaches 1
    t = run.t
    before = t <= reach
    np.testing.assert_allclose(run.values("X.offset")[before], 2 * np.sin(t[before]), atol=1e-9)
    s = t[~before] - reach  # then ẍ = −2 − x from (1, √3)
    after = 3 * np.cos(s) + np.sqrt(3) * np.sin(s) - 2
    np.testing.assert_allclose(run.values("X.offset")[~before], after, atol=1e-9)
    assert run.statistics["switches"] >= 1
