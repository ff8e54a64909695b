"""Files from anywhere: whatever stands in them, it is a model or a `FileError`, and soon."""

import os
import random
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bellcrank as bc
from bellcrank.files.urdf import reading
from bellcrank.files.urdf.robot import MOST_LINKS

ONE = '<robot name="r"><link name="a"/></robot>'


@pytest.fixture
def file(tmp_path):
    return tmp_path / "robot.urdf"


def refused(file, content):
    """Return the message with which a content is refused."""
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(bc.FileError) as caught:
        bc.load(file)
    return str(caught.value).replace(str(file), "robot.urdf")


# --- entities -----------------------------------------------------------------------------


def test_a_billion_laughs_are_refused_before_the_first(file):
    levels = "".join(f'<!ENTITY l{k} "{f"&l{k - 1};" * 10}">' for k in range(1, 10))
    doctype = f'<!DOCTYPE lolz [<!ENTITY l0 "lol">{levels}]>'
    said = refused(file, f'<?xml version="1.0"?>\n{doctype}\n<robot name="&l9;"/>')
    assert said == (
        "robot.urdf, line 2: document types and entities are refused; take <!DOCTYPE …> out."
    )


@pytest.mark.parametrize(
    "doctype",
    [
        '<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>',
        '<!DOCTYPE r [<!ENTITY % x SYSTEM "http://127.0.0.1:9/x.dtd"> %x;]>',
        '<!DOCTYPE r SYSTEM "http://127.0.0.1:9/x.dtd">',
        '<!DOCTYPE r [<!ENTITY x "' + "y" * 100000 + '">]>',
        "<!DOCTYPE r>",
    ],
)
def test_nothing_outside_is_opened(file, doctype):
    said = refused(file, f'{doctype}<robot name="r"><link name="&x;"/></robot>')
    assert "document types and entities are refused" in said


def test_an_entity_that_was_never_declared_is_refused(file):
    assert "undefined entity" in refused(file, '<robot name="&x;"/>')


# --- size ---------------------------------------------------------------------------------


def test_a_million_links_are_refused(file):
    links = '<link name="a"/>' * 1_050_000
    assert "at most 16777216 are read" in refused(file, f'<robot name="r">{links}</robot>')
    links = "<link/>" * 1_000_000
    said = refused(file, f'<robot name="r">{links}</robot>')
    assert said == "robot.urdf, line 1: more than 200000 tags; no more are read."
    links = '<link name="a"/>' * (MOST_LINKS + 1)
    said = refused(file, f'<robot name="r">{links}</robot>')
    assert said == "robot.urdf, line 1, 10001 links; at most 10000 are read."


def test_tags_in_tags_are_refused_when_they_are_too_deep(file):
    deep = "<a>" * 100_000 + "</a>" * 100_000
    said = refused(file, f'<robot name="r"><gazebo>{deep}</gazebo></robot>')
    assert said == "robot.urdf, line 1: tags in tags, deeper than 64 levels."


def chain(count, *, mimic):
    inertial = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/></inertial>'
    for k in range(count, 0, -1):  # from the tip inwards, the harder order
        yield f'<link name="l{k}">{inertial}</link><joint name="j{k}" type="revolute">'
        yield f'<origin xyz="0 0 1" rpy="0.1 0.2 0"/><parent link="l{k - 1}"/>'
        follows = f'<mimic joint="j{k - 1}"/>' if mimic and k > 1 else ""
        yield f'<child link="l{k}"/>{follows}</joint>'


@pytest.mark.parametrize("mimic", [False, True])
def test_a_chain_thousands_deep_loads(file, mimic):
    """Each link hangs on the one before, and each joint may mimic the one before."""
    count = 2000
    links = "".join(chain(count, mimic=mimic))
    file.write_text(f'<robot name="r"><link name="l0"/>{links}</robot>')
    model = bc.load(file)
    assert len(model.bodies) == count + 1
    assert len(model.constraints) == (count - 1 if mimic else 0)
    assert max(model.graph.depth) == count
    assert hash(model) == hash(model.add())
    assert len(model.digest) == 64
    if not mimic:
        assert f"{count} degrees of freedom" in str(bc.report(model))


