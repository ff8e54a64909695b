"""Thin rods on ball joints, any way round: spins that are held, pushed, or nobody's."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import bellcrank as bc

pytestmark = pytest.mark.slow


def askew(seed):
    """Return the end of a rod from the origin and three axes, the first along it."""
    rng = np.random.default_rng(seed)
    axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return 0.6 * axes[0], axes, rng.uniform(-3.0, 3.0, 2)


def ball_rod(end, **elements):
    """Return a thin rod from the origin, where it is on a ball joint."""
    return bc.Model(
        "ball rod",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), tuple(end), mass=2.0))],
        joints=[bc.Spherical("S", "ground", "rod", at=(0, 0, 0))],
        **elements,
    )


def spherical_pendulum(end, w, t):
    """Return where the middle of a thin rod is: n̈ = −ṅ² n − 3g/2l (ẑ − (ẑ·n) n)."""
    length = np.linalg.norm(end)

    def rate(_, y):
        n, v = y[:3], y[3:]
        down = np.array([0.0, 0.0, 1.0])
        return np.r_[v, -(v @ v) * n - 1.5 * 9.81 / length * (down - (down @ n) * n)]

    n = end / length
    y = np.r_[n, np.cross(w, n)]
    found = solve_ivp(rate, (0.0, t), y, method="DOP853", rtol=1e-11, atol=1e-12)
    return found.y[:3, -1] * length / 2


@pytest.mark.parametrize("degrees", [30.0, 60.0, 90.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_thin_rod_whose_spin_a_row_fixes_swings_as_a_spherical_pendulum(seed, degrees):
    """An axis b that it carries stays square to e, which takes the spin and nothing else."""
    end, (d, e, g), (one, two) = askew(seed)
    angle = np.deg2rad(degrees)
    b = np.cos(angle) * d + np.sin(angle) * g
    square = bc.Perpendicular("square", "ground", "rod", axis1=tuple(e), axis2=tuple(b))
    model, w = ball_rod(end, constraints=[square]), one * e + two * g
    w = w - e @ np.cross(w, b) / (e @ np.cross(d, b)) * d  # so that e · (ω × b) = 0
    run = bc.simulate(
        model, 0.05, formulation=bc.Natural(),
        start={"S.angular_velocity": tuple(w)},
    )  # fmt: skip
    known = spherical_pendulum(end, w, 0.05)
    np.testing.assert_allclose(run.final["rod.position"], known, atol=1e-8)
    np.testing.assert_allclose(run.values("S.angular_velocity")[0], w, atol=1e-12)
    equations = bc.equations(model, bc.Natural())
    assert len(equations.coordinates) - len(equations.rows) == 2


def holding(kind, end, axes):
    """Return what holds the spin of a thin rod, one element for each way to say so."""
    d, e, g = axes
    at, away = tuple(end / 2 + 0.1 * g), tuple(end / 2 + 0.1 * g + 0.3 * e)
    point, post = bc.Point("P", "rod", at=at), bc.Point("Q", "ground", at=away)
    fixed = tuple(end / 2 + 0.1 * g)
    height = f"P.position_x*{e[0]} + P.position_y*{e[1]} + P.position_z*{e[2]} - {e @ at}"
    return {
        "spin": {"constraints": [bc.VelocityConstraint("v", {
            f"rod.angular_velocity_{x}": float(d[i]) for i, x in enumerate("xyz")}, 1.0)]},
        "link": {"constraints": [bc.Distance("v", ("rod", at), ("ground", away))]},
        "rope": {"constraints": [bc.Rope("v", ["P", "Q"])], "points": [point, post]},
        "plane": {"constraints": [
            bc.PointOnPlane("v", ("rod", at), "ground", at=at, axis=tuple(e))]},
        "own plane": {"constraints": [
            bc.PointOnPlane("v", ("ground", fixed), "rod", at=fixed, axis=tuple(e))]},
        "relation": {"constraints": [bc.Relation("v", height)], "points": [point]},
        "driver": {"constraints": [bc.Distance("v", ("rod", at), ("ground", away))],
                   "drivers": [bc.Drive("lead", "v", length="0.3 + 0.2*t")]},
    }[kind]  # fmt: skip


WAYS = ["spin", "link", "rope", "plane", "own plane", "relation", "driver"]


@pytest.mark.parametrize("kind", WAYS)
def test_whatever_holds_the_spin_of_a_thin_rod_is_felt_in_every_formulation(kind):
    """A rod of which one direction is known has no spin that could be held."""
    end, axes, _ = askew(WAYS.index(kind))
    model = ball_rod(end, **holding(kind, end, axes))
    runs = [
        bc.simulate(model, 0.05, formulation=formulation)
        for formulation in (bc.Kane(), bc.Natural())
    ]
    for channel in ("rod.position", "rod.orientation", "rod.angular_velocity"):
        known, found = (run.final[channel] for run in runs)
        np.testing.assert_allclose(found, known, atol=1e-7)


def test_what_is_tied_to_the_line_of_a_thin_rod_leaves_it_two_points():
    """Nothing feels its spin, which is no freedom."""
    end, (d, e, g), _ = askew(5)
    tip, still = tuple(end), tuple(end + 0.3 * e)
    for kind in (
        bc.Distance("v", ("rod", tip), ("ground", still)),
        bc.PointOnPlane("v", ("rod", tip), "ground", at=tip, axis=tuple(g)),
        bc.PointOnPlane("v", ("ground", still), "rod", at=still, axis=tuple(d)),
        bc.Perpendicular("v", "ground", "rod", axis1=tuple(e), axis2=tuple(d)),
    ):
        equations = bc.equations(ball_rod(end, constraints=[kind]), bc.Natural())
        assert len(equations.coordinates) == 3
