"""Kane's equations in few speeds: u = Y q̇ + z over joint coordinates, of one's own choice."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import IntegrationFailed, NearlySingular, OptionError, StartError

PENDULUM = {"u1": "A.angle_rate", "u2": "A.angle_rate + B.angle_rate"}
TURNED = {
    "u1": "cos(A.angle)*A.angle_rate + sin(A.angle)*B.angle_rate + sin(3*t)",
    "u2": "cos(A.angle)*B.angle_rate - sin(A.angle)*A.angle_rate",
}


def mixed():
    """A machine of a free, a ball and a universal joint, every number with its digits."""
    inertia = (1.0, 1.2, 0.9, 0.1, 0.0, 0.05)
    return bc.Model(
        "mixed",
        bodies=[
            bc.Body("a", mass=1.3, com=(0.1, 0.2, 0.3), inertia=inertia),
            bc.Body("b", mass=0.7, com=(1.1, 0.2, 0.3), inertia=(0.5, 0.4, 0.3, 0, 0.02, 0.01)),
            bc.Body("c", mass=0.9, com=(1.5, 0.7, 0.3), inertia=(0.3, 0.2, 0.25, 0, 0, 0)),
        ],
        joints=[
            bc.Free("F", "ground", "a", at=(0, 0, 0)),
            bc.Spherical("S", "a", "b", at=(0.6, 0.1, 0.2)),
            bc.Universal("U", "b", "c", at=(1.3, 0.3, 0.3), axis1="x", axis2="y"),
        ],
        parameters=[bc.Parameter("k", 0.3)],
    )


MIXED = {
    "a1": "S.angular_velocity_x + 2*U.angle1_rate*cos(U.angle2)",
    "w": "F.angular_velocity_x + S.orientation_1*S.angular_velocity_x + sin(t)",
    "v": "F.velocity_x + k*F.angular_velocity_y",
}
START = {
    "F.angular_velocity": (0.3, 0.2, -0.5), "S.angular_velocity": (1, 0.2, 0.3),
    "U.angle1": 0.4, "U.angle2_rate": 1.0, "F.velocity": (0.1, 0.2, 3),
}  # fmt: skip


@pytest.mark.parametrize("speeds", [PENDULUM, TURNED], ids=["sums", "turned"])
def test_the_motion_is_that_of_joint_rates(speeds):
    model, start = examples.load("double-pendulum"), {"A": 0.3, "B.angle_rate": 2.0}
    ref = bc.simulate(model, 2.0, start=start)
    run = bc.simulate(model, 2.0, start=start, formulation=bc.JointCoordinates(speeds))
    for name in ("A.angle", "B.angle_rate", "tip.position"):
        np.testing.assert_allclose(run.values(name), ref.values(name), atol=1e-8)
    if speeds is PENDULUM:
        total = run.values("A.angle_rate") + run.values("B.angle_rate")
        np.testing.assert_allclose(run.values("u2"), total, atol=1e-14)
        assert run["u2"].attrs["units"] == "rad/s"


@pytest.mark.parametrize("name", ["mixed", "four-bar"])
def test_all_laws_hold_in_chosen_speeds(name):
    model = mixed() if name == "mixed" else examples.load(name)
    few = MIXED if name == "mixed" else {"u1": "A.angle_rate + 0.5*B.angle_rate"}
    formulations = [bc.JointCoordinates(), bc.JointCoordinates(few)]
    found = bc.verify(model, 0.3, formulations=formulations, states=5, runs=False)
    assert found.agrees


def test_matrices_of_chosen_speeds_follow_from_those_of_joint_rates():
    """A = Tᵀ A_y T, [v_K,u] = [v_K,y] T, q̇ = W u + x: as (12) and (13) of the source."""
    model = mixed()
    few, plain = bc.equations(model, bc.JointCoordinates(MIXED)), bc.equations(model)
    rng = np.random.default_rng(4)
    q = np.array(few.drawing({})) + 0.1 * rng.standard_normal(len(few.coordinates))
    Y, z = few.speeds_matrix(q, t=0.4), few.speeds_remainder(q, t=0.4)
    y = rng.standard_normal(len(Y))
    u, T = Y @ y + z, np.linalg.inv(Y)
    np.testing.assert_allclose(
        few.mass_matrix(q, u, 0.4), T.T @ plain.mass_matrix(q) @ T, atol=1e-12
    )
    rate = plain.kinematics_matrix(q) @ y
    got = few.kinematics_matrix(q, t=0.4) @ u + few.kinematics_remainder(q, t=0.4)
    np.testing.assert_allclose(got, rate, atol=1e-13)
    for body in ("a", "b", "c"):
        wanted = plain.partial_velocity[body](q) @ T
        np.testing.assert_allclose(few.partial_velocity[body](q, t=0.4), wanted, atol=1e-13)
    # Generalized active and inertia forces add up to zero where u̇ is that of the machine.
    rates = bc.compile(model, bc.JointCoordinates(MIXED)).accelerations(q, u, t=0.4)
    active = few.generalized_active_force(q, u, 0.4)
    inertia = few.generalized_inertia_force(q, u, rates, 0.4)
    np.testing.assert_allclose(active + inertia, 0, atol=1e-12 * np.abs(active).max())
    assert np.abs(active).max() > 1.0


def test_speeds_may_be_given_by_a_matrix_of_the_rates_of_all_coordinates():
    """Euler parameters have four rates and three speeds."""
    model = examples.load("heavy-top")
    plain = bc.equations(model)
    Y = np.random.default_rng(3).normal(size=(len(plain.speeds), len(plain.coordinates)))
    rows = Y.tolist()
    rows[0][0] = f"1 + {plain.coordinates[1].name}**2"
    linear = bc.JointCoordinates(bc.LinearSpeeds(rows, z=["sin(t)", 0.1, 0.1]))
    start = {"tip.angular_velocity": (1.0, 0.2, 30.0)}
    state, other = (
        bc.assemble(model, start, t=0.3, formulation=f) for f in (bc.JointCoordinates(), linear)
    )
    body = model.bodies[0].name
    for name in (f"{body}.acceleration", f"{body}.angular_acceleration"):
        np.testing.assert_allclose(other[name], state[name], rtol=1e-11, atol=1e-11)


def test_a_run_may_start_with_its_speeds_and_continue_in_any():
    model, few = examples.load("double-pendulum"), bc.JointCoordinates(PENDULUM)
    run = bc.simulate(model, 0.5, start={"A": 7.3, "u2": 2.0}, formulation=few)
    assert run.values("A.angle")[0] == 7.3
    assert (run.values("u1")[0], run.values("B.angle_rate")[0]) == (0.0, 2.0)
    ends = [bc.simulate(model, 1.0, start=run, formulation=f).final["tip.position"]
            for f in (few, bc.JointCoordinates())]  # fmt: skip
    np.testing.assert_allclose(*ends, atol=1e-8)
    with pytest.raises(StartError, match=r"speeds.*'u1'.*joint rates.*'B.angle_rate'"):
        bc.assemble(model, {"u1": 1.0, "B.angle_rate": 2.0}, formulation=few)


def test_the_speed_of_a_loop_is_held_and_the_others_follow():
    model = examples.load("four-bar")
    few = bc.JointCoordinates({"u1": "A.angle_rate + 0.5*B.angle_rate"})
    state = bc.assemble(model, {"A": 0.2, "u1": 1.5}, formulation=few)
    assert state["u1"] == pytest.approx(1.5, abs=1e-12)
    assert state["A.angle_rate"] + 0.5 * state["B.angle_rate"] == pytest.approx(1.5, abs=1e-12)
    assert state.rate_residual < 1e-12


@pytest.mark.parametrize(("speeds", "told"), [
    ({"u1": "A.angle_rate", "u2": "2*A.angle_rate"}, "'u1', 'u2' depend on each other"),
    ({"u1": "A.angle_rat"}, "Did you mean 'A.angle_rate'"),
    ({"u1": "A.angle_rate**2"}, "not linear"),
    ({"u1": "A.angle*A.angle_rate"}, r"no joint rate is left in 'u1' in the drawing \(A.angle"),
    ({"A": "A.angle_rate"}, "name of something else"),
    ({"t": "A.angle_rate"}, "meaning"),
    ({"u1": "abs(A.angle_rate)"}, "not smooth"),
    ({"a": "A.angle_rate", "b": "B.angle_rate", "c": "A.angle_rate"}, "2 joint rates"),
    (3, "speeds takes expressions"),
    ({}, "speeds takes expressions"),
    (bc.LinearSpeeds([[1.0]]), "Y has 2 columns"),
    (bc.LinearSpeeds([["angel", 0.0]]), "no coordinate named 'angel'"),
])  # fmt: skip
def test_choices_that_are_none_are_refused(speeds, told):
    with pytest.raises(OptionError, match=told):
        bc.equations(examples.load("double-pendulum"), bc.JointCoordinates(speeds))


def test_a_run_stops_where_speeds_become_dependent():
    model = examples.load("double-pendulum")
    few = bc.JointCoordinates({"u1": "cos(A.angle)*A.angle_rate"})
    start = {"A": 1.5, "A.angle_rate": 2.0}
    with (
        pytest.raises(IntegrationFailed, match="Y of the speeds"),
        pytest.warns(NearlySingular, match="Y of the speeds"),
    ):
        bc.simulate(model, 1.0, start=start, formulation=few)


def test_a_choice_is_a_value():
    one, two = (bc.JointCoordinates(speeds=PENDULUM) for _ in range(2))
    assert one == two
    assert hash(one) == hash(two)
    assert one != bc.JointCoordinates()
    assert eval(repr(one), vars(bc)) == one
