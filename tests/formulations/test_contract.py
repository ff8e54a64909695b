"""The contract holds for joint coordinates, and says so where it is broken."""

import re
from dataclasses import replace
from pathlib import Path

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.machines import four_bars, hinged

import bellcrank as bc
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.formulations.contract.equations import SLOTS, Row
from bellcrank.testing import machine, mechanisms, states

pendulum = hinged.pendulum(mass=2.0)
REQUIRED = (
    "kinematics", "mass", "force", "residual", "residual_jacobian", "kinematics_jacobian",
    "bodies", "applied", "energy", "power", "observe", "derivatives",
)  # fmt: skip


def point(equations, values, system, seed=0):
    """Return the arguments of a slot at a state, and random accelerations."""
    q, u = system.pack(values)
    empty = np.zeros(0)
    rng = np.random.default_rng(seed)
    return [0.3, q, u, empty, empty, empty, empty], rng.normal(size=len(u))


def numbers(function, *arguments):
    found = function(*arguments)
    return [np.array(f) for f in (found if isinstance(found, tuple) else (found,))]


@pytest.mark.parametrize(
    "formulation", [bc.JointCoordinates(), bc.Cartesian(), bc.Cartesian(form="euler")], ids=repr
)
def test_every_slot_takes_the_arguments_in_order_and_names_its_outputs(formulation):
    model = machine(["Free", "Revolute"], forces=["SpringDamper"])
    equations = bc.equations(model, formulation)
    for slot in equations.slots:
        function = equations.function(slot)
        assert tuple(function.name_in(i) for i in range(len(ARGUMENTS))) == ARGUMENTS
        outputs = [function.name_out(i) for i in range(function.n_out())]
        assert not any(re.fullmatch(r"o\d+", name) for name in outputs)
    needed = set(REQUIRED) - ({"derivatives"} if equations.rows else set())
    assert needed <= set(equations.slots) <= set(SLOTS)


def test_an_unknown_slot_is_refused():
    equations = bc.equations(pendulum)
    with pytest.raises(bc.BellcrankError, match=r"no slot named 'mas'. Did you mean 'mass'"):
        replace(equations, slots={"mas": equations.slots["mass"]})


def test_velocity_rows_before_position_rows_are_refused():
    rows = [Row("no slip", "disc", "nonholonomic", "velocity"),
            Row("contact", "disc", "loop", "position")]  # fmt: skip
    with pytest.raises(bc.BellcrankError) as caught:
        replace(bc.equations(pendulum), rows=tuple(rows))
    assert str(caught.value) == (
        "JointCoordinates(): position rows must come before velocity rows."
    )


def test_asking_for_an_absent_slot_lists_those_there_are():
    with pytest.raises(
        bc.BellcrankError, match=r"of 'pendulum' has no slot 'jerk'. It has: kin"
    ):
        bc.equations(pendulum).function("jerk")


def test_the_key_depends_on_structure_and_not_on_parameter_values():
    def with_mass(mass):
        return pendulum.replace("rod", mass=mass)

    key = [bc.equations(with_mass(m)).key for m in (1.0, 2.0)]
    assert key[0] != key[1]
    key = [bc.equations(with_mass(bc.Parameter("m", m))).key for m in (1.0, 2.0)]
    assert key[0] == key[1]


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_the_residual_jacobians_are_derivatives_of_the_residual(data):
    """r_q T and r_u against central differences along T ξ and u."""
    model = data.draw(mechanisms(max_bodies=3))
    system = bc.compile(model)
    equations = system.equations
    nu = len(system.speeds)
    if not nu:
        return
    arguments, a = point(equations, data.draw(states(model)), system)
    residual, empty, h = equations.function("residual"), np.zeros(0), 1e-6
    r_q, r_u = numbers(equations.function("residual_jacobian"), *arguments, a, empty)
    T = numbers(equations.function("kinematics"), *arguments)[0]
    for i in range(nu):
        for place, along, column in ((1, T[:, i], r_q), (2, np.eye(nu)[i], r_u)):
            moved = [list(arguments), list(arguments)]
            for shifted, sign in zip(moved, (1, -1), strict=True):
                shifted[place] = arguments[place] + sign * h * along
            up, down = (numbers(residual, *shifted, a, empty)[0].ravel() for shifted in moved)
            slope = (up - down) / (2 * h)
            scale = 1 + np.abs(slope).max()
            np.testing.assert_allclose(column[:, i] / scale, slope / scale, atol=3e-7)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_efforts_accelerate_by_the_inverse_of_the_mass_matrix(data):
    model = data.draw(mechanisms(max_bodies=4, forces=()))
    system = bc.compile(model)
    arguments, b = point(system.equations, data.draw(states(model)), system)
    if not b.size:
        return
    A = numbers(system.equations.function("mass"), *arguments)[0]
    f = numbers(system.equations.function("force"), *arguments)[0].ravel()
    x = numbers(system.equations.function("accelerate"), *arguments, b)[0].ravel()
    size = 1 + np.abs(f).max()
    np.testing.assert_allclose(A @ x / size, (f + b) / size, atol=1e-11 * np.linalg.cond(A))


