"""The states at which formulations are compared: along one run, or scattered about."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bellcrank.analysis.verify.body_space import States, held_channels, held_names
from bellcrank.linear import rank
from bellcrank.machine.system import System
from bellcrank.model.expressions import Signal
from bellcrank.results import Result

NEAR = 1e-6  # states whose smallest singular value is below this part of the largest


@dataclass(frozen=True, eq=False)
class Reference:
    """States of a machine in joint coordinates, and how well determined it is there.

    Attributes:
        system: The machine in joint coordinates.
        arguments: Of its slots, with the states first.
        states: Where the bodies are.
        condition: Of mass matrix and constraints, shape (n,).
        determined: Masks of the determined components of reactions, shape (n, 3, joints), and
            of what constraints do, shape (n, components).
        aside: How many states were too near a singular position to be compared.
    """

    system: System
    arguments: Sequence[np.ndarray]
    states: States
    condition: np.ndarray
    determined: Mapping[str, np.ndarray]
    aside: int


def reference(system: System, arguments: Sequence[np.ndarray]) -> Reference:
    """Return the states that are far enough from singular positions.

    Args:
        system: The machine in joint coordinates.
        arguments: Of its slots, shape (n, size) each but parameters.
    """
    condition, near = _condition(system, arguments)
    keep = ~near
    arguments = [part[keep] if part.ndim > 1 else part for part in arguments]
    zero = np.zeros(len(system.speeds))
    pose, twist, _ = system.kernel("bodies", level=0)(*arguments, zero)
    if len(system.equations.bodies) == 1:
        pose, twist = pose[..., None], twist[..., None]
    t, w, p = arguments[0][:, 0], arguments[4], arguments[5]
    states = States(t, pose, twist, w, p, _angles(system, arguments), arguments[3])
    return Reference(
        system,
        arguments,
        states,
        condition[keep],
        _determined(system, arguments),
        int(near.sum()),
    )


def along(system: System, run: Result, p: np.ndarray) -> list[np.ndarray]:
    """Return the arguments of slots at the records of a run.

    Args:
        system: The machine in joint coordinates.
        run: A run of it.
        p: Parameter values in order.
    """
    packed = [
        system.packed({name: run.values(name)[i] for name in run.states}, parameters=p)
        for i in range(len(run.t))
    ]
    q, u, s = (np.array([parts[i] for parts in packed]) for i in range(3))
    w = np.stack([run.values(name) for name in system.inputs], -1) if system.inputs else None
    n = len(run.t)
    arguments = [np.asarray(run.t)[:, None], q, u, s]
    arguments += [np.zeros((n, 0)) if w is None else w, p]
    kept = [v.name for v in system.equations.memory if v.quantity == "angle"]
    k = system.memory(arguments, {name: run.values(name) for name in kept})
    return [*arguments, np.broadcast_to(k, (n, k.shape[-1]))]


def _angles(system: System, arguments: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return the angles of all joints by name, full turns and all."""
    equations = system.equations
    names = [
        v.name for v in (*equations.coordinates, *equations.closing) if v.quantity == "angle"
    ]
    values = system.signals([Signal(name) for name in names])(*arguments)[0] if names else None
    return {name: values[..., i] for i, name in enumerate(names)} if values is not None else {}


def _condition(
    system: System, arguments: Sequence[np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Return the condition of each state, and which are near a singular position."""
    (A,) = system.ask("mass", arguments)
    n = len(arguments[0])
    A = np.broadcast_to(A, (n, *A.shape[-2:]))
    size = np.sqrt(np.maximum(np.einsum("nii->ni", A), 1e-300))
    values = np.linalg.eigvalsh(A / (size[:, :, None] * size[:, None, :]))
    lowest = np.where(values[:, :1] > 1e-13, values[:, :1], 1.0)[:, 0] if A.size else np.ones(n)
    condition = np.sqrt(values[:, -1] / lowest) if A.size else np.ones(n)
    if not system.equations.rows or not A.size:
        return condition, np.zeros(n, dtype=bool)
    C = system.ask("velocity", arguments)[0]
    scale = system.row_scales(arguments[5])
    sigma = np.linalg.svd(C / scale[:, None] / size[:, None, :], compute_uv=False)
    largest = sigma[:, :1]
    count = int(rank.counted(sigma, (1 / size).max(axis=1)).sum(axis=1).max(initial=0))
    last = sigma[:, count - 1] / largest[:, 0] if count else np.ones(n)
    near = last < NEAR
    return np.maximum(condition, 1.0 / np.maximum(last, 1e-300)), near


def _determined(system: System, arguments: Sequence[np.ndarray]) -> dict[str, np.ndarray]:
    """Return masks of what redundant constraints do not leave open."""
    joints, n = system.equations.joints, len(arguments[0])
    masks = {
        f"reaction {what}": np.ones((n, 3, len(joints)), dtype=bool)
        for what in ("force", "torque")
    }
    held = {quantity: held_names(found) for quantity, found in held_channels(system).items()}
    masks |= {
        quantity: np.ones((n, len(names)), dtype=bool) for quantity, names in held.items()
    }
    for i in range(n):
        one = [part[i] if part.ndim > 1 else part for part in arguments]
        for name in system.undetermined(one):
            for quantity, names in held.items():
                if name in names:
                    masks[quantity][i, names.index(name)] = False
            joint, _, tail = name.rpartition(".reaction_")
            if joint in joints:
                what, axis = tail.split("_")
                masks[f"reaction {what}"][i, "xyz".index(axis), joints.index(joint)] = False
    return masks
