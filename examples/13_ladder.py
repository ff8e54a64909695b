"""A ladder of four parallelograms: when it lies flat it could go on in many ways.

Four loops share posts. All links lie in one line twice in every turn; there the machine has
five degrees of freedom instead of one, and the motion must go straight through. The posts are
as good as one pendulum, so that the exact motion is an elliptic function.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.special import ellipj, ellipk

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

# φ'² = 1 + (2G/I)(1 − cos φ) for the angle φ of the posts from upright.
I, G = (N + 1) / 3 + N, ((N + 1) / 2 + N) * 9.81
a = 1 / 4 + G / I
m = G / I / a
exact = np.pi - 2 * ellipj(ellipk(m) - np.sqrt(a) * run.t, m)[3]

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 3.5), layout="constrained")
    panel.plot(run.t, -run.values("P0.angle") / np.pi, label="simulated")
    panel.plot(
        run.t[::10], exact[::10] / np.pi, "o", ms=4, mfc="none", label="elliptic function"
    )
    panel.set(
        xlabel="time [s]", ylabel="angle of the posts [π rad]", title="flat at every ½ + k"
    )
    panel.grid(alpha=0.3)
    panel.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "ladder.png", dpi=150)

# The law: the elliptic function, and all posts stay parallel.
error = np.max(np.abs(run.values("P0.angle") + exact))
print(f"off the elliptic function by {error:.1e} rad in {run.statistics['steps']} steps")
assert error < 1e-6
for i in range(1, N + 1):
    np.testing.assert_allclose(run.values(f"P{i}.angle"), run.values("P0.angle"), atol=1e-7)
