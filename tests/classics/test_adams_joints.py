"""One body on one joint, against MSC ADAMS (6.1): positions, velocities and reactions.

The body of 1 kg starts at rest with its mass centre 2 m from the joint. The tables hold what
the joint or the spring does to ground, about the ground's joint point; ours is what the joint
does to the body, about the body's joint point.
"""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bellcrank as bc

DATA = Path(__file__).parent.parent / "data" / "adams"
GRAVITY = (0, 0, -9.80665)
ROOT = float(np.sqrt(0.5))
AT = (1.0, 2.0, 3.0)
O = (0.0, 0.0, 0.0)


def turned(axis: str, degrees: float) -> tuple[float, ...]:
    """Return the Euler parameters of a turn about a world axis."""
    half = np.radians(degrees) / 2
    p = [float(np.cos(half)), 0.0, 0.0, 0.0]
    p[1 + "xyz".index(axis)] = float(np.sin(half))
    return tuple(p)


def table(case: str) -> dict[str, np.ndarray]:
    """Return the columns of a table, components together."""
    rows = np.genfromtxt(DATA / f"{case}.csv", delimiter=",", names=True)
    found = {"t": rows["t"]}
    for name in ("position", "velocity", "force", "torque"):
        found[name] = np.stack([rows[f"{name}_{axis}"] for axis in "xyz"], axis=1)
    return found


def body(com: tuple, rotation: tuple, inertia: tuple = (0.04, 0.1, 0.1)) -> bc.Body:
    pose = bc.Pose(com, rotation)
    return bc.Body("body", mass=1.0, com=com, inertia=(*inertia, 0, 0, 0), pose=pose)


def beside(at: tuple, rotation: tuple) -> bc.Body:
    return body((at[0] + 2, at[1], at[2]), rotation)


# case: (joint, body, largest error of the published positions [m])
LEVEL, DOWN = turned("x", 0), turned("x", -90)
SLANT, AXIS = turned("x", -45), (0, ROOT, ROOT)
LOG = (0.1, 0.1, 0.04)
G = ("ground", "body")
CASES: dict[str, tuple[Any, bc.Body, float]] = {
    "revolute_01": (bc.Revolute("J", *G, at=O, axis="y"), beside(O, DOWN), 2e-5),
    "revolute_02": (bc.Revolute("J", *G, at=AT, axis=AXIS), beside(AT, SLANT), 2e-5),
    "spherical_01": (bc.Spherical("J", *G, at=O), beside(O, LEVEL), 1e-3),
    "spherical_02": (bc.Spherical("J", *G, at=AT), beside(AT, SLANT), 1e-3),
    "cylindrical_01": (bc.Cylindrical("J", *G, at=O, axis="z"), beside(O, LEVEL), 1e-4),
    "cylindrical_02": (bc.Cylindrical("J", *G, at=O, axis="y"), beside(O, DOWN), 2e-5),
    "prismatic_01": (bc.Prismatic("J", *G, at=O, axis="z"), beside(O, LEVEL), 1e-4),
    "prismatic_02": (bc.Prismatic("J", *G, at=AT, axis=AXIS), beside(AT, SLANT), 1e-4),
    "prismatic_03": (bc.Prismatic("J", *G, at=AT, axis="y"), beside(AT, DOWN), 2e-5),
    "universal_01": (
        bc.Universal("J", *G, at=O, axis1="x", axis2="z"),
        body((0, 2, 0), turned("x", 90), LOG),
        1e-3,
    ),
    "universal_02": (
        bc.Universal("J", *G, at=O, axis1="-z", axis2="y"),
        body((-2, 0, 0), turned("y", 90), LOG),
        1e-3,
    ),
}


def simulated(joint: Any, moving: bc.Body, forces: tuple = (), **start: Any) -> Any:
    model = bc.Model(
        "case", bodies=[moving], joints=[joint], forces=forces, gravity=GRAVITY,
        points=[bc.Point("here", "body", at=joint.at_second)],
    )  # fmt: skip
    return bc.simulate(model, 5.0, rtol=1e-10, atol=1e-12, every=0.2, start=start)


