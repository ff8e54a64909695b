"""Three bodies with five freedoms, by Euler parameters: from the rows Φ to independent v.

A revolute, a universal and a cylindrical joint in a row, gravity, a spring-damper-actuator
between points (TSDA) and one about a hinge (RSDA). The script goes the way of the textbook:
Φ_q q̈ = γ, the variational equations, M q̈ + Φ_qᵀλ = S + Q^A with norms of Euler parameters,
multipliers and Q^C, and the tangent space q = q0 + V v − U h(v), in whose five coordinates the
same accelerations come out.

References:
    Haug (2021), Computer-Aided Kinematics and Dynamics of Mechanical Systems, ch. 4.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

P1, P2, P3 = (0, 0, 0), (0.6, 0.1, -0.2), (1.1, 0.3, 0.1)
machine = bc.Model(
    "five freedoms",
    bodies=[
        bc.Body(
            "arm", mass=1.5, com=(0.3, 0.1, -0.1), inertia=(0.1, 0.12, 0.14, 0.01, 0, 0.02)
        ),
        bc.Body("cross", mass=1.0, com=(0.8, 0.2, 0), inertia=(0.05, 0.06, 0.08, 0, 0.01, 0)),
        bc.Body("ram", mass=0.8, com=(1.3, 0.4, 0.3), inertia=(0.03, 0.05, 0.04, 0, 0, -0.005)),
    ],
    joints=[
        bc.Revolute("R", "ground", "arm", at=P1, axis=(0, 0.6, 0.8)),
        bc.Universal("U", "arm", "cross", at=P2, axis1="x", axis2="y"),
        bc.Cylindrical("C", "cross", "ram", at=P3, axis=(0.6, 0, 0.8)),
    ],
    forces=[
        bc.SpringDamper("tsda", ("ground", (1, 1, 0.5)), ("ram", (1.4, 0.2, 0.2)),
                        stiffness=30, damping=2, length=0.5),
        bc.JointSpring("rsda", "R", stiffness=7, damping=0.5, rest=0.2),
    ],
)  # fmt: skip
START = {
    "R.angle": 0.4, "U.angle1": -0.3, "U.angle2": 0.5, "C.angle": 0.9, "C.offset": 0.2,
    "R.angle_rate": 1.1, "U.angle1_rate": -0.7, "U.angle2_rate": 0.4, "C.angle_rate": -1.5,
    "C.offset_rate": 0.6,
}  # fmt: skip

# Bodies and coordinates: r and p of each body, 21 numbers; 13 rows of joints and 3 norms.
form = bc.Cartesian("euler")
equations = bc.equations(machine, form)
system = bc.compile(machine, form)
q, qd = system.pack(START)
print(f"{len(q)} coordinates, {len(equations.rows)} rows")
for row in equations.rows[:5]:
    print("  ", row.name)

# Φ = 0, Φ_q q̇ = 0, Φ_q q̈ = γ.
Phi_q, gamma = equations.constraint_matrix(q, qd), equations.acceleration_right_side(q, qd)
assert np.abs(equations.constraint_residual(q)).max() < 1e-12
assert np.abs(Phi_q @ qd).max() < 1e-12

# M, S and Q^A, element by element.
M, S = equations.mass_matrix(q, qd), equations.velocity_quadratic(q, qd)
QA = sum(force(q, qd) for force in equations.element_force.values())
np.testing.assert_allclose(equations.force(q, qd), S + QA, atol=1e-9)

# The boxed system: accelerations and multipliers at once. M alone is singular.
m = len(Phi_q)
box = np.block([[M, Phi_q.T], [Phi_q, np.zeros((m, m))]])
qdd, lam = np.split(np.linalg.solve(box, np.concatenate([S + QA, gamma])), [len(q)])
assert np.linalg.matrix_rank(M) < len(q)

# Q^C = −Φ_qᵀλ, joint by joint; virtual displacements feel nothing of it.
QC = sum(
    equations.constraint_force[owner](
        q, qd, [lam[i] for i, row in enumerate(equations.rows) if row.owner == owner]
    )
    for owner in equations.constraint_force
)
np.testing.assert_allclose(M @ qdd, S + QA + QC, atol=1e-9)

# Independent coordinates at q0 = q: V, U, B and D = Ψ_v; (DᵀMD) v̈ = Dᵀ(Q^A + S − M U B γ).
there = system.constraints.at(q)
D, bent = there.Psi_v(q), there.bending(q, qd)
vdd = np.linalg.solve(D.T @ M @ D, D.T @ (S + QA - M @ bent))
print(f"v has {there.V.shape[1]} entries; |Dᵀ Q^C| = {np.abs(D.T @ QC).max():.1e}")
assert there.V.shape[1] == 5
np.testing.assert_allclose(D @ vdd + bent, qdd, atol=1e-9)
assert np.abs(D.T @ QC).max() < 1e-9

# The motion: in independent coordinates, and in joint coordinates, which have no rows.
tight = {"start": START, "rtol": 1e-10, "every": 0.01}
run = bc.simulate(machine, 1.0, formulation=form, constraints="independent", **tight)
tree = bc.simulate(machine, 1.0, **tight)
np.testing.assert_allclose(run.values("ram.position"), tree.values("ram.position"), atol=1e-7)
assert run.values("constraint_residual").max() < 1e-12

# Reactions follow from λ: the force of R on the arm is that of its rows.
state = bc.assemble(machine, START, formulation=form)
np.testing.assert_allclose(
    np.linalg.norm(state["R.reaction_force"]),
    np.linalg.norm([state[f"R.multiplier_{axis}"] for axis in "xyz"]),
    rtol=1e-9,
)
page = bc.derive(machine, formulation=form, scalars=False).markdown()
assert "tsda" in page

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, figsize=(6, 5), sharex=True, layout="constrained")
    axes[0].plot(run.t, run.values("ram.position"), label=["x", "y", "z"])
    axes[0].set(ylabel="ram [m]", title="five freedoms")
    axes[0].legend(frameon=False, ncols=3)
    axes[1].semilogy(run.t, run.values("constraint_residual") + 1e-18)
    axes[1].set(xlabel="t [s]", ylabel="|Φ|")
    figure.savefig(Path(sys.argv[1]) / "five_freedoms.png", dpi=150)
