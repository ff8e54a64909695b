"""Rows of the specification through public names: solids, tangent space, points and vectors.

Machines are drawn by seed, with eight digits and tilted axes; numbers come from quadrature,
from sums over mass points, from differences, or from Newton and Euler.
"""

import ctypes
from functools import partial

import numpy as np
import pytest
from tests.counting import calls
from tests.model.quadrature import revolved, rotation

import bellcrank as bc
from bellcrank import examples
from bellcrank.kernels.build import ENTRIES, Kernel, kernel
from bellcrank.kernels.entries import KERNEL
from bellcrank.machine.system import System


def integrals(points, weights, mass):
    """Return centre and inertia about it of a solid of even density."""
    w = weights * mass / weights.sum()
    centre = w @ points / mass
    s = points - centre
    outer = np.einsum("n,ni,nj->ij", w, s, s)
    return centre, np.trace(outer) * np.eye(3) - outer


@pytest.mark.parametrize("kind", ["Cylinder", "Cone", "Sphere"])
def test_H05_solids_that_stand_askew(kind):
    """Centre and inertia of a body of one shape, about any axis, by quadrature to 1e-12."""
    rng = np.random.default_rng(7)
    m, r, h = rng.uniform(0.3, 2, 3)
    R, at = rotation(rng), rng.normal(size=3)
    profile = {
        "Cylinder": (0, h, lambda z: r**2 + 0 * z),
        "Cone": (0, h, lambda z: (r * (1 - z / h)) ** 2),
        "Sphere": (-r, r, lambda z: r**2 - z**2),
    }[kind]
    points, weights = revolved(profile)
    centre, J = integrals(points @ R.T + at, weights, m)
    end = at + h * R[:, 2]
    shape = bc.Sphere(r, center=at, mass=m) if kind == "Sphere" else (
        getattr(bc, kind)(at, end, radius=r, mass=m)
    )  # fmt: skip
    found = bc.mass_properties(bc.Body("b", shape))
    np.testing.assert_allclose(found.com, centre, atol=1e-12 * np.abs(centre).max())
    np.testing.assert_allclose(found.inertia, J, atol=1e-12 * np.abs(J).max())


def test_H06_a_body_of_many_shapes_is_the_sum_over_its_mass_points():
    """Rotation, parallel axes and composition at once: shapes against a cloud of points."""
    rng = np.random.default_rng(3)
    shapes, points, weights = [], [], []
    for _ in range(4):
        m, r, h = rng.uniform(0.3, 2, 3)
        R, at = rotation(rng), rng.normal(size=3)
        shapes.append(bc.Cylinder(at, at + h * R[:, 2], radius=r, mass=m))
        p, w = revolved((0, h, lambda z, r=r: r**2 + 0 * z))
        points.append(p @ R.T + at)
        weights.append(w * m / w.sum())
    whole = np.concatenate(weights)
    centre, J = integrals(np.concatenate(points), whole, whole.sum())
    found = bc.mass_properties(bc.Body("b", *shapes))
    assert found.mass == pytest.approx(whole.sum(), rel=1e-12)
    np.testing.assert_allclose(found.com, centre, atol=1e-12)
    np.testing.assert_allclose(found.inertia, J, atol=1e-12 * np.abs(J).max())


FORMS = [bc.Cartesian("euler"), bc.Cartesian(), bc.Natural(), bc.Kane()]


@pytest.fixture(scope="module", params=FORMS, ids=repr)
def pendulum(request):
    """A double pendulum in a formulation in which its joints are rows, moving."""
    system = bc.compile(examples.load("double-pendulum"), request.param)
    return system, *system.pack({"A": 0.2, "A.angle_rate": 1.3, "B": 0.4})


def test_tangent_space_is_orthonormal_and_on_the_constraints(pendulum):
    """H10: Vᵀ V = 1, Vᵀ U = 0, Φ(Ψ(v)) = 0; two coordinates are left of any number."""
    system, q, _ = pendulum
    there = system.constraints.at(q)
    assert there.V.shape[1] == 2
    np.testing.assert_allclose(there.V.T @ there.V, np.eye(2), atol=1e-14)
    np.testing.assert_allclose(there.V.T @ there.U, 0, atol=1e-13)
    moved = there.Psi([0.05, -0.08])
    assert np.abs(system.constraints.residual(moved)).max() < 1e-12
    np.testing.assert_allclose(there.V.T @ (moved - q), [0.05, -0.08], atol=1e-12)
    B = there.B(moved) @ system.constraints.matrix(moved)[
        [system.constraints.names.index(name) for name in there.rows]
    ] @ there.U  # fmt: skip
    np.testing.assert_allclose(B, np.eye(len(B)), atol=1e-11)


