"""A machine with every kind of joint, constraint, force and driver, and more than one of some.

It need not be able to move: residuals and derivatives are compared at states of no meaning.
"""

import math

import bellcrank as bc


def _turn(angle: float, axis: tuple[float, float, float]) -> tuple[float, ...]:
    s, size = math.sin(angle / 2), math.sqrt(sum(a * a for a in axis))
    return (math.cos(angle / 2), *(s * a / size for a in axis))


def _body(i: int) -> bc.Body:
    x = 0.3 * i
    pose = bc.Pose((x, 0.1, -0.2), _turn(0.2 + 0.3 * i, (1.0, 0.5 * i, -0.3)))
    inertia = (0.05 + 0.003 * i, 0.05, 0.06, 0.002, -0.001 * i, 0.003)
    straight = {} if i % 3 == 0 else {"pose": pose}
    return bc.Body(
        f"B{i}", mass=1.0 + 0.1 * i, com=(x + 0.05, 0.02 * i, 0.1), inertia=inertia, **straight
    )


def everything() -> bc.Model:
    """Return the machine in space."""
    stiff = bc.Parameter("stiff", 40.0)
    joints = [
        bc.Revolute("hinge", "ground", "B0", at=(0.1, 0, 0), axis=(0.2, 1, 0.1), drawn=0.3),
        bc.Revolute("hinge2", "B0", "B1", at=(0.2, 0, 0.1), axis=(0.1, 0.3, 1)),
        bc.Revolute("hinge3", "B1", "B2", at=((0.4, 0, 0), (0.4, 0.01, 0)),
                    axis=((0.0, 1, 0.1), (0.05, 1, 0.1))),
        bc.Prismatic("slide", "B2", "B3", at=(0.7, 0, 0), axis=(1, 0.2, 0)),
        bc.Cylindrical("sleeve", "B3", "B4", at=(0.9, 0, 0.1), axis="z", drawn=(0.1, 0.2)),
        bc.Screw("thread", "B4", "B5", at=(1.1, 0, 0), axis=(1, 0.1, 0.2), pitch=0.05),
        bc.Universal("hooke", "B5", "B6", at=(1.6, 0, 0), axis1=(1, 0, 0), axis2=(0, 0.6, 0.8)),
        bc.Spherical("ball", "B6", "B7", at=(1.9, 0.1, 0)),
        bc.Planar("table", "B7", "B8", at=(2.1, 0, 0), axis=(0.1, 0.2, 1)),
        bc.Planar("table2", "B8", "B9", at=(2.1, 0, 0), axis="z", along=(1, 1, 0)),
        bc.Fixed("weld", "B9", "B10", at=(2.9, 0, 0)),
        bc.Free("free", "ground", "B11", drawn=(0.1, 0.0, 0.2)),
        bc.Spherical("ball2", "ground", "P", at=(3.0, 0, 0.5)),
    ]  # fmt: skip
    constraints = [
        bc.Distance("link", ("B0", (0, 0, 0.2)), ("B5", (1.5, 0.1, 0))),
        bc.Distance("link2", "tip", ("ground", (1.5, 0.1, 0)), length=0.7),
        bc.PointOnLine("rail", ("B6", (1.8, 0, 0)), "B1", at=(0, 0, 0), axis=(1, 0.1, 0)),
        bc.PointOnPlane("floor", ("B7", (2, 0, 0)), "ground", at=(0, 0, 0), axis=(0.1, 0, 1)),
        bc.Parallel("along", "B2", "B8", axis1=(0, 0.2, 1)),
        bc.Perpendicular("across", "B3", "B9", axis1=(1, 0, 0.1), axis2=(0, 1, 0.2)),
        bc.Gear("gear", "hinge", "hinge2", ratio=-2.0),
        bc.RackAndPinion("rack", "slide", "hinge3", radius=0.1),
        bc.RollingDisc("wheel", "B11", center=(3.3, 0, 0.4), axis=(0.1, 1, 0.2), radius=0.4),
        bc.VelocityConstraint(
            "skate", {"B11.velocity_x": "sin(t)", "hinge.angle_rate": 0.3}, equals="0.1*t"
        ),
    ]
    forces = [
        bc.SpringDamper("strut", ("ground", (1, 0, 1)), ("B4", (1.2, 0, 0.1)), stiffness=stiff,
                        damping=2.0, length=0.4),
        bc.SpringDamper("strut2", ("B1", (0.3, 0, 0)), "tip", stiffness=30, damping=0.5,
                        law="abs(strut.length_rate) + 3*length**2 - max(hinge.angle, 0.2*t)"),
        bc.SpringDamper("strut3", ("B2", (0.6, 0, 0)), ("P", (3.0, 0, 0.5)), stiffness=12),
        bc.JointSpring("torsion", "hinge2", stiffness=5.0, damping=0.1, rest=0.2, friction=0.3),
        bc.JointSpring("torsion2", "sleeve", "offset", stiffness=50.0, law="0.2*sin(3*t)"),
        bc.JointSpring("torsion3", "hooke", "angle2", stiffness=1.0),
        bc.Motor("motor", "hinge3", effort="2*cos(t) - 0.1*hinge3.angle_rate"),
        bc.Motor("motor2", "table", effort=bc.Input("pull"), coordinate="x"),
        bc.Force("push", "B6", vector=("3*t", 1.0, "stiff/10"), at=(1.7, 0.1, 0)),
        bc.Force("thrust", "B8", vector=(0, "B8.velocity_x", 2.0), frame="body"),
        bc.Torque("twist", "B9", vector=(0.1, "sign(B9.angular_velocity_z)", 0), frame="body"),
        bc.Torque("twist2", "B10", vector=(0.1, 0.2, "tip.position_x")),
        bc.Bushing("mount", ("B10", (3, 0, 0)), ("B0", (0, 0, 0)), stiffness=(9, 8, 7, 3, 2, 1),
                   damping=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)),
    ]  # fmt: skip
    return bc.Model(
        "everything",
        bodies=[*(_body(i) for i in range(12)), bc.Particle("P", 0.7, (3.0, 0, 0.5))],
        joints=joints,
        constraints=constraints,
        forces=forces,
        drivers=[
            bc.Drive("turn", "hinge", angle="0.3 + 0.5*sin(2*t)"),
            bc.Drive("slew", "hooke", angle1="0.2*t"),
            bc.Drive("reach", "tip", position_x="1 + 0.1*t", position_z="0.2"),
        ],
        points=[bc.Point("tip", "B2", at=(0.7, 0.05, 0.1))],
        gravity=(0.3, -0.2, -9.81),
    )


