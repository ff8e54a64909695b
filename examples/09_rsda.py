"""A rotor on a torsion spring and damper (RSDA), turned by one radian and let go.

θ(t) = e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t), ω² = k/I, 2ζω = c/I.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

mass, radius = 4.0, 0.5
k, c = 8.0, 0.2
machine = bc.Model(
    "rotor on a torsion spring",
    bodies=[bc.Body("rotor", bc.Disc(radius, (0, 0, 0), "z", mass=mass))],
    joints=[bc.Revolute("shaft", "ground", "rotor", at=(0, 0, 0), axis="z")],
    forces=[bc.JointSpring("spring", "shaft", stiffness=k, damping=c)],
)
run = bc.simulate(machine, until=10.0, start={"shaft": 1.0})

inertia = mass * radius**2 / 2
w = np.sqrt(k / inertia)
decay = c / (2 * inertia)
wd = np.sqrt(w**2 - decay**2)
t = run.t
exact = np.exp(-decay * t) * (np.cos(wd * t) + decay / wd * np.sin(wd * t))

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(t, run.values("shaft.angle"), label="simulated")
    left.plot(t[::25], exact[::25], "o", ms=4, mfc="none", label="closed form")
    left.set(xlabel="time [s]", ylabel="angle [rad]", title="a rotor on a torsion spring")
    left.legend(frameon=False)
    right.plot(run.values("shaft.angle"), run.values("shaft.angle_rate"), lw=1)
    right.set(xlabel="angle [rad]", ylabel="angle rate [rad/s]", title="phase plane")
    figure.savefig(Path(sys.argv[1]) / "rsda.png", dpi=150)

# The law: the closed form.
error = np.max(np.abs(run.values("shaft.angle") - exact))
print(f"off the closed form by {error:.1e} rad")
assert error < 1e-8  # rtol is 1e-9 for each step
