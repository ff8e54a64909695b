"""Speeds and rows eliminated together or apart: one motion, by code as long as the machine.

What the straight-line functions give is held against dense factors of the slots themselves.
"""

from itertools import pairwise

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.constraints import gauss, straight_line_code
from bellcrank.constraints.assembly.freedom import independent_rows, neighbours
from bellcrank.constraints.elimination_order import elimination_order
from bellcrank.linear import fill
from bellcrank.linear.pivots import Pivots, pivots
from bellcrank.machine.start import initial_state

pytestmark = pytest.mark.slow

GRAVITY = (0.0, 0.0, -9.81)


def chain(n, thin=True, closed=False):
    """Return n rods or capsules on hinges about x and y in turn; closed, on balls, a loop."""
    ends = [(0.3 * (k % 2), 0.0, -0.3 * k) for k in range(n + 1)]
    names = ["ground", *(f"rod{k}" for k in range(1, n + 1))]
    bodies = []
    for k in range(n):
        ends_of = ends[k], ends[k + 1]
        shape = (
            bc.Rod(*ends_of, mass=1.0 + k)
            if thin
            else bc.Capsule(*ends_of, radius=0.05, mass=1.0 + k)
        )
        bodies.append(bc.Body(names[k + 1], shape))
    joints: list[bc.Revolute | bc.Spherical] = [
        bc.Spherical(f"J{k + 1}", names[k], names[k + 1], at=ends[k])
        if closed and k
        else bc.Revolute(f"J{k + 1}", names[k], names[k + 1], at=ends[k], axis="xy"[k % 2])
        for k in range(n)
    ]
    if closed:
        joints.append(bc.Spherical("close", names[n], "ground", at=ends[n]))
    return bc.Model("chain", bodies=bodies, joints=joints, gravity=GRAVITY)


class Case:
    """A machine at a state off its drawing that moves, and rows chosen there."""

    def __init__(self, model, formulation):
        self.system = bc.compile(model, formulation, level=0)
        self.equations = self.system.equations
        picture = bc.compile(model, level=0)
        self.p, self.w = self.system.parameter_vector(), np.zeros(0)
        start = {"J1.angle": 0.1, "J1.angle_rate": 1.5}
        picture = picture if self.equations.has("embed") else None
        self.x = initial_state(self.system, start, 0.0, self.w, self.p, picture)
        self.states = [self.x, *neighbours(self.system, 0.0, self.x, self.w, self.p)]
        self.rows = independent_rows(self.system, 0.0, self.states, self.w, self.p)
        self.scale = [row.scale for row in self.equations.rows]

    def order(self):
        """Return the order of saddle-point elimination."""
        given = self.system, 0.0, self.states, self.w, self.p, self.rows
        return elimination_order(*given)

    def arguments(self):
        """Return the arguments of slots."""
        nq, nu = len(self.system.coordinates), len(self.system.speeds)
        found = [np.zeros(1), self.x[:nq], self.x[nq : nq + nu], np.zeros(0), self.w, self.p]
        return [*found, self.system.modes(found)]

    def motion(self, order):
        """Return the straight-line function."""
        return straight_line_code.motion(self.equations, self.rows, self.scale, order)

    def check(self, order):
        """Hold u̇ and speeds against dense factors, and q̇ against W u + x."""
        arguments = self.arguments()
        found = self.motion(order)(*arguments)
        qd, ud, u, left, watch = (np.array(part).ravel() for part in found)
        (A,), (f,), (C, _), (gamma,) = (
            self.system.ask(slot, arguments)
            for slot in ("mass", "force", "velocity", "acceleration")
        )
        expected = gauss.accelerations(A, f, C, gamma, np.array(self.scale))
        np.testing.assert_allclose(ud, expected, atol=1e-9 * (1 + np.abs(expected).max()))
        np.testing.assert_allclose(u, arguments[2], atol=1e-11)
        W, x = self.system.ask("kinematics", arguments)
        np.testing.assert_allclose(qd, W @ u + x, atol=1e-12)
        assert left[0] < 1e-12
        assert 1e-3 < watch[0] <= 1.0 + 1e-9


