"""A machine near a state: ẋ = A x + B w, y = C x + D w, every entry by name.

x are changes of independent coordinates and of independent rates, w of inputs, y of any
quantities of results. The matrices are exact derivatives on the constraints; forces of
constraints at the state belong to the stiffness, so (Cᵀλ)_q is in. In a steady motion the
coordinates that it turns do not enter, and A is constant along it.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.analysis.coordinates import (
    Coordinate,
    SeenJoints,
    channel_places,
    check_names,
    choose,
    seen,
)
from bellcrank.analysis.spectrum import Spectrum, Zero, noise, spectrum
from bellcrank.analysis.steady import spins_of
from bellcrank.analysis.strain import strained
from bellcrank.analysis.tangent import Tangent, check_branches, stacked
from bellcrank.constraints.assembly.closing import Held, close
from bellcrank.errors import LostDigits, MissingExtra, OptionError, UnknownName, outside
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.machine.arguments import names_given
from bellcrank.machine.continuing import Start
from bellcrank.machine.state import State, assemble_moving
from bellcrank.machine.system import System
from bellcrank.model import Model
from bellcrank.model.elements.fields import short
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.model.names import components

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = np.ndarray
STEP = 1e-4  # [s] later is looked whether A is still the same
LEAST = 1e-8  # of a pole: a real part that tells
LOST = 1e-6  # of a pole: round-off that is told of
ROUNDED = 8.0  # times what two looks see: as much may be off
REMEDY = (
    "Take coordinates= of which each moves what is soft or what is stiff, or make rigid what "
    "is stiff."
)
RESTS = 32 * np.finfo(float).eps  # of a motion, where round-off moves what should rest
STRETCHED = 1e-9  # of a motion: a spring is no longer as it was
HIDDEN = 1e-11  # of the square of the fastest pole: what its round-off may hide
RATIOS = (0.6180339887498949, 0.4142135623730951)  # irrational, so that round-off differs


class Linearization:
    """The matrices of a machine near a state.

    Attributes:
        at: The state.
        coordinates: The independent coordinates.
        states: Names of x: coordinates, then rates, then auxiliary states.
        inputs: Names of w.
        outputs: Names of y.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> model = examples.load("double-pendulum")
        >>> bc.linearize(model, at=bc.equilibrium(model, near={"A": 1.5})).A.shape
        (4, 4)
    """

    def __init__(self, at: State, parts: "Parts", index: int = 0) -> None:
        self.at = at
        self._parts, self._index = parts, index
        self.coordinates, self.states = parts.coordinates, parts.states
        self.inputs, self.outputs = parts.inputs, parts.outputs

    # --- matrices

    def matrix(self, letter: str) -> Array:
        """Return A, B, C or D as a plain array."""
        if letter not in ("A", "B", "C", "D"):
            raise OptionError(f"the matrices are A, B, C and D, got {short(letter)}.")
        return getattr(self._parts, letter)[self._index]

    @property
    def A(self) -> "xarray.DataArray":
        """∂ẋ/∂x, labelled."""
        return self._labelled("A", self.states, self.states, "rate_of", "state")

    @property
    def B(self) -> "xarray.DataArray":
        """∂ẋ/∂w, labelled."""
        return self._labelled("B", self.states, self.inputs, "rate_of", "input")

    @property
    def C(self) -> "xarray.DataArray":
        """∂y/∂x, labelled."""
        return self._labelled("C", self.outputs, self.states, "output", "state")

    @property
    def D(self) -> "xarray.DataArray":
        """∂y/∂w, labelled."""
        return self._labelled("D", self.outputs, self.inputs, "output", "input")

    def _labelled(
        self, letter: str, rows: Sequence[str], columns: Sequence[str], down: str, across: str
    ) -> "xarray.DataArray":
        import xarray

        coords = {down: list(rows), across: list(columns)}
        return xarray.DataArray(self.matrix(letter), coords, (down, across), name=letter)

    # --- poles

    @cached_property
    def spectrum(self) -> Spectrum:
        """Poles and their shapes in nominal sizes."""
        return self.spectrum_of(self.matrix("A"))

    def spectrum_of(self, A: Array) -> Spectrum:
        """Return poles and shapes of a matrix of the states; lost digits are told of."""
        found = self._parts.spectrum(A, self._index)
        for words in told(self, found):
            warnings.warn(words, LostDigits, stacklevel=outside())
        return found

    def by_positions(self, vector: Array) -> Callable[[str], Any]:
        """Return what returns how a quantity changes with positions, rates as they were.

        Args:
            vector: Changes of the states, shape (n,).
        """
        made, i = self._parts, self._index
        nh = made.tangent.held.free.shape[-1]
        moved = (made.chart[i] @ vector)[:nh]
        channels = self.at.system.equations.channels
        places, sizes = channel_places(channels), {c.name: c.size for c in channels}

        def shown(name: str) -> Any:
            rows = [places[part] for part in components(name, sizes.get(name, 1))]
            found = made.dy[i][rows, :nh] @ moved
            return found if len(rows) > 1 else found[0]

        return shown

    @property
    def zeros(self) -> tuple[Zero, ...]:
        """Poles that are exactly zero, each with the name of what makes it so."""
        return self.spectrum.zeros

    @cached_property
    def poles(self) -> Array:
        """Eigenvalues of A [1/s], largest real part first; true zeros are exactly zero."""
        return ordered(np.concatenate([self.spectrum.poles, np.zeros(len(self.zeros))]))

    @property
    def multiplicities(self) -> dict[complex, int]:
        """Poles that are repeated, and how often."""
        found: dict[complex, int] = {}
        for pole in self.poles:
            near = [each for each in found if abs(each - pole) <= 1e-7 * abs(pole)]
            key = near[0] if near else complex(pole)
            found[key] = found.get(key, 0) + 1
        return {pole: count for pole, count in found.items() if count > 1}

    @cached_property
    def steady(self) -> bool:
        """Whether A stays as it is while the machine moves on, so that poles tell of it."""
        return self._change() <= 1e-6

    def _change(self) -> float:
        """Return the largest change of a coefficient of the characteristic polynomial.

        Poles of an A that changes along the motion tell nothing; measured per turn of the
        fastest pole.
        """
        tangent, i = self._parts.tangent, self._index
        arguments = [each[i] for each in tangent.arguments]
        moved = advanced(tangent.system, arguments, STEP)
        if moved is None:
            return 0.0
        later = parts(
            self.at.model, Tangent(tangent.system, [each[None] for each in moved]),
            (), (), [c.name for c in self.coordinates], self._parts.spins,
        )  # fmt: skip
        old, new = (np.linalg.eigvals(each) for each in (self.matrix("A"), later.A[0]))
        size = max(float(np.abs(old).max(initial=0.0)), 1.0)
        difference = np.poly(new / size) - np.poly(old / size)
        return float(np.abs(difference).max()) / STEP

    @cached_property
    def stable(self) -> bool | None:
        """Whether small changes stay small; None where the linear equations cannot tell."""
        values = self.poles[self.poles != 0]
        if not values.size:
            return None
        growth, size = np.real(values), np.abs(values)
        if (growth > LEAST * size).any():
            return False
        return True if (growth < -LEAST * size).all() else None

    # --- elsewhere

    def frequency_response(self, frequencies: Any) -> "xarray.DataArray":
        """Return C (iω − A)⁻¹ B + D at frequencies [rad/s], labelled.

        Args:
            frequencies: Angular frequencies [rad/s], shape (n,).
        """
        import xarray

        w = np.atleast_1d(np.asarray(frequencies, dtype=float))
        A, B, C, D = (self.matrix(letter) for letter in "ABCD")
        shifted = 1j * w[:, None, None] * np.eye(len(A)) - A
        values = C @ np.linalg.solve(shifted, np.broadcast_to(B, (len(w), *B.shape))) + D
        coords = {
            "frequency": ("frequency", w, {"long_name": "angular frequency", "units": "rad/s"}),
            "output": list(self.outputs),
            "input": list(self.inputs),
        }
        return xarray.DataArray(values, coords, ("frequency", "output", "input"))

    def to_scipy(self) -> Any:
        """Return a `scipy.signal.StateSpace`."""
        from scipy.signal import StateSpace

        return StateSpace(*(self.matrix(letter) for letter in "ABCD"))

    def to_control(self) -> Any:
        """Return a `control.StateSpace` of python-control, names included.

        Raises:
            MissingExtra: python-control is not installed.
        """
        try:
            import control  # type: ignore[import-not-found]
        except ImportError as error:
            raise MissingExtra("control", "control", "to_control") from error
        names = {
            "states": [name.replace(".", "_") for name in self.states],
            "inputs": [name.replace(".", "_") for name in self.inputs] or 0,
            "outputs": [name.replace(".", "_") for name in self.outputs] or 0,
        }
        return control.ss(*(self.matrix(letter) for letter in "ABCD"), **names)

    def plot(self, frequencies: Any = None, *, figure: Any = None) -> "Figure":
        """Return a figure of the poles, or of the response over frequencies [rad/s]."""
        from bellcrank.analysis.plots import bode, poles

        if frequencies is None:
            return poles(self, figure)
        return bode(self.frequency_response(frequencies), figure)

    def __repr__(self) -> str:
        A = self.matrix("A")
        lines = [
            f"linearization of '{self.at.model.name}' at t = {self.at.t:g} s: {len(A)} states, "
            f"{len(self.inputs)} inputs, {len(self.outputs)} outputs",
            f"  states  {', '.join(self.states)}",
        ]
        for name, value in (("inputs", self.inputs), ("outputs", self.outputs)):
            if value:
                lines.append(f"  {name:7} {', '.join(value)}")
        lines += ["  poles   " + line for line in pole_lines(self.poles)]
        for zero in self.zeros:
            lines.append(f"  zero    {zero}")
        for pole, count in self.multiplicities.items():
            if pole:
                lines.append(f"  {count} times {pole:.6g}")
        if not self.steady:
            lines.append(
                "  linearized about a moving state: A is time-varying, and its poles do not "
                "decide stability"
            )
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


@dataclass(frozen=True, eq=False)
class Parts:
    """The matrices of a batch of states, and what they are made of.

    Attributes:
        A, B, C, D: Shape (b, …).
        coordinates, states, inputs, outputs: As of `Linearization`.
        sizes: Nominal sizes of the states, shape (n,).
        noise: What counts as nothing in A in nominal sizes, shape (b, n, n).
        chart: Takes x to the directions of the tangent, shape (b, k, n).
        directions: Of the tangent, by argument.
        dy: Changes of all channels along them.
        seen: Coordinates of joints along them.
        tangent: Where it was done.
        spins: As of `coordinates.seen`.
        model: The machine.
        picked: Numbers of the independent coordinates and rates among those of joints.
    """

    A: Array
    B: Array
    C: Array
    D: Array
    coordinates: tuple[Coordinate, ...]
    states: tuple[str, ...]
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    sizes: Array
    noise: Array
    chart: Array
    directions: Mapping[str, Array]
    dy: Array
    seen: SeenJoints
    tangent: Tangent
    spins: Mapping[str, Array] | None
    model: Model
    picked: tuple[list[int], list[int]]

    def scaled(self, A: Array) -> Array:
        """Return matrices in nominal sizes of the states, shape (…, n, n)."""
        return A * self.sizes / self.sizes[:, None]

    def spectrum(self, A: Array, index: int) -> Spectrum:
        """Return poles and shapes of a matrix of the states, as at the state of that number."""
        scaled, noise = self.scaled(A), self.noise[index]
        found = spectrum(scaled, self.states, noise)
        if found.doubtful:
            found = spectrum(scaled, self.states, noise, self.doubt[index])
        return replace(found, shapes=self._kept_together(found.poles, found.shapes))

    def _kept_together(self, poles: Array, shapes: Array) -> Array:
        """Return shapes in which rates are λ times their coordinates, shape (n, m).

        Eigenvectors are right to ε of their length: coordinates of fast modes, and rates of
        slow ones, are far smaller, and are told better by the others.
        """
        found, n = shapes.copy(), len(self.coordinates)
        (at, by), fast = self.picked, np.abs(poles) > 1.0
        for i, coordinate in enumerate(at):
            if coordinate in by:
                j = n + by.index(coordinate)
                found[i] = np.where(fast, shapes[j] / poles, shapes[i])
                found[j] = np.where(fast, shapes[j], shapes[i] * poles)
        return found

    @cached_property
    def doubt(self) -> Array:
        """How far round-off moves entries of A, in nominal sizes, shape (b, n, n).

        Seen at states that differ by it, along directions of other lengths, where the same
        terms are rounded otherwise; stiff springs are loaded by the first.
        """
        found = np.zeros_like(self.A)
        for ratio in RATIOS:
            tangent = _nudged(self.tangent, ratio)
            directions, _ = _directions(self.model, tangent, self.spins, self.picked)
            for name, each in directions.items():
                directions[name] = each * (1.0 + _scattered(ratio, each.shape[-1]))
            again = Moved.along(self.model, tangent, directions, self.picked, self.spins)
            found = np.maximum(found, np.abs(again.A - self.A))
        return ROUNDED * self.scaled(found)


@dataclass(frozen=True, eq=False)
class Moved:
    """How the states of the linear equations and their rates change along directions.

    Attributes:
        x: Changes of the states, shape (b, n, k).
        xd: Changes of their rates.
        chart: Takes x to the directions without those of inputs, shape (b, n, n).
        A: ∂ẋ/∂x, shape (b, n, n).
        directions: Of the tangent, by argument.
        dy: Changes of all channels.
        joints: Coordinates of joints.
    """

    x: Array
    xd: Array
    chart: Array
    A: Array
    directions: Mapping[str, Array]
    dy: Array
    joints: SeenJoints

    @staticmethod
    def along(
        model: Model,
        tangent: Tangent,
        directions: Mapping[str, Array],
        picked: tuple[list[int], list[int]],
        spins: Mapping[str, Array] | None,
    ) -> "Moved":
        """Return the changes along directions; arguments as of `Parts`."""
        at, by = picked
        directions = tangent.followed(directions)
        everything = tangent.changes("observe", directions)
        motion = tangent.changes("motion", directions)
        joints = seen(model, tangent.system, everything["y"], everything["d_y"], spins)
        own = directions["s"]
        x = np.concatenate([joints.position[:, at], joints.rate[:, by], own], axis=1)
        xd = np.concatenate(
            [joints.rate[:, at], joints.acceleration[:, by], motion["d_sd"]], axis=1
        )
        free = x.shape[1]
        chart = np.linalg.inv(x[:, :, :free])
        A = xd[:, :, :free] @ chart
        return Moved(x, xd, chart, A, directions, everything["d_y"], joints)


def linearize(
    model: Model,
    at: Start = None,
    *,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    coordinates: Sequence[str] = (),
    parameters: Mapping[str, float] | None = None,
    t: float | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
) -> Linearization:
    """Return the linear equations of a machine near a state.

    Args:
        model: The machine.
        at: The state: a `State` such as `bc.equilibrium` gives, a result, whose end is taken,
            or coordinates and rates by name. It need not be at rest.
        inputs: Names of the inputs of the model that w has; None for all.
        outputs: Names of quantities of results that y has; vectors as their components.
        coordinates: Names of independent coordinates of joints; chosen where none are given.
        parameters: Values by name over the model's own.
        t: The time [s].
        formulation: How the equations are written; all give the same.

    Raises:
        UnknownName: There is no such input, output or coordinate.
        OptionError: Coordinates that are not independent, or too few.
        StartError: The state cannot be assembled.
        SingularTangent: Branches of motion meet at the state.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> model = examples.load("double-pendulum")
        >>> bc.linearize(model, at=bc.equilibrium(model, near={"A": 1.5})).A.shape
        (4, 4)
    """
    state = assemble_moving(model, at, parameters=parameters, t=t, formulation=formulation)
    return linearized([state], inputs, outputs, coordinates, steady_spins(at))[0]


def steady_spins(at: Start) -> dict[str, Array] | None:
    """Return how joints spin in a steady motion; None where a state is of none."""
    if not isinstance(at, State) or not getattr(at, "rates", None):
        return None
    return spins_of(at.rates, [joint.name for joint in at.model.joints])  # type: ignore[attr-defined]


def all_spins(states: Sequence[State]) -> dict[str, Array] | None:
    """Return how joints spin in many steady motions, shapes (b, 3); None where one is none."""
    each = [steady_spins(state) for state in states]
    known = [spins for spins in each if spins is not None]
    if not known or len(known) < len(each):
        return None
    return {joint: np.stack([spins[joint] for spins in known]) for joint in known[0]}


def linearized(
    states: Sequence[State],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    coordinates: Sequence[str] = (),
    spins: Mapping[str, Array] | None = None,
) -> list[Linearization]:
    """Return the linear equations near many states of one system, computed together."""
    tangent = Tangent(states[0].system, stacked(states))
    check_branches(states[0], tangent.held, "has no linear equations there")
    found = parts(states[0].model, tangent, inputs, outputs, coordinates, spins)
    return [Linearization(state, found, i) for i, state in enumerate(states)]


def parts(
    model: Model,
    tangent: Tangent,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    coordinates: Sequence[str] = (),
    spins: Mapping[str, Array] | None = None,
) -> Parts:
    """Return the matrices near a batch of states; arguments as of `linearize` and `seen`."""
    system, e = tangent.system, tangent.system.equations
    known = tuple(system.inputs)
    wanted = known if inputs is None else names_given("inputs", inputs)
    for name in wanted:
        if name not in known:
            raise UnknownName("input", name, known)
    nh, n = tangent.held.free.shape[-1], tangent.rows.free.shape[-1]
    ns = len(e.auxiliary)
    directions, (at, by) = _directions(model, tangent, spins, None, coordinates)
    moved = Moved.along(model, tangent, directions, (at, by), spins)
    x, A, chart, joints = moved.x, moved.A, moved.chart, moved.joints
    free = nh + n + ns
    B = moved.xd[:, :, free:] - A @ x[:, :, free:]
    place, names = channel_places(e.channels), scalars(e.channels, outputs)
    rows = [place[name] for name in names]
    C = moved.dy[:, rows, :free] @ chart
    D = moved.dy[:, rows, free:] - C @ x[:, :, free:]
    columns = [known.index(name) for name in wanted]
    taken = tuple(joints.coordinates[i] for i in at)
    states = (
        *(c.name for c in taken),
        *(joints.coordinates[i].rate for i in by),
        *(v.name for v in e.auxiliary),
    )
    sizes = _sizes(joints, at, by, e)
    terms = np.abs(moved.xd[:, :, :free]) @ np.abs(chart) * sizes / sizes[:, None]
    values = dict(zip(system.parameters, tangent.arguments[5][0].tolist(), strict=True))
    nothing = _noise(joints, terms, (nh, n), e.length(), _gravity(model, values))
    return Parts(
        A, B[:, :, columns], C, D[:, :, columns], taken, states, wanted, tuple(names),
        sizes, nothing, chart,
        moved.directions, moved.dy, joints, tangent, spins, model, (at, by),
    )  # fmt: skip


def _directions(
    model: Model,
    tangent: Tangent,
    spins: Mapping[str, Array] | None,
    picked: tuple[list[int], list[int]] | None,
    coordinates: Sequence[str] = (),
) -> tuple[dict[str, Array], tuple[list[int], list[int]]]:
    """Return directions, each of one coordinate or rate, and the numbers of these.

    Args:
        model: The machine.
        tangent: The states.
        spins: As of `coordinates.seen`.
        picked: The numbers, where they are known.
        coordinates: As of `linearize`.
    """
    system = tangent.system
    directions = tangent.directions(inputs=bool(system.inputs))
    shown = tangent.changes("observe", directions)
    joints = seen(model, system, shown["y"], shown["d_y"], spins)
    if picked is None:
        nh, n = tangent.held.free.shape[-1], tangent.rows.free.shape[-1]
        picked = chosen(joints, system.equations.length(), nh, n, coordinates)
    at, by = picked
    return aligned(tangent, directions, joints.position[:, at], joints.rate[:, by]), picked


def _nudged(tangent: Tangent, ratio: float) -> Tangent:
    """Return states whose coordinates differ by round-off."""
    t, q, u, *others = tangent.arguments
    sizes = np.array([each.scale for each in tangent.system.equations.coordinates])
    q = q + np.spacing(np.maximum(np.abs(q), sizes)) * (0.5 - _scattered(ratio, q.shape[-1]))
    return Tangent(tangent.system, [t, q, u, *others])


def _scattered(ratio: float, count: int) -> Array:
    """Return numbers in [0, 1) that have nothing in common, by an irrational ratio."""
    return ratio * (1 + np.arange(count)) % 1.0


def aligned(
    tangent: Tangent, directions: Mapping[str, Array], place: Array, rate: Array
) -> dict[str, Array]:
    """Return directions of which each changes one independent coordinate, or one rate.

        D ← D [[P, 0], [R, V]]⁻¹

    Directions as `Tangent` gives them are orthonormal, and each moves all joints: what a soft
    spring does along one would drown in the rounding of what a stiff one does. Along these a
    stiff spring rests but for ε while a coordinate changes that is not its own; bodies that
    rest do so exactly.

    Args:
        tangent: The states.
        directions: By argument: first those that change positions, then speeds, then others.
        place: Changes P of independent coordinates along them, shape (b, nh, k).
        rate: Changes R, V of independent rates, shape (b, n, k).
    """
    nh, n, sizes = place.shape[1], rate.shape[1], tangent.system.speed_sizes
    P, V = np.linalg.inv(place[:, :, :nh]), np.linalg.inv(rate[:, :, nh : nh + n])
    found = {name: given.copy() for name, given in directions.items()}
    speeds = _rested(tangent.rows.free @ V, sizes)
    found["q"][:, :, :nh] = tangent.W @ _rested(tangent.held.free @ P, sizes)
    carried = (directions["u"][:, :, :nh] - speeds @ rate[:, :, :nh]) @ P
    found["u"][:, :, :nh] = _rested(carried, sizes)
    found["u"][:, :, nh : nh + n] = speeds
    return found


def _rested(motions: Array, sizes: Array) -> Array:
    """Return motions, shape (b, nu, k), without entries that are round-off of the largest."""
    measured = np.abs(motions) / sizes[:, None]
    return np.where(measured > RESTS * measured.max(axis=1, keepdims=True), motions, 0.0)


def chosen(
    joints: SeenJoints, length: float, nh: int, n: int, wanted: Sequence[str] = ()
) -> tuple[list[int], list[int]]:
    """Return which coordinates and which rates are independent, by their numbers.

    Args:
        joints: All coordinates, along directions of which the first nh change positions and
            the next n speeds.
        length: Of the machine [m].
        nh: Independent coordinates.
        n: Independent rates.
        wanted: Names of coordinates that the user chose.
    """
    names = check_names(wanted, joints.coordinates)
    at = choose(joints.coordinates, joints.position[0, :, :nh], length, nh, names)
    by = choose(joints.coordinates, joints.rate[0, :, nh : nh + n], length, n, (), at)
    return at, sorted(by, key=lambda i: (at.index(i) if i in at else len(at), i))


def scalars(channels: Sequence[Any], names: Sequence[str]) -> list[str]:
    """Return names of results as scalars: vectors become their components.

    Raises:
        UnknownName: There is no such quantity.
    """
    names = names_given("outputs", names)
    sizes = {channel.name: channel.size for channel in channels}
    single = set(channel_places(channels))
    found: list[str] = []
    for name in names:
        if name in sizes:
            found += components(name, sizes[name])
        elif name in single:
            found.append(name)
        else:
            raise UnknownName("quantity", name, sizes)
    return found


def _sizes(joints: SeenJoints, at: Sequence[int], by: Sequence[int], e: Any) -> Array:
    """Return nominal sizes of the states: the machine's length for lengths, else one."""
    length = e.length()
    own = [length if joints.coordinates[i].unit == "m" else 1.0 for i in (*at, *by)]
    return np.array([*own, *(v.scale for v in e.auxiliary)])


