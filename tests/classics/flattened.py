"""Machines that pass flat positions, as families drawn by a random number.

Each closes exactly, moves with one freedom, has scattered lengths and masses, a tilted plane
or tilted axes, and an energy that takes it through its singular positions.
"""

from collections.abc import Callable

import numpy as np

import bellcrank as bc

Vector = np.ndarray
Machine = tuple[bc.Model, dict[str, float], str]
"""A machine, its start, and the body whose place tells where it is."""


def frame(random: np.random.Generator) -> Vector:
    """Return a rotation, uniformly at random, shape (3, 3)."""
    q = random.normal(size=4)
    w, x, y, z = q / np.linalg.norm(q)
    return np.array([
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ])


def place(point: Vector) -> tuple[float, ...]:
    """Return a point as numbers."""
    return tuple(float(each) for each in point)


def rod(name: str, a: Vector, b: Vector, random: np.random.Generator) -> bc.Body:
    """Return a rod of some mass, a little thick."""
    mass = float(random.uniform(0.5, 2.0))
    length = float(np.linalg.norm(np.subtract(b, a)))
    own = mass * length**2 / 12 + 0.02
    return bc.Body(
        name, mass=mass, com=place((np.asarray(a) + b) / 2), inertia=(own, own, own, 0, 0, 0)
    )


def chain(
    name: str,
    links: list[tuple[str, Vector, Vector]],
    hinges: list[tuple[str, str, Vector]],
    axis: Vector,
    random: np.random.Generator,
    forces: list | None = None,
) -> bc.Model:
    """Return a machine of rods that turn round parallel axes, tilted somehow.

    Args:
        name: Of the machine.
        links: Name and both ends of each rod.
        hinges: First and second body of each, and where.
        axis: Of the hinges, before the tilt.
        random: Of masses and of the tilt.
        forces: Of the machine.
    """
    R = frame(random)
    bodies = [rod(each, R @ a, R @ b, random) for each, a, b in links]
    joints = [
        bc.Revolute(f"J{i}", one, other, at=place(R @ at), axis=place(R @ axis))
        for i, (one, other, at) in enumerate(hinges)
    ]
    return bc.Model(name, bodies=bodies, joints=joints, forces=forces or [])


def parallelogram(random: np.random.Generator) -> Machine:
    """Return a parallelogram in a tilted plane, fast enough to turn over."""
    width, height = random.uniform(0.6, 1.6, 2)
    phi = random.uniform(0.5, 1.2)
    A, D = np.zeros(3), np.array([width, 0, 0])
    up = height * np.array([np.cos(phi), np.sin(phi), 0])
    model = chain(
        "parallelogram",
        [("crank", A, up), ("coupler", up, D + up), ("rocker", D, D + up)],
        [
            ("ground", "crank", A),
            ("crank", "coupler", up),
            ("coupler", "rocker", D + up),
            ("ground", "rocker", D),
        ],
        np.array([0.0, 0, 1]),
        random,
    )
    return model, {"J0.angle_rate": float(random.uniform(6, 9))}, "coupler"


def ladder(random: np.random.Generator) -> Machine:
    """Return three posts and two beams in a tilted plane: two loops that flatten at once."""
    first, second, height = random.uniform(0.6, 1.5, 3)
    phi = random.uniform(0.5, 1.2)
    feet = [np.zeros(3), np.array([first, 0, 0]), np.array([first + second, 0, 0])]
    up = height * np.array([np.cos(phi), np.sin(phi), 0])
    links = [(f"post{i}", foot, foot + up) for i, foot in enumerate(feet)]
    links += [(f"beam{i}", feet[i] + up, feet[i + 1] + up) for i in range(2)]
    hinges = [("ground", f"post{i}", foot) for i, foot in enumerate(feet)]
    for i in range(2):
        hinges.append((f"post{i}", f"beam{i}", feet[i] + up))
        hinges.append((f"beam{i}", f"post{i + 1}", feet[i + 1] + up))
    model = chain("ladder", links, hinges, np.array([0.0, 0, 1]), random)
    return model, {"J0.angle_rate": float(random.uniform(6, 9))}, "beam1"