# --- numbers and bytes ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "number", ["1e308", "-1e308", "1e-320", "9" * 400, "nan", "inf", "0x1p3"]
)
@pytest.mark.parametrize("where", ["mass", "com", "inertia", "rpy", "place", "axis", "size"])
def test_a_number_of_any_size_is_taken_or_refused(file, number, where):
    given = dict.fromkeys(("mass", "com", "inertia", "rpy", "place", "axis", "size"), "1")
    given[where] = number
    three = {key: " ".join([value] * 3) for key, value in given.items()}
    body = (
        f'<inertial><origin xyz="{three["com"]}" rpy="{three["rpy"]}"/>'
        f'<mass value="{given["mass"]}"/>'
        f'<inertia ixx="{given["inertia"]}" iyy="{given["inertia"]}" izz="1"/></inertial>'
        f'<visual><geometry><box size="{three["size"]}"/></geometry></visual>'
    )
    place = f'<origin xyz="{three["place"]}"/>'
    file.write_text(
        f'<robot name="r"><link name="a">{body}</link><link name="b">{body}</link>'
        f'<link name="c">{body}</link><joint name="j" type="revolute">{place}'
        f'<axis xyz="{three["axis"]}"/><parent link="a"/><child link="b"/></joint>'
        f'<joint name="k" type="prismatic">{place}<parent link="b"/><child link="c"/></joint>'
        "</robot>"
    )
    taken_or_refused(file)


def taken_or_refused(file):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.FileWarning)
        try:
            model = bc.load(file)
        except bc.FileError:
            return
    assert isinstance(model, bc.Model)
    assert model.digest


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\x00" * 1000,
        b"\xff\xfe\x00\xd8",
        bytes(range(256)) * 10,
        b"\x1f\x8b\x08\x00" + b"x" * 100,
        b"PK\x03\x04 not a robot",
        ONE.encode("utf-16")[:-1],
        ONE.encode("utf-32"),
        b'<?xml version="1.0" encoding="klingon"?>' + ONE.encode(),
        b'<?xml version="1.0" encoding="utf-7"?>' + ONE.encode(),
        b'<?xml version="1.0" encoding="shift_jis"?>' + ONE.encode(),
        b'<?xml version="1.0" encoding="utf-16"?>' + ONE.encode(),
        b'<robot name="\xe9"><link name="a"/></robot>',
        b'<robot name="\xed\xa0\x80"><link name="a"/></robot>',
        b'<robot name="&#0;"><link name="a"/></robot>',
        b"<![CDATA[" + b"x" * 1000,
        b"{}",
        b"name: r",
    ],
)
def test_bytes_that_are_no_xml_are_refused(file, content):
    assert "not XML" in refused(file, content)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1", "cp1252"])
def test_encodings_that_a_file_declares_are_read(file, encoding):
    declared = {"utf-8-sig": "utf-8"}.get(encoding, encoding)
    text = (
        f'<?xml version="1.0" encoding="{declared}"?><robot name="é"><link name="ü"/></robot>'
    )
    file.write_bytes(text.encode(encoding))
    model = bc.load(file)
    assert (model.name, model.bodies[0].name) == ("é", "ü")


GOOD = """<robot name="r"><link name="a"><visual><origin xyz="0 0 1" rpy="0 0 1"/><geometry>
<mesh filename="package://p/x.stl" scale="1 1 1"/></geometry></visual></link><link name="b"><inertial>
<origin xyz="1 2 3" rpy="1 2 3"/><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
</inertial></link><link name="c"/><joint name="j" type="revolute"><parent link="a"/><child link="b"/>
<origin xyz="1 0 0"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/>
<dynamics damping="1" friction="1"/></joint><joint name="k" type="prismatic"><parent link="b"/>
<child link="c"/><mimic joint="j" multiplier="2" offset="1"/></joint></robot>"""  # noqa: E501
PIECES = [
    "",
    "nan",
    "-1",
    "1e308",
    "a",
    "b",
    "j",
    "k",
    "&",
    "<",
    "/>",
    '"',
    "planar",
    "floating",
]


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 4))
def test_a_damaged_file_is_taken_or_refused(tmp_path_factory, seed, count):
    """Words of a good file are taken out, doubled, swapped, or become something else."""
    rng = random.Random(seed)
    words = GOOD.replace('"', ' " ').replace(">", " > ").replace("<", " <").split(" ")
    for _ in range(count):
        k = rng.randrange(len(words))
        words[k] = rng.choice([*PIECES, words[k] * 2, rng.choice(words)])
    text = " ".join(words).replace(' " ', '"').replace(" > ", ">").replace(" <", "<")
    file = tmp_path_factory.mktemp("damaged") / "r.urdf"
    file.write_text(text)
    taken_or_refused(file)


# --- files that a file names ----------------------------------------------------------------

STL = b"solid s\nendsolid s\n"


@pytest.fixture
def world(tmp_path):
    """A package with a robot and a mesh, and a mesh outside."""
    for place in ("ws/arm/urdf", "ws/arm/meshes", "ws/hand/meshes", "outside"):
        (tmp_path / place).mkdir(parents=True)
    for mesh in ("ws/arm/meshes/m.stl", "ws/hand/meshes/h.stl", "outside/x.stl"):
        (tmp_path / mesh).write_bytes(STL)
    (tmp_path / "ws/arm/urdf/near.stl").write_bytes(STL)
    (tmp_path / "ws/arm/package.xml").write_text("<package/>")
    return tmp_path


