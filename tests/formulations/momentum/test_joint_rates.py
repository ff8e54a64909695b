"""Torque-free arms whose joints are prescribed: C08, C10, C11, C18, C19, C21, C22, C26, C28.

Numbers of the two cycles are those of the specification; references are written in the fewest
coordinates. Momentum is summed over bodies from their recorded positions and velocities.
"""

import numpy as np
import pytest
from tests.formulations.momentum.arms import TIGHT, PlanarArm, SpatialArm, turn_between

import bellcrank as bc

pytestmark = pytest.mark.slow

PLANAR, SPATIAL = PlanarArm(), SpatialArm()
CYCLE = 2 * np.pi

# One machine for all timings: it is compiled once. τ(t) runs from 0 to 2π in any way.
WARP = bc.Parameter("warp", 0.0)
LATE = "(t + warp*sin(t)**3)"


def planar_arm():
    return PLANAR.model(
        bc.Drive("d2", "shoulder", angle=f"0.9*(1 - cos{LATE})"),
        bc.Drive("d3", "elbow", angle=f"0.9*sin{LATE}"),
        parameters=[WARP],
    )


def spatial_arm():
    return SPATIAL.model(
        bc.Drive(
            "d1", "shoulder", angle1=f"0.6*sin{LATE}", angle2=f"0.8 + 0.5*(1 - cos{LATE})"
        ),
        bc.Drive("d3", "elbow", angle=f"-0.7 + 0.6*sin{LATE}"),
        parameters=[WARP],
    )


def psi(t):
    return 0.9 * (1 - np.cos(t)), 0.9 * np.sin(t)


def psi_rate(t):
    return 0.9 * np.sin(t), 0.9 * np.cos(t)


def gamma(t):
    return 0.6 * np.sin(t), 0.8 + 0.5 * (1 - np.cos(t)), -0.7 + 0.6 * np.sin(t)


def gamma_rate(t):
    return 0.6 * np.cos(t), 0.5 * np.sin(t), 0.6 * np.cos(t)


UPRIGHT = {"float.orientation": (1, 0, 0, 0), "float.position": (0, 0, 0)}
KEPT = bc.Momentum(linear="start", angular="start")


def planar_run(until=CYCLE, formulation=KEPT, start=None, grid=0.25, **options):
    start = {"float.x": 0.0, "float.y": 0.0, "float.angle": 0.0} | (start or {})
    options |= {"formulation": formulation, "start": start, "every": grid} | TIGHT
    return bc.simulate(planar_arm(), until, **options)


def spatial_run(until=CYCLE, formulation=KEPT, start=None, grid=0.25, **options):
    start = UPRIGHT | (start or {})
    options |= {"formulation": formulation, "start": start, "every": grid} | TIGHT
    return bc.simulate(spatial_arm(), until, **options)


def summed(model, run):
    """Return Q and H about the origin, summed over bodies at every record."""
    Q = H = 0.0
    for body in model.bodies:
        r, v = run.values(f"{body.name}.position"), run.values(f"{body.name}.velocity")
        w = run.values(f"{body.name}.angular_velocity_body")
        J = np.array(body.mass_properties.inertia)
        spin = w @ J.T  # drawn along the world's axes, as bodies have no pose
        m = body.mass_properties.mass
        p = run.values(f"{body.name}.orientation")
        Q, H = Q + m * v, H + np.cross(r, m * v) + turned(p, spin)
    return Q, H


def turned(p, a):
    """Return vectors along body axes as they are along world axes."""
    e0, e = p[:, :1], p[:, 1:]
    cross = np.cross(e, a)
    return a + 2 * e0 * cross + 2 * np.cross(e, cross)


def test_c10_c26_the_planar_cycle_turns_the_hub():
    """0.032584396934 rad, to 1e-8, in the momentum form and by second-order equations."""
    first = planar_run()
    second = planar_run(formulation=bc.Natural())
    for run in (first, second):
        assert run.final["float.angle"] == pytest.approx(0.032584396934, abs=1e-8)
    # C11: the angles (24), with their branch, are those prescribed.
    for name, known in zip(("shoulder", "elbow"), psi(first.t), strict=True):
        np.testing.assert_allclose(first.values(f"{name}.angle"), known, atol=1e-8)
    assert first.values("shoulder.angle").max() > np.pi / 2  # beyond what an arcsin can tell