def change_point(random: np.random.Generator) -> Machine:
    """Return a four-bar whose shortest and longest links equal the other two together."""
    a, b = random.uniform(0.5, 0.9), random.uniform(1.2, 1.6)
    c = random.uniform(1.2, 1.6)
    d = b + c - a  # crank a, coupler b, rocker c, ground d
    phi = random.uniform(1.2, 1.8)
    A, D = np.zeros(3), np.array([d, 0, 0])
    B = a * np.array([np.cos(phi), np.sin(phi), 0])
    span = D - B
    r = np.linalg.norm(span)
    along = (b * b - c * c + r * r) / (2 * r)
    across = np.sqrt(b * b - along**2)
    C = B + (along * span + across * np.array([-span[1], span[0], 0])) / r
    model = chain(
        "change point",
        [("crank", A, B), ("coupler", B, C), ("rocker", D, C)],
        [
            ("ground", "crank", A),
            ("crank", "coupler", B),
            ("coupler", "rocker", C),
            ("ground", "rocker", D),
        ],
        np.array([0.0, 0, 1]),
        random,
    )
    return model, {"J0.angle_rate": float(random.uniform(7, 10))}, "coupler"


def scissors(random: np.random.Generator) -> Machine:
    """Return one pair of scissors on the ground: a bar hinged, its partner on a slider."""
    half = random.uniform(0.5, 0.9)
    phi = random.uniform(0.5, 1.0)
    x, y = half * np.cos(phi), half * np.sin(phi)
    R = frame(random)
    axis = np.array([0.0, 0, 1])
    A, B = np.array([-x, -y, 0]), np.array([x, -y, 0])
    C, D = np.array([x, y, 0]), np.array([-x, y, 0])
    bodies = [
        rod("one", R @ A, R @ C, random),
        rod("other", R @ B, R @ D, random),
        bc.Body("slider", mass=1.0, com=place(R @ B), inertia=(0.02, 0.02, 0.02, 0, 0, 0)),
    ]
    joints = [
        bc.Revolute("J0", "ground", "one", at=place(R @ A), axis=place(R @ axis)),
        bc.Revolute("J1", "one", "other", at=(0, 0, 0), axis=place(R @ axis)),
        bc.Revolute("J2", "slider", "other", at=place(R @ B), axis=place(R @ axis)),
        bc.Prismatic("S", "ground", "slider", at=place(R @ B), axis=place(R @ [1.0, 0, 0])),
    ]
    model = bc.Model("scissors", bodies=bodies, joints=joints)
    return model, {"J0.angle_rate": float(random.uniform(5, 8))}, "other"


def six_bar(random: np.random.Generator) -> Machine:
    """Return a parallelogram that drives another one, both through their flat positions."""
    width, height, reach = random.uniform(0.7, 1.4, 3)
    part = random.uniform(0.4, 0.7)  # of the coupler: where the second loop is taken off
    phi = random.uniform(0.5, 1.2)
    A, D = np.zeros(3), np.array([width, 0, 0])
    up = height * np.array([np.cos(phi), np.sin(phi), 0])
    E = up + part * np.array([width, 0, 0])
    F = E + np.array([0, reach, 0])  # moves on a circle round A + (F - up)
    G = F - up
    model = chain(
        "six-bar",
        [
            ("crank", A, up),
            ("coupler", up, D + up),
            ("rocker", D, D + up),
            ("link", E, F),
            ("swing", G, F),
        ],
        [
            ("ground", "crank", A),
            ("crank", "coupler", up),
            ("coupler", "rocker", D + up),
            ("ground", "rocker", D),
            ("coupler", "link", E),
            ("link", "swing", F),
            ("ground", "swing", G),
        ],
        np.array([0.0, 0, 1]),
        random,
    )
    return model, {"J0.angle_rate": float(random.uniform(6, 9))}, "link"


