"""A boom that gravity keeps upright in orbit: pitch swings by √3, roll by 2 an orbit.

One end is nearer to the Earth and pulled harder; the torque of that gradient is all there is.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

MU, RADIUS, LENGTH = 3.986004418e14, 7.0e6, 100.0
N = float(np.sqrt(MU / RADIUS**3))
FOOT, TIP = (RADIUS - LENGTH / 2, 0, 0), (RADIUS + LENGTH / 2, 0, 0)
machine = bc.Model(
    "gravity boom",
    gravity=bc.CentralGravity(MU),
    bodies=[bc.Body("boom", bc.Rod(FOOT, TIP, mass=40.0, radius=0.05))],
    joints=[bc.Free("F", "ground", "boom", at=(RADIUS, 0, 0))],
)
start = {
    "F.velocity": (0, 7546.05329, 0),
    "F.angular_velocity": (0, 0, 0.00107800761),
    "F.orientation": (0.999975, 0, 0.005, 0.005),
}
run = bc.simulate(machine, until=35000.0, start=start, every=10.0)

e0, ex, ey, ez = run.values("boom.orientation").T
along = np.stack([1 - 2 * (ey**2 + ez**2), 2 * (ex * ey + e0 * ez), 2 * (ex * ez - e0 * ey)], 1)
up = run.values("boom.position") / np.linalg.norm(run.values("boom.position"), axis=1)[:, None]
ahead = np.stack([-up[:, 1], up[:, 0], 0 * up[:, 0]], 1)
pitch, roll = (along * ahead).sum(1), along[:, 2]

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
    orbits = run.t * N / (2 * np.pi)
    axes.plot(orbits, np.degrees(pitch), label="pitch, √3 an orbit")
    axes.plot(orbits, np.degrees(roll), label="roll, 2 an orbit")
    axes.set(xlabel="orbits", ylabel="[°]", title="a boom swings upright")
    axes.legend()
    figure.savefig(Path(sys.argv[1]) / "gravity_boom.png", dpi=150)


def swings(angle: np.ndarray) -> float:
    """Return how often an angle swings in an orbit."""
    zero = np.flatnonzero((angle[:-1] < 0) & (angle[1:] >= 0))
    share = angle[zero] / (angle[zero] - angle[zero + 1])
    times = run.t[zero] + share * (run.t[zero + 1] - run.t[zero])
    return 2 * np.pi / float(np.diff(times).mean()) / N


print(f"{swings(pitch):.4f} and {swings(roll):.4f} swings an orbit")
assert abs(swings(pitch) - np.sqrt(3)) < 1e-3
assert abs(swings(roll) - 2.0) < 1e-3
