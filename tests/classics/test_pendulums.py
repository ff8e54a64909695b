"""Pendulums: physical (3.1), spherical (3.7), Foucault (3.8), double (3.9), babyboot (3.14)."""

import numpy as np
import pytest
from scipy.special import ellipk
from tests.classics.runs import about, at, rotation, series

import bellcrank as bc

PERIOD_RATIOS = {
    10: 1.001907188143217,
    30: 1.017408797595956,
    60: 1.073182007149364,
    90: 1.180340599016096,
    120: 1.37288050061835,
    150: 1.762203729503756,
    170: 2.439362719673884,
    179: 3.901065160389086,
}


def physical_pendulum() -> bc.Model:
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=1.0))
    hinge = bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="x")
    return bc.Model("physical pendulum", bodies=[rod], joints=[hinge])


@pytest.mark.parametrize(("degrees", "ratio"), PERIOD_RATIOS.items())
def test_period_of_a_physical_pendulum(degrees, ratio):
    """3.1, analytic: T/T0 = 2K(sin²(A/2))/π, to 1e-8. Run at rtol 1e-12."""
    amplitude = np.radians(degrees)
    assert ratio == pytest.approx(2 * ellipk(np.sin(amplitude / 2) ** 2) / np.pi, rel=1e-13)
    small = 2 * np.pi * np.sqrt((1 / 3) / (9.81 * 0.5))
    end = at(physical_pendulum(), ratio * small / 4, {"A.angle": amplitude})
    late = end["A.angle"] / end["A.angle_rate"]  # by how much it misses the lowest point
    assert abs(late) < 1e-8 * small


def spherical_pendulum() -> bc.Model:
    """Return a body that swings as a point mass at 1 m: m c g/I = g, without spin."""
    c = 0.5
    across = c - c * c
    body = bc.Body("bob", mass=1.0, com=(0, 0, -c), inertia=(across, across, 0.1, 0, 0, 0))
    return bc.Model(
        "spherical pendulum",
        bodies=[body],
        joints=[bc.Spherical("S", "ground", "bob", at=(0, 0, 0))],
        points=[bc.Point("end", "bob", at=(0, 0, -1))],
    )


def spherical_start() -> dict:
    """60° from down in the x-z plane, 2 rad/s about the vertical, no spin about itself."""
    p = about("y", -np.pi / 3)
    R = rotation(np.array(p))
    n = R @ [0, 0, -1]
    w = np.cross(n, [0, 2 * np.sin(np.pi / 3), 0])
    return {"S.orientation": p, "S.angular_velocity": tuple(R.T @ w)}


SPHERICAL_AT_10 = (-0.6055031954989518, -0.38289454371986026, -0.6976801907966989)


def test_spherical_pendulum_on_a_ball():
    """3.7, analytic, to 1e-8. Run at rtol 1e-12."""
    model, period = spherical_pendulum(), 1.07966916265728
    end = at(model, 10.0, spherical_start())
    np.testing.assert_allclose(end["end.position"], SPHERICAL_AT_10, atol=1e-8)
    swing = series(model, np.linspace(0, period, 3), spherical_start())
    tips = np.asarray(swing.values("end.position"))
    theta = np.arccos(-tips[:, 2])
    lowest = [1.0471975511966, 0.478693674695139, 1.0471975511966]
    np.testing.assert_allclose(theta, lowest, atol=1e-8)
    turned = np.arctan2(tips[2, 1], tips[2, 0]) % (2 * np.pi)
    assert turned == pytest.approx(3.83116238961498, abs=1e-8)


def test_spherical_pendulum_as_a_particle_on_a_cross():
    """3.7 again, a true point mass on a universal joint, to 1e-8. Run at rtol 1e-12."""
    model = bc.Model(
        "point pendulum",
        bodies=[bc.Particle("bob", 1.0, at=(0, 0, -1))],
        joints=[bc.Universal("U", "ground", "bob", at=(0, 0, 0), axis1="x", axis2="y")],
    )
    rate = 2 * np.sin(np.pi / 3) / np.cos(np.pi / 3)
    end = at(model, 10.0, {"U.angle2": -np.pi / 3, "U.angle1_rate": rate})
    np.testing.assert_allclose(end["bob.position"], SPHERICAL_AT_10, atol=1e-8)


