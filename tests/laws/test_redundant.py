"""What is said twice is said once: redundant connections, exact and rounded."""

import numpy as np
import pytest
from tests.classics.flattened import FAMILY
from tests.laws.joined_twice import joined_twice
from tests.machines import four_bars
from tests.machines.hinged import AXIS, door

import bellcrank as bc
from bellcrank.constraints.assembly.freedom import freedom
from bellcrank.constraints.assembly.mixing import mixed
from bellcrank.errors import NearlySingular
from bellcrank.kernels.interpreted import interpret
from bellcrank.machine.start import initial_state
from bellcrank.machine.system import System

pytestmark = pytest.mark.slow

START = {"H.angle": 0.4, "H.angle_rate": 1.2}
NONE = np.zeros(0)
FORMULATIONS = bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()


def looked_at(model):
    """Return the degrees of freedom away from the drawing, and the acceleration of H."""
    system = System(bc.JointCoordinates().equations(model), build=interpret)
    x, nq = initial_state(system, START, 0.0, NONE, NONE), len(system.coordinates)
    arguments = system.at_rest(0.0, x[:nq], NONE, NONE)
    arguments[2] = x[nq:]
    rates = dict(zip(system.speeds, system.rates(arguments), strict=True))
    return freedom(system, x[:nq], NONE).degrees, rates["H.angle_rate"]


def test_a_second_connection_changes_nothing():
    """All kinds, in either order, tilted at random: the same freedom and accelerations."""
    wrong = []
    for what, once, twice in joined_twice(seed=5):
        (degrees, one), (again, two) = looked_at(once), looked_at(twice)
        if degrees != again or abs(one - two) > 1e-12 * (1 + abs(one)):
            wrong.append((what, degrees, again, one, two))
    assert not wrong


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_rows_have_the_gradients_of_what_they_hold(formulation):
    """C = Φ_q T on the constraints, by central differences, for every row of every kind.

    Rows that differ from it by others, which vanish with them, would do until some are left
    out: what is held then is not what was chosen.
    """
    wrong, h = [], 1e-6
    for what, _, model in list(joined_twice(seed=7))[::4]:
        system = System(formulation.equations(model), build=interpret)
        q, _ = system.placed({})  # as drawn: closed
        place = system.at_rest(0.0, q, NONE, NONE)
        (T, _), (C, _) = system.ask("kinematics", place), system.ask("velocity", place)
        for along, column in zip(T.T, C.T, strict=True):
            ends = [[place[0], q + sign * h * along, *place[2:]] for sign in (1, -1)]
            up, down = (system.ask("position", end)[0] for end in ends)
            if np.abs((up - down) / (2 * h) - column[: len(up)]).max() > 1e-7:
                wrong.append(what)
    assert not wrong


@pytest.mark.parametrize("place", [0, 21, 33])
def test_it_moves_as_with_one_connection(place):
    """At the cost of one: the same evaluations, and no projection."""
    what, once, twice = list(joined_twice(seed=11))[place]
    one = bc.simulate(once, 0.5, start=START, every=0.25)
    two = bc.simulate(twice, 0.5, start=START, every=0.25)
    for name in one.states:
        np.testing.assert_allclose(two.values(name), one.values(name), atol=1e-8, err_msg=what)
    assert two.statistics["evaluations"] <= 1.5 * one.statistics["evaluations"]


@pytest.mark.parametrize("integrator", [bc.Auto(), bc.Radau5()], ids=["Auto", "Radau5"])
@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_a_door_on_three_hinges_is_a_pendulum(formulation, integrator):
    """Against I φ̈ = −m g × r by the closed form of the energy: φ̇²(φ)."""
    run = bc.simulate(
        door(0.0, 2.0, -0.7), 0.5, start={"J0.angle": 0.7}, every=0.05, formulation=formulation,
        integrator=integrator,
    )  # fmt: skip
    axis, com, g = np.array(AXIS), np.array([0.5, 0.2, -0.3]), 9.81
    angle = run.values("J0.angle")

    def height(angle):
        along = axis * (axis @ com)
        across = com - along
        return (along + across * np.cos(angle) + np.cross(axis, across) * np.sin(angle))[2]

    inertia = axis @ np.diag([0.3, 0.4, 0.5]) @ axis + np.sum(np.cross(axis, com) ** 2)
    gone = g * (height(0.7) - np.array([height(one) for one in angle]))
    np.testing.assert_allclose(
        0.5 * inertia * run.values("J0.angle_rate") ** 2, gone, atol=1e-7 * np.abs(gone).max()
    )
    assert abs(angle[-1] - 0.549493373) < 1e-8  # by an integration of its own


