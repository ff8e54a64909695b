"""Options of `simulate` that do not fit: each is named, before anything is compiled."""

import pickle

import numpy as np
import pytest

import bellcrank as bc

m1 = bc.Parameter("m1", 1.0)
length = bc.Parameter("length", 1.0)
pendulum = bc.Model(
    "pendulum",
    bodies=[
        bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -length), mass=m1)),
        bc.Body("bob", bc.Sphere(length / 10, (0, 0, -length), mass=2 - m1)),
    ],
    joints=[
        bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y"),
        bc.Fixed("weld", "rod", "bob", at=(0, 0, -length)),
    ],
)
LONG = "x" * 80


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"until": "soon"}, "until takes a finite number of seconds, got 'soon'."),
        ({"until": None}, "until takes a finite number of seconds, got None."),
        ({"until": np.inf}, "until takes a finite number of seconds, got inf."),
        ({"begin": np.nan}, "begin takes a finite number of seconds, got nan."),
        ({"begin": 1.0}, "until must differ from begin, got 1 s for both."),
        ({"every": -1.0}, "every takes a positive number of seconds or 'step', got -1.0."),
        ({"every": "stp"}, "every takes a positive number of seconds or 'step', got 'stp'."),
        ({"every": [0.1]}, "every takes a positive number of seconds or 'step', got [0.1]."),
        ({"every": 1e-12}, "every=1e-12 asks for 1e+12 records; choose a longer interval."),
        ({"until": 10**400}, "until takes a finite number of seconds, got an int."),
        ({"begin": -(10**400)}, "begin takes a finite number of seconds, got an int."),
        ({"every": 10**400}, "every takes a positive number of seconds or 'step', "
         "got an int."),
        ({"rtol": 10**400}, "rtol takes a number, got an int."),
        ({"atol": 10**400}, "atol takes a number, got an int."),
        ({"rtol": [1e-6]}, "rtol takes one number for all states, got array([1.e-06])."),
        ({"rtol": np.array([1e-6, 1e-6])}, "rtol takes one number for all states, "
         "got array([1.e-06, 1.e-06])."),
        ({"atol": [1e-6] * 3}, "atol must be one number or 2 of them, got shape (3,)."),
        ({"atol": {}}, "atol takes a number, got {}."),
        ({"rtol": "fine"}, "rtol takes a number, got 'fine'."),
        ({"atol": LONG}, "atol takes a number, got a str."),
        ({"constraints": "projekt"}, "constraints takes one of 'project', 'independent', "
         "'index2', 'index3', 'baumgarte', an Independent(…) or a "
            "Baumgarte(…), got 'projekt'."),
        ({"constraints": np.array([1.0, 2.0])}, "constraints takes one of 'project', "
         "'independent', 'index2', 'index3', 'baumgarte', an Independent(…) or a "
            "Baumgarte(…), got array([1., 2.])."),
        ({"integrator": bc.RK4(step=1e-12)}, "step=1e-12 of RK4 makes 1e+12 steps in 1 s, "
         "more than 5e+06. Take longer ones, or say max_steps=… if so many are meant."),
        ({"integrator": bc.DOP853(max_step=1e-9)}, "max_step=1e-09 of DOP853 makes 1e+09 "
         "steps in 1 s, more than 5e+06. Take longer ones, or say max_steps=… if so many are "
         "meant."),
        ({"integrator": bc.RK4}, "integrator takes one such as bc.DOP853(), "
         "got the class RK4."),
        ({"integrator": "rk4"}, "integrator takes one such as bc.DOP853(), got 'rk4'."),
        ({"formulation": "Kane"}, "formulation takes one such as bc.JointCoordinates(), "
         "got 'Kane'."),
        ({"formulation": bc.JointCoordinates}, "formulation takes one such as "
         "bc.JointCoordinates(), got the class JointCoordinates."),
        ({"progress": "yes"}, "progress takes True, False or a function of (time, steps), "
         "got 'yes'."),
        ({"events": bc.Event("e", "A.angle")}, "events takes a list of bc.Event, "
         "got an Event."),
        ({"events": ["A.angle"]}, "events takes a list of bc.Event, got 'A.angle' in it."),
        ({"events": [bc.Event("e", "A.angle")] * 2},
         "events need different names, got 'e', 'e'."),
        ({"parameters": [1.0]}, "parameters takes values by name, as in {...}, got [1.0]."),
        ({"parameters": {"m1": np.nan}}, "parameter 'm1' takes a finite number, got nan."),
        ({"inputs": 3}, "inputs takes values by name, as in {...}, got 3."),
    ],
)  # fmt: skip
def test_options_that_do_not_fit_are_named(options, message):
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(pendulum, **({"until": 1.0} | options))
    assert str(caught.value) == message


