"""A spherical pendulum: a bob on a ball joint, swinging and turning at once.

A body hung from a ball joint with no spin about its own axis moves like a point mass on a
thread of length l = I / (m d): I its inertia across the axis, about the joint, d the distance
of its mass centre. Here d = 0.8 m and I = 0.8 kg m², so l = 1 m, and where it is after ten
seconds is known.

Orientation is kept by Euler parameters; no direction of swing is special.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

# The explicit mass, centre and inertia decide; the shapes are there to be seen.
machine = bc.Model(
    "spherical pendulum",
    bodies=[
        bc.Body(
            "bob",
            bc.Rod((0, 0, 0), (0, 0, -0.8), mass=0.0),
            bc.Sphere(0.1, (0, 0, -0.8), mass=1.0),
            mass=1.0,
            com=(0, 0, -0.8),
            inertia=(0.16, 0.16, 0.05, 0, 0, 0),
        )
    ],
    joints=[bc.Spherical("hook", "ground", "bob", at=(0, 0, 0))],
    points=[bc.Point("end", "bob", at=(0, 0, -1))],
)

# Sixty degrees from straight down towards +x, which is a turn of -60 degrees about y, ...
tilt = np.radians(60)
# ... and an azimuth rate of 2 rad/s about the vertical, less its part along the pendulum.
rate = 2.0
run = bc.simulate(
    machine,
    until=10.0,
    start={
        "hook.orientation": (np.cos(tilt / 2), 0, -np.sin(tilt / 2), 0),
        "hook.angular_velocity": (rate * np.sin(tilt), 0, 0),
    },
    rtol=1e-11,
    atol=1e-13,
)
end = run.values("end.position")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 4), layout="constrained")
    left.plot(end[:, 0], end[:, 1], lw=1)
    left.set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="seen from above")
    right.plot(run.t, np.degrees(np.arccos(-end[:, 2])), lw=1)
    for limit in (0.478693674695139, 1.0471975511966):
        right.axhline(np.degrees(limit), color="0.6", ls="--", lw=1)
    right.set(xlabel="time [s]", ylabel="angle from straight down [°]", title="turning points")
    figure.savefig(Path(sys.argv[1]) / "spherical_pendulum.png", dpi=150)

# The law: between two turning angles that follow from energy and angular momentum, and at
# t = 10 s where the elliptic integral says.
angle = np.arccos(-end[:, 2])
print(f"swings between {angle.min():.6f} and {angle.max():.6f} rad")
assert 0.478693674695139 - 1e-8 < angle.min() < 0.4788
assert abs(angle.max() - 1.0471975511966) < 1e-8
np.testing.assert_allclose(
    end[-1], (-0.6055031954989518, -0.38289454371986026, -0.6976801907966989), atol=1e-8
)
