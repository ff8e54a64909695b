"""A machine that can be asked and integrated, as those see it who know no bodies and joints."""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from bellcrank.formulations.equations import Equations
    from bellcrank.kernels.build import Kernel
    from bellcrank.model import Expression

Array = np.ndarray
T = TypeVar("T")


class Machine(Protocol):
    """The equations of one machine, compiled question by question; see `machine.System`.

    Attributes:
        equations: The contract it fulfils.
        coordinates, speeds: Names of the entries of q and u, in order.
        inputs: Names of w, in order.
        slack: Rounding of lengths, in lengths of the machine, and of angles [rad] within which
            constraints count as repeating others.
        level: Effort of code generation.
        told: How often something was warned of in assembling it.
    """

    equations: "Equations"
    coordinates: tuple[str, ...]
    speeds: tuple[str, ...]
    inputs: tuple[str, ...]
    slack: float
    level: int
    told: int

    def kernel(self, slot: str, level: int | None = None, *, full: bool = False) -> "Kernel":
        """Return the compiled kernel of a slot."""
        ...

    def signals(self, expressions: "Sequence[Expression]") -> "Kernel":
        """Return the kernel of expressions of the machine's signals, as one vector y."""
        ...

    def ask(
        self, slot: str, arguments: Sequence[Array], *own: Array, level: int | None = None
    ) -> tuple[Array, ...]:
        """Return what a slot gives; matrices stay matrices."""
        ...

    def once(self, make: Callable[[Self], T]) -> T:
        """Return what a function gives for this machine; it is asked once."""
        ...

    def split(self, x: Array) -> tuple[Array, Array, Array]:
        """Return q, u and s of states [q, u, s]."""
        ...

    def at_rest(self, t: float, q: Array, w: Array, p: Array) -> list[Array]:
        """Return the arguments of kernels at coordinates q, all speeds being zero."""
        ...

    def modes(self, arguments: Sequence[Array], kept: Array | None = None) -> Array:
        """Return k for the other arguments."""
        ...

    def parameter_vector(self, parameters: None = None) -> Array:
        """Return p, the model's own values."""
        ...

    def without_rows(self) -> Self:
        """Return the machine without its constraints."""
        ...

    # --- which rows count

    @cached_property
    def places(self) -> dict[str, tuple[str, int, int]]:
        """Where each name is: "q" or "u", first entry, number of entries."""
        ...

    @cached_property
    def speed_sizes(self) -> Array:
        """Nominal sizes of the speeds as rank decisions take them, shape (nu,)."""
        ...

    def row_scales(self, p: Array) -> Array:
        """Return the nominal sizes of the rows; those of rows left out are infinite."""
        ...

    def left_out(self, p: Array) -> tuple[int, ...]:
        """Return the rows that repeat others and are left out, for parameter values."""
        ...

    def rounded(self, p: Array) -> bool:
        """Return whether rows are left out that repeat others only within the slack."""
        ...

    def leave_out(self, p: Array, rows: Sequence[int], *, exact: bool) -> None:
        """Leave out rows that repeat others, for parameter values, from now on."""
        ...
