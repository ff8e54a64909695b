"""A motor with a winding turns a cam, whose follower is pressed onto it by a spring.

The current is a variable of its own, the cam a relation of two coordinates.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

machine = bc.Model(
    "cam and motor",
    bodies=[
        bc.Body("wheel", bc.Disc(0.1, axis="y", mass=2.0)),
        bc.Body("stem", bc.Rod((0.3, 0, 0), (0.3, 0, 0.2), mass=0.5)),
    ],
    joints=[
        bc.Revolute("shaft", "ground", "wheel", at=(0, 0, 0), axis="y"),
        bc.Prismatic("follower", "ground", "stem", at=(0.3, 0, 0), axis="z"),
    ],
    constraints=[bc.Relation("cam", "follower.offset - 0.01*(1 - cos(shaft.angle))**2")],
    forces=[
        bc.SpringDamper(
            "spring", ("ground", (0.3, 0, 0.5)), ("stem", (0.3, 0, 0.2)), 500.0, length=0.31
        ),
        bc.Motor("motor", "shaft", effort="0.3*current"),
    ],
    variables=[
        bc.Variable("current", "(12 - 1.5*current - 0.3*shaft.angle_rate)/0.05", unit="A"),
        bc.Variable("supplied", "12*current", unit="J"),
        bc.Variable("heat", "1.5*current**2", unit="J"),
    ],
)
run = bc.simulate(machine, until=1.0, rtol=1e-10)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(run.t, run.values("current"))
    left.set(xlabel="time [s]", ylabel="current [A]", title="the winding")
    right.plot(run.t, 1000 * run.values("follower.offset"))
    right.set(xlabel="time [s]", ylabel="lift [mm]", title="the follower")
    figure.savefig(Path(sys.argv[1]) / "cam_and_motor.png", dpi=150)

# The law: what the supply gives is heat, motion, and the field of the winding.
stored = run.values("energy") + 0.5 * 0.05 * run.values("current") ** 2
gap = stored - stored[0] + run.values("heat") - run.values("supplied")
print(
    f"{run.values('shaft.angle')[-1] / (2 * np.pi):.2f} turns, energy to {abs(gap).max():.1e} J"
)
assert abs(gap).max() < 1e-8
