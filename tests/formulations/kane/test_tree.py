"""Kane's equations of trees that nothing ties: rows K01 to K12 and S03, numbers S6."""

import casadi as ca
import numpy as np
import pytest
from tests.counting import calls
from tests.formulations.kane.trees import CHAIN, FOREST, SIX, Tree, random_tree, rates, s6

import bellcrank as bc

TREES = {"six": SIX, "forest": FOREST, "chain": CHAIN, "one": (0,)}


@pytest.fixture(scope="module")
def six():
    tree, x, y = s6()
    return bc.equations(tree.model(), bc.Kane()), tree, x, y


def test_body_connection_array_of_six_bodies(six):
    """K01: u_K = (0, 1, 2, 2, 1, 2) exactly for L = (0, 1, 2, 2, 1, 5)."""
    equations = six[0]
    assert equations.lower_bodies == (0, 1, 2, 2, 1, 5)
    assert equations.lower_body_counts == (0, 1, 2, 2, 1, 2)
    assert equations.numbering.paths[6] == (1, 5, 6)


def test_bodies_are_numbered_lower_ones_first_and_the_renumbering_is_shown():
    """K01: given from the tip inwards, bodies are numbered from the root."""
    tree, _, _ = random_tree((0, 1, 2))
    given = tree.model()
    model = bc.Model(
        "back to front", bodies=given.bodies[::-1], joints=given.joints[::-1], gravity=(0, 0, 0)
    )
    numbering = bc.equations(model, bc.Kane()).numbering
    assert numbering.names == ("B1", "B2", "B3")
    lines = [line.split() for line in str(numbering).splitlines()[1:]]
    assert lines == [["1", "B1", "3", "0", "0"], ["2", "B2", "2", "1", "1"],
                     ["3", "B3", "1", "2", "2"]]  # fmt: skip


def test_sizes_of_the_state_vectors(six):
    """K02: x has 42 and y has 36 entries, orientations first, scalar last."""
    equations = six[0]
    assert (len(equations.coordinates), len(equations.speeds)) == (42, 36)
    names = [variable.name for variable in equations.coordinates]
    assert [names[i] for i in (3, 24, -1)] == ["B1.epsilon_4", "B1.s_x", "B6.s_z"]
    speeds = [variable.name for variable in equations.speeds]
    assert [speeds[0], speeds[-1]] == ["B1.angular_velocity_body_x", "B6.s_rate_z"]


def test_kinematical_equations_are_forty_two(six):
    """K03: ε̇ = ½E′ᵀω′ and d s′/dt = ṡ′, to round-off."""
    equations, tree, x, y = six
    assert equations.kinematical_equations.shape == (42, 1)
    np.testing.assert_allclose(
        equations.kinematical_equations(x, y), tree.rate(x, y), atol=1e-15
    )


def test_norms_of_euler_parameters_do_not_drift(six):
    """K03: below 1e-10 over 0.5 s with DOP853 at rtol 1e-10 and no renormalisation."""
    equations, _, x, y = six
    integrate = pytest.importorskip("scipy.integrate")
    W, slot = equations.function("kinematics"), equations.function("derivatives")
    assert W.size_out("W") == (42, 36)
    empty = np.zeros(0)

    def derivatives(t, state):
        found = slot(t, state[:42], state[42:], empty, empty, empty, empty)
        return np.concatenate([np.array(part).ravel() for part in found])

    start = np.concatenate([x, y])
    run = integrate.solve_ivp(derivatives, (0, 0.5), start, "DOP853", rtol=1e-10, atol=1e-12)
    norms = np.linalg.norm(run.y[:24].reshape(6, 4, -1), axis=1)
    assert np.abs(norms - 1).max() < 1e-10


def test_partial_angular_velocities_give_angular_velocities(six):
    """K04: [ω′_K,y] y = ω′_K to no error at all, and a zero derivative."""
    equations, _, x, y = six
    for k in range(6):
        matrix = equations.partial_angular_velocity[f"B{k + 1}"](x, y)
        np.testing.assert_array_equal(matrix @ y, y[3 * k : 3 * k + 3])
        assert not equations.partial_angular_velocity_rate[f"B{k + 1}"](x, y).any()