def _noise(
    joints: SeenJoints, terms: Array, counts: tuple[int, int], length: float, gravity: float
) -> Array:
    """Return what counts as nothing in A, in nominal sizes, shape (b, n, n).

    Args:
        joints: Coordinates of joints there.
        terms: Sizes of the terms of A in nominal sizes, shape (b, n, n).
        counts: Numbers of coordinates and of rates among the states.
        length: Of the machine [m].
        gravity: Its size [m/s²].
    """
    units = np.array([length if c.unit == "m" else 1.0 for c in joints.coordinates])
    rates = np.abs(joints.speed / units).max(axis=1, initial=0.0)
    every = zip(terms, rates, strict=True)
    return np.array([noise(each, counts, float(w), gravity / length) for each, w in every])


def _gravity(model: Model, values: Mapping[str, float]) -> float:
    """Return the size of a uniform field of gravity [m/s²]; zero where it is another one."""
    given = model.gravity
    if not isinstance(given, tuple | list):
        return 0.0
    entries = [evaluate(e, values) if isinstance(e, Expression) else e for e in given]
    return float(np.linalg.norm(np.array(entries, dtype=float)))


def advanced(system: System, arguments: Sequence[Array], h: float) -> list[Array] | None:
    """Return the arguments of a slot a moment later, by one step of RK4; None at rest.

    Args:
        system: The machine.
        arguments: At one state.
        h: How much later [s].
    """
    t, q, u, s, w, p, k = arguments
    if not u.size or not np.abs(u).max(initial=0.0):
        return None

    def rate(c: float, by: Array) -> Array:
        at = [t + c * h, *system.split(x + c * h * by), w, p, k]
        W, offset = system.ask("kinematics", at, level=0)
        return np.concatenate([W @ at[2] + offset, system.rates(at), np.zeros(len(s))])

    x = np.concatenate([q, u, s])
    k1 = rate(0.0, np.zeros_like(x))
    k2 = rate(0.5, k1)
    k3 = rate(0.5, k2)
    k4 = rate(1.0, k3)
    x = x + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    if system.equations.has("normalize"):
        x[: len(q)] = system.ask("normalize", [t + h, *system.split(x), w, p, k], level=0)[0]
    if system.equations.rows:
        nothing, kept = np.zeros(len(u), dtype=bool), k[system.equations.modes :]
        x = close(system, float(t[0]) + h, x, w, p, Held(nothing, nothing), kept)
    return [t + h, *system.split(x), w, p, k]


