"""The strategies that ship with the library."""

import sys

import pytest
from hypothesis import given, settings

from bellcrank.errors import MissingExtra
from bellcrank.model import Model
from bellcrank.testing import FORCES, KINDS, PLACES, machine, mechanisms, placed, state, states


def test_a_seed_stands_for_one_machine_and_one_state():
    kinds = ("Free", "Spherical", "Screw")
    assert machine(kinds, seed=5) == machine(kinds, seed=5)
    assert machine(kinds, seed=5) != machine(kinds, seed=6)
    assert state(machine(kinds), 5) == state(machine(kinds), 5)


@settings(max_examples=20, deadline=None)
@given(model=mechanisms(max_bodies=3))
def test_every_machine_is_a_tree(model):
    assert isinstance(model, Model)
    assert not model.graph.loops
    assert len(model.bodies) == len(model.joints) <= 3


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_joint_is_where_it_was_asked_to_be(kind, place):
    @settings(max_examples=2, deadline=None)
    @given(model=placed(kind, place))
    def check(model):
        assert type(model.joints[PLACES.index(place)]).__name__ == kind

    check()


def test_a_state_names_every_coordinate_and_speed():
    model = machine(KINDS)

    @settings(max_examples=2, deadline=None)
    @given(values=states(model))
    def check(values):
        expected = {
            f"{j.name}.{name}" for j in model.joints for name in j.coordinates + j.speeds
        }
        assert set(values) == expected

    check()


def test_every_force_element_is_made():
    made = {type(force).__name__ for force in machine(["Revolute"], forces=FORCES).forces}
    assert made == set(FORCES)


def test_without_hypothesis_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "hypothesis.strategies", None)
    with pytest.raises(MissingExtra) as caught:
        mechanisms()
    assert str(caught.value) == (
        "bellcrank.testing needs hypothesis, which is not installed. "
        "Install it with: pip install 'bellcrank[test]'"
    )
