"""Six bodies, tied by nothing, written as a tree: L(K) = (0, 1, 2, 2, 1, 5).

The classic example of the body-connection array. Each body has three translations and three
rotations relative to its lower body, 36 speeds in all. Because nothing holds anything, the
truth is simple: every mass centre accelerates as its own force says, however entangled the
coordinates are.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

L = (0, 1, 2, 2, 1, 5)
BODIES = range(1, 7)

# Where each body is attached to its lower body, and its mass centre from its own origin [m].
attachment = {K: np.array([0.3, 0.1 * K, -0.2]) if K > 1 else np.zeros(3) for K in BODIES}
centre = {K: np.array([0.1 * K, -0.05 * K, 0.02 * K]) for K in BODIES}

# The drawing: all frames along the world, every origin on its attachment point.
origin = {0: np.zeros(3)}
for K in BODIES:
    origin[K] = np.round(origin[L[K - 1]] + attachment[K], 12)


def name(K: int) -> str:
    """Return the name of body K."""
    return f"body{K}" if K else "ground"


machine = bc.Model(
    "six bodies",
    bodies=[
        bc.Body(
            name(K),
            mass=K,
            com=np.round(origin[K] + centre[K], 12),
            inertia=(K, K + 1, K + 2, 0, 0, 0),
            pose=bc.Pose(origin[K]),
        )
        for K in BODIES
    ],
    joints=[bc.Free(f"F{K}", name(L[K - 1]), name(K), at=origin[K]) for K in BODIES],
    forces=[
        bc.Torque(f"M{K}", name(K), (round(0.1 * K, 12), 0, -0.2), frame="body") for K in BODIES
    ],
)


# The start is given in absolute attitudes and rates; a free joint wants relative ones.
def rotation(p: np.ndarray) -> np.ndarray:
    """Return R_WB of Euler parameters, scalar first."""
    e0, e = p[0], p[1:]
    cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (e0**2 - e @ e) * np.eye(3) + 2 * np.outer(e, e) + 2 * e0 * cross


def from_lower(p: np.ndarray, r: np.ndarray) -> np.ndarray:
    """Return the attitude of r relative to p, both relative to the world."""
    return np.array([p @ r, *(p[0] * r[1:] - r[0] * p[1:] - np.cross(p[1:], r[1:]))])


attitude = {0: np.array([1.0, 0, 0, 0])} | {
    K: np.array([5.0, 1, K, 2]) / np.sqrt(30 + K**2) for K in BODIES
}
spin = {0: np.zeros(3)} | {K: np.array([0.1 * K, -0.2, 0.3 / K]) for K in BODIES}
start: dict[str, tuple[float, ...]] = {}
for K in BODIES:
    R_KL = rotation(attitude[K]).T @ rotation(attitude[L[K - 1]])
    start[f"F{K}.position"] = (0.05 * K, 0.02, -0.01 * K)
    start[f"F{K}.velocity"] = (0.01 * K, -0.02 * K, 0.03)
    start[f"F{K}.orientation"] = tuple(from_lower(attitude[L[K - 1]], attitude[K]))
    start[f"F{K}.angular_velocity"] = tuple(spin[K] - R_KL @ spin[L[K - 1]])

run = bc.simulate(machine, until=0.5, start=start)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(6, 5), layout="constrained")
    space = figure.add_subplot(projection="3d")
    for K in BODIES:
        x, y, z = run.values(f"{name(K)}.position").T
        space.plot(x, y, z, lw=1.5, label=f"body {K}, L = {L[K - 1]}")
        space.scatter(x[0], y[0], z[0], s=15)
    space.set(xlabel="x [m]", ylabel="y [m]", zlabel="z [m]", title="six mass centres falling")
    space.legend(frameon=False, fontsize=8, loc="upper left")
    figure.savefig(Path(sys.argv[1]) / "six_bodies.png", dpi=150)

# The laws: the numbers of this example as they are known, and every centre on its parabola.
first = {quantity: run.values(quantity)[0] for quantity in run.names}
np.testing.assert_allclose(first["kinetic_energy"], 4.35735897363417, rtol=1e-11)
np.testing.assert_allclose(
    first["body6.position"], (-0.367530791789, 1.660058651026, -0.95535483871), atol=1e-11
)
np.testing.assert_allclose(
    first["body6.velocity"], (0.394527038123, 0.073409970674, 0.229604222874), atol=1e-11
)
np.testing.assert_allclose(
    first["F6.acceleration"], (0.08859261708, 0.192394241637, -0.02648727194), atol=1e-10
)
np.testing.assert_allclose(
    first["body1.angular_acceleration_body"], (0.16, 0.03, -0.06), atol=1e-11
)
t = run.t[:, None]
for K in BODIES:
    straight = first[f"{name(K)}.position"] + first[f"{name(K)}.velocity"] * t
    fallen = straight + np.array([0, 0, -9.81]) * t**2 / 2
    np.testing.assert_allclose(run.values(f"{name(K)}.position"), fallen, atol=1e-9)
print("every mass centre is on its parabola")
