"""Starts where motions branch: speeds are on a branch, what is named is held.

A four-bar that lies flat, with lengths a, b, c of crank, coupler and rocker counted along its
line, moves with rates α, β, γ (of the bars in the world) if its loop closes to second order:

    a α + b β = c γ        a α² + b β² = c γ²
"""

import warnings

import numpy as np
import pytest
from tests.assembly.test_following import assembled, four_bar, named, values_of
from tests.machines import four_bars, looped

import bellcrank as bc

FLAT = (0, 0), (1, 0), (4, 0), (3, 0)  # a parallelogram


@pytest.fixture(scope="module")
def linkage():
    symbols, _ = named("p", *FLAT)
    return bc.compile(four_bar(*symbols, name="flat four-bar of parameters"), level=0)


def branch_rates(a, b, c, alpha):
    """Return the rates γ of the rocker, that of least kinetic energy first."""
    # b a α² + (c γ − a α)² − b c γ² = 0
    square = [c * c - b * c, -2 * a * c * alpha, (a * a + a * b) * alpha**2]
    roots = np.roots(square)
    if np.abs(roots.imag).max() > 1e-9 * np.abs(roots).max():
        return []

    def energy(gamma):  # of thin rods of 1 kg, times 6: the ends move at right angles
        one, other = a * alpha, c * gamma
        return one**2 + (one**2 + one * other + other**2) + other**2

    return sorted(roots.real, key=energy)


def on_a_line(a, b, c, angle):
    e = np.array([np.cos(angle), np.sin(angle)])
    return [0 * e, a * e, (a + b) * e, (a + b - c) * e]


def test_flat_four_bars_start_on_the_branch_of_least_energy(linkage):
    """Change points of any lengths, lying anyhow; in some the crank cannot move."""
    noise, stuck, passed = np.random.default_rng(5), 0, 0
    while passed < 60:
        a, b, c = noise.uniform(0.3, 2.0, 3) * noise.choice([-1.0, 1.0], 3)
        alpha = noise.uniform(-3, 3)
        if abs(a + b - c) < 0.2 or abs(b - c) < 0.1 or abs(alpha) < 0.1:
            continue
        values = values_of("p", *on_a_line(a, b, c, noise.uniform(-np.pi, np.pi)))
        wanted, start = branch_rates(a, b, c, alpha), {"A.angle_rate": alpha}
        if not wanted:
            stuck += 1
            if stuck <= 5:
                with pytest.raises(bc.StartError, match="belong to no motion through this"):
                    assembled(linkage, start, values)
            continue
        passed += 1
        with pytest.warns(bc.Bifurcation, match="The branch of least kinetic energy was taken"):
            found = assembled(linkage, start, values)
        assert found["A.angle_rate"] == alpha
        assert found["D.angle_rate"] == pytest.approx(wanted[0], rel=1e-6)
        other = assembled(linkage, start | {"D.angle_rate": bc.Near(wanted[1])}, values)
        assert other["D.angle_rate"] == pytest.approx(wanted[1], rel=1e-6)
    assert stuck >= 5


def test_both_rates_of_a_branch_may_be_named(linkage):
    """And rates of none are refused, with the branches by name."""
    start = {"A.angle_rate": 2.0, "D.angle_rate": -4.0}
    found = assembled(linkage, start)
    assert found["B.angle_rate"] == pytest.approx(-4.0, abs=1e-9)  # β − α, β = −2
    with pytest.raises(bc.StartError) as caught:
        assembled(linkage, start | {"D.angle_rate": 3.0})
    assert str(caught.value) == (
        "the speeds named in start belong to no motion through this position, in which the "
        "motions of 'flat four-bar of parameters' branch. With A.angle_rate = 2, "
        "'D.angle_rate' may be 2 or -4."
    )


@pytest.mark.parametrize("count", [1, 2, 4])
def test_a_flat_ladder_moves_as_one(count):
    """Rungs of one length: all of them turn together, or not at all."""
    system = bc.compile(looped.ladder(count, np.pi / 2), level=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.Bifurcation)
        found = assembled(system, {"P0.angle_rate": 2.0})
    rates = [found[f"P{i}.angle_rate"] for i in range(count + 1)]
    np.testing.assert_allclose(rates, 2.0, atol=1e-6)


def test_a_drawing_that_lies_flat_is_left_along_one_branch(linkage):
    with pytest.warns(bc.Bifurcation, match="is drawn at a bifurcation point"):
        found = assembled(linkage, {"A": 0.9})
    assert found["D.angle"] == pytest.approx(0.9, abs=1e-9)
    crossed = assembled(linkage, {"A": 0.9, "D": bc.Near(-1.5)})
    # The crossed one is symmetric: its coupler lies along the other diagonal.
    assert crossed["D.angle"] == pytest.approx(crossed["B.angle"], abs=1e-9)
    assert crossed["D.angle"] < -1.0


def test_redundant_rows_are_no_bifurcation():
    """A four-bar in space repeats three directions, and is said nothing of."""
    model = four_bars.in_space().moved(bc.Pose((0.1, 0.2, 0.3), (0.8, 0.36, -0.48, 0.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = assembled(bc.compile(model, level=0), {"A": 1.3, "A.angle_rate": 2.0})
    assert found["A.angle_rate"] == 2.0


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Natural()], ids=repr)
def test_a_parallelogram_started_flat_stays_one(formulation):
    """With its energy, and with the rate that was named."""
    model = four_bar(*FLAT, name="parallelogram")
    with pytest.warns(bc.Bifurcation, match="'D.angle_rate' may be 2 or -4"):
        run = bc.simulate(model, 0.4, start={"A.angle_rate": 2.0}, formulation=formulation)
    assert run.values("A.angle_rate")[0] == pytest.approx(2.0, abs=1e-12)
    np.testing.assert_allclose(run.values("D.angle"), run.values("A.angle"), atol=1e-8)
    energy = np.asarray(run.values("energy"))
    np.testing.assert_allclose(energy, energy[0], atol=1e-7)
