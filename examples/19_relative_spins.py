"""Two bodies, one on the other by a ball joint: angular accelerations from relative speeds.

B₁ turns against the ground, B₂ against B₁. With the relative angular velocity ω̂ as speeds the
angular acceleration of B₂ has two boxed forms, in fixed and in body components; both are the
rate of its angular velocity, and both give the motion that joint coordinates give.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

machine = bc.Model(
    "two bodies on ball joints",
    bodies=[
        bc.Body("B1", mass=2, com=(0, 0, -0.3), inertia=(0.08, 0.06, 0.03, 0, 0, 0)),
        bc.Body("B2", mass=1, com=(0.2, 0, -0.6), inertia=(0.02, 0.05, 0.04, 0, 0, 0)),
    ],
    joints=[
        bc.Spherical("lower", "ground", "B1", at=(0, 0, 0)),
        bc.Spherical("upper", "B1", "B2", at=(0, 0, -0.6)),
    ],
)
start = {"lower.angular_velocity": (0.5, 1, 2), "upper.angular_velocity": (-1, 0.3, 3)}
runs = {
    name: bc.simulate(machine, 1.0, start=start, formulation=method, rtol=1e-10, every=0.05)
    for name, method in {
        "joint coordinates": bc.JointCoordinates(),
        "relative, fixed": bc.Kane("relative fixed"),
        "relative, body": bc.Kane("relative body"),
    }.items()
}

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 3.5), layout="constrained")
    run = runs["relative, fixed"]
    panel.plot(run.t, run.values("B2.angular_velocity"))
    panel.set(xlabel="time [s]", ylabel="angular velocity of B2 [rad/s]", title=machine.name)
    figure.savefig(Path(sys.argv[1]) / "relative_spins.png", dpi=150)

# The laws: one motion whatever the speeds, and energy kept.
reference = runs["joint coordinates"].values("B2.position")
for name, run in runs.items():
    gap = np.max(np.abs(run.values("B2.position") - reference))
    print(f"{name}: {gap:.1e} m beside joint coordinates")
    assert gap < 1e-7
    assert np.ptp(run.values("energy")) < 1e-7

# The boxes: α of B₂ in fixed components is R₂ᵀ times that in body components.
speeds = bc.Kane("relative fixed")
kane = bc.equations(machine, speeds)
u, rates = np.linspace(0.3, 1.4, 12), np.linspace(-1.0, 1.0, 12)
q = np.array(kane.drawing({}))
q[:8] = np.concatenate([np.array([1, 2, 3, 4]) / 30**0.5, np.array([2, -1, 0, 2]) / 3])
fixed = kane.angular_acceleration_fixed["B2"](q, u, rates)
body = kane.angular_acceleration_body["B2"](q, u, rates)
R2 = kane.rotation_matrix["B2"](q)
np.testing.assert_allclose(R2 @ fixed, body, atol=1e-12)

# The worksheet writes both, body by body.
text = bc.derive(machine, formulation=speeds, scalars=False).markdown()
assert "Relative angular velocities and accelerations" in text
