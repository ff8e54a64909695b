"""Laws of mechanics that every formulation must obey by itself."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from bellcrank.errors import BellcrankError
from bellcrank.integrators import RK4
from bellcrank.machine.system import System
from bellcrank.model import (
    Body,
    Constraint,
    ForceElement,
    Joint,
    Model,
    Point,
    mass_properties,
)
from bellcrank.model.algebra import nominal
from bellcrank.results import Result
from bellcrank.results.audit import power_of_relations

Rerun = Callable[..., Result]
"""Simulates the machine in one formulation; keyword arguments of `simulate`."""

BOUNDS = {
    "power balance": 1e-9, "energy balance": 1e-9, "virtual power": 1e-9,
    "energy": 1e-6, "momentum": 1e-7, "residual": 1e-9, "order": 3.0,
}  # fmt: skip
"""What passes: at most so much of each, but at least this order."""


@dataclass(frozen=True, slots=True)
class Audit:
    """One law, and how well it is kept.

    Attributes:
        law: Its name, one of `BOUNDS`.
        value: The relative error, or the observed order of convergence; None where the law
            says nothing about this machine.
        note: Where it is worst, or why there is no value.
    """

    law: str
    value: float | None
    note: str = ""

    @property
    def passes(self) -> bool:
        """Whether the law is kept, or does not apply."""
        if self.value is None:
            return True
        if self.law == "order":
            return self.value >= BOUNDS["order"]
        return self.value <= BOUNDS[self.law]


REST = 1e-3  # of the power that applied forces could have: what moves less is at rest


def least_power(
    system: System, arguments: Sequence[np.ndarray], mass: float, length: float
) -> float:
    """Return the power below which a machine counts as at rest [W].

    Applied forces F could move masses m by lengths ℓ with F √(F ℓ/m). Where nothing can move,
    all powers are rounding, and so would be what they are measured against.

    Args:
        system: The machine.
        arguments: Of its slots.
        mass: Of all bodies [kg].
        length: Of the machine [m].
    """
    (wrench,) = system.kernel("applied", level=0)(*arguments)
    force = float(np.abs(wrench[:, 3:]).max(initial=0.0))
    return REST * force * (force * length / mass) ** 0.5 if mass > 0 else 0.0


def power_balances(
    system: System, arguments: Sequence[np.ndarray], ud: np.ndarray, least: float = 0.0
) -> list[Audit]:
    """Compare rates of energies with powers (X03).

        dT/dt = Σ (F·v + n·ω) + Σ τ ψ̇              of everything applied and of drivers,
                                                   relations of speeds included
        dE/dt = Σ P + Σ τ ψ̇                        of what is not conservative and of drivers

    The left sides are taken by differences of the energies along the motion, so that they use
    none of the formulas of the right sides.

    Args:
        system: The machine.
        arguments: Of its slots.
        ud: The accelerations there.
        least: The power below which it counts as at rest [W].
    """
    _, twist, _ = system.kernel("bodies", level=0)(*arguments, ud)
    (wrench,) = system.kernel("applied", level=0)(*arguments)
    seen = system.observe_arguments(arguments, ud) | system.reactions(arguments, ud)
    driven = sum(
        (seen[e] * _scalar(seen, speed) for e, (_, speed) in system.equations.efforts.items()),
        power_of_relations(system, arguments, seen.__getitem__),
    )
    each = (wrench * twist).reshape(len(wrench), -1)
    lost = np.zeros(len(wrench))
    if system.equations.elements:
        lost = system.kernel("power", level=0)(*arguments)[0].sum(axis=-1)
    kinetic, energy = _energy_rates(system, arguments, ud)
    size = np.abs(each).sum(axis=1) + np.abs(kinetic)
    # Where no force acts, what the motion itself could do in the time it takes to turn.
    size = size + seen["kinetic_energy"] * np.abs(twist).max(initial=1.0)
    sides = {"power balance": kinetic - each.sum(axis=1), "energy balance": energy - lost}
    return [
        _balanced(law, gap - driven, size + least, arguments[0]) for law, gap in sides.items()
    ]


def _scalar(seen: dict[str, np.ndarray], name: str) -> np.ndarray:
    """Return a channel, or the component of one that a suffix names."""
    if name in seen:
        return seen[name]
    whole, _, axis = name.rpartition("_")
    return seen[whole][..., "xyz".index(axis)]


def _balanced(law: str, gap: np.ndarray, size: np.ndarray, t: np.ndarray) -> Audit:
    gap = np.abs(gap) / max(float(size.max(initial=0.0)), 1e-300)
    worst = int(np.argmax(gap))
    return Audit(law, float(gap[worst]), f"at t = {float(t[worst, 0]):.4g} s")


def _energy_rates(
    system: System, arguments: Sequence[np.ndarray], ud: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return dT/dt and d(T + V)/dt by central differences along the motion."""
    t, q, u, *rest = arguments
    W, x = system.ask("kinematics", arguments)
    qd = (W @ u[..., None])[..., 0] + x if u.shape[-1] else x
    size = np.maximum(np.abs(qd).max(axis=-1, initial=0.0), 1.0)
    fast = np.maximum(size, np.sqrt(np.abs(ud).max(axis=-1, initial=0.0)))
    h = (2e-3 / fast)[:, None]

    def energies(steps: float) -> np.ndarray:
        moved = [t + steps * h, q + steps * h * qd, u + steps * h * ud, *rest]
        kinetic, potential, _ = system.kernel("energy", level=0)(*moved)
        return np.stack([kinetic[..., 0], kinetic[..., 0] + potential[..., 0]])

    near, far, farther = (energies(n) - energies(-n) for n in (1, 2, 3))
    rates = (45 * near - 9 * far + farther) / (60 * h[:, 0])
    return rates[0], rates[1]


