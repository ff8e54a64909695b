"""Two machines of the Modelica Standard Library (6.2), against recomputed results."""

from pathlib import Path

import numpy as np

import bellcrank as bc

DATA = Path(__file__).parent.parent / "data" / "modelica"
GRAVITY = (0, -9.80665, 0)


def columns(name: str) -> np.ndarray:
    return np.loadtxt(DATA / f"{name}.csv", delimiter=",", skiprows=1)


def test_double_pendulum():
    """6.2, to 1e-6 of the recomputed, 5e-3 of the published end. Run at rtol 1e-11."""
    boxes = [bc.Box((0.5, 0.06, 0.06), center=(x, 0, 0), density=7700.0) for x in (0.25, 0.75)]
    model = bc.Model(
        "double pendulum",
        bodies=[bc.Body("upper", boxes[0]), bc.Body("lower", boxes[1])],
        joints=[
            bc.Revolute("A", "ground", "upper", at=(0, 0, 0), axis="z"),
            bc.Revolute("B", "upper", "lower", at=(0.5, 0, 0), axis="z"),
        ],
        forces=[bc.JointSpring("damper", "A", damping=0.1)],
        gravity=GRAVITY,
    )
    run = bc.simulate(model, 3.0, rtol=1e-11, atol=1e-12, every=0.05)
    known = columns("double_pendulum")
    names = ("A.angle", "A.angle_rate", "B.angle", "B.angle_rate")
    found = np.stack([np.asarray(run.values(name)) for name in names], axis=1)
    np.testing.assert_allclose(found, known[:, 1:], atol=1e-6)
    published = (-2.317928562, 4.094110197, -1.736491669, -0.050376705)
    np.testing.assert_allclose(found[-1], published, atol=5e-3)


def test_free_body_between_two_springs():
    """6.2, to 1e-6 of the recomputed, 5e-3 of the published end. Run at rtol 1e-11."""
    c, s = np.cos(np.radians(10)), np.sin(np.radians(10))
    Rx = np.array([[1, 0, 0], [0, c, -s], [0, s, c]])
    Ry = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    Rz = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    R, a = Rx @ Ry @ Rz, np.array([0.2, -0.5, 0.1])
    com, b = (tuple(float(x) for x in a + R @ [along, 0, 0]) for along in (0.2, 0.4))
    rows = tuple(tuple(float(x) for x in row) for row in R)
    body = bc.Body(
        "body", mass=1.0, com=com, inertia=(1, 1, 1, 0, 0, 0), pose=bc.Pose(com, rows)
    )
    spring = {"stiffness": 20.0, "length": 0.0}
    model = bc.Model(
        "free body",
        bodies=[body],
        joints=[bc.Free("F", "ground", "body", at=com)],
        forces=[
            bc.SpringDamper("left", ("ground", (0, 0, 0)), "a", **spring),
            bc.SpringDamper("right", ("ground", (0.8, 0, 0)), "b", **spring),
        ],
        points=[bc.Point("a", "body", at=tuple(map(float, a))), bc.Point("b", "body", at=b)],
        gravity=GRAVITY,
    )
    run = bc.simulate(model, 10.0, rtol=1e-11, atol=1e-12, every=0.2)
    known = columns("free_body")
    np.testing.assert_allclose(run.values("a.position"), known[:, 1:4], atol=1e-6)
    np.testing.assert_allclose(
        run.values("body.angular_velocity_body"), known[:, 4:7], atol=1e-6
    )
    published = (0.196093624, -0.462570383, 0.080609910)
    np.testing.assert_allclose(run.values("a.position")[-1], published, atol=5e-3)
