"""Every complaint of a model, its whole text, and all of them at once."""

import numpy as np
import pytest
from tests.machines.everything import four_bar

from bellcrank.errors import ModelError, UnknownName
from bellcrank.model import (
    Body,
    Box,
    Bushing,
    Distance,
    Drive,
    Event,
    Force,
    Free,
    Gear,
    Input,
    JointSpring,
    Model,
    Motor,
    Parallel,
    Parameter,
    Particle,
    Perpendicular,
    Point,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    RackAndPinion,
    Revolute,
    Rod,
    RollingDisc,
    Sampled,
    Spherical,
    SpringDamper,
    Torque,
    Universal,
    VelocityConstraint,
)

O = (0, 0, 0)
nan = float("nan")


def rod(name="rod", **options):
    return Body(name, Rod(O, (1, 0, 0), mass=1), **options)


def hinge(name="A", first="ground", second="rod"):
    return Revolute(name, first, second, at=O, axis="y")


def pendulum(**changes):
    return Model("pendulum", **({"bodies": [rod()], "joints": [hinge()]} | changes))


def complaints(make):
    with pytest.raises(ModelError) as raised:
        make()
    return raised.value.complaints


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"joints": [hinge(second="rodd")]},
         ["joint 'A': no body named 'rodd'. Did you mean 'rod'? There are: ground, rod.",
          "body 'rod' is not connected to ground by joints. If it moves freely, add "
          "Free('rod free', 'ground', 'rod')."]),
        ({"bodies": [rod(), rod("a"), rod("b")], "joints": [hinge(), hinge("B", "a", "b")]},
         ["body 'a' (with 'b') is not connected to ground by joints. If it moves freely, add "
          "Free('a free', 'ground', 'a')."]),
        ({"bodies": [rod(), Particle("p", mass=1.0, at=O)]},
         ["body 'p' is not connected to ground by joints. If it moves freely, add "
          "Free('p free', 'ground', 'p'), and simulate with formulation=bc.Cartesian() or "
          "bc.Natural(): a Particle does not resist turning, and there it does not turn."]),
        ({"bodies": [rod(), rod()]},
         ["body 'rod': another body has the same name; names are unique."]),
        ({"joints": [hinge("rod")]},
         ["joint 'rod': a body has the same name; names are unique."]),
        ({"points": [Point("energy", "rod", O), Point("ground", "rod", O)]},
         ["point 'energy': this name is reserved; choose another.",
          "point 'ground': this name is reserved; choose another."]),
        ({"joints": [hinge(), Revolute("B", "ground", "rod", at=O)]},
         ["joint 'B': axis is needed: 'x', 'y', 'z', or three numbers."]),
        ({"bodies": [hinge()]},
         ["bodies[0] is the joint 'A', which belongs in joints.",
          "joint 'A': no body named 'rod'. Did you mean 'ground'? There are: ground."]),
        ({"bodies": 5, "joints": ["A"]},
         ["bodies needs a list, got 5.", "joints[0] is no element of a model, got 'A'."]),
        ({"gravity": (0, 0)}, ["model: gravity needs 3 components [m/s²], got 2."]),
        ({"gravity": (0, 0, nan)},
         ["model: gravity[2] must be a finite number [m/s²], got nan."]),
        ({"gravity": (0, 0, "-g")},
         ["model: gravity: no parameter named 'g'. There are: none."]),
        ({"planar": 1}, ["model: planar is True or False, got 1."]),
        ({"bodies": [rod(mass=Parameter("m", 1.0))], "parameters": [Parameter("m", 2.0)]},
         ["parameter 'm' has two values, 2 and 1."]),
        ({"parameters": [Parameter("m", 1.0)], "inputs": [Input("m")]},
         ["'m' is both a parameter and an input."]),
        ({"parameters": [Parameter("energy", 1.0)]},
         ["parameter 'energy': this name is reserved; choose another."]),
        ({"parameters": [Parameter("rod", 1.0)]},
         ["parameter 'rod': a body has the same name; names are unique."]),
        ({"parameters": [3.0], "inputs": 4},
         ["model: parameters takes Parameter, got 3.0.", "model: inputs needs a list."]),
        ({"bodies": [rod(mass="2*load1")], "parameters": [Parameter("load2", 1.0)]},
         ["body 'rod': mass: no parameter named 'load1'. Did you mean 'load2'? "
          "There are: load2."]),
        ({"bodies": [rod(mass="-m")], "parameters": [Parameter("m", 1.0)]},
         ["body 'rod': mass must be positive [kg], got -1."]),
        ({"bodies": [Body("rod", Rod(O, (1, 0), mass=1))]},
         ["body 'rod': Rod: end needs 3 components, got 2; pairs are for planar=True."]),
        ({"forces": [Force("push", "rod", (1, 2))]},
         ["force 'push': vector needs 3 components, got 2; pairs are for planar=True."]),
        ({"forces": [Force("push", "A", (1, 2, 3))]},
         ["force 'push': no body named 'A'. There are: ground, rod."]),
        ({"forces": [Force("push", "ground", (1, 2, 3))]}, ["force 'push': acts on ground."]),
        ({"forces": [Motor("m", "B", 1)]},
         ["force 'm': no joint named 'B'. There are: A."]),
        ({"forces": [Motor("m", "A", "A.angel")]},
         ["force 'm': effort: joint 'A' has no 'angel'. Did you mean 'angle'? It has angle, "
          "angle_rate."]),
        ({"forces": [Motor("m", "A", "B.angle + torq"), Motor("n", "A", "A.reaction_force_x")]},
         ["force 'm': effort: no element named 'B'. There are: A, m, n, rod.",
          "force 'm': effort: no parameter, input or coordinate named 'torq'. There are: A.",
          "force 'n': effort: 'A.reaction_force_x' would be circular: it follows from the "
          "accelerations, and these from all that acts. Events and sampled controllers may use "
          "it."]),
        ({"forces": [Motor("m", "A", "n.effort"), Motor("n", "A", "2*m.effort")]},
         ["force 'm' uses 'n.effort', which uses 'm.effort': that is circular."]),
        ({"forces": [Motor("m", "A", 1, coordinate="angel")]},
         ["force 'm': joint 'A' has no coordinate 'angel'. Did you mean 'angle'? "
          "It has angle."]),
        ({"forces": [SpringDamper("s", "rod", ("ground", O))]},
         ["force 's': no point named 'rod'. There are: none. "
          "For a body, give ('rod', point)."]),
        ({"forces": [SpringDamper("s", ("ground", (1, 0, 0)), ("ground", O))]},
         ["force 's': ties ground to ground."]),
        ({"drivers": [Drive("d", "rod", angle="t")]},
         ["driver 'd': no joint, point or distance named 'rod'. There are: A."]),
        ({"drivers": [Drive("d", "A", offset="t", angle="A.angle + w")],
          "inputs": [Input("w")]},
         ["driver 'd': 'A' has no coordinate 'offset'. It has angle.",
          "driver 'd': angle may use t and parameters only, got A.angle, w. A speed may "
          "use variables and positions, as in angle_rate='…'."]),
        ({"constraints": [Gear("g", "A", "B", 2)]},
         ["constraint 'g': no joint named 'B'. There are: A."]),
        ({"constraints": [VelocityConstraint("v", {"A.angle": 1, "B.angle_rate": 1})]},
         ["constraint 'v': terms['A.angle']: 'A' has no speed 'angle'. Did you mean "
          "'angle_rate'? It has angle_rate.",
          "constraint 'v': terms['B.angle_rate']: no element named 'B'. "
          "There are: A, rod, v."]),
        ({"constraints": [VelocityConstraint("v", {"A.angle_rate": "rod.velocity_x"}, "A")]},
         ["constraint 'v': terms['A.angle_rate'] may use t, parameters, positions and "
          "variables only, got rod.velocity_x."]),
        ({"constraints": [VelocityConstraint("v", {"A.angle_rate": 1}, "2*A.angle_rate")]},
         ["constraint 'v': equals may use t, parameters, positions and variables only, "
          "got A.angle_rate."]),
        ({"joints": [hinge(), Prismatic("P", "ground", "rod", axis=(1, 0))]},
         ["joint 'P': axis needs 3 components, got 2; pairs are for planar=True."]),
        ({"constraints": [PointOnPlane("c", ("rod", O), "ground", at=(0, 0), axis=(0, 1))]},
         ["constraint 'c': at needs 3 components, got 2; pairs are for planar=True.",
          "constraint 'c': axis needs 3 components, got 2; pairs are for planar=True."]),
    ],
)  # fmt: skip
def test_a_model_says_what_is_wrong(changes, expected):
    assert list(complaints(lambda: pendulum(**changes))) == expected