@pytest.mark.parametrize("formulation", FORMULATIONS[1:], ids=repr)
@pytest.mark.parametrize("gain", [5.0, 50.0])
def test_feedback_on_three_hinges_costs_what_it_does_on_one(formulation, gain):
    """Rows off the origin say what those in it do, also of Euler parameters at stages.

    These are not of length one, which a hinge at its own origin does not see.
    """
    how = {"formulation": formulation, "constraints": bc.Baumgarte(gain, gain)}
    one, more = (
        bc.simulate(door(*heights), 2.0, start={"J0.angle": 0.7}, **how)
        for heights in ((0.0,), (0.0, 2.0, -0.7))
    )
    assert more.statistics["evaluations"] <= 1.5 * one.statistics["evaluations"]
    assert abs(more.values("J0.angle")[-1] - one.values("J0.angle")[-1]) < 1e-8


# --- rounded numbers ----------------------------------------------------------------------


def hinged_in_B(axis):
    """Return a four-bar in space, all hinges along y but for that in B."""
    off, masses = bc.Parameter("off", 0.0), (1.0, 2.0, 1.5)
    return four_bars.in_space(masses=masses, axes={"B": axis}, parameters=[off])


def bennett(digits):
    """Return a Bennett linkage, a skew isogram with hinges square to its sides, rounded."""
    P = np.array([[1.0, 0.2, 0.0], [0.3, 0.9, 0.5], [-1.0, -0.2, 0.0], [-0.3, -0.9, 0.5]])
    sides = np.roll(P, -1, axis=0) - P
    axes = np.cross(np.roll(sides, 1, axis=0), sides)
    axes /= np.linalg.norm(axes, axis=1)[:, None]

    def written(vector):
        return tuple(np.round(vector, digits).tolist())

    chain = ["ground", "a", "b", "c", "ground"]
    return bc.Model(
        "Bennett",
        bodies=[
            bc.Body(name, mass=1.0 + i, com=written(P[i]), inertia=(0.1, 0.12, 0.14, 0, 0, 0))
            for i, name in enumerate("abc")
        ],
        joints=[
            bc.Revolute(name, *chain[i : i + 2], at=written(P[i]), axis=written(axes[i]))
            for i, name in enumerate("ABCD")
        ],
    )


def test_rounded_axes_leave_the_motion_as_it_is():
    """Within a few times what they are off by; and the run says what, and by how much."""
    drawn = hinged_in_B((bc.Parameter("off", 0.0), 1, 0))
    start = {"A.angle_rate": 1.0}
    exact = bc.simulate(drawn, 1.0, start=start, every=0.5)
    assert exact.audit["left_out"] == {}
    for off in (1e-11, 1e-9, 1e-7, 1e-6):
        run = bc.simulate(drawn, 1.0, start=start, every=0.5, parameters={"off": off})
        for name in ("A.angle", "D.angle"):
            gap = np.abs(run.values(name) - exact.values(name)).max()
            assert gap <= 10 * off + 1e-8
        assert run.audit["position_residual"] <= 1e-12
        assert run.audit["smallest_singular_value"] > 0.1
        (joint,), (size,) = run.audit["left_out"], run.audit["left_out"].values()
        assert joint == "C"
        assert 0.1 * off <= size <= 10 * off


def test_what_is_off_by_more_than_the_slack_counts():
    drawn = hinged_in_B((1e-4, 1, 0))
    assert bc.report(drawn).degrees_of_freedom == 0
    assert bc.report(drawn, slack=1e-4).degrees_of_freedom == 1
    rounded = hinged_in_B((1e-7, 1, 0))
    found = bc.report(rounded)
    assert found.degrees_of_freedom == 1
    assert "'C' repeats 3 directions" in found.redundant[0]
    assert "but for" in found.redundant[0]
    assert bc.report(rounded, slack=0.0).degrees_of_freedom == 0
    with pytest.raises(bc.OptionError, match=r"from 0 to 0\.01, got -1"):
        bc.report(rounded, slack=-1)


