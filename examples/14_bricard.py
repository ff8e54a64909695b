"""Six hinges on the edges of a cube: by counting it cannot move, and it does.

Five rods and the ground along a closed path of cube edges, a hinge at each corner square to
both edges. Counting gives 5 · 6 − 6 · 5 = 0 degrees of freedom; one of the thirty conditions
repeats the others.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

CORNERS = [(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)]
AXES = ["-y", "-z", "-x", "-y", "-z", "-x"]  # incoming × outgoing edge
NAMES = ["rod1", "rod2", "rod3", "rod4", "rod5", "ground"]
machine = bc.Model(
    "six hinges on a cube",
    bodies=[
        bc.Body(name, bc.Rod(a, b, mass=1.0))
        for name, a, b in zip(NAMES, CORNERS, CORNERS[1:], strict=False)
    ],
    joints=[
        bc.Revolute(f"J{i}", NAMES[i - 1], NAMES[i], at=CORNERS[i], axis=AXES[i])
        for i in range(6)
    ],
)
run = bc.simulate(machine, until=10.0)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 3.5), layout="constrained")
    for name in ("J0", "J1"):
        panel.plot(run.t, run.values(f"{name}.angle"), label=name)
    panel.set(xlabel="time [s]", ylabel="angle [rad]", title=machine.name)
    panel.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "bricard.png", dpi=150)

# The laws: hinges turn alike in turn, and end where a reduced model says.
one, two = (run.values(f"J{i}.angle") for i in (0, 1))
for i in range(2, 6):
    np.testing.assert_allclose(run.values(f"J{i}.angle"), (one, two)[i % 2], atol=1e-9)
print(f"after ten seconds {one[-1]:.10f} and {two[-1]:.10f} rad")
assert abs(one[-1] + 3.0981235152618) < 1e-7
assert abs(two[-1] - 0.0416577641864) < 1e-7
