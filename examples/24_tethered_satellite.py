"""A satellite on a tether of a kilometre, in orbit about the Earth.

The lower end is pulled more than its orbit needs, the upper one less: that keeps the tether
taut, and upright but for a swing with √3 times the frequency of the orbit.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

MU, RADIUS = 3.986004418e14, 7.0e6
N = float(np.sqrt(MU / RADIUS**3))
LOW, HIGH = (RADIUS - 400.0, 0, 0), (RADIUS + 600.0, 0, 0)
machine = bc.Model(
    "tethered satellite",
    gravity=bc.CentralGravity(MU),
    bodies=[
        bc.Body("station", bc.Sphere(2.0, center=LOW, mass=300.0), pose=bc.Pose(LOW)),
        bc.Body("probe", bc.Sphere(1.0, center=HIGH, mass=200.0), pose=bc.Pose(HIGH)),
    ],
    joints=[
        bc.Free("A", "ground", "station", at=LOW),
        bc.Free("B", "ground", "probe", at=HIGH),
    ],
    constraints=[bc.Distance("tether", ("station", LOW), ("probe", HIGH))],
)
start = {
    "A.velocity": (0, 7545.62, 0),
    "B.velocity": (0, 7546.79, 0),
}
run = bc.simulate(machine, until=18000.0, start=start, rtol=1e-10)

d = run.values("probe.position") - run.values("station.position")
up = run.values("station.position")
pitch = np.unwrap(np.arctan2(d[:, 1], d[:, 0]) - np.arctan2(up[:, 1], up[:, 0]))

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.5), layout="constrained")
    left.plot(run.t / 60, np.degrees(pitch))
    left.set(xlabel="time [min]", ylabel="pitch [°]", title="the tether swings")
    right.plot(run.t / 60, run.values("tether.force"))
    right.set(xlabel="time [min]", ylabel="tension [N]", title="and stays taut")
    figure.savefig(Path(sys.argv[1]) / "tethered_satellite.png", dpi=150)

# The laws: √3 swings an orbit, a tension of 3 n² m L, and energy is kept.
zero = np.flatnonzero(np.diff(np.sign(pitch - pitch.mean())) > 0)
swings = 2 * np.pi / float(np.diff(run.t[zero]).mean()) / N
pull = 3 * N**2 * 1000.0 * 300.0 * 200.0 / 500.0
print(f"{swings:.3f} swings an orbit, {run.values('tether.force').mean():.4f} N")
assert abs(swings - np.sqrt(3)) < 0.02
assert abs(run.values("tether.force").mean() - pull) < 0.05 * pull
energy = run.values("energy")
assert np.abs(energy - energy[0]).max() < 1e-8 * abs(energy[0])
