"""Every integrator keeps its order on a machine with a loop: coordinates, speeds, reactions.

The plain four-bar from 2 rad/s. Errors are the largest of all records after the first ten
steps, against a run at rtol 1e-13.
"""

from functools import cache

import numpy as np
import pytest
from tests.machines import looped

import bellcrank as bc

START = {"A.angle_rate": 2.0}
LOOSE = {"rtol": 0.9, "atol": 1e4}  # every step is accepted
GROUPS = (
    ("A.angle", "B.angle", "D.angle"),
    ("A.angle_rate", "B.angle_rate", "D.angle_rate"),
    ("C.reaction_force", "D.reaction_force"),
)


def records(run):
    """Return coordinates, speeds and reactions, a row for each record."""
    return [
        np.column_stack([np.asarray(run.values(n)).reshape(len(run.t), -1) for n in names])
        for names in GROUPS
    ]


@cache
def exact(until, h):
    run = bc.simulate(looped.plain(), until, start=START, rtol=1e-13, atol=1e-14, every=h)
    return records(run)


def errors(method, until, h, **options):
    run = bc.simulate(looped.plain(), until, start=START, integrator=method, every=h, **options)
    assert run.statistics["steps"] == round(until / h)
    pairs = zip(records(run), exact(until, h), strict=True)
    return np.array([np.abs(found - known)[11:].max() for found, known in pairs])


@pytest.mark.parametrize(
    ("method", "h"),
    [
        (bc.RK4, 0.01), (bc.Nystrom4, 0.01), (bc.Gauss2, 0.02),
        (lambda step: bc.GeneralizedAlpha(step), 0.004),
        (lambda step: bc.GeneralizedAlpha(step, spectral_radius=0.0), 0.004),
        (lambda step: bc.GeneralizedAlpha(step, hht=0.2), 0.004),
    ],
    ids=["RK4", "Nystrom4", "Gauss2", "GeneralizedAlpha", "all damped", "HHT"],
)  # fmt: skip
def test_fixed_steps(method, h):
    order = method(h).order
    observed = np.log2(errors(method(h), 0.5, h) / errors(method(h / 2), 0.5, h / 2))
    assert (np.abs(observed - order) < 0.25).all(), observed


@pytest.mark.parametrize(
    ("method", "until", "h"),
    [(bc.RKF45, 0.5, 0.02), (bc.DOPRI5, 0.5, 0.02), (bc.DOP853, 1.5, 0.025)],
)
def test_steps_that_could_adapt(method, until, h):
    """At least their order, less 0.5; steps are held at one length."""
    coarse, fine = (
        errors(method(first_step=each, max_step=each), until, each, **LOOSE)
        for each in (h, h / 2)
    )
    observed = np.log2(coarse / fine)
    assert (observed > method.order - 0.5).all(), observed


def test_radau():
    """Order 5 by the number of steps at rtol 1e-7 to 1e-11, at the end of the run."""
    counts, found = [], []
    for rtol in (1e-7, 1e-9, 1e-11):
        run = bc.simulate(
            looped.plain(), 0.5, start=START, integrator=bc.Radau5(), rtol=rtol,
            atol=rtol / 10, every=0.02,
        )  # fmt: skip
        pairs = zip(records(run), exact(0.5, 0.02), strict=True)
        found.append([np.abs(one - known)[-1].max() for one, known in pairs])
        counts.append(run.statistics["steps"])
        assert np.max(run.values("constraint_residual")) < 1e-12
        assert np.max(run.values("constraint_rate_residual")) < 1e-12
    speeds, reactions = np.array(found)[:, 1], np.array(found)[:, 2]
    for values in (speeds, reactions):
        slope = np.polyfit(np.log(counts), np.log(values), 1)[0]
        assert slope < -4.5, slope
    assert found[-1][0] < 1e-10