def test_pins_written_with_six_digits_leave_the_motion_as_it_is():
    """A Hooke's joint: rounding of its pins changes the motion by as much, in every method."""
    a, b = np.array([0.48, 0.6, 0.64]), np.array([0.8, 0.0, -0.6])
    ends = []
    for digits in (16, 6):
        pins = [tuple(np.round(x / np.linalg.norm(x), digits).tolist()) for x in (a + b, a - b)]
        wheel = bc.Body("B", mass=1.0, com=(0.3, 0.2, 0.1), inertia=(0.1, 0.2, 0.25, 0, 0, 0))
        joint = bc.Universal("U", "ground", "B", at=(0, 0, 0), axis1=pins[0], axis2=pins[1])
        model = bc.Model("hooke", bodies=[wheel], joints=[joint])
        for formulation in (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()):
            run = bc.simulate(model, 1.0, start={"U.angle1": 0.4}, formulation=formulation)
            ends.append(run.values("B.position")[-1])
    assert np.abs(np.array(ends) - ends[0]).max() < 1e-5
    assert np.abs(np.array(ends[4:]) - ends[4]).max() < 1e-8
    assert np.abs(ends[4] - ends[0]).max() > 1e-9  # they are not the same pins


def test_a_rounded_bennett_linkage_moves():
    exact = bc.simulate(bennett(15), 1.0, start={"A.angle_rate": 1.0}, every=0.5)
    run = bc.simulate(bennett(6), 1.0, start={"A.angle_rate": 1.0}, every=0.5)
    gap = np.abs(run.values("A.angle") - exact.values("A.angle")).max()
    assert gap <= 3e-5
    assert list(run.audit["left_out"]) == ["C"]


def significant(vector, digits):
    """Return numbers written with so many significant digits."""
    return tuple(float(f"{x:.{digits}g}") for x in vector)


def hinged_twice(seed, digits):
    """Return a tilted door on one hinge, and on two, in a machine of some metres."""
    noise = np.random.default_rng(seed)
    at, axis = noise.normal(size=3), noise.normal(size=3)
    axis /= np.linalg.norm(axis)
    far = at + noise.uniform(0.2, 1.0) * axis
    leaf = bc.Body("B", mass=1.0, com=(0.5, 0.2, -0.3), inertia=(0.3, 0.4, 0.5, 0, 0, 0))
    hinges = [
        bc.Revolute(
            name, "ground", "B", at=significant(place, digits), axis=significant(axis, digits)
        )
        for name, place in (("J", at), ("K", far))
    ]
    return [bc.Model("door", bodies=[leaf], joints=hinges[:count]) for count in (1, 2)]


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_hinges_written_with_six_digits_turn(formulation):
    """In every formulation: none takes as its own size what is that of the machine."""
    for seed in (1, 2, 4):
        for digits in (6, 8):
            one, two = hinged_twice(seed, digits)
            run = bc.simulate(two, 0.5, formulation=formulation, every=0.5)
            exact = bc.simulate(one, 0.5, every=0.5).values("J.angle")
            assert np.abs(run.values("J.angle") - exact).max() < 200 * 10.0**-digits, seed


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_hinges_that_hold_each_other_by_rounding_are_told_of(formulation):
    """Four digits are fewer than the slack takes for rounding: the door is stuck."""
    two = hinged_twice(1, digits=4)[1]
    with pytest.warns(NearlySingular, match="hold what would move if they did.*slack=1e-0"):
        run = bc.simulate(two, 0.5, formulation=formulation, every=0.5)
    assert abs(run.values("J.angle")[-1]) < 1e-9
    free = bc.simulate(two, 0.5, formulation=formulation, every=0.5, slack=1e-4)
    assert abs(free.values("J.angle")[-1]) > 0.1


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_a_small_loop_in_a_large_machine_is_not_taken_for_rounding(formulation):
    """A four-bar of millimetres beside a rod of ten metres turns, and nothing is told."""
    small = four_bars.four_bar(*(tuple(1e-3 * x for x in at) for at in four_bars.IN_SPACE))
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (10, 0, 0), mass=1.0))
    hinge = bc.Revolute("far", "ground", "rod", at=(0, 0, 0), axis="y")
    both = small.replace(bodies=(*small.bodies, rod), joints=(*small.joints, hinge))
    run = bc.simulate(
        both, 0.1, start={"A.angle_rate": 1.0}, formulation=formulation, every=0.1
    )
    assert abs(run.values("A.angle")[-1]) > 0.01


