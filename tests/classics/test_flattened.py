"""Machines through their flat positions: all formulations agree, and errors obey tolerances.

`make flat` tries more machines, in all formulations.
"""

import os
from math import cos, sin, sqrt

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.classics.flattened import FAMILY

import bellcrank as bc

MORE = int(os.environ.get("BELLCRANK_FLAT", "0"))
FORMULATIONS = (bc.JointCoordinates(), bc.Natural(), bc.Cartesian(), bc.Kane())
FEW = {"parallelogram": 2, "bennett": 1}
CASES = [
    (name, seed, FORMULATIONS if MORE else FORMULATIONS[: FEW[name]])
    for name in FAMILY
    for seed in range(MORE or 1)
    if MORE or name in FEW
]
ROUGH, FINE, FINEST = 1e-8, 1e-10, 1e-12
ASKED = 10.0  # times a tolerance, of a metre: an error as small as was asked for


def places(model: bc.Model, start: dict, formulation, rtol: float) -> np.ndarray | str:
    """Return where all bodies end, or the words of a stop that names when."""
    try:
        run = bc.simulate(
            model, 1.5, start=start, formulation=formulation, rtol=rtol, atol=rtol / 100,
            every=1.5, integrator=bc.DOP853(max_steps=5000),
        )  # fmt: skip
    except bc.IntegrationFailed as stop:
        return str(stop)
    return np.concatenate([run.values(f"{body.name}.position")[-1] for body in model.bodies])


def missed(model: bc.Model, start: dict, formulation, rtol: float, exact) -> float | None:
    """Return how far off the final places are, None if a run stops and names when.

    At one tolerance a step may be off by all of it, or by chance by a thousandth. So it is the
    median of three runs at neighbouring tolerances.
    """
    found = [places(model, start, formulation, factor * rtol) for factor in (0.8, 1.0, 1.25)]
    stops = [each for each in found if isinstance(each, str)]
    if stops:
        assert all("t = " in each for each in stops)
        return None
    return float(np.median([np.abs(each - exact).max() for each in found]))


@pytest.mark.parametrize(("name", "seed", "formulations"), CASES)
def test_formulations_agree_behind_flat_positions(name, seed, formulations):
    """Final places differ by no more than 3 times the larger of their own errors.

    The largest error of all formulations falls 30 times from rtol 1e-8 to 1e-10, or to what was
    asked for. Errors are counted from joint coordinates at 1e-12.
    """
    model, start, _ = FAMILY[name](np.random.default_rng(seed))
    exact, ends, errors = places(model, start, FORMULATIONS[0], FINEST), [], []
    assert not isinstance(exact, str)
    for formulation in formulations:
        rough, fine = (missed(model, start, formulation, rtol, exact) for rtol in (ROUGH, FINE))
        if rough is None or fine is None:
            continue
        errors.append((rough, fine))
        one, same = (places(model, start, formulation, rtol) for rtol in (ROUGH, FINE))
        ends.append((one, float(np.abs(one - same).max())))
    assert errors
    largest, left = (max(each) for each in zip(*errors, strict=True))
    assert left <= max(largest / 30, ASKED * FINE)
    for one, error in ends:
        for other, its in ends:
            assert np.abs(one - other).max() <= max(3 * max(error, its), 0.2 * ROUGH)


@pytest.mark.parametrize(("name", "seed"), [("parallelogram", 4), ("parallelogram", 5)])
def test_a_flat_position_is_passed_in_as_many_steps_as_in_joint_coordinates(name, seed):
    """How independent rows are is learnt along the branch, also where tilted rows repeat.

    Steps stay within three times those of joint coordinates: with Euler parameters a turn is
    twice as curved. Where it was not learnt, accelerations were rounding over d³.
    """
    model, start, _ = FAMILY[name](np.random.default_rng(seed))
    steps = [
        bc.simulate(model, 1.5, start=start, formulation=f, every=1.5).statistics["steps"]
        for f in (bc.JointCoordinates(), bc.Cartesian())
    ]
    assert steps[1] <= 3 * steps[0]


def swung(model: bc.Model, rate: float, until: float) -> np.ndarray:
    """Return where the bodies of a six-bar of parallelograms end, as of one pendulum.

    Crank, rocker and swing turn by one angle φ, coupler and link move along with the end of the
    crank: I φ̈ = axis · Σ m r(φ) × g, with I constant and r the arm of each centre of mass.
    """
    at = {joint.name: np.array(joint.at_first) for joint in model.joints}
    axis, g = np.array(model["J0"].axis_first), np.array(model.gravity)
    pivots = {"crank": at["J0"], "rocker": at["J3"], "swing": at["J6"]}
    centres = {body.name: np.array(body.com) for body in model.bodies}
    arms = {
        name: at["J1"] - at["J0"] if name not in pivots else centre - pivots[name]
        for name, centre in centres.items()
    }
    masses = {body.name: body.mass for body in model.bodies}
    inertia = sum(model[name].inertia[0][0] for name in pivots)  # the same about all axes
    inertia += sum(masses[name] * arm @ arm for name, arm in arms.items())
    moment = sum(masses[name] * arm for name, arm in arms.items())
    even, odd = axis @ np.cross(moment, g), axis @ np.cross(np.cross(axis, moment), g)

    def rates(_, state):
        return [state[1], (even * cos(state[0]) + odd * sin(state[0])) / inertia]

    known = solve_ivp(rates, (0.0, until), [0.0, rate], method="DOP853", rtol=3e-14, atol=1e-15)
    phi = known.y[0, -1]
    ends = [
        centres[body.name]
        + (cos(phi) - 1) * arms[body.name]
        + sin(phi) * np.cross(axis, arms[body.name])
        for body in model.bodies
    ]
    return np.concatenate(ends)


