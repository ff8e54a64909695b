"""Single bodies: particles, planar and spatial ones, about any point of theirs."""

import numpy as np
import pytest
from tests.formulations.cartesian.embedded import ALL, FORMS, State, embedded, in_joints
from tests.formulations.cartesian.test_library import A_of, B_of, G_of, skew
from tests.laws.evaluation import Evaluated

import bellcrank as bc

g = 9.81
J = np.array([[1.0, 0.1, -0.05], [0.1, 1.4, 0.02], [-0.05, 0.02, 1.9]])
KEPT = (1.0, 1.4, 1.9, 0.1, -0.05, 0.02)


def free(**more):
    """Return a free body drawn away from its frame, under a force, a torque and gravity."""
    p = np.array([0.8, 0.2, -0.5, 0.3])
    pose = bc.Pose((0.3, -0.1, 0.4), tuple(float(x) for x in p / np.linalg.norm(p)))
    body = bc.Body("b", mass=2.0, com=(0.5, 0.2, -0.3), inertia=KEPT, pose=pose)
    forces = [
        bc.Force("F", "b", (1.0, -2.0, 0.5), at=(1.0, 0.4, 0.2)),
        bc.Torque("T", "b", (0.3, 0.1, -0.7)),
    ]
    joints = [bc.Free("J", "ground", "b", at=(0, 0, 0))]
    return bc.Model("free", bodies=[body], joints=joints, forces=forces, **more)


def turning(model, formulation):
    """Return a free body turning about all axes."""
    p = np.array([0.5, -0.3, 0.7, 0.1])
    values = {
        "J.position": (0.3, 1.0, -0.4), "J.orientation": tuple(p / np.linalg.norm(p)),
        "J.velocity": (0.2, -0.7, 0.5), "J.angular_velocity": (1.5, -0.8, 2.0),
    }  # fmt: skip
    seen = in_joints(model, values)
    return embedded(model, formulation, seen), seen


@pytest.mark.parametrize("formulation", ALL, ids=repr)
def test_euler_and_newton(formulation):
    """H04, H20: J′ω̇′ + ω̃′J′ω′ = n′ and m a = F, about the centroid or not, to 1e-12."""
    here, _ = turning(free(), formulation)
    pose, twist, acceleration = (x[:, 0] for x in here.bodies)
    A = A_of(pose[3:])
    w, dw = A.T @ twist[:3], A.T @ acceleration[:3]
    arm = A @ (np.array(here.machine.model["b"].pose.rotation, dtype=float).T @ [0.5, 0.2, 0.5])
    F = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(acceleration[3:], F / 2.0 - [0, 0, g], atol=1e-12)
    n = A.T @ (np.cross(arm, F) + np.array([0.3, 0.1, -0.7]))
    np.testing.assert_allclose(J @ dw + np.cross(w, J @ w), n, atol=1e-12)


def quantities(here):
    """Return M, S and Qᴬ by name."""
    equations = here.machine.equations
    names = ("mass_matrix", "velocity_quadratic", "generalized_force")
    return [getattr(equations, name)(here.q, here.u) for name in names]


def test_the_matrices_of_euler_parameters():
    """H04: M = diag(m I, 4 GᵀJ′G) of rank 6, S = (0, 8 ĠᵀJ′Ġ p), Q = (F, 2 Gᵀn′)."""
    here, seen = turning(free(), bc.Cartesian(form="euler"))
    M, S, Q = quantities(here)
    p, pd = here.q[3:], here.u[3:]
    G, Gd = G_of(p), G_of(pd)
    np.testing.assert_allclose(M[3:, 3:], 4 * G.T @ J @ G, atol=1e-13)
    np.testing.assert_allclose(M[:3, :3], 2.0 * np.eye(3), atol=1e-15)
    assert np.abs(M[:3, 3:]).max() == 0.0
    assert np.linalg.matrix_rank(M) == 6
    assert np.abs(M[3:, 3:] @ p).max() < 1e-14
    np.testing.assert_allclose(S, np.concatenate([np.zeros(3), 8 * Gd.T @ J @ Gd @ p]))
    torque, force = seen.slot("applied")[0][:3, 0], seen.slot("applied")[0][3:, 0]
    n = A_of(p).T @ torque
    np.testing.assert_allclose(Q, np.concatenate([force, 2 * G.T @ n]), atol=1e-12)


