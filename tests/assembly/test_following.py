"""Assembly keeps to the branch of the drawing, however far what is named lies from it.

References are independent: intersections of circles followed from the drawing, and closure
equations of our own tracked by SciPy in steps that are far too small.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import root
from tests.draws import draws
from tests.machines import four_bars

import bellcrank as bc
from bellcrank.machine.batched.backend import BatchedMachine
from bellcrank.machine.start import initial_state


def named(prefix, *places):
    """Return points whose coordinates are parameters, and their values by name."""
    values = {
        f"{prefix}{i}{axis}": float(x)
        for i, place in enumerate(places)
        for axis, x in zip("xyz", place, strict=False)
    }
    symbols = [
        tuple(bc.Parameter(f"{prefix}{i}{axis}", values[f"{prefix}{i}{axis}"])
              for axis, _ in zip("xyz", place, strict=False))
        for i, place in enumerate(places)
    ]  # fmt: skip
    return symbols, values


def values_of(prefix, *places):
    return named(prefix, *places)[1]


def bars(model, *ends):
    """Return rods of 1 kg between ends."""
    return [
        bc.Body(name, bc.Rod(a, b, mass=1.0)) for name, a, b in zip(model, *ends, strict=True)
    ]


def four_bar(A, B, C, D, name="four-bar"):
    return four_bars.four_bar(A, B, C, D, name=name, masses=(1.0, 1.0, 1.0))


def assembled(system, start, values=None, t=0.0):
    """Return coordinates by name."""
    p = system.parameter_vector(values)
    x = initial_state(system, start, t, np.zeros(0), p)
    n = len(system.coordinates)
    return system.unpack(x[:n], x[n : n + len(system.speeds)])


def by_circles(points, turn, steps=2000):
    """Return the turns of D and B that go with one of A, or None where the branch ends."""
    A, B, C, D = map(np.array, points)
    b, c = np.hypot(*(C - B)), np.hypot(*(C - D))
    side = np.sign((D - B)[0] * (C - B)[1] - (D - B)[1] * (C - B)[0])
    a = np.linspace(0.0, turn, steps)
    arm = np.stack([np.cos(a), -np.sin(a), np.sin(a), np.cos(a)], -1).reshape(-1, 2, 2)
    B = A + arm @ (B - A)
    d = D - B
    length = np.hypot(*d.T)
    along = (b * b - c * c + length**2) / (2 * length)
    square = b * b - along**2
    if (square < 0).any():
        return None
    normal = np.stack([-d[:, 1], d[:, 0]], -1)
    C = B + (along / length)[:, None] * d + (side * np.sqrt(square) / length)[:, None] * normal
    rocker, coupler = (np.unwrap(np.arctan2(*(C - end).T[::-1])) for end in (D, B))
    return rocker[-1] - rocker[0], coupler[-1] - coupler[0] - turn


def closing_point(B, D, b, c, side):
    d = np.subtract(D, B)
    length = np.hypot(*d)
    along = (b * b - c * c + length**2) / (2 * length)
    normal = np.array([-d[1], d[0]]) / length
    return B + along * d / length + side * np.sqrt(b * b - along**2) * normal


CRANK_ROCKERS = {
    "2 1 sqrt5 2": [(0, 0), (0, 1), (2, 2), (2, 0)],
    "3 1 2.5 2": [(0, 0), (0, 1), closing_point((0, 1), (3, 0), 2.5, 2.0, 1), (3, 0)],
    "2 0.5 2.2 1.5": [(0, 0), (0, 0.5), closing_point((0, 0.5), (2, 0), 2.2, 1.5, 1), (2, 0)],
}
SYMBOLS, NOMINAL = named("p", *CRANK_ROCKERS["2 1 sqrt5 2"])
LINKAGE = four_bar(*SYMBOLS, name="four-bar of parameters")


@pytest.fixture(scope="module")
def linkage():
    return bc.compile(LINKAGE, level=0)


@pytest.mark.parametrize("points", CRANK_ROCKERS.values(), ids=CRANK_ROCKERS.keys())
def test_a_crank_brings_the_rocker_along(linkage, points):
    """All the way round, none on the other branch and none with turns to spare."""
    for turn in np.linspace(-3.1, 3.1, 31):
        found = assembled(linkage, {"A": turn}, values_of("p", *points))
        wanted = by_circles(points, turn)
        got = found["D.angle"], found["B.angle"]
        np.testing.assert_allclose(got, wanted, atol=1e-9, err_msg=f"A = {turn}")


def random_four_bars(count, ending, seed):
    """Yield four-bars, turns of their cranks, and what circles say of them."""
    noise, ends, there = np.random.default_rng(seed), 0, 0
    while there < count or ends < ending:
        a, b, c, ground = noise.uniform(0.3, 3.0, 4)
        angle, turn = noise.uniform(-np.pi, np.pi), noise.uniform(-3.1, 3.1)
        side, far = noise.choice([-1.0, 1.0]), noise.uniform(-np.pi, np.pi)
        B, D = a * np.array([np.cos(angle), np.sin(angle)]), np.array([ground, 0.0])
        length = np.hypot(*(D - B))
        if not abs(b - c) + 0.01 < length < b + c - 0.01:
            continue
        points = [np.zeros(2), B, closing_point(B, D, b, c, side), D]
        R = np.array([[np.cos(far), -np.sin(far)], [np.sin(far), np.cos(far)]])
        points = [R @ point for point in points]  # lying anyhow in the plane
        wanted = by_circles(points, turn)
        there, ends = there + (wanted is not None), ends + (wanted is None)
        if (ends <= ending) if wanted is None else (there <= count):
            yield points, (a, b, c, ground, angle), turn, wanted


@pytest.mark.slow
@pytest.mark.family
def test_random_four_bars_stay_on_their_branch(linkage):
    """Or are refused, with the dead centre, which is known: coupler and rocker in line."""
    count, ending = draws(120, 1000), draws(4, 12)
    for points, lengths, turn, wanted in random_four_bars(count, ending, seed=15):
        shown = f"{lengths}, A = {turn}"
        if wanted is not None:
            found = assembled(linkage, {"A": turn}, values_of("p", *points))
            np.testing.assert_allclose((found["D.angle"], found["B.angle"]), wanted, atol=1e-7,
                                       err_msg=shown)  # fmt: skip
            continue
        with pytest.raises(bc.StartError) as caught:
            assembled(linkage, {"A": turn}, values_of("p", *points))
        said = re.match(
            r"the branch of the drawing does not reach A = \S+: it ends in a dead centre at "
            r"A = (\S*\d)",
            str(caught.value),
        )
        assert said, (shown, str(caught.value))
        assert float(said[1]) == pytest.approx(dead_centre(*lengths, turn), rel=1e-5), shown


def dead_centre(a, b, c, ground, angle, turn):
    """Return the first turn at which coupler and rocker are in line."""
    cosines = [(a**2 + ground**2 - reach**2) / (2 * a * ground) for reach in (b + c, b - c)]
    folds = [s * np.arccos(x) for x in cosines if abs(x) <= 1 for s in (1, -1)]
    turns = [fold - angle + 2 * np.pi * k for fold in folds for k in range(-2, 3)]
    return min((x for x in turns if 0 < x / turn < 1), key=abs)


# --- six-bars and linkages in space, against closure equations tracked by SciPy


def tracked(closure, size, turn, steps=150):
    """Return x with closure(x, turn) = 0 on the branch of x = 0, or None where it ends."""
    x = before = np.zeros(size)
    for k in range(1, steps + 1):
        guess = 2 * x - before
        found = root(closure, guess, args=(turn * k / steps,), tol=1e-13).x
        left = np.abs(closure(found, turn * k / steps)).max()
        if left > 1e-9 or np.abs(found - guess).max() > 0.1:
            return None
        before, x = x, found
    return x


def turned(angle):
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


def six_bar(points):
    """Return a four-bar A B C D whose coupler (Stephenson) or rocker (Watt) drives E F G."""
    A, B, C, D, E, F, G = points
    return {
        kind: bc.Model(
            kind,
            planar=True,
            bodies=bars(("crank", "coupler", "rocker", "link", "arm"), (A, B, D, E, G),
                        (B, C, C, F, F)),
            joints=[
                bc.Revolute("A", "ground", "crank", at=A),
                bc.Revolute("B", "crank", "coupler", at=B),
                bc.Revolute("C", "coupler", "rocker", at=C),
                bc.Revolute("D", "ground", "rocker", at=D),
                bc.Revolute("E", carrier, "link", at=E),
                bc.Revolute("F", "link", "arm", at=F),
                bc.Revolute("G", "ground", "arm", at=G),
            ],
        )
        for kind, carrier in (("Watt", "rocker"), ("Stephenson", "coupler"))
    }  # fmt: skip


def six_bar_closure(kind, points):
    A, B, C, D, E, F, G = points

    def closure(x, turn):
        coupler, rocker, link, arm = map(turned, x)
        b = A + turned(turn) @ (B - A)
        e = D + rocker @ (E - D) if kind == "Watt" else b + coupler @ (E - B)
        return np.concatenate([b + coupler @ (C - B) - D - rocker @ (C - D),
                               e + link @ (F - E) - G - arm @ (F - G)])  # fmt: skip

    return closure


SIX = np.array([(0, 0), (0.2, 0.7), (1.6, 1.2), (2.0, 0), (1.9, 1.1), (3.4, 1.5), (4.0, 0)])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["Watt", "Stephenson"])
def test_six_bars_stay_on_their_branch(kind):
    symbols, _ = named("p", *SIX)
    system = bc.compile(six_bar(symbols)[kind], level=0)
    noise, there = np.random.default_rng(6), 0
    for _ in range(8):
        points = SIX + noise.normal(scale=0.15, size=SIX.shape)
        turn = noise.uniform(-3.0, 3.0)
        wanted = tracked(six_bar_closure(kind, points), 4, turn)
        if wanted is None:
            with pytest.raises(bc.StartError, match="it ends in a dead centre at A = "):
                assembled(system, {"A": turn}, values_of("p", *points))
            continue
        there += 1
        q = assembled(system, {"A": turn}, values_of("p", *points))
        coupler = q["A.angle"] + q["B.angle"]
        np.testing.assert_allclose((coupler, q["D.angle"]), wanted[:2], atol=1e-8)
        np.testing.assert_allclose(q["G.angle"], wanted[3], atol=1e-8)
    assert there >= 4


def about(axis, angle):
    k = np.array(axis)
    K = np.array([[0, -k[2], k[1]], [k[2], 0, -k[0]], [-k[1], k[0], 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


AXES = (0.6, 0.0, 0.8), (0.48, -0.6, 0.64)  # tilted, of unit length


def spatial(O, P, Q, D, universal):
    """Return a four-bar in space: hinges O, D with tilted axes, the coupler on balls P, Q."""
    body = {"mass": 1.0, "inertia": (0.1, 0.12, 0.15, 0, 0, 0)}
    if universal:
        P_joint = bc.Universal("P", "crank", "coupler", at=P, axis1="y", axis2="z")
    else:
        P_joint = bc.Spherical("P", "crank", "coupler", at=P)
    return bc.Model(
        "RUSR" if universal else "RSSR",
        bodies=[bc.Body(n, com=at, **body) for n, at in zip(("crank", "coupler", "rocker"),
                                                           (P, Q, Q), strict=True)],
        joints=[
            bc.Revolute("A", "ground", "crank", at=O, axis=AXES[0]),
            P_joint,
            bc.Revolute("D", "ground", "rocker", at=D, axis=AXES[1]),
            bc.Spherical("Q", "coupler", "rocker", at=Q),
        ],
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("universal", [False, True], ids=["spherical", "universal"])
def test_linkages_in_space_stay_on_their_branch(universal):
    nominal = np.array([(0, 0, 0), (0.2, 0.7, -0.2), (2.6, 1.3, 0.9), (3, 0.3, 0.1)])
    symbols, _ = named("p", *nominal)
    system = bc.compile(spatial(*symbols, universal=universal), level=0)
    noise, there = np.random.default_rng(9), 0
    for _ in range(8):
        O, P, Q, D = points = nominal + noise.normal(scale=0.15, size=nominal.shape)
        turn = noise.uniform(-3.0, 3.0)

        def closure(x, turn, O=O, P=P, Q=Q, D=D):
            p, q = O + about(AXES[0], turn) @ (P - O), D + about(AXES[1], x[0]) @ (Q - D)
            return np.array([(p - q) @ (p - q) - (P - Q) @ (P - Q)])

        wanted = tracked(closure, 1, turn)
        if wanted is None:
            with pytest.raises(bc.StartError, match="it ends in a dead centre at A = "):
                assembled(system, {"A": turn}, values_of("p", *points))
            continue
        there += 1
        found = assembled(system, {"A": turn}, values_of("p", *points))
        assert found["D.angle"] == pytest.approx(wanted[0], abs=1e-8)
    assert there >= 4


def denavit_hartenberg(length, twist, angle):
    """Return the pose of the next hinge in the frame of this one, shape (4, 4)."""
    (c, s), (ct, st) = ((np.cos(x), np.sin(x)) for x in (angle, twist))
    rows = [c, -s * ct, s * st, length * c], [s, c * ct, -c * st, length * s], [0, st, ct, 0]
    return np.array([*rows, [0, 0, 0, 1]])


def test_an_overconstrained_linkage_stays_on_its_branch():
    """Bennett's: tan(θ/2) tan(φ/2) = sin((β + α)/2) / sin((β − α)/2) of neighbours."""
    alpha, beta, first = 0.6, 1.1, 1.3
    long = np.sin(beta) / np.sin(alpha)
    ratio = np.sin((beta + alpha) / 2) / np.sin((beta - alpha) / 2)
    turns = np.linspace(0.0, 1.0, 2000)

    def next_angle(angle):
        return 2 * np.arctan(ratio / np.tan(angle / 2))

    links = (1.0, alpha, first), (long, beta, next_angle(first)), (1.0, alpha, -first)
    poses = [np.eye(4)]
    for link in links:
        poses.append(poses[-1] @ denavit_hartenberg(*link))
    at, axes = ([tuple(pose[:3, k]) for pose in poses] for k in (3, 2))
    names = ("A", "ground", "b1"), ("B", "b1", "b2"), ("C", "b2", "b3"), ("D", "ground", "b3")
    solid = {"mass": 1.0, "inertia": (0.1, 0.12, 0.15, 0, 0, 0)}
    model = bc.Model(
        "Bennett",
        bodies=[bc.Body(f"b{i}", com=at[i], **solid) for i in (1, 2, 3)],
        joints=[
            bc.Revolute(*name, at=p, axis=axis)
            for name, p, axis in zip(names, at, axes, strict=True)
        ],
    )
    system = bc.compile(model, level=0)
    for turn in (0.5, -2.0, 3.0):
        angle = np.unwrap(next_angle(first + turn * turns), period=2 * np.pi)
        found = assembled(system, {"A": turn})
        assert found["B.angle"] == pytest.approx(angle[-1] - angle[0], abs=1e-8)


