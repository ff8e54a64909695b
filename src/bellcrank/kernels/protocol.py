"""Machines as those see them who know no bodies and joints.

`Machine` answers questions in names of the contract. `Integrable` is a machine with parameter
values that a run begins, integrates and records; there are two, one of straight-line code and
one of batches of like elements. `Closable` is how either brings positions and speeds onto its
constraints, and `Observed` what is seen of it at the records of a run.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeVar

import numpy as np

if TYPE_CHECKING:
    from bellcrank.formulations.contract.equations import Equations, Row
    from bellcrank.kernels.build import Kernel
    from bellcrank.kernels.entries import Native
    from bellcrank.kernels.guards import Guards
    from bellcrank.model import Expression

Array = np.ndarray
T = TypeVar("T")
Arguments = Sequence[Array]
"""Of slots, in the order of `formulations.contract.ARGUMENTS`; leading axes are a batch."""


class Machine(Protocol):
    """The equations of one machine, compiled question by question; see `machine.System`.

    Attributes:
        equations: The contract it fulfils.
        coordinates, speeds: Names of the entries of q and u, in order.
        inputs: Names of w, in order.
        slack: Rounding of lengths, in lengths of the machine, and of angles [rad] within which
            constraints count as repeating others.
        level: Effort of code generation.
        told: Number of warnings issued while assembling it.
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

    def extended(self, slot: str) -> "Kernel":
        """Return the full kernel of a slot in which speeds are [u, s], u if there is no s."""
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

    def mix(self, p: Array, H: Array, rows: Sequence[int]) -> None:
        """Let a run hold combinations H of rows, but for some of these."""
        ...


# --- one run of a machine


class Closable(Protocol):
    """The constraints of a machine at any q and u, with what was named as further rows.

    Attributes:
        rows: Of `position` and of `velocity`.
        scale: Their nominal sizes.
    """

    rows: "dict[str, tuple[Row, ...]]"
    scale: dict[str, Array]

    @property
    def wanted(self) -> Mapping[str, Any]:
        """What was named, by level."""
        ...

    def residual(self, q: Array, lag: Array | float = 0.0) -> Array:
        """Return the scaled Φ, less by how much each row may be off."""
        ...

    def lacking(self, q: Array, u: Array) -> Array:
        """Return the scaled ν − C u."""
        ...

    def nearest(
        self, level: str, q: Array, b: Array, free: Array, rows: Array | slice = slice(None)
    ) -> Array:
        """Return the smallest step in the mass metric that gives the scaled rows b.

        Args:
            level: Whether rows are of positions or of speeds.
            q: Coordinates.
            b: What all rows should give; those that do not count are not looked at.
            free: Which speeds may be in the step.
            rows: Which rows count.
        """
        ...

    def moved(self, q: Array, step: Array) -> Array:
        """Return q after Δξ, on the invariants of the coordinates."""
        ...

    def size(self, step: Array) -> float:
        """Return how far a step goes [rad, lengths of the machine]."""
        ...

    def nominal(self, level: str) -> Array:
        """Return the nominal residuals of rows; nothing for those left out."""
        ...


@dataclass(frozen=True, eq=False)
class MotionKernels:
    """The kernels of a machine that drivers call.

    Attributes:
        rhs: q̇, u̇ and ṡ, on the constraints.
        normalize: States brought onto the constraints and the invariants of the coordinates.
        switches: z, where laws are nonsmooth.
        revise: k, where angles are measured.
        audit: Kinetic and potential energy, largest scaled residuals of positions and speeds,
            and where no `audit_rates` go along, the power of what is not conservative.
        audit_rates: What an audit integrates in every step.
    """

    rhs: "Native"
    normalize: "Native | None" = None
    switches: "Native | None" = None
    revise: "Native | None" = None
    audit: Any = None
    audit_rates: Any = None


