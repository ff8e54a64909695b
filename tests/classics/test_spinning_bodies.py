"""Free and spinning bodies: Euler (3.2), Dzhanibekov (3.3), tops (3.4, 3.5), gyrostat (3.6)."""

import numpy as np
import pytest
from tests.classics.runs import about, assert_same_attitude, at, series

import bellcrank as bc


def free_body(*inertia: float) -> bc.Model:
    body = bc.Body("body", mass=1.0, com=(0, 0, 0), inertia=(*inertia, 0, 0, 0))
    return bc.Model(
        "free body",
        bodies=[body],
        joints=[bc.Free("F", "ground", "body")],
        gravity=(0, 0, 0),
    )


def test_euler_motion_about_the_largest_axis():
    """3.2 E1, analytic, to 1e-9. Run at rtol 1e-12."""
    model, start = free_body(2, 3, 4), {"F.angular_velocity": (1.0, 0.0, 1.5)}
    run = series(model, np.linspace(0, 20, 3), start)
    w = np.asarray(run.values("F.angular_velocity"))
    p = np.asarray(run.values("F.orientation"))
    np.testing.assert_allclose(
        w[1], (-0.266833517029, 1.11283414409, 1.336263470617), atol=1e-9
    )
    at_10 = (-0.46560336058, -0.024382602833, 0.152450868699, 0.871422820408)
    at_20 = (-0.578324824209, 0.072118910704, -0.043813634985, -0.811430604434)
    assert_same_attitude(p[1], at_10, 1e-9)
    assert_same_attitude(p[2], at_20, 1e-9)
    momentum = np.asarray(run.values("angular_momentum"))
    np.testing.assert_allclose(momentum, [[2, 0, 6]] * 3, atol=3e-11)
    period = at(model, 7.7180385403005241, start)
    np.testing.assert_allclose(period["F.angular_velocity"], (1, 0, 1.5), atol=1e-9)


def test_euler_motion_about_the_smallest_axis():
    """3.2 E2, analytic, to 1e-9. Run at rtol 1e-12."""
    end = at(free_body(2, 3, 4), 10.0, {"F.angular_velocity": (1.5, 0.0, 0.5)})
    w = (1.45310953754, -0.429686198538, 0.425163102873)
    np.testing.assert_allclose(end["F.angular_velocity"], w, atol=1e-9)
    p = (-0.414516804794, 0.798091089653, -0.153177787988, 0.409588813845)
    assert_same_attitude(end["F.orientation"], p, 1e-9)


@pytest.mark.parametrize("time", [13.752841249531, 38.765623083039])
def test_tennis_racket_flips_on_time(time):
    """3.3, analytic: zeros of w2, to 1e-5 s. Run at rtol 1e-12."""
    end = at(free_body(2, 3, 4), time, {"F.angular_velocity": (1e-3, 2.0, 1e-3)})
    late = end["F.angular_velocity_y"] / end["F.angular_acceleration_y"]
    assert abs(late) < 1e-5


M, ARM, ACROSS, ALONG, TILT = 1.0, 0.04, 0.002, 0.0008, np.pi / 6


def lagrange_top() -> bc.Model:
    across = ACROSS - M * ARM**2
    body = bc.Body("top", mass=M, com=(0, 0, ARM), inertia=(across, across, ALONG, 0, 0, 0))
    return bc.Model(
        "Lagrange top",
        bodies=[body],
        joints=[bc.Spherical("S", "ground", "top", at=(0, 0, 0))],
        points=[bc.Point("nose", "top", at=(0, 0, 1))],
    )


@pytest.mark.parametrize("precession", [5.578843406028813, 40.60917812914125])
def test_steady_precession_of_the_top(precession):
    """3.4, analytic, slow and fast, to 1e-7. Run at rtol 1e-12."""
    rates = (0.0, precession * np.sin(TILT), 100.0)
    start = {"S.orientation": about("x", TILT), "S.angular_velocity": rates}
    period = 2 * np.pi / precession
    run = series(lagrange_top(), np.linspace(0, period, 9), start)
    nose = np.asarray(run.values("nose.position"))
    np.testing.assert_allclose(nose[:, 2], np.cos(TILT), atol=1e-7)
    np.testing.assert_allclose(nose[-1], nose[0], atol=1e-7)


def test_cuspidal_motion_of_the_top():
    """3.4, analytic, to 1e-7. Run at rtol 1e-12."""
    model, period = lagrange_top(), 0.2006771882709721
    start = {"S.orientation": about("x", TILT), "S.angular_velocity": (0.0, 0.0, 100.0)}
    run = series(model, np.linspace(0, period, 3), start)
    nose = np.asarray(run.values("nose.position"))
    theta = np.arccos(nose[:, 2])
    np.testing.assert_allclose(theta, (TILT, 0.7014875891644296, TILT), atol=1e-7)
    azimuth = np.arctan2(nose[:, 1], nose[:, 0])
    assert (azimuth[2] - azimuth[0]) % (2 * np.pi) == pytest.approx(1.099908146749679, abs=1e-7)
    end = at(model, 1.0, start)
    axis = (-0.353294060624, -0.354499364191, 0.865744481655)
    np.testing.assert_allclose(end["nose.position"], axis, atol=1e-7)


