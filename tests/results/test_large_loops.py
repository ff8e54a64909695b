"""Reactions and accelerations of long ladders of loops: memory and time grow with their length.

Two things must hold however they are computed: forces balance on every body (Newton, in world
components), and of all that balance, reactions are the least.
"""

import tracemalloc

import numpy as np
import pytest
from benchmarks.many_loops import ladder

import bellcrank as bc
from bellcrank.constraints.saddle_points import SaddlePoints


def test_forces_balance_on_every_body_of_a_long_ladder():
    """Newton: the joints of a body give m (a − g)."""
    model = ladder(14)  # large enough for sparse factors
    run = bc.simulate(model, until=0.2, every=0.05)
    for body in model.bodies:
        mass = body.mass if body.mass is not None else body.shapes[0].mass
        force = np.zeros((len(run.t), 3))
        for joint in model.joints:
            if body.name in (joint.first, joint.second):
                sign = 1.0 if joint.second == body.name else -1.0
                force += sign * run.values(f"{joint.name}.reaction_force")
        needed = float(mass) * (run.values(f"{body.name}.acceleration") - [0, 0, -9.81])
        np.testing.assert_allclose(force, needed, atol=1e-9)


def test_memory_of_reactions_does_not_grow_with_records_times_bodies_squared():
    """Beyond what is returned, one portion of records is held at a time, of 64 MB."""
    run = bc.simulate(ladder(14), until=0.2, every=0.2 / 400)
    run.values("foot0.angle_acceleration")
    tracemalloc.start()
    run.values("foot0.reaction_force")
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 200e6


@pytest.mark.parametrize("seed", range(5))
def test_the_solution_is_the_least_one_of_consistent_redundant_rows(seed):
    """For M = 1 it is x = B⁺ g: a pseudo-inverse is defined by the least solution."""
    random = np.random.default_rng(seed)
    m, n, known = 12, 15, 7
    B = random.normal(size=(m, known)) @ random.normal(size=(known, n))
    g = B @ random.normal(size=n)
    row, column = np.nonzero(np.ones_like(B))
    own = np.arange(n)
    points = SaddlePoints((n, m), (own, own), (row, column))
    found = points.solve(np.ones(n), B[row, column], np.zeros(n), g)
    assert found is not None
    np.testing.assert_allclose(found, np.linalg.pinv(B, rcond=1e-10) @ g, atol=1e-9)
    assert points.solve(np.ones(n), B[row, column], np.zeros(n), random.normal(size=m)) is None