@pytest.mark.parametrize(("thin", "closed"), [(True, False), (False, False), (False, True)])
def test_natural_points_and_rows_together(thin, closed):
    case = Case(chain(5, thin, closed), bc.Natural())
    order = case.order()
    assert order is not None
    case.check(order)
    case.check(None)


@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Cartesian()], ids=["kane", "cartesian"])
def test_thin_bodies_cost_what_others_do(formulation):
    """Rods have no inertia about themselves; code stays linear in their number."""
    short, double = (Case(chain(n), formulation) for n in (4, 8))
    short.check(None)
    double.check(None)
    lengths = [case.motion(None).n_instructions() for case in (short, double)]
    assert lengths[1] < 2.4 * lengths[0]
    assert double.order() is None  # apart they are short enough


def test_correction_closes_what_is_open():
    """One Newton step: the residual after it is of second order in that before."""
    case = Case(chain(5), bc.Natural())
    step = straight_line_code.correction(case.equations, case.rows, case.scale, case.order())
    arguments, sizes = case.arguments(), []
    push = np.random.default_rng(1).normal(size=arguments[1].size)
    arguments[1] = arguments[1] + 1e-4 * push
    for _ in range(4):
        q, size, watch = step(*arguments)
        arguments[1] = np.array(q).ravel()
        sizes.append(float(size))
        assert float(watch) > 1e-3
    assert 1e-6 < sizes[0] < 1e-2
    assert sizes[1] < 100 * sizes[0] ** 2
    assert sizes[3] < 1e-13


def test_natural_code_is_as_long_as_the_chain():
    lengths = []
    for n in (5, 10):
        case = Case(chain(n), bc.Natural())
        lengths.append(case.motion(case.order()).n_instructions())
    assert lengths[1] < 2.4 * lengths[0]


def random_saddle(seed, n=8, m=4):
    noise = np.random.default_rng(seed)
    L, C = noise.normal(size=(n, n)), noise.normal(size=(m, n))
    return L @ L.T + n * np.eye(n), C


def test_owners_go_together_and_rows_follow():
    M, C = random_saddle(1)
    owners = list("aabbccdd")
    found = pivots([(M, C)], owners)
    assert found is not None
    assert sorted(found.order) == list(range(12))
    speeds = [owners[k] for k in found.order if k < 8]
    assert sum(a != b for a, b in pairwise(speeds)) == 3
    assert Pivots.from_bytes(found.to_bytes()) == found
    assert Pivots.from_bytes(b"") is None


def test_rows_that_repeat_others_have_no_order():
    M, C = random_saddle(2)
    assert pivots([(M, np.vstack([C, C[0] + C[1]]))], list("aabbccdd")) is None


def test_products_of_full_and_of_tied_matrices():
    """Of a full matrix n (n² − 1) / 6; none where nothing meets anything."""
    full = np.ones((7, 7), dtype=bool)
    assert fill.saddle_point(full, np.zeros((0, 7), dtype=bool), range(7)) == 7 * 48 // 6
    assert fill.schur(np.eye(7, dtype=bool), np.zeros((0, 7), dtype=bool)) == 0
    # Two rows, each of one unknown: one product each in S, and one each by elimination.
    M, C = np.eye(2, dtype=bool), np.eye(2, dtype=bool)
    assert fill.schur(M, C) == 2
    assert fill.saddle_point(M, C, (0, 2, 1, 3)) == 2


def test_indefinite_systems_in_a_given_order():
    """Factors in a given order solve what a dense solver does."""
    from bellcrank.linear.straight_line import Factored

    M, C = random_saddle(3)
    K = np.block([[M, C.T], [C, np.zeros((4, 4))]])
    found = pivots([(M, C)], list("aabbccdd"))
    assert found is not None
    lower = {(i, j): float(K[i, j]) for i in range(12) for j in range(i + 1) if K[i, j]}
    b = np.random.default_rng(4).normal(size=12)
    x = Factored(12, lower, order=found.order).solve(dict(enumerate(map(float, b))))
    expected = np.linalg.solve(K, b)
    np.testing.assert_allclose([x[i] for i in range(12)], expected, atol=1e-11)
