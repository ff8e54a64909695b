"""An astronaut turns about all three axes by moving an arm, with no angular momentum.

The arm hangs on the trunk by a shoulder that turns about two axes and has a hinge at the elbow.
Each closed cycle of the three joint angles leaves the trunk turned by the same rotation, so
that many cycles add up to a turn about one axis. Points and vectors are the coordinates: four
points of the arm, one vector of the trunk and the axis of the elbow.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

P1, P2, P3, P4 = (0, 0, 0), (1.2, 0, 0), (2.8, 0, 0), (4.1, 0, 0)
machine = bc.Model(
    "astronaut",
    gravity=(0, 0, 0),
    bodies=[
        bc.Body("trunk", mass=5.0, com=P1, inertia=(2.0, 3.1, 2.6, 0, 0, 0)),
        bc.Body("upper", bc.Rod(P2, P3, mass=1.4)),
        bc.Body("lower", bc.Rod(P3, P4, mass=0.8)),
    ],
    joints=[
        bc.Free("float", "ground", "trunk"),
        bc.Universal("shoulder", "trunk", "upper", at=P2, axis1="x", axis2="y"),
        bc.Revolute("elbow", "upper", "lower", at=P3, axis="y"),
    ],
    points=[bc.Point("tip", "lower", at=P4)],
    drivers=[
        bc.Drive("swing", "shoulder", angle1="0.6*sin(t)", angle2="0.8 + 0.5*(1 - cos(t))"),
        bc.Drive("bend", "elbow", angle="-0.7 + 0.6*sin(t)"),
    ],
)
START = {"float.position": (0, 0, 0), "float.orientation": (1, 0, 0, 0)}
CYCLES = 6
run = bc.simulate(
    machine, until=2 * np.pi * CYCLES, start=START, formulation=bc.Momentum(),
    every=np.pi / 50, rtol=1e-11,
)  # fmt: skip
attitude = run.values("trunk.orientation")
turn = 2 * np.arctan2(np.linalg.norm(attitude[:, 1:], axis=1), np.abs(attitude[:, 0]))

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    e0, e = attitude[:, :1], attitude[:, 1:]
    figure = plt.figure(figsize=(10, 4.6), layout="constrained")
    left, right = figure.add_subplot(121, projection="3d"), figure.add_subplot(122)
    for axis, colour, name in zip(
        np.eye(3), ("#d62728", "#2ca02c", "#1f77b4"), "xyz", strict=True
    ):
        cross = np.cross(e, axis)
        path = axis + 2 * e0 * cross + 2 * np.cross(e, cross)
        left.plot(*path.T, color=colour, lw=1)
        left.plot(*path[::100].T, "o", color=colour, ms=4, label=f"{name} axis")
    left.set(xlim=(-1, 1), ylim=(-1, 1), zlim=(-1, 1), title="where the trunk's axes point")
    for part in (left.xaxis, left.yaxis, left.zaxis):
        part.set_ticks((-1, 0, 1))
    left.set_box_aspect((1, 1, 1))
    left.legend(frameon=False, fontsize=8)
    right.plot(run.t / (2 * np.pi), np.degrees(turn), color="#bdbdbd", lw=1, label="trunk")
    right.plot(np.degrees(turn[::100]), "o-", color="#08519c", label="after each cycle")
    right.set(xlabel="cycle", ylabel="turned by [°]", title="25.9° are left of each cycle")
    right.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "astronaut.png", dpi=150)

# The law: the first cycle turns the trunk by 0.4520228166 rad, and each one by as much again.
p = attitude[100] * np.sign(attitude[100, 0])
vector = turn[100] * p[1:] / np.linalg.norm(p[1:])
print(f"turned by {turn[100]:.10f} rad about {vector / turn[100]}")
assert np.abs(vector - (0.3746314393, -0.0142529399, -0.2525327011)).max() < 1e-8
assert np.abs(turn[::100] - turn[100] * np.arange(CYCLES + 1)).max() < 1e-8
assert np.abs(run.values("angular_momentum")).max() < 1e-9