def test_the_reference_numbers_of_six_bodies(six):
    """S6, K05, K09: all digits given."""
    equations, _, x, y = six
    A, f = equations.mass_matrix(x, y), equations.right_side(x, y)
    assert np.trace(A) == pytest.approx(288.7418, rel=1e-10)
    assert np.linalg.slogdet(A)[1] == pytest.approx(44.753621931, abs=1e-9)
    assert y @ A @ y / 2 == pytest.approx(4.35735897363417, rel=1e-13)
    assert f.sum() == pytest.approx(-610.969861379574, rel=1e-13)
    assert np.linalg.norm(f) == pytest.approx(297.846753914176, rel=1e-13)
    p6 = (-0.367530791789, 1.660058651026, -0.95535483871)
    v6 = (0.394527038123, 0.073409970674, 0.229604222874)
    np.testing.assert_allclose(equations.positions["B6"](x, y), p6, atol=1e-11)
    np.testing.assert_allclose(equations.velocities["B6"](x, y), v6, atol=1e-11)
    yd = np.linalg.solve(A, f)
    slid = (0.08859261708, 0.192394241637, -0.02648727194)
    np.testing.assert_allclose(yd[33:], slid, atol=1e-11)
    np.testing.assert_allclose(yd[:3], (0.16, 0.03, -0.06), atol=1e-12)


@pytest.mark.parametrize("lower", TREES.values(), ids=TREES)
def test_velocities_are_derivatives_of_positions(lower):
    """K05, K06: positions to 1e-13, velocities by complex step to 1e-12."""
    tree, x, y = random_tree(lower, 1)
    equations = bc.equations(tree.model(), bc.Kane())
    moved = x + 1e-30j * tree.rate(x, y)
    for k in range(1, tree.n + 1):
        p = tree.position(moved, k)
        np.testing.assert_allclose(equations.positions[f"B{k}"](x, y), p.real, atol=1e-13)
        v = equations.velocities[f"B{k}"](x, y)
        np.testing.assert_allclose(v, p.imag / 1e-30, atol=1e-12)


def test_partial_velocities_equal_the_printed_blocks(six):
    """K07: to 1e-14, for the six bodies, and [v_K,y] y = v_K."""
    equations, tree, x, y = six
    for k in range(1, 7):
        matrix = equations.partial_velocity[f"B{k}"](x, y)
        np.testing.assert_allclose(matrix, tree.velocity_matrix(x, k), atol=1e-14)
        v = equations.velocities[f"B{k}"](x, y)
        np.testing.assert_allclose(matrix @ y, v, atol=1e-14)


@pytest.mark.parametrize("lower", [SIX, FOREST, CHAIN], ids=["six", "forest", "chain"])
def test_rates_of_partial_velocities(lower):
    """K08: by complex step to 1e-12 for 3 topologies."""
    tree, x, y = random_tree(lower, 2)
    equations = bc.equations(tree.model(), bc.Kane())
    moved = x + 1e-30j * tree.rate(x, y)
    for k in range(1, tree.n + 1):
        rate = tree.velocity_matrix(moved, k).imag / 1e-30
        found = equations.partial_velocity_rate[f"B{k}"](x, y)
        np.testing.assert_allclose(found, rate, atol=1e-12)


@pytest.mark.parametrize("lower", TREES.values(), ids=TREES)
def test_the_mass_matrix_is_the_sum_over_bodies(lower):
    """K09: Σ m [v]ᵀ[v] + [ω′]ᵀ I′ [ω′], to 1e-13."""
    tree, x, y = random_tree(lower, 3)
    A = bc.equations(tree.model(), bc.Kane()).mass_matrix(x, y)
    wanted = np.zeros_like(A)
    for k in range(1, tree.n + 1):
        v, own = tree.velocity_matrix(x, k), slice(3 * (k - 1), 3 * k)
        wanted += tree.m[k - 1] * v.T @ v
        wanted[own, own] += tree.I[k - 1]
    np.testing.assert_allclose(A, wanted, atol=1e-13 * np.abs(wanted).max())