def test_the_matrices_of_angular_velocity():
    """4.3: M = diag(m I, J′), S = (0, −ω̃′J′ω′)."""
    here, _ = turning(free(), bc.Cartesian())
    M, S, _ = quantities(here)
    w = here.u[3:]
    known = np.block([[2.0 * np.eye(3), np.zeros((3, 3))], [np.zeros((3, 3)), J]])
    np.testing.assert_allclose(M, known, atol=1e-14)
    np.testing.assert_allclose(S[3:], -np.cross(w, J @ w), atol=1e-13)


def test_the_matrices_about_a_frame():
    """H20: [m I, −m A s̃′; m s̃′Aᵀ, J′_P] and (−m A ω̃′ω̃′s′, −ω̃′J′_P ω′)."""
    here, _ = turning(free(), bc.Cartesian(reference="frame"))
    M, S, _ = quantities(here)
    R = np.array(here.machine.model["b"].pose.rotation, dtype=float)
    s, A, w = R.T @ [0.2, 0.3, -0.7], A_of(here.q[3:]), here.u[3:]
    about = J + 2.0 * skew(s).T @ skew(s)
    known = np.block([[2.0 * np.eye(3), -2 * A @ skew(s)], [2 * skew(s) @ A.T, about]])
    np.testing.assert_allclose(M, known, atol=1e-13)
    np.testing.assert_allclose(S[:3], -2.0 * A @ np.cross(w, np.cross(w, s)), atol=1e-12)
    np.testing.assert_allclose(S[3:], -np.cross(w, about @ w), atol=1e-12)