def virtual_power(
    model: Model,
    system: System,
    arguments: Sequence[np.ndarray],
    ud: np.ndarray,
    least: float = 0.0,
) -> Audit:
    """Check that reactions of joints do no work: F·(v₂ − v₁) + T·(ω₂ − ω₁) = 0 at each."""
    pose, twist, _ = system.kernel("bodies", level=0)(*arguments, ud)
    if len(system.equations.bodies) == 1:
        pose, twist = pose[..., None], twist[..., None]
    seen = system.observe_arguments(arguments, ud) | system.reactions(arguments, ud)
    places = {name: i for i, name in enumerate(system.equations.bodies)}
    spin, fast = (float(np.abs(part).max(initial=0.0)) for part in np.split(twist, 2, axis=1))
    size, worst, where = float(seen["kinetic_energy"].max(initial=0.0)) * spin, 0.0, ""
    (wrench,) = system.kernel("applied", level=0)(*arguments)
    size += float(np.abs(wrench[:, 3:]).max(initial=0.0)) * fast + least
    for joint in model.joints:
        force, torque = (seen[f"{joint.name}.reaction_{part}"] for part in ("force", "torque"))
        at = _joint_point(model, joint, pose, places)
        (w1, v1), (w2, v2) = (
            _motion(body, at, pose, twist, places) for body in (joint.first, joint.second)
        )
        power = (force * (v2 - v1)).sum(-1) + (torque * (w2 - w1)).sum(-1)
        size = max(
            size,
            float(np.abs(force).max(initial=0.0)) * fast
            + float(np.abs(torque).max(initial=0.0)) * spin,
        )
        if np.abs(power).max(initial=0.0) >= worst:
            worst, where = float(np.abs(power).max(initial=0.0)), joint.name
    value = worst / size if size > 0 else 0.0
    return Audit("virtual power", value, f"of joint '{where}'" if where else "")


def _joint_point(
    model: Model, joint: Joint, pose: np.ndarray, places: dict[str, int]
) -> np.ndarray:
    """Return where a joint's point on its second body is, shape (n, 3)."""
    side, at = joint.second, numbers(joint.at_second)
    if side == "ground":
        return np.broadcast_to(at, (len(pose), 3))
    body = model[side]
    drawn = (
        np.array([numbers(row) for row in body.pose.rotation])
        if isinstance(body, Body)
        else np.eye(3)
    )
    arm = drawn.T @ (at - numbers(mass_properties(body).com))
    place = pose[:, :, places[side]]
    return place[:, :3] + _turned(place[:, 3:], arm)


def numbers(vector: Sequence[Any]) -> np.ndarray:
    """Return the nominal values of a vector of the model."""
    return np.array([nominal(entry) for entry in vector])