@pytest.mark.parametrize(("factor", "sleeps"), [(1.02, True), (0.98, False)])
def test_a_top_sleeps_above_its_threshold(factor, sleeps):
    """3.4: w3 = 2 √(I1 m g l)/I3 = 70.03570517957251 rad/s. Run at rtol 1e-10."""
    threshold = 70.03570517957251
    assert threshold == pytest.approx(2 * np.sqrt(ACROSS * M * 9.81 * ARM) / ALONG, rel=1e-13)
    start = {
        "S.orientation": about("x", 1e-4),
        "S.angular_velocity": (0.0, 0.0, factor * threshold),
    }
    run = series(lagrange_top(), np.linspace(0, 4, 401), start, rtol=1e-10)
    lean = np.max(np.linalg.norm(np.asarray(run.values("nose.position"))[:, :2], axis=1))
    assert (lean < 2e-3) == sleeps


def test_heavy_top_of_bruels_and_cardona():
    """3.5, published at 0.2 s, computed at 2 s to 1e-6. Run at rtol 1e-12."""
    inertia = (0.234375, 0.46875, 0.234375, 0, 0, 0)
    model = bc.Model(
        "heavy top",
        bodies=[bc.Body("top", mass=15.0, com=(0, 1, 0), inertia=inertia)],
        joints=[bc.Spherical("S", "ground", "top", at=(0, 0, 0))],
    )
    start = {"S.angular_velocity": (0.0, 150.0, -4.61538)}
    run = series(model, np.linspace(0, 2, 11), start)
    p, com = np.asarray(run.values("S.orientation")), np.asarray(run.values("top.position"))
    assert_same_attitude(p[1], (-0.70828, 0.43878, 0.54573, 0.0894), 1e-5)
    precise = (-0.708279152974, 0.438781088127, 0.545728396145, 0.089399752824)
    assert_same_attitude(p[1], precise, 1e-8)
    np.testing.assert_allclose(
        com[1], (0.605550561377, 0.598957681795, -0.52398302743), atol=1e-8
    )
    np.testing.assert_allclose(
        com[5], (0.173343964098, 0.64008859207, -0.748490791134), atol=1e-6
    )
    at_2 = (-0.150416822747, -0.724165591637, -0.67302226956)
    np.testing.assert_allclose(com[10], at_2, atol=1e-6)
    force = np.asarray(run.values("S.reaction_force"))
    acceleration = np.asarray(run.values("top.acceleration"))
    np.testing.assert_allclose(force, 15 * (acceleration - [0, 0, -9.81]), rtol=1e-9, atol=1e-7)


def gyrostat(inertia: tuple[float, float, float], axis: int) -> bc.Model:
    """Return a carrier with a rotor that turns freely about one of its axes.

    A rotor without bearing torque keeps H = J (ω_axis + Ω), so with the carrier's inertia along
    the axis without the rotor and H in place of h these are the gyrostat's equations, exactly.
    """
    rotor = np.full(3, 0.05)
    rotor[axis] = 0.1
    carrier = np.array(inertia) - np.where(np.arange(3) == axis, 0.0, rotor)
    parts = [("carrier", carrier), ("rotor", rotor)]
    bodies = [
        bc.Body(name, mass=1.0, com=(0, 0, 0), inertia=(*map(float, J), 0, 0, 0))
        for name, J in parts
    ]
    return bc.Model(
        "gyrostat",
        bodies=bodies,
        joints=[
            bc.Free("F", "ground", "carrier"),
            bc.Revolute("R", "carrier", "rotor", at=(0, 0, 0), axis="xyz"[axis]),
        ],
        gravity=(0, 0, 0),
    )


def test_axisymmetric_gyrostat():
    """3.6, analytic, to 1e-9. Run at rtol 1e-12."""
    # I3 = 2 and h = 5 of the source count the rotor's own ω3 in I3: 1.9 + 0.1, H = 5 + 0.05.
    model = gyrostat((3.0, 3.0, 1.9), 2)
    start = {"F.angular_velocity": (0.1, 0.0, 0.5), "R.angle_rate": 50.0}
    end = at(model, 10.0, start)
    w = (0.1 * np.cos(15.0), 0.1 * np.sin(15.0), 0.5)
    np.testing.assert_allclose(end["F.angular_velocity"], w, atol=1e-9)
    p = (-0.807908254554, -0.009597785286, -0.025971740074, 0.58865745851)
    assert_same_attitude(end["F.orientation"], p, 1e-9)


@pytest.mark.parametrize(("h", "largest"), [(0.5, 0.4330), (2.0, 0.0012910)])
def test_a_rotor_stabilises_the_intermediate_axis(h, largest):
    """3.6, computed to four digits. Run at rtol 1e-10."""
    start = {"F.angular_velocity": (1e-3, 1.0, 1e-3), "R.angle_rate": h / 0.1 - 1.0}
    run = series(gyrostat((2.0, 3.0, 4.0), 1), np.linspace(0, 60, 6001), start, rtol=1e-10)
    found = np.max(np.abs(run.values("F.angular_velocity_x")))
    assert found == pytest.approx(largest, rel=2e-4)
