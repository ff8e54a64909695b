"""The constraint library: every kind of row against derivatives and against formulas.

In the Euler-parameter form C is Φ_q itself, in the ω′ form C = Φ_q W; γ of one is never mixed
with the Jacobian of the other.
"""

import numpy as np
import pytest
from tests.formulations.cartesian.complex_step import along, slope
from tests.formulations.cartesian.embedded import ALL, FORMS, State, embedded, in_joints
from tests.laws.evaluation import Evaluated

import bellcrank as bc
from bellcrank.testing import state

pytestmark = pytest.mark.slow

JOINTS = {
    "Spherical": 3, "Revolute": 5, "Universal": 4, "Cylindrical": 4, "Prismatic": 5,
    "Screw": 5, "Fixed": 6, "Planar": 3,
}  # fmt: skip
"""Every joint and its number of rows (J03, J05 to J10)."""


def some(rng, count=3):
    return tuple(float(x) for x in rng.normal(size=count))


def pair(kind="Free", seed=0, **more):
    """Return a body on a free joint and another one tied to it, both turned in the drawing."""
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    axis, other, at = (tuple(map(float, x)) for x in (Q[:, 0], Q[:, 1], rng.normal(size=3)))
    p = rng.normal(size=4)
    pose = bc.Pose(some(rng), tuple(float(x) for x in p / np.linalg.norm(p)))
    inertia = (1.0, 1.1, 1.3, 0.1, -0.05, 0.02)
    bodies = [
        bc.Body("i", mass=1.2, com=some(rng), inertia=inertia, pose=pose),
        bc.Body("j", mass=0.7, com=some(rng), inertia=inertia),
    ]
    options = {"at": at}
    if kind == "Universal":
        options |= {"axis1": axis, "axis2": other}
    elif kind not in ("Spherical", "Fixed", "Free"):
        options |= {"axis": axis}
    options |= {"pitch": 0.4} if kind == "Screw" else {}
    joints = [
        bc.Free("I", "ground", "i", at=some(rng)),
        getattr(bc, kind)("J", "i", "j", **options),
    ]
    return bc.Model("pair", bodies=bodies, joints=joints, **more)


CONSTRAINTS = {
    "Distance": lambda r: bc.Distance("x", ("i", some(r)), ("j", some(r)), length=1.3),
    "PointOnLine": lambda r: bc.PointOnLine("x", ("i", some(r)), "j", some(r), some(r)),
    "PointOnPlane": lambda r: bc.PointOnPlane("x", ("j", some(r)), "i", some(r), some(r)),
    "Parallel": lambda r: bc.Parallel("x", "i", "j", some(r), some(r)),
    "Perpendicular": lambda r: bc.Perpendicular("x", "i", "j", some(r), some(r)),
    "RollingDisc": lambda r: bc.RollingDisc(
        "x", "j", center=some(r), axis=some(r), radius=0.4, surface="i"
    ),
}
DRIVERS = {
    "distance of a point": ("Free", {"of": "tip", "position_y": "sin(2*t)"}),
    "translation": ("Prismatic", {"of": "J", "offset": "sin(2*t) + t**2"}),
    "rotation": ("Revolute", {"of": "J", "angle": "5*t + t**3"}),
    "pins": ("Universal", {"of": "J", "angle1": "sin(t)", "angle2": "t**2"}),
}


def built(kind, seed):
    """Return a machine with rows of some kind."""
    rng = np.random.default_rng(100 + seed)
    if kind in JOINTS:
        return pair(kind, seed)
    if kind in CONSTRAINTS:
        return pair(seed=seed, constraints=[CONSTRAINTS[kind](rng)])
    joint, motion = DRIVERS[kind]
    driver = bc.Drive("x", motion["of"], **{k: v for k, v in motion.items() if k != "of"})
    points = [bc.Point("tip", "j", at=some(rng))]
    return pair(joint, seed, points=points, drivers=[driver])


