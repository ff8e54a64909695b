"""Planar machines: pairs for points, z for axes, and what leaves the plane is refused."""

import pytest

from bellcrank.errors import ModelError
from bellcrank.model import (
    Body,
    Box,
    Force,
    Model,
    Parameter,
    Particle,
    Planar,
    Point,
    PointMasses,
    Prismatic,
    Revolute,
    Rod,
    Spherical,
    SpringDamper,
    Torque,
)


def slider(planar=True, **changes):
    flat = (lambda *p: p) if planar else (lambda *p: (*p, 0))
    parts = {
        "bodies": [
            Body("crank", Rod(flat(0, 0), flat(1, 0), mass=1)),
            Body("rod", PointMasses((1, 2), [flat(1, 0), flat(3, 0)]), com=flat(2, 0)),
            Particle("slider", 2, at=flat(3, 0)),
            Body("puck", Box((1, 1, 0.1), center=flat(5, 5), mass=1)),
        ],
        "joints": [
            Revolute("A", "ground", "crank", flat(0, 0), **({} if planar else {"axis": "z"})),
            Revolute("B", "crank", "rod", {"crank": flat(1, 0), "rod": flat(1, 0)}, "z"),
            Revolute("C", "rod", "slider", flat(3, 0), "z"),
            Prismatic("D", "ground", "slider", flat(3, 0), axis=flat(1, 0)),
            Planar("E", "ground", "puck", **({} if planar else {"axis": "z"})),
        ],
        "forces": [
            SpringDamper("s", ("ground", flat(0, 1)), ("crank", flat(1, 0)), stiffness=1),
            Force("f", "crank", flat("sin(t)", 1), at=flat(1, 0)),
            Torque("q", "crank", (0, 0, "t")),
        ],
        "points": [Point("tip", "rod", flat(2, 0))],
    }
    gravity = {} if planar else {"gravity": (0, -9.81, 0)}
    return Model("slider", **(parts | gravity | changes), planar=planar)


def test_a_planar_model_is_its_spatial_twin_but_for_the_flag():
    flat, spatial = slider(), slider(planar=False)
    assert flat.elements == spatial.elements
    assert flat.gravity == spatial.gravity == (0, -9.81, 0)
    assert flat != spatial
    assert flat.digest != spatial.digest
    assert flat.graph == spatial.graph
    assert slider(gravity=(0, -1)).gravity == (0, -1, 0)


def complaints(**changes):
    with pytest.raises(ModelError) as raised:
        slider(**changes)
    return list(raised.value.complaints)


def test_what_leaves_the_plane_is_refused():
    model = slider()
    assert complaints(gravity=(0, 0, -9.81)) == [
        "model: gravity of a planar model has no z component."
    ]
    joints = [*model.joints, Spherical("S", "ground", "puck", (0, 0))]
    assert complaints(joints=joints) == [
        "joint 'S': a Spherical joint leaves the plane; a planar model takes Revolute, "
        "Prismatic, Planar, Fixed and Free."
    ]
    joints = [
        *model.joints,
        Revolute("R", "ground", "puck", (0, 0), axis="x"),
        Prismatic("P", "ground", "puck", axis="z"),
        Prismatic("Q", "ground", "puck"),
        Revolute("T", "ground", "puck", (0, 0, 1)),
    ]
    assert complaints(joints=joints) == [
        "joint 'R': the axis of a Revolute joint in a planar model is z or -z.",
        "joint 'P': the axis of a Prismatic joint in a planar model lies in the x-y plane.",
        "joint 'Q': axis is needed: 'x', 'y', 'z', or three numbers.",
        "joint 'T': at must have z = 0 in a planar model.",
    ]
    assert complaints(
        forces=[Force("f", "crank", (0, 0, 1)), Torque("q", "rod", (1, 0, 0))]
    ) == [
        "force 'f': vector has no z component in a planar model.",
        "force 'q': vector has only a z component in a planar model.",
    ]
    bodies = [Body("crank", Rod((0, 0), (1, 0, 1), mass=1)), *model.bodies[1:]]
    assert complaints(bodies=bodies) == [
        "body 'crank': Rod: end must have z = 0 in a planar model."
    ]


def test_composing_keeps_the_plane():
    both = slider().prefixed("left_").add(*slider().mirrored("x").prefixed("right_").elements)
    assert both["right_tip"].at == (-2, 0, 0)
    assert both["right_A"].axis == (0, 0, -1)
    assert both.planar


def test_a_pair_of_texts_is_a_point():
    l = Parameter("l", 2.0)
    body = Body("rod", Rod((0, 0), ("l", 0), mass=1))
    model = Model(
        "m",
        planar=True,
        bodies=[body],
        joints=[Revolute("A", "ground", "rod", at=("l/2", "0"))],
        parameters=[l],
    )
    assert model["A"].at == (l / 2, 0.0, 0.0)
