"""A machine as native code: names, batches and messages."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.testing import machine, state

arm = bc.Model(
    "arm",
    bodies=[
        bc.Body("upper", bc.Rod((0, 0, 0), (1, 0, 0), mass=bc.Parameter("m1", 2.0))),
        bc.Body("ball", bc.Sphere(0.1, center=(1.5, 0, 0), mass=1.0)),
    ],
    joints=[
        bc.Revolute("shoulder", "ground", "upper", at=(0, 0, 0), axis="y", drawn=0.25),
        bc.Spherical("wrist", "upper", "ball", at=(1, 0, 0)),
    ],
    forces=[bc.Motor("motor", "shoulder", effort=bc.Input("tau"))],
)


@pytest.fixture(scope="module")
def system():
    return bc.compile(arm, level=0)


def test_pack_starts_from_the_drawing(system):
    q, u = system.pack()
    np.testing.assert_array_equal(q, [0.25, 1, 0, 0, 0])
    np.testing.assert_array_equal(u, np.zeros(4))


def test_unpack_undoes_pack(system):
    values = {
        "shoulder.angle": 0.3,
        "wrist.orientation": (0.5, 0.5, -0.5, 0.5),
        "shoulder.angle_rate": -1.0,
        "wrist.angular_velocity": (1.0, 2.0, 3.0),
    }
    found = system.unpack(*system.pack(values))
    assert list(found) == list(values)
    for name, value in values.items():
        np.testing.assert_allclose(found[name], value)


def test_a_bare_joint_name_means_its_only_coordinate(system):
    assert system.pack({"shoulder": 1.5})[0][0] == 1.5
    np.testing.assert_allclose(system.pack({"wrist": (0, 2, 0, 0)})[0][1:], [0, 1, 0, 0])


def test_start_values_that_do_not_fit_are_named_all_at_once(system):
    with pytest.raises(bc.StartError) as caught:
        system.pack({
            "sholder": 1.0,
            "shoulder.angle": np.nan,
            "wrist.orientation": (0, 0, 0, 0),
        })
    assert str(caught.value) == (
        "'sholder' is no coordinate or speed of 'arm'. Did you mean 'shoulder'? "
        "A start may name: shoulder.angle, wrist.orientation, shoulder.angle_rate, "
        "wrist.angular_velocity. "
        "'shoulder.angle' takes 1 finite number, got nan. "
        "'wrist.orientation' takes four Euler parameters, not all zero."
    )


def test_every_question_lists_the_order_of_its_vectors(system):
    assert "q[0] shoulder.angle [rad]" in system.accelerations.__doc__
    assert "u[3] wrist.angular_velocity_z [rad/s]" in system.mass_matrix.__doc__


def test_an_input_without_a_value_is_named(system):
    with pytest.raises(bc.OptionError) as caught:
        system.accelerations(*system.pack())
    assert str(caught.value) == (
        "input 'tau' of 'arm' without a value. Give inputs={'tau': …}."
    )


def test_unknown_parameters_and_bad_values_are_named(system):
    with pytest.raises(bc.UnknownName, match=r"no parameter named 'm11'. Did you mean 'm1'"):
        system.mass_matrix(system.pack()[0], parameters={"m11": 1.0})
    with pytest.raises(
        bc.OptionError, match=r"parameter 'm1' takes a finite number, got nan\."
    ):
        system.mass_matrix(system.pack()[0], parameters={"m1": np.nan})


def test_vectors_of_a_wrong_length_are_named(system):
    with pytest.raises(bc.OptionError) as caught:
        system.mass_matrix(np.zeros(3))
    assert str(caught.value) == (
        "q takes 5 entries (shoulder.angle, wrist.orientation_0, wrist.orientation_1, "
        "wrist.orientation_2, wrist.orientation_3), got 3."
    )


def test_a_batch_gives_what_its_members_give(system):
    rng = np.random.default_rng(0)
    pairs = [system.pack(state(arm, seed)) for seed in range(6)]
    q, u = (np.array(part).reshape(2, 3, -1) for part in zip(*pairs, strict=True))
    efforts = rng.normal(size=(3, 4))
    batch = system.accelerations(q, u, efforts, inputs={"tau": 0.7}, t=0.1)
    assert batch.shape == (2, 3, 4)
    for i, j in np.ndindex(2, 3):
        one = system.accelerations(q[i, j], u[i, j], efforts[j], inputs={"tau": 0.7}, t=0.1)
        np.testing.assert_allclose(batch[i, j], one, rtol=1e-13)


def test_efforts_and_inverse_dynamics_undo_each_other(system):
    q, u = system.pack(state(arm, 5))
    efforts = np.array([0.3, -0.2, 0.1, 0.5])
    udot = system.accelerations(q, u, efforts, inputs={"tau": 1.0})
    np.testing.assert_allclose(
        system.inverse_dynamics(q, u, udot, inputs={"tau": 1.0}), efforts, atol=1e-12
    )


def test_derivatives_are_rates_and_accelerations(system):
    q, u = system.pack(state(arm, 7))
    xd = system.derivatives(0.0, np.concatenate([q, u]), inputs={"tau": 0.0})
    np.testing.assert_allclose(xd[0], u[0])
    np.testing.assert_allclose(xd[5:], system.accelerations(q, u, inputs={"tau": 0.0}))


def test_lanes_give_what_scalar_code_gives():
    model = machine(["Revolute", "Spherical", "Screw", "Universal"], forces=["Bushing"])
    pairs = [bc.compile(model).pack(state(model, seed)) for seed in range(19)]
    q, u = (np.array(part) for part in zip(*pairs, strict=True))
    plain = bc.compile(model).accelerations(q, u)
    scale = np.abs(plain).max(axis=-1, keepdims=True)
    for lanes in (2, 4, 8):
        found = bc.compile(model, lanes=lanes).accelerations(q, u)
        np.testing.assert_allclose(found / scale, plain / scale, atol=1e-11)


def test_nonsmooth_laws_take_the_branch_of_the_state():
    model = bc.Model(
        "block",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=2.0))],
        joints=[bc.Prismatic("X", "ground", "block", axis="x")],
        forces=[
            bc.Motor("push", "X", effort="-3*abs(X.offset) + where(X.offset_rate > 1, 5, 0)")
        ],
    )
    system = bc.compile(model, level=0)
    q, u = np.array([[2.0], [-2.0], [2.0]]), np.array([[0.0], [0.0], [3.0]])
    np.testing.assert_allclose(system.accelerations(q, u)[:, 0], [-3.0, -3.0, -0.5])


def test_the_mass_matrix_of_one_freedom_is_a_matrix():
    rod = bc.Model(
        "rod",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=3.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
    )
    np.testing.assert_allclose(bc.compile(rod).mass_matrix([0.2]), [[1.0]])
    assert bc.compile(rod).mass_matrix(np.zeros((5, 1))).shape == (5, 1, 1)