def compare_motion(run: Any, known: dict[str, np.ndarray], error: float) -> None:
    """Velocities are ten times as loose as positions; six digits are printed."""
    np.testing.assert_allclose(
        run.values("body.position"), known["position"], atol=error, rtol=5e-6
    )
    np.testing.assert_allclose(
        run.values("body.velocity"), known["velocity"], atol=10 * error, rtol=5e-6
    )


def on_ground(run: Any, joint: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return what the joint does to ground, about the ground's joint point."""
    force = np.asarray(run.values("J.reaction_force"))
    arm = np.asarray(run.values("here.position")) - np.asarray(joint.at_first, dtype=float)
    return -force, -np.asarray(run.values("J.reaction_torque")) - np.cross(arm, force)


def close(found: np.ndarray, expected: np.ndarray, error: float) -> None:
    """1e-3 of the largest, or what the error of the positions makes of it (g/l per metre)."""
    largest = max(1.0, float(np.max(np.abs(expected))))
    np.testing.assert_allclose(found, expected, atol=max(1e-3, 10 * error) * largest)


@pytest.mark.parametrize("case", CASES)
def test_a_joint_moves_and_reacts_as_in_adams(case):
    """6.1; tolerances as the accuracy of the published data. Run at rtol 1e-10."""
    joint, moving, error = CASES[case]
    run, known = simulated(joint, moving), table(case)
    compare_motion(run, known, error)
    force, torque = on_ground(run, joint)
    close(force, known["force"], error)
    close(torque, known["torque"], error)


SPRINGS = {
    "rotspring_01": "-200*J.angle - 10*J.angle_rate",
    "rotspring_02": "-(50 + 10*abs(J.angle))*J.angle - 10*J.angle_rate",
}


@pytest.mark.parametrize("case", SPRINGS)
def test_a_turning_spring_moves_and_reacts_as_in_adams(case):
    """6.1, to 2e-5 m. Run at rtol 1e-10. The table's torque is joint and spring together."""
    joint, moving, error = CASES["revolute_01"]
    run = simulated(joint, moving, (bc.Motor("spring", "J", effort=SPRINGS[case]),))
    known = table(case)
    compare_motion(run, known, error)
    force, torque = on_ground(run, joint)
    spring = np.outer(np.asarray(run.values("spring.effort")), [0, 1, 0])
    close(force, known["force"], error)
    close(torque - spring, known["torque"], error)


def test_a_joint_spring_is_the_same_as_its_law():
    """6.1 RotSpring 01 once more, by the element made for it. Run at rtol 1e-10."""
    joint, moving, error = CASES["revolute_01"]
    spring = bc.JointSpring("spring", "J", stiffness=200.0, damping=10.0)
    compare_motion(simulated(joint, moving, (spring,)), table("rotspring_01"), error)


TRANSLATIONS = {
    "transpring_01": (O, {"stiffness": 10.0, "damping": 0.5, "length": 0.0}),
    "transpring_02": ((0.0, 2.0, 0.0), {"stiffness": 100.0, "damping": 5.0, "length": 2.0}),
}


@pytest.mark.parametrize("case", TRANSLATIONS)
def test_a_spring_damper_moves_as_in_adams(case):
    """6.1, to 2e-5 m. Run at rtol 1e-10. In case 01 the spring starts with no length at all."""
    com, values = TRANSLATIONS[case]
    spring = bc.SpringDamper("spring", ("ground", O), ("body", com), **values)
    run = simulated(bc.Free("J", *G, at=com), body(com, LEVEL), (spring,))
    known = table(case)
    compare_motion(run, known, 2e-5)
    tension = np.asarray(run.values("spring.force"))
    where = known["position"]
    length = np.maximum(np.linalg.norm(where, axis=1), 1e-12)
    close(tension[:, None] * where / length[:, None], known["force"], 2e-5)
