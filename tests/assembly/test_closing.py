"""Machines are closed from any drawing near enough; what is named is held."""

import numpy as np
import pytest
from tests.machines import four_bars

import bellcrank as bc
from bellcrank.constraints.assembly.freedom import freedom
from bellcrank.machine.start import initial_state


def four_bar(gap=(0.0, 0.0, 0.0)):
    """Return the four-bar of the design page, drawn with a gap at C."""
    _, _, C, D = four_bars.IN_SPACE
    far = tuple(np.add(C, gap))
    rocker = {"shapes": (bc.Rod(D, far, mass=2.0),)}
    there = {"coupler": C, "rocker": far}
    return four_bars.in_space().replace("rocker", **rocker).replace("C", at=there)


def closed(model, start):
    system = bc.compile(model, level=0)
    x = initial_state(system, start, 0.0, np.zeros(0), np.zeros(0))
    return system, x[:3], x[3:]


def test_what_is_named_is_held_and_the_rest_closes():
    system, q, u = closed(four_bar(), {"A": 0.3, "A.angle_rate": 2.0})
    assert (q[0], u[0]) == (0.3, 2.0)
    seen = system.observe(q, u)
    assert seen["constraint_residual"] < 1e-12
    assert seen["constraint_rate_residual"] < 1e-12


def test_a_drawing_that_does_not_close_is_closed():
    system, q, u = closed(four_bar(gap=(0.1, 0.0, -0.05)), {})
    assert 1e-3 < np.abs(q).max() < 0.3
    assert system.observe(q, u)["constraint_residual"] < 1e-12


def test_a_machine_that_is_closed_does_not_move():
    _, q, u = closed(four_bar(), {})
    np.testing.assert_allclose(np.concatenate([q, u]), 0, atol=1e-12)


def test_an_impossible_start_names_what_does_not_close():
    with pytest.raises(bc.StartError) as caught:
        closed(four_bar(), {"A": 3.0, "B": 0.0, "D": 0.0})
    assert str(caught.value).startswith("the machine cannot be assembled: 'C' by ")
    assert str(caught.value).endswith(
        " m does not close. Check the lengths and points of these joints, "
        "or name fewer coordinates in start."
    )


def test_speeds_that_contradict_the_constraints_are_named():
    rates = {"A.angle_rate": 1.0, "B.angle_rate": 1.0, "D.angle_rate": 1.0}
    with pytest.raises(bc.StartError, match="the speeds named in start contradict 'C' by"):
        closed(four_bar(), rates)


def test_the_four_bar_has_one_freedom_and_repeats_three_directions():
    """A planar loop of spatial hinges: 'C' repeats 3 directions that A, B and D hold."""
    system, q, _ = closed(four_bar(), {})
    found = freedom(system, q, np.zeros(0))
    assert (found.degrees, found.rank, found.redundant) == (1, 2, {"C": 3})


def test_norton_four_bar_closes_to_the_published_angles():
    """REFERENCES 3.13: a=40, b=120, c=80, d=100 mm, θ₂=40°: open θ₃=20.298°, θ₄=57.325°."""
    a, b, c, d = 0.040, 0.120, 0.080, 0.100
    model = bc.Model(
        "Norton",
        planar=True,
        bodies=[
            bc.Body("crank", bc.Rod((0, 0), (a, 0), mass=1.0)),
            bc.Body("coupler", bc.Rod((a, 0), (a + b, 0), mass=1.0)),
            bc.Body("rocker", bc.Rod((d, 0), (d, c), mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "coupler", at=(a, 0)),
            bc.Revolute("D", "ground", "rocker", at=(d, 0)),
            bc.Revolute("C", "coupler", "rocker", at={"coupler": (a + b, 0), "rocker": (d, c)}),
        ],
    )
    system = bc.compile(model, level=0)
    start = {"A": np.radians(40), "A.angle_rate": 25.0}
    x = initial_state(system, start, 0.0, np.zeros(0), np.zeros(0))
    q, u = system.unpack(x[:3], x[3:]), x[3:]
    theta3 = np.degrees(q["A.angle"] + q["B.angle"])
    theta4 = np.degrees(q["D.angle"]) + 90
    assert [theta3, theta4] == pytest.approx([20.297882788196, 57.324880070361], abs=1e-9)
    rates = system.unpack(x[:3], u)
    w3 = rates["A.angle_rate"] + rates["B.angle_rate"]
    assert [w3, rates["D.angle_rate"]] == pytest.approx([-4.120914415348, 6.997985242177])


def test_a_joint_that_closes_the_loop_can_be_named_too():
    model = four_bar()
    assert model.graph.loops == ("C",)
    system, q, u = closed(model, {"C": 0.2, "C.angle_rate": -1.5})
    seen = system.observe(q, u)
    assert seen["C.angle"] == pytest.approx(0.2, abs=1e-12)
    assert seen["C.angle_rate"] == pytest.approx(-1.5, abs=1e-12)
    assert seen["constraint_residual"] < 1e-12


def test_joints_whose_turns_are_counted_are_not_where_a_loop_is_cut():
    geared = four_bar().add(bc.Motor("motor", "C", effort="1"))
    assert geared.graph.loops != ("C",)
    assert len(geared.graph.loops) == 1