def shown(world, name, **options):
    """Return the file that is shown for a name, or what is said about it."""
    file = world / "ws/arm/urdf/r.urdf"
    mesh = f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
    file.write_text(f'<robot name="r"><link name="a">{mesh}</link></robot>')
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model = bc.load(file, **options)
    shapes = model["a"].shapes
    assert bool(shapes) != bool(told)
    if shapes:
        assert shapes[0].mass == 0.0
        return os.path.relpath(shapes[0].file, world)
    return str(told[0].message).rpartition("not shown: ")[2]


NOT_FOUND = "not found; name the folder that holds its package with packages=."
OUTSIDE = "outside the folders of the robot; name its folder with packages=."


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("package://arm/meshes/m.stl", "ws/arm/meshes/m.stl"),
        ("model://arm/meshes/m.stl", "ws/arm/meshes/m.stl"),
        ("package://hand/meshes/h.stl", "ws/hand/meshes/h.stl"),
        ("near.stl", "ws/arm/urdf/near.stl"),
        ("../meshes/m.stl", "ws/arm/meshes/m.stl"),
        ("package://arm/meshes/none.stl", NOT_FOUND),
        ("package://nobody/m.stl", NOT_FOUND),
        ("none.stl", "not found."),
        ("package://arm/../../outside/x.stl", OUTSIDE),
        ("package://../outside/x.stl", "package:// needs a package and a path."),
        ("package:///etc/x.stl", NOT_FOUND),
        ("package://arm//etc/x.stl", "package:// needs a package and a path."),
        ("../../../outside/x.stl", OUTSIDE),
        ("../../../../../../../../../etc/x.stl", OUTSIDE),
        ("/etc/x.stl", OUTSIDE),
        ("file:///etc/x.stl", OUTSIDE),
        ("http://127.0.0.1:9/x.stl", "http:// is not fetched."),
        ("meshes", "of the formats of meshes, stl, obj, ply, off, glb are read."),
        ("/etc/passwd", "of the formats of meshes, stl, obj, ply, off, glb are read."),
        ("x" * 5000 + ".stl", "cannot be opened."),
    ],
)
def test_a_mesh_is_taken_from_the_folders_of_the_robot_only(world, name, expected):
    assert shown(world, name) == expected


def test_links_of_the_file_system_do_not_lead_out(world):
    (world / "ws/arm/meshes/link.stl").symlink_to(world / "outside/x.stl")
    (world / "ws/arm/out").symlink_to(world / "outside")
    (world / "ws/stray").symlink_to(world / "outside")
    (world / "ws/arm/meshes/round.stl").symlink_to(world / "ws/arm/meshes/round.stl")
    (world / "ws/arm/meshes/inside.stl").symlink_to(world / "ws/arm/meshes/m.stl")
    assert shown(world, "package://arm/meshes/link.stl") == OUTSIDE
    assert shown(world, "package://arm/out/x.stl") == OUTSIDE
    assert shown(world, "package://stray/x.stl") == OUTSIDE
    assert shown(world, "../meshes/round.stl") in ("cannot be opened.", "not found.")
    assert shown(world, "package://arm/meshes/inside.stl") == "ws/arm/meshes/m.stl"


def test_folders_that_are_given_are_trusted_with_what_is_in_them(world):
    out = world / "outside"
    assert shown(world, "package://outside/x.stl", packages=out) == "outside/x.stl"
    assert shown(world, str(out / "x.stl"), packages=[str(out)]) == "outside/x.stl"
    assert shown(world, "../../../outside/x.stl", packages=out) == "outside/x.stl"
    (out / "hand").symlink_to(world / "ws/hand")
    (out / "hand2").symlink_to("/etc")
    assert shown(world, "package://hand2/x.stl", packages=out) == NOT_FOUND
    (out / "up.stl").symlink_to("/etc/hosts")
    assert shown(world, "package://outside/up.stl", packages=out) == OUTSIDE


def test_a_device_or_a_folder_is_no_file(tmp_path):
    for name, kind in (("d.urdf", os.mkdir), ("p.urdf", os.mkfifo)):
        kind(tmp_path / name)
        with pytest.raises(bc.FileError, match=r"is a folder|is no plain file"):
            bc.load(tmp_path / name)


def test_the_limits_are_those_on_the_page():
    assert (reading.LARGEST_FILE, reading.MOST_TAGS, MOST_LINKS) == (2**24, 200_000, 10_000)
