"""A bicycle without a rider's hands: between 4.29 and 6.02 m/s it rights itself.

The benchmark bicycle of Meijaard, Papadopoulos, Ruina and Schwab (2007), on two rolling discs;
x forward, z down. Its root locus over the speed has the weave that becomes stable and the
capsize that stops being so, at the published speeds to ten digits.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

REAR, FRONT, BASE, TRAIL = 0.3, 0.35, 1.02, 0.08
STEER = (0.3090169943749474, 0.0, 0.9510565162951535)  # tilted by 18 deg


def wheel(name, x, radius, mass, across, along):
    """Return a wheel about the y axis."""
    inertia = (across, along, across, 0, 0, 0)
    return bc.Body(name, bc.Disc(radius, (x, 0, -radius), "y", mass=mass), inertia=inertia)


machine = bc.Model(
    "bicycle",
    gravity=(0, 0, 9.81),
    bodies=[
        bc.Body("frame", mass=85.0, com=(0.3, 0, -0.9), inertia=(9.2, 11.0, 2.8, 0, 2.4, 0)),
        bc.Body(
            "fork", mass=4.0, com=(0.9, 0, -0.7),
            inertia=(0.05892, 0.06, 0.00708, 0, -0.00756, 0),
        ),
        wheel("rear wheel", 0.0, REAR, 2.0, 0.0603, 0.12),
        wheel("front wheel", BASE, FRONT, 3.0, 0.1405, 0.28),
    ],
    joints=[
        bc.Free("F", "ground", "frame"),
        bc.Revolute("steer", "frame", "fork", at=(BASE + TRAIL, 0, 0), axis=STEER),
        bc.Revolute("rear", "frame", "rear wheel", at=(0, 0, -REAR), axis="y"),
        bc.Revolute("front", "fork", "front wheel", at=(BASE, 0, -FRONT), axis="y"),
    ],
    constraints=[
        bc.RollingDisc("rear tyre", "rear wheel", (0, 0, -REAR), "y", REAR, normal="-z"),
        bc.RollingDisc("front tyre", "front wheel", (BASE, 0, -FRONT), "y", FRONT, normal="-z"),
    ],
)  # fmt: skip
speeds = np.linspace(0.0, 10.0, 101)
locus = bc.modes(machine, {}, over={"rear.angle_rate": -speeds / REAR})
weave, capsize = -REAR * locus.crossings
assert abs(weave - 4.292382536341) < 1e-8
assert abs(capsize - 6.024262015388) < 1e-8

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (real, imaginary) = plt.subplots(
        2, 1, figsize=(6.4, 5.6), sharex=True, layout="constrained"
    )
    for branch in locus.poles.T:
        real.plot(speeds, branch.real)
        imaginary.plot(speeds, np.abs(branch.imag))
    real.axvspan(weave, capsize, color="tab:green", alpha=0.15)
    real.axhline(0, color="0.6", linewidth=0.8)
    real.set(
        ylim=(-12, 8), ylabel="real part [1/s]",
        title=f"upright by itself from {weave:.3f} to {capsize:.3f} m/s",
    )  # fmt: skip
    imaginary.set(xlabel="speed [m/s]", ylabel="frequency [rad/s]")
    figure.savefig(Path(sys.argv[1]) / "bicycle.png", dpi=150)
