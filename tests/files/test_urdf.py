"""What a URDF file says is what the model has."""

import math
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated

import bellcrank as bc
from bellcrank import cli
from bellcrank.spatial.arithmetic import apply


def link(name, inside='<mass value="2"/><inertia ixx="1" iyy="1" izz="1"/>', more=""):
    inertial = f"<inertial>{inside}</inertial>" if inside else ""
    return f'<link name="{name}">{inertial}{more}</link>'


def joint(name, kind, parent, child, more=""):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


@pytest.fixture
def load(tmp_path):
    def load(*parts, **options):
        file = tmp_path / "robot.urdf"
        file.write_text('<robot name="r">\n' + "\n".join(parts) + "\n</robot>", "utf-8")
        return bc.load(file, **options)

    return load


CLASSES = {
    "revolute": bc.Revolute,
    "continuous": bc.Revolute,
    "prismatic": bc.Prismatic,
    "fixed": bc.Fixed,
    "floating": bc.Free,
    "planar": bc.Planar,
}


@pytest.mark.parametrize("kind", CLASSES)
def test_every_type_of_joint_becomes_a_joint(load, kind):
    model = load(link("a"), link("b"), joint("j", kind, "a", "b"))
    assert type(model["j"]) is CLASSES[kind]
    assert (model["j"].first, model["j"].second) == ("a", "b")


def test_the_root_is_welded_or_free(load):
    parts = link("a"), link("b"), joint("j", "fixed", "a", "b")
    assert load(*parts)["root_joint"] == bc.Fixed("root_joint", "ground", "a")
    assert load(*parts, floating=True)["root_joint"] == bc.Free("root_joint", "ground", "a")


def test_links_and_joints_may_come_in_any_order(load):
    parts = [
        joint("j2", "revolute", "b", "c", '<origin xyz="0 0 2"/>'),
        link("c"),
        joint("j1", "revolute", "a", "b", '<origin xyz="1 0 0"/>'),
        link("b"),
        link("a"),
    ]
    model = load(*parts)
    assert model["c"].pose.position == (1.0, 0.0, 2.0)
    assert set(load(*parts[::-1]).bodies) == set(model.bodies)


def test_roll_pitch_and_yaw_turn_about_fixed_axes_in_this_order(load):
    """A quarter turn about x takes y to z; then one about z leaves z, and takes x to y."""
    quarter = math.pi / 2
    turn = f'<origin rpy="{quarter} 0 {quarter}"/>'
    model = load(link("a"), link("b"), joint("j", "fixed", "a", "b", turn))
    R = model["b"].pose.rotation
    np.testing.assert_allclose(apply(R, (0.0, 1.0, 0.0)), (0, 0, 1), atol=1e-15)
    np.testing.assert_allclose(apply(R, (1.0, 0.0, 0.0)), (0, 1, 0), atol=1e-15)
    pitched = f'<origin rpy="0 {quarter} 0"/>'
    model = load(link("a"), link("b"), joint("j", "fixed", "a", "b", pitched))
    R = model["b"].pose.rotation
    np.testing.assert_allclose(apply(R, (1.0, 0.0, 0.0)), (0, 0, -1), atol=1e-15)


def test_mass_centre_and_inertia_follow_the_origin_of_the_inertial(load):
    """A quarter turn about z: the moment about the inertial's x is that about the link's y."""
    inside = (
        f'<origin xyz="1 2 3" rpy="0 0 {math.pi / 2}"/><mass value="4"/>'
        '<inertia ixx="1" iyy="2" izz="2.5" ixy="0.1" ixz="0" iyz="0"/>'
    )
    place = '<origin xyz="10 0 0"/>'
    model = load(link("a"), link("b", inside), joint("j", "revolute", "a", "b", place))
    body = model["b"]
    assert body.mass == 4.0
    assert body.com == (11.0, 2.0, 3.0)
    expected = [[2, -0.1, 0], [-0.1, 1, 0], [0, 0, 2.5]]
    np.testing.assert_allclose(body.inertia, expected, atol=1e-15)