@settings(max_examples=10, deadline=None)
@given(st.data())
def test_kinematics_jacobian_is_the_derivative_of_the_rates(data):
    model = data.draw(mechanisms(max_bodies=2, kinds=("Spherical", "Free"), forces=()))
    system = bc.compile(model)
    arguments, _ = point(system.equations, data.draw(states(model)), system)
    kinematics = system.equations.function("kinematics")
    T = numbers(kinematics, *arguments)[0]
    found = numbers(system.equations.function("kinematics_jacobian"), *arguments)[0]
    h = 1e-6
    for i in range(T.shape[1]):
        ends = []
        for sign in (1, -1):
            moved = list(arguments)
            moved[1] = arguments[1] + sign * h * T[:, i]
            ends.append(numbers(kinematics, *moved)[0] @ arguments[2])
        np.testing.assert_allclose(found[:, i], (ends[0] - ends[1]) / (2 * h), atol=1e-8)


def test_euler_parameters_keep_their_length_and_normalize_restores_it():
    """H14 for joint coordinates: pᵀṗ = 0, and |p| = 1 to round-off after `normalize`."""
    model = machine(["Spherical", "Free"])
    system = bc.compile(model)
    equations = system.equations
    rng = np.random.default_rng(3)
    q, u = rng.normal(size=11), rng.normal(size=9)
    empty = np.zeros(0)
    arguments = (0.0, q, u, empty, empty, empty, empty)
    qd = numbers(equations.function("derivatives"), *arguments)[0].ravel()
    assert q[:4] @ qd[:4] == pytest.approx(0, abs=1e-14)
    q1 = numbers(equations.function("normalize"), *arguments)[0].ravel()
    assert [np.linalg.norm(q1[:4]), np.linalg.norm(q1[7:])] == pytest.approx([1, 1], abs=1e-15)
    np.testing.assert_array_equal(q1[4:7], q[4:7])


def test_casadi_functions_are_sx():
    assert isinstance(bc.equations(pendulum).function("mass"), ca.Function)
    assert bc.equations(pendulum).function("mass").is_a("SXFunction")


@pytest.mark.parametrize("slot", SLOTS)
def test_a_slot_names_who_asks_for_it(slot):
    home = Path(bc.__file__).parent / SLOTS[slot].asked_by.replace(".", "/")
    file = home.with_suffix(".py") if home.with_suffix(".py").exists() else home / "__init__.py"
    assert f'"{slot}"' in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "formulation", [bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural()], ids=repr
)
def test_slots_give_what_the_contract_says(formulation):
    for model in (hinged.pendulum(), four_bars.in_space()):
        equations = bc.equations(model, formulation)
        for slot in equations.slots:
            function = equations.function(slot)
            assert tuple(function.name_out()) == SLOTS[slot].outputs
            for name in SLOTS[slot].outputs:
                assert name in SLOTS[slot].matrices or function.size2_out(name) <= 1


def test_a_matrix_of_one_column_is_asked_for_as_a_matrix():
    system = bc.compile(four_bars.in_space())
    (velocity, nu), (mass,) = (
        system.ask(
            slot,
            system.at_rest(0.0, np.zeros(len(system.coordinates)), np.zeros(0), np.zeros(0)),
        )
        for slot in ("velocity", "mass")
    )
    assert (velocity.ndim, nu.ndim, mass.ndim) == (2, 1, 2)
    system = bc.compile(hinged.pendulum())
    (mass,) = system.ask("mass", system.at_rest(0.0, np.zeros(1), np.zeros(0), np.zeros(0)))
    assert mass.shape == (1, 1)
