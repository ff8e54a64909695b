"""The chains as our models."""

import bellcrank as bc
from benchmarks.machines import GRAVITY, Chain


def model(machine: Chain) -> bc.Model:
    """Return our model of a chain; joints are `J1`, `J2`, …, the free end is `tip`."""
    n, L = machine.joints, machine.length
    ends = [(0.0, 0.0, -L * k) for k in range(n + 1)]
    names = ["ground", *(f"rod{k}" for k in range(1, n + 1))]
    bodies = [
        bc.Body(names[k + 1], bc.Rod(ends[k], ends[k + 1], mass=machine.mass)) for k in range(n)
    ]
    joints = [
        bc.Revolute(f"J{k + 1}", names[k], names[k + 1], at=ends[k], axis=axis)
        for k, axis in enumerate(machine.axes)
    ]
    dampers = [
        bc.JointSpring(f"D{k}", f"J{k}", damping=machine.damping) for k in range(1, n + 1)
    ]
    return bc.Model(
        machine.name,
        bodies=bodies,
        joints=joints,
        forces=dampers if machine.damping else (),
        points=[bc.Point("tip", names[n], at=ends[n])],
        gravity=(0.0, 0.0, -GRAVITY),
    )