def told(linear: Linearization, found: Spectrum) -> Iterator[str]:
    """Return sentences on poles of which round-off leaves few digits, and on hidden ones."""
    name, fastest = linear.at.model.name, np.abs(found.poles).max(initial=0.0)
    worst = int(np.argmax(found.errors)) if len(found.errors) else 0
    if len(found.errors) and found.errors[worst] > LOST:
        error, shape = found.errors[worst], np.abs(found.shapes[:, worst])
        n = len(linear.coordinates)
        most = int(np.argmax(shape[:n] if shape[:n].any() else shape))
        yield (
            f"the pole {_short(found.poles[worst])} 1/s of '{name}', mainly "
            f"'{linear.states[most]}', {known_to(error)}, since round-off of what makes the "
            f"fastest, {fastest:.3g} 1/s, comes near it. {REMEDY}"
        )
    for zero in found.zeros:
        springs = _hidden(linear, zero, fastest)
        if springs or zero.neglected:
            beside = (
                f"'{springs[0]}'" if springs else f"{zero.neglected:.1g} of what acts there"
            )
            yield (
                f"'{name}' has a pole that counts as zero, {zero}, beside the fastest of "
                f"{fastest:.3g} 1/s: {beside} is too soft to tell. Make rigid what is stiff."
            )