def test_H21_the_term_quadratic_in_independent_rates(pendulum):
    """Ψ_v against differences of Ψ; (Ψ_v v̂̇)_v v̇ = U B γ against those of Ψ_v v̇, to 1e-7."""
    system, q, _ = pendulum
    there = system.constraints.at(q)
    v, rate, h = np.array([0.05, -0.08]), np.array([0.7, 1.1]), 1e-3

    def slope(f):
        return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)

    here = there.Psi(v)
    along = slope(lambda k: there.Psi(v + k * rate))
    np.testing.assert_allclose(there.Psi_v(here) @ rate, along, atol=1e-8)
    bent = slope(lambda k: there.Psi_v(there.Psi(v + k * rate)) @ rate)
    W = system.ask("kinematics", system.at_rest(0.0, here, np.zeros(0), np.zeros(0)))[0]
    u = np.linalg.lstsq(W, there.Psi_v(here) @ rate, rcond=None)[0]
    np.testing.assert_allclose(there.bending(here, u), bent, atol=1e-7)
    assert np.abs(bent).max() > 0.03


def test_H17_the_projection_of_every_run(pendulum):
    """From 1e-3 beside the constraints to 1e-13, in positions and in speeds."""
    system, q, u = pendulum
    rng = np.random.default_rng(5)
    off = q + 1e-3 * rng.standard_normal(len(q))
    assert np.abs(system.constraints.residual(off)).max() > 5e-4
    found, speeds = system.constraints.project(off, u + 1e-3 * rng.standard_normal(len(u)))
    assert np.abs(system.constraints.residual(found)).max() < 1e-13
    assert np.abs(found - q).max() < 1e-2
    rows = bc.equations(examples.load("double-pendulum"), _formulation(system))
    C, nu = rows.constraint_matrix(found), _right_side(rows, found)
    np.testing.assert_allclose(C @ speeds, nu, atol=1e-12)


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian()], ids=repr)
def test_H17_the_projector_of_a_run_takes_six_iterations_at_most(formulation):
    """From 1e-3 off the constraints to 1e-13: evaluations of Φ are counted."""
    model, noted = examples.load("four-bar"), []

    def counted(key, make, **how):
        found = kernel(key, make, **how)
        return counting(found, noted) if key.startswith("position of ") else found

    joints = partial(bc.compile, model)
    system = System(formulation.equations(model), build=counted, picture=joints)
    q, u = system.pack({"A": 0.2})
    system.constraints.project(q, u)  # here it learns how many rows are independent
    rng = np.random.default_rng(5)
    off = q + 2e-3 * rng.standard_normal(len(q))
    assert np.abs(system.constraints.residual(off)).max() > 5e-4
    noted.clear()
    found, _ = system.constraints.project(off, u)
    assert 1 <= len(noted) - 1 <= 6  # the last one finds that nothing is left to do
    assert np.abs(system.constraints.residual(found)).max() < 1e-13


def counting(made, noted):
    """Return a kernel that notes every call."""

    @KERNEL
    def call(*tables):
        noted.append(1)
        KERNEL(made.address)(*tables)

    address = ctypes.cast(call, ctypes.c_void_p).value
    library = dict(zip(ENTRIES, (address, made.batch_address), strict=True))
    found = Kernel("counted", made.inputs, made.outputs, library,
                   work=made.work, lanes=made.lanes)  # fmt: skip
    KEPT.append(call)
    return found


KEPT = []  # what native code calls lives as long as the tests


def _formulation(system):
    return next(f for f in FORMS if repr(f) == system.equations.formulation)


def _right_side(equations, q):
    if "velocity_right_side" in equations.quantities:
        return equations.velocity_right_side(q)
    return -equations.constraint_remainder(q)


def test_multipliers_are_the_same_in_every_formulation():
    """λ by the name of its row; H15, H18: Q^C = −Cᵀλ is what A u̇ − f lacks."""
    model = examples.load("double-pendulum")
    start, seen = {"A": 0.5, "A.angle_rate": 1.0, "B": 0.3}, []
    names = [f"{joint}.multiplier_{part}" for joint in "AB" for part in (
        "x", "y", "z", "tilt1", "tilt2")]  # fmt: skip
    for formulation in FORMS:
        state = bc.assemble(model, start, formulation=formulation)
        seen.append([state[name] for name in names])
        equations = bc.equations(model, formulation)
        if isinstance(formulation, bc.Kane) or formulation == bc.Cartesian():
            ud = state.system.rates(state.arguments)
            lacking = equations.mass_matrix(state.q) @ ud - equations.force(state.q, state.u)
            forces = [equations.constraint_force[joint](
                state.q, state.u, [state[f"{joint}.multiplier_{part}"] for part in (
                    "x", "y", "z", "tilt1", "tilt2")]) for joint in "AB"]  # fmt: skip
            np.testing.assert_allclose(sum(forces), lacking, atol=1e-10)
    np.testing.assert_allclose(seen, np.broadcast_to(seen[0], np.shape(seen)), atol=1e-9)
    assert np.abs(seen).max() > 1.0
    run = bc.simulate(model, 0.1, start=start, formulation=bc.Kane())
    np.testing.assert_allclose([run[name].values[0] for name in names], seen[3], atol=1e-9)
    assert run["A.multiplier_z"].attrs["units"] == "N"
    assert set(names) <= set(run.names)