def _turned(e: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return v turned by Euler parameters, shape (n, 3)."""
    w, r = e[:, :1], e[:, 1:]
    return v + 2 * np.cross(r, np.cross(r, v) + w * v)


def _motion(
    body: str, at: np.ndarray, pose: np.ndarray, twist: np.ndarray, places: dict[str, int]
) -> tuple[np.ndarray, np.ndarray]:
    """Return angular velocity of a body, and velocity of its point at a place."""
    if body == "ground":
        zero = np.zeros_like(at)
        return zero, zero
    i = places[body]
    w, v = twist[:, :3, i], twist[:, 3:, i]
    return w, v + np.cross(w, at - pose[:, :3, i])


def run_audits(model: Model, run: Result) -> list[Audit]:
    """Return what a run says of energy, momentum and constraints."""
    audit = run.audit
    residual = max(audit["position_residual"], audit["velocity_residual"])
    found = [Audit("energy", audit["energy_drift"]), Audit("residual", residual)]
    if not isolated(model):
        return [*found, Audit("momentum", None, "the ground, gravity or a force changes it")]
    worst = 0.0
    for name in ("linear_momentum", "angular_momentum"):
        values = run.values(name)
        size = max(float(np.abs(values).max(initial=0.0)), 1e-3 * _momentum_size(run))
        worst = max(worst, float(np.abs(values - values[0]).max(initial=0.0)) / (size or 1.0))
    return [*found, Audit("momentum", worst)]


def _momentum_size(run: Result) -> float:
    return float(np.sqrt(2 * run.values("kinetic_energy").max(initial=0.0)))


def isolated(model: Model) -> bool:
    """Return whether nothing from outside acts on a machine, so that momentum is kept."""
    quiet = not numbers(model.gravity).any()
    tied = any(
        "ground" in (joint.first, joint.second) and not joint.mobility.free
        for joint in model.joints
    )
    inside = all(_inside(model, force) for force in model.forces)
    loose = not any("ground" in _ends(model, one) for one in model.constraints)
    driven = [model[driver.of] for driver in model.drivers]
    led = any(
        isinstance(one, Point) or (isinstance(one, Joint) and one.mobility.free)
        for one in driven
    )
    return quiet and not tied and inside and loose and not led


def _inside(model: Model, force: ForceElement) -> bool:
    joints = [model[getattr(force, field)] for field in force.JOINTS]
    if joints or force.BODIES:
        return not force.BODIES and not any(joint.mobility.free for joint in joints)
    return "ground" not in _ends(model, force)


def _ends(model: Model, element: ForceElement | Constraint) -> tuple[str, ...]:
    """Return the bodies of the two ends of an element; of others the ground may be one."""
    if len(element.ENDS) != 2:
        return ("ground",)
    return tuple(model.end(getattr(element, field))[0] for field in element.ENDS)


def order(rerun: Rerun, until: float, model: Model, smooth: bool) -> Audit:
    """Return the order at which RK4 converges on this machine, from three step sizes.

    Fine steps first; where their differences drown in round-off, coarser ones.
    """
    if not smooth:
        return Audit("order", None, "the machine is not smooth")
    names = [f"{body.name}.position" for body in model.bodies]

    def ends(count: int) -> np.ndarray:
        run = rerun(until=until, integrator=RK4(step=until / count), every=until / 2)
        return np.stack([run.values(name) for name in names])

    # Too coarse is not yet order 4, too fine drowns in round-off: the first that tells.
    told = None
    for coarsest, least in ((24, 1e-11), (192, 1e-11), (768, 1e-13), (4, 1e-11)):
        if coarsest == 768 and told is None:
            continue  # finer still would drown; what oscillates quickly needs it
        try:
            found = [ends(coarsest * factor) for factor in (1, 2, 4)]
        except BellcrankError as error:
            return Audit("order", None, f"RK4 in {coarsest} steps and more: {error}")
        first, second = (np.abs(a - b).max(initial=0.0) for a, b in pairwise(found))
        if second > least * max(1.0, float(np.abs(found[-1]).max(initial=0.0))):
            value = float(np.log2(first / second))
            told = value if told is None or abs(value - 4) < abs(told - 4) else told
            if abs(told - 4) < 0.5:
                break
    return Audit("order", told, "" if told else "steps are too small to tell")
