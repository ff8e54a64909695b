"""A seven-joint arm under a digital PD controller that looks a hundred times a second.

The controller knows nothing of the arm's weight, so the arm sags until the error times the
stiffness is exactly what gravity asks of each joint. What gravity asks is inverse dynamics at
rest, a different computation from the one that produced the motion; they have to agree.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

# Drawn straight up. Axes alternate: turn about the arm, bend across it.
HEIGHTS = (0.16, 0.36, 0.58, 0.78, 0.98, 1.18, 1.28, 1.4)  # joints 1 to 7, and the tool [m]
MASSES = (4.0, 4.0, 3.0, 3.0, 2.0, 1.5, 1.0)  # [kg]
JOINTS = range(1, 8)


def up(k: int) -> tuple[float, float, float]:
    """Return the place of joint k, or of the tool for k = 8 [m]."""
    return (0.0, 0.0, HEIGHTS[k - 1])


machine = bc.Model(
    "seven-joint arm",
    bodies=[
        bc.Body(f"link{k}", bc.Cylinder(up(k), up(k + 1), 0.06, mass=MASSES[k - 1]))
        for k in JOINTS
    ],
    joints=[
        bc.Revolute(
            f"J{k}",
            "ground" if k == 1 else f"link{k - 1}",
            f"link{k}",
            at=up(k),
            axis="z" if k % 2 else "y",
        )
        for k in JOINTS
    ],
    forces=[bc.Motor(f"motor{k}", f"J{k}", effort=bc.Input(f"tau{k}")) for k in JOINTS],
    points=[bc.Point("tool", "link7", at=up(8))],
)

# From a bent start to the target in two seconds. Gains follow from the inertia that each motor
# feels, the smaller one of both ends: 25 rad/s, critically damped.
home = np.array([0.0, 0.4, 0.0, -0.9, 0.0, 0.5, 0.0])
target = np.array([0.5, 0.6, -0.4, -1.2, 0.3, 0.8, 0.2])
system = bc.compile(machine)
inverse = np.linalg.inv(system.mass_matrix(np.stack([home, target])))
felt = (1 / np.diagonal(inverse, axis1=1, axis2=2)).min(axis=0)
stiffness, damping = 625.0 * felt, 50.0 * felt


def goal(t: float) -> np.ndarray:
    """Return the angles wanted at a time [rad]."""
    return home + (target - home) * (0.5 - 0.5 * np.cos(np.pi * min(t / 2.0, 1.0)))


def law(t: float, values: dict[str, float]) -> dict[str, float]:
    """Return the motor torques for the angles and rates just read."""
    angles = np.array([values[f"J{k}.angle"] for k in JOINTS])
    rates = np.array([values[f"J{k}.angle_rate"] for k in JOINTS])
    efforts = stiffness * (goal(t) - angles) - damping * rates
    return {f"tau{k}": efforts[k - 1] for k in JOINTS}


reads = tuple(f"J{k}.{what}" for k in JOINTS for what in ("angle", "angle_rate"))
controller = bc.Sampled(law, every=0.01, reads=reads)
run = bc.simulate(
    machine,
    until=6.0,
    start={f"J{k}": home[k - 1] for k in JOINTS},
    inputs={f"tau{k}": controller for k in JOINTS},
)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    for k in JOINTS:
        (line,) = left.plot(run.t, run.values(f"J{k}.angle"), label=f"J{k}", lw=1.2)
        left.axhline(target[k - 1], color=line.get_color(), ls=":", lw=0.8)
        right.step(
            run.t, run.values(f"motor{k}.effort"), where="post", lw=1, color=line.get_color()
        )
    left.set(
        xlim=(0, 4),
        ylim=(-1.75, 1.1),
        xlabel="time [s]",
        ylabel="angle [rad]",
        title="angles and their targets",
    )
    left.legend(frameon=False, ncols=4, fontsize=8, loc="lower center")
    right.set(
        xlim=(0, 4), xlabel="time [s]", ylabel="torque [N m]", title="motors, held for 10 ms"
    )
    figure.savefig(Path(sys.argv[1]) / "arm.png", dpi=150)

# The law: at rest the motors carry the weight, no more and no less.
q_end = np.array([run.values(name)[-1] for name in system.coordinates])
off = {f"tau{k}": 0.0 for k in JOINTS}
weight = system.inverse_dynamics(q_end, np.zeros(7), np.zeros(7), inputs=off)
held = np.array([run.values(f"motor{k}.effort")[-1] for k in JOINTS])
print("motors hold", np.round(held, 3), "N m")
assert max(abs(run.values(f"J{k}.angle_rate")[-1]) for k in JOINTS) < 1e-6
np.testing.assert_allclose(held, weight, atol=1e-4)