@pytest.mark.parametrize("made", [bc.compile, bc.equations])
def test_what_is_compiled_says_what_to_pickle_instead(made):
    with pytest.raises(bc.NotSupported, match="Pickle the model of 'pendulum'"):
        pickle.dumps(made(pendulum))
    assert pickle.loads(pickle.dumps(pendulum)) == pendulum


@pytest.mark.parametrize("ask", [lambda m: bc.simulate(m, 1.0), bc.compile, bc.equations])
def test_what_is_no_machine_is_refused(ask):
    with pytest.raises(bc.OptionError) as caught:
        ask("double-pendulum")
    assert str(caught.value) == (
        "a machine is a bc.Model, got 'double-pendulum'. bc.load reads one from a file."
    )


def test_a_tree_takes_every_way_with_constraints():
    ends = [
        bc.simulate(pendulum, 0.5, constraints=mode).values("A.angle")[-1]
        for mode in ("project", "index2", "index3")
    ]
    assert len(set(ends)) == 1


def test_values_of_parameters_that_no_machine_can_have_are_refused_all_at_once():
    with pytest.raises(bc.ModelError) as caught:
        bc.simulate(pendulum, 1.0, parameters={"m1": 3.0, "length": -1.0})
    assert caught.value.complaints == (
        "body 'bob': Sphere: mass must be zero or positive [kg], got -1.",
        "body 'bob': Sphere: radius must be positive [m], got -0.1.",
    )
    with pytest.raises(bc.ModelError) as caught:
        bc.simulate(pendulum, 1.0, parameters={"m1": 0.0})
    assert str(caught.value) == "body 'rod': mass must be positive [kg], got 0."


def test_unknown_names_are_refused_all_at_once():
    with pytest.raises(bc.ModelError) as caught:
        bc.simulate(pendulum, 1.0, parameters={"m2": 3.0, "lenght": -1.0})
    assert caught.value.complaints == (
        "no parameter named 'm2'. There are: length, m1.",
        "no parameter named 'lenght'. Did you mean 'length'? There are: length, m1.",
    )
    with pytest.raises(bc.ModelError) as caught:
        bc.simulate(pendulum, 1.0, inputs={"f": 3.0, "g": -1.0})
    assert caught.value.complaints == (
        "no input named 'f'. There are: none.",
        "no input named 'g'. There are: none.",
    )
    with pytest.raises(bc.ModelError) as caught:
        bc.simulate(pendulum, 1.0, events=[bc.Event("e", "A.angel"), bc.Event("f", "B")])
    assert caught.value.complaints == (
        "event 'e': joint 'A' has no 'angel'. Did you mean 'angle'? It has angle, angle_rate, "
        "angle_acceleration, reaction_force_x, reaction_force_y, reaction_force_z, "
        "reaction_torque_x, reaction_torque_y, reaction_torque_z.",
        "event 'f': no parameter, input or coordinate named 'B'. There are: A, length, m1.",
    )


def test_a_name_and_its_short_form_together_are_refused():
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(pendulum, 1.0, start={"A": 1.0, "A.angle": 2.0})
    assert str(caught.value) == "'A' and 'A.angle' are the same; give one."


def test_the_result_of_another_machine_is_not_continued():
    run = bc.simulate(pendulum, 1.0, start={"A": 1.0}, every=1.0)
    other = pendulum.replace("A", name="hinge")
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(other, 2.0, start=run)
    assert str(caught.value) == (
        "the result to continue has 'A.angle', 'A.angle_rate', which 'pendulum' has not. "
        "Give what carries over by name."
    )


def test_tolerances_may_differ_between_coordinates():
    run = bc.simulate(pendulum, 1.0, start={"A": 1.0}, atol=[1e-9, 1e-7])
    assert run.provenance["atol"] == [1e-9, 1e-7]
    assert "rtol" not in bc.simulate(pendulum, 1.0, integrator=bc.RK4(0.1)).provenance
