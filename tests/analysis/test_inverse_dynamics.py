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


# --- any actuator, in any tree


def crank_and_slider():
    A, B, C = (0, 0, 0), (0.5, 0, 0.5), (1.5, 0, 0)
    return bc.Model(
        "crank and slider",
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("rod", bc.Rod(B, C, mass=2.0)),
            bc.Body("slider", bc.Sphere(0.1, C, mass=3.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A, axis="y"),
            bc.Revolute("B", "crank", "rod", at=B, axis="y"),
            bc.Revolute("C", "rod", "slider", at=C, axis="y"),
            bc.Prismatic("P", "ground", "slider", at=C, axis="x"),
        ],
        forces=[
            bc.SpringDamper(
                "s", ("ground", (2.5, 0, 0)), ("slider", C), stiffness=200.0, length=0.3
            )
        ],
    )


LAW = "0.3*sin(2*t)"
WHEN = np.linspace(0.0, 0.7, 8)  # the crank moves all the time, and so does everything


def crank_angle(t):
    return 0.3 * np.sin(2 * t), 0.6 * np.cos(2 * t)


def energy(t):
    """Return T + V of `crank_and_slider` under LAW, and the rates of its joints by name."""
    angle, rate = crank_angle(t)
    xB = 0.5 * np.cos(angle) + 0.5 * np.sin(angle)
    zB = 0.5 * np.cos(angle) - 0.5 * np.sin(angle)
    dx, dz, across = zB * rate, -xB * rate, np.sqrt(1.25 - zB**2)
    turn, xC, slide = dz / across, xB + across, dx - zB * dz / across
    # Thin rods: the crank about its end, m L²/3 with L² = ½; the rod about its centre, m L²/12.
    T = (0.5 / 6 * rate**2 + (dx + slide) ** 2 / 4 + dz**2 / 4 + 2.5 / 24 * turn**2
         + 1.5 * slide**2)  # fmt: skip
    V = 9.81 * 1.5 * zB + 100 * (2.5 - xC - 0.3) ** 2
    return T + V, {"A": rate, "B": turn - rate, "C": -turn, "P": slide}


def needed(joint):
    """Return the effort at one joint alone: its power is what the energy gains."""
    gained = energy(WHEN + 1e-20j)[0].imag / 1e-20
    return gained / energy(WHEN)[1][joint]


@pytest.mark.parametrize("joint", "ABCP")
def test_any_actuator_gives_the_motion(formulation, joint):
    """Led at A, driven at any joint: by laws, drivers, sweeps and runs; closed form, to 1e-9.

    The spanning tree goes through what drives, so the motion and the machine may have
    different coordinates.
    """
    model = crank_and_slider()
    led, how = model.add(bc.Drive("D", "A", angle=LAW)), {"formulation": formulation}
    found = [
        bc.inverse_dynamics(model, {"A": LAW}, [joint], times=WHEN, **how),
        bc.inverse_dynamics(led, None, [joint], times=WHEN, **how),
    ]
    for other in FORMULATIONS:
        swept = bc.kinematics(led, {"t": WHEN}, formulation=other)
        found.append(bc.inverse_dynamics(led, swept, [joint], **how))
        found.append(bc.inverse_dynamics(model, swept, [joint], **how))
    for each in found:
        assert each.exact
        np.testing.assert_allclose(each.plain(joint), needed(joint), rtol=1e-9, atol=1e-9)
    run = bc.simulate(led, WHEN[-1], every=0.1, formulation=formulation)
    of_run = bc.inverse_dynamics(led, run, [joint], **how)
    np.testing.assert_allclose(of_run.plain(joint), needed(joint), rtol=1e-7)  # of the run
    table = {"A": crank_angle(np.linspace(0.0, 0.7, 71))[0]}
    by_table = bc.inverse_dynamics(model, table, [joint], times=np.linspace(0, 0.7, 71), **how)
    # Second derivatives of quintic splines at steps h: h⁴, and a hundred times that at ends.
    np.testing.assert_allclose(by_table.plain(joint)[::10], needed(joint), rtol=1e-5)


def rod_on_a_hinge(*forces):
    return bc.Model(
        "rod", bodies=[bc.Body("b", bc.Rod((0, 0, 0), (0, 0, -1), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "b", at=(0, 0, 0), axis="y")], forces=forces,
    )  # fmt: skip


def test_angles_are_followed_over_full_turns(formulation):
    """A torsion spring that is wound up two turns; sweeps count them, up and down."""
    model = rod_on_a_hinge(bc.Motor("spring", "A", effort="-3*A.angle"))
    times, how = np.linspace(0.0, 4.0, 41), {"formulation": formulation}
    known = 9 * times + 0.5 * 9.81 * np.sin(3 * times)
    found = bc.inverse_dynamics(model, {"A": "3*t"}, times=times, **how)
    np.testing.assert_allclose(found.plain("A"), known, rtol=1e-9, atol=1e-9)
    run = bc.simulate(model.add(bc.Drive("D", "A", angle="3*t")), 4.0, every=0.1, **how)
    of_run = bc.inverse_dynamics(model, run, ["A"], **how)
    np.testing.assert_allclose(of_run.plain("A"), known, rtol=1e-7, atol=1e-7)
    for values in (3 * times, 1.0 - 3 * times):
        swept = bc.kinematics(model, {"A": values}, **how)
        np.testing.assert_allclose(swept.plain("A.angle"), values, atol=1e-11)


def test_nonsmooth_forces_are_on_the_branch_of_each_sample(formulation):
    """Dry friction against a motion that turns back."""
    model = rod_on_a_hinge(bc.Motor("friction", "A", effort="-3*sign(A.angle_rate)"))
    times = np.linspace(0.0, 4.0, 41)
    found = bc.inverse_dynamics(model, {"A": "sin(t)"}, times=times, formulation=formulation)
    known = 3 * np.sign(np.cos(times)) + 0.5 * 9.81 * np.sin(np.sin(times)) - np.sin(times) / 3
    np.testing.assert_allclose(found.plain("A"), known, rtol=1e-9, atol=1e-9)


def test_variables_are_those_of_the_run(formulation):
    """A winding beside an unknown motor: what is found is what drove the run."""
    model = crank_and_slider().add(
        bc.Variable("current", rate="cos(t) - current", start=2.0),
        bc.Motor("winding", "C", effort="10*current"),
        bc.Motor("unknown", "P", effort=bc.Input("u")),
    )
    laws = {"inputs": {"u": "150*cos(t)"}, "every": 0.05}
    run = bc.simulate(model, 0.5, formulation=formulation, **laws)
    for other in FORMULATIONS:
        found = bc.inverse_dynamics(model, run, ["u"], formulation=other)
        np.testing.assert_allclose(found.plain("u"), 150 * np.cos(run.t), rtol=1e-9)


def test_a_motion_that_opens_the_loops_is_of_another_machine(formulation):
    longer = bc.Rod((0.5, 0, 0.5), (1.7, 0, 0), mass=2.0)
    joint = bc.Revolute("C", "rod", "slider", at={"rod": (1.7, 0, 0), "slider": (1.5, 0, 0)},
                        axis="y")  # fmt: skip
    model = crank_and_slider()
    other = model.without("C", "s").add(joint)
    other = other.replace(bodies=[b if b.name != "rod" else bc.Body("rod", longer)
                                  for b in other.bodies])  # fmt: skip
    swept = bc.kinematics(model.add(bc.Drive("D", "A", angle=LAW)), {"t": WHEN})
    with pytest.raises(bc.OptionError, match="it is of another machine than"):
        bc.inverse_dynamics(other, swept, ["P"], formulation=formulation)
