"""Functions evaluated as they are, without compiling: for machines asked once and let go.

`compile(model)` makes native code and keeps it; `System(equations, build=interpret)` evaluates
by CasADi itself, whose calls are slower but come without a wait.
"""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.kernels.ports import Port, collect

if TYPE_CHECKING:
    import casadi


class Interpreted:
    """A function of arrays with named inputs and outputs, called as a `Kernel` is.

    Attributes:
        name: What it is called.
        inputs: The inputs in order.
        outputs: The outputs in order, all full.
    """

    def __init__(self, function: "casadi.Function") -> None:
        self.name: str = function.name()
        self._function = function
        self.inputs = tuple(
            Port(function.name_in(i), *function.size_in(i)) for i in range(function.n_in())
        )
        self.outputs = tuple(
            Port(function.name_out(i), *function.size_out(i)) for i in range(function.n_out())
        )

    def __call__(self, *arrays: Any) -> tuple[np.ndarray, ...]:
        """Return the outputs for these inputs; leading axes are a batch."""
        batch, given = collect(self.name, self.inputs, arrays)
        count = int(np.prod(batch, dtype=int))
        full = [
            np.broadcast_to(a, (*batch, n)).reshape(count, n)
            for a, n in zip(given, (p.size for p in self.inputs), strict=True)
        ]
        results = [self._one([part[i] for part in full]) for i in range(count)]
        return tuple(
            np.array([result[j] for result in results]).reshape(*batch, *port.shape)
            for j, port in enumerate(self.outputs)
        )

    def _one(self, vectors: Sequence[np.ndarray]) -> list[np.ndarray]:
        import casadi as ca

        given = [
            ca.reshape(ca.DM(vector), port.rows, port.cols)
            if port.size
            else ca.DM(port.rows, port.cols)
            for vector, port in zip(vectors, self.inputs, strict=True)
        ]
        return [
            np.array(value.full()).reshape(port.shape) if port.size else np.zeros(port.shape)
            for value, port in zip(self._function.call(given), self.outputs, strict=True)
        ]


def interpret(
    key: str, make: "Callable[[], casadi.Function]", *, lanes: int = 1, level: int = 1
) -> Interpreted:
    """Return a function that is evaluated as it is; arguments as of `kernels.kernel`.

    Args:
        key: Not used: nothing is kept.
        make: Makes the function.
        lanes: Not used.
        level: Not used.
    """
    return Interpreted(make())
