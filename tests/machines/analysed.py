"""Machines whose equilibria, poles and efforts are known: REFERENCES_ANALYSIS A and B."""

import numpy as np

import bellcrank as bc

G = 9.81


def bicycle() -> bc.Model:
    """Return the benchmark bicycle (A-D1) on a free joint; x forward, z down."""
    rear, front, base, trail, tilt = 0.3, 0.35, 1.02, 0.08, np.pi / 10

    def wheel(name, x, radius, mass, across, along):
        inertia = (across, along, across, 0, 0, 0)
        return bc.Body(name, mass=mass, com=(x, 0, -radius), inertia=inertia)

    steer = (float(np.sin(tilt)), 0.0, float(np.cos(tilt)))
    return bc.Model(
        "bicycle",
        gravity=(0, 0, G),
        bodies=[
            bc.Body(
                "frame", mass=85.0, com=(0.3, 0, -0.9), inertia=(9.2, 11.0, 2.8, 0, 2.4, 0)
            ),
            bc.Body(
                "fork", mass=4.0, com=(0.9, 0, -0.7),
                inertia=(0.05892, 0.06, 0.00708, 0, -0.00756, 0),
            ),
            wheel("rear wheel", 0.0, rear, 2.0, 0.0603, 0.12),
            wheel("front wheel", base, front, 3.0, 0.1405, 0.28),
        ],
        joints=[
            bc.Free("F", "ground", "frame"),
            bc.Revolute("steer", "frame", "fork", at=(base + trail, 0, 0), axis=steer),
            bc.Revolute("rear", "frame", "rear wheel", at=(0, 0, -rear), axis="y"),
            bc.Revolute("front", "fork", "front wheel", at=(base, 0, -front), axis="y"),
        ],
        constraints=[
            bc.RollingDisc("rear tyre", "rear wheel", (0, 0, -rear), "y", rear, normal="-z"),
            bc.RollingDisc(
                "front tyre", "front wheel", (base, 0, -front), "y", front, normal="-z"
            ),
        ],
    )  # fmt: skip


def running(speed: float) -> dict:
    """Return the bicycle's start, upright and straight at a speed [m/s]."""
    return {"F.velocity": (speed, 0, 0), "F.angular_velocity": (0, 0, 0),
            "steer.angle_rate": 0.0, "rear.angle_rate": -speed / 0.3}  # fmt: skip


def disc(hoop: bool = False) -> bc.Model:
    """Return the rolling disc or hoop of A-D2: 2 kg, radius 0.3 m."""
    m, r = 2.0, 0.3
    polar = m * r * r * (1.0 if hoop else 0.5)
    inertia = (polar / 2, polar, polar / 2, 0, 0, 0)
    return bc.Model(
        "disc",
        bodies=[bc.Body("disc", mass=m, com=(0, 0, r), inertia=inertia)],
        joints=[bc.Free("F", "ground", "disc", at=(0, 0, r))],
        constraints=[bc.RollingDisc("contact", "disc", center=(0, 0, r), axis="y", radius=r)],
    )


def ziegler() -> bc.Model:
    """Return Ziegler's column (A-D3) under a follower force `P`."""
    return bc.Model(
        "Ziegler",
        planar=True,
        gravity=(0, 0),
        parameters=[bc.Parameter("P", 1.0)],
        bodies=[
            bc.Body("lower", mass=2.0, com=(0, 1), inertia=(0,) * 6),
            bc.Body("upper", mass=1.0, com=(0, 2), inertia=(0,) * 6),
        ],
        joints=[
            bc.Revolute("A", "ground", "lower", at=(0, 0)),
            bc.Revolute("B", "lower", "upper", at=(0, 1)),
        ],
        forces=[
            bc.JointSpring("k1", "A", stiffness=1.0),
            bc.JointSpring("k2", "B", stiffness=1.0),
            bc.Force("load", "upper", (0, "-P", 0), at=(0, 2), frame="body"),
        ],
    )


