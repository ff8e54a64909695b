"""A ladder of four parallelograms: when it lies flat it could go on in many ways.

Four loops share posts. All links lie in one line twice in every turn; there the machine has
five degrees of freedom instead of one, and the motion must go straight through. The posts are
as good as one pendulum, so that the time at which they reach an angle is an integral.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

N = 4
bodies = [bc.Body(f"post{i}", bc.Rod((i, 0), (i, 1), mass=1.0)) for i in range(N + 1)]
bodies += [bc.Body(f"beam{i}", bc.Rod((i, 1), (i + 1, 1), mass=1.0)) for i in range(N)]
joints = [bc.Revolute(f"P{i}", "ground", f"post{i}", at=(i, 0)) for i in range(N + 1)]
for i in range(N):
    joints.append(bc.Revolute(f"L{i}", f"post{i}", f"beam{i}", at=(i, 1)))
    joints.append(bc.Revolute(f"R{i}", f"beam{i}", f"post{i + 1}", at=(i + 1, 1)))
machine = bc.Model(
    "ladder",
    planar=True,
    bodies=bodies,
    joints=joints,
    points=[bc.Point("top", "post0", at=(0, 1))],
)
run = bc.simulate(machine, until=10.0, start={"P0.angle_rate": -1.0}, every=0.05)

# φ'² = 1 + (2G/I)(1 − cos φ) for the angle φ of the posts from upright, hence t = ∫ dφ/φ'.
I, G = (N + 1) / 3 + N, ((N + 1) / 2 + N) * 9.81
phi = -run.values("P0.angle")
nodes, weights = np.polynomial.legendre.leggauss(20)
half, middle = np.diff(phi) / 2, (phi[1:] + phi[:-1]) / 2
rate = np.sqrt(1 + 2 * G / I * (1 - np.cos(middle[:, None] + half[:, None] * nodes)))
exact = np.concatenate([[0.0], np.cumsum(half * (weights / rate).sum(axis=1))])

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 3.5), layout="constrained")
    panel.plot(run.t, phi / np.pi, label="simulated")
    panel.plot(exact[::10], phi[::10] / np.pi, "o", ms=4, mfc="none", label="by quadrature")
    panel.set(
        xlabel="time [s]", ylabel="angle of the posts [π rad]", title="flat at every ½ + k"
    )
    panel.grid(alpha=0.3)
    panel.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "ladder.png", dpi=150)

# The law: every angle is reached when the integral says, and all posts stay parallel.
error = np.max(np.abs(exact - run.t))
print(f"angles reached within {error:.1e} s of the exact time, {run.statistics['steps']} steps")
assert error < 1e-7
for i in range(1, N + 1):
    np.testing.assert_allclose(run.values(f"P{i}.angle"), run.values("P0.angle"), atol=1e-7)
