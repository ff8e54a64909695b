"""What is loaded equals what was saved."""

import inspect
import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bellcrank as bc
from bellcrank import examples, files, model, testing
from bellcrank.files import schema
from bellcrank.files.machine import data_from, machine_from
from bellcrank.files.text import parse_yaml, write_yaml
from bellcrank.model.expressions import expression

M1 = bc.Parameter("m1", 2.0)
LONG = bc.Parameter("arm length", 0.7)


def again(machine, folder):
    """Return the machine as it comes back from its own text."""
    return machine_from(parse_yaml(write_yaml(data_from(machine, folder))), folder)[0]


def everything():
    """Return a machine that has one of every element, with parameters in all places."""
    box = bc.Box((1, 2, "m1"), (0, 0, 1), density=100 * M1, rotation=(0.5, 0.5, 0.5, 0.5))
    bodies = [
        bc.Body(
            "rod",
            bc.Rod((0, 0, 0), (0, 0, LONG), mass="2*m1"),
            bc.Rod((0, 0, 0), (1, 0, 0), 1, 0.1),
        ),
        bc.Body(
            "box", box, bc.Sphere("m1/4", mass=1), pose=bc.Pose((1, 2, 3), (0.6, 0, 0.8, 0))
        ),
        bc.Body(
            "round",
            bc.Cylinder((0, 0, 0), (1, 0, 0), 0.1, density=900),
            bc.Capsule((0, 0, 0), (1, 1, 0), 0.1, 1),
            bc.Tube((0, 0, 0), (1, 0, "m1"), 0.2, 0.1, density=900),
            bc.Cone((0, 0, 0), (1, 0, 0), 0.1, mass=1, hollow=True),
            bc.Ellipsoid((1, 2, "m1"), mass=1, rotation=(0.5, 0.5, 0.5, 0.5)),
            bc.Torus(1, 0.1, (0, 0, 1), "x", density=10),
        ),
        bc.Body(
            "disc",
            bc.Disc(0.3, (1, 0, 0), (1, 1, 0), 2),
            bc.PointMasses((1, M1), ((0, 0, 0), (1, 0, LONG))),
        ),
        bc.Body("plain", mass=M1, com=(0, 0, 1), inertia=(1, 2, 2.5, 0.1, 0.2, 0.3)),
        bc.Particle("body 3", 0.5, (1, 1, "m1")),
        bc.Body("b6", mass=1, inertia=np.eye(3)),
        bc.Body("b7", mass=1, inertia=np.eye(3), pose=bc.Pose(rotation=(0, 0, 0, 1))),
        bc.Body("b8", mass=1, inertia=np.eye(3)),
    ]
    joints = [
        bc.Revolute(
            "A",
            "ground",
            "rod",
            at={"ground": (0, 0, 0), "rod": (0, 0, 0.1)},
            axis=(0, 1, 1),
            drawn=0.2,
        ),
        bc.Prismatic("B", "rod", "box", axis={"rod": "x", "box": (1, 1e-3, 0)}),
        bc.Cylindrical("C", "box", "round", at=(0, 0, LONG), axis="-z", drawn=(0.1, 0.2)),
        bc.Screw("D", "round", "disc", at=(0, 0, 0), axis="y", pitch="m1/100"),
        bc.Universal("E", "disc", "plain", at=(0, 0, 1), axis1="x", axis2=(0, 1, 1)),
        bc.Free("body 3 free", "ground", "body 3", drawn=(1, 2, 3)),
        bc.Spherical("G", "plain", "b6", at=(0, 0, 0)),
        bc.Planar("H", "b6", "b7", axis="x", along="z"),
        bc.Fixed("I", "b7", "b8"),
        bc.Revolute("loop", "b8", "ground", at=(0, 0, 0), axis="z"),
    ]
    constraints = [
        bc.Distance("c1", "tip", ("box", (0, 0, 0)), length=LONG),
        bc.PointOnLine("c2", "tip", "ground", (0, 0, 0), "x"),
        bc.PointOnPlane("c3", ("box", (1, 0, 0)), "rod", (0, 0, 0), (1, 2, 2)),
        bc.Parallel("c4", "rod", "box", "x"),
        bc.Perpendicular("c5", "rod", "box", "x", "y"),
        bc.Gear("c6", "A", "D", -2),
        bc.RackAndPinion("c7", "B", "A", 0.1),
        bc.RollingDisc("c8", "disc", (0, 0, 0.3), "x", 0.3),
        bc.VelocityConstraint(
            "c9", {"A.angle_rate": 1, "body 3.velocity_x": "sin(t)"}, equals="m1"
        ),
        bc.Relation("c10", "A.angle - m1*sin(B.offset) + 'body 3'.position_z - c1.length"),
        bc.Rope("c11", ["tip", "nail", "hook"], length=LONG),
    ]
    forces = [
        bc.SpringDamper(
            "s",
            ("ground", (0, 0, 0)),
            "tip",
            10,
            "m1",
            law="sin(t)*length + 'body 3'.position_x",
        ),
        bc.JointSpring(
            "js", "C", "offset", stiffness=1, damping=2, friction=3, rest=0.1, law="-t"
        ),
        bc.Bushing(
            "bush", "tip", ("rod", (0, 0, 0)), (1, 2, 3, 4, 5, 6), axes=(0.5, 0.5, 0.5, 0.5)
        ),
        bc.Force(
            "f",
            "rod",
            ("where(A.angle > 0, 1, -1)", 0, "interp(t, [0, 1, 2], [5, 6, 7])"),
            at=(0, 0, 1),
            frame="body",
        ),
        bc.Torque("tq", "rod", (0, bc.Input("push") * 2, 1)),
        bc.Motor("motor", "A", lambda t, A: np.tanh(A.angle_rate) * M1),
        bc.Motor("coil", "A", "3*current"),
        bc.CentralGravity("4*m1", at=(0, 0, -LONG)),
        bc.Field(("x*y", "-m1*z", "floor(t)"), name="wind"),
    ]
    return bc.Model(
        "everything",
        bodies=bodies,
        joints=joints,
        constraints=constraints,
        forces=forces,
        drivers=[bc.Drive("drive", "tip", position_x="sin(t)", position_y=0.5)],
        points=[
            bc.Point("tip", "rod", (0, 0, LONG)),
            bc.Point("nail", "ground", (0, 1, 0)),
            bc.Point("hook", "box", (0, 1, 1)),
        ],
        variables=[
            bc.Variable("current", "(1 - 2*current)/m1", start="m1", unit="A", scale=10),
            bc.Variable("heat", "current**2"),
        ],
        gravity=(0, 0, "-4*m1"),
        inputs=[bc.Input("unused"), bc.Input("push")],
    )


