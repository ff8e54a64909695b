"""Sweeps through the positions of linkages, against REFERENCES_ANALYSIS B and closed forms."""

import numpy as np
import pytest
from tests.machines import analysed

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def test_slider_crank(formulation):
    """B-D2: place, velocity and acceleration of the slider at 100 rad/s, to 1e-9."""
    angles = np.arange(1, 6) * np.pi / 6
    found = bc.kinematics(analysed.slider_crank(), {"A": angles}, formulation=formulation)
    known = [
        (0.382406529533, -6.4638501094, -1042.30043406),
        (0.337228132327, -10.1678107607, -333.83496477),
        (0.282842712475, -10.0, 353.55339059),
        (0.237228132327, -7.1526973150, 666.16503523),
        (0.209201448777, -3.5361498906, 689.75037351),
    ]
    x, v, a = np.array(known).T
    np.testing.assert_allclose(found.plain("slider.position_x"), x, rtol=1e-10)
    np.testing.assert_allclose(100 * found.plain("guide.offset_rate"), v, rtol=1e-9)
    np.testing.assert_allclose(1e4 * found.plain("guide.offset_acceleration"), a, rtol=1e-9)
    assert found["slider.position"].dims == ("A.angle", "component")


def test_four_bar(formulation):
    """B-D1: angles, rates and accelerations of coupler and rocker at 2 rad/s, to 1e-9."""
    angles = np.array([3, 4, 5, 6, 7]) * np.pi / 4
    found = bc.kinematics(analysed.four_bar(), {"A.angle": angles}, formulation=formulation)
    rates = [(0.263146528967, 0.970415985650), (2 / 3, 2 / 3), (0.970415985650, 0.263146528967),
             (0.939359889971, -0.139359889971), (0.134657470611, -0.897631749933)]  # fmt: skip
    pushes = [(0.989550279907, -0.435719340808), (1.007905261358, -1.007905261358),
              (0.435719340808, -0.989550279907), (-0.724642957104, -1.195357042896),
              (-4.064307455665, -3.133122099350)]  # fmt: skip
    rocker = (2.089974989627, 2.418858405776, 2.600965736924, 2.627643711945, 2.448564677227)
    turned = found.plain("D.angle")
    np.testing.assert_allclose(np.diff(turned), np.diff(rocker), atol=1e-9)
    for i, body in enumerate(("coupler", "rocker")):
        w = 2 * found.plain(f"{body}.angular_velocity_z")
        np.testing.assert_allclose(w, [pair[i] for pair in rates], atol=1e-9)
        a = 4 * found.plain(f"{body}.angular_acceleration_z")
        np.testing.assert_allclose(a, [pair[i] for pair in pushes], atol=1e-8)


def test_dead_centres_are_located_and_named(formulation):
    found = bc.kinematics(
        analysed.slider_crank(), {"A": np.linspace(0.1, 6.5, 200)}, formulation=formulation
    )
    still = [one for one in found.dead_centres if one.name == "guide.offset"]
    np.testing.assert_allclose([one.at for one in still], (np.pi, 2 * np.pi), atol=1e-9)
    np.testing.assert_allclose([one.value for one in still], (-0.2, 0.0), atol=1e-12)
    assert "guide.offset = -0.2 stands still at 3.14159265" in repr(found)


def test_the_limit_of_travel(formulation):
    """Led by the slider the crank stops at 180 deg: x = 0.3 − 0.1, to 1e-9."""
    found = bc.kinematics(
        analysed.slider_crank(), {"guide": np.linspace(-0.05, -0.3, 101)},
        near={"A": bc.Near(0.8)}, formulation=formulation,
    )  # fmt: skip
    assert found.limits[0] == pytest.approx(-0.2, abs=1e-9)
    assert np.isnan(found.limits[1])
    assert found.values.min() >= -0.2 - 1e-12
    assert found.smallest[-1] < 1e-3
    assert "its smallest possible value is -0.2: a dead centre" in repr(found)


def test_both_branches(formulation):
    angles = np.linspace(np.pi / 2, 3.0, 20)
    found = bc.kinematics(
        analysed.four_bar(), {"A": angles}, branches=30, formulation=formulation
    )
    assert len(found) == 2
    one, other = (each.plain("rocker.position")[-1] for each in found)
    B = np.array([np.cos(3.0), np.sin(3.0)])
    across = np.array([-B[1], B[0] - 2.0])  # mirror images in the line from B to D
    D = np.array([2.0, 0.0])
    mirrored = [np.dot(2 * (p[:2] - D), across) for p in (one, other)]
    assert mirrored[0] == pytest.approx(-mirrored[1], abs=1e-9)


