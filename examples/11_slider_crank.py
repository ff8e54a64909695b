"""A slider-crank with a constant torque on the crank, from rest and stretched.

The slider's rail and the hinge C close a loop; nothing says which of them does.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

A, B, C = (0, 0), (0.1, 0), (0.4, 0)
machine = bc.Model(
    "slider-crank",
    planar=True,
    gravity=(0, 0),
    bodies=[
        bc.Body("crank", bc.Rod(A, B, mass=0.2)),
        bc.Body("rod", bc.Rod(B, C, mass=0.2)),
        bc.Particle("slider", 0.4, at=C),
    ],
    joints=[
        bc.Revolute("A", "ground", "crank", at=A),
        bc.Revolute("B", "crank", "rod", at=B),
        bc.Prismatic("rail", "ground", "slider", at=C, axis="x"),
        bc.Revolute("C", "rod", "slider", at=C),
    ],
    forces=[bc.Torque("motor", "crank", (0, 0, 0.1))],
)
run = bc.simulate(machine, until=3.0, rtol=1e-10)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(run.t, run.values("A.angle_rate"))
    left.set(xlabel="time [s]", ylabel="crank rate [rad/s]", title="a slider-crank speeds up")
    right.plot(run.t, run.values("rail.reaction_force")[:, 1])
    right.set(xlabel="time [s]", ylabel="force [N]", title="what the rail carries")
    figure.savefig(Path(sys.argv[1]) / "slider_crank.png", dpi=150)

# The laws: the angle after three seconds, and the motor's work is the energy.
angle, energy = run.values("A.angle"), run.values("energy")
print(f"crank at {angle[-1]:.8f} rad after {angle[-1] / (2 * np.pi):.1f} turns")
assert abs(angle[-1] - 121.88627751) < 1e-4
assert np.max(np.abs(energy - energy[0] - 0.1 * angle)) < 1e-5