def test_multipliers_are_names_of_a_result_like_all_others(tmp_path):
    """Listed with units, in print, tables, files and events; nothing is computed for it."""
    model = examples.load("five-freedoms")
    run = bc.simulate(model, 0.1, every=0.01, formulation=bc.Cartesian())
    rows = [row.name for row in bc.equations(model, bc.Cartesian()).rows]
    names = [name for name in run.names if ".multiplier_" in name]
    assert len(names) == len(rows)
    assert f"multipliers  {len(names)}: " in str(run)
    assert "C.multiplier_across1" in run._ipython_key_completions_()
    first, again = (calls(lambda: run["C.multiplier_across1"]) for _ in range(2))
    assert first > 2 * again  # it is computed when it is asked for, and then kept
    assert run.dataset["U.multiplier_pins"].attrs["units"] == "N m"
    run.save(tmp_path / "run.nc")
    assert bc.load(tmp_path / "run.nc") == run
    run.save(tmp_path / "run.csv")
    assert set(names) <= set((tmp_path / "run.csv").read_text().splitlines()[0].split(","))
    half = float(run["C.multiplier_across1"].values[[0, -1]].mean())
    event = bc.Event("half", f"C.multiplier_across1 - {half!r}")
    (hit,) = bc.simulate(model, 0.1, events=[event], formulation=bc.Cartesian()).events
    assert 0 < hit.time < 0.1
    other = bc.simulate(model, 0.1, every=0.01, formulation=bc.Cartesian(assembled=True))
    for name in names:  # the backend of large machines
        np.testing.assert_allclose(other[name], run[name], rtol=1e-6, atol=1e-6)


def test_multipliers_of_the_momentum_form_are_those_of_forces():
    """A machine led by its joints: λ without accelerations, and with them."""
    model = examples.load("astronaut")
    one, two = (
        bc.simulate(model, 0.1, every=0.05, formulation=f)
        for f in (bc.Momentum(), bc.Cartesian())
    )
    names = [name for name in one.names if ".multiplier_" in name]
    assert len(names) == 12
    for name in names:
        np.testing.assert_allclose(one[name], two[name], atol=1e-7)


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), *FORMS], ids=repr)
def test_forces_of_elements_add_up_to_what_is_applied(formulation):
    """Σ Qᴬ is the force at rest, where inertia needs nothing."""
    model = examples.load("suspension")
    equations = bc.equations(model, formulation)
    q, u = bc.compile(model, formulation).pack()
    total = sum(force(q, 0 * u) for force in equations.element_force.values())
    wanted = equations.force(q, 0 * u)
    np.testing.assert_allclose(total, wanted, atol=1e-10 * np.abs(wanted).max())
    assert set(equations.element_force) == {"strut", "gravity"}


def askew(seed, planar=False):
    """A body between two hinges whose axes stand askew to the line between them."""
    rng = np.random.default_rng(seed)
    size = 2 if planar else 3
    A, B, *rest = rng.normal(size=(6, size))
    axes = {} if planar else {"axis": tuple(rng.normal(size=3))}
    inertia = np.diag(rng.uniform(1, 2, 3)) if planar else (
        (R := rotation(rng)) @ np.diag(rng.uniform(1, 2, 3)) @ R.T
    )  # fmt: skip
    bodies = [bc.Body("a", mass=1.3, com=tuple(rest[0]), inertia=inertia.tolist()),
              bc.Body("b", mass=0.7, com=tuple(rest[1]), inertia=inertia.tolist())]  # fmt: skip
    return bc.Model(
        "askew", planar=planar, bodies=bodies,
        joints=[bc.Revolute("A", "ground", "a", at=tuple(A), **axes),
                bc.Revolute("B", "a", "b", at=tuple(B), **axes)],
        points=[bc.Point(f"p{i}", "ab"[i % 2], tuple(at)) for i, at in enumerate(rest)],
    )  # fmt: skip


