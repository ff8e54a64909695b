"""States by name: assembled, carried from formulation to formulation, and led to places."""

import pickle
import re

import numpy as np
import pytest
from scipy.optimize import minimize
from tests.machines import analysed, looped

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
BODIES = ("position", "orientation", "velocity", "angular_velocity", "acceleration")


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def moving(formulation=FORMULATIONS[0]):
    start = {"A.angle": 1.9, "A.angle_rate": 2.0}
    return bc.assemble(looped.plain(), start, formulation=formulation)


def alike(one, other, tolerance=1e-9):
    """Check that bodies are and move alike in two states."""
    for body in one.model.bodies:
        for name in BODIES:
            a, b = one[f"{body.name}.{name}"], other[f"{body.name}.{name}"]
            b = b if name != "orientation" or a @ b > 0 else -b
            np.testing.assert_allclose(a, b, atol=tolerance)


def test_all_formulations_assemble_the_same_state(formulation):
    state = moving(formulation)
    assert state["A.angle"] == pytest.approx(1.9, abs=1e-12)
    assert state.residual < 1e-12
    assert state.rate_residual < 1e-12
    alike(state, moving())
    assert set(state.moved) == {"B.angle", "C.angle", "D.angle"}
    assert state["D.reaction_force_x"] == pytest.approx(moving()["D.reaction_force"][0])


def test_a_state_is_a_value(formulation):
    state = moving(formulation)
    again = pickle.loads(pickle.dumps(state))
    np.testing.assert_array_equal(again.x, state.x)
    assert again["coupler.position_x"] == state["coupler.position"][0]
    assert bc.assemble(state.model, state, formulation=formulation) is state
    assert "A.angle" in state
    assert "A.angel" not in state
    text = repr(state)
    assert "A.angle" in text
    assert "closing it moved" in text
    assert "<pre>" in state._repr_html_()


def test_a_state_is_taken_over_by_any_formulation(formulation):
    for other in FORMULATIONS:
        taken = bc.assemble(looped.plain(), moving(other), formulation=formulation)
        alike(taken, moving())


def test_states_and_results_start_runs_in_any_formulation(formulation):
    """A run of one formulation, continued in another, ends where one alone does."""
    model = looped.plain()
    whole = bc.simulate(model, 1.0, start=moving())
    for other in (FORMULATIONS[0], bc.Cartesian()):
        half = bc.simulate(model, 0.5, start=moving(formulation), formulation=other)
        run = bc.simulate(model, 1.0, start=half, formulation=formulation)
        assert run.t[0] == 0.5
        assert run.final["A.angle"] == pytest.approx(whole.final["A.angle"], abs=1e-7)


def test_full_turns_are_carried():
    model = looped.plain()
    run = bc.simulate(model, 2.0, start={"A.angle_rate": 12.0})
    assert run.final["A.angle"] > 4 * np.pi
    for formulation in FORMULATIONS:
        state = bc.assemble(model, run, formulation=formulation)
        assert state["A.angle"] == pytest.approx(run.final["A.angle"], abs=1e-8)
        assert state.t == 2.0


def test_pack_takes_joints_and_closes(formulation):
    system = bc.compile(looped.plain(), formulation)
    q, u = system.pack({"A.angle": 1.9, "A.angle_rate": 2.0})
    seen = system.observe(q, u)
    assert seen["constraint_residual"] < 1e-12
    assert seen["constraint_rate_residual"] < 1e-12
    assert seen["A.angle"] == pytest.approx(1.9, abs=1e-12)
    for given in (moving(formulation), moving()):
        np.testing.assert_allclose(system.observe(*system.pack(given))["A.angle"], 1.9)
    again = system.pack(system.unpack(q, u))
    np.testing.assert_allclose(again[0], q, atol=1e-15)


def test_speeds_can_be_handed_over_to_be_projected():
    near = {"A.angle_rate": bc.Near(2.0), "D.angle_rate": bc.Near(-5.0)}
    state = bc.assemble(looped.plain(), near)
    assert state.rate_residual < 1e-12


def test_parameters_and_time():
    model = analysed.ziegler()
    assert bc.assemble(model, parameters={"P": 2.5}).parameters["P"] == 2.5
    state = bc.assemble(model, {"A": 0.1}, parameters={"P": 2.5}, t=3.0)
    assert state.t == 3.0
    assert bc.assemble(model, state).parameters["P"] == 2.5
    run = bc.simulate(model, 4.0, start=state)
    assert run.t[0] == 3.0


