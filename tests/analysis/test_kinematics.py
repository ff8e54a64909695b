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


TIMES = np.linspace(0.0, 10.0, 101)
FAST = {
    "100*sin(300*t)": lambda t: 100 * np.sin(300 * t),
    "1e3*t + sin(1000*t)": lambda t: 1e3 * t + np.sin(1000 * t),
    "exp(-((t - 5)/0.01)**2) + max(0, t - 2)**3": (
        lambda t: np.exp(-(((t - 5) / 0.01) ** 2)) + np.maximum(0, t - 2) ** 3
    ),
    "tanh((t - 5.03)/1e-4) + t": lambda t: np.tanh((t - 5.03) / 1e-4) + t,
    "10*cycloidal((t - 5)/1e-3)": lambda t: 10.0 * (t > 5),
    "1e-9*sin(300*t)": lambda t: 1e-9 * np.sin(300 * t),
}


@pytest.mark.slow
@pytest.mark.parametrize("law", FAST)
def test_a_slide_goes_where_a_law_of_time_leads_however_fast(law):
    """It is where its law says, and has no dead centre at all."""
    model = bc.Model(
        "slide",
        bodies=[bc.Body("b", mass=2, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Prismatic("S", "ground", "b", at=(0, 0, 0), axis="z")],
        drivers=[bc.Drive("D", "S", offset=law)],
    )
    found = bc.kinematics(model, {"t": TIMES})
    assert len(found) == len(TIMES)
    assert np.isnan(found.limits).all()
    assert found.lost == ()
    np.testing.assert_allclose(found["S.offset"], FAST[law](TIMES), rtol=1e-12, atol=1e-12)


def crank_and_slider(*drivers) -> bc.Model:
    """A crank of 0.3 m, a rod of 1 m, in line in the drawing."""
    return bc.Model(
        "engine",
        planar=True,
        bodies=[
            bc.Body("crank", bc.Rod((0, 0), (0.3, 0), mass=1)),
            bc.Body("rod", bc.Rod((0.3, 0), (1.3, 0), mass=2)),
            bc.Body("piston", mass=3, com=(1.3, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "rod", at=(0.3, 0)),
            bc.Revolute("C", "rod", "piston", at=(1.3, 0)),
            bc.Prismatic("S", "ground", "piston", at=(1.3, 0), axis="x"),
        ],
        drivers=drivers,
    )


@pytest.mark.parametrize("turns", [0.3, 5.0, 10.0])
@pytest.mark.parametrize("beat", [0.0, 1.0, 3.0])
def test_a_crank_turns_on_over_dead_centres_of_its_slider(turns, beat):
    """Full turns between values, there and back: the rod stays on its branch."""
    law = f"{turns * 2 * np.pi!r}*t + {beat}*sin(60*t)"
    times = np.linspace(0, 2, 21)
    found = bc.kinematics(crank_and_slider(bc.Drive("D", "A", angle=law)), {"t": times})
    a = turns * 2 * np.pi * times + beat * np.sin(60 * times)
    assert len(found) == len(times)
    np.testing.assert_allclose(found["A.angle"], a, atol=1e-10)
    np.testing.assert_allclose(found["B.angle"], -np.arcsin(0.3 * np.sin(a)) - a, atol=1e-10)
    reach = 0.3 * np.cos(a) + np.sqrt(1 - (0.3 * np.sin(a)) ** 2) - 1.3
    np.testing.assert_allclose(found["S.offset"], reach, atol=1e-10)
    assert np.isnan(found.limits).all()


@pytest.mark.slow
@pytest.mark.parametrize("width", [3.0, 1e-1, 1e-2])
def test_where_time_leads_no_further_is_the_dead_centre(width):
    """The slider comes 0.6 m down at most: −0.3 − 0.4 exp(−((t − 5)/w)²) is there once."""
    law = f"-0.3 - 0.4*exp(-((t - 5)/{width!r})**2)"
    model = crank_and_slider(bc.Drive("D", "S", offset=law))
    found = bc.kinematics(model, {"t": TIMES}, near={"A.angle": bc.Near(1.6)})
    last = 5 - width * np.sqrt(np.log(4 / 3))
    assert found.limits[1] == pytest.approx(last, abs=1e-9)
    assert found.lost == ()
    assert len(found) == np.count_nonzero(last >= TIMES)
    assert "a dead centre" in repr(found)


def test_what_cannot_be_followed_is_no_dead_centre():
    """Beyond the end of a law there is no position, though nothing is singular."""
    model = crank_and_slider(bc.Drive("D", "A", angle="sqrt(5 - t)"))
    with np.errstate(invalid="ignore"):
        found = bc.kinematics(model, {"t": TIMES})
    assert found.lost == (pytest.approx(5.0, abs=1e-6),)
    assert np.isnan(found.limits).all()
    assert "it could not be followed beyond 5: no dead centre" in repr(found)


RAMPS = {
    "cycloidal((t - 0.3)/w)": 1.0,
    "min(max((t - 0.3)/w, 0), 1)": 1.0,
    "(1 + tanh(20*(t - 0.3)))/2": (1 + np.tanh(14)) / 2 - (1 + np.tanh(-6)) / 2,
}


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
@pytest.mark.parametrize("ramp", RAMPS)
def test_turns_that_are_made_in_an_instant_are_counted(ramp, formulation):
    """A ramp by three turns, shorter than the time between two looks, winds the crank."""
    for width in (0.3, 1e-3, 1e-7):
        model = bc.Model(
            "crank",
            parameters=[bc.Parameter("w", width)],
            bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
            joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
            drivers=[bc.Drive("lead", "A", angle=f"6*pi*({ramp}) + 0.1*t")],
        )
        for times in ([0.0, 1.0], np.linspace(0, 1, 11)):
            swept = bc.kinematics(model, {"t": times}, formulation=formulation)
            turned = swept.plain("A.angle")[-1] - swept.plain("A.angle")[0]
            assert turned == pytest.approx(6 * np.pi * RAMPS[ramp] + 0.1, abs=1e-6)
