"""Machines with variables of the user's own at rest, in steady motion, and near both."""

import math

import numpy as np
import pytest

import bellcrank as bc

FORMULATIONS = [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()]


def cart():
    """Return a cart on a slope of 0.3 rad, held at x = 1 by a PID loop."""
    along = (math.cos(0.3), 0.0, math.sin(0.3))
    return bc.Model(
        "cart",
        bodies=[bc.Body("cart", bc.Box((1, 1, 1), mass=2.5))],
        joints=[bc.Prismatic("rail", "ground", "cart", axis=along)],
        forces=[bc.Motor("pull", "rail", "30*(1 - rail.offset) + 20*sum - 7*rail.offset_rate")],
        variables=[bc.Variable("sum", "1 - rail.offset", unit="m s")],
    )


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: type(f).__name__)
def test_a_position_loop_rests_where_it_should_with_the_poles_of_its_polynomial(formulation):
    """2.5 s³ + 7 s² + 30 s + 20 = 0; the integral carries the weight along the slope."""
    found = bc.equilibrium(cart(), formulation=formulation)
    assert found["rail.offset"] == pytest.approx(1.0, abs=1e-12)
    assert found["sum"] == pytest.approx(2.5 * 9.81 * math.sin(0.3) / 20, abs=1e-12)
    assert found.stable
    assert found.linear.states == ("rail.offset", "rail.offset_rate", "sum")
    wanted = np.sort_complex(np.roots([2.5, 7, 30, 20]))
    np.testing.assert_allclose(np.sort_complex(found.linear.poles), wanted, atol=1e-10)


R, L, K, DRAG, SPIN = 2.0, 0.05, 0.3, 0.01, 0.5 * 2.0 * 0.1**2


def wheel(*variables):
    """Return a wheel with drag on a direct-current motor at 12 V."""
    return bc.Model(
        "wheel",
        gravity=(0, 0, 0),
        bodies=[bc.Body("wheel", bc.Disc(0.1, axis="y", mass=2.0))],
        joints=[bc.Revolute("A", "ground", "wheel", at=(0, 0, 0), axis="y")],
        forces=[bc.Motor("motor", "A", "0.3*i"), bc.JointSpring("drag", "A", damping=DRAG)],
        variables=[
            bc.Variable("i", "(12 - 2*i - 0.3*A.angle_rate)/0.05", unit="A"),
            *variables,
        ],
    )


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=lambda f: type(f).__name__)
def test_a_motor_runs_at_its_speed_with_electrical_and_mechanical_poles(formulation):
    """ω = V K/(R c + K²), i = c ω/K; (J s + c)(L s + R) + K² = 0, and the angle itself."""
    found = bc.equilibrium(wheel(), rates={"A.angle_rate": None}, formulation=formulation)
    speed = 12 * K / (R * DRAG + K**2)
    assert found["A.angle_rate"] == pytest.approx(speed, rel=1e-12)
    assert found["i"] == pytest.approx(DRAG * speed / K, rel=1e-12)
    poles = np.roots([SPIN * L, SPIN * R + DRAG * L, DRAG * R + K**2])
    np.testing.assert_allclose(
        np.sort(np.real(found.linear.poles)), np.sort([*poles, 0.0]), rtol=1e-9, atol=1e-9
    )


def test_an_integral_that_grows_is_named_or_held():
    heated = wheel(bc.Variable("heat", "2*i**2", unit="J"))
    with pytest.raises(bc.NoEquilibrium) as caught:
        bc.equilibrium(heated, rates={"A.angle_rate": None})
    assert str(caught.value) == (
        "variable 'heat' of 'wheel' does not come to rest: its rate is 2.38 J/s. Name it in "
        "hold= where it may grow, as an integral does."
    )
    found = bc.equilibrium(heated, {"heat": 7.0}, rates={"A.angle_rate": None}, hold="heat")
    assert found["heat"] == 7.0
    assert found["heat.rate"] == pytest.approx(2 * (12 / 11) ** 2)


def test_what_no_state_stops_is_named():
    clock = wheel(bc.Variable("clock", "1 + 0*i", unit="s")).replace("i", rate="clock - i")
    with pytest.raises(bc.NoEquilibrium, match="variable 'clock' of 'wheel' does not come"):
        bc.equilibrium(clock)