def test_an_axis_is_brought_to_length_one_and_turns_with_its_frame(load):
    quarter = math.pi / 2
    more = f'<origin rpy="0 0 {quarter}"/><axis xyz="1e200 0 0"/>'
    model = load(link("a"), link("b"), joint("j", "revolute", "a", "b", more))
    np.testing.assert_allclose(model["j"].axis, (0, 1, 0), atol=1e-15)
    model = load(link("a"), link("b"), joint("j", "revolute", "a", "b"))
    assert model["j"].axis == (1.0, 0.0, 0.0)  # as URDF has it where none is given


def test_links_without_mass_are_bodies_without_mass(load):
    model = load(link("a", ""), link("b"), joint("j", "revolute", "a", "b"))
    assert (model["a"].mass, model["a"].as_given) == (0.0, True)
    assert not model["b"].as_given


def test_a_link_without_mass_between_two_joints_moves_with_what_hangs_on_it(load):
    """Two hinges that cross in a point make J about both axes, as of one body."""
    inside = '<origin xyz="0 0 -2"/><mass value="3"/><inertia ixx="1" iyy="1" izz="1"/>'
    model = load(
        link("a", ""),
        link("cross", ""),
        link("b", inside),
        joint("x", "revolute", "a", "cross", '<axis xyz="1 0 0"/>'),
        joint("y", "revolute", "cross", "b", '<axis xyz="0 1 0"/>'),
    )
    robot = Evaluated(model)
    q = u = np.zeros(2)
    np.testing.assert_allclose(robot.mass(q, u), np.diag([13.0, 13.0]), atol=1e-12)
    tau = np.array([26.0, 13.0])
    np.testing.assert_allclose(robot.accelerations(q, u, tau), (2, 1), atol=1e-12)


def test_a_joint_that_carries_no_mass_is_remarked_on(load):
    with pytest.warns(bc.FileWarning, match="joint 'j': nothing that has mass hangs on it"):
        model = load(link("a"), link("b", ""), joint("j", "revolute", "a", "b"))
    with pytest.raises(bc.StartError, match=r"'j\.angle_rate' has no inertia"):
        bc.simulate(model, until=0.1)


def test_an_inertia_that_no_body_has_is_taken_and_remarked_on(load):
    inside = '<mass value="1"/><inertia ixx="1" iyy="1" izz="5"/>'
    with pytest.warns(bc.FileWarning, match="line 3, link 'b': no rigid body has such an"):
        model = load(link("a"), link("b", inside), joint("j", "revolute", "a", "b"))
    assert model["b"].inertia[2][2] == 5.0
    assert model["b"].as_given


def test_limits_are_kept(load):
    limit = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
    expected = bc.Limits(lower=-1, upper=2, velocity=3, effort=4)
    for kind in ("revolute", "prismatic"):
        model = load(link("a"), link("b"), joint("j", kind, "a", "b", limit))
        assert model["j"].limits == expected
    model = load(link("a"), link("b"), joint("j", "continuous", "a", "b", limit))
    assert model["j"].limits == bc.Limits(velocity=3, effort=4)
    endless = '<limit lower="-inf" upper="Infinity" velocity="3" effort="inf"/>'
    model = load(link("a"), link("b"), joint("j", "revolute", "a", "b", endless))
    assert model["j"].limits == bc.Limits(velocity=3)
    bare = '<limit velocity="3" effort="4"/>'  # a range that is not given is zero
    model = load(link("a"), link("b"), joint("j", "revolute", "a", "b", bare))
    assert model["j"].limits == bc.Limits(lower=0, upper=0, velocity=3, effort=4)
    assert load(link("a"), link("b"), joint("j", "revolute", "a", "b"))["j"].limits is None