# --- other ways to name, and other branches


def test_a_drawing_in_a_dead_centre_of_what_is_named(linkage):
    """Crank and coupler in line: the rocker may go back on either side, and no further."""
    a, b, c, ground = 0.5, 2.2, 1.5, 2.0
    C = closing_point((0.0, 0.0), (ground, 0.0), a + b, c, 1)
    values = values_of("p", (0, 0), a / (a + b) * C, C, (ground, 0))
    with pytest.warns(bc.Bifurcation, match="is drawn at a dead centre of the"):
        found = assembled(linkage, {"D": 0.2}, values)
    assert found["D.angle"] == 0.2
    assert abs(found["B.angle"]) > 0.5
    with pytest.raises(bc.StartError, match="it ends in a dead centre at D = 0"):
        assembled(linkage, {"D": -0.2}, values)


def test_a_driver_is_come_to_as_a_name_is(linkage):
    points = CRANK_ROCKERS["2 1 sqrt5 2"]
    driven = bc.compile(four_bar(*points).add(bc.Drive("motor", "A", angle="1.1 + t")), level=0)
    for t in (0.0, 1.5, 700.0):
        found = assembled(driven, {}, t=t)
        wanted = assembled(linkage, {"A": 1.1 + t})
        assert found["A.angle"] == pytest.approx(1.1 + t, abs=1e-9)
        assert found["D.angle"] == pytest.approx(wanted["D.angle"], abs=1e-9)