def test_every_element_comes_back_as_it_was(tmp_path):
    machine = everything()
    file = tmp_path / "everything.yaml"
    bc.save(machine, file)
    loaded = bc.load(file)
    assert loaded == machine
    assert hash(loaded) == hash(machine)
    assert loaded.digest == machine.digest
    used = {type(e).__name__ for e in machine.elements}
    used |= {type(s).__name__ for body in machine.bodies for s in body.shapes}
    assert used == {*schema.SHAPES, *sum(schema.SECTIONS.values(), ())} - {"Mesh"}


@settings(max_examples=40, deadline=None)
@given(testing.mechanisms())
def test_random_machines_come_back(tmp_path_factory, machine):
    assert again(machine, tmp_path_factory.getbasetemp()) == machine


@settings(max_examples=30, deadline=None)
@given(
    value=st.floats(1e-300, 1e300),
    name=st.sampled_from(["on", "1e5", "null", "a b", "ü", "-", "t2", "'"]),
)
def test_names_and_numbers_come_back_to_the_last_digit(tmp_path_factory, value, name):
    machine = bc.Model(
        name,
        bodies=[bc.Particle(name, value, (value, 0, -value))],
        joints=[bc.Free("free", "ground", name)],
    )
    assert again(machine, tmp_path_factory.getbasetemp()) == machine


def test_a_planar_machine_comes_back(tmp_path):
    machine = bc.Model(
        "planar",
        planar=True,
        bodies=[bc.Body("bar", bc.Rod((0, 0), (1, 0), mass=1))],
        joints=[bc.Revolute("A", "ground", "bar", at=(0, 0))],
        points=[bc.Point("tip", "bar", (1, 0))],
    )
    assert again(machine, tmp_path) == machine


