"""Starts that cannot move are refused, with what lacks named."""

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