def at_a_state(kind, formulation, seed=0):
    """Return the machine where its joints hold; constraints and drivers need not."""
    model = built(kind, seed)
    seen = in_joints(model, state(model, seed), t=0.3)
    return embedded(model, formulation, seen)


def arguments(here, q=None, u=None, t=None):
    """Return the arguments of a slot."""
    sizes = here.machine.equations.sizes
    rest = [np.zeros(sizes[name]) for name in ("s", "w", "p", "k")]
    q, u = here.q if q is None else q, here.u if u is None else u
    return [np.array([here.t if t is None else t]), q, u, *rest]


def rows(here, name="velocity", **moved):
    found = here.machine.equations.function(name).call(arguments(here, **moved))
    return [np.array(x.full()) for x in found]


EVERY = pytest.mark.parametrize(
    ("kind", "formulation"),
    [(kind, form) for kind in (*JOINTS, *CONSTRAINTS, *DRIVERS) for form in FORMS]
    + [(kind, form) for kind in ("Revolute", "Distance") for form in ALL[2:]],
    ids=lambda part: part if isinstance(part, str) else f"{part.form}-{part.reference}",
)


@EVERY
def test_jacobians_are_derivatives(kind, formulation):
    """H01, J01 to J11: C = Φ_q W by complex step, 1e-11; with an angle by differences."""
    here = at_a_state(kind, formulation)
    equations = here.machine.equations
    W = rows(here, "kinematics")[0]
    C = rows(here)[0]
    mh = sum(row.level == "position" for row in equations.rows)
    found = along(equations.function("position"), arguments(here), 1, W)
    turning = kind in ("Screw", "rotation", "pins")
    scale = max(1.0, np.abs(C).max())
    np.testing.assert_allclose(C[:mh] / scale, found / scale, atol=1e-10 if turning else 1e-11)


@EVERY
def test_right_hand_sides_are_rates(kind, formulation):
    """H01: ν = −Φ_t, and C u̇ − γ is the rate of C u − ν along any motion, 1e-7."""
    here = at_a_state(kind, formulation, seed=1)
    equations = here.machine.equations
    a = np.random.default_rng(1).normal(size=len(here.u))

    def rate(q, tau):
        W = rows(here, "kinematics", q=q)[0]
        return W @ (here.u + a * tau)

    def moved(tau, steps=10):
        q, h = here.q, tau / steps
        for n in range(steps):
            r = n * h
            k1 = rate(q, r)
            k2 = rate(q + h / 2 * k1, r + h / 2)
            k3 = rate(q + h / 2 * k2, r + h / 2)
            k4 = rate(q + h * k3, r + h)
            q = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return q

    def gap(tau):
        u = here.u + a * tau
        C, nu = rows(here, q=moved(tau) if tau else here.q, u=u, t=here.t + tau)
        return C @ u - nu[:, 0]

    C, gamma = rows(here)[0], rows(here, "acceleration")[0][:, 0]
    found = C @ a - gamma
    scale = 1 + np.abs(found).max()
    np.testing.assert_allclose(found / scale, slope(gap) / scale, atol=1e-7)
    mh = sum(row.level == "position" for row in equations.rows)
    if mh:
        by_time = slope(lambda tau: rows(here, "position", t=here.t + tau)[0][:, 0])
        nu = rows(here)[1][:mh, 0]
        np.testing.assert_allclose(nu, -by_time, atol=1e-8)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
@pytest.mark.parametrize("kind", JOINTS)
def test_ranks(kind, formulation):
    """J03, J05, J06, J07, J08, J09, J10: every row of a joint counts, norms beside them."""
    here = at_a_state(kind, formulation, seed=2)
    C = rows(here)[0]
    norms = 2 if formulation.form == "euler" else 0
    assert len(C) == JOINTS[kind] + norms
    sigma = np.linalg.svd(C, compute_uv=False)
    assert sigma[-1] > 1e-3 * sigma[0]


# --- the formulas of the library, by NumPy alone


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


def A_of(p):
    e0, e = p[0], p[1:]
    return (e0**2 - e @ e) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * skew(e)


