"""What must not matter where constraints are held: turns before, thin rods, rows of speeds."""

from typing import Any

import numpy as np
import pytest
from tests.machines.four_bars import four_bar, parallelogram

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import IntegrationFailed
from bellcrank.formulations import AbstractFormulation


def _four_bar(turns: int) -> bc.Model:
    """Return a crank-rocker whose crank is drawn with so many turns behind it."""
    drawn = 2 * np.pi * turns
    return four_bar(
        (0, 0), (0, 0.5), (2, 1.5), (2, 0), drawn={"A": drawn, "B": -drawn}, gravity=(0, 0)
    )  # fmt: skip


def test_turns_made_before_do_not_stop_radau() -> None:
    """Angles of thousands of radians have a round-off that speeds follow; steps stay long."""

    def rocker(turns: int, rtol: float) -> tuple[np.ndarray, int]:
        start = {"A.angle": 2 * np.pi * turns + 0.3, "A.angle_rate": 30.0}
        run = bc.simulate(
            _four_bar(turns), 0.6, start=start, integrator=bc.Radau5(), rtol=rtol, every=0.1
        )
        return run.values("rocker.position"), run.statistics["steps"]

    exact, _ = rocker(0, 1e-11)
    plain, steps = rocker(0, 1e-9)
    turned, taken = rocker(1000, 1e-9)
    assert taken < 1.5 * steps
    assert np.abs(turned - exact).max() < 3 * np.abs(plain - exact).max() + 1e-8


@pytest.mark.parametrize(
    "formulation",
    [bc.Cartesian(), bc.Kane(), bc.Natural()],
    ids=["cartesian", "kane", "natural"],
)
def test_gauss_keeps_its_order_where_inertia_is_missing(
    formulation: AbstractFormulation,
) -> None:
    """A thin rod has no inertia about itself; the mass matrix is singular."""
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (0.6, 0.2, 0.8), mass=2.0))
    hinge = bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis=(0.48, 0.6, 0.64))
    model = bc.Model("hinge", bodies=[rod], joints=[hinge])

    def end(**options: Any) -> np.ndarray:
        run = bc.simulate(model, 0.4, start={"A.angle_rate": 3.0}, every=0.4, **options)
        return np.concatenate([run.values("rod.position")[-1], run.values("rod.velocity")[-1]])

    exact = end(rtol=1e-12, atol=1e-14)
    coarse, fine = (
        np.abs(end(formulation=formulation, integrator=bc.Gauss2(step=h)) - exact).max()
        for h in (0.02, 0.01)
    )
    assert coarse / fine > 11
    assert coarse < 1e-4


@pytest.mark.parametrize("spin", [(0.05, 5.0, 0.0), (0.4, 3.0, 0.6)])
def test_independent_coordinates_roll_as_projection_does(
    spin: tuple[float, float, float],
) -> None:
    """Where rows hold speeds only, coordinates turn out of their base faster than speeds do."""
    model = examples.load("rolling-disc")
    start = {"F.angular_velocity": spin}
    exact = bc.simulate(model, 1.5, start=start, rtol=1e-11, every=0.3)
    run = bc.simulate(
        model, 1.5, start=start, formulation=bc.Natural(), constraints="independent", every=0.3
    )
    off = np.abs(run.values("disc.position") - exact.values("disc.position")).max()
    assert off < 1e-8
    assert run.statistics["steps"] < 300


@pytest.mark.parametrize("length", [1.0, 1e-3])
@pytest.mark.parametrize("integrator", [bc.Auto(), bc.RK4(step=2e-3)], ids=["auto", "rk4"])
def test_feedback_says_where_it_ends(length: float, integrator: Any) -> None:
    """A parallelogram falls flat: what comes before is right, and the stop has a reason."""
    model = parallelogram(length, gravity=(0, -9.81 * length))
    start = {"A.angle_rate": -1.0}
    exact = bc.simulate(model, 1.0, start=start, rtol=1e-11, every=0.01)
    reason = "a singular position"
    try:
        run = bc.simulate(
            model, 1.0, start=start, integrator=integrator, constraints="baumgarte", every=0.01
        )
    except IntegrationFailed as failure:
        run, reason = failure.run, failure.reason
    assert "a singular position" in reason
    assert run.t[-1] > 0.4
    kept = len(run.t) - (run.t[-1] < 1.0)
    off = run.values("coupler.position")[:kept] - exact.values("coupler.position")[:kept]
    assert np.abs(off).max() < 1e-5 * length


@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Cartesian()], ids=["kane", "cartesian"])
def test_feedback_keeps_the_order_of_a_method_where_rows_repeat_others(formulation) -> None:
    """A Hooke joint in space has 15 rows for 12 speeds: the same ones are met at all points."""
    model, start = (
        examples.load("hooke-joint"),
        examples.settings("hooke-joint").get("start", {}),
    )

    def speeds(**options: Any) -> np.ndarray:
        run = bc.simulate(model, 0.4, start=start, every=0.1, **options)
        bodies = [body.name for body in model.bodies]
        names = [
            f"{body}.{each}" for body in bodies for each in ("velocity", "angular_velocity")
        ]
        return np.concatenate([run.values(name) for name in names], axis=1)

    exact = speeds(rtol=1e-11, atol=1e-13)
    errors = [
        np.abs(
            speeds(formulation=formulation, integrator=bc.RK4(step=h), constraints="baumgarte")
            - exact
        ).max()
        for h in (0.008, 0.004, 0.002)
    ]
    assert errors[0] < 1e-6
    assert errors[0] > 14 * errors[1] > 14**2 * errors[2]


@pytest.mark.parametrize(
    "formulation", [bc.Natural(), bc.Cartesian()], ids=["natural", "cartesian"]
)
def test_a_method_that_does_not_pass_a_singular_position_says_so(formulation) -> None:
    """The ladder lies flat after 0.72 s."""
    model, settings = examples.load("ladder"), examples.settings("ladder")
    start = settings.get("start", {})
    with pytest.raises(IntegrationFailed, match=r"t = 0\.7.* a singular position.*DOP853"):
        bc.simulate(
            model, 2.0, start=start, formulation=formulation,
            integrator=bc.Gauss2(step=0.02), every=0.4,
        )  # fmt: skip
