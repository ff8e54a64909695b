"""The state a run begins with."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from bellcrank.assembly.options import check_mapping
from bellcrank.errors import StartError
from bellcrank.kernels.system import System
from bellcrank.model import Model
from bellcrank.model.edit import with_values


def parameter_values(
    model: Model, system: System, values: Mapping[str, float] | None
) -> np.ndarray:
    """Return p for values by name over the model's own; the machine must stay one.

    Args:
        model: The machine, right with the values of its own.
        system: Its equations.
        values: Values of some of its parameters, by name.

    Raises:
        OptionError: They are not given by name, or are not finite.
        UnknownName: There is no such parameter.
        ModelError: Naming what is wrong with these values, such as a mass below zero.
    """
    check_mapping("parameters", values)
    p = system.parameter_vector(values)
    if values:
        with_values(model, values)
    return p


def initial_state(system: System, start: Mapping[str, Any] | None, p: np.ndarray) -> np.ndarray:
    """Return x = [q, u] for start values by name; the rest is as drawn and at rest.

    Args:
        system: The machine.
        start: Such as {"A.angle": 0.3, "A.angle_rate": 2.0}.
        p: Parameter values in order.

    Raises:
        StartError: Names or values that do not fit the machine, all at once.
    """
    q, u = system.pack(start, parameters=p)
    return np.concatenate([q, u, np.zeros(len(system.equations.auxiliary))])


def check_motion(system: System, t: float, x: np.ndarray, w: np.ndarray, p: np.ndarray) -> None:
    """Raise where the machine has no finite accelerations at the beginning.

    Args:
        system: The machine.
        t: The time [s].
        x: The state [q, u].
        w: The inputs.
        p: Parameter values in order.

    Raises:
        StartError: Naming the freedom without inertia, or what is not finite.
    """
    q, u, s = np.split(
        x, [len(system.coordinates), len(system.coordinates) + len(system.speeds)]
    )
    arguments = [np.array([t]), q, u, s, w, p]
    k = system.modes(arguments)
    ud = system.kernel("derivatives")(*arguments, k)[1]
    if np.all(np.isfinite(ud)):
        return
    A = system.kernel("mass", level=0)(*arguments, k)[0]
    scale = np.sqrt(np.maximum(np.diag(A), 0.0))
    idle = [name for name, size in zip(system.speeds, scale, strict=True) if size == 0]
    if np.all(np.isfinite(A)) and not idle:
        values, vectors = np.linalg.eigh(A / np.outer(scale, scale))
        if values[0] < 1e-12:
            idle = [system.speeds[np.argmax(np.abs(vectors[:, 0]))]]
    if idle:
        raise StartError(
            f"nothing has inertia against {', '.join(map(repr, idle))}, so its rate is not "
            "determined. Give what it moves mass or inertia about it, or take a joint without "
            "that freedom."
        )
    lost = [
        name for name, value in zip(system.speeds, ud, strict=True) if not np.isfinite(value)
    ]
    raise StartError(
        f"the rates of {', '.join(map(repr, lost))} are not finite at the start, t = {t:g} s. "
        "Look for a division by zero, a root or logarithm of a negative number, or two ends of "
        "a spring in one place."
    )