def test_damping_and_friction_hold_the_joint_back(load):
    """τ = −c θ̇ − T tanh(θ̇/w) beyond what there is without them."""
    more = '<axis xyz="0 0 1"/><dynamics damping="0.5" friction="0.2"/>'
    parts = link("a"), link("b"), joint("j", "continuous", "a", "b", more)
    model = load(*parts)
    spring = model["j_friction"]
    assert (spring.damping, spring.friction) == (0.5, 0.2)
    held, loose = Evaluated(model), Evaluated(model.without("j_friction"))
    q = np.zeros(1)
    for rate in (-2.0, 3e-4, 1.0):
        u = np.array([rate])
        expected = -0.5 * rate - 0.2 * math.tanh(rate / spring.friction_speed)
        assert held.force(q, u) - loose.force(q, u) == pytest.approx(expected, abs=1e-14)


def test_a_joint_without_damping_has_no_force(load):
    more = '<dynamics damping="0" friction="0"/>'
    assert load(link("a"), link("b"), joint("j", "revolute", "a", "b", more)).forces == ()


@pytest.mark.parametrize("follower", ["revolute", "prismatic"])
@pytest.mark.parametrize("leader", ["continuous", "prismatic"])
def test_a_joint_that_mimics_keeps_multiplier_and_offset(load, leader, follower):
    """The constraint holds where q = 2.5 q_leader − 0.3, and nowhere else."""
    mimic = '<origin xyz="0 1 0"/><mimic joint="lead" multiplier="2.5" offset="-0.3"/>'
    parts = [
        link("a", ""),
        link("b"),
        link("c"),
        joint("follow", follower, "b", "c", mimic),
        joint("lead", leader, "a", "b"),
    ]
    model = load(*parts)
    robot = Evaluated(model)
    names = [f"{name}.{model[name].coordinates[0]}" for name in ("lead", "follow")]
    for x in (0.0, 0.7, -20.0):
        for off in (0.0, 1e-3):
            values = dict(zip(names, (x, 2.5 * x - 0.3 + off), strict=True))
            values |= dict.fromkeys((f"{name}_rate" for name in names), 0.0)
            q, u = robot.pack(values)
            (row,) = robot("position", q, u)
            assert (abs(row[0]) < 1e-13) == (off == 0.0)
    C, _ = robot("velocity", q, u)
    rates = np.zeros(2)
    for name, rate in zip(names, (1.0, 2.5), strict=True):
        rates[robot.speeds.index(f"{name}_rate")] = rate
    assert np.reshape(C, 2) @ rates == pytest.approx(0.0, abs=1e-15)


def test_a_joint_that_mimics_is_drawn_at_its_offset(load):
    more = '<axis xyz="0 0 1"/><mimic joint="lead" offset="0.5"/>'
    model = load(
        link("a", ""),
        link("b"),
        link("c"),
        joint("lead", "prismatic", "a", "b"),
        joint("follow", "prismatic", "a", "c", more),
    )
    assert model["c"].pose.position == (0.0, 0.0, 0.5)
    assert model["follow"].drawn == (0.5,)
    assert model["follow_mimic"] == bc.Gear("follow_mimic", "lead", "follow", 1.0)


def test_a_joint_that_mimics_one_that_mimics(load):
    model = load(
        *(link(name) for name in "abcd"),
        joint("j3", "revolute", "c", "d", '<mimic joint="j2" multiplier="3" offset="1"/>'),
        joint("j2", "revolute", "b", "c", '<mimic joint="j1" multiplier="2" offset="0.1"/>'),
        joint("j1", "revolute", "a", "b"),
    )
    assert model["j2"].drawn == (0.1,)
    assert model["j3"].drawn == (pytest.approx(1.3),)
    assert [gear.ratio for gear in model.constraints] == [3.0, 2.0]


def test_a_joint_that_mimics_with_a_multiplier_of_zero_stands_still(load):
    more = '<axis xyz="0 0 1"/><mimic joint="lead" multiplier="0" offset="0.5"/>'
    model = load(
        *(link(name) for name in "abc"),
        joint("lead", "prismatic", "a", "b"),
        joint("follow", "prismatic", "a", "c", more),
    )
    assert isinstance(model["follow"], bc.Fixed)
    assert model["c"].pose.position == (0.0, 0.0, 0.5)
    assert model.constraints == ()