def sarrus(random: np.random.Generator) -> Machine:
    """Return two or three legs of two bars below a plate, hinges horizontal, all tilted."""
    legs = int(random.integers(2, 4))
    phi, length = random.uniform(0.6, 1.0), random.uniform(0.7, 1.2)
    R, up = frame(random), np.array([0.0, 0, 1])
    turn = np.cumsum(random.uniform(0.9, 1.9, legs))
    top = 2 * length * np.sin(phi)
    bodies = [
        bc.Body("plate", mass=3.0, com=place(R @ (top * up)), inertia=(0.1, 0.1, 0.2, 0, 0, 0))
    ]
    joints = []
    for n in range(legs):
        out = np.array([np.cos(turn[n]), np.sin(turn[n]), 0])
        foot = random.uniform(0.5, 1.2) * out
        knee = foot + length * (np.cos(phi) * out + np.sin(phi) * up)
        head = foot + top * up
        axis = place(R @ np.cross(up, out))
        bodies += [
            rod(f"lower{n}", R @ foot, R @ knee, random),
            rod(f"upper{n}", R @ knee, R @ head, random),
        ]
        joints += [
            bc.Revolute(f"A{n}", "ground", f"lower{n}", at=place(R @ foot), axis=axis),
            bc.Revolute(f"B{n}", f"lower{n}", f"upper{n}", at=place(R @ knee), axis=axis),
            bc.Revolute(f"C{n}", f"upper{n}", "plate", at=place(R @ head), axis=axis),
        ]
    anchor = place(R @ [0.3, 0.2, -0.4])
    spring = bc.SpringDamper(
        "spring", ("ground", anchor), ("plate", place(R @ (top * up))),
        stiffness=100.0, length=1.0,
    )  # fmt: skip
    model = bc.Model("sarrus", bodies=bodies, joints=joints, forces=[spring])
    return model, {"A0.angle_rate": float(random.uniform(2, 4))}, "plate"


def bennett(random: np.random.Generator) -> Machine:
    """Return a Bennett linkage: a, α, b, β with sin α / a = sin β / b."""
    a, alpha = random.uniform(0.8, 1.2), random.uniform(0.4, 0.8)
    beta = random.uniform(0.9, 1.3)
    b = a * np.sin(beta) / np.sin(alpha)
    theta = random.uniform(0.9, 1.4)
    ratio = np.sin((alpha + beta) / 2) / np.sin((beta - alpha) / 2)
    phi = 2 * np.arctan(ratio / np.tan(theta / 2))

    def hinge(angle: float) -> Vector:
        c, s = np.cos(angle), np.sin(angle)
        return np.array([[c, -s, 0, 0], [s, c, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])

    def link(length: float, twist: float) -> Vector:
        c, s = np.cos(twist), np.sin(twist)
        return np.array([[1, 0, 0, length], [0, c, -s, 0], [0, s, c, 0], [0, 0, 0, 1]])

    best, places = np.inf, []
    for sign in (1, -1):
        for other in (1, -1):
            T, found = np.eye(4), []
            for angle, (length, twist) in zip(
                (theta, sign * phi, other * theta, sign * other * phi),
                ((a, alpha), (b, beta), (a, alpha), (b, beta)),
                strict=True,
            ):
                T = T @ hinge(angle)
                found.append(T.copy())
                T = T @ link(length, twist)
            gap = float(np.abs(T - np.eye(4)).max())
            if gap < best:
                best, places = gap, found
    assert best < 1e-12
    R = frame(random)
    points, axes = [R @ T[:3, 3] for T in places], [R @ T[:3, 2] for T in places]
    names = ["ground", "one", "two", "three"]
    bodies = [rod(names[i], points[i - 1], points[i], random) for i in (1, 2, 3)]
    joints = [
        bc.Revolute(
            f"J{i}", names[i], names[(i + 1) % 4], at=place(points[i]), axis=place(axes[i])
        )
        for i in range(4)
    ]
    return bc.Model("bennett", bodies=bodies, joints=joints), {"J0.angle_rate": 7.0}, "two"


FAMILY: dict[str, Callable[[np.random.Generator], Machine]] = {
    each.__name__: each
    for each in (parallelogram, ladder, change_point, scissors, sarrus, bennett, six_bar)
}
