"""What is drawn is what was modelled and computed: places, volumes, bounds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.machines.hinged import pendulum

import bellcrank as bc
from bellcrank import examples
from bellcrank.views import surfaces
from bellcrank.views.drawing import draw
from bellcrank.views.motion import moving, nice, standing
from bellcrank.views.panels import panels
from bellcrank.views.stage import at_time

lengths = st.floats(0.1, 5.0)
points = st.tuples(*[st.floats(-3, 3)] * 3).map(np.array)


def volume(surface):
    """Return the volume inside a surface and its centroid, by the divergence theorem."""
    a, b, c = (surface.vertices[surface.faces[:, k]] for k in range(3))
    parts = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6
    return parts.sum(), (parts[:, None] * (a + b + c) / 4).sum(0) / parts.sum()


@given(lengths, lengths, lengths)
@settings(max_examples=20)
def test_a_box_encloses_its_volume(x, y, z):
    found, center = volume(surfaces.box((x, y, z)))
    assert found == pytest.approx(x * y * z)
    np.testing.assert_allclose(center, 0, atol=1e-12)


@given(points, points, lengths)
@settings(max_examples=20)
def test_a_bar_encloses_nearly_its_volume_around_its_middle(start, end, radius):
    length = np.linalg.norm(end - start)
    if length < 0.1:
        return
    for rounded, more in ((False, 0.0), (True, 4 / 3 * np.pi * radius**3)):
        found, center = volume(surfaces.bar(start, end, radius, round_ends=rounded))
        whole = np.pi * radius**2 * length + more
        # A circle of 28 sides has 0.8 % less area; caps of seven arcs and chamfers a little.
        assert 0.93 * whole < found < whole
        np.testing.assert_allclose(center, (start + end) / 2, atol=1e-9 * (1 + length))


def test_balls_rings_coils_and_brackets_are_closed_and_face_outwards():
    assert volume(surfaces.ball(2.0))[0] == pytest.approx(4 / 3 * np.pi * 8, rel=0.03)
    tube = volume(surfaces.ring(1.0, 0.2, 0.5))[0]
    assert tube == pytest.approx(2 * np.pi * 1.0 * 0.2 * 0.5, rel=0.02)
    assert volume(surfaces.bracket(1.0, 2.0))[0] > 0
    assert volume(surfaces.coil(10.0))[0] > 0
    assert volume(surfaces.spiral(1.0, 0.05))[0] > 0


def test_a_mirrored_surface_still_faces_outwards():
    mirrored = surfaces.box((1, 2, 3)).moved(np.diag([-1.0, 1.0, 1.0]))
    assert volume(mirrored)[0] == pytest.approx(6.0)


@given(points, st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda p: np.linalg.norm(p) > 0.1))
@settings(max_examples=15)
def test_solids_are_carried_around_the_mass_centre_of_their_body(at, p):
    p = np.array(p) / np.linalg.norm(p)
    pose = bc.Pose((0.3, -0.2, 0.5), tuple(p))
    shapes = (
        bc.Box((0.2, 0.3, 0.5), tuple(at), density=1000),
        bc.Sphere(0.3, tuple(at), density=1000),
        bc.Capsule(tuple(at), tuple(np.add(at, (0, 0.4, 0.1))), 0.1, density=1000),
    )
    for shape in shapes:
        body = bc.Body("b", shape, pose=pose)
        model = bc.Model("m", bodies=[body], joints=[bc.Free("f", "ground", "b")])
        part = next(part for part in draw(model).parts if part.kind == "body")
        _, center = volume(part.surface)
        np.testing.assert_allclose(center, 0, atol=1e-9)


def test_standing_as_drawn_puts_every_mark_where_it_was_drawn(machine):
    motion = standing(draw(machine))
    for point in machine.points:
        mark = next(m for m in motion.scene.marks if m.name == point.name)
        np.testing.assert_allclose(motion.place(mark.at)[0], point.at, atol=1e-12)


def test_points_and_both_sides_of_joints_meet_at_every_record(machine, run):
    from bellcrank.views.scene import Numbers

    motion, numbers = moving(draw(machine), run), Numbers(machine)
    tip = next(mark for mark in motion.scene.marks if mark.name == "tip")
    np.testing.assert_allclose(motion.place(tip.at), run.values("tip.position"), atol=1e-12)
    for joint in machine.joints:
        first = motion.place(numbers.anchor(joint.first, joint.at_first))
        second = motion.place(numbers.anchor(joint.second, joint.at_second))
        # The loop is closed to the tolerance of the projection.
        np.testing.assert_allclose(first, second, atol=1e-10)


def test_the_bounds_hold_everything_at_every_time(machine, run):
    motion = moving(draw(machine), run)
    low, high = motion.bounds
    room = 0.02 * motion.reach  # between the records that were looked at
    for i in range(0, len(run.t), 37):
        for part in motion.scene.parts:
            placed = part.surface.vertices @ motion.rotations[i, part.body].T
            placed = placed + motion.positions[i, part.body]
            if part.kind != "axis":
                assert (placed > low - room).all()
                assert (placed < high + room).all()
    below = motion.bounds[0] @ motion.scene.up
    assert motion.floor <= below + 1e-12


def test_between_records_a_body_stays_a_rigid_body(machine, run):
    motion = moving(draw(machine), run)
    for t in (0.0, 0.0049, 3.14159, 10.0, 11.0):
        positions, orientations = at_time(motion, t)
        np.testing.assert_allclose(np.linalg.norm(orientations, axis=1), 1, atol=1e-12)
        wanted = [np.interp(t, run.t, run.values("crank.position")[:, k]) for k in range(3)]
        np.testing.assert_allclose(positions[1], wanted, atol=1e-12)


def test_the_eye_looks_along_the_hinges_from_above(machine):
    motion = standing(draw(machine))
    assert abs(motion.sight @ (0, 1, 0)) > 0.8
    assert motion.sight @ motion.scene.up > 0.1
    assert np.linalg.norm(motion.sight) == pytest.approx(1)


def test_arrows_pull_the_ends_of_a_spring_together(machine, run):
    motion = moving(draw(machine), run)
    pulls = [arrow for arrow in motion.scene.arrows if arrow.name == "strut"]
    one, other = (motion.vectors(arrow) for arrow in pulls)
    np.testing.assert_allclose(one, -other, atol=1e-12)
    size = np.linalg.norm(one, axis=1)
    np.testing.assert_allclose(size, np.abs(run.values("strut.force")), rtol=1e-12)


def test_parameters_change_the_shapes():
    length = bc.Parameter("l", 1.0)
    model = pendulum((length, 0, 0))

    def reach(scene):
        return np.ptp(scene.parts[0].surface.vertices[:, 0])

    assert reach(draw(model, {"l": 2.0})) == pytest.approx(2 * reach(draw(model)))


@pytest.mark.parametrize("name", examples.names())
def test_every_example_is_drawn_whole(name):
    motion = standing(draw(examples.load(name)))
    assert motion.scene.notes == ()
    assert any(part.kind == "body" for part in motion.scene.parts)
    assert np.isfinite(motion.bounds).all()
    assert motion.reach > 0


def test_a_mesh_that_cannot_be_read_is_a_note_and_the_body_is_still_drawn(tmp_path):
    missing = bc.Mesh(str(tmp_path / "gone.stl"), mass=0)
    body = bc.Body("b", missing, mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0))
    scene = draw(bc.Model("m", bodies=[body], joints=[bc.Free("f", "ground", "b")]))
    assert "gone.stl" in scene.notes[0]
    assert [part.kind for part in scene.parts] == ["body"]


def test_panels_have_units_and_known_names(run):
    found = panels(run)
    assert [panel.title for panel in found[:3]] == [
        "angle [rad]",
        "energy [J]",
        "reaction force [N]",
    ]
    for panel in found:
        for curve in panel.curves:
            assert curve.values(run).shape == run.t.shape


def test_round_numbers_are_round():
    assert [nice(x) for x in (0.0123, 0.2, 0.21, 3.0)] == [0.02, 0.2, 0.5, 5.0]


def test_a_relation_is_a_dashed_line_along_what_it_ties():
    """Joints where their second body is, points where they are, in the order of the text."""
    inertia = (0.1, 0.1, 0.1, 0.0, 0.0, 0.0)
    model = bc.Model(
        "cam",
        planar=True,
        bodies=[
            bc.Body("cam", mass=1.0, com=(0.1, 0.0), inertia=inertia),
            bc.Body("rod", mass=1.0, com=(0.0, 0.8), inertia=inertia),
        ],
        joints=[
            bc.Revolute("shaft", "ground", "cam", at=(0, 0)),
            bc.Prismatic("follower", "ground", "rod", at=(0, 0.5), axis=(0, 1)),
        ],
        points=[bc.Point("tip", "rod", (0.0, 1.0))],
        constraints=[
            bc.Relation("law", "follower.offset - 0.02*cos(shaft.angle) + tip.position_x")
        ],
    )
    scene = draw(model)
    found = [
        [scene.drawn[k] + scene.turned[k] @ point for k, point in tie.ends]
        for tie in scene.ties
        if tie.kind == "relation" and tie.name == "law"
    ]
    slider, shaft, tip = (0.0, 0.5, 0.0), (0.0, 0.0, 0.0), (0.0, 1.0, 0.0)
    np.testing.assert_allclose(found, [(slider, shaft), (shaft, tip)], atol=1e-12)
    assert [tie.ends[0].body for tie in scene.ties] == [2, 1]  # carried by what moves


def test_gears_and_relations_of_speeds_are_dashed_too():
    """Of every constraint of joints alone."""
    model = examples.load("governor")
    names = {c.name for c in model.constraints if c.JOINTS or c.LAWS}
    assert names <= {tie.name for tie in draw(model).ties}


@given(st.integers(3, 60))
@settings(max_examples=10)
def test_dashes_fill_their_part_of_the_line(count):
    """From 0 to 1, the volume of the dashes alone."""
    made = surfaces.dashes(count, filled=0.6, sides=64)
    assert made.vertices[:, 2].min() == 0.0
    assert made.vertices[:, 2].max() == pytest.approx(1.0)
    length = 0.6 * count / (count - 0.4)
    assert volume(made)[0] == pytest.approx(np.pi * length, rel=0.01)
