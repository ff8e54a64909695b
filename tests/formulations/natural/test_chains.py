"""The chains of the paper's two tables come out of the general code, number by number.

Rows C07, C08, C17, C18, C19, C24 and C25. Momentum is summed over bodies or over quadrature
points of rods; equations that were solved are never evaluated again as a test.
"""

import casadi as ca
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.formulations.momentum.arms import PlanarArm, SpatialArm
from tests.laws.evaluation import Evaluated

import bellcrank as bc
from bellcrank.constraints import gauss

pytestmark = pytest.mark.slow

PLANAR, SPATIAL = PlanarArm(), SpatialArm()


def matrices(model):
    """Return Φ and Ψ of a machine."""
    e = bc.equations(model, bc.Natural())
    return e, e.momentum_matrix, e.angular_momentum_matrix


def test_c07_table_1_gives_the_printed_matrices():
    """(17), (19) and (21), to 1e-14, at any q."""
    e, Phi, Psi = matrices(PLANAR.model())
    assert [v.name for v in e.coordinates] == [
        f"{name}.{axis}" for name in ("hub", "shoulder", "elbow", "tip") for axis in "xy"
    ]
    assert [row.kind for row in e.rows if row.level == "position"][:3] == ["rigid"] * 3
    assert e.mass_kind == "constant"
    q = np.random.default_rng(1).normal(size=8)
    x1, y1, x2, y2, x3, y3, x4, y4 = q
    m1, m2, m3 = PLANAR.m
    k = PLANAR.J / PLANAR.l[0] ** 2
    c = [m1, m2 / 2, (m2 + m3) / 2, m3 / 2]
    np.testing.assert_allclose(Phi(q), np.kron([c], np.eye(2)), atol=1e-14)
    printed = [
        -(k + m1) * y1 + k * y2,
        (k + m1) * x1 - k * x2,
        k * y1 - (k + m2 / 3) * y2 - m2 / 6 * y3,
        -k * x1 + (k + m2 / 3) * x2 + m2 / 6 * x3,
        -m2 / 6 * y2 - (m2 + m3) / 3 * y3 - m3 / 6 * y4,
        m2 / 6 * x2 + (m2 + m3) / 3 * x3 + m3 / 6 * x4,
        -m3 / 6 * (y3 + 2 * y4),
        m3 / 6 * (x3 + 2 * x4),
    ]
    np.testing.assert_allclose(Psi(q)[0], printed, atol=1e-14)


def test_c08_the_torque_free_planar_system_has_rank_6_of_8():
    """(22), (23): momenta and lengths, 6 rows; their entries are the printed ones."""
    _, Phi, Psi = matrices(PLANAR.model())
    q = np.concatenate(PLANAR.points((0.3, 0.7, -0.4)))
    C = Evaluated(PLANAR.model(), bc.Natural())("velocity", q, np.zeros(8))[0][:3]
    A = np.vstack([Psi(q), Phi(q), C])
    sigma = np.linalg.svd(A, compute_uv=False)
    assert A.shape == (6, 8)
    assert sigma[-1] > 1e-2
    d = np.diff(q.reshape(4, 2), axis=0)
    for k in range(3):
        row = np.zeros(8)
        row[2 * k : 2 * k + 4] = [*-d[k], *d[k]]
        np.testing.assert_allclose(C[k] * PLANAR.l[k], row, atol=1e-14)


def spatial_state(seed=0):
    """Return the arm in some motion: q, q̇ of [r1 r2 r3 r4 u v], and the reference's state."""
    rng = np.random.default_rng(seed)
    p, gamma = rng.normal(size=4), rng.uniform(-1, 1, 3)
    w, rate = rng.normal(size=3), rng.normal(size=3)
    r, v, Rs, ws = SPATIAL.motion(p, gamma, w, rate)
    shift, drift = rng.normal(size=(2, 3))
    r, v = r + shift, v + drift
    u, axis = SPATIAL.l[0] * Rs[0][:, 1], SPATIAL.l[1] * Rs[1][:, 1]
    q = np.concatenate([*r, u, axis])
    qd = np.concatenate([*v, np.cross(ws[0], u), np.cross(ws[1], axis)])
    return q, qd, (r, v, Rs, ws)


