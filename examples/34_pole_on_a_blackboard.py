"""Kane's method on a blackboard: a pole on a cart with two coordinates and two speeds.

u1 is the speed of the cart, u2 that of the pole's tip along the pole's normal. The partial
velocities of both bodies, the generalized active forces F_r and the generalized inertia forces
F*_r are asked for by name, held against the formulas one writes by hand, and F_r + F*_r = 0
gives the accelerations. The worksheet shows the same line by line.

References:
    Kane, Levinson (1985), Dynamics: Theory and Applications, ch. 2 to 6.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

M, m, l, g = 1.3, 0.4, 0.9, 9.81
machine = bc.Model(
    "pole on a blackboard",
    planar=True,
    bodies=[
        bc.Body("cart", bc.Box((0.4, 0.2, 0.2), (0, 0), mass=M)),
        bc.Body("pole", bc.Rod((0, 0), (0, l), mass=m)),
    ],
    joints=[
        bc.Prismatic("rail", "ground", "cart", at=(0, 0), axis="x"),
        bc.Revolute("hinge", "cart", "pole", at=(0, 0)),
    ],
    forces=[bc.Force("push", "cart", vector=("3*sin(2*t)", 0, 0))],
    points=[bc.Point("tip", "pole", at=(0, l))],
)

# Speeds of one's choice: the tip moves across the pole by l θ̇ − ẋ cos θ, θ being leftwards.
speeds = {
    "u1": "rail.offset_rate",
    "u2": f"{l}*hinge.angle_rate - rail.offset_rate*cos(hinge.angle)",
}
kane = bc.JointCoordinates(speeds=speeds)
equations = bc.equations(machine, kane)
q, u, t = np.array([0.2, 0.5]), np.array([0.7, -1.1]), 0.3
c, s = np.cos(q[1]), np.sin(q[1])

# By hand: q̇ = W u, θ̇ = (u2 + u1 cos θ)/l.
W = np.array([[1, 0], [c / l, 1 / l]])
np.testing.assert_allclose(equations.kinematics_matrix(q), W, atol=1e-14)
theta = W[1] @ u

# Partial velocities: the centre of the pole is at (x − l/2 sin θ, l/2 cos θ).
by_rates = np.array([[1, -l / 2 * c], [0, -l / 2 * s], [0, 0]])
np.testing.assert_allclose(equations.partial_velocity["pole"](q), by_rates @ W, atol=1e-14)
np.testing.assert_allclose(equations.partial_velocity["cart"](q), [[1, 0], [0, 0], [0, 0]])

# Generalized active forces: weight of the pole, push on the cart.
weight, push = np.array([0, -m * g, 0]), 3 * np.sin(2 * t)
active = (by_rates @ W).T @ weight + np.array([push, 0])
np.testing.assert_allclose(equations.generalized_active_force(q, u, t), active, atol=1e-13)

# Generalized inertia forces, and the accelerations that make both add up to zero.
system = bc.compile(machine, kane)
ud = system.accelerations(q, u, t=t)
inertia = equations.generalized_inertia_force(q, u, ud, t)
np.testing.assert_allclose(active + inertia, 0, atol=1e-12)

# By Lagrange's equations of x and θ, as everybody knows them.
A = np.array([[M + m, -m * l / 2 * c], [-m * l / 2 * c, m * l**2 / 3]])
f = np.array([push - m * l / 2 * s * theta**2, m * g * l / 2 * s])
known = np.linalg.solve(A, f)
rates = np.array([ud[0], (ud[1] + ud[0] * c - u[0] * s * theta) / l])
np.testing.assert_allclose(rates, known, atol=1e-12)

# The motion is the same, and the speeds are names in it.
start = {"hinge": 0.1, "u2": 0.5}
run = bc.simulate(machine, 3.0, start=start, formulation=kane)
same = bc.simulate(machine, 3.0, start={"hinge": 0.1, "hinge.angle_rate": 0.5 / l})
np.testing.assert_allclose(run.values("tip.position"), same.values("tip.position"), atol=1e-7)
turned = run.values("hinge.angle")
across = l * run.values("hinge.angle_rate") - run.values("rail.offset_rate") * np.cos(turned)
np.testing.assert_allclose(run.values("u2"), across, atol=1e-12)

# Its worksheet.
page = bc.derive(machine, formulation=kane).markdown()
assert "Kane’s equations" in page
assert "F_{u_{1}}" in page
print("F_r + F*_r = 0 in two speeds")

if len(sys.argv) > 1:
    run.plot("u1", "u2", "hinge.angle").savefig(
        Path(sys.argv[1]) / "pole_on_a_blackboard.png", dpi=150
    )
