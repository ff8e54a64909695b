"""What is integrated, and what comes out.

    ẋ = f(t, x, w, p, k),  x = [q, u, s]

Inputs w are piecewise linear in time between ticks; memory k is constant within a step.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from bellcrank.errors import OptionError
from bellcrank.kernels.entries import Native
from bellcrank.kernels.protocol import SaddlePoint

if TYPE_CHECKING:
    from bellcrank.integrators.timed import Timeline

Array = np.ndarray
NO_VECTORS = np.zeros((0, 3))


class Sought(Enum):
    """What a driver looks for besides records, each with what comes before it.

    A driver that looks for less is compiled sooner.
    """

    NOTHING = "nothing"
    ANGLES = "measured angles"
    EVENTS = "events"  # or switches, or times known ahead


class Schedule(Protocol):
    """Inputs over time: w(t) = w0 + w1 t between one tick and the next."""

    def next(self, t: float) -> float:
        """Return the first tick beyond `t` [s] along the travel of time, or infinity."""
        ...

    def update(self, t: float, x: Array, k: Array) -> tuple[Array, Array]:
        """Return (w0, w1), each of shape (nw,), that hold from `t` to the next tick.

        The memory k is that of the state x.
        """
        ...


@dataclass(frozen=True, eq=False)
class Problem:
    """An initial value problem, given by compiled kernels.

    Attributes:
        rhs: Gives q̇ (nq), u̇ (nu), ṡ (ns).
        nq: Number of coordinates.
        nu: Number of generalized speeds.
        ns: Number of auxiliary states.
        nw: Number of inputs.
        parameters: p.
        memory: k. Where there are switches its first entries are their modes, whose values
            are not looked at: at the start the mode k_i is +1 if z_i >= 0, else -1.
        normalize: Gives q brought back onto the invariants of the coordinates.
        switches: Gives z, one for each switch. While k_i z_i >= 0 the mode stays; f is
            smooth for fixed k.
        modes: How many entries of k are modes of switches; all of them if not given.
        revise: Gives k (nk) after an accepted step.
        events: Gives g (ne), whose zero crossings are events, then the angles that turn.
        turning: How many angles inside sin, cos or tan of switches and events there are. Steps
            are looked at so closely that none turns by more than π/8 from look to look.
        directions: For each event: +1 counts only crossings from below, -1 only from
            above (as the integration proceeds), 0 both.
        terminal: For each event, whether it ends the integration.
        labels: For each event, what messages call it; its number if not given.
        states: For each state, what messages call it; its number if not given.
        numbers: For each event, the number under which it is listed; in order if not given.
        timeline: What depends on time alone: switches whose modes are the last ones, events
            that are not among the others, and limits of the step.
        nominal: Sizes by which states of different units are compared, such as the length of a
            machine and a radian, shape (nx,); all 1 if not given.
        vectors: States that are components of a position or a velocity along axes that all
            share, shape (m, 3), -1 for none; see `native.relative`.
        length: Of the machine, by which such a position is far from the origin.
        second_order: Whether q̇ = u exactly.
        jacobian: Gives F = M ∂ẋ/∂x (nx × nx) and the block A (nu × nu) of M = diag(1, A, 1);
            implicit methods need it. A is what makes F cheap: the mass matrix of a machine,
            or a unit matrix.
        saddle: The machine as implicit methods take it where there are constraints, and as
            `GeneralizedAlpha` always takes it. With constraints `rhs` and `normalize` bring
            their arguments onto them.
        audit: What a run is judged by: kinetic and potential energy, residuals of constraints;
            without `audit_rates`, which go along with every step, some records are looked at,
            and a fifth number is the power of what is not conservative.
        audit_rates: What an audit integrates: takes u̇ besides, gives power (0 to 3), rates of
            the angles in k, and the sum of forces of time (0 or 1).
    """

    rhs: Native
    nq: int
    nu: int = 0
    ns: int = 0
    nw: int = 0
    parameters: Array = field(default_factory=lambda: np.zeros(0))
    memory: Array = field(default_factory=lambda: np.zeros(0))
    normalize: Native | None = None
    switches: Native | None = None
    events: Native | None = None
    directions: Sequence[int] = ()
    terminal: Sequence[bool] = ()
    second_order: bool = False
    jacobian: Native | None = None
    modes: int | None = None
    revise: Native | None = None
    saddle: SaddlePoint | None = None
    labels: Sequence[str] = ()
    states: Sequence[str] = ()
    numbers: Sequence[int] = ()
    timeline: "Timeline | None" = None
    turning: int = 0
    audit: Any = None
    audit_rates: Any = None
    nominal: Array | None = None
    vectors: Array = field(default_factory=lambda: NO_VECTORS)
    length: float = 1.0

    def __post_init__(self) -> None:
        """Check sizes: a driver writes to memory and trusts them."""
        ne, nk = len(self.directions), len(self.memory)
        watched = ne + self.turning > 0
        if len(self.terminal) != ne or (self.events is not None) != watched:
            raise OptionError(
                "directions and terminal need one entry for each event, got "
                f"{ne} and {len(self.terminal)}{'' if self.events else ' without events'}."
            )
        if self.switches is not None and not self.nz:
            raise OptionError("memory needs one entry for each switch, got none.")
        if self.timed > self.nz:
            raise OptionError(
                f"{self.timed} switches depend on time alone, where there are {self.nz} in all."
            )
        taken = (1, self.nq, self.nu, self.ns, self.nw, len(self.parameters), nk)
        for name, given in (
            ("rhs", (self.nq, self.nu, self.ns)),
            ("normalize", (self.nq,)),
            ("switches", (self.nz,)),
            ("revise", (nk,)),
            ("events", (ne + self.turning,)),
            ("jacobian", (self.nx**2, self.nu**2)),
        ):
            _check(name, getattr(self, name), taken, given)

    @property
    def nx(self) -> int:
        """Number of states."""
        return self.nq + self.nu + self.ns

    @property
    def timed(self) -> int:
        """Number of switches that change with time alone, at times known ahead."""
        return 0 if self.timeline is None else self.timeline.count

    @property
    def watched(self) -> Sought:
        """What there is to look for besides records."""
        if any(each is not None for each in (self.switches, self.events, self.timeline)):
            return Sought.EVENTS
        return Sought.NOTHING if self.revise is None else Sought.ANGLES

    @property
    def nz(self) -> int:
        """Number of switches."""
        if self.switches is None:
            return 0
        return len(self.memory) if self.modes is None else self.modes


def _check(name: str, kernel: Any, taken: tuple[int, ...], given: tuple[int, ...]) -> None:
    """Complain about a kernel that says its sizes, if they are not the problem's."""
    if not hasattr(kernel, "inputs"):
        return
    for what, ports, sizes in (
        ("takes", kernel.inputs, taken),
        ("gives", kernel.outputs, given),
    ):
        found = tuple(port.size for port in ports)
        if found != sizes or any(port.nonzeros is not None for port in ports):
            raise OptionError(
                f"kernel {name!r} {what} vectors of {_sizes(found)}, where the problem has "
                f"{_sizes(sizes)}; all must be dense."
            )