def test_a_model_has_a_name():
    assert complaints(lambda: Model(3)) == ("model: name must be text, got 3.",)
    assert complaints(lambda: Model(" ")) == ("model: name must be text, got ' '.",)


def test_coordinates_must_be_named_where_there_are_several():
    bodies = [rod(), rod("b"), rod("c")]
    joints = [
        hinge(),
        Universal("U", "rod", "b", at=O, axis1="x", axis2="y"),
        Spherical("S", "b", "c", at=O),
    ]
    found = complaints(
        lambda: Model(
            "m",
            bodies=bodies,
            joints=joints,
            forces=[Motor("m1", "U", 1), JointSpring("s1", "S", stiffness=1)],
            constraints=[Gear("g", "A", "U", 2), RackAndPinion("r", "A", "A2", 2)],
        )
    )
    assert found == (
        "constraint 'g': joint 'U' has no coordinate 'angle'; it has angle1, angle2.",
        "constraint 'r': no joint named 'A2'. Did you mean 'A'? There are: A, S, U.",
        "force 'm1': coordinate is needed: joint 'U' (Universal) has angle1, angle2.",
        "force 's1': joint 'S' (Spherical) has no coordinate that is one number.",
    )


def test_all_complaints_come_at_once_and_say_so():
    with pytest.raises(ModelError) as raised:
        Model(
            "m",
            bodies=[rod(), rod(), rod("loose")],
            joints=[hinge(second="rood")],
            forces=[Motor("m", "A", "A.speed")],
            gravity=(0, nan, 0),
        )
    assert str(raised.value) == (
        "6 complaints:\n"
        "  - model: gravity[1] must be a finite number [m/s²], got nan.\n"
        "  - body 'rod': another body has the same name; names are unique.\n"
        "  - force 'm': effort: joint 'A' has no 'speed'. It has angle, angle_rate.\n"
        "  - joint 'A': no body named 'rood'. Did you mean 'rod'? "
        "There are: ground, loose, rod.\n"
        "  - body 'rod' is not connected to ground by joints. If it moves freely, add "
        "Free('rod free', 'ground', 'rod').\n"
        "  - body 'loose' is not connected to ground by joints. If it moves freely, add "
        "Free('loose free', 'ground', 'loose')."
    )


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: SpringDamper("s", ("a", O), ("a", O)),
         "force 's': needs two different ends, got the same twice."),
        (lambda: SpringDamper("s", "p", 5),
         "force 's': second is ('body', point) or the name of a Point, got 5."),
        (lambda: SpringDamper("s", "p", ("a", (0, nan, 0))),
         "force 's': second[1] must be a finite number [m], got nan."),
        (lambda: SpringDamper("s", "p", "q", stiffness=nan),
         "force 's': stiffness must be a finite number [N/m], got nan."),
        (lambda: SpringDamper("s", "p", "q", length=-1),
         "force 's': length must be zero or positive [m], got -1."),
        (lambda: JointSpring("s", "A", friction=-1),
         "force 's': friction must be zero or positive, got -1."),
        (lambda: JointSpring("s", "A", friction_speed=0),
         "force 's': friction_speed must be positive, got 0."),
        (lambda: Bushing("s", "p", "q", stiffness=(1, 2, 3)),
         "force 's': stiffness needs 6 components, got 3."),
        (lambda: Bushing("s", "p", "q", axes=((1, 0), (0, 1))),
         "force 's': axes needs 3×3 entries, got 2."),
        (lambda: Force("f", "b", 5), "force 'f': vector needs 2 or 3 components, got 5."),
        (lambda: Force("f", "b", (1, nan, 3)),
         "force 'f': vector[1]: a finite number is needed, got nan."),
        (lambda: Force("f", "b", (1, 2, 3), frame="wold"),
         "force 'f': frame is one of 'world', 'body', got 'wold'. Did you mean 'world'?"),
        (lambda: Torque("f", "b", (1, 2)), "force 'f': vector needs 3 components, got 2."),
        (lambda: Motor("m", "A", nan),
         "force 'm': effort: a finite number is needed, got nan."),
        (lambda: Motor("m", 3, 1), "force 'm': joint must be text, got 3."),
        (lambda: Drive("d", "A"),
         "driver 'd': motion needs a coordinate, as in angle='2*pi*t'."),
        (lambda: Drive("d", "A", (("angle", 1),), angle="t"),
         "driver 'd': motion names a coordinate twice."),
        (lambda: Drive("d", "A", angle=nan),
         "driver 'd': motion['angle']: a finite number is needed, got nan."),
        (lambda: Drive("d", "A", 5), "driver 'd': motion needs names and values, got 5."),
        (lambda: Drive("d", "A", {3: 1}),
         "driver 'd': motion is named by coordinates such as 'angle', got 3."),
        (lambda: Distance("d", "p", "q", length=0),
         "constraint 'd': length must be positive [m], got 0."),
        (lambda: Distance("d", "p", "p"),
         "constraint 'd': needs two different ends, got the same twice."),
        (lambda: PointOnLine("c", "p", "b", O, (0, 0, 0)),
         "constraint 'c': axis must not be zero, got (0, 0, 0)."),
        (lambda: PointOnPlane("c", "p", "b", (0, 0, 0, 0), "x"),
         "constraint 'c': at needs 3 components [m], got 4."),
        (lambda: Parallel("c", "b", "b", "x"),
         "constraint 'c': needs two different bodies, got 'b' twice."),
        (lambda: Perpendicular("c", "a", "b", "x", "q"),
         "constraint 'c': axis2 is one of x, y, z, -x, -y, -z or three numbers, got 'q'."),
        (lambda: Gear("g", "A", "A", 1),
         "constraint 'g': needs two different joints, got 'A' twice."),
        (lambda: Gear("g", "A", "B", 0),
         "constraint 'g': ratio must be different from zero, got 0."),
        (lambda: RackAndPinion("g", "A", "A", 1),
         "constraint 'g': needs two different joints, got 'A' twice."),
        (lambda: RollingDisc("r", "w", O, "z", 1),
         "constraint 'r': axis must not be along normal: the disc would lie flat."),
        (lambda: RollingDisc("r", "w", O, "x", -1),
         "constraint 'r': radius must be positive [m], got -1."),
        (lambda: VelocityConstraint("v", {}),
         "constraint 'v': terms needs at least one speed."),
        (lambda: VelocityConstraint("v", (("a.b", 1), ("a.b", 2))),
         "constraint 'v': terms names a speed twice."),
        (lambda: VelocityConstraint("v", {"a.b": nan}),
         "constraint 'v': terms['a.b']: a finite number is needed, got nan."),
        (lambda: VelocityConstraint("v", {1: 2}),
         "constraint 'v': terms are named by speeds such as 'A.angle_rate', got 1."),
        (lambda: Event("e", "t", direction=2), "event 'e': direction is -1, 0 or 1, got 2."),
        (
            lambda: Event("e", "t", direction=np.array([1.0, 2.0])),
            "event 'e': direction is -1, 0 or 1, got array([1., 2.]).",
        ),
        (lambda: Event("e", nan, terminal=1),
         "2 complaints:\n  - event 'e': when: a finite number is needed, got nan.\n"
         "  - event 'e': terminal is True or False, got 1."),
        (lambda: Sampled(3, 0),
         "2 complaints:\n"
         "  - sampled controller: law must be a function law(t, values), got 3.\n"
         "  - sampled controller: every must be positive [s], got 0."),
        (lambda: Sampled(print, Parameter("h", 1.0), reads=(1,)),
         "2 complaints:\n"
         "  - sampled controller: every must be a plain number [s], not an expression.\n"
         "  - sampled controller: reads needs names, got 1."),
        (lambda: Sampled(print, 1.0, reads=5),
         "sampled controller: reads needs names, got 5."),
    ],
)  # fmt: skip
def test_elements_say_what_is_wrong(make, message):
    with pytest.raises(ModelError) as raised:
        make()
    assert str(raised.value) == message