def G_of(p):
    return np.column_stack([-p[1:], p[0] * np.eye(3) - skew(p[1:])])


def B_of(p, s):
    """B(p, s′) = 2 [(e0 I + ẽ) s′ | e s′ᵀ − (e0 I + ẽ) s̃′]."""
    E = p[0] * np.eye(3) + skew(p[1:])
    return 2 * np.column_stack([E @ s, np.outer(p[1:], s) - E @ skew(s)])


class Bodies:
    """r, p, ṙ, ω′ and ṗ of the two bodies of a pair, and their points and axes."""

    def __init__(self, here):
        self.here, self.euler = here, "euler" in here.machine.equations.formulation
        self.model = here.machine.model
        n = 7 if self.euler else 6
        self.r, self.p = (
            [here.q[7 * b : 7 * b + 3] for b in (0, 1)],
            [here.q[7 * b + 3 : 7 * b + 7] for b in (0, 1)],
        )
        self.v = [here.u[n * b : n * b + 3] for b in (0, 1)]
        turn = [here.u[n * b + 3 : n * b + n] for b in (0, 1)]
        if self.euler:
            self.pd = turn
            self.w = [2 * G_of(p) @ pd for p, pd in zip(self.p, turn, strict=True)]
        else:
            self.w, self.pd = (
                turn,
                [0.5 * G_of(p).T @ w for p, w in zip(self.p, turn, strict=True)],
            )
        self.A = [A_of(p) for p in self.p]

    def own(self, b, vector):
        """Return a direction of the drawing along the body."""
        return np.array(self.model.bodies[b].pose.rotation, dtype=float).T @ vector

    def arm(self, b, point):
        """Return a point of the drawing from the mass centre, along the body."""
        return self.own(b, np.array(point) - np.array(self.model.bodies[b].com, dtype=float))

    def turns(self, b, a):
        """Return the derivative of A a′ by ω′, or by p in the Euler-parameter form."""
        return B_of(self.p[b], a) if self.euler else -self.A[b] @ skew(a)

    def once(self, b, a):
        """a⁽¹⁾ = A ω̃′ a′."""
        return self.A[b] @ np.cross(self.w[b], a)

    def twice(self, b, a):
        """a⁽²⁾ = B(ṗ, a′) ṗ or A ω̃′ω̃′ a′."""
        if self.euler:
            return B_of(self.pd[b], a) @ self.pd[b]
        return self.A[b] @ np.cross(self.w[b], np.cross(self.w[b], a))