def test_whole_turns_are_kept_and_cost_nothing(linkage):
    here, far = assembled(linkage, {"A": 0.7}), assembled(linkage, {"A": 0.7 - 200 * np.pi})
    assert far["A.angle"] == 0.7 - 200 * np.pi
    assert far["D.angle"] == pytest.approx(here["D.angle"], abs=1e-9)
    # The coupler does not turn in the world, so its angle to the crank does.
    assert far["B.angle"] == pytest.approx(here["B.angle"] + 200 * np.pi, abs=1e-9)


def test_a_joint_that_closes_the_loop_is_followed_too(linkage):
    """Named by the angle that circles say it has."""
    points = CRANK_ROCKERS["2 1 sqrt5 2"]
    for turn in (-0.8, -0.4, 0.15):  # where the angle at C does not turn back
        rocker, coupler = by_circles(points, turn)
        at_C = rocker - coupler - turn
        found = assembled(linkage, {"C": at_C})
        np.testing.assert_allclose(found["A.angle"], turn, atol=1e-8)
        np.testing.assert_allclose(found["D.angle"], rocker, atol=1e-8)


def test_the_other_branch_is_the_mirror_image(linkage):
    """A hint takes it, and so does naming the rocker as well."""
    points = np.array(CRANK_ROCKERS["2 1 sqrt5 2"], dtype=float)
    here = assembled(linkage, {"A": 1.1})["D.angle"]
    B, D = turned(1.1) @ points[1], points[3]
    line, drawn = np.arctan2(*(B - D)[::-1]), np.pi / 2
    mirrored = 2 * (line - drawn) - here
    for hint in (2.0, mirrored + 0.3):
        found = assembled(linkage, {"A": 1.1, "D": bc.Near(hint)})
        assert found["D.angle"] == pytest.approx(mirrored, abs=1e-9)
    found = assembled(linkage, {"A": 1.1, "D": mirrored})
    assert (found["A.angle"], found["D.angle"]) == (1.1, mirrored)
    assert assembled(linkage, {"A": 1.1, "D": bc.Near(0.0)})["D.angle"] == pytest.approx(here)


