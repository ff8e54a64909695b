"""Machines with loops that are known by their answers: REFERENCES 0 to 2 and 6."""

from collections.abc import Sequence

import numpy as np
from tests.machines import four_bars

import bellcrank as bc

Place = tuple[float, float]


def bar(name: str, a: Place, b: Place, mass: float | None = None) -> bc.Body:
    """Return a uniform rod in the plane, of 1 kg/m if its mass is not given."""
    length = float(np.hypot(b[0] - a[0], b[1] - a[1]))
    return bc.Body(name, bc.Rod(a, b, mass=length if mass is None else mass))


def elbow(a: Place, b: Place, to_a: float, to_b: float, side: float = 1.0) -> Place:
    """Return the point at given distances from a and from b, left of a → b for side 1."""
    d = np.subtract(b, a)
    length = float(np.hypot(*d))
    along = (to_a**2 - to_b**2 + length**2) / (2 * length)
    across = side * np.sqrt(to_a**2 - along**2)
    e = d / length
    x, y = np.asarray(a) + along * e + across * np.array([-e[1], e[0]])
    return float(x), float(y)


def four_bar(
    crank: float, coupler: float, rocker: float, ground: float, angle: float = np.pi / 2
) -> bc.Model:
    """Return a planar four-bar of uniform rods of 1 kg/m, drawn on its open branch.

    `A.angle` is the crank's angle from the ground link.
    """
    A, D = (0.0, 0.0), (ground, 0.0)
    B = (crank * float(np.cos(angle)), crank * float(np.sin(angle)))
    C = elbow(B, D, coupler, rocker)
    lengths = (crank, coupler, rocker)
    return four_bars.four_bar(A, B, C, D, masses=lengths, drawn={"A": angle})


def plain() -> bc.Model:
    """Return the four-bar of REFERENCES 0."""
    return four_bar(1.0, 2.0, 2.0, 2.0)


def change_point() -> bc.Model:
    """Return the four-bar of REFERENCES 1.2b, which flattens in every turn."""
    return four_bar(1.0, 1.5, 2.0, 2.5)


