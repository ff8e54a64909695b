"""A floating two-link arm leads its tip round a circle that stands still in space.

The hub gives way while the arm reaches: the joints have to do more than on a table, and after
each round of the tip the hub is turned a little further. The path of the tip is all that is
prescribed; the momentum form finds the joint angles that go with it. Where the arm cannot
follow any more, at a dynamic singularity, it would say so and stop.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

P1, P2, P3, P4 = (0, 0), (1, 0), (1.9, 1.35), (2.85, 0.4)
machine = bc.Model(
    "reaching",
    planar=True,
    gravity=(0, 0),
    bodies=[
        bc.Body("hub", bc.Box((1.2, 1.2, 0.4), P1), mass=6.0),
        bc.Body("upper", bc.Rod(P2, P3, mass=1.2)),
        bc.Body("lower", bc.Rod(P3, P4, mass=0.8)),
    ],
    joints=[
        bc.Planar("float", "ground", "hub"),
        bc.Revolute("shoulder", "hub", "upper", at=P2),
        bc.Revolute("elbow", "upper", "lower", at=P3),
    ],
    points=[bc.Point("tip", "lower", at=P4)],
    drivers=[
        bc.Drive("reach", "tip", position_x="2.5 + 0.35*cos(t)", position_y="0.4 + 0.35*sin(t)")
    ],
)
START = {"float.x": 0, "float.y": 0, "float.angle": 0}
CYCLES = 10
run = bc.simulate(
    machine, until=2 * np.pi * CYCLES, start=START, formulation=bc.Momentum(),
    every=np.pi / 50, rtol=1e-10,
)  # fmt: skip
angle = run.values("float.angle")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.2), layout="constrained")
    corners = 0.6 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]])
    for k, shade in ((0, "#c6dbef"), (5 * 100, "#6baed6"), (CYCLES * 100, "#08519c")):
        c, s = np.cos(angle[k]), np.sin(angle[k])
        at = run.values("hub.position")[k, :2]
        left.plot(*(corners @ [[c, s], [-s, c]] + at).T, color=shade, lw=2)
        names = ("hub", "shoulder", "elbow", "tip")
        points = np.array([[run.values(f"{n}.{a}")[k] for a in "xy"] for n in names])
        left.plot(*points.T, "-o", color=shade, lw=3, ms=5, label=f"{k // 100} rounds")
    tip = run.values("tip.position")
    left.plot(tip[:, 0], tip[:, 1], color="#d62728", lw=1.5, label="the tip's path")
    left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="same tip, other hub")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False)
    right.plot(run.t / (2 * np.pi), np.degrees(angle), color="#bdbdbd", lw=1, label="hub")
    right.plot(np.degrees(angle[::100]), "o-", color="#08519c", label="after each round")
    right.set(xlabel="rounds of the tip", ylabel="angle of the hub [°]", title="net rotation")
    right.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "reaching.png", dpi=150)

# The law: the tip is on its circle, no momentum arises, and the mass centre stays.
x, y = run.values("tip.position")[:, :2].T
off = np.hypot(x - 2.5, y - 0.4) - 0.35
masses = {"hub": 6.0, "upper": 1.2, "lower": 0.8}
centre = sum(m * run.values(f"{name}.position") for name, m in masses.items()) / 8.0
print(f"turned by {np.degrees(angle[-1]):.4f}°; tip off by {np.abs(off).max():.1e} m")
assert np.abs(off).max() < 1e-9
assert np.abs(centre - centre[0]).max() < 1e-9
assert np.abs(run.values("angular_momentum")).max() < 1e-9
assert abs(angle[-1]) > 0.05
