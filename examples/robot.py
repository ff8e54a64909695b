"""An arm with a gripper, read from URDF, lifts its hand and opens its fingers.

The right finger mimics the left, which becomes a gear. The motors go no further than the limits
of the file; at rest they carry the weight of the arm, which inverse dynamics knows, too.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

robot = bc.load(Path(__file__).parent / "gripper.urdf")

# A motor on each joint that follows no other: a spring and a damper towards its target, which
# bend off smoothly towards the largest effort that the file gives.
TARGETS = {
    "shoulder": (0.9, 120.0, 15.0),
    "elbow": (-1.4, 60.0, 5.0),
    "left": (0.02, 300.0, 20.0),
}


def motor(joint: str) -> bc.Motor:
    """Return the motor of a joint."""
    target, stiffness, damping = TARGETS[joint]
    value, rate = (
        f"{joint}.{name}" for name in (*robot[joint].coordinates, *robot[joint].speeds)
    )
    most = robot[joint].limits.effort
    law = f"{stiffness}*({target} - {value}) - {damping}*{rate}"
    return bc.Motor(f"{joint}_motor", joint, effort=f"{most}*tanh(({law})/{most})")


machine = robot.add(*map(motor, TARGETS))
print(bc.report(machine))
run = bc.simulate(machine, until=4.0)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.plot(run.values("tool.position_x"), run.values("tool.position_z"), lw=1.2)
    left.set(xlabel="x [m]", ylabel="z [m]", title="way of the tool", aspect="equal")
    for joint in TARGETS:
        right.plot(run.t, run.values(f"{joint}_motor.effort"), lw=1.2, label=f"{joint}")
    right.set(xlim=(0, 2), xlabel="time [s]", ylabel="effort [N m, N]", title="motors")
    right.legend(frameon=False)
    figure.savefig(Path(sys.argv[1]) / "robot.png", dpi=150)

# The laws: the fingers move alike, no motor goes beyond its limit, and at rest the motors carry
# the weight.
np.testing.assert_allclose(run.values("right.offset"), run.values("left.offset"), atol=1e-12)
for joint in TARGETS:
    efforts = run.values(f"{joint}_motor.effort")
    assert np.abs(efforts).max() <= robot[joint].limits.effort
a = run.values("shoulder.angle")[-1]
b = a + run.values("elbow.angle")[-1]
hand = 2 * 0.1 * 0.34 + 2.0 * 0.15  # first moment of forearm and fingers [kg m]
elbow = 9.81 * hand * np.cos(b)
shoulder = 9.81 * (3.0 * 0.2 + 2.2 * 0.4) * np.cos(a) + elbow
held = [run.values(f"{joint}_motor.effort")[-1] for joint in ("shoulder", "elbow")]
print("motors hold", np.round(held, 3), "N m")
np.testing.assert_allclose(held, (shoulder, elbow), atol=1e-3)
