"""Six bodies on ball joints in Kane's form: L(K) = (0, 1, 2, 2, 1, 5), dependent speeds gone.

Nothing is tied at first: 36 generalized speeds, ω′ and ṡ′ of each body. The five ball joints
say that ṡ′ is zero for all bodies but the first, which leaves 21 independent speeds. The same
fall is then computed in joint coordinates and with two choices of generalized speeds.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

L = (0, 1, 2, 2, 1, 5)
BODIES = range(1, 7)
POINTS = {1: (0, 0, 0), 2: (0.6, 0, 0), 3: (1.2, 0.4, 0), 4: (1.2, -0.4, 0), 5: (-0.6, 0, 0),
          6: (-1.2, 0, 0.3)}  # fmt: skip
ENDS = {1: (0.6, 0, 0), 2: (1.2, 0, 0), 3: (1.8, 0.6, 0), 4: (1.8, -0.6, 0), 5: (-1.2, 0, 0.3),
        6: (-1.8, 0, 0.3)}  # fmt: skip


def name(K: int) -> str:
    """Return the name of body K."""
    return f"body {K}" if K else "ground"


def joint(K: int) -> bc.Free | bc.Spherical:
    """Return what ties body K to its lower body: a ball joint; nothing for the first."""
    kind = bc.Spherical if L[K - 1] else bc.Free
    return kind(f"J{K}", name(L[K - 1]), name(K), at=POINTS[K])


machine = bc.Model(
    "six bodies on ball joints",
    bodies=[
        bc.Body(name(K), bc.Capsule(POINTS[K], ENDS[K], radius=0.05, mass=K)) for K in BODIES
    ],
    joints=[joint(K) for K in BODIES],
    forces=[bc.Torque("twist", "body 1", ("2*cos(3*t)", 0, 1.5))],
)

# Kane's matrices by name.
equations = bc.equations(machine, bc.Kane())
print(equations.numbering)
x = np.array(equations.drawing({}))
print(f"x has {len(x)} entries, y has {len(equations.speeds)}")
with np.printoptions(precision=3, suppress=True, linewidth=120):
    print("[v_3,y] in the drawing, its first two blocks:")
    print(equations.partial_velocity["body 3"](x)[:, :6] + 0.0)

# Dependent speeds eliminated, at a state that moves.
y = np.zeros(36)
y[:18] = np.tile((0.3, -0.2, 0.5), 6)
reduced = equations.elimination(x, y)
print(f"{len(reduced.independent)} of 36 speeds are independent")

# The same motion with other speeds and coordinates.
start = {"J1.angular_velocity": (0.3, 1.0, 0.2), "J3.angular_velocity": (0, 2.0, 1.0)}
choices = {
    "joint coordinates": bc.JointCoordinates(),
    "ω′ and Euler parameters": bc.Kane(),
    "rates of 3-2-1 angles": bc.Kane(bc.AngleRates("321")),
}
runs = {
    words: bc.simulate(machine, until=0.5, start=start, formulation=choice, every=0.01)
    for words, choice in choices.items()
}

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
    for (words, run), style in zip(runs.items(), ("-", "--", ":"), strict=True):
        axes.plot(run.t, run.values("body 6.position")[:, 2], style, label=words)
    axes.set(
        xlabel="t [s]", ylabel="z of body 6 [m]", title="one machine, three sets of speeds"
    )
    axes.legend(frameon=False, fontsize=8)
    figure.savefig(Path(sys.argv[1]) / "kane_six_bodies.png", dpi=150)

# The laws: Kane's sums, the constraints, and one motion whatever the speeds.
assert equations.lower_bodies == L
assert equations.lower_body_counts == (0, 1, 2, 2, 1, 2)
assert len(reduced.independent) == 21
u = reduced.T @ np.linspace(-1, 1, 21) + reduced.c
assert np.abs(equations.constraint_matrix(x, y) @ u).max() < 1e-12
A = equations.mass_matrix(x, y)
v = equations.partial_velocity["body 6"](x, y)
np.testing.assert_allclose(v @ y, equations.velocities["body 6"](x, y), atol=1e-14)
np.testing.assert_allclose(A, A.T, atol=1e-12)
reference = runs["joint coordinates"]
for words, run in runs.items():
    for K in BODIES:
        wanted = reference.values(f"{name(K)}.position")
        np.testing.assert_allclose(
            run.values(f"{name(K)}.position"), wanted, atol=1e-7, err_msg=words
        )
print("three sets of speeds, one motion")