def test_foucault_swing_plane_stays_fixed():
    """3.8: on a carousel that turns, the swing plane stays, to 1e-9. Run at rtol 1e-12.

    The pivot is on the axis of the carousel, so the pendulum exerts no torque about it and the
    carousel keeps its speed without a drive.
    """
    bob = bc.Body("bob", mass=2.0, com=(0, 0, 1), inertia=(0.02, 0.02, 0.01, 0, 0, 0))
    model = bc.Model(
        "Foucault",
        bodies=[bc.Body("carousel", bc.Disc(1.0, (0, 0, 0), "z", mass=5.0)), bob],
        joints=[
            bc.Revolute("turn", "ground", "carousel", at=(0, 0, 0), axis="z"),
            bc.Spherical("pivot", "carousel", "bob", at=(0, 0, 3)),
        ],
    )
    speed, p = 0.7, about("y", 0.4)
    at_rest = rotation(np.array(p)).T @ [0, 0, -speed]  # in the carousel, along the bob's axes
    start = {"turn.angle_rate": speed, "pivot.orientation": p}
    run = series(
        model, np.linspace(0, 20, 201), start | {"pivot.angular_velocity": tuple(at_rest)}
    )
    position = np.asarray(run.values("bob.position"))
    assert np.ptp(position[:, 0]) > 1.4
    np.testing.assert_allclose(position[:, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(run.values("turn.angle_rate"), speed, atol=1e-10)


DOUBLE = {
    1: (-0.625087699806, -1.03458508568, -3.922279572888, -1.303099248696),
    2: (-0.482971534252, -1.324048712302, 3.065288192073, 2.949271547572),
    5: (-0.627186705067, -1.30131555021, 2.125408673844, 3.881888727264),
}


def test_double_pendulum_of_point_masses():
    """3.9, computed to 2e-12, compared to 1e-7. Run at rtol 1e-12."""
    model = bc.Model(
        "double pendulum",
        bodies=[bc.Particle("m1", 1.0, at=(0, 0, -1)), bc.Particle("m2", 1.0, at=(0, 0, -2))],
        joints=[
            bc.Revolute("A", "ground", "m1", at=(0, 0, 0), axis="x"),
            bc.Revolute("B", "m1", "m2", at=(0, 0, -1), axis="x"),
        ],
    )
    run = series(model, np.linspace(0, 5, 6), {"A.angle": np.pi / 2})
    for t, expected in DOUBLE.items():
        a, b = run.values("A.angle")[t], run.values("B.angle")[t]
        ad, bd = run.values("A.angle_rate")[t], run.values("B.angle_rate")[t]
        np.testing.assert_allclose((a, a + b, ad, ad + bd), expected, atol=1e-7)


def test_chaotic_babyboot():
    """3.14, published to 7 digits; 1e-5° at 5 s, 1e-4° at 10 s. Run at rtol 1e-13, atol 1e-14.

    Errors grow by 1e6 in ten seconds, so the rates ask for all digits there are.
    """
    rod = bc.Body("A", mass=0.01, com=(0, 0, -0.075), inertia=(5e-6, 5e-6, 0, 0, 0, 0))
    plate = bc.Body("B", mass=0.1, com=(0, 0, -0.2), inertia=(2.5e-4, 5e-5, 2e-4, 0, 0, 0))
    model = bc.Model(
        "babyboot",
        bodies=[rod, plate],
        joints=[
            bc.Revolute("qA", "ground", "A", at=(0, 0, 0), axis="x"),
            bc.Revolute("qB", "A", "B", at=(0, 0, -0.2), axis="z"),
        ],
    )
    start = {"qA.angle": np.pi / 2, "qB.angle": np.radians(1)}
    run = series(model, np.linspace(0, 10, 3), start, rtol=1e-13, atol=1e-14)
    a, b = (np.degrees(run.values(f"{name}.angle")) for name in ("qA", "qB"))
    np.testing.assert_allclose((a[1], b[1]), (-45.1977566562, -328.0214054277), atol=1e-5)
    np.testing.assert_allclose((a[2], b[2]), (-61.312983340691, -929.47789677244), atol=1e-4)
    rates = run.values("qA.angle_rate")[2], run.values("qB.angle_rate")[2]
    np.testing.assert_allclose(rates, (-6.7440081040646, -2.7795690128833), rtol=1e-6)
    accelerations = (
        run.values("qA.angle_acceleration")[2],
        run.values("qB.angle_acceleration")[2],
    )
    np.testing.assert_allclose(accelerations, (41.137023263571, 19.483647096003), rtol=1e-6)
    np.testing.assert_allclose(run.values("energy"), run.values("energy")[0], atol=1e-10)