def test_edits_say_what_is_wrong():
    model = four_bar(
        bodies=[*four_bar().bodies[:2], Body("rocker", Rod((2, 0, 0), (2, 0, 2)), mass="m")],
        parameters=[Parameter("m", 2.0)],
    )
    with pytest.raises(UnknownName) as raised:
        model.replace("crannk", mass=1)
    assert str(raised.value) == (
        "no element or parameter named 'crannk'. Did you mean 'crank'? There are: A, B, C, D, "
        "coupler, crank, m, rocker, strut, tip."
    )
    assert complaints(lambda: model.replace("crank", mas=1)) == (
        "body 'crank' has no field 'mas'. Did you mean 'mass'? It has name, shapes, mass, com, "
        "inertia, pose, as_given.",
    )
    assert complaints(lambda: model.replace("m", name="n")) == (
        "parameter 'm' has no field 'name'. It has value.",
    )
    assert complaints(lambda: model.without("coupler"))[0] == (
        "joint 'B': no body named 'coupler'. There are: crank, ground, rocker."
    )
    assert complaints(lambda: model.without("nobody")) == (
        "no element named 'nobody'. There are: A, B, C, D, coupler, crank, rocker, strut, tip.",
    )
    assert complaints(lambda: model.add(3)) == ("add takes elements, got 3.",)
    assert complaints(lambda: model.moved(3)) == ("moved takes a Pose, got 3.",)
    assert complaints(lambda: model.mirrored("w")) == (
        "mirrored: axis is one of x, y, z, -x, -y, -z or three numbers, got 'w'.",
    )
    assert complaints(lambda: model.mirrored((1, Parameter("a", 1.0), 0))) == (
        "mirrored: axis must be plain numbers, not expressions.",
    )


def test_events_and_samples_take_their_forms():
    assert Event("e", "tip.velocity_z", direction=-1, terminal=True).direction == -1
    assert Sampled(print, 1).every == 1.0
    assert Sampled(print, 1, reads="A.angle").reads == ("A.angle",)


def test_a_body_only_for_the_eye_is_not_enough():
    assert complaints(lambda: Body("b", Box((1, 1, 1), mass=0))) == (
        "body 'b': mass must be positive [kg], got 0.",
    )
    Model("stone", bodies=[Particle("p", 1, O)], joints=[Free("f", "ground", "p")])
