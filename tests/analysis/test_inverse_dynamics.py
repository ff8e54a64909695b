"""Efforts that motions need, against REFERENCES_ANALYSIS B, and undone by the motion itself."""

import numpy as np
import pytest
from tests.laws.closed import loop
from tests.machines import analysed

import bellcrank as bc
from bellcrank.spatial.attitudes import euler_parameters

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
TORQUES = (-21.4349100974, -27.2127473636, -15.9815804597, 3.3900873398, 33.6933878719)
LEAST = [(-17.350206553382, -8.418458896862), (-24.491472627259, -8.163824209086),
         (-15.709622946169, -2.066966374830), (3.373706998004, -0.235079718017),
         (28.044270836069, -12.586713953092)]  # fmt: skip
TIMES = np.arange(5) * np.pi / 8  # at 2 rad/s from 135 deg


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def four_bar(actuators=None, **options):
    motion = {"A": "3*pi/4 + 2*t"}
    return bc.inverse_dynamics(analysed.four_bar(), motion, actuators, times=TIMES, **options)


def test_four_bar(formulation):
    """B-D1: one motor is exact, two share by the least norm; to 1e-9."""
    found = four_bar(formulation=formulation)
    np.testing.assert_allclose(found.plain("A"), TORQUES, rtol=1e-9)
    assert found.exact
    both = four_bar(["A", "D"], formulation=formulation)
    np.testing.assert_allclose(both.efforts, LEAST, rtol=1e-9, atol=1e-9)
    # Either way the power is what the motion needs.
    power = 2.0 * np.array(TORQUES)
    shared = sum(both.power.values())
    np.testing.assert_allclose(shared, power, rtol=1e-9)


def test_slider_crank(formulation):
    """B-D2: the torque at 100 rad/s, to 1e-9; the motor is one of the model's own."""
    times = np.arange(1, 6) * np.pi / 600
    found = bc.inverse_dynamics(
        analysed.slider_crank(), {"A": "100*t"}, times=times, formulation=formulation
    )
    known = (35.0437311392, 18.4987304804, -17.6776695297, -25.3512610390, -13.5526658046)
    assert found.actuators == ("torque",)
    np.testing.assert_allclose(found.plain("torque"), known, rtol=1e-9)


def platform(rest=False):
    cos, sin = np.cos, np.sin
    Rz = np.array([[cos(0.2), -sin(0.2), 0], [sin(0.2), cos(0.2), 0], [0, 0, 1]])
    Ry = np.array([[cos(-0.15), 0, sin(-0.15)], [0, 1, 0], [-sin(-0.15), 0, cos(-0.15)]])
    Rx = np.array([[1, 0, 0], [0, cos(0.1), -sin(0.1)], [0, sin(0.1), cos(0.1)]])
    R, moving = Rz @ Ry @ Rx, 0.0 if rest else 1.0
    return {
        "P.position": (0.1, -0.05, 0.0),
        "P.orientation": euler_parameters(R.tolist()),
        "P.velocity": moving * np.array([0.2, 0.1, -0.3]),
        "P.angular_velocity": moving * R.T @ [0.3, -0.2, 0.4],
        "platform.acceleration": moving * np.array([1.0, -0.5, 0.8]),
        "platform.angular_acceleration": moving * np.array([-0.6, 1.1, 0.7]),
    }


def test_stewart_platform(formulation):
    """B-D3: leg thrusts in motion and at rest, lengths and rates of legs; to 1e-9."""
    thrusts = (118.058541587761, 63.910026591551, 120.441273830850, 91.352915912326,
               123.051875246550, 80.525988846230)  # fmt: skip
    resting = (124.005462045444, 98.342535503085, 75.699097847249, 70.610544490419,
               137.607781673105, 41.226474001615)  # fmt: skip
    lengths = (1.347936953473, 1.505086501691, 1.479527481988, 1.434458820188, 1.261972313125,
               1.476979659916)  # fmt: skip
    model, legs = analysed.stewart(), [f"F{i}" for i in range(1, 7)]
    found = bc.inverse_dynamics(model, platform(), legs, formulation=formulation)
    np.testing.assert_allclose(found.efforts[0], thrusts, rtol=1e-9)
    seen = [found.plain(f"leg{i}.length")[0] for i in range(1, 7)]
    np.testing.assert_allclose(seen, lengths, rtol=1e-10)
    still = bc.inverse_dynamics(model, platform(rest=True), legs, formulation=formulation)
    np.testing.assert_allclose(still.efforts[0], resting, rtol=1e-9)


@pytest.mark.parametrize("kind", ["Revolute", "Distance", "PointOnLine"])
def test_inverse_undoes_forward(kind):
    """On random loops: efforts found from a run under known efforts are those; to 1e-9."""
    model = loop(kind, 5, ("SpringDamper",))
    model = model.add(bc.Torque("push", "B2", (bc.Input("a"), bc.Input("b"), 0.0)))
    laws = {"a": "2*sin(3*t)", "b": "0.5 - t"}
    run = bc.simulate(model, 0.4, inputs=laws, every=0.05)
    found = bc.inverse_dynamics(model, run, ["a", "b"])
    np.testing.assert_allclose(found.plain("a"), 2 * np.sin(3 * run.t), atol=1e-9)
    np.testing.assert_allclose(found.plain("b"), 0.5 - run.t, atol=1e-9)
    assert found.exact