def test_five_link_suspension_keeps_its_rods():
    """Rods keep their lengths; velocities are the derivatives of positions."""
    model = analysed.five_link()
    z = np.linspace(0.27, 0.43, 401)
    found = bc.kinematics(model, {"hub.position_z": z})
    np.testing.assert_allclose(found.plain("hub.position_z"), z, atol=1e-11)
    for name in ("hub", "axle"):
        slope = np.gradient(found.plain(f"{name}.position"), z, axis=0)[1:-1]
        np.testing.assert_allclose(found.plain(f"{name}.velocity")[1:-1], slope, atol=2e-5)
        bend = np.gradient(found.plain(f"{name}.velocity"), z, axis=0)[1:-1]
        np.testing.assert_allclose(found.plain(f"{name}.acceleration")[1:-1], bend, atol=2e-3)
    assert np.abs(found.plain("constraint_residual")).max() < 1e-10
    assert found.plot("hub.position", "axle.position").axes
    assert found.dataset["hub.position"].dims == ("hub.position_z", "component")


def test_drivers_lead_over_time():
    model = analysed.slider_crank().add(bc.Drive("drive", "A", angle="1 + 100*t"))
    times = np.linspace(0.0, 0.05, 21)
    found = bc.kinematics(model, {"t": times})
    run = bc.simulate(model, 0.05, every=0.0025, inputs={"torque": "0"})
    for name in ("slider.position", "slider.velocity", "slider.acceleration"):
        np.testing.assert_allclose(found.plain(name), run.values(name), atol=1e-7, rtol=1e-7)


def test_other_freedoms_are_held_and_mistakes_named():
    found = bc.kinematics(analysed.hanging_rods(), {"A": [0.0, 0.5]}, near={"B": 0.3})
    assert found.held == {"B.angle": 0.3}
    np.testing.assert_allclose(found.plain("B.angle"), 0.3)
    with pytest.raises(bc.UnknownName, match="no coordinate named 'E'"):
        bc.kinematics(analysed.four_bar(), {"E": [0.0, 1.0]})
    locked = analysed.four_bar().add(bc.Drive("drive", "A", angle="1.6 + t"))
    with pytest.raises(bc.Locked, match="has no freedom"):
        bc.kinematics(locked, {"D": [0.0, 0.1]})
    with pytest.raises(bc.Locked, match="has 1 degree of freedom, and 2 coordinates lead it"):
        bc.kinematics(analysed.four_bar(), {"A": [1.6, 1.7], "D": [0.0, 0.1]})
    with pytest.raises(bc.OptionError, match="over takes a coordinate with its values"):
        bc.kinematics(analysed.four_bar(), {})


@pytest.mark.parametrize(
    "law",
    [
        "cycloidal(t - 1)",
        "trapezoid(t/2, 0.25)",
        "dwell(t/3, 0.2, 0.3, 0.2)",
        "where(t >= 2, t - 1, t**2/4)",
        "0.1*max(t - 1.2, 0)**3",
        'interp(t, [0, 1, 2, 3], [0, 0.4, 0.1, 0.3], kind="cubic")',
    ],
)
def test_drivers_by_pieces_lead_over_time(law, formulation):
    """Every position has its own piece of the law, as a run has; so have motors instead."""
    model = analysed.slider_crank().add(bc.Drive("drive", "A", angle=law))
    times = np.linspace(0.0, 3.0, 14)
    run = bc.simulate(
        model, 3.0, every=3.0 / 13, inputs={"torque": "0"}, formulation=formulation
    )
    found = bc.kinematics(model, {"t": times}, formulation=formulation)
    for name in ("slider.position", "slider.velocity"):
        np.testing.assert_allclose(found.plain(name), run.values(name), atol=2e-7)
    swept = bc.inverse_dynamics(
        model, times=times, inputs={"torque": 0.0}, formulation=formulation
    )
    inside = slice(1, -1)  # accelerations jump at the ends of some
    effort = run.values("drive.effort")
    size = 1e-6 * np.abs(effort).max()
    np.testing.assert_allclose(swept.efforts[inside, 0], effort[inside], atol=size)


def test_a_cam_from_a_table(formulation):
    """A follower on a periodic cubic spline, swept over two turns and begun anywhere."""
    from scipy.interpolate import CubicSpline

    knots, lift = [0.0, 1.0, 2.0, 3.0, 2 * np.pi], [0.0, 0.2, 0.5, 0.1, 0.0]
    table = f"interp(A.angle, {knots}, {lift}, kind='cubic', periodic=True)"
    own = (1, 1, 1, 0, 0, 0)
    model = bc.Model(
        "cam",
        bodies=[
            bc.Body("follower", mass=1, com=(0, 0, 0), inertia=own),
            bc.Body("shaft", mass=1, com=(0, 1, 0), inertia=own),
        ],
        joints=[
            bc.Prismatic("B", "ground", "follower", at=(0, 0, 0), axis="x"),
            bc.Revolute("A", "ground", "shaft", at=(0, 1, 0), axis="x"),
        ],
        constraints=[bc.Relation("cam", f"B.offset - {table}")],
    )
    exact = CubicSpline(knots, lift, bc_type="periodic")
    for first, last in ((0.0, 6.0), (2.5, 12.0)):
        angles = np.linspace(first, last, 60)
        found = bc.kinematics(model, {"A.angle": angles}, formulation=formulation)
        np.testing.assert_allclose(found.plain("B.offset"), exact(angles), atol=1e-10)
        np.testing.assert_allclose(found.plain("B.offset_rate"), exact(angles, 1), atol=1e-9)
