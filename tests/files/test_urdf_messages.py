"""Every complaint about a URDF file: by name and line, all at once."""

import pytest

import bellcrank as bc

INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
TWO = '<link name="a"/>\n<link name="b"/>'


def tie(more="", kind="revolute", name="j", parent="a", child="b"):
    ends = f'<parent link="{parent}"/><child link="{child}"/>'
    return f'<joint name="{name}" type="{kind}">{ends}{more}</joint>'


def tied(*given, **named):
    """Return two links and a joint on line 4."""
    return f"{TWO}\n{tie(*given, **named)}"


CASES = [
    ('<link name="a"><inertal/></link>',
     "line 2, <link> knows no <inertal>. Did you mean 'inertial'? There: inertial, visual, "
     "collision."),
    ('<link name="a" mass="1"/>', "line 2, <link> knows no mass. There: name."),
    ('<link name="a"/>\n<frame/>', "line 3, <robot> knows no <frame>. There: link, joint."),
    ('<xacro:macro name="m"/>\n<link name="a"/>',
     "line 2, <xacro:macro> is xacro: run the file through xacro first, and load what comes "
     "out."),
    ("", "line 1, a robot needs a link."),
    ("<link/>", "line 2, link: <link> needs name=."),
    ('<link name="a"/>\n<link name="a"/>',
     ["line 2, link 'a': the name is given twice.",
      "line 3, link 'a': the name is given twice."]),
    ('<link name="a"><inertial><mass value="1"/></inertial></link>',
     "line 2, link 'a': <inertial> needs <mass> and <inertia>."),
    (f'<link name="a">{INERTIAL.replace("<mass", "<mass/><mass")}</link>',
     ["line 2, <inertial> has a second <mass>.", "line 2, link 'a': <mass> needs value=."]),
    (f'<link name="a">{INERTIAL.replace("1", "-1", 1)}</link>',
     "line 2, link 'a': mass must be zero or positive [kg], got -1."),
    (f'<link name="a">{INERTIAL.replace("1", "nan", 1)}</link>',
     "line 2, link 'a': value of <mass> must be a finite number, got 'nan'."),
    (f'<link name="a">{INERTIAL.replace("1", "1e999", 1)}</link>',
     "line 2, link 'a': value of <mass> must be a finite number, got '1e999'."),
    (f'<link name="a">{INERTIAL.replace("1", "1,5", 1)}</link>',
     "line 2, link 'a': value of <mass> must be a finite number, got '1,5'."),
    ('<link name="a"><visual/></link>',
     "line 2, link 'a': <visual> needs <geometry> with one shape in it."),
    ('<link name="a"><visual><geometry><box size="1 2"/></geometry></visual></link>',
     "line 2, link 'a': size of <box> must be 3 finite numbers, got '1 2'."),
    (tied(kind='hinge'),
     "line 4, joint 'j': no type 'hinge'. The types are revolute, continuous, prismatic, "
     "fixed, floating, planar."),
    (tied(kind='revolut'),
     "line 4, joint 'j': no type 'revolut'. Did you mean 'revolute'? The types are revolute, "
     "continuous, prismatic, fixed, floating, planar."),
    (f'{TWO}\n<joint name="j" type="fixed"><parent link="a"/></joint>',
     "line 4, joint 'j': needs <child link=…>."),
    (tied(child='bb'),
     "line 4, joint 'j': there is no link 'bb' to be its child. Did you mean 'b'?"),
    (tied(child='a'), "line 4, joint 'j' ties 'a' to itself."),
    (tied() + "\n" + tie(name='k'),
     "line 5, link 'b' is the child of two joints, 'j' and 'k'; URDF has trees only. Close a "
     "loop in the model that is loaded."),
    (TWO,
     "line 3, 2 links are the child of no joint: 'a' (line 2), 'b' (line 3); a robot has one "
     "root. Tie the others to it by joints."),
    (tied() + "\n" + tie(name='k', parent='b', child='a'),
     "line 2, every link is the child of a joint, so that they go round in a circle."),
    (f'<link name="r"/>\n{tied()}\n{tie(name="k", parent="b", child="a")}',
     "line 3, links go round in a circle: 'a', 'b'."),
    (tied('<axis xyz="0 0 0"/>'),
     "line 4, joint 'j': <axis> must not be zero, got 0 0 0."),
    (tied('<limit lower="1" upper="-1"/>'),
     "line 4, joint 'j': <limit>: lower must not be above upper, got 1 and -1."),
    (tied('<limit effort="-1"/>'),
     "line 4, joint 'j': <limit>: effort must be zero or positive, got -1."),
    (tied('<dynamics friction="-1"/>'),
     "line 4, joint 'j': friction must be zero or positive, got -1."),
    (tied('<dynamics damping="1"/>', kind='planar'),
     "line 4, joint 'j': damping of a planar joint, which has several coordinates, is not "
     "understood."),
    (tied('<mimic joint="j"/>'), "line 4, joints mimic in a circle: j → j."),
    (tied('<mimic joint="j"/>', kind='planar'),
     "line 4, joint 'j': a planar joint, which has several coordinates, cannot mimic another."),
    (tied('<origin xyz="1e308 0 0"/>') + '\n<link name="c"/>\n'
     + tie('<origin xyz="1e308 0 0"/>', "fixed", "k", "b", "c"),
     ["line 5, body 'c': com[0] must be a finite number [m], got inf.",
      "line 5, body 'c': pose: position[0] must be a finite number [m], got inf.",
      "line 6, joint 'k': at[0] must be a finite number [m], got inf."]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "complaints"), CASES)