def test_a_run_of_any_formulation(formulation):
    laws = {"torque": "3*sin(100*t)"}
    run = bc.simulate(analysed.slider_crank(), 0.05, start={"A.angle_rate": 100.0}, inputs=laws,
                      formulation=formulation, every=0.005)  # fmt: skip
    for other in (formulation, bc.JointCoordinates(), bc.Cartesian()):
        found = bc.inverse_dynamics(analysed.slider_crank(), run, formulation=other)
        np.testing.assert_allclose(found.plain("torque"), 3 * np.sin(100 * run.t), atol=1e-7)


def test_reactions_come_along(formulation):
    """A driver that gives the motion needs the same effort, and joints carry the same."""
    model = analysed.four_bar().add(bc.Drive("drive", "A", angle="3*pi/4 + 2*t"))
    found = bc.inverse_dynamics(model, times=TIMES, formulation=formulation)
    assert found.actuators == ("A.angle",)
    run = bc.simulate(model, TIMES[-1], every=np.pi / 8, formulation=formulation)
    np.testing.assert_allclose(found.plain("A.angle"), run.values("drive.effort"), rtol=1e-7)
    for name in ("B.reaction_force", "D.reaction_force"):
        np.testing.assert_allclose(found.plain(name), run.values(name), atol=1e-6)


def test_tables_are_splines():
    times = np.linspace(0.0, 1.0, 201)
    table = {"A": 3 * np.pi / 4 + 2 * times + 0.1 * np.sin(4 * times)}
    law = {"A": "3*pi/4 + 2*t + 0.1*sin(4*t)"}
    by_table = bc.inverse_dynamics(analysed.four_bar(), table, times=times)
    by_law = bc.inverse_dynamics(analysed.four_bar(), law, times=times)
    np.testing.assert_allclose(by_table.plain("A"), by_law.plain("A"), atol=1e-4)


def test_bounds_and_weights():
    both = four_bar(["A", "D"], bounds={"A": (-15.0, 15.0)})
    assert np.abs(both.plain("A")).max() <= 15.0 + 1e-9
    assert both.bounded.tolist() == [True, True, True, False, True]
    power = sum(both.power.values())
    np.testing.assert_allclose(power, 2 * np.array(TORQUES), rtol=1e-8)
    heavy = four_bar(["A", "D"], weights={"D": 1e6})
    np.testing.assert_allclose(heavy.plain("A"), TORQUES, rtol=1e-6)
    weak = four_bar(["A", "D"], bounds={"A": (-1.0, 1.0), "D": (-1.0, 1.0)})
    assert not weak.exact
    assert "A.angle" in weak.unmet
    assert "samples are at bounds" in repr(weak)


def test_what_cannot_be_met_is_named():
    """Two rods with one motor at the top: the lower one needs what nobody gives."""
    times = np.linspace(0.0, 1.0, 5)
    motion = {"A": "0.5*sin(2*t)", "B": "0.4*t"}
    found = bc.inverse_dynamics(analysed.hanging_rods(), motion, ["A"], times=times)
    assert not found.exact
    assert "B.angle" in found.unmet
    whole = bc.inverse_dynamics(analysed.hanging_rods(), motion, times=times)
    assert whole.exact
    assert whole.actuators == ("A", "B")
    assert "no actuator meets" in repr(found)


def test_mistakes_are_named():
    with pytest.raises(bc.OptionError, match="a motion is needed"):
        bc.inverse_dynamics(analysed.four_bar())
    with pytest.raises(bc.OptionError, match="times= is needed"):
        bc.inverse_dynamics(analysed.four_bar(), {"A": "t"})
    with pytest.raises(bc.UnknownName, match="no coordinate named 'E'"):
        four_bar(["E"])
    with pytest.raises(bc.UnknownName, match="no actuator named 'D'"):
        four_bar(["A"], bounds={"D": (0, 1)})
    with pytest.raises(bc.OptionError, match="must be positive"):
        four_bar(["A"], weights={"A": 0.0})
    other = bc.simulate(analysed.hanging_rods(), 0.1)
    with pytest.raises(bc.OptionError, match="it is of another machine"):
        bc.inverse_dynamics(analysed.four_bar(), other, ["A"])


def test_a_start_in_a_dead_centre_is_named():
    """A crank and its rod in line: the piston is led away, up or down is not said."""
    model = bc.Model(
        "slider-crank", planar=True,
        bodies=[
            bc.Body("crank", bc.Rod((0, 0), (1, 0), mass=1.0)),
            bc.Body("rod", bc.Rod((1, 0), (3, 0), mass=1.0)),
            bc.Body("piston", bc.Box((0.2, 0.2, 0.2), center=(3, 0, 0), mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "rod", at=(1, 0)),
            bc.Revolute("C", "rod", "piston", at=(3, 0)),
            bc.Prismatic("D", "ground", "piston", at=(3, 0), axis=(1, 0)),
        ],
    )  # fmt: skip
    times = np.linspace(0.0, 1.0, 11)
    with pytest.raises(bc.OptionError, match="it begins in a dead centre of what is"):
        bc.inverse_dynamics(model, {"D.offset": -0.1 * times}, times=times)
