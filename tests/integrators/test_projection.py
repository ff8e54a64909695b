"""The projected right-hand side: published loops, singular positions, closed forms."""

from math import pi, sqrt

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk
from tests.integrators.constrained import (
    GRAVITY,
    Rods,
    compiled,
    cube,
    four_bar,
    ladder,
    ladder_state,
    lagrangian,
    open_branch,
    problem,
)

from bellcrank.constraints.constrained import Constrained
from bellcrank.constraints.projection import Projected
from bellcrank.errors import OptionError
from bellcrank.integrators import DOP853, RK4, solve

PLAIN, CHANGE_POINT = (1, 2, 2, 2), (1, 1.5, 2, 2.5)
RTOLS = np.geomspace(10**-9.5, 10**-8.5, 12)
CRANK, CHANGED = 4.805931268833, 44.2763995


def residuals(held: Projected, track) -> tuple[float, float]:
    """Return the largest residuals of Φ = 0 and of C u = ν over a track."""
    nq, nu = held.machine.nq, held.machine.nu
    found = held.diagnose(
        track.t, track.x[:, :nq], track.x[:, nq : nq + nu], track.x[:, nq + nu :]
    )
    return found.position.max(), found.velocity.max()


def run(held: Projected, x0, until: float, rtol: float, t0: float = 0.0, grid=None):
    track = solve(problem(held), DOP853(), t0, x0, until, rtol=rtol, atol=rtol / 100, grid=grid)
    assert track.status == "done", track.message
    assert residuals(held, track)[0] < 1e-12
    return track


# --- loops with published answers ---------------------------------------------------------


@pytest.mark.parametrize("extra", ["", "zero", "mixed"])
def test_the_plain_four_bar(extra):
    held = four_bar(PLAIN, extra)
    x0 = np.r_[open_branch(PLAIN, pi / 2), np.zeros(3)]
    for rtol, allowed in ((1e-9, 1e-5), (1e-10, 1e-6), (1e-11, 1e-7)):
        track = run(held, x0, 10.0, rtol)
        assert abs(track.x[-1, 0] - CRANK) < allowed
        assert residuals(held, track)[1] < 1e-12


def test_records_between_steps_lie_on_the_constraints():
    held = four_bar()
    x0 = np.r_[open_branch(PLAIN, pi / 2), np.zeros(3)]
    track = run(held, x0, 10.0, 1e-10, grid=np.linspace(0, 10, 501))
    assert max(residuals(held, track)) < 1e-12
    assert abs(track.x[-1, 0] - CRANK) < 1e-6


def lean(n: int, t):
    """Return angle and rate of the upright rods of a ladder (closed form)."""
    inertia, weight = (n + 1) / 3 + n, ((n + 1) / 2 + n) * GRAVITY
    ratio = weight / inertia
    a = 0.25 + ratio
    m = ratio / a
    angle = pi - 2 * ellipj(ellipk(m) - sqrt(a) * np.asarray(t), m)[3]
    return angle, np.sqrt(1 + 2 * ratio * (1 - np.cos(angle)))


def missed(n: int, track) -> float:
    """Return how far the top of the first rod is from where it should be at the end [m]."""
    angle, _ = lean(n, track.t[-1])
    turn = track.x[-1, 0]
    return float(np.hypot(np.cos(turn) - np.sin(angle), np.sin(turn) - np.cos(angle)))


@pytest.mark.parametrize("n", [2, 10])
def test_ladders_pass_their_flat_positions(n):
    held = ladder(n)
    for rtol in RTOLS:
        track = run(held, ladder_state(n, 0.0, 1.0), 10.0, rtol)
        assert missed(n, track) < 5e-7
        assert track.statistics.steps <= 150


@pytest.mark.parametrize("jerk", [True, False])
@pytest.mark.parametrize("n", [2, 10])
def test_ladders_start_in_or_beside_a_flat_position(n, jerk):
    flat = brentq(lambda t: lean(n, t)[0] - pi / 2, 0, 2, xtol=1e-15)
    for beside in (0.0, 1e-12, -1e-12, 1e-9, -1e-9, 1e-6, -1e-6):
        held = Projected(ladder(n, jerk).machine)  # one that has learnt nothing
        begin = flat + beside
        track = run(held, ladder_state(n, *lean(n, begin)), begin + 10, 1e-9, begin)
        assert missed(n, track) < 5e-7
        assert track.statistics.steps <= 150


