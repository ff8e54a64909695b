"""Machines of many loops run in batches of like elements where no formulation is named."""

import warnings

import numpy as np
import pytest
from benchmarks.many_loops import ladder, scissors

import bellcrank as bc


def moved(cells, **options):
    return bc.simulate(scissors(cells), 0.2, every=0.05, **options)


def test_a_lift_of_fifty_cells_moves_as_one_rod_of_the_same_inertia():
    """Lagrange's equation of its one freedom, the angle of all rods, by independent numbers."""
    run, cells, angle = moved(50), 50, 0.6
    assert run.provenance["formulation"].startswith("Cartesian")

    def acceleration(th, rate):
        c, s = np.cos(th), np.sin(th)
        k = np.arange(cells)
        # Each rod: centre (c/2, (k + ½) s), turning at the rate; the slider at (c, 0).
        inertia = 2 * np.sum(1 / 12 + s**2 / 4 + (k + 0.5) ** 2 * c**2) + 0.5 * s**2
        slope = 2 * np.sum(2 * c * s / 4 - 2 * (k + 0.5) ** 2 * c * s) + 0.5 * 2 * s * c
        weight = 2 * np.sum(9.81 * (k + 0.5) * c)
        return (-weight - 0.5 * slope * rate**2) / inertia

    state, h = np.array([angle, 0.0]), 1e-4
    for _ in range(2000):
        f = lambda x: np.array([x[1], acceleration(*x)])  # noqa: E731
        a = f(state)
        b = f(state + h / 2 * a)
        c = f(state + h / 2 * b)
        d = f(state + h * c)
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    assert run.values("foot.angle")[-1] == pytest.approx(state[0] - angle, abs=1e-8)
    assert run.values("m49.angle")[-1] == pytest.approx(-2 * (state[0] - angle), abs=1e-8)


def railed(model):
    """Return a machine with a sled beside it on 42 rails: 41 loops whose code is short."""
    sled = bc.Body("sled", bc.Rod((0, 5, 0), (1, 5, 0), mass=1.0))
    rail = {"first": "ground", "second": "sled", "at": (0, 5, 0), "axis": "x"}
    return model.add(sled, *(bc.Prismatic(f"rail{k}", **rail) for k in range(42)))


def test_results_have_the_same_names_and_values_as_in_joint_coordinates():
    """Energies, reactions, angles by joint names."""
    batched = bc.Cartesian(assembled=True)
    own, joint = (moved(3, formulation=each) for each in (batched, bc.JointCoordinates()))
    assert own.provenance["formulation"].startswith("Cartesian")
    assert set(joint) <= set(own)
    for name in joint:
        expected = joint.values(name)
        atol = 1e-6 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(own.values(name), expected, rtol=0, atol=atol, err_msg=name)


@pytest.mark.parametrize(
    ("options", "formulation"),
    [
        ({}, "Cartesian(form='omega', reference='centroid', assembled=True)"),
        ({"integrator": bc.DOP853()}, "JointCoordinates()"),
        ({"constraints": "independent"}, "JointCoordinates()"),
        ({"formulation": bc.JointCoordinates()}, "JointCoordinates()"),
    ],
    ids=repr,
)
def test_what_batches_cannot_take_runs_in_joint_coordinates(options, formulation):
    """Explicit integrators, other ways to hold constraints, named formulations."""
    run = bc.simulate(railed(scissors(3)), 0.2, every=0.05, **options)
    assert run.provenance["formulation"] == formulation


def test_a_ladder_that_falls_flat_goes_on_in_joint_coordinates():
    """All its posts are parallel: one angle, by Lagrange's equation, past its dead centre."""
    cells = 3
    model = railed(ladder(cells, 1.0))
    short = bc.simulate(model, 0.1, every=0.1)
    assert short.provenance["formulation"].startswith("Cartesian")
    run = bc.simulate(model, 0.5, every=0.5)
    assert run.provenance["formulation"] == "JointCoordinates()"
    # θ from the ground: posts turn about their feet, beams are carried round by their tops.
    inertia = (cells + 1) / 3 + 0.7 * cells
    weight = 9.81 * ((cells + 1) / 2 + 0.7 * cells)
    state, h = np.array([np.arctan2(0.8, 0.6), 0.0]), 1e-4
    for _ in range(5000):
        f = lambda x: np.array([x[1], -weight / inertia * np.cos(x[0])])  # noqa: E731
        a = f(state)
        b = f(state + h / 2 * a)
        c = f(state + h / 2 * b)
        d = f(state + h * c)
        state = state + h / 6 * (a + 2 * b + 2 * c + d)
    assert state[0] < 0  # past the ground
    turned = np.arctan2(0.8, 0.6) - state[0]
    assert run.values("foot0.angle")[-1] == pytest.approx(turned, abs=1e-7)


def test_small_machines_stay_as_they_are():
    assert moved(3).provenance["formulation"] == "JointCoordinates()"


def test_what_takes_long_to_compile_says_so_beforehand_and_once():
    """Of 300 rods only q̇ = u is asked for, which takes no time, as never before."""
    count, length = 300, 1 + np.random.default_rng().random()
    rods = [bc.Rod((k, 0), (k + length, 0), mass=1.0) for k in range(count)]
    system = bc.compile(
        bc.Model("chain", planar=True,
                 bodies=[bc.Body(f"b{k}", rod) for k, rod in enumerate(rods)],
                 joints=[bc.Revolute(f"J{k}", f"b{k - 1}" if k else "ground", f"b{k}",
                                     at=(k, 0)) for k in range(count)])
    )  # fmt: skip
    with pytest.warns(UserWarning, match=r"'chain' has 300 bodies, .* takes from half a min"):
        system.kernel("kinematics", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.kernel("kinematics", 1)
