"""Steady motions on ball and free joints: tops, discs and bicycles in a turn, satellites."""

import numpy as np
import pytest
from tests.machines import analysed

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
TILT = np.pi / 6
LEANT = bc.Near((float(np.cos(0.09)), float(np.sin(0.09)), 0.0, 0.0))


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def about_x(angle):
    return (float(np.cos(angle / 2)), float(np.sin(angle / 2)), 0.0, 0.0)


def axis(p, body):
    """Return an axis of a body in the world, for Euler parameters."""
    e0, e = p[0], np.asarray(p[1:])
    return (e0**2 - e @ e) * body + 2 * (e * (e @ body) + e0 * np.cross(e, body))


@pytest.mark.parametrize("fast", [False, True], ids=["slow", "fast"])
def test_top_on_a_ball_joint(formulation, fast):
    """A-D6: I₁ Ω² cos θ − I₃ n Ω + m g l = 0 at n = 100, its two roots; the nutation, to 1e-8.

    About a steady precession (I₁ λ)² = −(…) has the closed form of a symmetric top.
    """
    I1, I3, mgl, n, c = 0.002, 0.0008, 0.3924, 100.0, np.cos(TILT)
    Omega = float(np.sort(np.roots([I1 * c, -I3 * n, mgl]))[int(fast)])
    rates = {"S.rotation_z_rate": Omega, "S.spin_z_rate": n - Omega * c}
    near = {"S.orientation": about_x(TILT + 0.01)}
    found = bc.equilibrium(analysed.top(), near, rates=rates, formulation=formulation)
    assert axis(found["S.orientation"], np.eye(3)[2])[2] == pytest.approx(c, rel=1e-9)
    assert found["S.angular_velocity"][2] == pytest.approx(n, rel=1e-9)
    # λ² = −(a² − 2 a Ω cos θ + Ω²) with a = m g l / (I₁ Ω), Goldstein's nutation.
    a = mgl / (I1 * Omega)
    nutation = np.sqrt(a**2 - 2 * a * Omega * c + Omega**2)
    assert np.abs(found.linear.poles - 1j * nutation).min() < 1e-8 * nutation
    if not fast:
        assert pytest.approx(5.578843406029, rel=1e-10) == Omega
        assert nutation == pytest.approx(30.465129846223, rel=1e-9)
    assert found.linear.steady
    assert len(found.free) == 2


def test_a_rate_that_is_sought(formulation):
    """The precession of a top that is held at 30 deg, from near the slow one."""
    rates = {"S.spin_z_rate": 100 - 5.578843406029 * np.cos(TILT), "S.rotation_z_rate": None}
    near = {"S.orientation": about_x(TILT), "S.angular_velocity": (0, 3.0, 99.0)}
    found = bc.equilibrium(analysed.top(), near, rates=rates, hold="S", formulation=formulation)
    assert found.rates["S.rotation_z_rate"] == pytest.approx(5.578843406029, rel=1e-9)
    np.testing.assert_allclose(found["S.orientation"], about_x(TILT), atol=1e-12)


def test_disc_in_a_turn(formulation):
    """(J + m r²) n Ω sin θ − I Ω² sin θ cos θ + m g r cos θ = 0, θ of the axis from upright."""
    m, r, g, theta, n = 2.0, 0.3, 9.81, np.radians(70.0), 8.0
    J = 0.5 * m * r * r
    s, c = np.sin(theta), np.cos(theta)
    roots = np.roots([-0.5 * J * s * c, (J + m * r * r) * n * s, m * g * r * c])
    Omega = float(roots[np.argmin(np.abs(roots))])
    rates = {"F.rotation_z_rate": Omega, "F.spin_y_rate": n - Omega * c}
    near = {"F.orientation": about_x(np.pi / 2 - theta + 0.02)}
    found = bc.equilibrium(analysed.disc(), near, rates=rates, formulation=formulation)
    assert axis(found["F.orientation"], np.eye(3)[1])[2] == pytest.approx(c, rel=1e-9)
    np.testing.assert_allclose(np.linalg.norm(found["F.velocity"]), n * r, rtol=1e-9)
    assert found.linear.steady


def test_bicycle_in_a_turn(formulation):
    """Hands off at 0.3 rad/s: speed, lean and steer follow; the run stays there."""
    model = analysed.bicycle()
    near = {"rear.angle_rate": -19.8, "steer.angle": 0.05, "F.orientation": LEANT}
    rates = {"rear.angle_rate": None, "F.rotation_z_rate": 0.3}
    found = bc.equilibrium(model, near, rates=rates, formulation=formulation)
    assert found.unbalanced < 1e-12
    spin = found["F.angular_velocity"]
    assert np.linalg.norm(spin) == pytest.approx(0.3, rel=1e-9)
    # The lean balances: tan φ ≈ v Ω / g, to the size of the wheels.
    lean = np.arcsin(axis(found["F.orientation"], np.eye(3)[1])[2])
    speed = np.linalg.norm(found["F.velocity"])
    assert np.tan(abs(lean)) == pytest.approx(speed * 0.3 / 9.81, rel=0.05)
    if formulation == FORMULATIONS[0]:
        run = bc.simulate(model, 1.0, start=found, rtol=1e-10)
        for name in ("steer.angle", "rear.angle_rate"):
            assert run.final[name] == pytest.approx(found[name], rel=1e-8)


def test_free_symmetric_body(formulation):
    """A satellite precesses at Ω = I₃ n / (I₁ cos θ): σ = (I₁ − I₃) Ω cos θ / I₃."""
    I1, I3, Omega = 1.0, 0.4, 2.0
    model = bc.Model(
        "satellite",
        gravity=(0, 0, 0),
        bodies=[bc.Body("b", mass=2.0, com=(0, 0, 0), inertia=(I1, I1, I3, 0, 0, 0))],
        joints=[bc.Free("F", "ground", "b")],
    )
    near = {"F.orientation": about_x(TILT)}
    rates = {"F.rotation_z_rate": Omega, "F.spin_z_rate": None}
    found = bc.equilibrium(model, near, rates=rates, hold="F", formulation=formulation)
    sigma = (I1 - I3) / I3 * Omega * np.cos(TILT)
    assert found.rates["F.spin_z_rate"] == pytest.approx(sigma, rel=1e-10)
    drifting = {"F.velocity_x": 3.0, "F.spin_y_rate": 2.0}
    found = bc.equilibrium(model, rates=drifting, formulation=formulation)
    assert found["F.velocity"][0] == pytest.approx(3.0, rel=1e-12)
    assert found.linear.steady


def test_what_is_not_steady_is_told(formulation):
    four_bar, rods = analysed.four_bar(), analysed.hanging_rods()
    with pytest.raises(bc.NoEquilibrium, match=r"'four-bar' cannot move steadily at A.angle_r"):
        bc.equilibrium(four_bar, rates={"A.angle_rate": 5.0}, formulation=formulation)
    with pytest.raises(bc.NoEquilibrium, match="as it moves on, a force grows along"):
        bc.equilibrium(rods, rates={"A.angle_rate": 3.0}, formulation=formulation)
    with pytest.raises(bc.UnknownName, match=r"no rate named 'S.spin'"):
        bc.equilibrium(analysed.top(), rates={"S.spin": 3.0}, formulation=formulation)
