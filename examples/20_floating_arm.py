"""A floating arm turns its hub by moving its joints round a closed cycle, and keeps the turn.

Nothing acts on the machine: its angular momentum is zero and stays zero. Still the hub does not
come back when the joints do. How far it is turned depends on the loop that the joints describe,
not on how fast they go round it; a falling cat lands on its feet by it. The momentum form needs
no accelerations for that: constant momenta are first-order equations for all points of the arm.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

P1, P2, P3, P4 = (0, 0), (1.1, 0), (2.8, 0), (4.2, 0)
machine = bc.Model(
    "floating arm",
    planar=True,
    gravity=(0, 0),
    bodies=[
        bc.Body("hub", bc.Disc(0.8, P1), mass=4.0, inertia=(2.1, 2.1, 2.1, 0, 0, 0)),
        bc.Body("upper", bc.Rod(P2, P3, mass=1.3)),
        bc.Body("lower", bc.Rod(P3, P4, mass=0.9)),
    ],
    joints=[
        bc.Planar("float", "ground", "hub"),
        bc.Revolute("shoulder", "hub", "upper", at=P2),
        bc.Revolute("elbow", "upper", "lower", at=P3),
    ],
    points=[bc.Point("tip", "lower", at=P4)],
    drivers=[
        bc.Drive("lift", "shoulder", angle="0.9*(1 - cos(t))"),
        bc.Drive("bend", "elbow", angle="0.9*sin(t)"),
    ],
)
CYCLES = 12
run = bc.simulate(
    machine, until=2 * np.pi * CYCLES, formulation=bc.Momentum(), every=np.pi / 50, rtol=1e-11
)
angle = run.values("float.angle")
ends = angle[::100]

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    shades = plt.colormaps["Blues"](np.linspace(0.35, 1.0, 4))
    names = ("hub", "shoulder", "elbow", "tip")
    for k, shade in zip((0, 25, 50, 75), shades, strict=True):
        points = np.array([[run.values(f"{n}.{a}")[k] for a in "xy"] for n in names])
        left.plot(*points.T, "-o", color=shade, lw=3, ms=5, label=f"{k} %")
        left.add_patch(plt.Circle(tuple(points[0]), 0.8, color=shade, alpha=0.3, lw=0))
    left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="one cycle of the joints")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.22), ncols=4, frameon=False)
    right.plot(run.t / (2 * np.pi), np.degrees(angle), color="#bdbdbd", lw=1, label="hub")
    right.plot(np.degrees(ends), "o-", color="#08519c", label="after each cycle")
    right.set(
        xlabel="cycle", ylabel="angle of the hub [°]", title="1.87° are left of each cycle"
    )
    right.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "floating_arm.png", dpi=150)

# The law: each cycle turns the hub by 0.032584396934 rad, known from one equation by hand.
turns = np.diff(ends)
print(f"{turns[0]:.12f} rad in a cycle, off by {abs(turns - 0.032584396934).max():.1e}")
assert abs(turns - 0.032584396934).max() < 1e-8
# The momentum is summed over bodies as they moved, and was zero all the time.
assert np.abs(run.values("angular_momentum")).max() < 1e-9
