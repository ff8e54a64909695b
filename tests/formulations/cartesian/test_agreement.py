"""Bodies accelerate as in joint coordinates, whatever ties and moves them."""

from functools import cache

import numpy as np
import pytest
from tests.formulations.cartesian.embedded import ALL, FORMS, State, embedded, in_joints
from tests.laws.closed import CLOSING, Closed, loop
from tests.laws.evaluation import Evaluated
from tests.laws.laws import close
from tests.laws.test_constrained import driven

import bellcrank as bc
from bellcrank.testing import FORCES, KINDS, machine, state

pytestmark = pytest.mark.slow

NEIGHBOURS = ("Universal", "Revolute", "Cylindrical")


@pytest.mark.parametrize("formulation", ALL, ids=repr)
@pytest.mark.parametrize("kind", KINDS)
def test_trees_of_every_joint_with_every_force(kind, formulation):
    """To 1e-9 at a random state; all constraints hold there to 1e-12."""
    model = machine((NEIGHBOURS[0], kind, *NEIGHBOURS[1:]), (0, 1, 2, 1), 5, forces=FORCES)
    seen = in_joints(model, state(model, 5))
    here = embedded(model, formulation, seen)
    assert np.abs(here.slot("position")[0]).max() < 1e-12
    C, nu = here.slot("velocity")
    assert np.abs(C @ here.u - nu[:, 0]).max() < 1e-11
    close(here.bodies[0], seen.bodies[0], tol=1e-12)
    close(here.bodies[1], seen.bodies[1], tol=1e-12)
    close(here.bodies[2], seen.bodies[2], tol=1e-9)


@cache
def closed(model: bc.Model, seed: int, t: float = 0.0) -> State:
    """Return a machine with constraints in joint coordinates, closed at a random state."""
    there = Closed(model, seed, t)
    return State(Evaluated(model), there.q, there.u, t)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
@pytest.mark.parametrize("kind", [*CLOSING, "Screw"])
def test_loops_of_every_kind(kind, formulation):
    """To 1e-9, closed by every joint and constraint, with springs and forces."""
    seen = closed(loop(kind, 3, ("SpringDamper", "Force", "Bushing")), 3)
    here = embedded(seen.machine.model, formulation, seen)
    assert np.abs(here.slot("position")[0]).max() < 1e-11
    close(here.bodies[2], seen.bodies[2], tol=1e-9)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
@pytest.mark.parametrize("kind", ["joint", "offset", "point"])
def test_driven_loops(kind, formulation):
    """J11: to 1e-9, at a time when the drivers move."""
    seen = closed(driven(kind), 4, t=0.2)
    here = embedded(seen.machine.model, formulation, seen)
    assert np.abs(here.slot("position")[0]).max() < 1e-11
    close(here.bodies[2], seen.bodies[2], tol=1e-9)