def _hidden(linear: Linearization, zero: Zero, fastest: float) -> list[str]:
    """Return springs that a pole of zero stretches, too soft beside the fastest pole to count.

    A spring whose force others cancel, such as the weight of what it holds, is none of them.
    """
    made, i, n = linear._parts, linear._index, len(linear.coordinates)
    if not zero.shape[:n].any():
        return []
    shape = zero.shape * made.sizes
    by = [
        made.picked[1].index(each) if each in made.picked[1] else -1 for each in made.picked[0]
    ]
    du = made.directions["u"][i]
    u = sum(du[:, n + k] * shape[j] for j, k in enumerate(by) if k >= 0)
    inertia = float(u @ made.tangent.A[i] @ u)
    length = linear.at.system.equations.length()
    least = STRETCHED * np.abs(zero.shape[:n]).max() * min(length, 1.0)
    springs = strained(linear.at, linear.by_positions(shape))
    return [
        name
        for name, (energy, stretch) in springs.items()
        if stretch > least and 0.0 < 2.0 * energy <= HIDDEN * fastest**2 * inertia
    ]


def known_to(error: float) -> str:
    """Return how well a number is known, as words."""
    return f"is known to {error:.1g} of its size" if error < 1.0 else "is round-off"


def _short(pole: complex) -> str:
    """Return a pole as text of three digits."""
    pole = complex(cleaned(np.array([pole]))[0])
    return f"{pole.real:.3g}" if not pole.imag else f"{pole.real:.3g} ± {abs(pole.imag):.3g} i"