def test_the_message_names_the_other_branch_and_how_to_take_it(linkage):
    """The rocker of a crank-rocker beyond its dead centre: where the mirror image swings."""
    values = values_of("p", *CRANK_ROCKERS["2 0.5 2.2 1.5"])
    with pytest.raises(bc.StartError) as caught:
        assembled(linkage, {"D": -3.3}, values)
    said = re.search(r"give '(\S+)': bc.Near\((\S+)\) in start as well\.$", str(caught.value))
    assert said, str(caught.value)
    found = assembled(linkage, {"D": -3.3, said[1]: bc.Near(float(said[2]))}, values)
    assert found["D.angle"] == -3.3
    with pytest.raises(bc.StartError, match="No other branch that reaches it was found"):
        assembled(linkage, {"D": -2.0}, values)  # between the two, where neither comes


def test_a_branch_is_followed_straight_through_a_crossing(linkage):
    """A parallelogram stays one where it lies flat, and it is said that branches meet there."""
    values = values_of("p", (0, 0), (0, 1), (3, 1), (3, 0))
    with pytest.warns(bc.Bifurcation, match=r"passes a position in which branches meet"):
        found = assembled(linkage, {"A": 2.5}, values)
    assert found["D.angle"] == pytest.approx(2.5, abs=1e-9)
    assert found["B.angle"] == pytest.approx(-2.5, abs=1e-9)