def quadrature(r, v, Rs, ws):
    """Return H about the origin: the hub by its moments, each rod by three points."""
    J = Rs[0] @ np.diag(SPATIAL.J) @ Rs[0].T
    Q, H = SPATIAL.m[0] * v[0], SPATIAL.m[0] * np.cross(r[0], v[0]) + J @ ws[0]
    nodes, weights = np.polynomial.legendre.leggauss(3)  # exact for quadratic integrands
    for k in (1, 2):
        for x, weight in zip((1 + nodes) / 2, weights / 2, strict=True):
            dm = SPATIAL.m[k] * weight
            at, rate = (1 - x) * r[k] + x * r[k + 1], (1 - x) * v[k] + x * v[k + 1]
            Q, H = Q + dm * rate, H + dm * np.cross(at, rate)
    return Q, H


@pytest.mark.parametrize("seed", range(3))
def test_c17_table_2_against_quadrature_over_the_rods(seed):
    """(42) to (49): 18 coordinates in the paper's order, Φ as printed, H to 1e-12."""
    e, Phi, Psi = matrices(SPATIAL.model())
    names = ["hub.position", "shoulder.position", "elbow.position", "tip.position"]
    names += ["hub.vector", "elbow.axis"]
    assert [v.name for v in e.coordinates] == [f"{n}_{axis}" for n in names for axis in "xyz"]
    q, qd, state = spatial_state(seed)
    m1, m2, m3 = SPATIAL.m
    c = [m1, m2 / 2, (m2 + m3) / 2, m3 / 2, 0, 0]
    np.testing.assert_allclose(Phi(q), np.kron([c], np.eye(3)), atol=1e-14)
    Q, H = quadrature(*state)
    np.testing.assert_allclose(Phi(q) @ qd, Q, atol=1e-12)
    np.testing.assert_allclose(Psi(q) @ qd, H, atol=1e-12)
    # G of every body, along its own axes.
    for name, R, w in zip(("hub", "upper", "lower"), *state[2:], strict=True):
        G = e.body_angular_velocity_matrix[name](q)
        np.testing.assert_allclose(G @ qd, R.T @ w, atol=1e-12)
    stacked = e.angular_velocity_matrix(q) @ qd
    np.testing.assert_allclose(stacked[:3], state[2][0].T @ state[3][0], atol=1e-12)


def test_c19_the_torque_free_spatial_system_has_rank_15_of_18():
    """(51) to (53): nine conditions, all met in any pose, and six momenta."""
    model = SPATIAL.model()
    e, Phi, Psi = matrices(model)
    found = Evaluated(model, bc.Natural())
    q, qd, _ = spatial_state(4)
    assert len(e.rows) == 9
    assert np.abs(found("position", q, qd)[0]).max() < 1e-14
    C, nu = found("velocity", q, qd)
    assert np.abs(C @ qd - nu).max() < 1e-13
    A = np.vstack([Psi(q), Phi(q), C])
    assert A.shape == (15, 18)
    assert np.linalg.svd(A, compute_uv=False)[-1] > 1e-2


def test_c23_generalized_inertia_of_the_chain():
    """½ q̇ᵀ M q̇ = Σ ½ dm v² by quadrature, to 1e-12."""
    e = bc.equations(SPATIAL.model(), bc.Natural())
    q, qd, (_, v, Rs, ws) = spatial_state(2)
    w = Rs[0].T @ ws[0]
    T = (SPATIAL.m[0] * v[0] @ v[0] + w @ np.diag(SPATIAL.J) @ w) / 2
    for k in (1, 2):
        T += SPATIAL.m[k] * (v[k] @ v[k] + v[k] @ v[k + 1] + v[k + 1] @ v[k + 1]) / 6
    M = e.generalized_inertia(q)
    assert qd @ M @ qd / 2 == pytest.approx(T, rel=1e-12)
    parts = [e.body_inertia[name](q) for name in e.bodies]
    np.testing.assert_allclose(sum(parts), M, atol=1e-14)