def _change_point_energies(angle: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return 2T/rate² and V of the change-point four-bar at crank angles, REFERENCES 1.2b.

    With d from crank pin to ground pin, (3.5 - d)(3.5 + d) = 10 cos²(angle/2): the angle at the
    crank pin changes its sign with cos(angle/2), and so the branch passes flat positions.
    """
    step = 1e-30  # derivatives by complex steps
    theta = angle + 1j * step
    half = np.cos(theta / 2)
    d = np.sqrt(12.25 - 10 * half**2)
    bend = 2 * np.arcsin(half * np.sqrt(10 * (d + 0.5) / ((3.5 + d) * 6 * d)))
    B = np.array([np.cos(theta), np.sin(theta)])
    along = np.array([2.5 - B[0], -B[1]]) / d
    across = np.array([-along[1], along[0]])
    C = B + 1.5 * (along * np.cos(bend) + across * np.sin(bend))
    b, c = B.imag / step, C.imag / step  # uniform rods: m (a² + ab + b²)/3
    inertia = ((b * b + 1.5 * (b * b + b * c + c * c) + 2 * c * c) / 3).sum(axis=0)
    height = 0.5 * B[1].real + 0.75 * (B[1].real + C[1].real) + C[1].real
    return inertia, 9.81 * height


def change_point_time(angle: float) -> float:
    """Return when the crank that starts at 90 deg with 8 rad/s reaches an angle [s]."""
    nodes, weights = np.polynomial.legendre.leggauss(40)
    edges = np.linspace(np.pi / 2, angle, 2 + int(5 * (angle - np.pi / 2)))
    half = np.diff(edges)[:, None] / 2
    theta = edges[:-1, None] + half * (1 + nodes)
    inertia, V = _change_point_energies(theta)
    inertia0, V0 = _change_point_energies(np.array(np.pi / 2))
    return float((np.sqrt(inertia / (64 * inertia0 + 2 * (V0 - V))) * weights * half).sum())


def change_point_answer(t: float) -> float:
    """Return the crank angle at a time."""
    from scipy.optimize import brentq

    return brentq(lambda angle: change_point_time(angle) - t, np.pi / 2, 60.0, xtol=1e-13)


def ladder(N: int, phi: float = 0.0) -> bc.Model:
    """Return the N-four-bar of REFERENCES 1.2, drawn at an angle phi from upright.

    `P0.angle` is −phi.
    """
    x, y = float(np.sin(phi)), float(np.cos(phi))
    feet = [(float(i), 0.0) for i in range(N + 1)]
    tops = [(i + x, y) for i in range(N + 1)]
    bodies = [bar(f"post{i}", feet[i], tops[i], 1.0) for i in range(N + 1)]
    bodies += [bar(f"beam{i}", tops[i], tops[i + 1], 1.0) for i in range(N)]
    joints = [
        bc.Revolute(f"P{i}", "ground", f"post{i}", at=feet[i], drawn=-phi) for i in range(N + 1)
    ]
    for i in range(N):
        joints.append(bc.Revolute(f"L{i}", f"post{i}", f"beam{i}", at=tops[i], drawn=phi))
        joints.append(bc.Revolute(f"R{i}", f"beam{i}", f"post{i + 1}", at=tops[i + 1]))
    points = [bc.Point("B0", "post0", at=tops[0])]
    return bc.Model("ladder", planar=True, bodies=bodies, joints=joints, points=points)


def ladder_answer(N: int, t: float) -> tuple[float, float]:
    """Return phi and its rate: am(K − √a t | m), REFERENCES 1.2."""
    from scipy.special import ellipj, ellipk

    I, G = (N + 1) / 3 + N, ((N + 1) / 2 + N) * 9.81
    a = 1 / 4 + G / I
    m = G / I / a
    phi = np.pi - 2 * float(ellipj(ellipk(m) - np.sqrt(a) * t, m)[3])
    return phi, float(np.sqrt(1 + 2 * G / I * (1 - np.cos(phi))))


HEXAGON = ((0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1))


def bricard(points: Sequence[Sequence[float]] = HEXAGON) -> bc.Model:
    """Return the 6R loop on a unit cube of REFERENCES 1.2c."""
    corners = [np.array(p, dtype=float) for p in points]
    edges = [corners[(i + 1) % 6] - corners[i] for i in range(6)]
    names = ["rod1", "rod2", "rod3", "rod4", "rod5", "ground"]
    bodies = [
        bc.Body(names[i], bc.Rod(tuple(corners[i]), tuple(corners[i + 1]), mass=1.0))
        for i in range(5)
    ]
    joints = [
        bc.Revolute(
            f"J{i}", names[i - 1], names[i], at=tuple(corners[i]),
            axis=tuple(np.cross(edges[i - 1], edges[i])),
        )
        for i in range(6)
    ]  # fmt: skip
    return bc.Model("Bricard", bodies=bodies, joints=joints)


def slider_crank() -> bc.Model:
    """Return the slider-crank of REFERENCES 6.5, drawn stretched."""
    B, C = (0.1, 0.0), (0.4, 0.0)
    return bc.Model(
        "slider-crank",
        planar=True,
        gravity=(0, 0),
        bodies=[
            bar("crank", (0, 0), B, 0.2),
            bar("rod", B, C, 0.2),
            bc.Particle("slider", 0.4, at=C),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0)),
            bc.Revolute("B", "crank", "rod", at=B),
            bc.Prismatic("rail", "ground", "slider", at=C, axis="x"),
            bc.Revolute("C", "rod", "slider", at=C),
        ],
        forces=[bc.Torque("motor", "crank", (0, 0, 0.1))],
    )


def modelica() -> bc.Model:
    """Return the PlanarFourbar of REFERENCES 6.2."""
    A, B, C, D = (0.0, 0.0), (0.4, 0.0), (0.5, 1.1), (-0.15, 1.0)

    def box(name: str, a: Place, b: Place) -> bc.Body:
        (x, y), center = np.subtract(b, a), np.add(a, b) / 2
        length = float(np.hypot(x, y))
        rotation = ((x / length, -y / length, 0), (y / length, x / length, 0), (0, 0, 1))
        size = (length, 0.05, 0.05)
        return bc.Body(
            name, bc.Box(size, center=tuple(center), density=7700.0, rotation=rotation)
        )

    return bc.Model(
        "PlanarFourbar",
        planar=True,
        gravity=(0, -9.80665),
        bodies=[box("box1", A, B), box("box2", B, C), box("box4", D, C)],
        joints=[
            bc.Revolute("A", "ground", "box1", at=A),
            bc.Revolute("B", "box1", "box2", at=B),
            bc.Revolute("C", "box2", "box4", at=C),
            bc.Revolute("D", "ground", "box4", at=D),
        ],
        forces=[bc.JointSpring("damper", "A", damping=0.1)],
    )


ANDREWS = {
    "beta": -0.0617138900142764496358948458001,
    "theta": 0.0,
    "gamma": 0.455279819163070380255912382449,
    "phi": 0.222668390165885884674473185609,
    "delta": 0.487364979543842550225598953530,
    "omega": -0.222668390165885884674473185609,
    "epsilon": 1.23054744454982119249735015568,
}
"""Coordinates at the start, each also the name of the joint it belongs to (REFERENCES 2.1)."""


def andrews() -> bc.Model:
    """Return Andrews' squeezing mechanism of REFERENCES 2.1, drawn where it starts."""
    beta, theta, gamma, phi, delta, omega, epsilon = ANDREWS.values()

    def at(origin: Place, angle: float, x: float, y: float) -> Place:
        c, s = np.cos(angle), np.sin(angle)
        return float(origin[0] + c * x - s * y), float(origin[1] + s * x + c * y)

    O, A, B, C = (0.0, 0.0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
    F = at(O, beta, 0.007, 0)
    G, H = at(A, delta, 0.04, 0), at(A, epsilon, 0, -0.04)
    D, E3 = at(B, gamma, 0.02, -0.018), at(B, gamma, 0, -0.035)
    E = at(F, beta + theta, -0.028, 0)
    E4, E6 = at(G, phi + delta, 0, -0.02), at(H, omega + epsilon, 0.02, 0)
    masses = {
        "OF": (0.04325, 2.194e-6, at(O, beta, 0.00092, 0)),
        "FE": (0.00365, 4.410e-7, at(F, beta + theta, -0.0115, 0)),
        "BE": (0.02373, 5.255e-6, at(B, gamma, 0.01043, -0.01874)),
        "GE": (0.00706, 5.667e-7, at(G, phi + delta, 0, -(0.02 - 0.01421))),
        "AG": (0.07050, 1.169e-5, at(A, delta, 0.02308, -0.00916)),
        "HE": (0.00706, 5.667e-7, at(H, omega + epsilon, 0.02 - 0.01421, 0)),
        "AH": (0.05498, 1.912e-5, at(A, epsilon, 0.00449, -0.01228)),
    }
    return bc.Model(
        "Andrews",
        planar=True,
        gravity=(0, 0),
        bodies=[
            bc.Body(name, mass=m, com=com, inertia=(J, J, J, 0, 0, 0))
            for name, (m, J, com) in masses.items()
        ],
        joints=[
            bc.Revolute("beta", "ground", "OF", at=O, drawn=beta),
            bc.Revolute("theta", "OF", "FE", at=F, drawn=theta),
            bc.Revolute("gamma", "ground", "BE", at=B, drawn=gamma),
            bc.Revolute("delta", "ground", "AG", at=A, drawn=delta),
            bc.Revolute("phi", "AG", "GE", at=G, drawn=phi),
            bc.Revolute("epsilon", "ground", "AH", at=A, drawn=epsilon),
            bc.Revolute("omega", "AH", "HE", at=H, drawn=omega),
            bc.Revolute("E3", "FE", "BE", at={"FE": E, "BE": E3}),
            bc.Revolute("E4", "FE", "GE", at={"FE": E, "GE": E4}),
            bc.Revolute("E6", "FE", "HE", at={"FE": E, "HE": E6}),
        ],
        forces=[
            bc.SpringDamper("spring", ("ground", C), ("BE", D), stiffness=4530, length=0.07785),
            bc.Torque("motor", "OF", (0, 0, 0.033)),
        ],
    )  # fmt: skip


def car_axis() -> bc.Model:
    """Return the car axis of REFERENCES 2.2.

    The right wheel is at (cos α, sin α) with sin α = 0.1 sin 10t, so an axle hinged at the left
    wheel and driven by α carries it; the left mass slides on the axle's perpendicular. The
    chassis is a massless link between the two masses. The axle's own mass is at its hinge, and
    nothing turns the right mass: neither takes part.
    """
    spring = {"stiffness": 1e4, "length": 0.5}
    return bc.Model(
        "car axis",
        planar=True,
        gravity=(0, -1),
        bodies=[
            bc.Body("axle", mass=1.0, com=(0, 0), inertia=(1, 1, 1, 0, 0, 0)),
            bc.Particle("left", 5.0, at=(0, 0.5)),
            bc.Body("right", mass=5.0, com=(1, 0.5), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("hinge", "ground", "axle", at=(0, 0)),
            bc.Prismatic("strut", "axle", "left", at=(0, 0.5), axis="y"),
            bc.Planar("plane", "ground", "right", at=(1, 0.5)),
        ],
        constraints=[bc.Distance("chassis", ("left", (0, 0.5)), ("right", (1, 0.5)))],
        forces=[
            bc.SpringDamper("left spring", ("ground", (0, 0)), ("left", (0, 0.5)), **spring),
            bc.SpringDamper("right spring", ("axle", (1, 0)), ("right", (1, 0.5)), **spring),
        ],
        drivers=[bc.Drive("road", "hinge", angle="asin(0.1*sin(10*t))")],
    )
