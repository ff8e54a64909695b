"""The laws of mechanics on random machines: every joint at the root, in the middle, as leaf."""

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.laws.evaluation import Evaluated
from tests.laws.laws import (
    LAWS,
    along_the_motion,
    close,
    conservative_force_is_the_slope_of_the_potential,
)

from bellcrank.testing import FORCES, KINDS, PLACES, machine, mechanisms, state

NEIGHBOURS = ("Universal", "Revolute", "Cylindrical")
CONSERVATIVE = ("SpringDamper", "JointSpring", "Bushing")
INTERNAL = ("JointSpring", "Motor")
ANYWHERE = pytest.mark.parametrize("place", PLACES)
ANY_JOINT = pytest.mark.parametrize("kind", KINDS)


@cache
def built(kind: str, place: str, forces: tuple[str, ...], free: bool = False) -> Evaluated:
    """Return a chain of three with a kind of joint at a place; on a free root if asked."""
    kinds = list(NEIGHBOURS)
    kinds[PLACES.index(place)] = kind
    seed = 100 + 10 * KINDS.index(kind) + PLACES.index(place)
    if not free:
        return Evaluated(machine(kinds, seed=seed, forces=forces))
    return Evaluated(machine(["Free", *kinds], seed=seed, forces=forces, gravity=(0, 0, 0)))


def states(found: Evaluated, count: int = 2):
    for seed in range(count):
        yield found.pack(state(found.model, seed))


@ANY_JOINT
@ANYWHERE
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_law(law, kind, place):
    found = built(kind, place, FORCES)
    for q, u in states(found):
        law(found, q, u)


@ANY_JOINT
@ANYWHERE
def test_conservative_force_is_the_slope_of_the_potential(kind, place):
    found = built(kind, place, CONSERVATIVE)
    for q, u in states(found):
        conservative_force_is_the_slope_of_the_potential(found, q, u)


@ANY_JOINT
@ANYWHERE
def test_momentum_is_kept_by_a_free_machine(kind, place):
    found = built(kind, place, INTERNAL, free=True)
    for q, u in states(found):
        rate = along_the_motion(found, "energy", q, u, found.accelerations(q, u))[2]
        momentum = found("energy", q, u)[2]
        close(rate[:, 0], np.zeros(6), scale=float(np.max(np.abs(momentum))))


# A machine is built for each example: few of them, and no deadline.
@settings(
    max_examples=20, deadline=None, suppress_health_check=list(HealthCheck), derandomize=True
)
@given(model=mechanisms(max_bodies=4), seed=st.integers(0, 1000))
def test_every_law_holds_for_any_tree(model, seed):
    found = Evaluated(model)
    q, u = found.pack(state(model, seed))
    for law in LAWS:
        law(found, q, u)
