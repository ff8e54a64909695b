"""A pole on a cart, held upright by a linear-quadratic regulator.

`bc.linearize` gives A and B at the upright equilibrium; SciPy solves Riccati's equation; the
gains are an expression that drives the nonlinear machine from 0.4 rad off.
"""

import sys
from pathlib import Path

import numpy as np
from scipy.linalg import solve_continuous_are

import bellcrank as bc

machine = bc.Model(
    "cart-pole",
    planar=True,
    bodies=[
        bc.Body("cart", bc.Box((0.4, 0.2, 0.2), (0, 0), mass=1.0)),
        bc.Body("pole", bc.Rod((0, 0), (0, 1), mass=0.3)),
    ],
    joints=[
        bc.Prismatic("rail", "ground", "cart", at=(0, 0), axis="x"),
        bc.Revolute("hinge", "cart", "pole", at=(0, 0)),
    ],
    forces=[bc.Motor("motor", "rail", bc.Input("push"))],
)
rest = bc.equilibrium(machine)
assert rest.stable is False
linear = rest.linear
assert linear.states == ("rail.offset", "hinge.angle", "rail.offset_rate", "hinge.angle_rate")
A, B = linear.matrix("A"), linear.matrix("B")
S = solve_continuous_are(A, B, np.diag([10.0, 10.0, 1.0, 1.0]), [[0.1]])
gains = (10.0 * B.T @ S)[0]
assert np.linalg.eigvals(A - B @ gains[None]).real.max() < -0.5
law = " - ".join([
    "0",
    *(f"{g!r} * {name}" for g, name in zip(gains.tolist(), linear.states, strict=True)),
])
run = bc.simulate(machine, until=8.0, start={"hinge": 0.4}, inputs={"push": law})
assert abs(run.final["hinge.angle"]) < 1e-3
assert abs(run.final["rail.offset"]) < 1e-2

if len(sys.argv) > 1:
    run.plot("rail.offset", "hinge.angle").savefig(Path(sys.argv[1]) / "cart_pole.png", dpi=150)
