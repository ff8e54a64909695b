"""Random machines with loops, and states of theirs that obey all constraints."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

import bellcrank as bc
from bellcrank.constraints.assembly.closing import Held, close
from bellcrank.machine.start import initial_state
from bellcrank.model import mass_properties
from bellcrank.testing import machine

CLOSING = (
    "Revolute", "Prismatic", "Cylindrical", "Universal", "Spherical", "Planar", "Fixed",
    "Distance", "PointOnLine", "PointOnPlane", "Parallel", "Perpendicular",
)  # fmt: skip
"""What can close a loop anywhere; a screw is always part of the tree, for its turns count."""

TIES = ("Gear", "RackAndPinion", "RollingDisc")
"""Constraints that need joints or places of their own; see `tied`."""


def loop(kind: str, seed: int = 0, forces: tuple[str, ...] = ()) -> bc.Model:
    """Return three bodies on ball joints and a sleeve, two chains from ground, closed as drawn.

    The closing element has both its sides at one place and along one axis of the drawing, so
    that the drawing is closed; a closing joint is not part of the tree.
    """
    model = machine(("Spherical", "Cylindrical", "Spherical"), (0, 1, 0), seed, forces=forces)
    return model.add(closing(kind, ("B3", "B2"), seed))


def tied(kind: str, seed: int = 0, forces: tuple[str, ...] = ()) -> bc.Model:
    """Return two chains from ground with a gear, a rack or a wheel that ties their motion.

    Bodies hang on ball joints or are free, so that each tie works in space.
    """
    if kind == "RollingDisc":
        model = machine(("Free", "Spherical"), (0, 1), seed, forces=forces)
        rng = np.random.default_rng(2000 + seed)
        center, axis = rng.uniform(-1, 1, 3), rng.normal(size=3)
        normal = rng.normal(size=3)
        normal, axis = normal / np.linalg.norm(normal), axis / np.linalg.norm(axis)
        down = -normal + (normal @ axis) * axis  # from the centre to the contact
        at = center + 0.4 * down / np.linalg.norm(down)
        places = [tuple(map(float, each)) for each in (center, axis, at, normal)]
        disc = bc.RollingDisc(
            "tie", "B1", places[0], places[1], 0.4, at=places[2], normal=places[3]
        )
        return model.add(disc)
    second = "Revolute" if kind == "Gear" else "Prismatic"
    model = machine(("Spherical", "Revolute", second, "Spherical"), (0, 1, 0, 3), seed,
                    forces=forces)  # fmt: skip
    if kind == "Gear":
        return model.add(bc.Gear("tie", "J2", "J3", -0.7))
    return model.add(bc.RackAndPinion("tie", "J3", "J2", 0.3))


def closing(kind: str, ends: tuple[str, str], seed: int) -> Any:
    """Return an element between two bodies that is content with the drawing."""
    rng = np.random.default_rng(1000 + seed)
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    at, away = (tuple(float(x) for x in rng.uniform(-1, 1, 3)) for _ in range(2))
    axis, other = (tuple(float(x) for x in Q[:, i]) for i in range(2))
    first, second = ends
    match kind:
        case "Spherical" | "Fixed":
            return getattr(bc, kind)("close", *ends, at=at)
        case "Screw":
            return bc.Screw("close", *ends, at=at, axis=axis, pitch=0.3)
        case "Universal":
            return bc.Universal("close", *ends, at=at, axis1=axis, axis2=other)
        case "Distance":
            return bc.Distance("close", (first, away), (second, at))
        case "PointOnLine" | "PointOnPlane":
            return getattr(bc, kind)("close", (second, at), first, at, axis)
        case "Parallel":
            return bc.Parallel("close", first, second, axis)
        case "Perpendicular":
            return bc.Perpendicular("close", first, second, axis, other)
    return getattr(bc, kind)("close", *ends, at=at, axis=axis)


class Closed:
    """A machine in a state that obeys its constraints, reached from the drawing.

    Attributes:
        model: The machine.
        system: Compiled with least effort.
        q, u: The state.
        t: The time [s].
    """

    def __init__(self, model: bc.Model, seed: int = 0, t: float = 0.0) -> None:
        self.model, self.t = model, t
        self.system = bc.compile(model, level=0)
        rng = np.random.default_rng(seed)
        nq, nu = len(self.system.coordinates), len(self.system.speeds)
        w, p = np.zeros(0), np.array(list(self.system.parameters.values()))
        x = initial_state(self.system, {}, t, w, p)
        # Move along what the constraints leave free, and close again.
        for _ in range(2):
            W = self.slot("kinematics", x[:nq], np.zeros(nu))[0]
            C = self.slot("velocity", x[:nq], np.zeros(nu))[0]
            free = np.eye(nu) - np.linalg.pinv(C, rcond=1e-9) @ C
            values = self.system.unpack(
                x[:nq] + 0.2 * W @ free @ rng.normal(size=nu), np.zeros(nu)
            )
            q, _ = self.system.pack(values)
            x = closed_at(self.system, q, t)
        self.q = x[:nq]
        C, nu_ = self.slot("velocity", self.q, np.zeros(nu))
        u = rng.normal(size=nu)
        self.u = u - np.linalg.pinv(C, rcond=1e-9) @ (C @ u - nu_)

    def slot(self, name: str, q: np.ndarray, u: np.ndarray, *own: np.ndarray) -> list:
        """Return the outputs of a slot as NumPy arrays."""
        system = self.system
        s, w = np.zeros(len(system.equations.auxiliary)), system.input_vector(None)
        known = [np.array([self.t]), q, u, s, w, system.parameter_vector()]
        return list(system.kernel(name, level=0)(*known, system.modes(known), *own))

    def seen(self) -> dict[str, np.ndarray]:
        """Return all channels."""
        return self.system.observe(self.q, self.u, t=self.t)

    def accelerations(self) -> np.ndarray:
        """Return the accelerations of all bodies, angular and of mass centres."""
        return motion(self.model, self.seen(), ("angular_acceleration", "acceleration"))


@cache
def closed_loop(kind: str, seed: int = 0, forces: tuple[str, ...] = ()) -> Closed:
    """Return a loop in a state that obeys it; several laws look at the same one."""
    return Closed(loop(kind, seed, forces), seed)


def closed_at(system: Any, q: np.ndarray, t: float) -> np.ndarray:
    """Return [q, u] with the constraints closed from q, nothing held."""
    nu = len(system.speeds)
    x = np.concatenate([q, np.zeros(nu)])
    nothing = Held(np.zeros(nu, dtype=bool), np.zeros(nu, dtype=bool))
    return close(system, t, x, np.zeros(0), np.array(list(system.parameters.values())), nothing)


def motion(model: bc.Model, seen: dict[str, np.ndarray], what: tuple[str, ...]) -> np.ndarray:
    """Return quantities of all bodies in one vector."""
    return np.concatenate([seen[f"{body.name}.{one}"] for body in model.bodies for one in what])


def freed(model: bc.Model) -> bc.Model:
    """Return the same machine on free joints, so that every joint of it closes a loop."""
    free = [
        bc.Free(f"free {b.name}", "ground", b.name, at=centre(b)) for b in model.bodies
    ]  # fmt: skip
    return replace(model, joints=(*free, *model.joints))


def centre(body: bc.Body) -> tuple[float, ...]:
    """Return a body's mass centre in the drawing."""
    return tuple(float(x) for x in mass_properties(body).com)


def freed_state(model: bc.Model, seen: dict[str, np.ndarray]) -> dict[str, Any]:
    """Return the state of a freed machine whose bodies move as seen."""
    found: dict[str, Any] = {}
    for body in model.bodies:
        name, at = f"free {body.name}", np.array(centre(body))
        found |= {
            f"{name}.position": seen[f"{body.name}.position"] - at,
            f"{name}.orientation": seen[f"{body.name}.orientation"],
            f"{name}.velocity": seen[f"{body.name}.velocity"],
            f"{name}.angular_velocity": seen[f"{body.name}.angular_velocity_body"],
        }
    return found
