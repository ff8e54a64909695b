"""A run that makes no progress ends soon, with the reason; stiff loops get a stiff method."""

import math

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import IntegrationFailed

FORMULATIONS = [bc.JointCoordinates(), bc.Cartesian(), bc.Kane()]


def failure(*given, **options):
    """Return the error of a run, after checking that it says when and keeps what there is."""
    with pytest.raises(IntegrationFailed) as caught:
        bc.simulate(*given, **options)
    error = caught.value
    assert error.run.t[-1] == error.time
    return error


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: type(f).__name__)
def test_a_disc_that_falls_flat_stops_where_its_rim_has_no_lowest_point(formulation):
    """Released at rest from nearly upright it falls like a rod on a pivot: t from its energy.

    With I the moment about a tangent, I φ̇² / 2 = m g r (1 − sin φ) + E₀ gives the time at which
    the height sin φ is zero.
    """
    r, lean = 0.3, 1.0
    error = failure(
        examples.load("rolling-disc"), 3.0, start={"F.angular_velocity": (lean, 0, 0)},
        formulation=formulation,
    )  # fmt: skip
    angle = np.linspace(0, np.pi / 2, 200_001)  # from upright
    inertia = 1.25 * r**2
    rate = np.sqrt(lean**2 + 2 * 9.81 * r * (1 - np.cos(angle)) / inertia)
    assert error.time == pytest.approx(np.trapezoid(1 / rate, angle), rel=1e-5)
    assert error.run.statistics["steps"] < 100_000
    assert error.run.status == "no progress"
    assert "'rim' is nearly singular there" in error.reason


def slider(random, law):
    """Return a slider-crank with scattered links whose block is driven, and its reach [m]."""
    crank, rod = random.uniform(0.3, 0.6), random.uniform(0.8, 1.2)
    phi = random.uniform(0.5, 1.3)
    A, B = (0, 0, 0), (crank * math.cos(phi), 0, crank * math.sin(phi))
    C = (B[0] + math.sqrt(rod**2 - B[2] ** 2), 0, 0)
    model = bc.Model(
        "driven",
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("rod", bc.Rod(B, C, mass=1.0)),
            bc.Body("block", bc.Box((0.1, 0.1, 0.1), center=C, mass=0.5)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A, axis="y"),
            bc.Revolute("B", "crank", "rod", at=B, axis="y"),
            bc.Revolute("C", "rod", "block", at=C, axis="y"),
            bc.Prismatic("S", "ground", "block", at=C, axis="x"),
        ],
        drivers=[bc.Drive("ram", "S", offset=law)],
    )
    return model, crank + rod - C[0]


@pytest.mark.parametrize(
    ("seed", "constraints"), [(0, "project"), (0, "index2"), (1, "project"), (1, "baumgarte")]
)
def test_a_driver_out_of_reach_is_named_with_the_place_and_the_reach(seed, constraints):
    model, reach = slider(np.random.default_rng(seed), "0.5*t")
    error = failure(model, 20.0, constraints=constraints)
    assert error.time == pytest.approx(2 * reach, abs=1e-3)
    assert f"driver 'ram' cannot continue: where S.offset = {reach:.3f}"[:-1] in error.reason
    assert "rtol" not in error.reason


def bob(random):
    """Return a four-bar with a bob on its coupler, held by a spring of any stiffness."""
    A, B, C, D = (0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)
    part = random.uniform(0.2, 0.8)
    at = (2 * part, 0, 1 + part)
    stiffness, damping = bc.Parameter("k", 1e8), bc.Parameter("c", 1e3)
    return bc.Model(
        "bob",
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("coupler", bc.Rod(B, C, mass=2.2)),
            bc.Body("rocker", bc.Rod(D, C, mass=2.0)),
            bc.Body("bob", bc.Sphere(0.05, center=at, mass=0.1)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A, axis="y"),
            bc.Revolute("B", "crank", "coupler", at=B, axis="y"),
            bc.Revolute("C", "coupler", "rocker", at=C, axis="y"),
            bc.Revolute("D", "ground", "rocker", at=D, axis="y"),
            bc.Prismatic("P", "coupler", "bob", at=at, axis="z"),
        ],
        forces=[bc.JointSpring("S", "P", stiffness=stiffness, damping=damping)],
    )


def test_stiffness_in_a_moving_loop_is_seen_within_a_thousand_steps():
    random = np.random.default_rng(1)
    model = bob(random)
    for k in (1e8, 1e9, 1e10):
        damping = 2 * random.uniform(0.3, 1.0) * math.sqrt(0.1 * k)
        values = {"k": k, "c": damping}
        run = bc.simulate(model, 1.0, start={"A": 0.3}, parameters=values)
        alone = bc.simulate(
            model, 1.0, start={"A": 0.3}, parameters=values, integrator=bc.Radau5()
        )
        assert "to Radau5" in run.statistics["changes"][0]
        assert run.statistics["steps"] < 1000 + 2 * alone.statistics["steps"]
        assert run.final["A.angle"] == pytest.approx(alone.final["A.angle"], abs=1e-6)


def test_max_steps_takes_the_place_of_the_bound():
    """Who says how many steps gets them, though they lead nowhere."""
    error = failure(
        examples.load("rolling-disc"), 3.0, start={"F.angular_velocity": (1, 0, 0)},
        integrator=bc.DOP853(max_steps=50_000),
    )  # fmt: skip
    assert error.run.status == "step limit"
    assert error.run.statistics["steps"] + error.run.statistics["rejected"] == 50_000