def hanging_rods() -> bc.Model:
    """Return the two uniform rods of A-D4, hanging."""
    return bc.Model(
        "two rods",
        planar=True,
        bodies=[
            bc.Body("upper", bc.Rod((0, 0), (0, -1), mass=1.0)),
            bc.Body("lower", bc.Rod((0, -1), (0, -2), mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "upper", at=(0, 0)),
            bc.Revolute("B", "upper", "lower", at=(0, -1)),
        ],
    )


def four_bar(stiffness: float = 0.0, damping: float = 0.0, **others) -> bc.Model:
    """Return the four-bar of A-D5 and B-D1; `A.angle` is the crank's from +x."""
    from tests.machines.looped import plain

    model = plain()
    if stiffness or damping:
        spring = bc.JointSpring("spring", "A", stiffness=stiffness, damping=damping, rest=0.0)
        model = model.add(spring)
    return model.add(*others.values()) if others else model


def top() -> bc.Model:
    """Return the heavy top of A-D6 on a spherical joint, drawn upright."""
    m, length = 1.0, 0.04
    across, along = 0.002 - m * length**2, 0.0008
    return bc.Model(
        "top",
        bodies=[
            bc.Body("top", mass=m, com=(0, 0, length),
                    inertia=(across, across, along, 0, 0, 0)),
        ],
        joints=[bc.Spherical("S", "ground", "top", at=(0, 0, 0))],
    )  # fmt: skip


def gimballed_top() -> bc.Model:
    """Return the heavy top of A-D6 on three hinges: precession, nutation and spin."""
    m, length = 1.0, 0.04
    across, along = 0.002 - m * length**2, 0.0008
    light = (1e-13, 1e-13, 1e-13, 0, 0, 0)  # what carries no more than a coordinate
    return bc.Model(
        "top in gimbals",
        bodies=[
            bc.Body("outer", mass=1e-12, com=(0, 0, 0), inertia=light),
            bc.Body("inner", mass=1e-12, com=(0, 0, 0), inertia=light),
            bc.Body("top", mass=m, com=(0, 0, length),
                    inertia=(across, across, along, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("precession", "ground", "outer", at=(0, 0, 0), axis="z"),
            bc.Revolute("nutation", "outer", "inner", at=(0, 0, 0), axis="x"),
            bc.Revolute("spin", "inner", "top", at=(0, 0, 0), axis="z"),
        ],
    )  # fmt: skip


def wishbone(damping: float = 2500.0) -> bc.Model:
    """Return the quarter car of A-D7."""
    A, B, C, D = (0.35, 0.30), (0.75, 0.25), (0.42, 0.55), (0.70, 0.56)
    E, W = (0.45, 0.75), (0.80, 0.32)
    F = (0.60, 0.30 - 0.05 * (0.60 - 0.35) / 0.40)
    return bc.Model(
        "double wishbone",
        planar=True,
        bodies=[
            bc.Body("chassis", mass=400.0, com=(0, 0.5), inertia=(1, 1, 1, 0, 0, 0)),
            bc.Body("lower", bc.Rod(A, B, mass=5.0)),
            bc.Body("upper", bc.Rod(C, D, mass=3.0)),
            bc.Body("upright", mass=40.0, com=W, inertia=(1.2, 1.2, 1.2, 0, 0, 0)),
        ],
        joints=[
            bc.Prismatic("slide", "ground", "chassis", at=(0, 0), axis="y"),
            bc.Revolute("A", "chassis", "lower", at=A),
            bc.Revolute("C", "chassis", "upper", at=C),
            bc.Revolute("B", "lower", "upright", at=B),
            bc.Revolute("D", "upper", "upright", at=D),
        ],
        forces=[
            bc.SpringDamper("strut", ("chassis", E), ("lower", F), stiffness=40_000.0,
                            damping=damping, length=0.66),
            bc.Force("tyre", "upright", (0, "200000 * (0.32 - W.position_y)", 0), at=W),
        ],
        points=[bc.Point("W", "upright", at=W)],
    )  # fmt: skip


def slider_crank() -> bc.Model:
    """Return the slider-crank of B-D2, the crank along +x and driven by a motor `M`."""
    return bc.Model(
        "slider-crank",
        planar=True,
        gravity=(0, 0),
        bodies=[
            bc.Body("crank", bc.Rod((0, 0), (0.1, 0), mass=0.2)),
            bc.Body("rod", bc.Rod((0.1, 0), (0.4, 0), mass=0.2)),
            bc.Body("slider", mass=0.4, com=(0.4, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "rod", at=(0.1, 0)),
            bc.Revolute("C", "rod", "slider", at=(0.4, 0)),
            bc.Prismatic("guide", "ground", "slider", at=(0, 0), axis="x"),
        ],
        forces=[bc.Motor("M", "A", bc.Input("torque"))],
    )


def stewart() -> bc.Model:
    """Return the Stewart platform of B-D3, its legs pushing by inputs F1 to F6."""

    def ring(radius, angles, z):
        turns = np.radians(angles)
        return [(radius * float(np.cos(a)), radius * float(np.sin(a)), z) for a in turns]

    base = ring(1.0, (-10, 10, 110, 130, 230, 250), 0.0)
    top = ring(0.6, (-48, 48, 72, 168, 192, 288), 1.25)
    return bc.Model(
        "Stewart",
        bodies=[bc.Body("platform", mass=50.0, com=(0, 0, 1.25), inertia=(4, 5, 8, 0, 0, 0))],
        joints=[bc.Free("P", "ground", "platform", at=(0, 0, 1.25))],
        forces=[
            bc.SpringDamper(
                f"leg{i + 1}", ("ground", a), ("platform", b), law=-bc.Input(f"F{i + 1}")
            )
            for i, (a, b) in enumerate(zip(base, top, strict=True))
        ],
    )


def five_link() -> bc.Model:
    """Return a five-link suspension: an upright on five rods of fixed length."""
    inner = [
        (0.1, 0.35, 0.25),
        (-0.2, 0.33, 0.24),
        (0.15, 0.42, 0.5),
        (-0.1, 0.4, 0.52),
        (-0.25, 0.3, 0.32),
    ]
    outer = [
        (0.02, 0.7, 0.2),
        (-0.03, 0.71, 0.19),
        (0.03, 0.66, 0.55),
        (-0.02, 0.65, 0.56),
        (-0.15, 0.68, 0.3),
    ]
    return bc.Model(
        "five-link",
        bodies=[bc.Body("upright", mass=30.0, com=(0, 0.75, 0.35), inertia=(1, 1, 1, 0, 0, 0))],
        joints=[bc.Free("F", "ground", "upright", at=(0, 0.75, 0.35))],
        constraints=[
            bc.Distance(f"rod{i + 1}", ("ground", a), ("upright", b))
            for i, (a, b) in enumerate(zip(inner, outer, strict=True))
        ],
        points=[
            bc.Point("hub", "upright", at=(0, 0.75, 0.35)),
            bc.Point("axle", "upright", at=(0, 0.85, 0.35)),
        ],
    )
