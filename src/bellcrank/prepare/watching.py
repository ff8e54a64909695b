"""What a run looks at between steps, besides the switches themselves."""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from bellcrank.formulations.contract.breaks import of_time
from bellcrank.formulations.contract.description import modes
from bellcrank.formulations.contract.switches import switching_function
from bellcrank.kernels import Kernel
from bellcrank.kernels.entries import Native
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import Operation, signals, walk
from bellcrank.prepare.interruption import Interruption
from bellcrank.prepare.observing import looking, needs_motion
from bellcrank.prepare.resting import resting

_PERIODIC = frozenset({"sin", "cos", "tan"})


def watching(
    model: Model,
    machine: Integrable,
    events: Sequence[Expression],
    guards: Sequence[Expression],
    rhs: Native,
    outside: Interruption,
) -> tuple[Native | None, int]:
    """Return the kernel of what is watched, and how many of its results are turning angles.

    Args:
        model: The machine.
        machine: As it is integrated.
        events: Expressions whose zeros are looked for; the kernel gives them first.
        guards: Those of the formulation, which follow.
        rhs: Gives u̇ among its results.
        outside: Takes what is raised where events follow from the accelerations.
    """
    if not events:
        return _compiled(model, machine, guards, guards)
    length = machine.system.equations.length(machine.system.named(machine.p))
    moving = {
        n: resting(model, g, length) for n, g in enumerate(events) if needs_motion(model, g)
    }
    simple = [each for n, each in enumerate(events) if n not in moving]
    rested = [resting(model, each, length) for each in simple]
    kernel, turning = _compiled(model, machine, (*rested, *guards), (*simple, *guards))
    if not moving:
        return kernel, turning
    count = len(events) + len(guards)
    return looking(model, machine, moving, count, kernel, rhs, outside), turning


def _compiled(
    model: Model,
    machine: Integrable,
    crossings: Sequence[Expression],
    written: Sequence[Expression],
) -> tuple[Kernel | None, int]:
    """Return the compiled kernel of expressions, and of angles that turn, as `watching`.

    Args:
        model: The machine.
        machine: As it is integrated.
        crossings: What the kernel gives.
        written: The same without regard to rounding: what turns in them is looked for.
    """
    # Elements of a batched machine are many and alike, and turn with the attitudes of bodies.
    # What switches with time alone is located ahead.
    system = machine.system
    switching = () if machine.batched else _switching(model)
    if not _may_turn(system, (*written, *switching)):
        return (system.signals(crossings), 0) if crossings else (None, 0)
    kernel = system.watched(crossings, (*written, *switching))
    turning = kernel.outputs[0].size - len(crossings)
    return (kernel, turning) if crossings or turning else (None, 0)


@lru_cache(maxsize=128)
def _switching(model: Model) -> tuple[Expression, ...]:
    """Return the switching functions of a machine that are not of time alone."""
    return tuple(law for law in map(switching_function, modes(model)) if not of_time(law))


def _may_turn(system: System, expressions: Iterable[Expression]) -> bool:
    """Say whether sines of the state may be in expressions: they read more than the state."""
    state = {"t", *system.coordinates, *system.speeds}
    return any(
        not signals(expression) <= state
        or any(
            isinstance(node, Operation) and node.op in _PERIODIC for node in walk(expression)
        )
        for expression in expressions
    )
