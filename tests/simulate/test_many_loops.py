"""Machines of many loops run in batches of like elements where no formulation is named."""

import warnings

import numpy as np
import pytest
from tests.machines import looped

import bellcrank as bc
from bellcrank.prepare import choosing


def scissors(cells, angle=0.6):
    """Return a scissor lift on a foot and a slider, drawn up from the ground."""
    c, s = np.cos(angle), np.sin(angle)
    bodies = [bc.Body("slider", mass=0.5, com=(c, 0), inertia=(0.01, 0.01, 0.01, 0, 0, 0))]
    joints = [bc.Revolute("foot", "ground", "a0", at=(0, 0)),
              bc.Prismatic("rail", "ground", "slider", axis=(1, 0), at=(c, 0)),
              bc.Revolute("pin", "slider", "b0", at=(c, 0))]  # fmt: skip
    for k in range(cells):
        y = k * s
        bodies += [bc.Body(f"a{k}", bc.Rod((0, y), (c, y + s), mass=1.0)),
                   bc.Body(f"b{k}", bc.Rod((c, y), (0, y + s), mass=1.0))]  # fmt: skip
        joints.append(bc.Revolute(f"m{k}", f"a{k}", f"b{k}", at=(c / 2, y + s / 2)))
        if k:
            joints += [bc.Revolute(f"l{k}", f"b{k - 1}", f"a{k}", at=(0, y)),
                       bc.Revolute(f"r{k}", f"a{k - 1}", f"b{k}", at=(c, y))]  # fmt: skip
    return bc.Model("scissor lift", bodies=bodies, joints=joints, planar=True)


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


def test_a_singular_position_is_passed_as_by_any_loop(few):
    """A ladder of parallelograms falls through the ground, against the one pendulum that it is.

    Implicit methods stop where all its bars are in line; joint coordinates go on.
    """
    start = {f"P{i}.angle_rate": -1.0 for i in range(4)}
    run = bc.simulate(looped.ladder(3), 3.0, start=start, every=3.0)
    assert run.provenance["formulation"] == "JointCoordinates()"
    phi, _ = looped.ladder_answer(3, 3.0)
    assert np.cos(run.values("P0.angle")[-1]) == pytest.approx(np.cos(phi), abs=1e-6)


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