def lagrange(tree: Tree):
    """Return the Hessian of T by (θ̇, ṡ′) and [Y], as functions of 1-2-3 angles and s′.

    T is written by CasADi from positions alone; rates come by differentiation.
    """
    n = tree.n
    q, qd, eps = ca.SX.sym("q", 6 * n), ca.SX.sym("qd", 6 * n), ca.SX.sym("eps")
    moved = q + eps * qd

    def turned(k):
        if k == 0:
            return ca.SX.eye(3)
        a, b, c = (moved[3 * (k - 1) + i] for i in range(3))
        R1 = ca.blockcat([[1, 0, 0], [0, ca.cos(a), ca.sin(a)], [0, -ca.sin(a), ca.cos(a)]])
        R2 = ca.blockcat([[ca.cos(b), 0, -ca.sin(b)], [0, 1, 0], [ca.sin(b), 0, ca.cos(b)]])
        R3 = ca.blockcat([[ca.cos(c), ca.sin(c), 0], [-ca.sin(c), ca.cos(c), 0], [0, 0, 1]])
        return R3 @ R2 @ R1

    def rate(expression):
        return ca.substitute(ca.jacobian(ca.vec(expression), eps), eps, 0)

    kinetic, spins = 0, []
    for k in range(1, n + 1):
        p = turned(k).T @ tree.r[k - 1]
        for j in tree.path(k):
            s = moved[3 * (n + j - 1) : 3 * (n + j)]
            p += turned(tree.lower[j - 1]).T @ (tree.q[j - 1] + s)
        v, R = rate(p), ca.substitute(turned(k), eps, 0)
        W = R @ ca.reshape(rate(turned(k).T), 3, 3)  # ω̃′ = [R] d[R]ᵀ/dt
        w = ca.vertcat(W[2, 1], W[0, 2], W[1, 0])
        spins.append(w)
        kinetic += tree.m[k - 1] * ca.dot(v, v) / 2 + ca.dot(w, ca.DM(tree.I[k - 1]) @ w) / 2
    Y = ca.jacobian(ca.vertcat(*spins, qd[3 * n :]), qd)
    return ca.Function("lagrange", [q], [ca.hessian(kinetic, qd)[0], Y])


def test_the_mass_matrix_is_that_of_lagrange(six):
    """K09: YᵀAY = ∂²T/∂q̇∂q̇ in 1-2-3 angles and s′, to 1e-12."""
    _, tree, _, _ = six
    rng = np.random.default_rng(4)
    q = np.concatenate([rng.uniform(-1, 1, 18), rng.uniform(-1, 1, 18)])
    H, Y = (np.array(part) for part in lagrange(tree)(q))
    equations = bc.equations(tree.model(), bc.Kane(orientation=bc.Angles("123")))
    A = equations.mass_matrix(q)
    np.testing.assert_allclose(Y.T @ A @ Y, H, atol=1e-12 * np.abs(H).max())


@pytest.mark.parametrize("lower", TREES.values(), ids=TREES)
def test_every_body_obeys_newton_and_euler(lower):
    """K10, K12: a_K = F_K/m_K and I′ω̇′ + ω′ × I′ω′ = M′ to 1e-10, on any forest."""
    tree, x, y = random_tree(lower, 5)
    equations = bc.equations(tree.model(), bc.Kane())
    yd = np.linalg.solve(equations.mass_matrix(x, y), equations.right_side(x, y))
    for k in range(1, tree.n + 1):
        v = equations.partial_velocity[f"B{k}"](x, y)
        a = v @ yd + equations.partial_velocity_rate[f"B{k}"](x, y) @ y
        np.testing.assert_allclose(a, tree.force[k - 1] / tree.m[k - 1], atol=1e-10)
        w, wd = (part[3 * (k - 1) : 3 * k] for part in (y, yd))
        moment = tree.I[k - 1] @ wd + np.cross(w, tree.I[k - 1] @ w)
        np.testing.assert_allclose(moment, tree.moment[k - 1], atol=1e-10)


