"""Andrews' squeezing mechanism: seven bodies, three loops, accelerations of 1e5 rad/s².

Every body is drawn at angle zero, where its table of lengths has it; at E four of them meet,
and in the drawing they do not. The seven angles of the start are those of the published test.
"""

import sys
from pathlib import Path

import numpy as np

import bellcrank as bc

O, A, B, C = (0, 0), (-0.06934, -0.00227), (-0.03635, 0.03273), (0.014, 0.072)
F, D, G, H = (0.007, 0), (-0.01635, 0.01473), (-0.02934, -0.00227), (-0.06934, -0.04227)
E = {"FE": (-0.021, 0), "BE": (-0.03635, -0.00227), "GE": (-0.02934, -0.02227),
     "HE": (-0.04934, -0.04227)}  # fmt: skip
MASSES = {  # mass, inertia, mass centre
    "OF": (0.04325, 2.194e-6, (0.00092, 0)),
    "FE": (0.00365, 4.410e-7, (-0.0045, 0)),
    "BE": (0.02373, 5.255e-6, (-0.02592, 0.01399)),
    "GE": (0.00706, 5.667e-7, (-0.02934, -0.00806)),
    "AG": (0.07050, 1.169e-5, (-0.04626, -0.01143)),
    "HE": (0.00706, 5.667e-7, (-0.06355, -0.04227)),
    "AH": (0.05498, 1.912e-5, (-0.06485, -0.01455)),
}
machine = bc.Model(
    "Andrews' squeezing mechanism",
    planar=True,
    gravity=(0, 0),
    bodies=[
        bc.Body(name, mass=m, com=com, inertia=(J, J, J, 0, 0, 0))
        for name, (m, J, com) in MASSES.items()
    ],
    joints=[
        bc.Revolute("beta", "ground", "OF", at=O),
        bc.Revolute("theta", "OF", "FE", at=F),
        bc.Revolute("gamma", "ground", "BE", at=B),
        bc.Revolute("delta", "ground", "AG", at=A),
        bc.Revolute("phi", "AG", "GE", at=G),
        bc.Revolute("epsilon", "ground", "AH", at=A),
        bc.Revolute("omega", "AH", "HE", at=H),
        *(
            bc.Revolute(f"E{i}", "FE", other, at={"FE": E["FE"], other: E[other]})
            for i, other in ((3, "BE"), (4, "GE"), (6, "HE"))
        ),
    ],
    forces=[
        bc.SpringDamper("spring", ("ground", C), ("BE", D), stiffness=4530, length=0.07785),
        bc.Torque("motor", "OF", (0, 0, 0.033)),
    ],
)
start = {
    "beta": -0.06171389001427645,
    "theta": 0.0,
    "gamma": 0.45527981916307038,
    "phi": 0.22266839016588588,
    "delta": 0.48736497954384255,
    "omega": -0.22266839016588588,
    "epsilon": 1.23054744454982119,
}
run = bc.simulate(machine, until=0.03, start=start, rtol=1e-10)

if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, panel = plt.subplots(figsize=(7, 4), layout="constrained")
    for name in start:
        angle = np.asarray(run.values(f"{name}.angle"))
        panel.plot(1e3 * run.t, np.angle(np.exp(1j * angle)), ".", ms=2, label=name)
    panel.set(xlabel="time [ms]", ylabel="angle [rad]", title=machine.name)
    panel.legend(frameon=False, ncols=4, loc="upper center", bbox_to_anchor=(0.5, -0.15))
    figure.savefig(Path(sys.argv[1]) / "andrews.png", dpi=150)

# The laws: the published crank angle, force of the first loop, and the motor's work.
beta, force = run.values("beta.angle"), run.values("E3.reaction_force")[-1]
print(f"beta {beta[-1]:.9f} rad, force at E ({force[0]:.4f}, {force[1]:.4f}) N")
assert abs(beta[-1] - 15.81077119629904) < 1e-6
np.testing.assert_allclose(force[:2], [199.1753333731910, -29.75531228015052], rtol=1e-4)
work = 0.033 * (beta - beta[0])
np.testing.assert_allclose(run.values("energy") - run.values("energy")[0], work, atol=1e-8)