def test_a_gripper_closes_evenly(load):
    """A run: the finger that mimics keeps to its law within the tolerance of the projection."""
    model = load(
        *(link(name) for name in "abc"),
        joint("left", "prismatic", "a", "b", '<axis xyz="0 0 1"/>'),
        joint(
            *("right", "prismatic", "a", "c"),
            '<axis xyz="1 0 1"/><mimic joint="left" multiplier="-2" offset="0.1"/>',
        ),
    )
    run = bc.simulate(model, until=1.0)
    expected = -2 * run.values("left.offset") + 0.1
    np.testing.assert_allclose(run.values("right.offset"), expected, atol=1e-12)
    # Along its slanted axis the right finger feels g/√2: (1 + 4) a = −g + 2 g/√2.
    a = 9.81 * (-1 + math.sqrt(2)) / 5
    np.testing.assert_allclose(run.values("left.offset"), 0.5 * a * run.t**2, atol=1e-9)


def test_what_mimics_nothing_is_remarked_on(load):
    with pytest.warns(bc.FileWarning) as told:
        model = load(
            *(link(name) for name in "abc"),
            joint("i", "revolute", "a", "b", '<mimic joint="lost"/>'),
            joint("k", "fixed", "a", "c", '<mimic joint="i"/>'),
        )
    assert str(told[0].message).endswith(
        ": 2 remarks:\n"
        "  - line 5, joint 'i' (mimics 'lost'): what it mimics is not there, so that it moves "
        "freely.\n"
        "  - line 6, joint 'k': fixed, so that it follows no other; its <mimic> is left out."
    )
    assert told[0].filename == __file__
    assert isinstance(model["i"], bc.Revolute)


def test_visuals_are_shapes_without_mass(load):
    def visual(shape, xyz="0 0 0"):
        return f'<visual><origin xyz="{xyz}"/><geometry><{shape}/></geometry></visual>'

    more = (
        visual('box size="1 2 3"', "0 0 1")
        + visual('cylinder radius="0.5" length="2"')
        + visual('sphere radius="0.1"')
        + visual('capsule radius="0.1" length="1"')
    )
    place = '<origin xyz="5 0 0"/>'
    parts = link("a"), link("b", more=more), joint("j", "revolute", "a", "b", place)
    model = load(*parts)
    assert model["b"].shapes == (
        bc.Box((1, 2, 3), (5, 0, 1), mass=0),
        bc.Cylinder((5, 0, -1), (5, 0, 1), 0.5, mass=0),
        bc.Sphere(0.1, (5, 0, 0), mass=0),
        bc.Capsule((5, 0, -0.5), (5, 0, 0.5), 0.1, mass=0),
    )
    assert model["b"].mass_properties.mass == 2.0


def test_what_a_link_touches_with_is_shown_where_nothing_else_is(load):
    def pictures(tag, radius):
        return f'<{tag}><geometry><sphere radius="{radius}"/></geometry></{tag}>'

    one = link("a", more=pictures("visual", 1) + pictures("collision", 2))
    assert load(one)["a"].shapes == (bc.Sphere(1, mass=0),)
    assert load(link("a", more=pictures("collision", 2)))["a"].shapes == (bc.Sphere(2, mass=0),)
    with pytest.warns(bc.FileWarning, match="<sphere>: not shown: Sphere: radius must be pos"):
        shapes = load(link("a", more=pictures("visual", 0) + pictures("collision", 2)))[
            "a"
        ].shapes
    assert shapes == (bc.Sphere(2, mass=0),)


def test_names_that_a_model_cannot_have_are_changed_by_rule(load):
    with pytest.warns(bc.FileWarning) as told:
        model = load(
            link("ground"),
            link("arm/left.1"),
            link("hand"),
            link("arm_left_1"),
            joint("hand", "revolute", "ground", "arm/left.1"),
            joint("t", "revolute", "arm/left.1", "hand"),
            joint("root_joint", "revolute", "hand", "arm_left_1"),
        )
    assert [body.name for body in model.bodies] == [
        *("ground_link", "arm_left_1", "hand_link", "arm_left_1_link"),
    ]
    assert [joint.name for joint in model.joints] == [
        *("root_joint_joint", "hand", "t_joint", "root_joint"),
    ]
    assert (model["t_joint"].first, model["t_joint"].second) == ("arm_left_1", "hand_link")
    assert str(told[0].message).endswith(
        "line 1, joint 't' is 't_joint', link 'ground' is 'ground_link', link 'arm/left.1' is "
        "'arm_left_1', link 'hand' is 'hand_link', link 'arm_left_1' is 'arm_left_1_link': "
        "names that no model can have, or that were taken, are changed."
    )