@pytest.mark.parametrize("n", [2, 10])
@pytest.mark.parametrize("off", [0.0, 1e-8, 1e-5, 1e-3])
def test_accelerations_close_to_a_flat_position(n, off):
    """Whatever the distance, and off the constraints by what stages of a step are off."""
    held, random = ladder(n), np.random.default_rng(n)
    held.derivatives(0.0, *np.split(ladder_state(n, 0.3, 1.0), 2))
    ratio = ((n + 1) / 2 + n) * GRAVITY / ((n + 1) / 3 + n)
    for distance in np.geomspace(1e-10, 0.1, 19):
        x = ladder_state(n, pi / 2 + distance, 5.0)
        q, u = np.split(x + off * random.standard_normal(x.size), 2)
        found, speed = held.points(0.0, q, u)
        _, accelerations, _ = held.derivatives(0.0, q, u)
        sign = np.sign(x[x.size // 2 :])
        turn = found * -sign
        assert np.ptp(turn) < 1e-12 + 1e-13 / distance * (distance > 1e-3)
        assert np.ptp(speed * sign) < 1e-9
        exact = ratio * np.sin(pi / 2 - turn[0])
        assert abs(accelerations * sign - exact).max() < 1e-6 + 0.1 * off


def test_jerk_rows_where_nothing_can_be_seen_beside():
    """A ladder that lies flat and moves slowly, with a row that depends on time far off.

    Points beside it would be seconds away, for which a driver cannot be held still. The flat
    position itself then has the accelerations of all rods that stay parallel.
    """
    count = 5
    rods = Rods(
        [1.0] * count,
        (-1, -1, -1, 0, 1),
        [(0, 0), (1, 0), (2, 0), (0, 0), (0, 0)],
        [1.0] * count,
    )

    def closure(t, q):
        places = rods.places(q)
        loops = [places[3 + i][2] - places[i + 1][2] for i in range(2)]
        return ca.vertcat(*loops, q[5] - 0.1 * t)

    def machine(jerk: bool) -> Projected:
        return Projected(
            lagrangian(
                6,
                lambda q, u: rods.kinetic(q, u) + u[5] ** 2 / 2,
                rods.potential,
                closure,
                jerk=jerk,
            )
        )

    rate, ratio = 0.01, (3 / 2 + 2) * GRAVITY / (3 / 3 + 2)
    upright, flat = (ladder_state(2, angle, rate) for angle in (0.3, pi / 2))
    found = {}
    for jerk in (True, False):
        held = machine(jerk)
        for x in (upright, flat):
            q, u = np.r_[x[:5], 0.0], np.r_[x[5:], 0.1]
            _, found[jerk], _ = held.derivatives(0.0, q, u)
    exact = ratio * np.array([-1, -1, -1, 1, 1, 0])
    assert abs(found[True] - exact).max() < 1e-9
    assert abs(found[False] - exact).max() > 0.1  # undetermined without


def test_the_change_point_four_bar():
    held, q = four_bar(CHANGE_POINT), open_branch(CHANGE_POINT, pi / 2)
    rows = held.machine.velocity(0.0, q, np.zeros(3), *[np.zeros(0)] * 4)[0]
    u = 8 * np.r_[1.0, np.linalg.solve(rows[:, 1:], -rows[:, 0])]
    for rtol in RTOLS:
        track = run(held, np.r_[q, u], 4.0, rtol)
        assert abs(track.x[-1, 0] - CHANGED) < 1e-6
    errors = [abs(run(held, np.r_[q, u], 4.0, r).x[-1, 0] - CHANGED) for r in (1e-6, 1e-8)]
    assert errors[0] < 1e-4
    assert errors[1] < 1e-6


def test_the_overconstrained_cube():
    held = cube()
    track = run(held, np.zeros(10), 10.0, 1e-9)
    angles, rates = (
        np.array([-3.0981235152618, 0.0416577641864]),
        (0.851803758107, 0.7822727907477),
    )
    assert abs(track.x[-1, :5] - np.resize(angles, 5)).max() < 1e-8
    assert abs(track.x[-1, 5:] - np.resize(rates, 5)).max() < 1e-7
    found = held.diagnose(track.t, track.x[:, :5], track.x[:, 5:])
    assert (found.rank == 4).all()  # of five rows


# --- closed forms -------------------------------------------------------------------------


def string(length: float = 1.0, extra: bool = False) -> Projected:
    """Return a particle of 1 kg on a rigid string, in Cartesian coordinates."""

    def closure(t, q):
        row = (ca.dot(q, q) - length**2) / (2 * length)
        return ca.vertcat(row, row * (1 + q[0])) if extra else row

    machine = lagrangian(2, lambda q, u: ca.dot(u, u) / 2, lambda q: GRAVITY * q[1], closure)
    return Projected(machine)


@pytest.mark.parametrize("extra", [False, True])
def test_a_particle_on_a_rigid_string(extra):
    held, times = string(extra=extra), np.linspace(0, 10, 21)
    track = run(held, np.array([-1.0, 0, 0, 0]), 10.0, 1e-12, grid=times)
    sn, *_ = ellipj(ellipk(0.5) - sqrt(GRAVITY) * times, 0.5)
    angle = 2 * np.arcsin(np.sqrt(0.5) * sn)
    assert abs(track.x[:, 0] + np.sin(angle)).max() < 1e-9
    assert abs(track.x[:, 1] + np.cos(angle)).max() < 1e-9
    tension = held.multipliers(times, track.x[:, :2], track.x[:, 2:])
    exact = 3 * GRAVITY * np.cos(angle)  # from rest at the height of the pivot
    if extra:  # the same pull, shared in proportion to the rows
        share = np.stack([np.ones(21), 1 + track.x[:, 0]], axis=-1)
        assert abs(np.sum(share * tension, axis=-1) - exact).max() < 1e-7
        assert abs(tension[:, 0] * share[:, 1] - tension[:, 1]).max() < 1e-7
    else:
        assert abs(tension[:, 0] - exact).max() < 1e-7


def test_a_skate_on_a_slope():
    """A blade that spins on a slope goes to and fro along a cycloid."""
    pull, spin = 3.0, 1.3

    def slip(t, q):
        return ca.horzcat(-ca.sin(q[2]), ca.cos(q[2]), 0), ca.SX(0)

    held = Projected(
        lagrangian(3, lambda q, u: ca.dot(u, u) / 2, lambda q: -pull * q[0], slip=slip)
    )
    times = np.linspace(0, 10, 11)
    track = run(held, np.array([0.0, 0, 0, 0, 0, spin]), 10.0, 1e-11, grid=times)
    turn, size = spin * times, pull / (2 * spin**2)
    assert abs(track.x[:, 0] - size * np.sin(turn) ** 2).max() < 1e-9
    assert abs(track.x[:, 1] - size * (turn - np.sin(2 * turn) / 2)).max() < 1e-9
    assert residuals(held, track)[1] < 1e-12


def swing(motion, massless: bool = False) -> Projected:
    """Return a particle on a string whose upper end moves; its angle a massless coordinate."""

    def closure(t, q):
        end = ca.vertcat(motion(t) + ca.sin(q[2]), -ca.cos(q[2]))
        return q[:2] - end

    inertia = 0 if massless else 0.3

    def kinetic(q, u):
        return ca.dot(u[:2], u[:2]) / 2 + inertia * u[2] ** 2 / 2

    return Projected(lagrangian(3, kinetic, lambda q: GRAVITY * q[1], closure))


@pytest.mark.parametrize("massless", [True, False])
def test_a_pendulum_whose_pivot_is_driven(massless):
    """Rows that depend on time, and a mass matrix definite only where the rows allow motion."""
    held = swing(lambda t: 0.3 * ca.sin(2 * t), massless)
    inertia = 1.0 if massless else 1.3

    def reduced(t, x):
        pivot = -1.2 * np.sin(2 * t)
        return x[1], -(GRAVITY * np.sin(x[0]) + pivot * np.cos(x[0])) / inertia

    exact = solve_ivp(reduced, (0, 5), [0.7, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    q = np.array([np.sin(0.7), -np.cos(0.7), 0.7])
    track = run(held, np.r_[q, 0.6, 0.0, 0.0], 5.0, 1e-11)
    assert abs(track.x[-1, 2] - exact.y[0, -1]) < 1e-9
    assert residuals(held, track)[1] < 1e-12


def test_everything_driven():
    """Where no freedom is left, the motion is that of the driver, and λ is its effort."""

    def closure(t, q):
        return q - ca.vertcat(ca.sin(3 * t), t**2)

    held = Projected(lagrangian(2, lambda q, u: ca.dot(u, u), lambda q: 0, closure))
    track = run(held, np.array([0.0, 0.0, 3.0, 0.0]), 1.0, 1e-9)
    assert abs(track.x[-1] - [np.sin(3), 1.0, 3 * np.cos(3), 2.0]).max() < 1e-12
    effort = held.multipliers(track.t, track.x[:, :2], track.x[:, 2:])
    assert (
        abs(effort - 2 * np.stack([9 * np.sin(3 * track.t), -2 + 0 * track.t], -1)).max() < 1e-8
    )


def test_a_top_in_euler_parameters():
    """A body held at a point by three rows: W is not square, and q has an invariant."""
    t, q, u = ca.SX.sym("t"), ca.SX.sym("q", 7), ca.SX.sym("u", 6)
    e0, e = q[3], q[4:7]
    rotation = (e0**2 - ca.dot(e, e)) * ca.SX.eye(3) + 2 * (e @ e.T + e0 * ca.skew(e))
    spread = ca.vertcat(-e.T, e0 * ca.SX.eye(3) + ca.skew(e)) / 2
    kinematics = ca.diagcat(ca.SX.eye(3), spread), ca.SX.zeros(7)
    inertia, arm, omega = ca.diag(ca.SX([0.3, 0.3, 0.2])), ca.SX([0, 0, 0.5]), u[3:]
    mass = ca.diagcat(2 * ca.SX.eye(3), inertia)
    force = ca.vertcat(0, 0, -2 * GRAVITY, -ca.cross(omega, inertia @ omega))
    rows = ca.horzcat(ca.SX.eye(3), rotation @ ca.skew(arm)), ca.SX.zeros(3)
    unit = ca.vertcat(q[:3], q[3:] / ca.norm_2(q[3:]))
    position = q[:3] - rotation @ arm
    held = Projected(compiled((t, q, u), kinematics, mass, force, position, rows, unit))

    tilt, spin = 0.4, 30.0
    q0 = np.array([
        0,
        -0.5 * np.sin(tilt),
        0.5 * np.cos(tilt),
        np.cos(tilt / 2),
        np.sin(tilt / 2),
        0,
        0,
    ])
    track = run(held, np.r_[q0, 0, 0, 0, 0, 0, spin], 2.0, 1e-11)
    assert abs(np.sum(track.x[:, 3:7] ** 2, axis=1) - 1).max() < 1e-14
    across, along = 0.3 + 2 * 0.25, 0.2

    def reduced(t, x):  # Lagrange's top: inclination by its own equation, spins conserved
        drop, rate = np.cos(x[0]), np.sin(x[0])
        turn = along * spin * (np.cos(tilt) - drop) / (across * rate**2)
        moment = 2 * GRAVITY * 0.5 * rate - along * spin * turn * rate
        return x[1], (moment + across * turn**2 * rate * drop) / across

    exact = solve_ivp(reduced, (0, 2), [tilt, 0.0], method="DOP853", rtol=1e-12, atol=1e-13)
    assert abs(track.x[-1, 2] - 0.5 * np.cos(exact.y[0, -1])) < 1e-9


def test_auxiliary_states_go_along():
    """ṡ is evaluated on the constraints: here it adds up the path of a pendulum."""
    t, q, u, s = (ca.SX.sym(n, k) for n, k in (("t", 1), ("q", 2), ("u", 2), ("s", 1)))
    row = (ca.dot(q, q) - 1) / 2
    rows = ca.jacobian(row, q), ca.SX.zeros(1)
    identity = ca.SX.eye(2), ca.SX.zeros(2)
    force = ca.vertcat(0, -GRAVITY) * 0
    held = Projected(
        compiled((t, q, u, s), identity, ca.SX.eye(2), force, row, rows, auxiliary=ca.norm_2(u))
    )
    track = run(held, np.array([1.0, 0, 0, 2.0, 0]), 3.0, 1e-10)
    assert abs(track.x[-1, 4] - 6.0) < 1e-8


# --- order, failure, questions ------------------------------------------------------------


def test_the_order_of_a_method_is_untouched():
    held = four_bar()
    x0 = np.r_[open_branch(PLAIN, pi / 2), np.zeros(3)]
    exact = run(held, x0, 1.0, 1e-13).x[-1, 0]

    def error(step: float) -> float:
        return abs(solve(problem(held), RK4(step), 0.0, x0, 1.0).x[-1, 0] - exact)

    assert error(0.02) / error(0.01) == pytest.approx(16, rel=0.25)


def test_what_cannot_be_projected_is_not_a_number():
    held = Projected(
        lagrangian(1, lambda q, u: u[0] ** 2, lambda q: 0, lambda t, q: q[0] ** 2 + 1)
    )
    q, u = held.points(np.zeros(3), np.array([[0.3], [1.0], [2.0]]), np.ones((3, 1)))
    assert np.isnan(q).all()
    assert np.isnan(u).all()
    assert np.isnan(held.derivatives(0.0, np.ones(1), np.ones(1))[1]).all()
    track = solve(problem(held), DOP853(), 0.0, np.ones(2), 1.0)
    assert track.status == "non-finite"


def test_a_rod_that_reaches_its_end_stops_the_integration():
    """x² + y² = 1 with y driven past 1: beyond, no position meets the constraints."""
    held = Projected(
        lagrangian(
            2,
            lambda q, u: ca.dot(u, u) / 2,
            lambda q: 0,
            lambda t, q: ca.vertcat(ca.dot(q, q) - 1, q[1] - t),
        )
    )
    track = solve(problem(held), DOP853(), 0.0, np.array([1.0, 0, 0, 1]), 2.0, rtol=1e-6)
    assert track.status in {"non-finite", "smallest step"}
    assert abs(track.until_reached - 1) < 1e-3


def test_many_points_at_once():
    held = four_bar()
    near = np.stack([open_branch(PLAIN, angle) for angle in np.linspace(0.3, 6, 12)])
    off = near + 1e-4 * np.random.default_rng(1).standard_normal(near.shape)
    q, u = held.points(0.0, off.reshape(3, 4, 3), np.ones(3))
    assert q.shape == u.shape == (3, 4, 3)
    found = held.diagnose(np.zeros((3, 4)), q, u)
    assert found.position.max() < 1e-13
    assert found.velocity.max() < 1e-13
    assert (found.rank == 2).all()
    assert (found.smallest > 0.1).all()
    assert abs(q.reshape(12, 3) - near).max() < 1e-3
    again, _ = held.points(0.0, q, u)
    assert abs(again - q).max() < 1e-13


def test_the_correction_is_least_in_the_mass_metric():
    held, q = four_bar(), open_branch(PLAIN, 1.0)
    given = (np.zeros(1), q, np.ones(3), *[np.zeros(0)] * 4)
    _, u = held.points(0.0, q, np.ones(3))
    (mass,), (rows, _) = held.machine.mass(*given), held.machine.velocity(*given)
    change = mass @ (u - 1)
    along = np.linalg.svd(rows)[2][2]
    assert abs(rows @ u).max() < 1e-14
    assert abs(along @ change) < 1e-13


def test_the_flat_position_is_diagnosed():
    held = ladder(2)
    angles = np.array([0.5, pi / 2, 2.0])
    states = np.stack([ladder_state(2, angle, 1.0) for angle in angles])
    found = held.diagnose(np.zeros(3), states[:, :5], states[:, 5:])
    assert found.rank.tolist() == [4, 2, 4]
    assert found.smallest[1] < 1e-15
    assert found.velocity.max() < 1e-15


# --- messages -----------------------------------------------------------------------------


def changed(**changes) -> Constrained:
    machine = four_bar().machine
    fields = {name: getattr(machine, name) for name in Constrained.__dataclass_fields__}
    return Constrained(**fields | changes)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"position": None}, "a machine with constraints needs the kernel 'position'."),
        ({"mh": 1}, "the kernel 'position' must give 1 × 1, got 2 × 1."),
        ({"ns": 2}, "a machine with constraints needs the kernel 'auxiliary'."),
        ({"row_scale": np.zeros(2)}, "row_scale must be 2 positive numbers, got [0. 0.]."),
    ],
)
def test_machines_that_do_not_fit(changes, message):
    with pytest.raises(OptionError) as caught:
        changed(**changes)
    assert str(caught.value) == message


