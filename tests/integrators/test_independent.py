"""Independent coordinates: accelerations of multipliers, and constraints that hold."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import examples
from bellcrank.constraints.assembly.closing import Held, close
from bellcrank.constraints.baumgarte import Baumgarte, Stabilized
from bellcrank.constraints.directions import partition, tangent
from bellcrank.constraints.independent import Chart, Independent
from bellcrank.constraints.projecting import projection
from bellcrank.kernels.entries import each_point
from bellcrank.linear import rank
from bellcrank.machine.start import initial_state
from bellcrank.testing import machine

WAYS = ("tangent", "partition")


# --- machines -----------------------------------------------------------------------------


def some_body(name, rng):
    return bc.Body(
        name,
        mass=float(rng.uniform(1, 2)),
        com=tuple(rng.normal(size=3)),
        inertia=(*rng.uniform(1.0, 1.5, size=3), 0.1, 0.05, -0.1),
    )


def haug(*, closed):
    """Return ground-revolute-1-universal-2-cylindrical-3 with springs, of 5 degrees of freedom.

    With `closed` every body is free and the joints are constraints.
    """
    rng = np.random.default_rng(4)
    joints = [
        bc.Revolute("R", "ground", "one", at=(0, 0, 0), axis=(0.2, 1, 0.1)),
        bc.Universal("U", "one", "two", at=(1, 0.1, 0), axis1="x", axis2="y"),
        bc.Cylindrical("C", "two", "three", at=(1.5, 0.2, -0.3), axis=(1, 0.3, 0.2)),
    ]
    names = ("one", "two", "three")
    free = [bc.Free(f"F{name}", "ground", name) for name in names] if closed else []
    return bc.Model(
        "chain",
        bodies=[some_body(name, rng) for name in names],
        joints=[*free, *joints],
        forces=[
            bc.SpringDamper(
                "spring", ("ground", (1, 1, 0)), ("three", (2, 0, 0)),
                stiffness=40.0, damping=0.5, length=1.2,
            ),
            *([] if closed else [bc.JointSpring("twist", "R", stiffness=3.0, damping=0.2)]),
        ],
    )  # fmt: skip


def spherical_tree():
    """Return six bodies joined by spheres, the first of them free: 21 degrees of freedom."""
    rng = np.random.default_rng(7)
    lower = (0, 1, 1, 2, 3, 3)
    return bc.Model(
        "tree",
        bodies=[some_body(f"B{K}", rng) for K in range(1, 7)],
        joints=[
            *(bc.Free(f"F{K}", "ground", f"B{K}") for K in range(1, 7)),
            *(
                bc.Spherical(f"S{K}", f"B{lower[K - 1]}", f"B{K}", at=tuple(rng.normal(size=3)))
                for K in range(2, 7)
            ),
        ],
    )


def looped(kind, seed):
    """Return a random tree with a joint, a constraint or a driver that closes a loop."""
    rng = np.random.default_rng(seed)
    tree = machine(("Spherical", "Revolute", "Universal", "Revolute"), seed=seed)
    at, axis = tuple(rng.normal(size=3)), tuple(rng.normal(size=3))
    match kind:
        case "Spherical":
            return tree.add(bc.Spherical("loop", "B4", "ground", at=at))
        case "Cylindrical":
            return tree.add(bc.Cylindrical("loop", "ground", "B4", at=at, axis=axis))
        case "Distance":
            return tree.add(bc.Distance("loop", ("B4", at), ("B1", axis)))
        case "driven":
            tree = tree.add(bc.Spherical("loop", "B4", "ground", at=at))
            return tree.add(bc.Drive("drive", "J2", angle="0.3*sin(2*t)"))
        case "rolling":
            terms = {"B4.velocity_x": 1.0, "B2.angular_velocity_y": "0.3 + J2.angle"}
            rolling = bc.VelocityConstraint("rolling", terms, equals="0.2*cos(t)")
            return tree.add(bc.Spherical("loop", "B4", "ground", at=at), rolling)
        case "nonholonomic":
            terms = {"B4.velocity_x": 1.0, "B2.angular_velocity_y": "0.3 + J2.angle"}
            return tree.add(bc.VelocityConstraint("rolling", terms, equals="0.2*cos(t)"))
        case _:
            raise AssertionError(kind)


KINDS = ("Spherical", "Cylindrical", "Distance", "driven", "rolling", "nonholonomic")


class Place:
    """A machine at a consistent random state."""

    def __init__(self, model, seed=0, t=0.3):
        rng = np.random.default_rng(seed)
        self.system = system = bc.compile(model)
        held = projection(system)
        assert held is not None
        self.held, self.machine, self.t = held, held.machine, t
        p = system.parameter_vector()
        start = initial_state(system, None, t, np.zeros(0), p)
        nq, nu = self.machine.nq, self.machine.nu
        k = np.ones(len(system.equations.memory))
        self.rest = (np.zeros(0), np.zeros(0), p, k)
        drawn = start + np.concatenate([0.1 * rng.normal(size=nq), rng.normal(size=nu)])
        nothing = Held(np.zeros(nu, dtype=bool), np.zeros(nu, dtype=bool))
        self.q, self.u = np.split(close(system, t, drawn, np.zeros(0), p, nothing), [nq])

    @property
    def given(self):
        """The arguments of a kernel."""
        return [np.array([self.t]), self.q, self.u, *self.rest]

    def ask(self, slot):
        """Return the first output of a kernel there."""
        sizes = {"mass": (self.machine.nu, self.machine.nu), "velocity": (self.machine.m, -1)}
        found = getattr(self.machine, slot)(*self.given)
        return found[0].reshape(sizes[slot]) if slot in sizes else found[0]

    def accelerations(self):
        """Return u̇ of A u̇ + Cᵀ λ = f, C u̇ = γ."""
        A, C = self.ask("mass"), self.ask("velocity")
        gamma, m = self.ask("acceleration"), self.machine.m
        matrix = np.block([[A, C.T], [C, np.zeros((m, m))]])
        right = np.concatenate([self.ask("force"), gamma])
        return np.linalg.lstsq(matrix, right, rcond=1e-12)[0][: self.machine.nu]

    def chart(self, by):
        """Return independent coordinates with their base there."""
        return Chart(self.machine, Independent(by), self.given)

    def inside(self, chart):
        """Return v and w of the state."""
        y = chart.inside(np.concatenate([self.q, self.u]))
        return y[: chart.nv], y[chart.nv :]


# --- directions ---------------------------------------------------------------------------


def test_rows_that_repeat_others_are_left_out():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(3, 6))
    repeated = np.vstack([rows, rng.normal(size=(2, 3)) @ rows])
    found = rank.independent(repeated)
    assert len(found) == 3
    assert np.linalg.matrix_rank(repeated[found]) == 3
    assert rank.independent(np.zeros((0, 4))) == []


def test_tangent_directions_are_orthonormal_in_the_metric_of_the_mass():
    rng = np.random.default_rng(2)
    rows, root = rng.normal(size=(2, 5)), rng.normal(size=(5, 5))
    A = root @ root.T
    F, T = tangent(rows, A)
    np.testing.assert_allclose(rows @ T, 0, atol=1e-13)
    np.testing.assert_allclose(F @ T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(T.T @ A @ T, np.eye(3), atol=1e-12)


def test_tangent_directions_where_mass_is_definite_on_the_constraints_only():
    rows, A = np.array([[1.0, 0.0, 1.0]]), np.diag([0.0, 2.0, 3.0])
    F, T = tangent(rows, A)
    np.testing.assert_allclose(rows @ T, 0, atol=1e-14)
    np.testing.assert_allclose(F @ T, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(T.T @ A @ T, np.eye(2), atol=1e-14)


def test_a_partition_is_some_of_the_speeds():
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(2, 5))
    F, T = partition(rows, np.ones(5))
    np.testing.assert_allclose(rows @ T, 0, atol=1e-13)
    np.testing.assert_array_equal(F @ T, np.eye(3))
    assert sorted(F.sum(axis=1)) == [1, 1, 1]


# --- accelerations ------------------------------------------------------------------------


@pytest.mark.parametrize("by", WAYS)
def test_eliminated_speeds_meet_the_constraints(by):
    """S07: residual below 1e-12 after elimination, for any independent speeds."""
    for kind in ("Cylindrical", "driven", "nonholonomic", "rolling"):
        place = Place(looped(kind, 3))
        chart = place.chart(by)
        v, _ = place.inside(chart)
        w = np.random.default_rng(5).normal(size=chart.nw)
        place.q, place.u = chart.ask("point", place.t, v, w, *place.rest)
        C, nu = place.ask("velocity"), place.machine.velocity(*place.given)[1]
        assert np.abs(C @ place.u - nu).max() < 1e-12
        np.testing.assert_allclose(chart.base.F @ place.u, w, atol=1e-12)


@pytest.mark.parametrize("by", WAYS)
def test_reduced_equations_of_a_tree_of_spheres(by):
    """S08: reduced = KKT accelerations to 1e-10, six bodies, 21 degrees of freedom."""
    place = Place(spherical_tree())
    chart = place.chart(by)
    assert (chart.nv, chart.nw) == (21, 21)
    ud, _ = chart.ask("accelerations", place.t, *place.inside(chart), *place.rest)
    assert np.abs(ud - place.accelerations()).max() < 1e-10 * max(1.0, np.abs(ud).max())


@pytest.mark.parametrize("by", WAYS)
def test_independent_coordinates_have_the_accelerations_of_multipliers(by):
    """H10, H11: = KKT accelerations to 1e-9."""
    place = Place(haug(closed=True))
    chart = place.chart(by)
    assert (chart.nv, chart.nw) == (5, 5)
    ud, _ = chart.ask("accelerations", place.t, *place.inside(chart), *place.rest)
    np.testing.assert_allclose(ud, place.accelerations(), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_all_modes_have_the_same_accelerations(kind, seed):
    """At common consistent states of random looped machines, to 1e-8."""
    place = Place(looped(kind, seed), seed)
    expected = place.accelerations()
    _, projected, _ = place.held.derivatives(place.t, place.q, place.u, *place.rest)
    found = {"project": projected}
    rhs = Stabilized(place.machine, Baumgarte()).rhs
    sizes, work = (place.machine.nq, place.machine.nu, 0), np.zeros(rhs.work)
    arguments = (place.t, place.q, place.u, *place.rest)
    found["baumgarte"] = each_point(rhs, arguments, sizes, work)[1]
    for by in WAYS:
        chart = place.chart(by)
        inside = place.inside(chart)
        found[by], _ = chart.ask("accelerations", place.t, *inside, *place.rest)
    C = place.ask("velocity") / place.machine.row_scale[:, None]
    condition = np.linalg.cond(C)
    scale = max(1.0, np.abs(expected).max())
    for mode, ud in found.items():
        error = np.abs(ud - expected).max() / scale
        assert error < 1e-8, f"{mode}: {error:.1e} at condition {condition:.1e}"


@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize("kind", ["Cylindrical", "driven", "rolling"])
def test_rates_are_derivatives_along_the_motion(by, kind):
    """Mapped back, v̇ and ẇ move q and u as W u + x and u̇ do, away from the base too."""
    place = Place(looped(kind, 1))
    chart = place.chart(by)
    v, w = place.inside(chart)
    v, h = v + 0.05, 1e-5
    vd, wd, _ = chart.ask("rates", place.t, v, w, *place.rest)
    ud, _ = chart.ask("accelerations", place.t, v, w, *place.rest)
    _, u = chart.ask("point", place.t, v, w, *place.rest)
    ends = [
        chart.ask("point", place.t + e, v + e * vd, w + e * wd, *place.rest) for e in (h, -h)
    ]
    (q1, u1), (q0, u0) = ends
    place.q, place.u = chart.ask("point", place.t, v, w, *place.rest)
    W, x = place.machine.kinematics(*place.given)
    np.testing.assert_allclose((q1 - q0) / (2 * h), W @ u + x, atol=1e-7)
    scale = 1 + np.abs(ud).max()
    np.testing.assert_allclose((u1 - u0) / (2 * h) / scale, ud / scale, atol=1e-7)


@pytest.mark.parametrize("by", WAYS)
def test_the_term_quadratic_in_independent_speeds(by):
    """H21: (Ψ_v v̇)_v v̇ = U B γ, against finite differences of Ψ_v v̇, to 1e-7."""
    model = bc.Model(
        "two loops",
        bodies=[some_body(name, np.random.default_rng(9)) for name in "abc"],
        joints=[
            bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis="z"),
            bc.Universal("B", "a", "b", at=(1, 0, 0), axis1="z", axis2="y"),
            bc.Cylindrical("C", "ground", "c", at=(2, 1, 0), axis=(0.2, 0.1, 1)),
        ],
        constraints=[bc.Distance("rod", ("b", (2, 0.3, 0)), ("c", (2, 1, 0.4)))],
    )
    place = Place(model, 2)
    assert place.system.equations.second_order
    chart = place.chart(by)
    v, w = place.inside(chart)
    _, drift = chart.ask("accelerations", place.t, v, w, *place.rest)
    h = 2e-5
    ahead, behind = (chart.ask("point", place.t, v + e * w, w, *place.rest)[1] for e in (h, -h))
    np.testing.assert_allclose((ahead - behind) / (2 * h), drift, atol=1e-7)
    assert np.abs(drift).max() > 0.1


# --- runs ---------------------------------------------------------------------------------


@pytest.mark.parametrize("by", WAYS)
def test_a_run_keeps_the_constraints(by):
    """H10: |Φ| < 1e-12 after 0.6 s with re-basings; the tree moves alike to 1e-9."""
    mode = Independent(by, rebase=0.3)
    tight = {"rtol": 1e-11, "atol": 1e-12, "every": 0.1}
    model = haug(closed=False).without("twist")
    run = bc.simulate(haug(closed=True), 0.6, constraints=mode, **tight)
    tree = bc.simulate(model, 0.6, **tight)
    assert run.statistics["rebasings"] >= 1
    assert np.abs(run.values("constraint_residual")).max() < 1e-12
    for name in ("one", "two", "three"):
        np.testing.assert_allclose(
            run.values(f"{name}.position"), tree.values(f"{name}.position"), atol=1e-9
        )


@pytest.mark.parametrize("late", [0.25, 0.5])
def test_no_run_is_done_with_states_that_are_not_there(monkeypatch, late):
    """Between steps, or at the end: what is recorded ends before the first such place."""
    outside = Chart.outside

    def lost(self, t, y, w, k, what="point"):
        x = outside(self, t, y, w, k, what)
        return x if t < late or what != "point" else np.full_like(x, np.nan)

    monkeypatch.setattr(Chart, "outside", lost)
    with pytest.raises(bc.IntegrationFailed, match="is not finite") as failed:
        bc.simulate(examples.load("four-bar"), 0.5, every=0.1, constraints="independent")
    run = failed.value.run
    assert run.t[-1] < late
    assert all(np.isfinite(run.values(name)).all() for name in run.states)


def test_a_machine_without_freedom_follows_its_driver():
    model = bc.Model(
        "driven",
        planar=True,
        bodies=[bc.Body("bar", bc.Rod((0, 0), (1, 0), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "bar", at=(0, 0))],
        drivers=[bc.Drive("motor", "A", angle="sin(t)")],
    )
    run = bc.simulate(model, 1.0, constraints="independent")
    np.testing.assert_allclose(run.values("A.angle"), np.sin(run.t), atol=1e-13)
    np.testing.assert_allclose(run.values("A.angle_rate"), np.cos(run.t), atol=1e-13)


def turned(run):
    """Return how far the ladder's posts turned, and their rate less that of one pendulum.

    Posts are parallel, beams move along: I = 5/3 + 4 kg m², and g (5/2 + 4) m of weight acts.
    """
    angle, rate = run.values("P0.angle")[-1], run.values("P0.angle_rate")[-1]
    return angle, abs(rate) - np.sqrt(1 + 2 * 9.81 * 6.5 * (1 - np.cos(angle)) / (5 / 3 + 4))


@pytest.mark.slow
@pytest.mark.parametrize("by", WAYS)
@pytest.mark.parametrize(
    "formulation", [bc.JointCoordinates(), bc.Kane("absolute fixed"), bc.Cartesian()], ids=repr
)
def test_steps_past_a_flat_position_keep_their_order(formulation, by):
    """A ladder falls through its flat position: errors of Gauss2 go with h⁴ for all lengths.

    Of these lengths a stage comes as near to it as θ = 1.1e-3 to 5e-3 rad, ends of steps
    5e-4 rad, where rounding makes ε/θ³ of accelerations, 2e-9 to 1e-6.
    """
    model, errors = examples.load("ladder"), []
    for count in (200, 236, 272, 308, 344, 376):
        run = bc.simulate(
            model, 1.0, start={"P0.angle_rate": -1}, formulation=formulation,
            integrator=bc.Gauss2(step=1 / count), constraints=bc.Independent(by),
        )  # fmt: skip
        angle, error = turned(run)
        assert angle < -np.pi / 2
        errors.append(error * (count / 200) ** 4)
    assert np.ptp(errors) < 0.1 * abs(errors[0]) + 1e-10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Independent("tangents"),
            "Independent: by takes 'tangent' or 'partition', got 'tangents'.",
        ),
        (
            lambda: Independent(rebase=0.0),
            "Independent: rebase must be a positive number, got 0.0.",
        ),
        (
            lambda: Independent(iterations=0),
            "Independent: iterations must be at least 1, got 0.",
        ),
        (
            lambda: Independent(growth=1.0),
            "Independent: growth must be a number above 1, got 1.0.",
        ),
        (
            lambda: Baumgarte(alpha=-1.0),
            "Baumgarte: alpha must be a number of at least zero, got -1.0.",
        ),
    ],
)
def test_knobs_that_make_no_sense(make, message):
    with pytest.raises(bc.OptionError) as caught:
        make()
    assert str(caught.value) == message