def ordered(values: Array) -> Array:
    """Return poles with the largest real part first, pairs side by side."""
    values = cleaned(values)
    real, imaginary, size = np.real(values), np.imag(values), np.abs(values)
    digit = 1e-9 * 10.0 ** np.floor(np.log10(np.where(size > 0.0, size, 1.0)))
    order = np.lexsort((-imaginary, np.abs(imaginary), -np.round(real / digit) * digit))
    return values[order]


def cleaned(values: Array) -> Array:
    """Return poles without real and imaginary parts that are round-off of the other."""
    real, imaginary, size = np.real(values), np.imag(values), np.abs(values)
    imaginary = np.where(np.abs(imaginary) <= 1e-12 * size, 0.0, imaginary)
    return np.where(np.abs(real) <= 1e-14 * size, 0.0, real) + 1j * imaginary


def pole_lines(values: Array) -> list[str]:
    """Return poles as text: real ones, and pairs with frequency and damping."""
    lines = []
    zeros = int((values == 0).sum())
    for pole in values:
        if pole.imag < 0 or pole == 0:
            continue
        if pole.imag == 0:
            lines.append(f"{pole.real:.9g}")
            continue
        size = abs(pole)
        hertz, damping = size / (2 * np.pi), -pole.real / size + 0.0
        real = f"{pole.real:.9g} ± " if abs(damping) > 1e-12 else "± "
        damping = damping if abs(damping) > 1e-12 else 0.0
        lines.append(f"{real}{pole.imag:.9g} i   ({hertz:.6g} Hz, damping {damping:.4g})")
    if zeros:
        lines.append(f"0{f', {zeros} times' if zeros > 1 else ''}")
    return lines