def direct(kind, formulation, element):
    """Return C and γ of the last row of a pair with a constraint, and its bodies."""
    model = pair(seed=4, constraints=[element])
    here = embedded(model, formulation, in_joints(model, state(model, 4)))
    return rows(here)[0], rows(here, "acceleration")[0][:, 0], Bodies(here)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_dot_1(formulation):
    """J01: a_i·a_j with γ = −(a_j·a_i⁽²⁾ + a_i·a_j⁽²⁾ + 2 a_i⁽¹⁾·a_j⁽¹⁾)."""
    axes = [np.array(x) / np.linalg.norm(x) for x in ((1.0, 2, 3), (-2.0, 1, 0.5))]
    element = bc.Perpendicular("x", "i", "j", *(tuple(map(float, a)) for a in axes))
    C, gamma, on = direct("Perpendicular", formulation, element)
    own = [on.own(b, axes[b]) for b in (0, 1)]
    ai, aj = (on.A[b] @ own[b] for b in (0, 1))
    row = np.concatenate([np.zeros(3), aj @ on.turns(0, own[0]),
                          np.zeros(3), ai @ on.turns(1, own[1])])  # fmt: skip
    np.testing.assert_allclose(C[-1], row, atol=1e-12)
    known = -(
        aj @ on.twice(0, own[0])
        + ai @ on.twice(1, own[1])
        + 2 * on.once(0, own[0]) @ on.once(1, own[1])
    )
    assert gamma[-1] == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_dot_2(formulation):
    """J02: a_i·d with γ = −(d·a_i⁽²⁾ + a_i·d⁽²⁾ + 2 a_i⁽¹⁾·ḋ)."""
    axis, origin, tip = np.array([0.6, 0.0, 0.8]), (0.2, -0.4, 1.0), (0.5, 0.3, -0.2)
    element = bc.PointOnPlane("x", ("j", tip), "i", origin, tuple(map(float, axis)))
    C, gamma, on = direct("PointOnPlane", formulation, element)
    a, si, sj = on.own(0, axis), on.arm(0, origin), on.arm(1, tip)
    ai = on.A[0] @ a
    d = on.r[1] + on.A[1] @ sj - on.r[0] - on.A[0] @ si
    dd = on.v[1] + on.once(1, sj) - on.v[0] - on.once(0, si)
    row = np.concatenate([-ai, d @ on.turns(0, a) - ai @ on.turns(0, si),
                          ai, ai @ on.turns(1, sj)])  # fmt: skip
    np.testing.assert_allclose(C[-1], row, atol=1e-12)
    bend = on.twice(1, sj) - on.twice(0, si)
    known = -(d @ on.twice(0, a) + ai @ bend + 2 * on.once(0, a) @ dd)
    assert gamma[-1] == pytest.approx(known, abs=1e-12)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_distance(formulation):
    """J04: d·d − C² over 2C, with γ = −(ḋ·ḋ + d·d⁽²⁾)/C; J03: d, with γ = −d⁽²⁾."""
    ends = (0.2, -0.4, 1.0), (0.5, 0.3, -0.2)
    element = bc.Distance("x", ("i", ends[0]), ("j", ends[1]), length=1.3)
    C, gamma, on = direct("Distance", formulation, element)
    si, sj = on.arm(0, ends[0]), on.arm(1, ends[1])
    d = on.r[1] + on.A[1] @ sj - on.r[0] - on.A[0] @ si
    dd = on.v[1] + on.once(1, sj) - on.v[0] - on.once(0, si)
    ball = np.hstack([-np.eye(3), -on.turns(0, si), np.eye(3), on.turns(1, sj)])
    np.testing.assert_allclose(C[-1], d @ ball / 1.3, atol=1e-12)
    bend = on.twice(1, sj) - on.twice(0, si)
    assert gamma[-1] == pytest.approx(-(dd @ dd + d @ bend) / 1.3, abs=1e-12)


def test_the_two_forms_of_rows_differ_by_the_norm_alone():
    """4.7: Φ_p = 2 Φ_π′ G modulo p, and γ of one form is not that of the other."""
    for kind in ("Revolute", "Prismatic", "Universal", "Fixed"):
        omega, euler = (at_a_state(kind, form, seed=3) for form in FORMS)
        C, D = rows(omega)[0], rows(euler)[0][2:]
        for b in (0, 1):
            p = omega.q[7 * b + 3 : 7 * b + 7]
            away = np.eye(4) - np.outer(p, p)
            by_p = D[:, 7 * b + 3 : 7 * b + 7] @ away
            np.testing.assert_allclose(
                by_p, 2 * C[:, 6 * b + 3 : 6 * b + 6] @ G_of(p), atol=1e-12
            )
        gammas = (rows(omega, "acceleration")[0], rows(euler, "acceleration")[0][2:])
        assert np.abs(gammas[0] - gammas[1]).max() > 1e-3


def test_virtual_displacements_leave_time_alone():
    """H22: δq with Φ_q δq = 0 exist while Φ_t ≠ 0, and the motion itself is none of them."""
    here = at_a_state("translation", FORMS[1])
    C, nu = rows(here)
    _, sigma, Vt = np.linalg.svd(C)
    free = Vt[len(sigma) :].T
    assert np.abs(C @ free).max() < 1e-12
    assert abs(nu[-1, 0]) > 0.1
    seen = State(Evaluated(here.machine.model, FORMS[1]), here.q, here.u, here.t)
    assert seen.slot("velocity")[1][-1, 0] == pytest.approx(nu[-1, 0])
