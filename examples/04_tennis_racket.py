"""The tennis racket: a free body that turns over, and over again, by itself.

Spun about its middle axis a body flips, as a racket thrown up does, and as Dzhanibekov's wing
nut did in orbit. The interval between flips is an elliptic integral.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

machine = bc.Model(
    "tennis racket",
    gravity=(0, 0, 0),
    bodies=[
        bc.Body(
            "racket", bc.Box((2.0, 1.0, 0.2), mass=1.0), mass=1.0, inertia=(2, 3, 4, 0, 0, 0)
        )
    ],
    joints=[bc.Free("flight", "ground", "racket")],
)

# Almost purely about the middle axis. An event marks every time the spin about it is zero.
run = bc.simulate(
    machine,
    until=60.0,
    start={"flight.angular_velocity": (0.001, 2.0, 0.001)},
    events=[bc.Event("flip", "flight.angular_velocity_y")],
    rtol=1e-12,
    atol=1e-14,
)
flips = run.events.times("flip")
spin = run.values("flight.angular_velocity")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(9, 3.5), layout="constrained")
    for i, axis in enumerate(("least", "middle", "greatest")):
        panel.plot(run.t, spin[:, i], label=f"about the axis of {axis} inertia")
    for flip in flips:
        panel.axvline(flip, color="0.7", ls="--", lw=1)
    panel.set(
        xlabel="time [s]", ylabel="angular velocity [rad/s]", title="the racket turns over"
    )
    panel.legend(frameon=False, loc="center", bbox_to_anchor=(0.45, 0.75), fontsize=9)
    figure.savefig(Path(sys.argv[1]) / "tennis_racket.png", dpi=150)

# The law: angular momentum is fixed in space, and flips come at the known times.
momentum = run.values("angular_momentum")
print(f"flips at {', '.join(f'{flip:.6f}' for flip in flips)} s")
np.testing.assert_allclose(momentum, np.broadcast_to(momentum[0], momentum.shape), atol=1e-9)
np.testing.assert_allclose(flips, (13.752841249531, 38.765623083039), atol=1e-5)
np.testing.assert_allclose(flips[1] - flips[0], 25.0127818283922, atol=1e-5)
