"""A floating arm with three links goes to and fro with its tip, and its wrist out of step.

Two coordinates of the tip and one joint are prescribed: as many as the arm has joints. The tip
goes out and back on one line, so that its path encloses nothing; but the wrist bends out of
step with it, and so the hub does not come back with the tip.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

P = [(0, 0), (0.8, 0), (1.2, 1.15), (2.15, 0.95), (2.2, 0.3)]
machine = bc.Model(
    "three links",
    planar=True,
    gravity=(0, 0),
    bodies=[
        bc.Body("hub", bc.Box((1.2, 1.0, 0.4), P[0]), mass=5.0),
        bc.Body("upper", bc.Rod(P[1], P[2], mass=1.0)),
        bc.Body("lower", bc.Rod(P[2], P[3], mass=0.8)),
        bc.Body("hand", bc.Rod(P[3], P[4], mass=0.5)),
    ],
    joints=[
        bc.Planar("float", "ground", "hub"),
        bc.Revolute("shoulder", "hub", "upper", at=P[1]),
        bc.Revolute("elbow", "upper", "lower", at=P[2]),
        bc.Revolute("wrist", "lower", "hand", at=P[3]),
    ],
    points=[bc.Point("tip", "hand", at=P[4])],
    drivers=[
        bc.Drive("reach", "tip", position_x="2.2 + 0.3*sin(t)", position_y="0.3"),
        bc.Drive("grip", "wrist", angle="0.6*(1 - cos(t))"),
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
    shades = plt.colormaps["Blues"](np.linspace(0.35, 1.0, 4))
    box = np.array([[-0.6, -0.5], [0.6, -0.5], [0.6, 0.5], [-0.6, 0.5], [-0.6, -0.5]])
    names = ("hub", "shoulder", "elbow", "wrist", "tip")
    for k, shade in zip((0, 25, 50, 75), shades, strict=True):
        c, s = np.cos(angle[k]), np.sin(angle[k])
        left.plot(*(box @ [[c, s], [-s, c]] + run.values("hub.position")[k, :2]).T, color=shade)
        joints = np.array([[run.values(f"{n}.{a}")[k] for a in "xy"] for n in names])
        left.plot(*joints.T, "-o", color=shade, lw=3, ms=5, label=f"{k} % of the cycle")
    tip = run.values("tip.position")
    left.plot(tip[:, 0], tip[:, 1], color="#d62728", lw=1.5, label="the tip's path")
    left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="one cycle")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3, frameon=False)
    right.plot(run.t / (2 * np.pi), np.degrees(angle), color="#bdbdbd", lw=1, label="hub")
    right.plot(np.degrees(angle[::100]), "o-", color="#08519c", label="after each cycle")
    right.set(xlabel="cycle", ylabel="angle of the hub [°]", title="net rotation")
    right.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "three_links.png", dpi=150)

# The law: the tip is where it should be, no momentum arises, and the energy is what the drives
# put into it: the work of the wrist's torque and of all torques that lead the tip.
line = np.array([2.2, 0.3, 0.0]) + np.outer(0.3 * np.sin(run.t), [1.0, 0.0, 0.0])
off = np.abs(run.values("tip.position") - line).max()
rates = {
    "reach.effort_position_x": "tip.velocity_x",
    "reach.effort_position_y": "tip.velocity_y",
}
rates |= {"grip.effort": "wrist.angle_rate"}
power = sum(run.values(effort) * run.values(rate) for effort, rate in rates.items())
slope = np.gradient(run.values("kinetic_energy"), run.t)
print(f"{np.degrees(angle[100]):.4f}° in the first cycle; tip off by {off:.1e} m")
assert off < 1e-9
assert np.abs(run.values("angular_momentum")).max() < 1e-9
assert np.abs(power - slope)[1:-1].max() < 0.02 * np.abs(power).max()  # differences are coarse
