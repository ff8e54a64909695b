"""A tree with every joint and most forces, and a four-bar with a strut."""

from dataclasses import replace

from tests.machines import four_bars

from bellcrank.model import (
    Body,
    Box,
    Bushing,
    Cylindrical,
    Drive,
    Fixed,
    Force,
    Free,
    Input,
    JointSpring,
    Model,
    Motor,
    Parameter,
    Particle,
    Planar,
    Point,
    Prismatic,
    Revolute,
    Rod,
    Screw,
    Sphere,
    Spherical,
    SpringDamper,
    Torque,
    Universal,
)


def four_bar(**changes):
    """A four-bar in space with a strut, and a point on its coupler."""
    strut = SpringDamper(
        "strut", ("ground", (1, 0, 0)), ("coupler", (1, 0, 1.5)), stiffness=200
    )
    tip = Point("tip", "coupler", at=(1, 0, 1.5))
    return replace(four_bars.in_space(forces=[strut], points=[tip]), **changes)


def everything():
    """A tree with every joint, most forces, parameters, inputs and a drive."""
    m, k = Parameter("m", 2.0), Parameter("k", 30.0)
    names = [f"b{i}" for i in range(9)]
    bodies = [Body(n, Rod((i, 0, 0), (i, 0.2, 1), mass=m)) for i, n in enumerate(names)]
    bodies.append(Particle("bob", 0.5, at=(0, 0, 3)))
    bodies.append(Body("lump", Box((1, 2, 3), mass=2), Sphere(0.5, center=(1, 1, 1), mass=1)))
    kinds = [
        Revolute("R", "ground", "b0", at=(0, 0, 0), axis="y", drawn=0.2),
        Prismatic("P", "b0", "b1", axis=(1, 1, 0)),
        Cylindrical("C", "b1", "b2", at=(2, 0, 0), axis="z", drawn=(0.1, 0.2)),
        Screw("S", "b2", "b3", at=(3, 0, 0), axis="x", pitch=0.1),
        Universal("U", "b3", "b4", at=(4, 0, 0), axis1="x", axis2="y"),
        Spherical("B", "b4", "b5", at=(5, 0, 0)),
        Planar("L", "b5", "b6", axis=(1, 2, 3), drawn=(1, 2, 3)),
        Fixed("W", "b6", "b7"),
        Free("F", "ground", "b8", at=(8, 0, 0), drawn=(1, 0, 0)),
        Revolute("T", "b8", "bob", at=(0, 0, 3), axis="x"),
        Revolute("V", "lump", "ground", at=(0, 0, 0), axis="x"),
    ]
    forces = [
        SpringDamper("strut", ("ground", (1, 0, 0)), "tip", stiffness=k, law="length_rate**3"),
        JointSpring("spring", "R", stiffness=k, law="0.1*angle**3"),
        JointSpring("slide", "C", coordinate="offset", rest=0.1, law="offset**2"),
        Bushing("rubber", ("b7", (7, 0, 0)), ("b8", (8, 0, 0)), stiffness=(1, 2, 3, 4, 5, 6)),
        Force("push", "b3", ("sin(t)", "tip.position_y", "b8.orientation_1"), at=(3, 0, 1)),
        Torque("twist", "b4", (0, "F.velocity_x", "B.angular_velocity_z"), frame="body"),
        Motor("motor", "P", Input("tau")),
    ]
    return Model(
        "everything",
        bodies=bodies,
        joints=kinds,
        forces=forces,
        points=[Point("tip", "b1", at=(1, 0, 1)), Point("nail", "ground", at=(0, 0, 9))],
        drivers=[Drive("turn", "V", angle="0.5*t")],
    )
