"""What a run looks at between steps, besides the switches themselves."""

from collections.abc import Iterable, Sequence

from bellcrank.formulations.breaks import of_time
from bellcrank.formulations.description import modes
from bellcrank.formulations.switches import switching_function
from bellcrank.kernels import Kernel
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.system import System
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import Operation, signals, walk

_PERIODIC = frozenset({"sin", "cos", "tan"})


def watching(
    model: Model, machine: Integrable, crossings: Sequence[Expression]
) -> tuple[Kernel | None, int]:
    """Return the kernel of what is watched, and how many of its results are turning angles.

    Args:
        model: The machine.
        machine: As it is integrated.
        crossings: Expressions whose zeros are looked for; the kernel gives them first.
    """
    # Elements of a batched machine are many and alike, and turn with the attitudes of bodies.
    # What switches with time alone is located ahead.
    system = machine.system
    laws = () if machine.rounds else map(switching_function, modes(model))
    switching = tuple(law for law in laws if not of_time(law))
    if not _may_turn(system, (*crossings, *switching)):
        return (system.signals(crossings), 0) if crossings else (None, 0)
    kernel = system.watched(crossings, switching)
    turning = kernel.outputs[0].size - len(crossings)
    return (kernel, turning) if crossings or turning else (None, 0)


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
