"""Stiff machines: a spring that explicit methods cannot follow, and a stiff double pendulum."""

import subprocess
import sys
from math import pi

import numpy as np
import pytest

import bellcrank as bc

# --- a stiff spring (SPEC H13) ------------------------------------------------------------

STIFFNESS, DAMPING, MASS = 1e8, 2e5, 1.0


@pytest.fixture(scope="module")
def sprung():
    """A mass on a stiff spring and damper, pushed by cos t."""
    return bc.Model(
        "sprung mass",
        bodies=[bc.Body("block", bc.Sphere(0.1, (0, 0, 0), mass=MASS))],
        joints=[bc.Prismatic("S", "ground", "block", axis="x")],
        forces=[
            bc.JointSpring("spring", "S", stiffness=STIFFNESS, damping=DAMPING),
            bc.Force("push", "block", (f"{STIFFNESS}*cos(t)", 0, 0)),
        ],
        gravity=(0, 0, 0),
    )


def slow(t):
    """Return position and velocity on the slow manifold: the steady answer to cos t."""
    answer = STIFFNESS / (STIFFNESS - MASS + 1j * DAMPING)
    return (answer * np.exp(1j * t)).real, (1j * answer * np.exp(1j * t)).real


def begin():
    """Return the start on the slow manifold."""
    offset, rate = slow(0.0)
    return {"S.offset": offset, "S.offset_rate": rate}


@pytest.mark.parametrize(
    ("method", "options"),
    [
        (bc.Radau5(first_step=0.05, max_step=0.05), {"rtol": 0.1, "atol": 1.0}),
        (bc.SDIRK54(first_step=0.05, max_step=0.05), {"rtol": 0.1, "atol": 1.0}),
    ],
    ids=lambda each: type(each).__name__,
)
def test_stable_methods_follow_the_slow_motion_of_a_stiff_spring(sprung, method, options):
    """Steps of 0.05 s, 10,000 times the fastest time constant, tolerances that accept all."""
    run = bc.simulate(sprung, 2.0, start=begin(), integrator=method, every="step", **options)
    t = np.asarray(run.t)
    assert len(t) == 41
    assert abs(run.values("S.offset") - slow(t)[0]).max() < 1e-4


@pytest.mark.parametrize("method", [bc.Gauss2(step=0.05), bc.Trapezoidal(step=0.05)], ids=repr)
def test_fixed_steps_follow_it_too_from_the_slow_manifold(sprung, method):
    run = bc.simulate(sprung, 2.0, start=begin(), integrator=method, every="step")
    t = np.asarray(run.t)
    assert abs(run.values("S.offset") - slow(t)[0]).max() < 3e-3


def test_the_same_steps_of_rk4_explode(sprung):
    with pytest.warns(bc.AuditWarning, match="take a shorter step"):
        run = bc.simulate(
            sprung, 0.2, start=begin(), integrator=bc.RK4(step=0.05), every="step"
        )
    assert abs(run.values("S.offset") - slow(np.asarray(run.t))[0]).max() > 1e3


# --- the stiff double pendulum (REFERENCES 6.4) -------------------------------------------

TIMES = (0.1, 0.5, 1.0, 4.0)
PUBLISHED = np.array([
    [5.541325544013, 5.54143744605, 5.941713144895, 5.943027161587],
    [4.28179872153, 4.281838249258, -4.944790311955, -4.946189100862],
    [5.175991304269, 5.176033384795, 1.371969162592, 1.372697018971],
    [4.683237011393, 4.683233440821, -0.035422310448, -0.035459152207],
])
"""Absolute angles and rates of both rods at `TIMES`."""
STIFF_START = {"A.angle": 3 * pi / 2, "A.angle_rate": 10.0}


@pytest.fixture(scope="module")
def pendulum():
    """Two rods with stiff rotational springs and dampers, after Negrut and Haug."""
    return bc.Model(
        "stiff double pendulum",
        planar=True,
        bodies=[
            bc.Body("upper", bc.Rod((0, 0), (2, 0), mass=3.0)),
            bc.Body("lower", bc.Rod((2, 0), (5, 0), mass=0.3)),
        ],
        joints=[
            bc.Revolute("A", "ground", "upper", at=(0, 0)),
            bc.Revolute("B", "upper", "lower", at=(2, 0)),
        ],
        forces=[
            bc.JointSpring("soft", "A", stiffness=400, damping=15, rest=3 * pi / 2),
            bc.JointSpring("stiff", "B", stiffness=3e5, damping=5e4),
        ],
    )


