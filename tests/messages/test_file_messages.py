"""Every complaint about a machine file, its whole text."""

import os

import pytest

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import FileError, UnknownName
from bellcrank.files.machine import machine_from
from bellcrank.files.text import parse_yaml

HEAD = "bellcrank: 1\nname: m\n"
BODIES = HEAD + "bodies:\n  - {name: a, shapes: [{type: Sphere, radius: 1, mass: 1}]}\n"
TYPES = "Revolute, Prismatic, Cylindrical, Screw, Universal, Spherical, Planar, Fixed, Free"
CASES = [
    ("- 1\n- 2", "line 1, a machine is a mapping with name, bodies, joints …; got a list."),
    ("", "line 1, a machine is a mapping with name, bodies, joints …; got nothing."),
    ("42", "line 1, a machine is a mapping with name, bodies, joints …; got only 42."),
    ("bellcrank: 1", "line 1, 'name' is missing."),
    (
        "bellcrank: 2\nname: m",
        "line 1, bellcrank: version 2 of the file format is not known; this is 1.",
    ),
    (HEAD + "planar: 1", "line 3, planar: must be true or false, got 1."),
    (HEAD + "forces: 7", "line 3, forces: must be a list, got 7."),
    (HEAD + "forces:", "line 3, forces: is empty; a list is needed, or leave it out."),
    (HEAD + "parameters: [1]", "line 3, parameters: must be a mapping, got [1]."),
    (HEAD + "parameters: {m: two}", "line 3, parameters.m: must be a number, got 'two'."),
    (HEAD + "parameters: {m: true}", "line 3, parameters.m: must be a number, got True."),
    (HEAD + "inputs: [3]", "line 3, inputs[0]: must be text, got 3."),
    (
        HEAD + "inputs: ['', t]",
        (
            "line 3, inputs[0]: the name of every input is a non-empty string, got ''.",
            "line 3, inputs[1]: input 't': this name has a meaning in every expression; "
            "choose another.",
        ),
    ),
    (HEAD + "points: [7]", "line 3, points[0]: must be a mapping, got 7."),
    (HEAD + "bodies: [7]", "line 3, bodies[0]: must be a mapping, got 7."),
    (
        HEAD + "points:\n  - {type: Pt, name: p, body: a, at: [0, 0, 0]}",
        "line 4, points[0]: no type 'Pt'. It is one of Point.",
    ),
    (
        BODIES + "joints:\n  - {type: Revolut, name: A}",
        f"line 6, joints[0]: no type 'Revolut'. Did you mean 'Revolute'? It is one of {TYPES}.",
    ),
    (
        BODIES + "joints:\n  - {name: A}",
        f"line 6, joints[0]: 'type' is missing; it is one of {TYPES}.",
    ),
    (
        BODIES + "joints:\n  - type: Free\n    name: A\n    first: ground\n    secnd: a",
        (
            "line 6, joints[0]: 'second' is missing.",
            "line 9, joints[0]: no key named 'secnd'. Did you mean 'second'? "
            "There are: at, drawn, first, name, second, type.",
        ),
    ),
    (
        HEAD + "bodies:\n  - {name: a, shapes: [{type: Sphere, radious: 1}]}",
        (
            "line 4, bodies[0].shapes[0]: 'radius' is missing.",
            "line 4, bodies[0].shapes[0]: no key named 'radious'. Did you mean 'radius'? "
            "There are: center, density, mass, radius, type.",
        ),
    ),
    (
        HEAD + "bodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1, 0, 0, 0], pose: {place: 1}}",
        "line 4, bodies[0]: pose: no key named 'place'. There are: position, rotation.",
    ),
    (
        HEAD + "bodies:\n  - {name: a, mass: -1}\n  - {name: b, mass: .nan}",
        (
            "line 4, bodies[0]: body 'a': mass must be positive [kg], got -1.",
            "line 5, bodies[1]: body 'b': mass must be a finite number [kg], got nan.",
        ),
    ),
    (
        BODIES
        + "joints:\n  - {type: Spherical, name: A, first: ground, second: aa, at: [0, 0, 0]}",
        (
            "line 4, bodies[0]: body 'a' is not connected to ground by joints. If it moves "
            "freely, add Free('a free', 'ground', 'a').",
            "line 6, joints[0]: joint 'A': no body named 'aa'. Did you mean 'a'? "
            "There are: a, ground.",
        ),
    ),
    (
        BODIES + "joints:\n  - {type: Fixed, name: A, first: true, second: a}",
        "line 6, joints[0]: first: true and false are no values here; quote a name.",
    ),
    (
        HEAD + "simulate: {untl: 3}",
        "line 3, simulate: no key named 'untl'. Did you mean 'until'? "
        "There are: atol, begin, every, inputs, parameters, rtol, slack, start, until.",
    ),
    (HEAD + "simulate: {until: x}", "line 3, simulate.until: must be a number, got 'x'."),
    (
        HEAD + "simulate:\n  start:\n    A: [1, true]",
        "line 5, simulate.start.A: must be a number, got True.",
    ),
]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes among the files there")
def test_a_pipe_is_not_waited_for(tmp_path):
    file = tmp_path / "pipe.yaml"
    os.mkfifo(file)
    with pytest.raises(FileError) as caught:
        bc.load(file)
    assert str(caught.value) == f"{file} is no plain file."


def test_a_file_that_the_system_keeps_is_refused(tmp_path, monkeypatch):
    def kept(_):
        raise PermissionError(13, "Permission denied")

    file = tmp_path / "m.yaml"
    file.write_text(HEAD)
    monkeypatch.setattr("pathlib.Path.read_bytes", kept)
    with pytest.raises(FileError) as caught:
        bc.load(file)
    assert str(caught.value) == f"{file}: cannot be read: Permission denied."


@pytest.mark.parametrize(("text", "complaints"), CASES)
def test_what_is_wrong_with_a_file_is_said_with_its_place(tmp_path, text, complaints):
    with pytest.raises(FileError) as caught:
        machine_from(parse_yaml(text, "m.yaml"), tmp_path)
    if isinstance(complaints, str):
        assert str(caught.value) == f"m.yaml, {complaints}"
    else:
        listed = "".join(f"\n  - {complaint}" for complaint in complaints)
        assert str(caught.value) == f"m.yaml: {len(complaints)} complaints:{listed}"


def test_a_suffix_that_is_not_known(tmp_path):
    with pytest.raises(FileError) as caught:
        bc.load("machine.sdf")
    assert str(caught.value) == (
        "machine.sdf: a file is loaded by its suffix, .yaml or .yml for a machine, .urdf for a "
        "robot and .nc for a result; got .sdf."
    )
    with pytest.raises(FileError) as caught:
        bc.save(examples.load("tsda"), "machine.json")
    assert str(caught.value) == "machine.json: a machine is saved as .yaml or .yml, got .json."


def test_a_folder_that_is_not_there(tmp_path):
    file = tmp_path / "no" / "m.yaml"
    with pytest.raises(FileError) as caught:
        bc.save(examples.load("tsda"), file)
    assert str(caught.value) == (f"cannot write '{file}': there is no folder '{file.parent}'.")


def test_an_example_that_is_not_there():
    with pytest.raises(UnknownName) as caught:
        examples.load("dobule-pendulum")
    names = examples.names()
    assert str(caught.value) == (
        "no example named 'dobule-pendulum'. Did you mean 'double-pendulum'? There are: "
        f"{', '.join(names[:12])}, … ({len(names)} in all)."
    )
