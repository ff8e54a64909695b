"""A machine of many small ones side by side, with most kinds of elements, that can move."""

import bellcrank as bc


def _box(name: str, center: tuple[float, float, float], mass: float = 1.0) -> bc.Body:
    return bc.Body(name, bc.Box((0.4, 0.2, 0.1), center=center, mass=mass))


def workshop() -> bc.Model:
    """Return the machine: slides, wheels, arms, a rolling disc, a loop, a driven crank."""
    return bc.Model(
        "workshop",
        bodies=[
            _box("cart", (0, 0, 0)), _box("ram", (0, 1, 0)), _box("wheel", (0, 2, 0)),
            _box("arm", (0.5, 3, 0)), _box("hand", (1.0, 3, 0)), _box("nut", (0, 4, 0)),
            _box("plate", (0, 5, 0)), _box("crank", (0.2, 6, 0)), _box("rod", (0.6, 6, 0)),
            _box("lever", (1.0, 6, 0)), _box("bob", (0.3, 7, -0.4)),
            bc.Body("disc", bc.Disc(0.4, center=(0, 9, 0.4), axis="y", mass=2.0)),
        ],
        joints=[
            bc.Prismatic("slide", "ground", "cart", axis=(1, 0, 0.2)),
            bc.Prismatic("rail", "ground", "ram", at=(0, 1, 0), axis="x"),
            bc.Revolute("axle", "ground", "wheel", at=(0, 2, 0), axis="y"),
            bc.Universal("hooke", "ground", "arm", at=(0.3, 3, 0), axis1="y", axis2="z"),
            bc.Spherical("ball", "arm", "hand", at=(0.75, 3, 0)),
            bc.Cylindrical("sleeve", "ground", "nut", at=(0, 4, 0), axis="z"),
            bc.Planar("table", "ground", "plate", at=(0, 5, 0), axis=(0.1, 0, 1)),
            bc.Revolute("A", "ground", "crank", at=(0, 6, 0), axis="y"),
            bc.Revolute("B", "crank", "rod", at=(0.4, 6, 0), axis="y"),
            bc.Revolute("C", "rod", "lever", at=(0.8, 6, 0), axis="y"),
            bc.Free("loose", "ground", "bob"),
            bc.Free("roll", "ground", "disc"),
        ],
        constraints=[
            bc.RackAndPinion("teeth", "rail", "axle", radius=0.15),
            bc.Distance("string", ("ground", (0.3, 7, 0.2)), ("bob", (0.3, 7, -0.35))),
            bc.RollingDisc("tread", "disc", center=(0, 9, 0.4), axis="y", radius=0.4),
            bc.VelocityConstraint("skate", {"plate.velocity_y": 1.0, "plate.velocity_x": 0.3}),
        ],
        forces=[
            bc.SpringDamper("strut", ("ground", (0.4, 0, 0.6)), ("cart", (0.1, 0, 0)),
                            stiffness=60.0, damping=1.0, length=0.4),
            bc.Motor("brake", "slide", effort="-0.5*sign(slide.offset_rate)"),
            bc.Motor("pull", "rail", effort=bc.Input("w")),
            bc.Bushing("mount", ("hand", (1.0, 3, 0)), ("ground", (1.0, 3, 0)),
                       stiffness=(90, 80, 70, 3, 2, 1), damping=(0.2,) * 6),
            bc.JointSpring("coil", "sleeve", "offset", stiffness=50.0),
            bc.Motor("spin", "sleeve", coordinate="angle", effort="0.2*cos(3*t)"),
            bc.Torque("twist", "plate", vector=(0, 0, "0.1*sin(2*t)"), frame="body"),
            bc.Force("push", "disc", vector=(1.0, 0.3, 0), at=(0, 9, 0.4)),
        ],
        drivers=[bc.Drive("turn", "A", angle="0.3*sin(2*t)")],
    )  # fmt: skip


INPUTS = {"w": "0.5*cos(4*t)"}
START = {
    "slide.offset_rate": -0.3, "hooke.angle2_rate": 0.5, "sleeve.offset": 0.1,
    "table.x_rate": -0.2, "table.angle_rate": 0.5,
    "loose.angular_velocity": (0.0, 0.0, 1.0), "C.angle_rate": 0.7,
}  # fmt: skip
