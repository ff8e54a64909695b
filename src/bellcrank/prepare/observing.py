"""What results show, read during a run: by events between steps, by controllers at ticks.

Time, state, inputs and variables decide most of it, and compiled code gives that. Accelerations
and reactions take the solution of the equations of motion at the place that is looked at, and
are found as those of a result are.
"""

import ctypes
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from bellcrank.errors import UnknownName
from bellcrank.kernels import Kernel
from bellcrank.kernels.entries import KERNEL, Entry, Native
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import Signal, signals
from bellcrank.model.names import (
    Channel,
    channels,
    components,
    law_quantities,
    machine_names,
)
from bellcrank.prepare.interruption import Interruption

Arguments = Sequence[np.ndarray]


def own_states(system: System) -> dict[str, range]:
    """Return where in x the coordinates and speeds are that only this formulation has."""
    shown = {each.name for each in system.equations.channels}
    first = {"q": 0, "u": len(system.coordinates)}
    places = {name: system.places[name] for name in system.state_names if name not in shown}
    return {
        name: range(first[vector] + start, first[vector] + start + size)
        for name, (vector, start, size) in places.items()
        if vector in first
    }


def own_scalars(system: System) -> dict[str, int]:
    """Return where in x the components of `own_states` are."""
    found = own_states(system).items()
    return {
        part: place
        for name, places in found
        for part, place in zip(components(name, len(places)), places, strict=True)
    }


def needs_motion(model: Model, expression: Expression) -> bool:
    """Return whether an expression uses more than compiled expressions may."""
    return any(not _in_laws(model, name) for name in signals(expression))


def _in_laws(model: Model, name: str) -> bool:
    owner, dot, quantity = name.rpartition(".")
    if not dot:
        return name == "t" or name in machine_names() or name in model.names
    sizes = law_quantities(model[owner]) if owner in model.names else {}
    return any(quantity in components(each, size) for each, size in sizes.items())


class Observing:
    """Values of names at one state after the other.

    Attributes:
        machine: The machine.
        names: Scalar names of anything that results show, or that expressions may use.
    """

    def __init__(
        self, model: Model, machine: Integrable, names: Iterable[str], rhs: Native
    ) -> None:
        """Take what is to be read.

        Args:
            model: The machine.
            machine: As it is integrated.
            names: Scalar names.
            rhs: Gives q̇, u̇ and ṡ, as for the integrator.
        """
        self.machine, self.names, self._system = (
            machine,
            tuple(dict.fromkeys(names)),
            machine.system,
        )
        system, own = self._system, own_scalars(self._system)
        self._own = {name: own[name] for name in self.names if name in own}
        others = [name for name in self.names if name not in own]
        self._simple = [name for name in others if _in_laws(model, name)]
        self._moving = [name for name in others if name not in self._simple]
        shown = (*channels(model), *system.equations.multipliers)
        self._channels = _channels(shown, self._moving)
        self._rates = _rates(rhs, system)
        simple = [Signal(name) for name in self._simple]
        self._shown = system.signals(simple) if simple else None
        self._seen = [
            part
            for channel in self._channels
            for part in _parts(channel)
            if channel.name not in system.reacting and part in self._moving
        ]
        self._kernel = system.seen(self._seen) if self._seen else None

    def __call__(
        self, t: float, x: np.ndarray, w: np.ndarray, k: np.ndarray
    ) -> dict[str, float]:
        """Return the values by name at a time [s], a state, inputs and memory."""
        found = {name: float(x[place]) for name, place in self._own.items()}
        arguments = [np.array([t]), *self._system.split(x), w, self.machine.p, k]
        if self._shown:
            shown = self._shown(*arguments)[0]
            found |= dict(zip(self._simple, shown.tolist(), strict=True))
        if not self._moving:
            return found
        seen = self._of_batches if self.machine.batched else self._of_whole
        return found | seen(arguments)

    def _of_whole(self, arguments: Arguments) -> dict[str, float]:
        """Return what follows from the accelerations of a machine of straight-line code."""
        found, ud = {}, self._rates(arguments)
        if self._kernel:
            y = self._kernel(*arguments, ud)[0]
            found = dict(zip(self._seen, y.tolist(), strict=True))
        if len(self._seen) < len(self._moving):
            found |= self._named(self._system.balanced(arguments, ud))
        return found

    def _of_batches(self, arguments: Arguments) -> dict[str, float]:
        """Return what follows from the accelerations of a sum over like elements."""
        *states, p, k = (np.asarray(each, dtype=float) for each in arguments)
        seen = self.machine.observed((*(each[None] for each in states), p, k[None]))
        assert seen.single is not None
        found: dict[str, np.ndarray] = {}
        for channel in self._channels:
            found |= seen.single(channel)
        return self._named(found)

    def _named(self, found: Mapping[str, np.ndarray]) -> dict[str, float]:
        """Return the scalars of those channels that are asked for."""
        return {
            name: float(value)
            for channel in self._channels
            if channel.name in found
            for name, value in zip(_parts(channel), np.ravel(found[channel.name]), strict=True)
        }