def test_lengths_a_little_off_do_not_cross(linkage):
    """A coupler longer by 1e-4 turns the corner where a parallelogram goes straight on."""
    points = [(0, 0), (0, 1), closing_point((0, 1), (3, 0), 3.0001, 1.0, 1), (3, 0)]
    for turn in (1.4, 2.5):
        found = assembled(linkage, {"A": turn}, values_of("p", *points))
        wanted = by_circles(points, turn, steps=20000)
        np.testing.assert_allclose((found["D.angle"], found["B.angle"]), wanted, atol=1e-7)


def test_a_start_by_name_reaches_every_formulation():
    start = {"A": 2.2, "A.angle_rate": 1.0, "D": bc.Near(2.0)}
    model = four_bar(*CRANK_ROCKERS["2 1 sqrt5 2"])
    picture, seen = bc.compile(model, level=0), []
    for formulation in (bc.JointCoordinates(), bc.Cartesian(), bc.Natural(), bc.Kane()):
        system = bc.compile(model, formulation, level=0)
        other = picture if system.equations.has("embed") else None
        x = initial_state(system, start, 0.0, np.zeros(0), np.zeros(0), other)
        q, u = np.split(x, [len(system.coordinates)])
        at_rest = [np.zeros(1), q, u, np.zeros(0), np.zeros(0), np.zeros(0)]
        pose, twist, _ = system.kernel("bodies", level=0)(
            *at_rest, system.modes(at_rest), np.zeros(len(u))
        )
        seen.append(np.concatenate([pose[:3], twist]))
    for found in seen[1:]:
        np.testing.assert_allclose(found, seen[0], atol=1e-9)


