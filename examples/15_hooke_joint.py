"""A Hooke joint between two shafts: one is driven evenly, the other turns unevenly.

The motion of the first shaft is prescribed; the torque that takes is part of the result.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

OUT = (0.8, 0.6, 0)  # the shafts meet at an angle whose cosine is 0.8
machine = bc.Model(
    "Hooke joint",
    gravity=(0, 0, 0),
    bodies=[
        bc.Body("input", bc.Cylinder((-0.5, 0, 0), (0, 0, 0), radius=0.05, mass=1.0)),
        bc.Body("output", bc.Cylinder((0, 0, 0), (0.4, 0.3, 0), radius=0.05, mass=1.0)),
    ],
    joints=[
        bc.Revolute("in", "ground", "input", at=(-0.5, 0, 0), axis="x"),
        bc.Universal("cross", "input", "output", at=(0, 0, 0), axis1="y", axis2="z"),
        bc.Revolute("out", "ground", "output", at=(0.4, 0.3, 0), axis=OUT),
    ],
    drivers=[bc.Drive("motor", "in", angle="3*t")],
)
run = bc.simulate(machine, until=4.0)

theta = 3 * run.t
ratio = 0.8 / (1 - 0.36 * np.cos(theta) ** 2)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(run.t, run.values("out.angle_rate") / 3, label="simulated")
    left.plot(run.t[::40], ratio[::40], "o", ms=4, mfc="none", label="cos β/(1 − sin²β cos²θ)")
    left.set(xlabel="time [s]", ylabel="ratio of the rates", title="uneven by the joint alone")
    left.set_ylim(0.75, 1.5)
    left.legend(frameon=False)
    right.plot(run.t, 1e3 * run.values("motor.effort"))
    right.set(xlabel="time [s]", ylabel="torque [mN m]", title="what the motor gives")
    figure.savefig(Path(sys.argv[1]) / "hooke_joint.png", dpi=150)

# The laws: the ratio, and the power of the motor is that of the uneven shaft.
rate = run.values("out.angle_rate")
error = np.max(np.abs(rate / 3 - ratio))
print(f"off the closed form by {error:.1e}")
assert error < 1e-10
power = 1.0 * 0.05**2 / 2 * rate * run.values("out.angle_acceleration")
np.testing.assert_allclose(3 * run.values("motor.effort"), power, atol=1e-10)