def _sizes(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers)) or "nothing"


@dataclass(frozen=True, eq=False)
class EventHit:
    """A crossing of an event function.

    Attributes:
        index: Which event.
        t: When [s].
        x: The state then, shape (nx,).
    """

    index: int
    t: float
    x: Array


@dataclass(frozen=True)
class Statistics:
    """How it went.

    Attributes:
        method: The method used, for example `DOP853`.
        steps: Steps accepted.
        rejected: Steps tried and given up.
        evaluations: Calls of the right-hand side.
        switches: Flips of modes.
        first_step: Length of the first accepted step [s].
        smallest_step: Length of the shortest accepted step [s].
        largest_step: Length of the longest accepted step [s].
        ticks: Ticks of the schedule that were reached.
        seconds: Wall-clock time of the integration, compiling left out [s].
        jacobians: Evaluations of the Jacobian, by implicit methods.
        factorizations: Matrices factorised, real or complex.
        changes: Changes of method by `Auto`: when, from what to what, and why.
        rebasings: Times that independent coordinates were chosen anew.
    """

    method: str
    steps: int
    rejected: int
    evaluations: int
    switches: int
    first_step: float
    smallest_step: float
    largest_step: float
    ticks: int
    seconds: float
    jacobians: int = 0
    factorizations: int = 0
    changes: tuple[str, ...] = ()
    rebasings: int = 0