# --- places


def arm():
    bodies = [
        bc.Body(name, bc.Capsule((0, 0, i), (0, 0, i + 1), 0.05, mass=1.0))
        for i, name in enumerate("abc")
    ]
    joints = [
        bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y", limits=(-1.5, 1.5)),
        bc.Revolute("B", "a", "b", at=(0, 0, 1), axis="y", limits=(-2, 2)),
        bc.Spherical("C", "b", "c", at=(0, 0, 2)),
    ]
    tip = bc.Point("tip", "c", at=(0, 0, 3))
    return bc.Model("arm", bodies=bodies, joints=joints, points=[tip])


def test_a_point_is_led_to_a_place(formulation):
    there = (1.0, 0.2, 1.5)
    state = bc.assemble(arm(), {"tip.position": there}, formulation=formulation)
    np.testing.assert_allclose(state["tip.position"], there, atol=1e-10)
    # The one of least change: what is free has nothing to gain.
    reference = bc.assemble(arm(), {"tip.position": there})
    assert state["A.angle"] == pytest.approx(reference["A.angle"], abs=1e-8)


def test_through_a_loop(formulation):
    model = looped.plain().add(bc.Point("tip", "coupler", at=(1.0, 2.0)))
    state = bc.assemble(model, {"tip.position_x": 0.5}, formulation=formulation)
    assert state["tip.position_x"] == pytest.approx(0.5, abs=1e-10)
    assert state.residual < 1e-10
    run = bc.simulate(model, 0.1, start={"tip.position_x": 0.5}, formulation=formulation)
    assert run.values("tip.position_x")[0] == pytest.approx(0.5, abs=1e-10)


def test_orientations_speeds_and_names_together():
    turned = (np.cos(0.3), 0.0, np.sin(0.3), 0.0)
    start = {"c.orientation": turned, "tip.position_x": 1.0, "tip.velocity": (0.1, 0.2, 0.3)}
    state = bc.assemble(arm(), start)
    np.testing.assert_allclose(np.abs(state["c.orientation"] @ turned), 1.0, atol=1e-12)
    np.testing.assert_allclose(state["tip.velocity"], (0.1, 0.2, 0.3), atol=1e-10)
    assert state["tip.position_x"] == pytest.approx(1.0, abs=1e-10)
    held = bc.assemble(arm(), {"tip.position": (1.0, 0.2, 1.5), "A": 0.2})
    assert held["A.angle"] == pytest.approx(0.2, abs=1e-12)


def test_limits_are_kept():
    state = bc.assemble(arm(), {"tip.position": (-0.5, 0.0, 0.2)})
    assert -1.5 - 1e-9 <= state["A.angle"] <= 1.5 + 1e-9
    assert -2.0 - 1e-9 <= state["B.angle"] <= 2.0 + 1e-9
    np.testing.assert_allclose(state["tip.position"], (-0.5, 0.0, 0.2), atol=1e-9)


@pytest.mark.parametrize("n", range(3))
def test_a_place_beyond_limits_is_told_as_near_as_it_gets(n):
    """Against bounded minimization from many starts: the distance to 1e-5, limits kept."""
    rng = np.random.default_rng(n)
    lengths = np.array([1.0, 0.7, 0.4])
    ends = [(-float(a), float(b)) for a, b in rng.uniform(0.2, 1.2, (3, 2))]
    there, heights = rng.uniform(-2.5, 2.5, 2), [0.0, *np.cumsum(lengths).tolist()]
    model = bc.Model(
        "limited",
        bodies=[bc.Body(b, bc.Capsule((0, 0, low), (0, 0, high), 0.05, mass=1.0))
                for b, low, high in zip("abc", heights, heights[1:], strict=False)],
        joints=[bc.Revolute(j, one, two, at=(0, 0, z), axis="y", limits=pair)
                for j, one, two, z, pair in zip("ABC", ("ground", "a", "b"), "abc", heights,
                                                ends, strict=False)],
        points=[bc.Point("tip", "c", at=(0, 0, heights[-1]))],
    )  # fmt: skip

    def off(q):
        turned = np.cumsum(q)
        tip = np.array([(lengths * np.sin(turned)).sum(), (lengths * np.cos(turned)).sum()])
        return float(((tip - there) ** 2).sum())

    starts = rng.uniform(*np.array(ends).T, size=(8, 3))
    least = np.sqrt(min(minimize(off, q, bounds=ends).fun for q in starts))
    start = {"tip.position": (there[0], 0.0, there[1])}
    if least < 1e-4:
        state = bc.assemble(model, start)
        for joint, (low, high) in zip("ABC", ends, strict=True):
            assert low - 1e-9 <= state[f"{joint}.angle"] <= high + 1e-9
        return
    with pytest.raises(bc.StartError) as caught:
        bc.assemble(model, start)
    told = float(re.search(r"stays ([\d.e-]+) m away", str(caught.value)).group(1))
    assert told == pytest.approx(least, abs=2e-5)