def planar_lagrange(arm, torques):
    """Return q̈ of (x, y, φ, ψ2, ψ3) by Lagrange's equations, derived by CasADi."""
    z, zd = ca.SX.sym("z", 5), ca.SX.sym("zd", 5)
    turned = [z[2], z[2] + z[3], z[2] + z[3] + z[4]]
    points = [z[:2]]
    for length, angle in zip(arm.l, turned, strict=True):
        points.append(points[-1] + length * ca.vertcat(ca.cos(angle), ca.sin(angle)))
    centres = [points[0], (points[1] + points[2]) / 2, (points[2] + points[3]) / 2]
    J = [arm.J, *(m * length**2 / 12 for m, length in zip(arm.m[1:], arm.l[1:], strict=True))]
    T = 0
    for m, inertia, r, angle in zip(arm.m, J, centres, turned, strict=True):
        v, w = ca.jtimes(r, z, zd), ca.jtimes(angle, z, zd)
        T += m * ca.dot(v, v) / 2 + inertia * w**2 / 2
    p = ca.gradient(T, zd)
    M = ca.jacobian(p, zd)
    force = ca.vertcat(0, 0, 0, *torques) + ca.gradient(T, z) - ca.jtimes(p, z, zd)
    return ca.Function("zdd", [z, zd], [ca.solve(M, force)])


@pytest.mark.parametrize("torques", [(0.0, 0.0), (0.7, -0.4)], ids=["free", "driven"])
def test_c24_planar_accelerations_are_those_of_lagrange(torques):
    """To 1e-9, joints free or under torque."""
    motors = [
        bc.Motor(f"m{j}", joint, torque)
        for j, (joint, torque) in enumerate(zip(("shoulder", "elbow"), torques, strict=True))
    ]
    model = PLANAR.model(forces=motors)
    rng = np.random.default_rng(5)
    z, zd = rng.normal(size=(2, 5))
    zdd = np.array(planar_lagrange(PLANAR, torques)(z, zd)).ravel()
    values = {"float.x": z[0], "float.y": z[1], "float.angle": z[2]}
    values |= {"shoulder.angle": z[3], "elbow.angle": z[4]}
    values |= {"float.x_rate": zd[0], "float.y_rate": zd[1], "float.angle_rate": zd[2]}
    values |= {"shoulder.angle_rate": zd[3], "elbow.angle_rate": zd[4]}
    seen = accelerations(model, values)
    assert seen["hub"][3:5] == pytest.approx(zdd[:2], rel=1e-9)
    turned = [seen[name][2] for name in ("hub", "upper", "lower")]
    np.testing.assert_allclose(turned, np.cumsum(zdd[2:]), rtol=1e-9)


def accelerations(model, values, formulation=bc.Natural()):
    """Return (α, a) of each body in natural coordinates, at a state by names of joints."""
    joints, found = Evaluated(model), Evaluated(model, formulation)
    q, u = joints.pack(values)
    pose, twist, _ = joints.bodies(q, u, np.zeros(len(u)))
    zero = np.zeros(len(found.coordinates))
    q, u = found("embed", zero, zero, pose, twist)
    rows = found.equations.rows
    C = found("velocity", q, u)[0].reshape(len(rows), len(u))
    gamma, scale = found("acceleration", q, u)[0], np.array([row.scale for row in rows])
    a = gauss.accelerations(found.mass(q, u), found.force(q, u), C, gamma, scale)
    return dict(zip(found.equations.bodies, found.bodies(q, u, a)[2].T, strict=True))


def test_c24_the_free_spatial_chain_keeps_its_momenta_and_energy():
    """Q and H summed over bodies, and energy, over 2 s, to 1e-8; a spring turns a joint."""
    spring = bc.JointSpring("spring", "elbow", stiffness=3.0, rest=0.4)
    model = SPATIAL.model(forces=[spring])
    start = {"shoulder.angle1": 0.3, "shoulder.angle2": 0.7, "elbow.angle": -0.6}
    start |= {"shoulder.angle1_rate": 0.5, "elbow.angle_rate": -0.8}
    start |= {"float.angular_velocity": (0.4, -0.3, 0.2), "float.velocity": (0.1, 0, 0.2)}
    run = bc.simulate(model, 2.0, formulation=bc.Natural(), start=start, every=0.05, rtol=1e-10)
    for name in ("linear_momentum", "angular_momentum", "energy"):
        values = run.values(name)
        assert np.abs(values[0]).max() > 0.1
        np.testing.assert_allclose(values - values[0], 0, atol=1e-8)
    assert run.values("constraint_residual").max() < 1e-12
    assert np.ptp(run.values("elbow.angle")) > 0.3


