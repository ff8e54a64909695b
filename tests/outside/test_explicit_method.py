"""An explicit method that this file alone declares works like the package's own.

It is the pair of Bogacki and Shampine (1989), Appl. Math. Lett. 2, 321-325, of orders 3 and 2.
"""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.special import ellipj, ellipk
from tests.machines import four_bars, hinged

import bellcrank as bc
from bellcrank.integrators.methods import AdaptiveStep, FixedStep
from bellcrank.integrators.methods.explicit import Tableau, numbers, rows


@dataclass(frozen=True)
class BogackiShampine(AdaptiveStep):
    """The pair 3(2) of Bogacki and Shampine."""

    tableau = Tableau(
        order=3,
        c=numbers("0 1/2 3/4"),
        a=rows("| 1/2 | 0 3/4"),
        b=numbers("2/9 1/3 4/9"),
        errors=(numbers("-5/72 1/12 1/9 -1/8"),),
        error_order=3,
    )


PENDULUM = hinged.pendulum(tip=(0, 0, -1.0))  # a rod of 1 m


def angle(t: np.ndarray) -> np.ndarray:
    """Return the angle of the rod from rest at 1 rad: 2 arcsin(k sn(K + ω t, k²))."""
    k, frequency = np.sin(0.5), np.sqrt(1.5 * 9.81)
    sine = ellipj(ellipk(k**2) + frequency * t, k**2)[0]
    return 2 * np.arcsin(k * sine)


def swing(method: BogackiShampine, **options) -> bc.Result:
    start = {"A.angle": 1.0}
    return bc.simulate(PENDULUM, 2.0, start=start, integrator=method, **options)


def test_it_converges_with_its_order():
    ends = []
    for step in (0.02, 0.01, 0.005):
        # Whatever the error, the step is the longest allowed.
        method = BogackiShampine(first_step=step, max_step=step)
        run = swing(method, rtol=0.5, atol=1e3)
        ends.append(run.values("A.angle")[-1] - angle(run.t[-1]))
    orders = np.log2(np.abs(np.array(ends[:-1]) / ends[1:]))
    np.testing.assert_allclose(orders, 3.0, atol=0.2)


def test_it_keeps_the_tolerance_between_steps_too():
    run = swing(BogackiShampine(), rtol=1e-7)
    exact = angle(run.t)
    np.testing.assert_allclose(run.values("A.angle"), exact, atol=1e-5)
    assert run.statistics["method"] == "BogackiShampine"


def test_it_runs_a_loop():
    model = four_bars.in_space()
    one, other = (
        bc.simulate(model, 0.2, start={"A.angle_rate": 6.0}, integrator=method, rtol=1e-8)
        for method in (BogackiShampine(), bc.DOP853())
    )
    np.testing.assert_allclose(one.values("A.angle"), other.values("A.angle"), atol=1e-6)
    assert np.abs(one.values("constraint_residual")).max() < 1e-10


def test_steps_and_tableau_must_fit():
    with pytest.raises(TypeError, match="Wrong must be an AdaptiveStep: its tableau estimates"):

        class Wrong(FixedStep):
            tableau = BogackiShampine.tableau
