"""Kane's slots keep the contract: arguments, outputs, derivatives."""

import re

import numpy as np
import pytest
from tests.formulations.cartesian.embedded import State, embedded, in_joints

import bellcrank as bc
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.testing import machine, state

CHOICES = (
    bc.Kane(),
    bc.Kane("relative fixed", "relative Euler parameters"),
    bc.Kane(bc.AngleRates("231", relative=True)),
)


def at_a_state(choice):
    """Return a machine with rows, springs and a motor at a state."""
    model = machine(("Spherical", "Revolute"), seed=2, forces=("Bushing", "Motor", "Force"))
    return embedded(model, choice, in_joints(model, state(model, 2)))


@pytest.mark.parametrize("rows", [True, False])
@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_every_slot_takes_the_arguments_in_order_and_names_its_outputs(choice, rows):
    model = machine(("Revolute", "Spherical") if rows else ("Free", "Free"), forces=("Torque",))
    equations = bc.equations(model, choice)
    for slot in equations.slots:
        function = equations.function(slot)
        assert tuple(function.name_in(i) for i in range(len(ARGUMENTS))) == ARGUMENTS
        outputs = [function.name_out(i) for i in range(function.n_out())]
        assert not any(re.fullmatch(r"o\d+", name) for name in outputs)
    assert equations.has("derivatives") is not rows


def moved(found, which, by):
    """Return the state with q or u moved."""
    q = found.q + by if which == "q" else found.q
    u = found.u + by if which == "u" else found.u
    return State(found.machine, q, u, found.t)


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_jacobians_are_derivatives(choice):
    """r_q T, r_u, (C u − ν)_q T and (W u + x)_q T against differences, to 1e-6."""
    found = at_a_state(choice)
    rng = np.random.default_rng(1)
    a, lam = rng.normal(size=len(found.u)), rng.normal(size=len(found.machine.equations.rows))
    W = found.slot("kinematics")[0]
    r_q, r_u = found.slot("residual_jacobian", a, lam)
    rates_q = found.slot("constraint_jacobian")[0]
    qd_q = found.slot("kinematics_jacobian")[0]

    def values(there):
        C, nu = there.slot("velocity")
        W, x = there.slot("kinematics")
        return [
            there.slot("residual", a, lam)[0][:, 0],
            C @ there.u - nu[:, 0],
            W @ there.u + x[:, 0],
        ]

    direction, h = rng.normal(size=len(found.u)), 1e-5
    for which, along, wanted in (
        ("q", W @ direction, [m @ direction for m in (r_q, rates_q, qd_q)]),
        ("u", direction, [r_u @ direction]),
    ):
        up, down = (values(moved(found, which, s * h * along)) for s in (1, -1))
        for one, two, slope in zip(up, down, wanted, strict=False):
            scale = 1 + np.abs(slope).max()
            np.testing.assert_allclose((one - two) / (2 * h) / scale, slope / scale, atol=1e-6)


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_rates_of_rows_and_of_their_rates(choice):
    """γ and the jerk row against differences along the motion, to 1e-6."""
    found = at_a_state(choice)
    ud = found.solved[0]
    C, gamma = found.slot("velocity")[0], found.slot("acceleration")[0][:, 0]
    h = 1e-5
    W, x = found.slot("kinematics")
    qd = W @ found.u + x[:, 0]

    def there(s):
        return State(found.machine, found.q + s * h * qd, found.u + s * h * ud, found.t)

    def row(state):
        C, nu = state.slot("velocity")
        return C @ state.u - nu[:, 0]

    slope = (row(there(1)) - row(there(-1))) / (2 * h)
    np.testing.assert_allclose(slope, C @ ud - gamma, atol=1e-6 * (1 + np.abs(gamma).max()))
    np.testing.assert_allclose(C @ ud, gamma, atol=1e-9 * (1 + np.abs(gamma).max()))


@pytest.mark.parametrize("choice", CHOICES, ids=repr)
def test_the_mass_matrix_is_solved_body_by_body(choice):
    """A u̇ = f + b under extra efforts b, for bodies that nothing ties."""
    model = machine(("Free", "Free", "Free"), (0, 1, 1), seed=4, forces=("SpringDamper",))
    found = embedded(model, choice, in_joints(model, state(model, 4)))
    b = np.random.default_rng(0).normal(size=len(found.u))
    A, f = found.slot("mass")[0], found.slot("force")[0][:, 0]
    limit = 1e-12 * np.linalg.cond(A)
    ud = found.slot("accelerate", b)[0][:, 0]
    np.testing.assert_allclose(A @ ud, f + b, atol=limit * np.abs(f).max())
    free = found.slot("derivatives")[1][:, 0]
    np.testing.assert_allclose(A @ free, f, atol=limit * np.abs(f).max())
