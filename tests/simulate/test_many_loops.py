"""Machines of many loops run in batches of like elements where no formulation is named."""

import warnings

import numpy as np
import pytest
from benchmarks.many_loops import ladder, scissors

import bellcrank as bc
from bellcrank.prepare import choosing


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


@pytest.fixture
def few(monkeypatch):
    """Let few loops be many."""
    monkeypatch.setattr(choosing, "ROWS", 10)


def test_results_have_the_same_names_and_values_as_in_joint_coordinates(few):
    """Energies, reactions, angles by joint names."""
    own, joint = moved(3), moved(3, formulation=bc.JointCoordinates())
    assert own.provenance["formulation"].startswith("Cartesian")
    assert set(joint) <= set(own)
    for name in joint:
        expected = joint.values(name)
        atol = 1e-6 * (1 + np.abs(expected).max())
        np.testing.assert_allclose(own.values(name), expected, rtol=0, atol=atol, err_msg=name)


def test_what_batches_cannot_take_runs_in_joint_coordinates(few):
    """Explicit integrators, other ways to hold constraints, named formulations."""
    for options in (
        {"integrator": bc.DOP853()},
        {"constraints": "independent"},
        {"formulation": bc.JointCoordinates()},
    ):
        assert moved(3, **options).provenance["formulation"] == "JointCoordinates()"


def test_a_ladder_that_falls_flat_goes_on_in_joint_coordinates(few):
    """All its posts are parallel: one angle, by Lagrange's equation, past its dead centre."""
    cells = 3
    run = bc.simulate(ladder(cells, 1.0), 0.5, every=0.5)
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


def test_what_takes_long_to_compile_says_so_beforehand_and_once(monkeypatch):
    monkeypatch.setattr("bellcrank.machine.system.SLOW", 1)
    rod = bc.Rod((0, 0), (1 + np.random.default_rng().random(), 0), mass=1.0)  # never compiled
    system = bc.compile(
        bc.Model("rod", bodies=[bc.Body("rod", rod)], planar=True,
                 joints=[bc.Revolute("A", "ground", "rod", at=(0, 0))])
    )  # fmt: skip
    with pytest.warns(UserWarning, match=r"'rod' has 1 bodies, .* takes from half a minute"):
        system.kernel("mass", 0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        system.kernel("force", 0)
