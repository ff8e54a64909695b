"""Thirty links: a chain let go from the horizontal, its hinges rubbing a little.

The rubbing is a parameter: with none the energy is kept, and with some the energy lost is the
work of the hinges. Changing a parameter does not compile anything again.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

N, LENGTH = 30, 0.1
damping = bc.Parameter("damping", 0.02)


def place(k: int) -> tuple[float, float, float]:
    """Return hinge k of the chain, drawn hanging straight down [m]."""
    return (0.0, 0.0, round(-k * LENGTH, 9))


machine = bc.Model(
    "chain of thirty links",
    bodies=[
        bc.Body(f"link{k}", bc.Rod(place(k - 1), place(k), mass=0.2)) for k in range(1, N + 1)
    ],
    joints=[
        bc.Revolute(
            f"J{k}",
            "ground" if k == 1 else f"link{k - 1}",
            f"link{k}",
            at=place(k - 1),
            axis="x",
        )
        for k in range(1, N + 1)
    ],
    forces=[bc.JointSpring(f"rub{k}", f"J{k}", damping=damping) for k in range(1, N + 1)],
    points=[bc.Point("tip", f"link{N}", at=place(N))],
)

start = {"J1": np.pi / 2} | {f"J{k}": 0.05 for k in range(2, N + 1)}
run = bc.simulate(machine, until=3.0, start=start, every=0.001)
free = bc.simulate(machine, until=1.0, start=start, parameters={"damping": 0.0})

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    angles = np.cumsum([run.values(f"J{k}.angle") for k in range(1, N + 1)], axis=0)
    y = np.vstack([np.zeros(len(run.t)), np.cumsum(LENGTH * np.sin(angles), axis=0)])
    z = np.vstack([np.zeros(len(run.t)), np.cumsum(-LENGTH * np.cos(angles), axis=0)])
    for i in range(0, 1600, 100):
        left.plot(y[:, i], z[:, i], color=plt.get_cmap("viridis")(i / 1600), lw=1.2)
    left.set(aspect="equal", xlabel="y [m]", ylabel="z [m]", title="every 0.1 s, up to 1.5 s")
    right.plot(run.t, run.values("energy"))
    right.set(xlabel="time [s]", ylabel="energy [J]", title="what the hinges take")
    figure.savefig(Path(sys.argv[1]) / "chain.png", dpi=150)

# The laws: energy is kept without rubbing; with it, Ė = −c Σ θ̇², summed by Simpson's rule.
energy = free.values("energy")
assert np.max(np.abs(energy - energy[0])) < 1e-6
power = -0.02 * sum(run.values(f"J{k}.angle_rate") ** 2 for k in range(1, N + 1))
step = run.t[1] - run.t[0]
work = step / 3 * (power[0] + power[-1] + 4 * power[1:-1:2].sum() + 2 * power[2:-1:2].sum())
lost = run.values("energy")[-1] - run.values("energy")[0]
print(f"the hinges take {-work:.6f} J, the chain loses {-lost:.6f} J")
assert abs(work - lost) < 1e-4
