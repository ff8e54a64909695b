"""The model as a value: comparing, changing, composing, naming, its structure."""

import pickle
import subprocess
import sys
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.counting import calls
from tests.machines import hinged
from tests.machines.everything import everything, four_bar

from bellcrank.errors import ModelError, UnknownName
from bellcrank.model import (
    Body,
    Force,
    Free,
    Gear,
    Input,
    Model,
    Motor,
    Parameter,
    Particle,
    Point,
    Prismatic,
    RackAndPinion,
    Revolute,
    Rod,
    SpringDamper,
    VelocityConstraint,
    mass_properties,
)
from bellcrank.model.expressions import Signal, evaluate
from bellcrank.testing import mechanisms

some = settings(max_examples=25, deadline=None)


def pendulum(**changes):
    return replace(hinged.pendulum(mass=2.0), **changes)


def test_a_model_is_a_value():
    one, same = everything(), everything()
    assert one == same
    assert hash(one) == hash(same)
    assert one.digest == same.digest
    assert one in {same}
    copy = pickle.loads(pickle.dumps(one))
    assert copy == one
    assert copy.digest == one.digest
    assert one != one.replace("bob", mass=3)


def test_the_digest_is_the_same_in_another_process():
    code = (
        "import sys; sys.path.insert(0, '.');"
        "from tests.machines.everything import everything; print(everything().digest)"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.stdout.strip() == everything().digest, found.stderr


def test_elements_by_name():
    model = everything()
    assert model["R"].KIND == "joint"
    assert model["tip"].at == (1, 0, 1)
    assert "tip" in model
    assert model.names[:2] == ("b0", "b1")
    assert [e.name for e in model.elements] == list(model.names)
    with pytest.raises(UnknownName) as raised:
        pendulum()["rodd"]
    assert str(raised.value) == (
        "no element named 'rodd'. Did you mean 'rod'? There are: A, rod."
    )


def test_ends_and_drawn_lengths():
    model = four_bar()
    assert model.end(model["strut"].second) == ("coupler", (1, 0, 1.5))
    assert model.end("tip") == ("coupler", (1, 0, 1.5))
    assert model.drawn_length(model["strut"]) == 1.5
    assert model.replace("strut", length=2).drawn_length(model["strut"]) == 1.5
    longer = model.replace("strut", length=2)
    assert longer.drawn_length(longer["strut"]) == 2


def test_gravity_as_a_default_and_given():
    assert pendulum().gravity == (0, 0, -9.81)
    assert pendulum(gravity=(0, 0, -0.0)).gravity == (0, 0, 0)
    assert str(pendulum(gravity=(0, 0, -0.0)).gravity[2]) == "0.0"
    g = Parameter("g", 9.81)
    assert pendulum(gravity=(0, 0, -g)).parameters == (g,)
    assert replace(pendulum(), gravity=(0, 0, -1.62)).gravity == (0, 0, -1.62)


def test_replace_add_and_without():
    model = pendulum()
    heavier = model.replace("rod", mass=4.0)
    assert mass_properties(heavier["rod"]).mass == 4.0
    assert mass_properties(model["rod"]).mass == 2.0
    pushed = model.add(Motor("motor", "A", "-A.angle_rate"))
    renamed = pushed.replace("A", name="hinge")
    assert renamed.names == ("rod", "hinge", "motor")
    assert renamed["motor"].joint == "hinge"
    assert renamed["motor"].effort == -Signal("hinge.angle_rate")
    longer = model.add(
        Body("second", Rod((1, 0, 0), (2, 0, 0), mass=1)),
        Revolute("B", "rod", "second", at=(1, 0, 0), axis="y"),
        Point("tip", "second", at=(2, 0, 0)),
    )
    assert longer.graph.lower == (0, 1)
    assert longer.without("second", "B", "tip") == model


@some
@given(mechanisms(), st.data())
def test_what_is_taken_out_and_put_back_changes_nothing_but_order(model, data):
    movable = [f for f in (*model.forces, *model.points)]
    element = data.draw(st.sampled_from(movable))
    back = model.without(element.name).add(element)
    assert set(back.elements) == set(model.elements)
    assert back.replace(element.name) == back


@some
@given(mechanisms())
def test_prefixing_changes_nothing_but_names(model):
    assert model.prefixed("") == model
    left = model.prefixed("left_")
    assert all(name.startswith("left_") for name in left.names)
    assert left.structure().replace("left_", "") == model.structure()
    both = left.add(*model.prefixed("right_").elements)
    assert len(both.elements) == 2 * len(model.elements)
    assert both.graph.lower.count(0) == 2 * model.graph.lower.count(0)


def test_prefixing_reaches_every_reference():
    model = everything()
    left = model.prefixed("left_")
    assert left.structure().replace("left_", "") == model.structure()
    assert [p.name for p in left.parameters] == ["left_m", "left_k"]
    assert [w.name for w in left.inputs] == ["left_tau"]
    assert left["left_R"].first == "ground"
    gears = [
        Gear("gear", "A", "B", -2),
        RackAndPinion("rack", "S", "A", 0.1),
        VelocityConstraint("roll", {"A.angle_rate": 1, "slider.velocity_x": "-A.angle"}),
    ]
    machine = four_bar().add(
        Particle("slider", 1, (0, 0, 5)), Prismatic("S", "ground", "slider", axis="x"), *gears
    )
    other = machine.prefixed("p_")
    assert other.structure().replace("p_", "") == machine.structure()
    assert other["p_roll"].terms[1][0] == "p_slider.velocity_x"


def test_parameters_are_collected_given_ones_first():
    spare = Parameter("spare", 1.0)
    model = replace(everything(), parameters=(spare, *everything().parameters[::-1]))
    assert [p.name for p in model.parameters] == ["spare", "k", "m"]
    assert [p.name for p in everything().parameters] == ["m", "k"]


def test_strings_name_parameters_and_inputs():
    model = pendulum(
        bodies=[Body("rod", Rod((0, 0, 0), ("2*l", 0, 0), mass="m"))],
        forces=[Motor("motor", "A", "tau - m*angle_rate - A")],
        parameters=[Parameter("m", 3.0), Parameter("l", 0.5)],
        inputs=[Input("tau")],
    )
    assert mass_properties(model["rod"]).com[0] == 0.5 * (2 * Parameter("l", 0.5))
    effort = model["motor"].effort
    expected = Input("tau") - Parameter("m", 3.0) * Signal("A.angle_rate") - Signal("A.angle")
    assert effort == expected
    assert model["motor"].coordinate == "angle"


def test_a_parameter_value_is_changed_everywhere_and_keeps_the_digest():
    model = everything()
    other = model.replace("m", value=5.0)
    assert other.parameters[0] == Parameter("m", 5.0)
    assert evaluate(mass_properties(other["b3"]).mass, {}) == 5.0
    assert other != model
    assert other.digest == model.digest
    assert other.replace("m", value=2.0) == model


def test_a_parameter_leaves_with_its_last_use_and_stays_when_declared_only():
    m = Parameter("m", 2.0)
    spare = Parameter("spare", 1.0)
    rod = Body("rod", Rod((0, 0, 0), (1, 0, 0)), mass=m)
    model = pendulum(bodies=[rod], parameters=[spare])
    assert model.parameters == (spare, m)
    assert model.replace("rod", mass=3.0).parameters == (spare,)
    assert model.replace("rod", mass="2*m").parameters == (spare, m)
    assert model.replace("rod", mass=Parameter("m", 7.0)).parameters[1].value == 7.0


def test_bare_names_in_a_law_are_its_own_quantities_first():
    model = four_bar(
        forces=[SpringDamper("s", ("ground", (0, 0, 0)), "tip", law="length + length_rate")]
    )
    assert model["s"].law == Signal("s.length") + Signal("s.length_rate")


def test_expressions_from_outside_are_looked_up():
    model = everything()
    assert model.resolve("R + tip.velocity_z - m") == (
        Signal("R.angle") + Signal("tip.velocity_z") - Parameter("m", 2.0)
    )
    with pytest.raises(ModelError) as raised:
        model.resolve("tip.velocity_w + nobody.x + zz", who="event 'apex'")
    assert raised.value.complaints == (
        "event 'apex': no element named 'nobody'. There are: B, C, F, L, P, R, S, T, U, V, W, "
        "b0, … (32 in all).",
        "event 'apex': point 'tip' has no 'velocity_w'. Did you mean 'velocity_z'? It has "
        "position_x, position_y, position_z, velocity_x, velocity_y, velocity_z.",
        "event 'apex': no parameter, input or coordinate named 'zz'. There are: P, R, S, T, V, "
        "k, m, tau.",
    )


def test_repr_counts():
    assert repr(pendulum()) == "<Model 'pendulum': 1 body, 1 joint>"
    assert repr(Model("void")) == "<Model 'void': empty>"


def test_structure_tells_models_apart_and_ignores_values_and_the_name():
    model = everything()
    assert replace(model, name="other").digest == model.digest
    assert "30.0" not in model.structure()  # the value of k
    for changed in (
        model.replace("bob", mass=0.51),
        model.replace("R", drawn=0.3),
        model.replace("push", frame="body"),
        replace(model, gravity=(0, 0, 0)),
    ):
        assert changed.digest != model.digest


def chain(count):
    bodies, joints = [], []
    for k in range(count):
        bodies.append(Body(f"b{k}", Rod((0, 0, k), (0, 0.1, k + 1), mass=1.0)))
        low = f"b{k - 1}" if k else "ground"
        joints.append(Revolute(f"j{k}", low, f"b{k}", at=(0, 0, k), axis="xy"[k % 2]))
    return Model("chain", bodies=bodies, joints=joints)


def test_work_grows_as_the_machine_does_and_the_digest_is_kept():
    assert calls(lambda: chain(150)) < 2.2 * calls(lambda: chain(75))
    model = chain(30)
    assert model.digest is model.digest


def test_frozen():
    with pytest.raises(AttributeError):
        pendulum().name = "other"


def test_a_force_may_be_traced_from_a_callable():
    model = pendulum(
        forces=[Force("push", "rod", (lambda t, A: -0.2 * A.angle_rate * t, 0, 0))]
    )
    assert model["push"].vector[0] == -0.2 * Signal("A.angle_rate") * Signal("t")


def test_free_flight_is_said_with_a_free_joint():
    model = Model(
        "stone", bodies=[Particle("p", 1, (0, 0, 0))], joints=[Free("F", "ground", "p")]
    )
    assert model.graph.depth == (0,)