def test_a_parameter_is_declared_once_and_used_by_name(tmp_path):
    text = """
    bellcrank: 1
    name: pendulum
    parameters: {m: 2, length: 1/2}
    bodies:
      - name: rod
        shapes: [{type: Rod, start: [0, 0, 0], end: [0, 0, -length], mass: 2*m}]
    joints:
      - {type: Revolute, name: A, first: ground, second: rod, at: [0, 0, 0], axis: y}
    """
    machine, _ = machine_from(parse_yaml(text), tmp_path)
    assert machine.parameters == (bc.Parameter("m", 2.0), bc.Parameter("length", 0.5))
    assert model.mass_properties(machine["rod"]).mass == 2 * machine.parameters[0]


def test_meshes_are_named_relative_to_the_file(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    (tmp_path / "parts").mkdir()
    part = tmp_path / "parts" / "cube.stl"
    trimesh.creation.box((1, 1, 1)).export(part)
    machine = bc.Model(
        "cube",
        bodies=[bc.Body("cube", bc.Mesh(str(part), density=1000, scale=(1, 1, 2)))],
        joints=[bc.Free("free", "ground", "cube")],
    )
    bc.save(machine, tmp_path / "cube.yaml")
    assert "file: parts/cube.stl" in (tmp_path / "cube.yaml").read_text()
    assert bc.load(tmp_path / "cube.yaml") == machine


def test_a_start_in_a_file_may_be_near(tmp_path):
    text = """
    bellcrank: 1
    name: pendulum
    bodies: [{name: rod, shapes: [{type: Rod, start: [0, 0, 0], end: [0, 0, -1], mass: 2}]}]
    joints: [{type: Spherical, name: A, first: ground, second: rod, at: [0, 0, 0]}]
    simulate:
      slack: 1e-5
      start: {A.orientation: {near: [1, 0, 0, 0]}, A.angular_velocity: [0, pi/2, 0]}
    """
    _, settings = machine_from(parse_yaml(text), tmp_path)
    still = bc.Near((1.0, 0.0, 0.0, 0.0))
    rate = (0.0, np.pi / 2, 0.0)
    assert settings["start"] == {"A.orientation": still, "A.angular_velocity": rate}
    assert settings["slack"] == 1e-5
    for wrong in ("{far: 1}", "{}", "{near: 1, far: 2}"):
        data = parse_yaml(text.replace("{near: [1, 0, 0, 0]}", wrong))
        with pytest.raises(bc.FileError, match=r"must be a number or \{near: a number\}, got"):
            machine_from(data, tmp_path)
    with pytest.raises(bc.FileError, match="must be a number, got 'x'"):
        machine_from(parse_yaml(text.replace("[1, 0, 0, 0]", "x")), tmp_path)


def test_the_simulate_section_is_handed_over_and_not_part_of_the_model(tmp_path):
    settings = examples.settings("heavy-top")
    assert settings["start"]["tip.orientation"] == pytest.approx((0.9659258, 0.258819, 0, 0))
    assert settings["until"] == 1.0
    bc.save(examples.load("heavy-top"), tmp_path / "top.yaml")
    assert files.load_machine(tmp_path / "top.yaml") == (examples.load("heavy-top"), {})


def test_the_schema_on_disk_is_up_to_date():
    told = "run: python -m bellcrank.files.schema"
    assert files.schema_json() == schema.schema_text(), told


def test_the_schema_knows_every_element_and_every_reference_in_it_resolves():
    known = {*schema.SHAPES, *sum(schema.SECTIONS.values(), ())}
    bases = (model.Shape, model.Joint, model.Constraint, model.ForceElement)
    classes = {
        name
        for name in model.__all__
        if inspect.isclass(cls := getattr(model, name))
        and issubclass(cls, bases)
        and cls not in bases
    }
    assert classes <= known
    text = files.schema_json()
    definitions = json.loads(text)["$defs"]
    referred = {
        line.split("/")[-1].rstrip('",') for line in text.splitlines() if '"$ref"' in line
    }
    assert referred <= set(definitions)
    assert known <= set(definitions)
    assert not known & set(schema.KINDS)


def test_every_field_in_the_schema_is_described():
    definitions = json.loads(files.schema_json())["$defs"]
    for name in {*schema.SHAPES, *sum(schema.SECTIONS.values(), ())}:
        assert definitions[name]["description"]
        for field, content in definitions[name]["properties"].items():
            assert content.get("description"), f"{name}.{field}"


def test_loading_a_machine_imports_no_algebra_system(tmp_path):
    import subprocess
    import sys

    code = (
        "import sys, bellcrank.examples as e; e.load('double-pendulum');"
        "print(sorted({'casadi', 'numba', 'scipy', 'xarray', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


CAM = """
bellcrank: 1
name: cam
planar: true
gravity: [0, 0]
inputs: [push]
tables:
  lift: {file: data/cam.csv, x: angle, y: lift}
bodies:
  - {name: cam, mass: 1.0, com: [0, 0], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
  - {name: rod, mass: 0.5, com: [0, 0.8], inertia: [0.1, 0.1, 0.1, 0, 0, 0]}
joints:
  - {type: Revolute, name: shaft, first: ground, second: cam, at: [0, 0]}
  - {type: Prismatic, name: follower, first: ground, second: rod, at: [0, 0.5], axis: y}
constraints:
  - type: Relation
    name: law
    zero: 'follower.offset - interp(shaft.angle, lift, kind="cubic")'
forces:
  - {type: Motor, name: drive, joint: shaft, effort: push}
simulate:
  until: 1
  inputs: {push: "interp(t, lift)"}
"""


@pytest.fixture
def cam_file(tmp_path):
    """A machine file beside its table: angle²/100, at ten places."""
    (tmp_path / "data").mkdir()
    rows = [f"{x}, {x * x / 100}" for x in range(10)]
    (tmp_path / "data" / "cam.csv").write_text("\n".join(["angle, lift", *rows]), "utf-8")
    file = tmp_path / "cam.yaml"
    file.write_text(CAM, "utf-8")
    return file


def test_a_machine_file_names_tables_of_csv_files(cam_file, tmp_path):
    """What is read is the law of `bc.table`, relative to the file, and saved as numbers."""
    machine, given_there = files.load_machine(cam_file)
    knots, values = bc.table(tmp_path / "data" / "cam.csv", "angle", "lift")
    shaft, offset = expression("shaft.angle"), expression("follower.offset")
    assert machine["law"].zero == offset - bc.interp(shaft, knots, values, kind="cubic")
    assert given_there["inputs"]["push"] == bc.interp(expression("t"), knots, values)
    bc.save(machine, tmp_path / "elsewhere.yaml")
    (tmp_path / "data" / "cam.csv").unlink()
    assert bc.load(tmp_path / "elsewhere.yaml") == machine


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "angle, lift, kind",
            "angle, lfit, kind",
            "no table named 'lfit'. Did you mean 'lift'?",
        ),
        ("data/cam.csv", "cam.csv", "No such file"),
        ("y: lift", "y: lft", "no column named 'lft'. Did you mean 'lift'?"),
        ("file: data", "fiel: data", "no key named 'fiel'. Did you mean 'file'?"),
        ("{file: data/cam.csv, x: angle, y: lift}", "cam.csv", "must be a mapping"),
        ("file: data/cam.csv", "file: data", "no plain file"),
        ("file: data/cam.csv", "file: 3", "must be text"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_once_with_its_line(cam_file, old, new, said):
    """Laws that call it are not blamed."""
    cam_file.write_text(CAM.replace(old, new), "utf-8")
    with pytest.raises(bc.FileError) as caught:
        bc.load(cam_file)
    assert said in str(caught.value)
    assert "line" in str(caught.value)
    assert "interp" not in str(caught.value) or "lfit" in new


def test_expressions_outside_a_file_know_no_tables():
    with pytest.raises(bc.ExpressionError, match="a machine file names its own under tables"):
        expression("interp(t, lift)")
    with pytest.raises(bc.ExpressionError, match="a machine file names its own under tables"):
        expression('interp(t, "lift", kind="cubic")')
