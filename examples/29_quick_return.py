"""A quick-return shaper at constant speed: the torque its motion needs.

The crank turns a slotted lever that drives a ram; it goes slowly ahead and quickly back.
Kinematics gives the ratio of the strokes, inverse dynamics the torque, and over a turn it does
no work but that against the damper of the ram.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

A, O, P, R = (0, 0.4), (0, 0), (0.15, 0.4), (0, 0.9)
machine = bc.Model(
    "quick return",
    planar=True,
    bodies=[
        bc.Body("crank", bc.Rod(A, P, mass=2.0)),
        bc.Body("block", mass=0.5, com=P, inertia=(1e-3, 1e-3, 1e-3, 0, 0, 0)),
        bc.Body("lever", bc.Rod(O, (0.3375, 0.9), mass=4.0)),
        bc.Body("ram", mass=10.0, com=(0.3375, 0.9), inertia=(0.1, 0.1, 0.1, 0, 0, 0)),
    ],
    joints=[
        bc.Revolute("A", "ground", "crank", at=A),
        bc.Revolute("P", "crank", "block", at=P),
        bc.Prismatic("slot", "lever", "block", at=P, axis=(0.15, 0.4)),
        bc.Revolute("O", "ground", "lever", at=O),
        bc.Prismatic("guide", "ground", "ram", at=R, axis="x"),
    ],
    constraints=[bc.PointOnLine("pin", ("ram", (0.3375, 0.9)), "lever", O, (0.3375, 0.9))],
    forces=[bc.JointSpring("cutting", "guide", damping=40.0)],
)  # fmt: skip
speed = 4.0
times = np.linspace(0.0, 2 * np.pi / speed, 721)
efforts = bc.inverse_dynamics(machine, {"A": f"{speed} * t"}, times=times)
torque = efforts.plain("A")
sweep = bc.kinematics(machine, {"A": speed * times})
ends = [one.at for one in sweep.dead_centres if one.name == "guide.offset"]
ratio = abs(ends[1] - ends[0]) / (2 * np.pi - abs(ends[1] - ends[0]))
alpha = 2 * np.arccos(0.15 / 0.4)  # the crank is at right angles to the lever at both ends
known = alpha / (2 * np.pi - alpha)
assert min(abs(ratio - known), abs(1 / ratio - known)) < 1e-8
work = np.sum(torque[:-1]) * speed * times[1]
lost = np.sum(40.0 * efforts.plain("guide.offset_rate")[:-1] ** 2) * times[1]
assert abs(work - lost) < 1e-6 * lost

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    turn = np.degrees(speed * times)
    left.plot(turn, efforts.plain("guide.offset_rate"))
    left.set(xlabel="crank [deg]", ylabel="velocity of the ram [m/s]")
    right.plot(turn, torque)
    right.set(xlabel="crank [deg]", ylabel="torque on the crank [N m]")
    figure.savefig(Path(sys.argv[1]) / "quick_return.png", dpi=150)
