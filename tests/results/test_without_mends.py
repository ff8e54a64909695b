"""What was once silently wrong is told when its mend is taken out.

Every test takes one mend out, where it is made, and runs the machine that it was made for: the
run warns, or refuses to begin or to go on. What an audit cannot see:

- A start on another branch of the assembly, without a turn too many, is a consistent motion of
  the machine; only following the branch again would tell.
- A pulse of time that is shorter than about a thousandth of the run, where it is not located
  ahead: no look falls into it.
- An event that the records do not show either: they are as dense as was asked for.
"""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from tests.classics import flattened
from tests.laws.test_scales import resonator
from tests.machines import four_bars
from tests.results.test_speaking import (
    INERTIA,
    bumpy,
    cart,
    door,
    integrated,
    shaft,
    stopped,
    told,
)

import bellcrank as bc
from bellcrank.constraints import near_singular
from bellcrank.constraints.assembly import closing
from bellcrank.errors import BellcrankError
from bellcrank.linear import rank
from bellcrank.machine import mobility as motion
from bellcrank.machine import start
from bellcrank.model.expressions import expression
from bellcrank.prepare import problem as preparing
from bellcrank.prepare import timeline


def speaks(model, until, **options):
    """Return what a run says of itself, or why it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bc.Bifurcation)
            return told(model, until, **options)[1]
    except BellcrankError as refusal:
        return [str(refusal)]


# --- rank ---------------------------------------------------------------------------------


def test_a_rank_without_a_floor(monkeypatch):
    """A door on two hinges, whose rows all repeat others: round-off becomes a constraint."""

    def relative(most, natural=1.0, *, relative=rank.RELATIVE, floor=0.0):
        return relative * np.asarray(most)

    monkeypatch.setattr(rank, "limit", relative)
    monkeypatch.setattr(rank, "FLOOR", 0.0)
    # A machine of its own: rows chosen without a floor must not be found again.
    model = replace(door(0.0, 2.0), name="door without a floor")
    assert speaks(model, 0.5, start={"J0.angle": 0.7}, slack=0.0)


def test_rounded_geometry_without_slack():
    """An axis that is off by 1e-9 makes a four-bar in space a structure, or stops it."""
    assert speaks(
        four_bars.in_space(axes={"B": (1e-9, 1, 0)}),
        1.0,
        start={"A.angle_rate": 2.0},
        slack=0.0,
    )


def test_flat_positions_without_points_beside(monkeypatch):
    """A Sarrus linkage through its flat position: it says so, or is right, in more steps."""
    model, begin, plate = flattened.sarrus(np.random.default_rng(1))
    usual = bc.simulate(model, 1.0, start=begin)
    for name in ("PIVOTS", "LEAST_PIVOTS", "SINES"):
        monkeypatch.setattr(near_singular, name, 0.0)
    # A machine of its own: what is known about the other must not be found again.
    other = replace(model, name="sarrus without points beside")
    if not speaks(other, 1.0, start=begin):
        run = bc.simulate(other, 1.0, start=begin)
        gap = run.values(f"{plate}.position") - usual.values(f"{plate}.position")
        assert np.abs(gap).max() < 1e-6


# --- starts -------------------------------------------------------------------------------


def four_bar():
    """Ground 2 m, crank 1 m, coupler √5 m, rocker 2 m."""
    points = [(0, 0), (0, 1), (2, 2), (2, 0)]
    names = ("crank", "coupler", "rocker")
    bodies = [
        bc.Body(name, bc.Rod(points[n], points[n + 1], mass=1.0))
        for n, name in enumerate(names)
    ]
    joints = [
        bc.Revolute("A", "ground", "crank", at=points[0]),
        bc.Revolute("B", "crank", "coupler", at=points[1]),
        bc.Revolute("C", "coupler", "rocker", at=points[2]),
        bc.Revolute("D", "ground", "rocker", at=points[3]),
    ]
    return bc.Model("four-bar", bodies=bodies, joints=joints, planar=True)


@pytest.mark.parametrize("turns", [-11, -2, 2, 68])
def test_newton_in_one_jump(monkeypatch, turns):
    """Angles that go where they like are turns off, which what is named does not explain."""

    def jumped(there, drawn, q, held, near):
        found = closing.closed(there, q, ~held.coordinates)
        found[1] += 2 * np.pi * turns
        return found

    monkeypatch.setattr(start, "followed", jumped)
    model = replace(four_bar(), name=f"four-bar, {turns} turns off")
    for angle in np.linspace(-3.1, 3.1, 7):
        assert speaks(model, 0.01, start={"A": float(angle)}, every=0.01), angle


def test_speeds_on_no_branch(monkeypatch):
    """A parallelogram started flat, with speeds that only first-order conditions allow."""
    monkeypatch.setattr(start, "settled", lambda there, q, u, *_: u)
    points = [(0, 0), (1, 0), (3, 0), (2, 0)]
    names = ("left", "top", "right")
    bodies = [bc.Body(name, bc.Rod(points[n], points[n + 1], mass=1.0))
              for n, name in enumerate(names)]  # fmt: skip
    ends = [("ground", "left"), ("left", "top"), ("top", "right"), ("ground", "right")]
    joints = [bc.Revolute("ABCD"[n], *ends[n], at=points[n]) for n in range(4)]
    model = bc.Model("parallelogram", bodies=bodies, joints=joints, planar=True)
    assert speaks(
        model, 0.1, start={"A.angle_rate": 2.0}, formulation=bc.Cartesian(), every=0.01,
        integrator=bc.DOP853(max_steps=200),
    )  # fmt: skip


def test_energies_that_overflow(monkeypatch):
    monkeypatch.setattr(motion, "LARGEST", np.inf)
    assert speaks(cart("0"), 1.0, start={"S.offset_rate": 1e300})


# --- turns --------------------------------------------------------------------------------


def rotor():
    """A planar rotor on a motor."""
    return bc.Model(
        "rotor",
        bodies=[bc.Body("B", mass=1.0, com=(0, 0), inertia=INERTIA)],
        joints=[bc.Revolute("A", "ground", "B", at=(0, 0))],
        forces=[bc.Motor("motor", "A", "0.5")],
        planar=True,
    )


def planetary():
    """Sun of 0.3 m, planet of 0.1 m, ring of 0.5 m on a carrier; sun and ring in bearings."""
    bearings = [("C", "ground", "carrier"), ("S", "carrier", "sun"), ("R", "carrier", "ring"),
                ("sun's", "ground", "sun"), ("ring's", "ground", "ring")]  # fmt: skip
    return bc.Model(
        "planetary gear",
        bodies=[bc.Body(name, mass=1.0, com=place, inertia=INERTIA) for name, place in
                (("carrier", (0, 0, 0)), ("sun", (0, 0, 0)), ("ring", (0, 0, 0)),
                 ("planet", (0.4, 0, 0)))],
        joints=[bc.Revolute(name, *ends, at=(0, 0, 0), axis="z") for name, *ends in bearings]
        + [bc.Revolute("P", "carrier", "planet", at=(0.4, 0, 0), axis="z")],
        constraints=[bc.Gear("inner", "S", "P", -3.0), bc.Gear("outer", "P", "R", 0.2)],
        forces=[bc.Motor("motor", "sun's", "2.0")],
    )  # fmt: skip


TURNING = {
    "planetary gear": (planetary(), bc.Cartesian()),
    "second bearing": (shaft(2).add(bc.Motor("motor", "J0", "2.0")), bc.Cartesian()),
    "second bearing, natural": (shaft(2).add(bc.Motor("motor", "J0", "2.0")), bc.Natural()),
    "planar rotor": (rotor(), bc.Natural()),
}


@pytest.mark.parametrize("name", TURNING)
def test_turns_that_are_not_followed(monkeypatch, name):
    """Angles that are coordinates, or sums of them, need no following and lose no turns."""
    model, formulation = TURNING[name]
    integrated(monkeypatch, lambda system: {"revise": None})
    says = speaks(model, 5.0, formulation=formulation)
    assert "is off the integral of its rate" in says[0]


# --- switches and events ------------------------------------------------------------------

UNSEEN = {"switches": None, "modes": None, "timeline": None}
OF_TIME = [
    "sign(sin(2*pi*t))", "2*step(sin(20*pi*t)) - 1", "where(sin(2*pi*t) > 0, 1, -1)",
    "step(sin(2*pi*t) - 0.999)", "max(0, sin(2*pi*t) - 0.99)", "exp(-((t - 5)/0.01)**2)",
]  # fmt: skip


@pytest.mark.parametrize("law", OF_TIME)
def test_laws_of_time_that_are_not_located(monkeypatch, law):
    integrated(monkeypatch, lambda system: UNSEEN if "exp" not in law else {"timeline": None})
    assert speaks(cart(law), 10.0)


@pytest.mark.parametrize("law", OF_TIME)
def test_laws_of_time_that_are_only_looked_for_in_steps(monkeypatch, law):
    """As switches of the state are; either all are found so, or it is told."""
    integrated(monkeypatch, lambda system: {"timeline": None})
    run, says = told(cart(law), 10.0)
    right = bc.simulate(cart(law), 10.0, integrator=bc.Auto(max_step=0.001))
    off = abs(run.values("S.offset")[-1] - right.values("S.offset")[-1])
    assert says or off < 1e-3 * abs(right.values("S.offset")[-1])


@pytest.mark.parametrize("name", ["bumps", "a soft stop"])
def test_switches_of_the_state_that_are_not_looked_for(monkeypatch, name):
    model, until, begin = {
        "bumps": (bumpy(), 60.0, {"A.angle_rate": 10.0}),
        "a soft stop": (stopped(), 1.9, {"S.offset_rate": 10.0}),
    }[name]
    never = lambda system: {"switches": system.signals((expression("-1"),))}  # noqa: E731
    integrated(monkeypatch, never)
    assert speaks(model, until, start=begin)


EVENTS = {
    "apex": (cart("-9.81"), 1.9, {"S.offset_rate": 10.0}, bc.Event("top", "S.offset - 5.09")),
    "turns": (shaft(1), 10.0, {"J0.angle_rate": 20.0}, bc.Event("turn", "sin(J0.angle/2)")),
}


@pytest.mark.parametrize("name", EVENTS)
def test_events_that_are_not_looked_for(monkeypatch, name):
    """The motion is right without them; the records show that they were passed."""
    model, until, begin, event = EVENTS[name]
    nothing = {"events": None, "directions": (), "terminal": (), "labels": (), "numbers": (),
               "turning": 0}  # fmt: skip
    integrated(monkeypatch, lambda system: nothing)
    says = speaks(model, until, start=begin, events=[event])
    assert f"event '{event.name}' changes its sign" in says[0]


def test_events_of_time_that_are_not_located(monkeypatch):
    monkeypatch.setattr(timeline, "timed_events", lambda *_: ())
    nothing = {"events": None, "directions": (), "terminal": (), "labels": (), "numbers": ()}
    integrated(monkeypatch, lambda system: nothing)
    assert speaks(cart("0"), 10.0, events=[bc.Event("beat", "sin(20*t)")])


# --- tolerances ---------------------------------------------------------------------------


@pytest.mark.parametrize("amplitude", [1e-9, 1e-11])
def test_a_tolerance_in_metres(monkeypatch, amplitude):
    """A resonator of a nanometre, off by 0.3 %, and of ten picometres, off by 75 %."""

    def metres(equations, atol, *variables):
        return np.full(len(equations.coordinates) + len(equations.speeds), atol)

    monkeypatch.setattr(preparing, "scales", metres)
    model = resonator().without("F")
    says = speaks(model, 0.05, start={"S.offset": amplitude})
    assert "times its absolute tolerances" in says[0]


def test_what_these_machines_say_with_all_mends():
    """Nothing."""
    for model, until, begin, event in EVENTS.values():
        assert not speaks(model, until, start=begin, events=[event])
    assert not speaks(four_bar(), 0.01, start={"A": 1.1})
    assert not speaks(rotor(), 5.0)
    assert not speaks(resonator().without("F"), 0.05, start={"S.offset": 1e-11})
