"""A double pendulum: two rods, two hinges, and a motion nobody predicts for long.

Neither hinge rubs, so the energy of the start has to be the energy of the end, however wild the
motion in between. That is the check at the bottom of this page.

Run it with the name of a folder to get the picture:
`python examples/01_double_pendulum.py demo`.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

# The machine, drawn hanging straight down. Everything is in world coordinates.
O, A, B = (0, 0, 0), (0, 0, -1), (0, 0, -2)
machine = bc.Model(
    "double pendulum",
    bodies=[
        bc.Body("upper", bc.Rod(O, A, mass=1.0)),
        bc.Body("lower", bc.Rod(A, B, mass=1.0)),
    ],
    joints=[
        bc.Revolute("A", "ground", "upper", at=O, axis="x"),
        bc.Revolute("B", "upper", "lower", at=A, axis="x"),
    ],
    points=[bc.Point("tip", "lower", at=B)],
)

# Lift the upper rod to the horizontal and let go.
run = bc.simulate(machine, until=10.0, start={"A": np.pi / 2})

# The picture: the path of the tip, and how well the energy is kept.
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt
    from matplotlib.collections import LineCollection

    figure, (left, right) = plt.subplots(
        1, 2, figsize=(9, 3.6), width_ratios=(1, 1.1), layout="constrained"
    )
    path = run.values("tip.position")[:, 1:]
    pieces = np.stack([path[:-1], path[1:]], axis=1)
    left.add_collection(LineCollection(list(pieces), array=run.t[:-1], cmap="viridis", lw=1.3))
    left.plot([0, 0, 2], [0, 0, 0], "o-", color="black", ms=4, lw=2, markevery=[1])
    left.set(
        aspect="equal", xlim=(-2.1, 2.1), ylim=(-2.15, 0.85), xlabel="y [m]", ylabel="z [m]"
    )
    left.set_title("path of the tip, dark to light in 10 s", fontsize=10)
    for name in ("A.angle", "B.angle"):
        right.plot(run.t, run.values(name), label=name)
    right.set(xlabel="time [s]", ylabel="angle [rad]")
    right.set_title("joint angles", fontsize=10)
    right.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "double_pendulum.png", dpi=150)

# The law: energy is kept. The scale is the weight of the rods over their lengths, 40 J.
energy = run.values("energy")
drift = np.max(np.abs(energy - energy[0]))
print(f"energy drifts {drift:.1e} J in 10 s")
assert drift < 1e-6