def test_a_complaint_says_what_is_wrong_and_where(text, complaints, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.urdf").write_text(f'<robot name="r">\n{text}\n</robot>', "utf-8")
    with pytest.raises(bc.FileError) as caught:
        bc.load("r.urdf")
    if isinstance(complaints, str):
        assert str(caught.value) == f"r.urdf, {complaints}"
    else:
        listed = "".join(f"\n  - {complaint}" for complaint in complaints)
        assert str(caught.value) == f"r.urdf: {len(complaints)} complaints:{listed}"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "r.urdf, line 1: not XML: no element found."),
        ("<robot", "r.urdf, line 1: not XML: unclosed token."),
        ('<robot name="r">\n<link name="a">\n</robot>',
         "r.urdf, line 3: not XML: mismatched tag; <link> of line 2 is open."),
        ("<robot/>", ["line 1, robot: <robot> needs name=.", "line 1, a robot needs a link."]),
        ("<sdf/>",
         "r.urdf, line 1, URDF begins with <robot>, got <sdf>. That is another format."),
    ],
)  # fmt: skip
def test_what_is_no_robot(text, complaint, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.urdf").write_text(text)
    with pytest.raises(bc.FileError) as caught:
        bc.load("r.urdf")
    if isinstance(complaint, list):
        complaint = "r.urdf: 2 complaints:" + "".join(f"\n  - {text}" for text in complaint)
    assert str(caught.value) == complaint


def test_many_complaints_are_counted(tmp_path):
    (tmp_path / "r.urdf").write_text(f'<robot name="r">{"<a/>" * 100}</robot>')
    with pytest.raises(bc.FileError) as caught:
        bc.load(tmp_path / "r.urdf")
    assert "101 complaints" in str(caught.value)
    assert str(caught.value).endswith("… and 71 more")


def test_a_folder_of_packages_that_is_not_there(tmp_path):
    (tmp_path / "r.urdf").write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(bc.OptionError) as caught:
        bc.load(tmp_path / "r.urdf", packages="nowhere")
    assert str(caught.value) == "packages: there is no folder 'nowhere'."


def test_limits_complain_under_the_name_of_their_joint():
    with pytest.raises(bc.ModelError) as caught:
        bc.Revolute("j", "a", "b", (0, 0, 0), "z", limits=bc.Limits(2, 1, effort=-3))
    assert caught.value.complaints == (
        "joint 'j': limits: effort must be zero or positive, got -3.",
    )
    with pytest.raises(bc.ModelError) as caught:
        bc.Prismatic("j", "a", "b", axis="z", limits={"uper": 1})
    assert caught.value.complaints == (
        "joint 'j': limits: no key named 'uper'. Did you mean 'upper'? There are: effort, "
        "lower, upper, velocity.",
    )
    with pytest.raises(bc.ModelError) as caught:
        bc.Prismatic("j", "a", "b", axis="z", limits=3)
    assert caught.value.complaints == (
        "joint 'j': limits must be Limits, or a pair (lower, upper), got 3.",
    )


def test_a_body_taken_as_given_has_still_a_mass_that_is_not_negative():
    with pytest.raises(bc.ModelError) as caught:
        bc.Body("b", mass=-1, inertia=(0,) * 6, as_given=True)
    assert caught.value.complaints == ("body 'b': mass must be zero or positive [kg], got -1.",)
    with pytest.raises(bc.ModelError) as caught:
        bc.Body("b", mass=1, inertia=(0,) * 6, as_given="yes")
    assert caught.value.complaints == ("body 'b': as_given is True or False, got 'yes'.",)


def test_a_gear_between_an_angle_and_an_offset_proposes_a_rack():
    with pytest.raises(bc.ModelError) as caught:
        bc.Model(
            "m",
            bodies=[bc.Body(n, bc.Sphere(1, mass=1)) for n in "ab"],
            joints=[
                bc.Revolute("A", "ground", "a", (0, 0, 0), "z"),
                bc.Prismatic("B", "ground", "b", axis="z"),
            ],
            constraints=[bc.Gear("g", "A", "B", 2)],
        )
    assert caught.value.complaints == (
        "constraint 'g': joint 'B' has no coordinate 'angle'; it has offset. A RackAndPinion "
        "ties an angle to an offset.",
    )
