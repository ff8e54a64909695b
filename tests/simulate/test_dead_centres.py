"""Starts that no motion leaves: chains of bars stretched between two pins, and their like."""

import time

import numpy as np
import pytest

import bellcrank as bc

FORMULATIONS = [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()]


def stretched(seed: int, kind: type, **changes) -> bc.Model:
    """Return two to four bars of random lengths along a random line, held at both its ends."""
    rng = np.random.default_rng(seed)
    along, normal = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    ends = np.concatenate([[0.0], np.cumsum(rng.uniform(0.2, 2.0, size=rng.integers(2, 5)))])
    places = [tuple(end * along) for end in ends]
    names = ["ground", *(f"bar {i}" for i in range(1, len(ends))), "ground"]
    bars = [
        bc.Body(name, bc.Cylinder(start, end, radius=0.02, mass=rng.uniform(0.5, 2)))
        for name, start, end in zip(names[1:-1], places[:-1], places[1:], strict=True)
    ]
    axis = {"axis": tuple(normal)} if kind is bc.Revolute else {}
    joints = [
        kind(f"J{i}", names[i], names[i + 1], at=place, **axis)
        for i, place in enumerate(places)
    ]
    # Across the line, and along the plane in which hinges let the bars move.
    across = tuple((5 * np.cross(along, normal)).tolist())
    return bc.Model("chain", bodies=bars, joints=joints, gravity=across).replace(**changes)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
@pytest.mark.parametrize("kind", [bc.Revolute, bc.Spherical])
def test_a_stretched_chain_under_a_load_is_refused_at_its_start(kind, formulation):
    for seed in range(3):
        model = stretched(seed, kind)
        for slack in (1e-6, 0.0):
            begun = time.perf_counter()
            with pytest.raises(
                bc.StartError, match="dead centre that no motion leaves"
            ) as told:
                bc.simulate(model, until=1.0, formulation=formulation, slack=slack)
            assert time.perf_counter() - begun < 60  # with compilation; it crawled
            assert "'J1'" in str(told.value)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
@pytest.mark.parametrize("kind", [bc.Revolute, bc.Spherical])
def test_a_stretched_chain_without_a_load_rests(kind, formulation):
    run = bc.simulate(stretched(1, kind, gravity=(0, 0, 0)), until=1.0, formulation=formulation)
    assert np.abs(run.values("bar 1.velocity")).max() < 1e-9


@pytest.mark.parametrize("kind", [bc.Revolute, bc.Spherical])
def test_a_verification_finds_the_dead_centre(kind):
    found = bc.verify(stretched(2, kind), until=0.1, states=2, runs=False)
    assert not found.agrees
    assert "starts in a dead centre" in found.verdict


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_a_dead_centre_that_a_slider_leaves_is_none(formulation):
    """A slider-crank that hangs stretched moves on: its slider gives way."""
    a, b, c = (0, 0, 0), (0, 0, -1), (0, 0, -3)
    model = bc.Model(
        "slider-crank",
        bodies=[
            bc.Body("crank", bc.Rod(a, b, mass=1.0)),
            bc.Body("rod", bc.Rod(b, c, mass=1.3)),
            bc.Body("block", mass=1.0, com=c, inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=a, axis="y"),
            bc.Revolute("B", "crank", "rod", at=b, axis="y"),
            bc.Revolute("C", "rod", "block", at=c, axis="y"),
            bc.Prismatic("S", "ground", "block", at=c, axis="z"),
        ],
        gravity=(5.0, 0, -9.81),
    )
    run = bc.simulate(model, until=0.5, formulation=formulation)
    energy = run.values("energy")
    assert np.abs(run.values("A.angle")).max() > 0.1
    assert np.ptp(energy) < 1e-7 * np.abs(energy).max()