def test_kernels_that_do_not_fit():
    from bellcrank.kernels.build import build

    symbols = [ca.SX.sym(n, k) for n, k in zip("tqu", (1, 3, 3), strict=True)]
    names = ["t", "q", "u"]
    short = build(ca.Function("mass", symbols, [ca.SX.ones(3, 3)], names, ["A"]))
    with pytest.raises(OptionError) as caught:
        changed(mass=short)
    assert str(caught.value) == "the kernel 'mass' must take t, q, u, s, w, p, k, got t, q, u."
    sparse = build(ca.Function("mass", symbols, [ca.SX.eye(3)], names, ["A"]))
    with pytest.raises(OptionError) as caught:
        changed(mass=sparse)
    assert str(caught.value) == (
        "output 'A' of the kernel 'mass' must be full, but has structural zeros. Densify it."
    )


# --- code ---------------------------------------------------------------------------------


def test_the_routine_is_free_of_python():
    """Its object code calls kernels and the C library's square root, nothing else."""
    from numba import types

    from bellcrank.constraints.native.near_singular import project
    from bellcrank.integrators.native.build import freed

    code = freed(project, types.void(*[types.int64] * 5), "project")
    names = [each.name for each in code.functions if each.is_declaration]
    assert [name for name in names if not name.startswith("llvm.")] == ["sqrt"]
