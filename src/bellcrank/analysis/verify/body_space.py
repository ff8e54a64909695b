"""What a formulation says of a machine's bodies at given states, in the words all share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from bellcrank.machine.start import embedding
from bellcrank.machine.system import System
from bellcrank.model.names import Channel, components
from bellcrank.spatial.attitudes import rotation


@dataclass(frozen=True, eq=False)
class States:
    """Places and motions of all bodies at some times, and the inputs there.

    Attributes:
        t: Times [s], shape (n,).
        pose: Mass centres and Euler parameters, shape (n, 7, nb).
        twist: Angular velocities and velocities of mass centres, shape (n, 6, nb).
        w: Inputs, shape (n, nw). p: Parameters, shape (np,).
        angles: Unwrapped coordinates of joints by name, each of shape (n,).
        s: Variables, shape (n, ns).
    """

    t: np.ndarray
    pose: np.ndarray
    twist: np.ndarray
    w: np.ndarray
    p: np.ndarray
    angles: Mapping[str, np.ndarray] = field(default_factory=dict)
    s: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.t)

    def only(self, which: np.ndarray) -> "States":
        """Return some of the states."""
        angles = {name: array[which] for name, array in self.angles.items()}
        parts = (self.t, self.pose, self.twist, self.w)
        t, pose, twist, w = (part[which] for part in parts)
        s = None if self.s is None else self.s[which]
        return States(t, pose, twist, w, self.p, angles, s)


@dataclass(frozen=True, eq=False)
class Seen:
    """What one formulation says at the states.

    Attributes:
        arrays: Per quantity (`position`, `rotation`, `velocity`, …) an array with the states
            first and the places last, shape (n, ..., places).
        places: Per quantity the names of its last axis: bodies, joints, drivers or components
            of what constraints do.
        residual: Largest scaled constraint residual of each embedded state, at position and
            velocity level, shape (n,).
        force: The largest applied force on a body [N].
        mass: Of all bodies [kg].
        well: At which states the formulation has a meaning, shape (n,); at the others, its own
            singular attitudes, arrays are not numbers.
    """

    arrays: Mapping[str, np.ndarray]
    places: Mapping[str, tuple[str, ...]]
    residual: np.ndarray
    force: float
    mass: float
    well: np.ndarray = field(default_factory=lambda: np.ones(0, dtype=bool))


def regular(system: System, arguments: Sequence[np.ndarray]) -> np.ndarray:
    """Return at which states all guards of a formulation say that its equations hold.

    Guards with the same message are the sides on which all is well; being on one is enough.
    """
    guards, n = system.equations.guards, len(arguments[0])
    well = np.ones(n, dtype=bool)
    if not guards:
        return well
    values = system.signals(tuple(guard.when for guard in guards))(*arguments)[0]
    for message in {guard.message for guard in guards}:
        own = [i for i, guard in enumerate(guards) if guard.message == message]
        well &= (values[:, own] > 0.0).any(axis=1)
    return well


def spread(found: Seen, well: np.ndarray) -> Seen:
    """Return what was seen at some states as arrays over all of them, NaN at the others."""

    def over_all(array: np.ndarray) -> np.ndarray:
        full = np.full((len(well), *array.shape[1:]), np.nan)
        full[well] = array
        return full

    arrays = {quantity: over_all(array) for quantity, array in found.arrays.items()}
    return replace(found, arrays=arrays, well=well)


def see(
    system: System, states: States, mass: float, own: Sequence[np.ndarray] | None = None
) -> tuple[Seen, Sequence[np.ndarray], np.ndarray]:
    """Return what a formulation says of the bodies, evaluated at the same places and motions.

    Args:
        system: The machine in one formulation.
        states: Where its bodies are.
        mass: Of all bodies [kg].
        own: The arguments of its slots there, where they are known.

    Returns:
        What it says, the arguments of its slots, and u̇ there.
    """
    arguments = embedded_states(system, states) if own is None else own
    ud = system.rates(arguments)
    pose, twist, rate = _matrices(system, arguments, ud)
    observed = system.observe_arguments(arguments, ud)
    observed |= system.reactions(arguments, ud)
    arrays = {
        "position": pose[:, :3],
        "rotation": rotations(pose[:, 3:]),
        "angular velocity": twist[:, :3],
        "velocity": twist[:, 3:],
        "angular acceleration": rate[:, :3],
        "acceleration": rate[:, 3:],
    }
    bodies = system.equations.bodies
    places = dict.fromkeys(arrays, bodies)
    arrays["energy"] = np.stack([observed["kinetic_energy"], observed["potential_energy"]], -1)
    places["energy"] = ("kinetic", "potential")
    for quantity, suffix in (
        ("reaction force", "reaction_force"),
        ("reaction torque", "reaction_torque"),
    ):
        joints = system.equations.joints
        arrays[quantity] = np.stack([observed[f"{name}.{suffix}"] for name in joints], -1)
        places[quantity] = joints
    if system.equations.auxiliary:
        names = tuple(each.name for each in system.equations.auxiliary)
        arrays["rate"] = np.stack([observed[f"{name}.rate"] for name in names], -1)
        places["rate"] = names
    if system.equations.efforts:
        names = tuple(system.equations.efforts)
        arrays["effort"] = np.stack([observed[name] for name in names], -1)
        places["effort"] = names
    for quantity, held in held_channels(system).items():
        values = [observed[one.name].reshape(len(states), -1) for one in held]
        arrays[quantity], places[quantity] = np.concatenate(values, -1), held_names(held)
    residual = np.maximum(observed["constraint_residual"], observed["constraint_rate_residual"])
    (wrench,) = system.kernel("applied", level=0)(*arguments)
    force = float(np.abs(wrench[:, 3:]).max(initial=0.0))
    found = Seen(arrays, places, np.asarray(residual), force, mass)
    return found, arguments, ud


def held_channels(system: System) -> dict[str, list[Channel]]:
    """Return what constraints that are no joints do, forces and torques apart."""
    found: dict[str, list[Channel]] = {}
    for channel in system.equations.acting:
        if channel.owner in system.equations.constraints:
            found.setdefault(f"constraint {channel.quantity}", []).append(channel)
    return found


def held_names(channels: Sequence[Channel]) -> tuple[str, ...]:
    """Return the names of all components of channels, in order."""
    return tuple(part for one in channels for part in components(one.name, one.size))


def embedded_states(system: System, states: States) -> list[np.ndarray]:
    """Return the arguments of a system's slots at which its bodies are as given."""
    pose, twist = states.pose, states.twist
    if pose.shape[-1] == 1:  # a matrix of one column is a vector to a kernel
        pose, twist = pose[..., 0], twist[..., 0]
    t = states.t[:, None]
    return embedding(system, t, pose, twist, states.w, states.p, states.angles, states.s)


def _matrices(
    system: System, arguments: Sequence[np.ndarray], ud: np.ndarray
) -> list[np.ndarray]:
    """Return pose, twist and acceleration of all bodies, shape (n, ..., nb)."""
    found = system.kernel("bodies", level=0)(*arguments, ud)
    count = len(system.equations.bodies)
    return [part if count > 1 else part[..., None] for part in found]


def rotations(e: np.ndarray) -> np.ndarray:
    """Return rotation matrices of Euler parameters, both of whose signs mean one attitude.

    Args:
        e: Scalar first, shape (n, 4, nb).

    Returns:
        The nine entries row by row, shape (n, 9, nb).
    """
    rows = rotation([e[:, i] for i in range(4)])
    return np.stack([entry for row in rows for entry in row], axis=1)