def flat() -> bc.Model:
    """Return a planar machine with what there is in the plane."""
    rods = [
        bc.Body(f"R{i}", bc.Rod((0.5 * i, 0.1 * i), (0.5 * i + 0.5, 0.1), mass=1.0 + i))
        for i in range(5)
    ]
    return bc.Model(
        "flat",
        planar=True,
        bodies=[*rods, bc.Particle("P", 0.5, (2.5, 0.4))],
        joints=[
            bc.Revolute("A", "ground", "R0", at=(0, 0)),
            bc.Revolute("B", "R0", "R1", at=(0.5, 0.1)),
            bc.Prismatic("C", "R1", "R2", at=(1.0, 0.2), axis=(1, 0.3)),
            bc.Prismatic("C2", "ground", "R3", axis=(0, 1)),
            bc.Fixed("D", "R3", "R4", at=(2.0, 0.3)),
            bc.Planar("E", "ground", "P"),
        ],
        constraints=[
            bc.Distance("link", ("R0", (0.2, 0)), ("R2", (1.2, 0.1))),
            bc.PointOnLine("rail", ("R2", (1.4, 0.1)), "ground", at=(0, 0), axis=(1, 0.2)),
        ],
        forces=[
            bc.SpringDamper("strut", ("ground", (1, 1)), ("R4", (2.2, 0.3)), stiffness=20,
                            damping=1),
            bc.JointSpring("torsion", "B", stiffness=2.0),
            bc.Torque("twist", "R1", vector=(0, 0, "sin(t)")),
        ],
        drivers=[bc.Drive("turn", "A", angle="t")],
        points=[bc.Point("tip", "R2", at=(1.5, 0.2))],
    )  # fmt: skip