@pytest.mark.parametrize("seed", range(MORE or 1))
def test_a_six_bar_of_parallelograms_moves_as_one_pendulum(seed):
    """Its error is what was asked for, and not more, through many flat positions."""
    model, start, _ = FAMILY["six_bar"](np.random.default_rng(seed))
    exact = swung(model, start["J0.angle_rate"], 1.5)
    for formulation in FORMULATIONS[:2]:
        for rtol in (ROUGH, FINE):
            found = places(model, start, formulation, rtol)
            assert np.abs(found - exact).max() <= ASKED * rtol


def plated() -> bc.Model:
    """Return a Sarrus linkage of 1 m bars, 3 kg plate, and a spring from an anchor to it."""
    anchor = tuple(bc.Parameter(f"anchor_{axis}", 0.0) for axis in "xyz")
    s, c = sin(0.9), cos(0.9)
    up, bodies, joints = np.array([0.0, 0, 1]), [], []
    top = (0.0, 0.0, 2 * s)
    bodies.append(bc.Body("plate", mass=3.0, com=top, inertia=(0.1, 0.1, 0.2, 0, 0, 0)))
    for n, (out, axis) in enumerate((((1, 0, 0), (0, 1, 0)), ((0, 1, 0), (1, 0, 0)))):
        foot = np.array(out, dtype=float)
        knee, head = foot + c * foot + s * up, foot + 2 * s * up
        for part, a, b in (("lower", foot, knee), ("upper", knee, head)):
            own = (0.1, 0.1, 0.1, 0, 0, 0)
            bodies.append(bc.Body(f"{part}{n}", mass=1.0, com=tuple((a + b) / 2), inertia=own))
        joints += [
            bc.Revolute(f"A{n}", "ground", f"lower{n}", at=tuple(foot), axis=axis),
            bc.Revolute(f"B{n}", f"lower{n}", f"upper{n}", at=tuple(knee), axis=axis),
            bc.Revolute(f"C{n}", f"upper{n}", "plate", at=tuple(head), axis=axis),
        ]
    spring = bc.SpringDamper(
        "spring", ("ground", anchor), ("plate", top), stiffness=100.0, length=1.0
    )
    return bc.Model("sarrus", bodies=bodies, joints=joints, forces=[spring], parameters=anchor)


def height(anchor, until: float) -> float:
    """Return where the plate ends, from the equation in the angle of the bars alone.

    A spring through zero length turns round: its equation changes there.
    """
    x, y, z = anchor
    aside = x * x + y * y

    def rates(_, state, side):
        phi, rate = state
        mass = 12 * cos(phi) ** 2 + 2 * (0.45 + 0.25 * sin(phi) ** 2 + 2.25 * cos(phi) ** 2)
        slope = -32 * cos(phi) * sin(phi)
        up = 2 * sin(phi) - z
        length = sqrt(aside + up * up) if aside else side * up
        along = up / length if aside else side
        force = 98.1 * cos(phi) + 100 * (length - 1) * along * 2 * cos(phi)
        return [rate, (-force - 0.5 * slope * rate**2) / mass]

    t, state, side = 0.0, [0.9, 0.0], 1.0
    while t < until:

        def through(_, state, side):
            return side * (2 * sin(state[0]) - z)

        for name, value in (("terminal", True), ("direction", -1)):
            setattr(through, name, value)
        found = solve_ivp(
            rates, (t, until), state, args=(side,), method="DOP853", rtol=3e-14, atol=1e-15,
            events=None if aside else through,
        )  # fmt: skip
        t, state, side = found.t[-1], found.y[:, -1], -side
    return 2 * sin(state[0])


@pytest.mark.parametrize("anchor", [(0.0, 0.0, 0.0), (0.3, 0.2, -0.4)])
def test_a_sarrus_linkage_moves_as_its_reduced_equation(anchor):
    """Through flat and stretched positions; from the origin, the spring through zero length."""
    known, errors = height(anchor, 5.0), []
    for rtol in (1e-8, 1e-9, 1e-10):
        run = bc.simulate(
            plated(), 5.0, rtol=rtol, atol=rtol / 100, every=5.0,
            parameters=dict(zip(("anchor_x", "anchor_y", "anchor_z"), anchor, strict=True)),
        )  # fmt: skip
        errors.append(abs(float(run.values("plate.position")[-1][2]) - known))
    assert errors[0] < 1e-5
    assert errors[1] < 1e-6
    assert errors[2] < min(errors[0] / 10, 1e-7)
