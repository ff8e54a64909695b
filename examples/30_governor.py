"""A flyball governor: how far it opens at a speed, and when it begins to.

Steady motions are equilibria with a rate that stays: below the speed at which m l² ω² sin θ can
balance gravity and spring, the balls hang; above it they rise.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

LENGTH, STIFFNESS = 0.3, 2.0
machine = bc.Model(
    "governor",
    bodies=[
        bc.Body("shaft", bc.Cylinder((0, 0, -0.4), (0, 0, 0), 0.02, mass=3.0)),
        bc.Body("right", bc.Sphere(0.04, (0, 0, -LENGTH), mass=1.0)),
        bc.Body("left", bc.Sphere(0.04, (0, 0, -LENGTH), mass=1.0)),
    ],
    joints=[
        bc.Revolute("turn", "ground", "shaft", at=(0, 0, 0), axis="z"),
        bc.Revolute("arm", "shaft", "right", at=(0, 0, 0), axis="-y"),
        bc.Revolute("other", "shaft", "left", at=(0, 0, 0), axis="y"),
    ],
    constraints=[bc.Gear("sleeve", "arm", "other", 1.0)],
    forces=[bc.JointSpring("spring", "arm", stiffness=STIFFNESS)],
)
speeds = np.linspace(7.0, 14.0, 29)
opening, found = [], None
for speed in speeds:
    near = {"arm": 1.0} if found is None else found
    found = bc.equilibrium(machine, near, rates={"turn.angle_rate": float(speed)})
    opening.append(abs(found["arm.angle"]))
    # two balls: 2 m ω² l² sin θ cos θ + 2 I-terms = 2 m g l sin θ + k θ
    theta, ball = opening[-1], 0.4 * 0.04**2
    inner = 2 * (LENGTH**2 * np.sin(theta) * np.cos(theta)) * speed**2
    outer = 2 * 9.81 * LENGTH * np.sin(theta) + STIFFNESS * theta
    assert abs(inner - outer) < 1e-8

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    axes.plot(speeds, np.degrees(opening), "o-", markersize=3)
    axes.set(xlabel="speed of the shaft [rad/s]", ylabel="opening of the arms [deg]")
    axes.grid(alpha=0.3)
    figure.savefig(Path(sys.argv[1]) / "governor.png", dpi=150)