def error_and_steps(model, method, rtol):
    """Return the largest error at `TIMES`, and the steps taken."""
    run = bc.simulate(
        model, 4.0, start=STIFF_START, integrator=method, rtol=rtol, atol=rtol / 100, every=0.1
    )
    rows = [int(np.argmin(abs(np.asarray(run.t) - t))) for t in TIMES]
    a, b, da, db = (
        np.asarray(run.values(each))[rows]
        for each in ("A.angle", "B.angle", "A.angle_rate", "B.angle_rate")
    )
    found = np.column_stack([a, a + b, da, da + db])
    return abs(found - PUBLISHED).max(), run.statistics["steps"]


@pytest.mark.parametrize(("method", "rtol"), [(bc.Radau5(), 1e-7), (bc.SDIRK54(), 1e-8)])
def test_the_stiff_double_pendulum_to_six_digits(pendulum, method, rtol):
    error, steps = error_and_steps(pendulum, method, rtol)
    assert error < 1e-6
    assert steps < 1500


def test_radau_takes_fifty_times_fewer_steps_than_dopri_at_equal_error(pendulum):
    """Explicit steps are held below 3.3 / 1.02e5 s by stability, whatever the tolerance."""
    explicit, many = error_and_steps(pendulum, bc.DOPRI5(), 1e-6)
    for rtol in (1e-7, 1e-8, 1e-9, 1e-10):
        error, steps = error_and_steps(pendulum, bc.Radau5(), rtol)
        if error <= explicit:
            break
    assert error <= explicit < 1e-6
    assert many >= 50 * steps


# --- attitude -----------------------------------------------------------------------------


def test_a_free_body_keeps_its_momentum_and_its_unit_parameters():
    """All seven coordinates are integrated, four of them Euler parameters of unit length."""
    body = bc.Model(
        "brick",
        bodies=[bc.Body("brick", bc.Box((0.3, 0.2, 0.1), mass=2.0))],
        joints=[bc.Free("F", "ground", "brick")],
        gravity=(0, 0, 0),
    )
    start = {"F.angular_velocity": (0.1, 9.0, 0.2), "F.velocity": (1.0, 2.0, 3.0)}
    exact = bc.simulate(body, 5.0, start=start, integrator=bc.DOP853(), rtol=1e-12, every=0.1)
    for method, rtol, off in (
        (bc.Radau5(), 1e-9, 1e-6),
        (bc.SDIRK54(), 1e-8, 1e-5),
        (bc.Gauss2(step=0.002), None, 1e-5),
        (bc.Trapezoidal(step=0.0005), None, 1e-3),
    ):
        run = bc.simulate(body, 5.0, start=start, integrator=method, rtol=rtol, every=0.1)
        p = np.asarray(run.values("F.orientation"))
        np.testing.assert_allclose(np.linalg.norm(p, axis=1), 1.0, atol=1e-14)
        np.testing.assert_allclose(p, exact.values("F.orientation"), atol=off)
        momentum = np.asarray(run.values("angular_momentum"))
        np.testing.assert_allclose(momentum, momentum[:1].repeat(51, 0), atol=off)


@pytest.mark.parametrize("method", [bc.Radau5(), bc.GeneralizedAlpha(step=0.01)])
def test_a_machine_without_freedom_follows_its_driver(method):
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))
    model = bc.Model(
        "driven",
        bodies=[rod],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        drivers=[bc.Drive("motor", "A", angle="sin(t)")],
    )
    run = bc.simulate(model, 1.0, integrator=method)
    np.testing.assert_allclose(run.values("A.angle"), np.sin(run.t), atol=1e-13)
    np.testing.assert_allclose(run.values("A.angle_rate"), np.cos(run.t), atol=1e-12)
    effort = -np.sin(run.t) / 3 - 9.81 / 2 * np.cos(np.sin(run.t))
    np.testing.assert_allclose(run.values("motor.effort"), effort, atol=1e-10)


WARM = """
import sys
from math import pi
import bellcrank as bc
model = bc.Model(
    "warm stiff pendulum",
    bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
    joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
    forces=[bc.JointSpring("spring", "A", stiffness=1e4, damping=1e4)],
)
run = bc.simulate(model, 1.0, integrator=bc.Radau5(), start={"A.angle": 0.1})
print(run.statistics["steps"], *sorted({"numba", "scipy", "casadi"} & set(sys.modules)))
"""


def test_a_warm_process_needs_no_compiler():
    command = [sys.executable, "-c", WARM]
    subprocess.run(command, capture_output=True, check=True)
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    words = run.stdout.split()
    assert words[1:] == []
    assert int(words[0]) < 500
