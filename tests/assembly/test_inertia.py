"""Motions without inertia: a spin that nothing drives stays as it is, others are refused."""

import warnings

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.prepare.guarding import tell_of_spins

THREE = [bc.JointCoordinates(), bc.Cartesian(), bc.Kane()]


def linkage(link):
    """Return a crank and a rocker whose axes are askew, with a link between two balls."""
    b, c = (0, 0, 0.5), (1, 0.3, 0.6)
    return bc.Model(
        "RSSR",
        bodies=[
            bc.Body("crank", bc.Cylinder((0, 0, 0), b, 0.05, mass=1.0)),
            bc.Body("link", link(b, c)),
            bc.Body("rocker", bc.Cylinder((1, 0.3, 0), c, 0.05, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y"),
            bc.Spherical("B", "crank", "link", at=b),
            bc.Spherical("C", "link", "rocker", at=c),
            bc.Revolute("D", "ground", "rocker", at=(1, 0.3, 0), axis=(0.2, 1, 0)),
        ],
    )


def moved(model, formulation):
    start = {"A.angle_rate": 1.0}
    run = bc.simulate(model, 0.5, formulation=formulation, start=start, every=0.05)
    return np.hstack([run.values(f"{body.name}.position") for body in model.bodies])


@pytest.mark.parametrize("formulation", THREE)
def test_a_thin_link_between_two_balls_moves_as_two_points_do(formulation):
    """Natural coordinates do not have its spin at all."""
    thin = linkage(lambda b, c: bc.Rod(b, c, mass=0.5))
    expected = moved(thin, bc.Natural())
    tell_of_spins.cache_clear()
    with pytest.warns(UserWarning, match="nothing resists or drives the spin of 'link'"):
        moved(thin, formulation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = moved(thin, formulation)  # said once
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_the_same_rod_runs_where_it_is_two_points():
    """Natural coordinates do not have the spin at all."""
    a, b = (0, 0, 0), (1, 0, 0)
    rod = bc.Model(
        "rod",
        bodies=[bc.Body("rod", bc.Rod(a, b, mass=1.0))],
        joints=[bc.Spherical("A", "ground", "rod", at=a)],
    )
    run = bc.simulate(rod, 0.2, formulation=bc.Natural())
    assert run.audit["energy_drift"] < 1e-7


@pytest.mark.parametrize("formulation", THREE)
def test_a_thin_link_that_is_turned_about_its_line_is_refused(formulation):
    """It lies askew: what is left of its inertia is rounding, and its spin would be endless."""
    thin = linkage(lambda b, c: bc.Rod(b, c, mass=0.5))
    twisted = thin.add(bc.Torque("twist", "link", (0.1, 0.03, 0.01), frame="body"))
    with pytest.raises(bc.StartError, match=r"nothing has inertia against .*angular_velocity"):
        bc.simulate(twisted, 0.5, formulation=formulation)
