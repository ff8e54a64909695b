"""An implicit method that this file alone declares works like the package's own.

It is Radau IIA of two stages and order 3, whose stages hold constraints: Hairer, Wanner (1996),
Solving Ordinary Differential Equations II, IV.5.
"""

from dataclasses import dataclass

import numpy as np
from tests.machines import four_bars

import bellcrank as bc
from bellcrank.integrators.methods import FixedStep
from bellcrank.integrators.methods.collocation import Collocation


@dataclass(frozen=True)
class Radau3(FixedStep):
    """Radau IIA of order 3 with steps of fixed length."""

    tableau = Collocation(
        order=3,
        c=np.array([1 / 3, 1.0]),
        a=np.array([[5 / 12, -1 / 12], [3 / 4, 1 / 4]]),
        b=np.array([3 / 4, 1 / 4]),
        real=False,
    )
    index = 2


START = {"A.angle_rate": 6.0}


def test_it_converges_with_its_order_on_a_loop():
    model = four_bars.in_space()
    exact = bc.simulate(model, 0.4, start=START, rtol=1e-12).values("A.angle")[-1]
    ends = []
    for step in (0.02, 0.01, 0.005):
        run = bc.simulate(model, 0.4, start=START, integrator=Radau3(step=step))
        ends.append(run.values("A.angle")[-1] - exact)
        assert np.abs(run.values("constraint_residual")).max() < 1e-10
        assert run.statistics["method"] == "Radau3"
    orders = np.log2(np.abs(np.array(ends[:-1]) / ends[1:]))
    np.testing.assert_allclose(orders, 3.0, atol=0.2)


def test_constraints_on_index_2_are_for_it():
    model = four_bars.in_space()
    method = Radau3(step=0.01)
    one, other = (
        bc.simulate(model, 0.1, start=START, integrator=method, constraints=way)
        for way in ("project", "index2")
    )
    np.testing.assert_array_equal(one.values("A.angle"), other.values("A.angle"))