def test_a_robot_round_trips_through_yaml(load, tmp_path):
    more = (
        '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
        '<dynamics damping="1"/><axis xyz="1 2 3"/><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>'
    )
    model = load(
        link("a", ""),
        link("b"),
        link("c"),
        joint("j", "revolute", "a", "b", more),
        joint("k", "prismatic", "b", "c", '<axis xyz="0 1 0"/><mimic joint="j" offset="1"/>'),
    )
    bc.save(model, tmp_path / "robot.yaml")
    again = bc.load(tmp_path / "robot.yaml")
    assert again == model
    assert hash(again) == hash(model)
    assert again.digest == model.digest


def test_limits_and_checks_do_not_change_the_equations(load):
    limit = '<limit lower="-1" upper="2" velocity="3" effort="4"/>'
    with_limits = load(link("a"), link("b"), joint("j", "revolute", "a", "b", limit))
    without = load(link("a"), link("b"), joint("j", "revolute", "a", "b"))
    assert with_limits != without
    assert with_limits.digest == without.digest
    assert without.replace("b", as_given=True).digest == without.digest


def test_tags_of_other_programs_stand_idle(load):
    model = load(
        '<material name="blue"><color rgba="0 0 1 1"/></material>',
        '<gazebo reference="a"><anything deep="1"><more/></anything></gazebo>',
        '<transmission name="t"><joint name="j"/></transmission>',
        link("a", more='<contact><stiffness value="1"/></contact>'),
        link("b"),
        joint("j", "revolute", "a", "b", '<safety_controller k_velocity="1"/>'),
    )
    assert len(model.bodies) == 2
    with pytest.warns(bc.FileWarning, match="line 2, <gravity> of <link>: not URDF, and left"):
        load(link("a", more="<gravity/>"))


def test_floating_and_packages_are_for_urdf(tmp_path):
    with pytest.raises(bc.OptionError) as caught:
        bc.load("machine.yaml", floating=True)
    assert str(caught.value) == "machine.yaml: floating and packages are for URDF files."


def test_the_command_line_takes_a_robot_and_says_what_is_wrong(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    text = '<robot name="r">\n<link name="t"/>\n</robot>'
    Path("good.urdf").write_text(text)
    assert cli.run(["report", "good.urdf"]) == 0
    told = capsys.readouterr()
    assert "1 body, 1 joint, 0 degrees of freedom" in told.out
    assert told.err == (
        "bellcrank: good.urdf, line 1, link 't' is 't_link': names that no model can have, or "
        "that were taken, are changed.\n"
    )
    Path("bad.urdf").write_text(text.replace("link", "lnk"))
    assert cli.run(["report", "bad.urdf"]) == 2
    assert capsys.readouterr().err == (
        "bellcrank: bad.urdf: 2 complaints:\n"
        "  - line 1, a robot needs a link.\n"
        "  - line 2, <robot> knows no <lnk>. Did you mean 'link'? There: link, joint.\n"
    )
    assert cli.run(["report", "goood.urdf"]) == 2
    assert "no file 'goood.urdf'. Did you mean 'good.urdf'?" in capsys.readouterr().err


def test_the_example_of_a_robot_runs_to_its_laws(monkeypatch, tmp_path):
    script = Path(__file__).parents[2] / "examples" / "robot.py"
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    monkeypatch.setenv("MPLBACKEND", "Agg")
    known = runpy.run_path(str(script))
    assert known["robot"].constraints == (bc.Gear("right_mimic", "left", "right", 1.0),)
    assert (tmp_path / "robot.png").exists()
