"""The contract in natural coordinates and in the momentum form; what both cost (C30)."""

import re
import subprocess
import sys
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from tests.formulations.cartesian.embedded import embedded, in_joints
from tests.formulations.momentum.arms import PlanarArm, SpatialArm
from tests.machines.four_bars import four_bar

import bellcrank as bc
from bellcrank.constraints import straight_line_code
from bellcrank.constraints.assembly.freedom import independent_rows, neighbours
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.formulations.contract.equations import SLOTS
from bellcrank.kernels.interpreted import interpret
from bellcrank.machine.start import initial_state
from bellcrank.machine.system import System
from bellcrank.testing import FORCES, machine, state

PLANAR, SPATIAL = PlanarArm(), SpatialArm()
FLAT = (bc.Drive("d2", "shoulder", angle="0.9*(1 - cos(t))"),
        bc.Drive("d3", "elbow", angle="0.3 + 0.9*sin(t)"))  # fmt: skip
DEEP = (bc.Drive("g1", "shoulder", angle1="0.6*sin(t)", angle2="0.8 + 0.5*(1 - cos(t))"),
        bc.Drive("g3", "elbow", angle="-0.7 + 0.6*sin(t)"))  # fmt: skip


@pytest.mark.parametrize("formulation", [bc.Natural(), bc.Momentum()], ids=repr)
def test_every_slot_takes_the_arguments_in_order_and_names_its_outputs(formulation):
    equations = bc.equations(PLANAR.model(*FLAT), formulation)
    sizes = equations.sizes
    for slot in equations.slots:
        assert slot in SLOTS
        function = equations.function(slot)
        assert tuple(function.name_in(i) for i in range(len(ARGUMENTS))) == ARGUMENTS
        assert [function.size1_in(i) for i in range(len(ARGUMENTS))] == list(sizes.values())
        outputs = [function.name_out(i) for i in range(function.n_out())]
        assert not any(re.fullmatch(r"o\d+", name) for name in outputs)


def test_the_momentum_form_has_no_speeds():
    """Contract with nu = 0: q̇ = x, empty A and f; F is the derivative of x."""
    e = bc.equations(PLANAR.model(*FLAT), bc.Momentum())
    assert len(e.speeds) == 0
    assert e.rows == ()
    rng = np.random.default_rng(1)
    q = np.array(e.drawing({})) + 0.1 * rng.normal(size=11)
    empty, k = np.zeros(0), np.zeros(e.sizes["k"])
    arguments = [0.3, q, empty, empty, empty, empty, k]
    W, x = e.function("kinematics").call(arguments)
    assert W.shape == (11, 0)
    assert e.function("mass").call(arguments)[0].shape == (0, 0)
    F, A = e.function("jacobian").call(arguments)
    assert A.shape == (0, 0)
    for i in range(11):
        ends = []
        for sign in (1, -1):
            moved = [0.3, q + sign * 1e-6 * np.eye(11)[i], *arguments[2:]]
            ends.append(np.array(e.function("derivatives").call(moved)[0]).ravel())
        np.testing.assert_allclose((ends[0] - ends[1]) / 2e-6, np.array(F)[:, i], atol=1e-7)
    # x solves A q̇ = B, and the momenta are constant.
    found = np.array(x).ravel()
    A, B = e.system_matrix(q, t=0.3, k=k), e.right_side(q, t=0.3, k=k)
    np.testing.assert_allclose(A @ found[:8], B, atol=1e-12)
    np.testing.assert_array_equal(found[8:], 0)


def test_normalize_comes_back_to_the_conditions_and_moves_no_mass_centre():
    """From 1e-4 beside: one step leaves 1e-7, and Σ m r is as it was."""
    model = PLANAR.model(*FLAT)
    e, natural = bc.equations(model, bc.Momentum()), bc.equations(model, bc.Natural())
    drawn = np.array(e.drawing({}))
    rng = np.random.default_rng(2)
    empty, k = np.zeros(0), np.zeros(e.sizes["k"])
    # The elbow begins at 0.3 rad: bend the drawing so far first.
    at = drawn[4:6] + 1.4 * np.array([np.cos(0.3), np.sin(0.3)])
    q = np.concatenate([drawn[:6], at, drawn[8:]])
    q[:8] += 1e-4 * rng.normal(size=8)

    def gap(x):
        arguments = [0.0, x[:8], np.zeros(8), empty, empty, empty, np.zeros(natural.sizes["k"])]
        return np.abs(np.array(natural.function("position").call(arguments)[0])).max()

    back = np.array(e.function("normalize").call([0.0, q, empty, empty, empty, empty, k])[0])
    back = back.ravel()
    assert gap(q) > 1e-5
    assert gap(back) < 1e-7
    Phi = e.momentum_matrix(q, k=k)
    np.testing.assert_allclose(Phi @ (back - q)[:8], 0, atol=1e-15)


