"""Starts that cannot move are refused, with what lacks named."""

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
        "nothing has inertia against 'ball.angular_velocity_z', so its rate is not determined. "
        "Give what it moves mass or inertia about it, or take a joint without that freedom."
    )


LINK = bc.Distance("link", ("ground", (0, 0, 0)), ("ball", (0, 0, -1)))


@pytest.mark.parametrize(
    ("constraints", "said"),
    [
        ((),
         "nothing has inertia against 'F.angular_velocity_x', 'F.angular_velocity_y', "
         "'F.angular_velocity_z', so its rate is not determined. Give what it moves mass or "
         "inertia about it, or take a joint without that freedom."),
        ((LINK,),
         "nothing has inertia against a motion that the constraints leave free, most of all "
         "'F.angular_velocity_x', so its rate is not determined. Give what it moves mass or "
         "inertia about it, start elsewhere, or take that freedom away."),
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
