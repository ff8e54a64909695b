"""A Stewart platform on six legs: what each must push while the platform circles.

The legs are two-point actuators driven by inputs; inverse dynamics gives their thrusts for a
motion of the platform, and the sum of what they push is what the platform weighs and needs.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc


def ring(radius, degrees, height):
    """Return points on a circle."""
    turns = np.radians(degrees)
    return [
        (round(radius * np.cos(a), 12), round(radius * np.sin(a), 12), height) for a in turns
    ]


BASE = ring(1.0, (-10, 10, 110, 130, 230, 250), 0.0)
TOP = ring(0.6, (-48, 48, 72, 168, 192, 288), 1.25)
machine = bc.Model(
    "Stewart platform",
    inputs=[bc.Input(f"F{i}") for i in range(1, 7)],
    bodies=[
        bc.Body("platform", bc.Cylinder((0, 0, 1.24), (0, 0, 1.26), 0.6, mass=50.0),
                inertia=(4, 5, 8, 0, 0, 0)),
    ],
    joints=[bc.Free("P", "ground", "platform", at=(0, 0, 1.25))],
    forces=[
        bc.SpringDamper(f"leg {i + 1}", ("ground", a), ("platform", b), law=f"-F{i + 1}")
        for i, (a, b) in enumerate(zip(BASE, TOP, strict=True))
    ],
)  # fmt: skip
t = np.linspace(0.0, 2.0, 101)
w, r = np.pi, 0.1
zero = np.zeros_like(t)
motion = {
    "P.position": np.stack([r * np.cos(w * t), r * np.sin(w * t), zero], axis=1),
    "P.velocity": r * w * np.stack([-np.sin(w * t), np.cos(w * t), zero], axis=1),
    "platform.acceleration": -r * w**2 * np.stack([np.cos(w * t), np.sin(w * t), zero], axis=1),
    "platform.angular_acceleration": np.zeros((len(t), 3)),
}
legs = [f"F{i}" for i in range(1, 7)]
efforts = bc.inverse_dynamics(machine, motion, legs, times=t)
assert efforts.exact
height = np.zeros_like(t)
for i, (base, top) in enumerate(zip(BASE, TOP, strict=True)):
    along = np.array(top) + motion["P.position"] - np.array(base)
    height += efforts.efforts[:, i] * along[:, 2] / np.linalg.norm(along, axis=1)
np.testing.assert_allclose(height, 50.0 * 9.81, rtol=1e-9)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6.4, 4), layout="constrained")
    axes.plot(t, efforts.efforts, label=legs)
    axes.set(xlabel="time [s]", ylabel="thrust [N]")
    axes.legend(ncol=3, fontsize="small")
    figure.savefig(Path(sys.argv[1]) / "stewart.png", dpi=150)