def test_c10_any_time_of_the_cycle_is_that_of_one_unknown():
    """q(4 s) to 1e-8; C08: the mass centre stays, to 1e-9, and Q and H are zero."""
    run = planar_run(until=4.0)
    phi = PLANAR.hub_angle(psi, psi_rate, 4.0)
    assert run.final["float.angle"] == pytest.approx(phi, abs=1e-8)
    start, end = (PLANAR.points((a, *psi(t))) for a, t in ((0.0, 0.0), (phi, 4.0)))
    shift = -start[0]  # the hub began at the origin
    names = ("hub", "shoulder", "elbow", "tip")
    q = [[run.final[f"{name}.{axis}"] for axis in "xy"] for name in names]
    np.testing.assert_allclose(q, end + shift, atol=1e-8)
    model = planar_arm()
    centre = sum(
        body.mass_properties.mass * run.values(f"{body.name}.position") for body in model.bodies
    ) / sum(PLANAR.m)
    assert np.abs(centre - centre[0]).max() < 1e-9
    Q, H = summed(model, run)
    assert max(np.abs(Q).max(), np.abs(H).max()) < 1e-9


@pytest.mark.parametrize("warp", [0.0, 0.3])
def test_c26_the_net_rotation_does_not_depend_on_timing(warp):
    """Two timings of one path of the joints: to 1e-9."""
    run = planar_run(parameters={"warp": warp})
    assert run.final["float.angle"] == pytest.approx(0.032584396934, abs=1e-9)
    turn = spatial_run(parameters={"warp": warp}).values("hub.orientation")
    assert turn_between(turn[0], turn[-1]) == pytest.approx(0.4520228166, abs=1e-9)


def test_c21_c26_the_spatial_cycle_turns_the_hub():
    """0.4520228166 rad about the known axis, to 1e-8, by both routes."""
    first = spatial_run()
    second = spatial_run(formulation=bc.Natural())
    for run in (first, second):
        p = run.values("hub.orientation")[-1]
        p = p * np.sign(p[0])
        sine = np.linalg.norm(p[1:])
        vector = 2 * np.arctan2(sine, p[0]) * p[1:] / sine
        known = (0.3746314393, -0.0142529399, -0.2525327011)
        np.testing.assert_allclose(vector, known, atol=1e-8)
        assert np.linalg.norm(vector) == pytest.approx(0.4520228166, abs=1e-8)
    # C22: the angles (54), signed, are those prescribed.
    for name, known in zip(
        ("shoulder.angle1", "shoulder.angle2", "elbow.angle"), gamma(first.t), strict=True
    ):
        np.testing.assert_allclose(first.values(name), known, atol=1e-7)


def test_c18_c19_conditions_and_momentum_over_three_seconds():
    """The nine conditions (51) below 1e-8; H, summed over bodies, is H0 to 1e-9."""
    spin = {"float.angular_velocity": (0.3, -0.2, 0.5)}
    run = spatial_run(until=3.0, start=spin)
    r = [run.values(f"{name}.position") for name in ("hub", "shoulder", "elbow", "tip")]
    u, v, l = run.values("hub.vector"), run.values("elbow.axis"), SPATIAL.l
    d = np.diff(r, axis=0)
    rows = [(d[k] * d[k]).sum(axis=1) - l[k] ** 2 for k in range(3)]
    rows += [(u * u).sum(axis=1) - l[0] ** 2, (v * v).sum(axis=1) - l[1] ** 2]
    rows += [(d[0] * u).sum(axis=1), *((d[k] * v).sum(axis=1) for k in range(3))]
    assert np.abs(rows).max() < 1e-8
    Q, H = summed(spatial_arm(), run)
    assert np.linalg.norm(H[0]) > 0.5
    np.testing.assert_allclose(H - H[0], 0, atol=1e-9)
    np.testing.assert_allclose(Q - Q[0], 0, atol=1e-9)


def test_c21_any_time_of_the_cycle_is_that_of_euler_parameters():
    """The hub's attitude at 4 s to 1e-8."""
    p = spatial_run(until=4.0).values("hub.orientation")[-1]
    assert turn_between(p, SPATIAL.cycle(gamma, gamma_rate, 4.0)) < 1e-7  # arccos near 1
    np.testing.assert_allclose(
        p, np.sign(p[0]) * SPATIAL.cycle(gamma, gamma_rate, 4.0), atol=1e-8
    )