@dataclass(frozen=True)
class Weighed:
    """What an audit found that went along with a run.

    Attributes:
        gap: Most of |E − E₀ − ∫ P dt| [J].
        final: E − E₀ − ∫ P dt at the end [J].
        doubt: What the integral of power may be wrong by [J].
        work: ∫ P dt [J].
        kinetic: Most of the kinetic energy [J].
        size: Most of |T| + |V| [J].
        unit: What the tolerance of one step is worth in energy [J]; 0 for fixed steps.
        jump: The largest change of the gap between two looks [J].
        jump_time: When that was [s].
        powers: How many kinds of power there are; 0 for a conservative machine, 3 where it is
            not known.
        position, velocity: Most of the scaled residuals of constraints.
        unseen: Places inside steps where a law is not in the mode that was held.
        unseen_time: The first of them [s].
        hidden: The part of forces of time that steps are too long to see.
        lost: Each angle in k less the integral of its rate [rad].
        moved: How far each state was from where it began, at most, at ends of steps.
        finite: Whether energies were finite.
        looks: How many ends of steps were looked at.
        turned: ∫ |P| dt [J]: what went in and out, seldom all of it seen at ends of steps.
    """

    gap: float
    final: float
    doubt: float
    work: float
    kinetic: float
    size: float
    unit: float
    jump: float
    jump_time: float
    powers: int
    position: float
    velocity: float
    unseen: int = 0
    unseen_time: float = 0.0
    hidden: float = 0.0
    lost: tuple[float, ...] = ()
    moved: tuple[float, ...] = ()
    finite: bool = True
    looks: int = 0
    turned: float = 0.0


class Status(StrEnum):
    """How a run ended; the value is the word that results show and files keep."""

    DONE = "done"
    TERMINATED = "terminated"  # by an event
    INTERRUPTED = "interrupted"  # by Ctrl-C
    STOPPED = "stopped"  # a function of the caller raised
    NON_FINITE = "non-finite"
    SMALLEST_STEP = "smallest step"
    DEPENDENT = "dependent"  # constraints that are independent elsewhere
    CHATTERING = "chattering"
    UNDEFINED = "undefined"  # an event that is not a number
    STEP_LIMIT = "step limit"
    NO_PROGRESS = "no progress"  # however many steps are made
    OUT_OF_REACH = "out of reach"  # of what a driver moves

    @property
    def failed(self) -> bool:
        """Whether the run ended before anybody asked it to."""
        return self not in (Status.DONE, Status.TERMINATED, Status.INTERRUPTED)

    @property
    def stuck(self) -> bool:
        """Whether steps, however short, led no further."""
        return self in (Status.NON_FINITE, Status.SMALLEST_STEP, Status.NO_PROGRESS)


@dataclass(frozen=True, eq=False)
class Track:
    """A solution, or as much of it as there is.

    Attributes:
        t: Times of the records [s], shape (n,).
        x: States, shape (n, nx).
        w: Inputs, shape (n, nw). On a tick they are those after it.
        k: Memory, shape (n, nk).
        events: Crossings in order of time.
        statistics: How it went.
        status: How it ended.
        message: The status in a sentence, with what to try.
        until_reached: The time reached [s].
        weighed: What the audit found, where one went along.
    """

    t: Array
    x: Array
    w: Array
    k: Array
    events: list[EventHit]
    statistics: Statistics
    status: Status
    message: str
    until_reached: float
    weighed: Weighed | None = None