@pytest.mark.parametrize("planar", [True, False], ids=["C01, C02", "C12"])
@pytest.mark.parametrize("seed", range(3))
def test_places_of_points_are_linear_in_points_and_vectors(seed, planar):
    """R = C q for every mass point, r_O = D q with a = −L⁻¹ρ_i, R carries the drawing."""
    model = askew(seed, planar)
    equations = bc.equations(model, bc.Natural())
    state = bc.assemble(model, {"A": 0.7, "B": -1.1}, formulation=bc.Natural())
    for point in model.points:
        C, rest = equations.place_matrix[point.name], equations.place_remainder[point.name]
        got = C(state.q) @ state.q + rest(state.q)
        wanted = state[f"{point.name}.position"][: len(got)]
        np.testing.assert_allclose(got, wanted, atol=1e-12)
    if not planar:
        skewed = [equations.length_matrix[body](state.q)[0, 1] for body in "ab"]
        assert np.abs(skewed).max() > 0.05  # ψ ≠ π/2
    rates = state.system.unpack(state.q, state.u)
    assert len(rates) > 2
    for body in "ab":
        v = equations.mass_centre_matrix[body](state.q) @ state.u
        np.testing.assert_allclose(v, state[f"{body}.velocity"][: len(v)], atol=1e-12)


@pytest.mark.parametrize("planar", [True, False], ids=["(16)", "(40)"])
def test_C16_C29_momenta_of_a_body_follow_forces_and_moments(planar):
    """d(Φ q̇)/dt = F and d(Ψ q̇)/dt = M about the origin, any F and M, to 1e-10."""
    rng = np.random.default_rng(2)
    force, torque, at = rng.normal(size=(3, 3))
    if planar:
        force[2], torque[:2], at[2] = 0, 0, 0
    R = np.eye(3) if planar else rotation(rng)
    J = R @ np.diag([1.1, 1.4, 1.9]) @ R.T
    com = (0.3, 0.2) if planar else (0.3, 0.2, -0.4)
    model = bc.Model(
        "pushed", planar=planar,
        bodies=[bc.Body("b", mass=1.7, com=com, inertia=J.tolist())],
        joints=[bc.Free("F", "ground", "b")],
        forces=[bc.Force("push", "b", vector=tuple(force), at=tuple(at[: 2 + (not planar)])),
                bc.Torque("twist", "b", vector=tuple(torque))],
    )  # fmt: skip
    equations = bc.equations(model, bc.Natural())
    turned = {
        "F.orientation": (0.98, 0, 0, 0.199) if planar else (0.8, 0.1, -0.5, 0.3),
        "F.angular_velocity": (0, 0, 1.2) if planar else (0.5, -1.0, 0.7),
    }
    state = bc.assemble(model, turned, formulation=bc.Natural())
    a = state.system.rates(state.arguments)
    h, q, u = 1e-3, state.q, state.u

    def momenta(k):
        """Return Q and H after k, along q̇ and q̈ (third order does not matter to a slope)."""
        there, rate = q + k * u + k * k / 2 * a, u + k * a
        return np.concatenate([equations.momentum_matrix(there) @ rate,
                               equations.angular_momentum_matrix(there) @ rate])  # fmt: skip

    got = (8 * (momenta(h) - momenta(-h)) - (momenta(2 * h) - momenta(-2 * h))) / (12 * h)
    moving = bc.assemble(model, turned)
    place = np.array(moving["b.position"])
    arm = np.array(moving["b.position"]) + _carried(moving, at - np.array([*com, 0.0][:3]))
    gravity = 1.7 * np.array([0, -9.81, 0] if planar else [0, 0, -9.81])
    F = force + gravity
    M = torque + np.cross(arm, force) + np.cross(place, gravity)
    wanted = np.array([*F[:2], M[2]]) if planar else np.array([*F, *M])
    np.testing.assert_allclose(got, wanted, atol=1e-10 * np.abs(wanted).max())


def _carried(state, direction):
    """Return a vector of body b, given in the drawing, as it stands."""
    e0, *e = state["b.orientation"]
    e = np.array(e)
    return direction + 2 * np.cross(e, np.cross(e, direction) + e0 * direction)


def test_the_momentum_form_has_the_names_of_all_formulations():
    model = examples.load("floating-arm")
    equations = bc.equations(model, bc.Momentum())
    q, _ = bc.compile(model, bc.Momentum()).pack()
    n = equations.mass_matrix(q).shape[0]
    assert equations.partial_velocity["hub"](q).shape == (2, n)
    np.testing.assert_allclose(equations.force(q), equations.right_side(q))
    A, B = equations.first_order_matrix(q), equations.first_order_right_side(q)
    assert (len(A), len(B)) == (6, 6)
