"""A disc that rolls without slipping: fast it stands up, slow it leans over.

Rolling restricts the speeds and not the positions: the disc can get anywhere. Above the speed
√(g R/3) a small push makes it wobble; below, the push grows.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

R = 0.3
machine = bc.Model(
    "rolling disc",
    bodies=[bc.Body("disc", bc.Disc(R, (0, 0, R), "y", mass=1.0))],
    joints=[bc.Free("F", "ground", "disc", at=(0, 0, R))],
    constraints=[bc.RollingDisc("rim", "disc", (0, 0, R), "y", R)],
)
critical = np.sqrt(9.81 / (3 * R))  # rad/s, 3.30
runs = {
    spin: bc.simulate(machine, until=3.0, start={"F.angular_velocity": (0.05, spin, 0.0)})
    for spin in (5.0, 2.5)
}

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for spin, run in runs.items():
        panel.plot(
            run.t, run.values("disc.position")[:, 2], label=f"{spin / critical:.2f} critical"
        )
    panel.set(xlabel="time [s]", ylabel="height of the centre [m]", title=machine.name)
    panel.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "rolling_disc.png", dpi=150)

# The laws: rolling does no work; the fast disc stays upright, the slow one does not.
for spin, run in runs.items():
    energy, lowest = run.values("energy"), np.min(run.values("disc.position")[:, 2])
    print(f"{spin / critical:.2f} of the critical speed: lowest at {lowest:.4f} m")
    assert np.max(np.abs(energy - energy[0])) < 1e-8
    assert (lowest > 0.99 * R) == (spin > critical)
