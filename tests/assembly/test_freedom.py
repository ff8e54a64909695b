"""Degrees of freedom, and who repeats what others hold."""

from dataclasses import replace

import numpy as np
import pytest
from tests.laws.closed import freed, loop
from tests.machines import looped

import bellcrank as bc
from bellcrank.constraints.assembly.freedom import Freedom, freedom
from bellcrank.machine.start import initial_state


def rank(C):
    sigma = np.linalg.svd(C, compute_uv=False) if C.size else np.zeros(1)
    return int((sigma > 1e-8 * sigma[0]).sum())


def one_by_one(system, q):
    """Return the freedom by definition: an element at a time is taken away."""
    rows = system.equations.rows
    scale = np.array([row.scale for row in rows])
    there = system.at_rest(0.0, q, np.zeros(0), system.parameter_vector())
    C = system.ask("velocity", there, level=0)[0]
    C, owners = C / scale[:, None], np.array([row.owner for row in rows])
    repeated = {
        str(owner): int((owners == owner).sum()) - (rank(C) - rank(C[owners != owner]))
        for owner in dict.fromkeys(owners)
    }
    return Freedom(C.shape[1], rank(C), {name: n for name, n in repeated.items() if n})


@pytest.mark.parametrize(
    ("model", "degrees", "redundant"),
    [
        (looped.plain(), 1, {"C": 3}),
        (looped.ladder(4, 0.3), 1, {"R0": 3, "R1": 3, "R2": 3, "R3": 3}),
        (looped.bricard(), 1, {"J3": 1}),
    ],
    ids=["four-bar", "ladder", "bricard"],
)
def test_known_machines(model, degrees, redundant):
    system = bc.compile(model, level=0)
    p = system.parameter_vector()
    q = initial_state(system, None, 0.0, np.zeros(0), p)[: len(system.coordinates)]
    found = freedom(system, q, p)
    assert found == one_by_one(system, q)
    assert (found.degrees, found.redundant) == (degrees, redundant)


@pytest.mark.parametrize("kind", ["Universal", "Perpendicular"])
def test_an_element_repeats_what_the_rank_does_not_lose_without_it(kind):
    """On free joints, so that all joints are rows, as drawn; one joint stands there twice."""
    drawn = loop(kind, 3)
    again = replace(drawn["J2"], name="again")
    system = bc.compile(freed(drawn.add(again)), level=0)
    q, _ = system.pack({})
    found = freedom(system, q, system.parameter_vector())
    assert found == one_by_one(system, q)
    assert found.redundant == {"J2": 4, "again": 4}
