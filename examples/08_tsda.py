"""A mass on a spring and damper (TSDA), let go where the spring is slack.

The oldest closed form there is: x(t) = −(m g/k) (1 − e^(−ζωt) (cos ω_d t + ζω/ω_d sin ω_d t)).
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

m, k, c, g = 2.0, 200.0, 4.0, 9.81
machine = bc.Model(
    "mass on a spring",
    bodies=[bc.Body("mass", bc.Box((0.2, 0.2, 0.2), mass=m))],
    joints=[bc.Prismatic("rail", "ground", "mass", axis="z")],
    forces=[
        bc.SpringDamper(
            "strut",
            ("ground", (0, 0, 1)),
            ("mass", (0, 0, 0)),
            stiffness=k,
            damping=c,
            length=1.0,
        )
    ],
)
run = bc.simulate(machine, until=5.0)

w = np.sqrt(k / m)
decay = c / (2 * m)
wd = np.sqrt(w**2 - decay**2)
t = run.t
exact = -(m * g / k) * (1 - np.exp(-decay * t) * (np.cos(wd * t) + decay / wd * np.sin(wd * t)))

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 3.5), layout="constrained")
    panel.plot(t, run.values("rail.offset"), label="simulated")
    panel.plot(t[::25], exact[::25], "o", ms=4, mfc="none", label="closed form")
    panel.axhline(-m * g / k, color="0.6", ls="--", lw=1)
    panel.set(xlabel="time [s]", ylabel="offset [m]", title="a mass on a spring and damper")
    panel.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "tsda.png", dpi=150)

# The law: the closed form, and a strut that in the end carries the weight.
error = np.max(np.abs(run.values("rail.offset") - exact))
print(f"off the closed form by {error:.1e} m")
assert error < 1e-8  # rtol is 1e-9 for each step
np.testing.assert_allclose(run.values("strut.force")[-1], m * g, rtol=1e-2)