def test_full_turns_of_a_rack_are_carried():
    """A pinion that has turned more than once is where it is in every formulation."""
    model = bc.Model(
        "rack",
        bodies=[
            bc.Body("pinion", mass=1.0, com=(0, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0)),
            bc.Body("bar", mass=1.0, com=(0, 1, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "pinion", at=(0, 0, 0), axis="z"),
            bc.Prismatic("B", "ground", "bar", at=(0, 1, 0), axis="x"),
        ],
        constraints=[bc.RackAndPinion("tie", "B", "A", 0.3)],
    )
    state = bc.assemble(model, {"A.angle": 8.0})
    for formulation in FORMULATIONS:
        other = bc.assemble(model, state, formulation=formulation)
        assert other["A.angle"] == pytest.approx(8.0, abs=1e-12)
        assert abs(other["B.offset"]) == pytest.approx(2.4, abs=1e-12)
    run = bc.simulate(model, 0.01, start=state, formulation=bc.Cartesian())
    assert run.values("A.angle")[0] == pytest.approx(8.0, abs=1e-12)


def test_what_cannot_be_reached_is_named():
    with pytest.raises(bc.StartError, match=r"'tip.position' stays 0.5\d* m away"):
        bc.assemble(arm(), {"tip.position": (3.5, 0.0, 0.0)})
    with pytest.raises(bc.StartError, match=r"'tip.position' takes 3 finite numbers"):
        bc.assemble(arm(), {"tip.position": (3.5, 0.0, 0.0, 1.0)})
    with pytest.raises(bc.StartError) as caught:
        bc.assemble(arm(), {"c.orientation_0": 1.0})
    assert str(caught.value) == (
        "'c.orientation_0': single Euler parameters cannot be prescribed; give all four as "
        "'c.orientation'."
    )


def test_of_several_speeds_the_one_that_is_furthest_off_is_named():
    """Link a turns about y: its mass centre moves along x alone, and the tip as it is told."""
    start = {"tip.velocity_x": 0.1, "a.velocity": (0.2, 0.7, 0.0)}
    with pytest.raises(bc.StartError) as caught:
        bc.assemble(arm(), start)
    assert str(caught.value) == (
        "'a.velocity' cannot have the speed asked for: the constraints, and what else start "
        "names, allow a.velocity_y = 0, not 0.7."
    )


# --- mistakes


def test_mistakes_are_named():
    state = moving()
    with pytest.raises(bc.UnknownName, match=r"Did you mean 'A.angle'"):
        state["A.angel"]
    with pytest.raises(bc.StartError, match=r"the state to continue has .*which 'arm' has not"):
        bc.assemble(arm(), state)
    single = bc.assemble(analysed.hanging_rods().without("B", "lower"))
    with pytest.raises(bc.StartError, match=r"has no 'B.angle', 'B.angle_rate': it is of ano"):
        bc.assemble(analysed.hanging_rods(), single)
    with pytest.raises(bc.OptionError, match=r"formulation takes one such as"):
        bc.assemble(looped.plain(), formulation="Kane")  # type: ignore[arg-type]
    with pytest.raises(bc.OptionError, match=r"a machine is a bc.Model"):
        bc.assemble("four-bar")  # type: ignore[arg-type]
    with pytest.raises(bc.UnknownName, match="no input named 'torque'"):
        bc.assemble(looped.plain(), inputs={"torque": 1.0})


def test_questions_off_the_constraints_say_so(formulation):
    system = bc.compile(looped.plain(), formulation)
    q, u = system.pack({"A": 1.9})
    off = q + 0.05 * np.cos(np.arange(len(q)))
    for ask in (system.accelerations, lambda q, u: system.inverse_dynamics(q, u, u)):
        ask(q, u)  # on them there is nothing to say
        with pytest.warns(bc.OffConstraints, match="of 'four-bar' are asked for off its"):
            ask(off, u)
