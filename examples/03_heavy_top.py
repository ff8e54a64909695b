"""A heavy top, let go at a tilt: its axis falls, stops, rises again, and so goes around.

Released without any precession the axis draws cusps, the motion of a gyroscope that is simply
let go. How low it dips and how far it goes around from cusp to cusp are elliptic integrals.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

# A thin disc of 4 cm on a massless pin of 4 cm: I₃ = 8e-4, I₁ = 2e-3 kg m² about the tip.
machine = bc.Model(
    "heavy top",
    bodies=[bc.Body("top", bc.Disc(0.04, (0, 0, 0.04), "z", mass=1.0))],
    joints=[bc.Spherical("tip", "ground", "top", at=(0, 0, 0))],
)

# Tilted by 30 degrees about x, spinning at 100 rad/s about its own axis.
tilt = np.radians(30)
run = bc.simulate(
    machine,
    until=1.0,
    start={
        "tip.orientation": (np.cos(tilt / 2), np.sin(tilt / 2), 0, 0),
        "tip.angular_velocity": (0, 0, 100),
    },
    rtol=1e-11,
    atol=1e-13,
)
axis = run.values("top.position") / 0.04

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.plot(axis[:, 0], axis[:, 1], lw=1.2)
    left.plot(0, 0, "+", color="black")
    left.set(aspect="equal", xlabel="x", ylabel="y", title="the axis, seen from above")
    right.plot(run.t, np.degrees(np.arccos(axis[:, 2])), lw=1.2)
    right.set(xlabel="time [s]", ylabel="tilt [°]", title="nutation")
    figure.savefig(Path(sys.argv[1]) / "heavy_top.png", dpi=150)

# The law: the tilt stays between its two roots, the spin about the own axis is kept, and the
# axis is where it has to be after one second.
angle = np.arccos(axis[:, 2])
print(f"tilt between {np.degrees(angle.min()):.4f}° and {np.degrees(angle.max()):.4f}°")
assert angle.min() > 0.5235987755982989 - 1e-8
assert angle.max() < 0.7014875891644296 + 1e-8
np.testing.assert_allclose(run.values("tip.angular_velocity")[:, 2], 100, rtol=1e-9)
np.testing.assert_allclose(
    axis[-1], (-0.353294060624, -0.354499364191, 0.865744481655), atol=1e-7
)