def test_six_bodies_fly_on_straight_lines(six):
    """K11: energy, momenta and straight lines to 1e-9 over 0.5 s."""
    _, tree, x, y = six
    free = Tree(tree.lower, tree.m, tree.I, tree.r, tree.q, 0 * tree.force, 0 * tree.moment)
    names = ([("epsilon", 4), ("s", 3)], [("angular_velocity_body", 3), ("s_rate", 3)])
    start = {}
    for values, groups in zip((x, y), names, strict=True):
        first = 0
        for name, size in groups:
            for k in range(1, 7):
                start[f"B{k}.{name}"] = values[first : first + size]
                first += size
    run = bc.simulate(free.model(), 0.5, start=start, formulation=bc.Kane(), every=0.05)
    for name in ("energy", "linear_momentum", "angular_momentum"):
        values = run.values(name)
        np.testing.assert_allclose(values, np.broadcast_to(values[0], values.shape), atol=1e-9)
    for k in range(1, 7):
        p, v = run.values(f"B{k}.position"), run.values(f"B{k}.velocity")
        np.testing.assert_allclose(p, p[0] + v[0] * run.t[:, None], atol=1e-9)
        I, w = np.diag(tree.I[k - 1]), run.values(f"B{k}.angular_velocity_body")
        spin = np.linalg.norm(I * w, axis=1)  # of the body about its own centre
        np.testing.assert_allclose(spin, spin[0], atol=1e-9)


def test_euler_parameter_kinematics():
    """S03: E′E′ᵀ = 1 and ε̇ = ½E′ᵀω′ to 1e-13."""
    tree, x, y = random_tree((0,), 6)
    equations = bc.equations(tree.model(), bc.Kane())
    Y, W = equations.speeds_matrix(x)[:3, :4], equations.kinematics_matrix(x)[:4, :3]
    np.testing.assert_allclose(Y, 2 * rates(x[:4]), atol=1e-15)
    np.testing.assert_allclose((Y / 2) @ (Y / 2).T, np.eye(3), atol=1e-13)
    np.testing.assert_allclose(W @ y[:3], 0.5 * rates(x[:4]).T @ y[:3], atol=1e-13)


def test_matrices_print_and_unknown_names_are_told():
    tree, _, _ = random_tree((0, 1))
    equations = bc.equations(tree.model(), bc.Kane())
    text = str(equations.partial_velocity["B1"])
    assert len(text.splitlines()) == 3
    assert "B1.epsilon_1*B1.epsilon_2" in text, text
    with pytest.raises(bc.UnknownName, match="no body of partial_velocity named 'B9'"):
        _ = equations.partial_velocity["B9"]
    with pytest.raises(AttributeError, match="Did you mean 'partial_velocity'"):
        _ = equations.partial_velocitie
    with pytest.raises(bc.OptionError, match="q has 14 entries"):
        equations.mass_matrix(np.zeros(3))


def test_work_for_the_equations_grows_as_the_tree_does():
    """Twice the bodies take twice the calls; only M, of four times the size, has more."""
    assert calls(written(30)) < 2.5 * calls(written(15))


def written(count):
    """Return a function that writes the equations of a random tree."""
    rng = np.random.default_rng(0)
    lower = tuple(int(rng.integers(max(0, k - 3), k + 1)) for k in range(count))
    tree, _, _ = random_tree(lower, 7)
    model = tree.model(bc.Spherical)

    def write():
        equations = bc.equations(model, bc.Kane())
        for slot in ("kinematics", "mass", "force", "position", "velocity", "acceleration"):
            equations.function(slot)

    return write