def chain(count, seed=0):
    """Return a planar chain of bodies with any mass centres and moments, floating."""
    rng = np.random.default_rng(seed)
    points = np.cumsum(rng.uniform(0.4, 1.2, (count + 1, 2)), axis=0)
    bodies, joints = [], [bc.Free("float", "ground", "B1")]
    for k in range(count):
        com = tuple(points[k] + rng.uniform(-0.5, 0.5, 2))
        J = float(rng.uniform(0.1, 1.0))
        bodies.append(bc.Body(f"B{k + 1}", mass=1.0 + k, com=com, inertia=(J, J, J, 0, 0, 0)))
        if k:
            joints.append(bc.Revolute(f"J{k + 1}", f"B{k}", f"B{k + 1}", at=tuple(points[k])))
    return bc.Model("chain", planar=True, gravity=(0, 0), bodies=bodies, joints=joints)


def test_c25_a_chain_of_five_by_direct_sums():
    """2(N+1) coordinates, N lengths; Q and H summed over bodies, to 1e-11."""
    model = chain(5)
    e, Phi, Psi = matrices(model)
    assert len(e.coordinates) == 12
    assert sum(row.kind == "rigid" for row in e.rows) == 5
    found = Evaluated(model, bc.Natural())
    rng = np.random.default_rng(3)
    q = np.array(e.drawing({}))
    C = found("velocity", q, np.zeros(12))[0]
    u = rng.normal(size=12)
    u -= np.linalg.pinv(C) @ (C @ u)  # rates that keep all lengths
    pose, twist, _ = found.bodies(q, u, np.zeros(12))
    m = np.array([body.mass for body in model.bodies])
    J = np.array([body.inertia[2][2] for body in model.bodies])
    r, v, w = pose[:2].T, twist[3:5].T, twist[2]
    # The bodies' velocities are checked by their own points, not by Φ and Ψ.
    for k, name in enumerate(e.bodies[1:], start=2):
        i = [v.name for v in e.coordinates].index(f"J{k}.x")
        arm = q[i : i + 2] - r[k - 1]
        np.testing.assert_allclose(
            v[k - 1] + w[k - 1] * np.array([-arm[1], arm[0]]), u[i : i + 2], atol=1e-12
        )
        assert name == f"B{k}"
    np.testing.assert_allclose(Phi(q) @ u, m @ v, atol=1e-11)
    H = m @ (r[:, 0] * v[:, 1] - r[:, 1] * v[:, 0]) + J @ w
    np.testing.assert_allclose((Psi(q) @ u)[0], H, atol=1e-11)


def test_x02_planar_chain_is_that_of_x_y_phi():
    """X02: natural coordinates = (x, y, φ) with multipliers, accelerations to 1e-10."""
    model = PLANAR.model(forces=[bc.Motor("m", "elbow", 0.8)])
    rng = np.random.default_rng(9)
    names = ["float.x", "float.y", "float.angle", "shoulder.angle", "elbow.angle"]
    values = dict(zip(names, rng.normal(size=5), strict=True))
    values |= dict(zip([f"{n}_rate" for n in names], rng.normal(size=5), strict=True))
    one, two = accelerations(model, values), accelerations(model, values, bc.Cartesian())
    for name in one:
        np.testing.assert_allclose(one[name], two[name], rtol=0, atol=1e-10)


def test_a_pendulum_of_natural_coordinates_swings_as_it_should():
    """A point mass on a rod against an independent integration of θ̈ = −(g/l) sin θ."""
    model = bc.Model(
        "pendulum",
        planar=True,
        bodies=[bc.Body("bob", mass=2.0, com=(0, -1), inertia=(0.3, 0.3, 0.3, 0, 0, 0))],
        joints=[bc.Revolute("A", "ground", "bob", at=(0, 0))],
    )
    e = bc.equations(model, bc.Natural())
    assert [v.name for v in e.coordinates] == ["bob.x", "bob.y"]
    run = bc.simulate(model, 2.0, formulation=bc.Natural(), start={"A": 1.2}, rtol=1e-10)
    k = 2.0 * 9.81 / 2.3
    known = solve_ivp(lambda t, y: [y[1], -k * np.sin(y[0])], (0, 2), [1.2, 0], "DOP853",
                      rtol=1e-11, atol=1e-12)  # fmt: skip
    assert run.final["A.angle"] == pytest.approx(known.y[0, -1], abs=1e-8)