def test_a_machine_that_is_a_sum_of_elements_follows_too():
    model, start = four_bar(*CRANK_ROCKERS["2 1 sqrt5 2"]), {"A": -2.9, "A.angle_rate": 0.5}
    run = bc.simulate(
        model, 0.01, start=start, formulation=bc.Cartesian(assembled=True),
        integrator=bc.GeneralizedAlpha(0.01), every=0.01,
    )  # fmt: skip
    wanted = by_circles(CRANK_ROCKERS["2 1 sqrt5 2"], -2.9)
    found = [float(run.values(name)[0]) for name in ("D.angle", "B.angle")]
    np.testing.assert_allclose(found, wanted, atol=1e-9)


def many_four_bars(count, seed):
    """Return a machine of many four-bars, and the points of each."""
    noise, nominal = np.random.default_rng(seed), np.array(CRANK_ROCKERS["2 1 sqrt5 2"])
    places = [
        [tuple(point + noise.uniform(-0.1, 0.1, 2) + (4.0 * i, 0.0)) for point in nominal]
        for i in range(count)
    ]
    parts = [four_bar(*points) for points in places]
    return bc.Model(
        "many",
        planar=True,
        bodies=[
            replace(b, name=f"{b.name}{i}") for i, one in enumerate(parts) for b in one.bodies
        ],
        joints=[
            bc.Revolute(
                f"{j.name}{i}",
                *(e if e == "ground" else f"{e}{i}" for e in (j.first, j.second)),
                at=j.at_first[:2],
            )
            for i, one in enumerate(parts)
            for j in one.joints
        ],
    ), places


def test_more_joints_than_are_written_out_follow_too():
    """60 four-bars by circles; where the branch of one ends, all are refused."""
    model, places = many_four_bars(60, seed=5)
    system = bc.compile(model, bc.Cartesian())
    p = system.parameter_vector()
    machine = BatchedMachine(model, system, p, bc.Cartesian().equations)
    for turn in (1.3, 3.0, -2.0):
        turns = [turn * (1.0 + 0.001 * i) for i in range(len(places))]
        wanted = [by_circles(points, a) for points, a in zip(places, turns, strict=True)]
        start = {f"A{i}": a for i, a in enumerate(turns)}
        q = machine.begin(start, 0.0, np.zeros(0), {})[0]
        found = [q[system.places[f"rocker{i}.angle"][1]] for i in range(len(places))]
        np.testing.assert_allclose(found, [one[0] for one in wanted], atol=1e-8)
    with pytest.raises(bc.StartError, match="ends before start of D0 angle by "):
        machine.begin({"D0": -3.3}, 0.0, np.zeros(0), {})


def test_small_and_large_machines_are_assembled_alike():
    """A nanometre or ten kilometres: nothing is decided by metres."""
    for scale in (1e-9, 1e4):
        points = [tuple(scale * x for x in point) for point in CRANK_ROCKERS["2 1 sqrt5 2"]]
        system = bc.compile(four_bar(*points), level=0)
        for turn in (1.1, -2.9):
            found = assembled(system, {"A": turn})
            wanted = by_circles(points, turn)
            np.testing.assert_allclose((found["D.angle"], found["B.angle"]), wanted, atol=1e-9)


def test_on_the_command_line_a_tilde_is_near():
    from bellcrank.cli.words import given_by_name

    found = given_by_name({}, ["A=1.1, D=~-pi/2"], None, None)["start"]
    assert found == {"A": 1.1, "D": bc.Near(-np.pi / 2)}
