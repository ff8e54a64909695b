"""Kane's equations of machines with joints, loops and all force elements.

Bodies must accelerate as in joint coordinates, for every choice of speeds and orientation.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.formulations.cartesian.embedded import embedded, in_joints
from tests.laws.closed import CLOSING, closed_loop
from tests.laws.evaluation import Evaluated
from tests.machines import looped

import bellcrank as bc
from bellcrank import examples
from bellcrank.testing import FORCES, machine, mechanisms, state, states

pytestmark = pytest.mark.slow

CHOICES = (
    bc.Kane(),
    bc.Kane("absolute fixed", "relative Euler parameters"),
    bc.Kane("relative body"),
    bc.Kane("relative body", "relative Euler parameters"),
    bc.Kane("relative fixed"),
    bc.Kane("absolute body", bc.Angles("123")),
    bc.Kane("relative fixed", bc.Angles("132", relative=True)),
    bc.Kane(bc.AngleRates()),
    bc.Kane(bc.AngleRates("231", relative=True)),
    bc.Kane(bc.AngleRates("321", fixed="space")),
)


def at_drawing(model):
    """Return a machine in joint coordinates as it is drawn, at rest."""
    equations = Evaluated(model).equations
    values = [*equations.drawing({}), *(0.0 for _ in equations.speeds)]
    names = [variable.name for variable in (*equations.coordinates, *equations.speeds)]
    return in_joints(model, dict(zip(names, values, strict=True)))


def compare(found, seen):
    """Compare poses, twists and accelerations; 1e-10, times the condition of A over 1e2."""
    A = found.slot("mass")[0]
    scale = max(1.0, np.linalg.cond(A) / 1e2)
    (pose, twist, rate), wanted = found.bodies, seen.bodies
    pose[3:] *= np.sign(np.sum(pose[3:] * wanted[0][3:], axis=0))
    np.testing.assert_allclose(pose, wanted[0], atol=1e-12)
    np.testing.assert_allclose(twist, wanted[1], atol=1e-10)
    size = 1.0 + np.abs(wanted[2]).max()
    np.testing.assert_allclose(rate / size, wanted[2] / size, atol=1e-10 * scale)


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_trees_accelerate_as_in_joint_coordinates(choice, data):
    model = data.draw(mechanisms(max_bodies=4))
    seen = in_joints(model, data.draw(states(model)), 0.3)
    found = embedded(model, choice, seen)
    W = found.slot("kinematics")[0]
    assume(np.abs(W).max() < 30)  # near gimbal lock numbers are as bad as that
    compare(found, seen)


@pytest.mark.parametrize("kind", [*CLOSING, "Screw"])
def test_loops_accelerate_as_in_joint_coordinates(kind):
    there = closed_loop(kind, 0, FORCES)
    seen = in_joints(there.model, dict(there.system.unpack(there.q, there.u)))
    for choice in (CHOICES[0], CHOICES[3], CHOICES[8]):
        compare(embedded(there.model, choice, seen), seen)


def test_planar_machines_are_spatial_bodies_with_redundant_rows():
    """A planar four-bar: 3·6 speeds, 20 rows of which 3 repeat others, one freedom."""
    model = looped.plain()
    seen = at_drawing(model)
    for choice in (bc.Kane(), bc.Kane("relative body")):
        compare(embedded(model, choice, seen), seen)


@pytest.mark.parametrize("choice", CHOICES[::3], ids=repr)
def test_slots_belong_together(choice):
    """The residual is A a − f + Cᵀλ, twice the kinetic energy is uᵀAu, bodywise is the same."""
    model = machine(("Spherical", "Universal", "Prismatic"), seed=3, forces=FORCES)
    found = embedded(model, choice, in_joints(model, state(model, 3)))
    rng = np.random.default_rng(1)
    a, lam = rng.normal(size=len(found.u)), rng.normal(size=len(found.machine.equations.rows))
    A, f = found.slot("mass")[0], found.slot("force")[0][:, 0]
    C, nu = found.slot("velocity")
    r = found.slot("residual", a, lam)[0][:, 0]
    np.testing.assert_allclose(r, A @ a - f + C.T @ lam, atol=1e-11)
    kinetic = found.slot("energy")[0][0, 0]
    assert found.u @ A @ found.u / 2 == pytest.approx(kinetic, rel=1e-12)
    M, N, C_w, F, w, back = found.slot("bodywise")
    J = np.linalg.inv(back)
    np.testing.assert_allclose(J @ found.u, w[:, 0], atol=1e-11)
    np.testing.assert_allclose(J.T @ (M - N @ N.T) @ J, A, atol=1e-11)
    np.testing.assert_allclose(J.T @ F[:, 0], f, atol=1e-10)
    np.testing.assert_allclose(C_w @ J, C, atol=1e-11)
    np.testing.assert_allclose(C @ found.u, nu[:, 0], atol=1e-11)


def test_rates_of_coordinates_keep_bodies_rigid():
    """Φ̇ along q̇ = W u is C u − ν: rows and kinematics fit each other for every choice."""
    model = machine(("Revolute", "Spherical"), seed=5)
    seen = in_joints(model, state(model, 5))
    for choice in CHOICES:
        found = embedded(model, choice, seen)
        equations, k = found.machine.equations, found.machine.modes(found.q, found.u)
        rng = np.random.default_rng(2)
        u = rng.normal(size=len(found.u))
        at = {"q": found.q, "u": u, "k": k}
        moved = equations.constraint_matrix_qdot(**at) @ equations.kinematical_equations(**at)
        np.testing.assert_allclose(equations.constraint_matrix(**at) @ u, moved, atol=1e-11)


def light():
    """Return a thin rod, a body without inertia and a particle: A is singular."""
    return bc.Model(
        "light",
        bodies=[
            bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0)),
            bc.Body("link", mass=0.5, com=(1.5, 0, 0), inertia=(0, 0, 0, 0, 0, 0)),
            bc.Particle("bob", 2.0, (2, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y"),
            bc.Revolute("B", "rod", "link", at=(1, 0, 0), axis="y"),
            bc.Fixed("C", "link", "bob", at=(2, 0, 0)),
        ],
    )


@pytest.mark.parametrize("choice", [bc.Kane(), bc.Kane(bc.AngleRates("321"))], ids=repr)
def test_bodies_without_inertia_held_by_joints(choice):
    """Semidefinite A: bodies accelerate as in joint coordinates, to 1e-9."""
    model = light()
    values = {"A.angle": 0.3, "B.angle": 0.4, "A.angle_rate": 1.0, "B.angle_rate": -2.0}
    seen = in_joints(model, values)
    found = embedded(model, choice, seen)
    assert found.machine.equations.mass_kind == "semidefinite"
    np.testing.assert_allclose(found.bodies[2], seen.bodies[2], atol=1e-9)


def test_a_run_with_everything_is_that_of_joint_coordinates():
    """Light bodies, a damper and a spring of many turns over 1 s, to 1e-7 at rtol 1e-10."""
    model = light().add(
        bc.JointSpring("s", "A", stiffness=2.0, damping=0.1, rest=6.0),
        bc.SpringDamper("d", ("ground", (1, 0, 1)), ("rod", (1, 0, 0)), stiffness=5, damping=1),
    )
    start = {"A.angle": 6.5, "A.angle_rate": 8.0, "B": 0.2}
    ends = []
    for choice in (bc.JointCoordinates(), bc.Kane(), bc.Kane("relative body")):
        run = bc.simulate(model, 1.0, start=start, formulation=choice, rtol=1e-10, every=0.25)
        names = ("A.angle", "B.angle", "bob.position", "A.reaction_force", "energy")
        ends.append(np.concatenate([np.ravel(run.values(name)[-1]) for name in names]))
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-7 * np.abs(ends[0]).max())
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-7 * np.abs(ends[0]).max())


def test_describing_the_equations_needs_no_algebra():
    """Names, sizes and rows are there before any symbol is."""
    import subprocess
    import sys

    code = (
        "import sys, bellcrank as bc; from bellcrank import examples\n"
        "for k in (bc.Kane(), bc.Kane(bc.AngleRates('321', True))):\n"
        "    e = bc.equations(examples.load('six-bodies'), k); e.drawing({})\n"
        "assert 'casadi' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_evaluated_by_name():
    """Start values in names of this formulation's own."""
    model = machine(("Free",), seed=1, turned=False)
    there = Evaluated(model, bc.Kane())
    assert there.coordinates[:2] == ["B1.epsilon_1", "B1.epsilon_2"]


def test_components_of_own_coordinates_have_one_name_everywhere():
    """ε₁ to ε₄, the scalar last: in the state as in results, and in tables of them."""
    model = examples.load("double-pendulum")
    run = bc.simulate(model, 0.1, formulation=bc.Kane(), every=0.1, start={"A.angle": 0.4})
    system = bc.compile(model, bc.Kane())
    names = [name for name in system.coordinates if name.startswith("upper.epsilon")]
    assert names == [f"upper.epsilon_{i}" for i in (1, 2, 3, 4)]
    np.testing.assert_allclose(
        [float(run[name][0]) for name in names], [np.sin(0.2), 0, 0, np.cos(0.2)], atol=1e-12
    )
    assert names[3] in run.frame(names[3]).columns