def test_jacobians_of_natural_coordinates_are_derivatives():
    """r_q and r_u, and (C u − ν)_q, against exact differentiation of the slots."""
    model = machine(("Revolute", "Universal", "Cylindrical"), seed=4, forces=FORCES)
    here = embedded(model, bc.Natural(), in_joints(model, state(model, 2)))
    e, n, m = here.machine.equations, len(here.q), len(here.machine.equations.rows)
    rng = np.random.default_rng(3)
    a, lam = rng.normal(size=n), rng.normal(size=m)
    x, y = ca.SX.sym("q", n), ca.SX.sym("u", n)
    sizes = e.sizes
    rest = [np.zeros(0), np.zeros(sizes["w"]), here.machine.parameters,
            here.machine.modes(here.q, here.u)]  # fmt: skip
    r = e.function("residual").call([0.0, x, y, *rest, a, lam])[0]
    C, nu = e.function("velocity").call([0.0, x, y, *rest])
    slopes = [ca.jacobian(r, x), ca.jacobian(r, y), ca.jacobian(C @ y - nu, x)]
    known = ca.Function("slopes", [x, y], slopes)(here.q, here.u)
    found = [*here.slot("residual_jacobian", a, lam), *here.slot("constraint_jacobian")]
    for one, two in zip(found, known, strict=True):
        largest = 1 + np.abs(np.array(two)).max()
        np.testing.assert_allclose(one, np.array(two), atol=1e-12 * largest)
    # γ and jerk: C u̇ − γ is the rate of C u − ν, and D u̇ − d that of it, less C ü.
    gamma, a = here.slot("acceleration")[0][:, 0], here.solved[0]
    rates = C @ y - nu
    along = ca.jtimes(rates, x, ca.DM(here.u)) + ca.jtimes(rates, y, ca.DM(a))
    value = np.array(ca.Function("along", [x, y], [along])(here.q, here.u)).ravel()
    C_now = here.slot("velocity")[0]
    np.testing.assert_allclose(value, C_now @ a - gamma, atol=1e-10 * (1 + np.abs(gamma).max()))


@pytest.mark.parametrize("how", ["independent", "index2", "radau"])
def test_other_ways_with_constraints(how):
    """A four-bar's energy to 1e-6 over half a second, whatever holds its conditions."""
    model = four_bar((0, 0), (0, 1), (2, 2), (2, 0))
    options = {"constraints": how} if how != "radau" else {"integrator": bc.Radau5()}
    if how == "index2":
        options["integrator"] = bc.Radau5()
    run = bc.simulate(
        model, 0.5, formulation=bc.Natural(), start={"A": -0.3}, every=0.1, **options
    )
    E = run.values("energy")
    assert np.abs(E - E[0]).max() < 1e-6 * run.values("kinetic_energy").max()
    assert run.values("constraint_residual").max() < 1e-9


def test_describing_needs_no_algebra_system():
    """A machine found in the kernel cache is run without CasADi."""
    code = (
        "import sys, bellcrank as bc;"
        "m = bc.Model('p', gravity=(0, 0, 0), bodies=[bc.Body('b', bc.Rod((0, 0, 0), (1, 0, 0),"
        " mass=1.0))], joints=[bc.Free('f', 'ground', 'b')]);"
        "bc.equations(m, bc.Natural()); bc.equations(m, bc.Momentum());"
        "assert 'casadi' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def operations(model, formulation, start=None):
    """Return the operations of one right-hand side in straight-line code."""
    e = bc.equations(model, formulation)
    if not e.rows:
        return e.function("derivatives").n_instructions()
    system, picture = (System(f, build=interpret) for f in (e, bc.equations(model)))
    none = np.zeros(0)
    seen = picture if e.has("embed") else None
    x = initial_state(system, start or {}, 0.0, none, none, seen)
    states = [x, *neighbours(system, 0.0, x, none, none)]
    rows = independent_rows(system, 0.0, states, none, none)
    return straight_line_code.motion(e, rows, [row.scale for row in e.rows]).n_instructions()


def test_c30_what_it_costs_is_what_the_page_says():
    """Operations per evaluation against joint coordinates: within 15 % of docs/natural.md."""
    bent = {"shoulder": 0.5, "elbow": 0.7}, {"shoulder.angle1": 0.3, "shoulder.angle2": 0.7}
    cases = {
        "planar, free": (PLANAR.model(), bent[0]),
        "planar, driven": (PLANAR.model(*FLAT), None),
        "spatial, free": (SPATIAL.model(), bent[1] | {"elbow": -0.6}),
        "spatial, driven": (SPATIAL.model(*DEEP), None),
    }
    page = (Path(__file__).parents[3] / "docs" / "natural.md").read_text(encoding="utf-8")
    for name, (model, start) in cases.items():
        (cells,) = re.findall(rf"^\| {name} \|(.*)\|$", page, re.M)
        said = [int(cell) for cell in cells.split("|") if cell.strip()]
        forms = [bc.JointCoordinates(), bc.Natural(), bc.Momentum()][: len(said)]
        found = [operations(model, form, start) for form in forms]
        np.testing.assert_allclose(found, said, rtol=0.15)
