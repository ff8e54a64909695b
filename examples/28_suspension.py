"""A five-link wheel suspension: camber and toe over wheel travel, without a force.

The upright hangs on five rods of fixed length and is led by the height of its hub; what is left
is one freedom. Every position closes all five rods to round-off.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

INNER = [(0.1, 0.35, 0.25), (-0.2, 0.33, 0.24), (0.15, 0.42, 0.5), (-0.1, 0.4, 0.52),
         (-0.25, 0.3, 0.32)]  # fmt: skip
OUTER = [(0.02, 0.7, 0.2), (-0.03, 0.71, 0.19), (0.03, 0.66, 0.55), (-0.02, 0.65, 0.56),
         (-0.15, 0.68, 0.3)]  # fmt: skip
HUB, AXLE = (0, 0.75, 0.35), (0, 0.85, 0.35)
machine = bc.Model(
    "five-link suspension",
    bodies=[
        bc.Body("upright", bc.Disc(0.3, HUB, "y", mass=30.0), inertia=(1, 1, 1, 0, 0, 0)),
    ],
    joints=[bc.Free("F", "ground", "upright", at=HUB)],
    constraints=[
        bc.Distance(f"rod {i + 1}", ("ground", a), ("upright", b))
        for i, (a, b) in enumerate(zip(INNER, OUTER, strict=True))
    ],
    forces=[
        bc.SpringDamper("strut", ("ground", (0, 0.45, 0.8)), ("upright", (0, 0.68, 0.3)),
                        stiffness=20_000.0, damping=1_000.0),
    ],
    points=[bc.Point("hub", "upright", at=HUB), bc.Point("axle", "upright", at=AXLE)],
)  # fmt: skip
travel = np.linspace(-0.08, 0.08, 1001)
sweep = bc.kinematics(machine, {"hub.position_z": HUB[2] + travel})
axis = (sweep.plain("axle.position") - sweep.plain("hub.position")) / 0.1
camber = np.degrees(np.arcsin(-axis[:, 2]))
toe = np.degrees(np.arctan2(axis[:, 0], axis[:, 1]))
assert np.abs(sweep.plain("constraint_residual")).max() < 1e-10
assert abs(camber[500]) < 1e-6  # as drawn
assert abs(toe[500]) < 1e-6

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
    for panel, angle, name in zip(axes, (camber, toe), ("camber", "toe"), strict=True):
        panel.plot(angle, 1000 * travel)
        panel.set(xlabel=f"{name} [deg]", ylabel="wheel travel [mm]")
        panel.grid(alpha=0.3)
    figure.savefig(Path(sys.argv[1]) / "suspension.png", dpi=150)
