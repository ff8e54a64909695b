"""A ball on a turntable, with generalized speeds of one's own choice and b0 in its rows.

Rolling on a table that turns at Ω restricts the speeds: b u + b0 = 0 with b0 = ∓Ω y, Ω x. The
centre describes a circle at 2Ω/7, whatever the radius of the ball. The same motion comes out
with angular velocities along the body, along the inertial frame, and by partial velocities.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

R, RATE = 0.2, 3.0
AT = (1, 0, R)
machine = bc.Model(
    "ball on a turntable",
    bodies=[bc.Body("ball", bc.Sphere(R, center=AT, mass=2))],
    joints=[bc.Free("F", "ground", "ball", at=AT)],
    constraints=[
        bc.PointOnPlane("height", ("ball", AT), "ground", AT, "z"),
        bc.VelocityConstraint(
            "along x", {"ball.velocity_x": 1, "ball.angular_velocity_y": -R},
            equals="-3*ball.position_y",
        ),
        bc.VelocityConstraint(
            "along y", {"ball.velocity_y": 1, "ball.angular_velocity_x": R},
            equals="3*ball.position_x",
        ),
    ],
)  # fmt: skip

period = 7 * np.pi / RATE
run = bc.simulate(machine, until=period, start={"F.velocity": (0.3, 0.2, 0)}, rtol=1e-11)
place = run.values("ball.position")

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(5, 5), layout="constrained")
    panel.plot(place[:, 0], place[:, 1])
    panel.set(xlabel="x [m]", ylabel="y [m]", title=machine.name, aspect="equal")
    figure.savefig(Path(sys.argv[1]) / "turntable.png", dpi=150)

# The law: it comes back after 7π/Ω.
print(f"after {period:.6f} s it is {np.linalg.norm(place[-1] - place[0]):.1e} m from its start")
np.testing.assert_allclose(place[-1], place[0], atol=1e-8)

# The same velocity and acceleration in three choices of speeds, u = Y q̇ + z, after elimination
# of the dependent ones: u_D = B′ u_I + b0′ with b0′ ≠ 0. As drawn, body axes are the world's.
u = np.array([(RATE * AT[0] - 0.2) / R, 0.3 / R, 0, 0.3, 0.2, 0])  # ω, then the velocity
accelerations = []
for speeds in ("absolute body", "absolute fixed", bc.AngleRates("123")):
    kane = bc.equations(machine, bc.Kane(speeds))
    q = np.array(kane.drawing({}))
    reduced = kane.elimination(q, u)
    assert len(reduced.independent) == 3
    assert np.max(np.abs(reduced.c)) > 1.0  # the table moves what stands still
    names = [speed.name for speed in kane.speeds]
    independent = [u[names.index(name)] for name in reduced.independent]
    v, rest = reduced.partial_velocity("ball")
    np.testing.assert_allclose(v @ independent + rest, (0.3, 0.2, 0), atol=1e-12)
    accelerations.append(reduced.accelerations()[3:])
# The centre goes round at 2Ω/7, so that a = 2Ω/7 n × v.
for acceleration in accelerations:
    turned = 2 * RATE / 7 * np.array([-0.2, 0.3, 0.0])
    np.testing.assert_allclose(acceleration, turned, atol=1e-12)

# Its worksheet, by the method of speeds.
sheet = bc.derive(machine, formulation=bc.Kane("absolute fixed"), scalars=False)
assert "Generalized speeds" in sheet.markdown()