def rounded(machine, digits):
    """Return a machine of hinges with their places and axes rounded."""

    def written(vector):
        return tuple(np.round(vector, digits).tolist())

    joints = [
        bc.Revolute(
            joint.name, joint.first, joint.second,
            at=written(joint.at_first), axis=written(joint.axis_first),
        )
        for joint in machine.joints
    ]  # fmt: skip
    return bc.Model(machine.name, bodies=machine.bodies, joints=joints, forces=machine.forces)


WAYS = {
    "Radau5": ({"integrator": bc.Radau5()}, 1e-7),
    "Gauss2": ({"integrator": bc.Gauss2(step=2e-3)}, 1e-7),
    "GeneralizedAlpha": ({"integrator": bc.GeneralizedAlpha(step=5e-4)}, 1e-4),
    "independent": ({"constraints": "independent"}, 1e-7),
    "Baumgarte": ({"constraints": bc.Baumgarte(50.0, 50.0)}, 1e-7),
}


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
@pytest.mark.parametrize("seed", range(2))
def test_rounded_linkages_turn_in_every_way_of_holding_them(formulation, seed):
    """Through turns: what is held for the run becomes dependent nowhere on the way."""
    machine, start, end = FAMILY["bennett"](np.random.default_rng(seed))
    how = {"start": start, "every": 0.5, "formulation": formulation}
    place = f"{end}.position"
    exact = bc.simulate(machine, 2.0, **how).values(place)
    run = bc.simulate(rounded(machine, 6), 2.0, **how)
    assert np.abs(run.values(place) - exact).max() <= 1e-4
    assert run.audit["smallest_singular_value"] > 1e-2
    for way, small in WAYS.values():
        other = bc.simulate(rounded(machine, 6), 2.0, **how, **way)
        assert np.abs(other.values(place) - run.values(place)).max() <= small


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=repr)
def test_combinations_of_rows_are_the_same_machine(formulation):
    """H Φ, H C, H γ and Hᵀ λ with a random orthogonal H, and the same accelerations."""
    equations = formulation.equations(bennett(15))
    m, random = len(equations.rows), np.random.default_rng(3)
    H = np.linalg.qr(random.normal(size=(m, m)))[0]
    one, other = (System(each, build=interpret) for each in (equations, mixed(equations, H)))
    x, nq = initial_state(one, {"A.angle_rate": 1.0}, 0.0, NONE, NONE), len(one.coordinates)
    place = one.at_rest(0.0, x[:nq], NONE, NONE)
    place[2] = x[nq:]
    scale, lam = np.array([row.scale for row in equations.rows]), random.normal(size=m)
    H = H * scale[:, None] / scale
    for slot in ("position", "velocity", "acceleration", "jerk", "constraint_jacobian"):
        for left, right in zip(one.ask(slot, place), other.ask(slot, place), strict=True):
            np.testing.assert_allclose(right, H @ left, atol=1e-12)
    given = random.normal(size=len(one.speeds))
    for slot in ("residual", "residual_jacobian"):
        known = one.ask(slot, place, given, H.T @ lam)
        for left, right in zip(known, other.ask(slot, place, given, lam), strict=True):
            np.testing.assert_allclose(right, left, atol=1e-11)
    np.testing.assert_allclose(other.rates(place), one.rates(place), atol=1e-11)


# --- shared loads -------------------------------------------------------------------------


def beam(length):
    """Return a beam on two hinges along y that is loaded by its weight."""
    return bc.Model(
        "beam",
        parameters=[bc.Parameter("L", 1.0)],
        bodies=[
            bc.Body("a", mass=1.0, com=(length * 0.5, 0, 0), inertia=(0.1,) * 3 + (0,) * 3)
        ],
        joints=[
            bc.Revolute("J", "ground", "a", at=(0, 0, 0), axis="y"),
            bc.Revolute("K", "ground", "a", at=(0, length * 2, 0), axis="y"),
        ],
    )


def test_shared_loads_do_not_ask_where_a_length_comes_from():
    """Σ|F|² + |T|²/ℓ² is least, ℓ being that of the machine as it is, not as it was drawn."""
    written = bc.simulate(beam(0.3), 0.1, every=0.1)
    given = bc.simulate(beam(bc.Parameter("L", 1.0)), 0.1, every=0.1, parameters={"L": 0.3})
    for name in ("J.reaction_force", "J.reaction_torque", "K.reaction_torque"):
        np.testing.assert_allclose(given[name].values, written[name].values, atol=1e-12)
