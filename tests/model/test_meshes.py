"""Bodies from meshes, by integration, against boxes; and files that are wrong."""

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
import trimesh
from hypothesis import given, settings
from hypothesis import strategies as st

from bellcrank.errors import MissingExtra, ModelError
from bellcrank.model import Body, Box, Free, Mesh, Model, Parameter, Pose, mass_properties
from bellcrank.model.expressions import evaluate
from bellcrank.model.matter.meshes import LARGEST


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with meshes of a box of 1 × 2 × 3 about (1, 2, 3)."""
    folder = tmp_path_factory.mktemp("meshes")
    box = trimesh.creation.box((1, 2, 3))
    box.apply_translation((1, 2, 3))
    for suffix in ("stl", "obj", "ply", "off", "glb"):
        box.export(folder / f"box.{suffix}")
    inside_out = box.copy()
    inside_out.invert()
    inside_out.export(folder / "inverted.stl")
    open_box = trimesh.Trimesh(box.vertices, box.faces[:-1])
    open_box.export(folder / "open.stl")
    (folder / "garbage.stl").write_bytes(b"\x00\x01\x02 not a mesh")
    (folder / "empty.obj").write_text("")
    (folder / "text.ply").write_text("ply\nformat ascii 1.0\nelement vertex 99999999\n")
    return folder


@pytest.mark.parametrize("suffix", ["stl", "obj", "ply", "off", "glb"])
def test_a_mesh_of_a_box_is_the_box(folder, suffix):
    found = mass_properties(Body("b", Mesh(folder / f"box.{suffix}", mass=2)))
    expected = mass_properties(Body("b", Box((1, 2, 3), center=(1, 2, 3), mass=2)))
    np.testing.assert_allclose(found.com, expected.com, rtol=1e-12)
    np.testing.assert_allclose(found.inertia, expected.inertia, atol=1e-12)


def test_a_surface_turned_inside_out_is_the_same_body(folder):
    found = mass_properties(Body("b", Mesh(folder / "inverted.stl", density=2)))
    assert found.mass == pytest.approx(12)
    assert found.inertia[0][0] == pytest.approx(12 * 13 / 12)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 2**20))
def test_scale_and_pose_carry_the_mesh_along(folder, seed):
    rng = np.random.default_rng(seed)
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    R, r = Q * np.linalg.det(Q), rng.normal(size=3)
    scale = rng.uniform(0.2, 2, 3) * rng.choice([1, -1], 3)
    mesh = Mesh(folder / "box.stl", density=3, scale=scale, pose=Pose(r, R))
    found = mass_properties(Body("b", mesh))
    box = Box(np.abs([1, 2, 3] * scale), R @ ([1, 2, 3] * scale) + r, density=3, rotation=R)
    expected = mass_properties(Body("b", box))
    assert found.mass == pytest.approx(expected.mass, rel=1e-12)
    np.testing.assert_allclose(found.com, expected.com, atol=1e-12)
    np.testing.assert_allclose(found.inertia, expected.inertia, rtol=1e-11, atol=1e-11)


def test_a_mirrored_mesh_is_the_mirrored_body(folder):
    mesh = Mesh(folder / "box.stl", mass=2, pose=Pose((0.1, 0.2, 0.3), (0.5, 0.5, 0.5, 0.5)))
    model = Model("m", bodies=[Body("b", mesh)], joints=[Free("f", "ground", "b")])
    n = np.array([1, 2, 2]) / 3
    S = np.eye(3) - 2 * np.outer(n, n)
    old, new = mass_properties(model["b"]), mass_properties(model.mirrored(n)["b"])
    np.testing.assert_allclose(new.com, S @ old.com, atol=1e-12)
    np.testing.assert_allclose(new.inertia, S @ old.inertia @ S, atol=1e-12)


def test_scale_may_be_a_parameter(folder):
    mesh = Mesh(folder / "box.stl", density=1, scale=Parameter("s", 1.0))
    found = mass_properties(Body("b", mesh))
    assert evaluate(found.mass, {"s": 2.0}) == pytest.approx(48)
    assert evaluate(found.inertia[0][0], {"s": 2.0}) == pytest.approx(48 * (16 + 36) / 12)


def test_the_content_of_the_file_is_part_of_the_structure(folder, tmp_path):
    file = tmp_path / "part.stl"

    def digest(size):
        trimesh.creation.box(size).export(file)
        body = Body("b", Mesh(file, mass=1))
        return Model("m", bodies=[body], joints=[Free("f", "ground", "b")]).digest

    first = digest((1, 1, 1))
    assert digest((1, 1, 2)) != first
    assert digest((1, 1, 1)) == first


def test_a_pickled_body_does_not_need_its_file(folder, tmp_path):
    file = tmp_path / "part.stl"
    trimesh.creation.box((1, 1, 1)).export(file)
    data = pickle.dumps(Body("b", Mesh(file, mass=6)))
    file.unlink()
    assert mass_properties(pickle.loads(data)).inertia[0][0] == pytest.approx(1)


def test_a_mesh_that_is_only_a_picture_is_not_read():
    Body("b", Mesh("nowhere.stl"), mass=1, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))


def refused(*mesh, **options):
    with pytest.raises(ModelError) as raised:
        Body("arm", Mesh(*mesh, **options))
    return str(raised.value)


def test_files_that_are_wrong(folder):
    missing, garbage = str(folder / "none.stl"), str(folder / "garbage.stl")
    assert refused(missing, mass=1) == (
        f"body 'arm': mesh {missing!r} cannot be read: No such file or directory."
    )
    assert refused(garbage, mass=1) == f"body 'arm': mesh {garbage!r} has no faces."
    for name in ("empty.obj", "text.ply"):  # the reason is in the words of the reader
        file = str(folder / name)
        assert refused(file, mass=1).startswith(f"body 'arm': mesh {file!r} ")
    opened = str(folder / "open.stl")
    assert refused(opened, mass=1) == (
        f"body 'arm': mesh {opened!r} is not closed, so that it encloses no volume; repair it, "
        "or give mass=, com= and inertia=."
    )
    (folder / "dir.stl").mkdir(exist_ok=True)
    directory = str(folder / "dir.stl")
    assert refused(directory, mass=1) == (f"body 'arm': mesh {directory!r} is not a file.")
    assert refused("nul\0.stl", mass=1).startswith("body 'arm': mesh 'nul\\x00.stl' cannot")


def test_a_mesh_without_volume_is_refused(folder):
    flat = trimesh.Trimesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2], [0, 2, 1]])
    flat.export(folder / "flat.off")
    file = str(folder / "flat.off")
    assert refused(file, mass=1) == (f"body 'arm': mesh {file!r} encloses no finite volume.")


def test_a_reader_that_fails_is_quoted(folder, monkeypatch):
    def broken(*_, **__):
        raise KeyError("header")

    monkeypatch.setattr(trimesh, "load", broken)
    (folder / "broken.ply").write_text("ply")
    file = str(folder / "broken.ply")
    assert refused(file, mass=1) == (
        f"body 'arm': mesh {file!r} cannot be read as PLY: 'header'."
    )


def test_a_file_too_large_is_refused(folder):
    file = folder / "large.stl"
    file.touch()
    os.truncate(file, LARGEST + 1)  # which takes no room on most disks
    assert refused(file, mass=1) == (
        f"body 'arm': mesh {str(file)!r} has {LARGEST + 1} bytes; the most is {LARGEST}."
    )


def test_fields_that_are_wrong():
    assert refused("a.exe", mass=1) == (
        "Mesh: file must be one of stl, obj, ply, off, glb, got 'a.exe'."
    )
    assert refused(3, mass=1) == ("Mesh: file must be the path of a mesh, got 3.")
    assert refused("a.stl", mass=1, scale=0) == (
        "Mesh: scale must be different from zero, got 0."
    )
    assert refused("a.stl", mass=1, pose=Pose((float("nan"), 0, 0))) == (
        "Mesh: pose: position[0] must be a finite number [m], got nan."
    )


def test_without_trimesh_the_message_says_how_to_get_it(folder):
    code = (
        "import sys; sys.modules['trimesh'] = None\n"
        "from bellcrank.model import Body, Mesh\n"
        "from bellcrank.errors import MissingExtra\n"
        "try:\n"
        f"    Body('b', Mesh({str(folder / 'box.stl')!r}, mass=1))\n"
        "except MissingExtra as error:\n"
        "    print(error)\n"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == (
        "Mass properties of a mesh needs trimesh, which is not installed. "
        "Install it with: pip install 'bellcrank[meshes]'"
    ), found.stderr
    assert issubclass(MissingExtra, ImportError)


def test_describing_a_machine_imports_no_heavy_package():
    code = (
        "import sys, bellcrank.model\n"
        "print(sorted({'casadi', 'scipy', 'trimesh', 'numba', 'xarray'} & set(sys.modules)))"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == "[]", found.stderr
