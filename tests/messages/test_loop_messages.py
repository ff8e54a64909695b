"""Machines that cannot be what they were drawn or driven to be."""

import numpy as np
import pytest
from tests.machines import looped
from tests.machines.four_bars import four_bar

import bellcrank as bc


def refused(model, **options):
    """Return what a run is refused with."""
    with pytest.raises(bc.BellcrankError) as caught:
        bc.simulate(model, 1.0, **options)
    return caught


def test_a_coupler_too_short_is_named_with_the_gap():
    model = looped.plain()
    short = bc.Revolute(
        "C", "coupler", "rocker", at={"coupler": (0.5, 1.0), "rocker": (2.0, 0.3)}
    )
    joints = [short if joint.name == "C" else joint for joint in model.joints]
    drawn = bc.Model("short", planar=True, bodies=model.bodies, joints=joints)
    caught = refused(drawn)
    assert caught.type is bc.StartError
    # The farthest they reach is crank 1 + coupler 0.5 + rocker 0.3 over a ground of 2.
    assert str(caught.value) == (
        "the machine cannot be assembled: 'C' by 0.2 m does not close. Check the lengths and "
        "points of these joints, or name fewer coordinates in start."
    )


def test_drivers_that_differ_at_the_start_are_both_named():
    model = looped.plain().add(
        bc.Drive("one", "A", angle="pi/2 + t"), bc.Drive("two", "A", angle="1 + t")
    )
    text = str(refused(model).value)
    assert text.startswith("the machine cannot be assembled: ")
    assert "'one' by 0.285" in text
    assert "'two' by 0.285" in text


@pytest.mark.parametrize("second", ["pi/2 + 2*t", "pi/2 + t + t**2"])
def test_drivers_that_part_later_are_both_named(second):
    model = looped.plain().add(
        bc.Drive("one", "A", angle="pi/2 + t"), bc.Drive("two", "A", angle=second)
    )
    text = str(refused(model).value)
    assert "'one'" in text
    assert "'two'" in text


def test_drivers_that_say_the_same_twice_are_content():
    model = looped.plain().add(
        bc.Drive("one", "A", angle="pi/2 + t"), bc.Drive("two", "A", angle="pi/2 + t")
    )
    run = bc.simulate(model, 1.0, every=0.5)
    assert run.values("A.angle")[-1] == pytest.approx(np.pi / 2 + 1, abs=1e-12)


def test_a_crank_driven_beyond_its_reach_stops_there():
    """A rocker of a non-Grashof four-bar reaches its dead point and no further."""
    model = looped.four_bar(1.0, 1.2, 1.0, 1.5, 1.2).add(
        bc.Drive("motor", "A", angle="1.2 + t")
    )
    # Coupler and rocker in a line: 2.2² = 1² + 1.5² − 3 cos θ.
    reach = np.arccos((1 + 1.5**2 - 2.2**2) / 3)
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 4.0, every=0.01)
    assert caught.value.run.t[-1] == pytest.approx(reach - 1.2, abs=0.01)


def test_a_link_without_length_is_refused():
    with pytest.raises(bc.ModelError) as caught:
        bc.Distance("link", ("ground", (0, 0, 0)), ("rod", (1, 0, 0)), length=0.0)
    assert str(caught.value) == "constraint 'link': length must be positive [m], got 0."


def test_a_link_drawn_without_length_is_refused_by_name():
    model = looped.plain().add(bc.Distance("link", ("ground", (0, 0)), ("crank", (0, 0))))
    assert "'link'" in str(refused(model).value)


def test_at_rest_at_a_singular_point_it_takes_one_branch():
    """REFERENCES 1.2b drawn flat: it falls along one branch, closed and with its energy."""
    places = (0.0, 0.0), (-1.0, 0.0), (0.5, 0.0), (2.5, 0.0)
    model = four_bar(*places, name="flat", masses=(1.0, 1.5, 2.0))
    run = bc.simulate(model, 1.0, every=0.01)
    E = np.asarray(run.values("energy"))
    assert np.max(np.abs(E - E[0])) < 1e-6 * np.max(run.values("kinetic_energy"))
    assert np.max(run.values("constraint_residual")) < 1e-12
    assert abs(run.values("A.angle")[-1]) > 0.5


def test_a_flat_ladder_at_rest_falls():
    """REFERENCES 1.2 drawn flat and let go: it moves, stays closed, keeps its energy."""
    run = bc.simulate(looped.ladder(1, np.pi / 2), 1.0, every=0.01)
    E = np.asarray(run.values("energy"))
    assert np.max(np.abs(E - E[0])) < 1e-6 * np.max(run.values("kinetic_energy"))
    assert np.max(run.values("constraint_residual")) < 1e-12
    assert abs(run.values("P0.angle")[-1] + np.pi / 2) > 0.5