class Observed(Protocol):
    """What is seen of a machine at the records of a run.

    Attributes:
        arguments: Of slots, at the records.
        followed: Whether an audit goes along with every step.
    """

    arguments: Arguments
    followed: bool

    @property
    def later(self) -> Sequence[Callable[[], dict[str, Array]]]:
        """What is computed when `everything` does not have it."""
        ...

    @property
    def single(self) -> Callable[[Any], dict[str, Array]] | None:
        """Returns the arrays that come with one channel, where that is less than all."""
        ...

    def everything(self) -> dict[str, Array]:
        """Return arrays by channel, all but those that come `later`."""
        ...

    def orientation(self, body: str) -> Array:
        """Return the Euler parameters of a body, shape (n, 4)."""
        ...

    def power(self) -> Array:
        """Return the power of forces that are not conservative, shape (n,) [W]."""
        ...

    def diagnosis(self) -> dict[str, Any]:
        """Return what the rank of the constraints says, as of `results.audit`."""
        ...

    def undetermined(self) -> Sequence[str]:
        """Return components of reactions that redundancy leaves open at the first record."""
        ...


class SaddlePoint(Protocol):
    """A machine with constraints as implicit methods take it: residuals and their matrices.

    Attributes:
        guards: Of its memory.
    """

    guards: "Guards"

    @cached_property
    def places(self) -> Mapping[str, int]:
        """Where each part of the working memory of a run begins [doubles]."""
        ...

    @cached_property
    def table(self) -> Array:
        """Its record, laid out in `constraints.index2.table`."""
        ...

    @property
    def room(self) -> int:
        """Doubles of working memory of a run."""
        ...

    @property
    def work(self) -> int:
        """Doubles of scratch that kernels want."""
        ...


class Integrable(Protocol):
    """A machine with parameter values, which a run begins, integrates and records.

    Attributes:
        system: Its names, and questions about it.
        p: Parameter values in order.
        explicit: Whether explicit methods take it.
        batched: Whether it is a sum over many like elements. What single ones do is then seen
            at records, and not watched inside steps.
    """

    system: Any
    p: Array
    explicit: bool
    batched: bool

    @property
    def problem(self) -> BaseException | None:
        """What went wrong where something had to be made during a run."""
        ...

    def begin(
        self,
        start: Mapping[str, Any] | None,
        t: float,
        w: Array,
        angles: Mapping[str, float],
        exact: bool = True,
    ) -> tuple[Array, Array]:
        """Return the state x = [q, u, s] for start values by name, and the memory k.

        Args:
            start: Coordinates and rates by name; what is not named is as drawn and at rest.
            t: The time [s].
            w: Inputs.
            angles: Angles of joints by name, full turns and all, where they are known.
            exact: Whether values must be met, or may be corrected to close the machine.
        """
        ...

    def check_motion(self, t: float, x: Array, w: Array, k: Array) -> None:
        """Raise where the machine has no finite accelerations at the beginning."""
        ...

    def tied_inertias(self, t: float, x: Array, w: Array) -> Array | None:
        """Return the diagonal of A where rows tie speeds together, shape (nu,), else None."""
        ...

    def unasked_turns(self, t: float, x: Array, w: Array, start: object) -> dict[str, float]:
        """Return how far angles begin from the drawing that could be a turn nearer [rad]."""
        ...

    def moving(self, t: float, x: Array, w: Array) -> "Integrable":
        """Return the machine without rows where all of them repeat what coordinates hold."""
        ...

    def motion(
        self, t: float, x: Array, w: Array, k: Array, *, pushed: bool, rtol: float | None
    ) -> MotionKernels:
        """Return the kernels by which it is integrated from a state.

        Args:
            t: The time [s].
            x: A consistent state.
            w: Inputs.
            k: Memory.
            pushed: Whether states must be brought onto the constraints along A⁻¹ Cᵀ, the
                directions in which these push.
            rtol: Relative tolerance of the run; None for the least there is.
        """
        ...

    def saddle(self) -> SaddlePoint:
        """Return it as implicit methods take it where there are constraints."""
        ...

    def rows(self, t: float, q: Array) -> Array:
        """Return C of C u = ν at a time and coordinates, inputs being zero, shape (m, nu)."""
        ...

    def switching(self, arguments: Arguments) -> Array | None:
        """Return z at records; None where it is not looked at."""
        ...

    def observed(self, arguments: Arguments) -> Observed:
        """Return what is seen of it at the records of a run."""
        ...