def test_a_force_at_a_point():
    """H19: B(p, s′)ᵀF = 2 Gᵀs̃′AᵀF modulo p, to 1e-12."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        p, s, F = rng.normal(size=4), rng.normal(size=3), rng.normal(size=3)
        p /= np.linalg.norm(p)
        away = np.eye(4) - np.outer(p, p)
        known = away @ B_of(p, s).T @ F
        np.testing.assert_allclose(2 * G_of(p).T @ skew(s) @ A_of(p).T @ F, known, atol=1e-12)
    # And so the package has it: a unit force at a point, without gravity.
    model = free(gravity=(0, 0, 0)).without("T")
    here, _ = turning(model, bc.Cartesian(form="euler"))
    R = np.array(model["b"].pose.rotation, dtype=float)
    s, p = R.T @ [0.5, 0.2, 0.5], here.q[3:]
    away = np.eye(4) - np.outer(p, p)
    Q = here.machine.equations.generalized_force(here.q, here.u)
    np.testing.assert_allclose(Q[3:], away @ B_of(p, s).T @ [1.0, -2.0, 0.5], atol=1e-12)


@pytest.mark.parametrize("formulation", FORMS, ids=repr)
def test_a_symmetric_top_precesses(formulation):
    """H04: ω′ turns about its axis at (J3 − J1) ω3/J1, to 1e-10. Run at rtol 1e-13."""
    body = bc.Body("top", mass=1.0, com=(0, 0, 0), inertia=(1.0, 1.0, 1.6, 0, 0, 0))
    model = bc.Model(
        "top",
        gravity=(0, 0, 0),
        bodies=[body],
        joints=[bc.Free("J", "ground", "top", at=(0, 0, 0))],
    )
    run = bc.simulate(
        model, 2.0, start={"J.angular_velocity": (0.3, 0.0, 2.0)}, formulation=formulation,
        rtol=1e-13, atol=1e-14, every=0.5,
    )  # fmt: skip
    w = np.asarray(run.values("top.angular_velocity_body"))
    angle = 0.6 * 2.0 / 1.0 * np.asarray(run.t)
    known = np.stack([0.3 * np.cos(angle), 0.3 * np.sin(angle), 2.0 + 0 * angle], axis=1)
    np.testing.assert_allclose(w, known, atol=1e-10)
    p = np.asarray(run.values("top.orientation"))
    np.testing.assert_allclose((p * p).sum(axis=1), 1.0, atol=1e-12)


def strung(planar):
    """Return a particle on a string of 1.5 m."""
    at = (1.5, 0.0) if planar else (1.5, 0.0, 0.0)
    zero = (*at[1:], 0.0)
    return bc.Model(
        "string",
        planar=planar,
        bodies=[bc.Particle("bob", 2.0, at=at)],
        joints=[bc.Free("J", "ground", "bob", at=at)],
        constraints=[bc.Distance("string", ("ground", zero), ("bob", at))],
        gravity=(0, -g) if planar else (0, 0, -g),
    )


@pytest.mark.parametrize("planar", [True, False], ids=["plane", "space"])
def test_tension_of_a_string(planar):
    """H02: λ is the tension m (g cos θ + L θ̇²), to 1e-11; q is r alone."""
    model = strung(planar)
    machine = Evaluated(model, bc.Cartesian())
    assert len(machine.coordinates) == len(machine.speeds) == (2 if planar else 3)
    theta, rate, L = 0.7, 1.3, 1.5
    r, v = (
        L * np.array([np.sin(theta), -np.cos(theta)]),
        L * rate * np.array([np.cos(theta), np.sin(theta)]),
    )
    if not planar:
        r, v = (np.array([x[0], 0.0, x[1]]) for x in (r, v))
    here = State(machine, r, v)
    _, lam = here.solved
    assert lam[0] == pytest.approx(2.0 * (g * np.cos(theta) + L * rate**2), rel=1e-11)
    np.testing.assert_allclose(here.slot("position")[0], 0.0, atol=1e-15)


def test_a_pendulum_of_a_particle_swings():
    """1.1 A01: a point mass on a string, x and y after 1 s to 1e-9. Run at rtol 1e-12."""
    model = bc.Model(
        "A01",
        planar=True,
        bodies=[bc.Particle("bob", 1.0, at=(-1.0, 0.0))],
        joints=[bc.Free("J", "ground", "bob", at=(-1.0, 0.0))],
        constraints=[bc.Distance("bar", ("ground", (0, 0)), ("bob", (-1.0, 0.0)))],
        gravity=(0, -g),
    )
    run = bc.simulate(model, 1.0, formulation=bc.Cartesian(), rtol=1e-12, atol=1e-13, every=0.5)
    known = [(-0.391048791550546, -0.920369948785192), (0.986291751131875, -0.165010853125541)]
    np.testing.assert_allclose(run.values("bob.position")[1:, :2], known, atol=1e-9)


def flat(**more):
    """Return a planar body with its mass centre beside its frame, pushed and turned."""
    c, s = np.cos(0.4), np.sin(0.4)
    pose = bc.Pose(
        (0.2, -0.1, 0.0), ((float(c), float(-s), 0), (float(s), float(c), 0), (0, 0, 1))
    )
    body = bc.Body("b", mass=2.0, com=(0.5, 0.3), inertia=(1, 1, 0.7, 0, 0, 0), pose=pose)
    return bc.Model(
        "flat",
        planar=True,
        gravity=(0, -g),
        bodies=[body],
        joints=[bc.Planar("J", "ground", "b", at=(0, 0))],
        forces=[
            bc.Force("F", "b", (1.0, -2.0), at=(0.9, -0.4)),
            bc.Torque("T", "b", (0, 0, 0.6)),
        ],
        **more,
    )


@pytest.mark.parametrize("reference", ["centroid", "frame"])
def test_a_planar_body(reference):
    """H03: Newton and Euler about the centroid or not, to 1e-12; q is (x, y, φ)."""
    model = flat()
    formulation = bc.Cartesian(reference=reference)
    values = {"J.x": 0.3, "J.y": -0.5, "J.angle": 0.8}
    rates = {"J.x_rate": 0.3, "J.y_rate": -0.4, "J.angle_rate": 1.7}
    here = embedded(model, formulation, in_joints(model, values | rates))
    assert len(here.q) == len(here.u) == 3
    pose, _, acceleration = (x[:, 0] for x in here.bodies)
    R = A_of(pose[3:]) @ np.array(model["b"].pose.rotation, dtype=float).T
    arm, F = R @ [0.4, -0.7, 0.0], np.array([1.0, -2.0, 0.0])
    np.testing.assert_allclose(acceleration[3:], F / 2 - [0, g, 0], atol=1e-12)
    turn = (np.cross(arm, F)[2] + 0.6) / 0.7
    np.testing.assert_allclose(acceleration[:3], [0, 0, turn], atol=1e-12)
    if reference == "frame":
        M, S, _ = quantities(here)
        own = np.array(model["b"].pose.rotation, dtype=float).T @ [0.3, 0.4, 0.0]
        phi = here.q[2]
        A = np.array([[np.cos(phi), -np.sin(phi)], [np.sin(phi), np.cos(phi)]])
        side = 2.0 * A @ [-own[1], own[0]]
        known = [[2, 0, side[0]], [0, 2, side[1]], [*side, 0.7 + 2 * own @ own]]
        np.testing.assert_allclose(M, known, atol=1e-12)
        np.testing.assert_allclose(S, [*(2.0 * 1.7**2 * A @ own[:2]), 0.0], atol=1e-12)


def test_numbers_of_coordinates():
    """A planar machine of N bodies has 3N, a spatial one 7N and 6N or 7N speeds."""
    from tests.machines import looped

    for model in (looped.andrews(), looped.ladder(3), looped.slider_crank()):
        for formulation in ALL:
            equations = bc.equations(model, formulation)
            assert len(equations.coordinates) == len(equations.speeds) == 3 * len(model.bodies)
            assert equations.second_order
    model = looped.bricard()
    counts = {"omega": (35, 30, 30), "euler": (35, 35, 35)}
    for formulation in FORMS:
        found = bc.equations(model, formulation)
        sizes = len(found.coordinates), len(found.speeds), len(found.rows)
        assert sizes == counts[formulation.form]


def test_planar_loops_are_not_redundant():
    """A planar four-bar has eight rows of rank eight; in space it repeats three of them."""
    from tests.machines import looped

    system = bc.compile(looped.modelica(), bc.Cartesian(), level=0)
    assert len(system.equations.rows) == 8
    there = system.at_rest(0.0, system.pack()[0], np.zeros(0), system.parameter_vector())
    C = system.ask("velocity", there, level=0)[0]
    assert np.linalg.matrix_rank(C) == 8


def test_wrong_choices_are_listed():
    with pytest.raises(bc.OptionError) as caught:
        bc.Cartesian(form="quaternion", reference="com")  # type: ignore[arg-type]
    assert str(caught.value) == (
        "Cartesian: form takes 'omega' or 'euler', got 'quaternion'. "
        "reference takes 'centroid' or 'frame', got 'com'."
    )


def test_names_are_those_of_results():
    """Own coordinates may be named in a start, and are recorded."""
    model = free(gravity=(0, 0, 0)).without("F", "T")
    start = {"b.position": (1.0, 2.0, 3.0), "b.velocity": (0.5, 0.0, 0.0)}
    run = bc.simulate(model, 1.0, start=start, formulation=bc.Cartesian(), every=1.0)
    np.testing.assert_allclose(run.values("b.position")[-1], [1.5, 2, 3], atol=1e-12)
    again = bc.simulate(model, 2.0, start=run, formulation=bc.Cartesian(), every=1.0)
    np.testing.assert_allclose(again.values("b.position")[-1], [2.0, 2, 3], atol=1e-12)
    run = bc.simulate(model, 1.0, formulation=bc.Cartesian("euler", "frame"), every=1.0)
    assert run.values("b.origin").shape == (2, 3)
    assert run.values("b.orientation_rate").shape == (2, 4)
