"""Starts that cannot move are refused, with what lacks named."""

import dataclasses

import numpy as np
import pytest

import bellcrank as bc


def test_a_freedom_without_inertia_is_named():
    """A thin rod on a ball joint may spin about itself without inertia."""
    model = bc.Model(
        "rod on a ball",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, 1), mass=1.0))],
        joints=[bc.Spherical("ball", "ground", "rod", at=(0, 0, 0))],
    )
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(model, until=1.0)
    assert str(caught.value) == (
        "'ball.angular_velocity_z' has no inertia, so its acceleration is undefined. Give the "
        "moved bodies mass or inertia, or use a joint without that freedom."
    )


LINK = bc.Distance("link", ("ground", (0, 0, 0)), ("ball", (0, 0, -1)))


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        ((),
         "'F.angular_velocity_x', 'F.angular_velocity_y', 'F.angular_velocity_z' have no "
         "inertia, so their acceleration is undefined. Give the moved bodies mass or inertia, "
         "or use a joint without that freedom."),
        ((LINK,),
         "a motion that the constraints leave free, mainly 'F.angular_velocity_x', has no "
         "inertia, so its acceleration is undefined. Give the moved bodies mass or inertia, "
         "start elsewhere, or remove that freedom."),
    ],
)  # fmt: skip
def test_a_particle_on_a_free_joint_says_where_it_moves(constraints, said):
    """There it does: on a link of 1 m it has the period of a pendulum."""
    model = bc.Model(
        "ball",
        bodies=[bc.Particle("ball", mass=2.0, at=(0, 0, -1))],
        joints=[bc.Free("F", "ground", "ball", at=(0, 0, -1))],
        constraints=constraints,
    )
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(model, until=1.0)
    assert str(caught.value) == (
        f"{said} 'ball' is a Particle, which does not resist turning: take "
        "formulation=bc.Cartesian() or bc.Natural(), where particles do not turn, or make it a "
        "Body with inertia."
    )
    start = {"F.velocity": (1e-3, 0.0, 0.0)}
    for formulation in (bc.Cartesian(), bc.Natural()):
        run = bc.simulate(model, 0.5, formulation=formulation, start=start, every=0.5)
        x = np.sin(np.sqrt(9.81) * 0.5) / np.sqrt(9.81) if constraints else 0.5
        z = -1.0 if constraints else -1.0 - 9.81 / 8
        found = run.values("ball.position")[-1]
        np.testing.assert_allclose(found, (1e-3 * x, 0.0, z), atol=1e-6)


@pytest.mark.parametrize("planar", [True, False])
@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian()], ids=repr)
def test_a_particle_on_a_planar_joint_is_told_which_joint_takes_it(formulation, planar):
    """On that joint it falls, and stays in its plane."""
    model = bc.Model(
        "ball",
        bodies=[bc.Particle("ball", mass=2.0, at=(0, 0, 0))],
        joints=[bc.Planar("P", "ground", "ball", at=(0, 0, 0), axis="z")],
        gravity=(0, -9.81, 0),
        planar=planar,
    )
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(model, until=1.0, formulation=formulation)
    more = "" if planar else " and PointOnPlane,"
    assert str(caught.value).endswith(
        f" 'ball' is a Particle, which does not resist turning: tie it by Free('P', 'ground', "
        f"'ball'){more} and take formulation=bc.Cartesian() or bc.Natural(), where particles "
        "do not turn, or make it a Body with inertia."
    )
    model = dataclasses.replace(model, joints=[bc.Free("P", "ground", "ball", at=(0, 0, 0))])
    if not planar:
        plane = bc.PointOnPlane("plane", ("ball", (0, 0, 0)), "ground", at=(0, 0, 0), axis="z")
        model = model.add(plane).replace(gravity=(0, -9.81, -9.81))
    for works in (bc.Cartesian(), bc.Natural()):
        run = bc.simulate(model, 0.5, formulation=works)
        np.testing.assert_allclose(run.final["ball.position"], (0, -9.81 / 8, 0), atol=1e-9)


def test_accelerations_that_are_not_finite_at_the_start_are_named():
    model = bc.Model(
        "block",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=2.0))],
        joints=[bc.Prismatic("X", "ground", "block", axis="x")],
        forces=[bc.Motor("push", "X", effort="sqrt(X.offset - 1)")],
    )
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(model, until=1.0)
    assert str(caught.value) == (
        "the rates of 'X.offset_rate' are not finite at the start, t = 0 s. Look for a "
        "division by zero, a root or logarithm of a negative number, or two ends of a spring "
        "in one place."
    )


def test_a_start_that_is_no_mapping_is_refused():
    model = bc.Model(
        "block",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=2.0))],
        joints=[bc.Prismatic("X", "ground", "block", axis="x")],
    )
    with pytest.raises(bc.StartError, match="start takes values by name or a Result, got list"):
        bc.simulate(model, until=1.0, start=[1.0])  # pyright: ignore[reportArgumentType]