def test_c28_planar_cycle_with_momentum():
    """H0 = 1.7: the hub's angle by one unknown, by momentum and by second order, to 1e-8."""
    phi = PLANAR.hub_angle(psi, psi_rate, CYCLE, H0=1.7)
    assert abs(phi - 0.032584396934) > 0.1
    given = planar_run(formulation=bc.Momentum(angular=1.7))
    assert given.final["float.angle"] == pytest.approx(phi, abs=1e-8)
    # The same momentum from the speeds of the start, and in second order.
    inertia = PLANAR.momentum((0, 0, 0), (1, 0, 0))
    rate = (1.7 - PLANAR.momentum((0, 0, 0), (0, *psi_rate(0)))) / inertia
    v = PLANAR.velocities((0, 0, 0), (rate, *psi_rate(0)))[0]
    start = {"float.angle_rate": rate, "float.x_rate": v[0], "float.y_rate": v[1]}
    for formulation in (KEPT, bc.Natural()):
        run = planar_run(formulation=formulation, start=start)
        assert run.final["float.angle"] == pytest.approx(phi, abs=1e-8)


def test_c28_spatial_cycle_with_momentum():
    """H0 = (0.9, -0.6, 1.1) and a drift: attitude as by Euler parameters, to 1e-8."""
    H0, p0 = np.array([0.9, -0.6, 1.1]), np.array([1.0, 0, 0, 0])
    known = SPATIAL.cycle(gamma, gamma_rate, CYCLE, H0)
    # Speeds of the hub that have this momentum about the mass centre, which drifts.
    joints = gamma(0), np.zeros(3), gamma_rate(0)
    lacking = H0 - SPATIAL.momentum(p0, *joints)
    inertia = np.array([SPATIAL.momentum(p0, gamma(0), e, np.zeros(3)) for e in np.eye(3)]).T
    w = np.linalg.solve(inertia, lacking)
    drift = np.array([0.2, 0.1, -0.3])
    v = SPATIAL.motion(p0, gamma(0), w, gamma_rate(0))[1][0] + drift
    start = {"float.angular_velocity": tuple(w), "float.velocity": tuple(v)}
    for formulation in (KEPT, bc.Natural()):
        run = spatial_run(formulation=formulation, start=start)
        p = run.values("hub.orientation")[-1]
        np.testing.assert_allclose(p, known * np.sign(p @ known), atol=1e-8)
        np.testing.assert_allclose(
            run.values("linear_momentum")[-1], sum(SPATIAL.m) * drift, atol=1e-9
        )


def test_joints_may_turn_more_than_once():
    """Angles are followed over full turns, and H = 0 holds on."""
    model = PLANAR.model(
        bc.Drive("d2", "shoulder", angle="-7*t"), bc.Drive("d3", "elbow", angle="0.5")
    )
    run = bc.simulate(model, 2.0, formulation=bc.Momentum(), every=0.1)
    np.testing.assert_allclose(run.values("shoulder.angle"), -7 * run.t, atol=1e-8)
    assert np.abs(summed(model, run)[1]).max() < 1e-9


def test_a_loop_that_floats():
    """A four-bar on a floating frame, its crank driven: H = 0, motion as by second order."""
    A, B, C, D = (0, 0), (0, 1), (2, 1.5), (2, 0)
    rods = {"crank": (A, B), "coupler": (B, C), "rocker": (D, C)}
    frame = bc.Body("frame", mass=3.0, com=(1, -0.5), inertia=(1, 1, 1, 0, 0, 0))
    model = bc.Model(
        "floating four-bar",
        planar=True,
        gravity=(0, 0),
        bodies=[frame, *(bc.Body(n, bc.Rod(*ends, mass=1.0)) for n, ends in rods.items())],
        joints=[
            bc.Planar("float", "ground", "frame"),
            bc.Revolute("A", "frame", "crank", at=A),
            bc.Revolute("B", "crank", "coupler", at=B),
            bc.Revolute("C", "coupler", "rocker", at=C),
            bc.Revolute("D", "frame", "rocker", at=D),
        ],
        drivers=[bc.Drive("motor", "A", angle="0.6*sin(2*t)")],
    )
    one, two = (
        bc.simulate(model, 1.0, formulation=f, every=0.1, **TIGHT)
        for f in (bc.Momentum(), bc.Natural())
    )
    assert np.abs(summed(model, one)[1]).max() < 1e-9
    assert np.ptp(one.values("float.angle")) > 0.01
    for name in ("frame.position", "coupler.position", "motor.effort"):
        np.testing.assert_allclose(one.values(name), two.values(name), atol=1e-8)