def _rates(rhs: Native, system: System) -> Callable[[Arguments], np.ndarray]:
    """Return a function that gives u̇ as the integrator finds it."""
    sizes = (len(system.coordinates), len(system.speeds), len(system.equations.auxiliary))
    results, work = [np.zeros(size) for size in sizes], np.zeros(max(rhs.work, 1))
    function = KERNEL(rhs.address)
    out = (ctypes.c_void_p * 3)(*(each.ctypes.data for each in results))

    def rates(arguments: Arguments) -> np.ndarray:
        rows = [np.ascontiguousarray(each, dtype=float) for each in arguments]
        given = (ctypes.c_void_p * 7)(*(each.ctypes.data for each in rows))
        function(given, out, work.ctypes.data)
        return results[1].copy()

    return rates


def _parts(channel: Channel) -> tuple[str, ...]:
    return components(channel.name, channel.size)


def _channels(shown: Iterable[Channel], names: Sequence[str]) -> list[Channel]:
    """Return the channels that scalar names belong to, each once.

    Raises:
        UnknownName: Results do not show it.
    """
    if not names:
        return []
    known = {part: channel for channel in shown for part in _parts(channel)}
    for name in names:
        if name not in known:
            raise UnknownName("quantity", name, known)
    return list(dict.fromkeys(known[name] for name in names))


def looking(
    model: Model,
    machine: Integrable,
    moving: Mapping[int, Expression],
    count: int,
    compiled: Kernel | None,
    rhs: Native,
    outside: Interruption,
) -> Entry:
    """Return a kernel of event functions some of which follow from the accelerations.

    Args:
        model: The machine.
        machine: As it is integrated.
        moving: Those that do, by their numbers.
        count: How many event functions there are.
        compiled: The kernel of the others, in order, followed by angles that turn.
        rhs: Gives u̇ among its results.
        outside: Takes what is raised; the event functions are then not numbers.
    """
    rest = [n for n in range(count) if n not in moving]
    system, laws = machine.system, list(moving.values())
    read = Observing(model, machine, (name for law in laws for name in signals(law)), rhs)
    weigh, numbers = system.valued(laws, read.names), list(moving)
    sizes = (1, len(system.coordinates), len(system.speeds), len(system.equations.auxiliary),
             len(system.inputs), len(machine.p), len(system.equations.memory))  # fmt: skip
    turning = compiled.outputs[0].size - len(rest) if compiled else 0

    def values(arguments: list[np.ndarray]) -> np.ndarray:
        t, q, u, s, w, p, k = arguments
        y = np.empty(count + turning)
        if compiled:
            known = compiled(*arguments)[0]
            y[rest], y[count:] = known[: len(rest)], known[len(rest) :]
        seen = read(float(t[0]), np.concatenate([q, u, s]), w, k)
        y[numbers] = weigh(np.array([seen[name] for name in read.names]), w, p)[0]
        return y

    return _entry(values, sizes, count + turning, outside)


def _entry(
    values: Callable[[list[np.ndarray]], np.ndarray],
    sizes: Sequence[int],
    count: int,
    outside: Interruption,
) -> Entry:
    """Return a Python function as native code calls it."""

    def call(given: Any, results: Any, work: Any) -> None:
        y = _vector(ctypes.cast(results, _POINTERS)[0], count)
        try:
            places = ctypes.cast(given, _POINTERS)
            y[:] = values([_vector(places[n], size).copy() for n, size in enumerate(sizes)])
        except BaseException as error:  # which must not leave native code
            y[:] = np.nan
            outside.note(error, "an event could not be looked at")

    function = KERNEL(call)
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return Entry(address, 0, function)


_POINTERS = ctypes.POINTER(ctypes.c_void_p)


def _vector(address: Any, size: int) -> np.ndarray:
    if not size:
        return np.zeros(0)
    return np.ctypeslib.as_array(ctypes.cast(address, ctypes.POINTER(ctypes.c_double)), (size,))
