"""How a machine vibrates: frequencies, damping, shapes; over a parameter, root loci.

A mode is an eigenvalue λ of the linear equations about a state, and an eigenvector, which every
quantity of results shows as a complex number: what moves with it is Re(shape exp(λ t)). Over a
parameter the branches are followed by their shapes, not sorted by size.
"""

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.analysis.coordinates import channel_places
from bellcrank.analysis.equilibrium import Equilibrium, equilibrium
from bellcrank.analysis.linearize import (
    LOST,
    REMEDY,
    Linearization,
    Parts,
    all_spins,
    cleaned,
    known_to,
    linearized,
    steady_spins,
)
from bellcrank.analysis.spectrum import SLOW, eigen, uncertainty
from bellcrank.analysis.strain import shares
from bellcrank.constraints.assembly.closing import Held, close
from bellcrank.errors import LostDigits, OptionError, UnknownName, outside
from bellcrank.files.written import Written
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.machine.arguments import floats
from bellcrank.machine.continuing import Start
from bellcrank.machine.state import State, assemble, assemble_moving
from bellcrank.model import Model, mass_properties
from bellcrank.model.elements.fields import short
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.model.names import components
from bellcrank.results import Result
from bellcrank.results.record import all_labels
from bellcrank.spatial.attitudes import rotation

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = np.ndarray
Eigen = Callable[[Array], tuple[Array, Array]]
"""Gives poles and shapes for values of a parameter."""

FRAMES = 48  # of one period of an animation
ALIKE = 0.9  # correlation of shapes that belong to one branch
STANDING = 1e-9  # of the largest pole: a real part that is none
REFINED = 6  # halvings of an interval in which shapes turn too fast


@dataclass(frozen=True, eq=False)
class Mode:
    """One way in which a machine moves by itself, near a state.

    Attributes:
        pole: λ [1/s]; of a pair, the one with a positive imaginary part.
        vector: The states of the linearization in it; the largest of them is 1.
        linear: The linear equations.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> model = examples.load("double-pendulum")
        >>> slow = bc.modes(model, at=bc.equilibrium(model, near={"A": 1.5}))[0]
        >>> round(slow.hertz, 4)
        0.4266
    """

    pole: complex
    vector: Array
    linear: Linearization

    @property
    def frequency(self) -> float:
        """Undamped frequency |λ| [rad/s]; 0 where it does not oscillate."""
        return abs(self.pole) if self.pole.imag else 0.0

    @property
    def hertz(self) -> float:
        """Undamped frequency [Hz]."""
        return self.frequency / (2 * np.pi)

    @property
    def damping(self) -> float:
        """Damping ratio −Re λ / |λ|; 0 where λ is."""
        return -self.pole.real / abs(self.pole) if self.pole else 0.0

    @cached_property
    def _channels(self) -> Array:
        made, i = self.linear._parts, self.linear._index
        free = made.chart.shape[-1]
        return made.dy[i][:, :free] @ (made.chart[i] @ self.vector)

    def __getitem__(self, name: str) -> Any:
        channels = self.linear.at.system.equations.channels
        places = channel_places(channels)
        sizes = {channel.name: channel.size for channel in channels}
        if name in places:
            return complex(self._channels[places[name]])
        if name in sizes:
            return self._channels[[places[part] for part in components(name, sizes[name])]]
        raise UnknownName("quantity", name, sizes)

    @property
    def participation(self) -> dict[str, float]:
        """How much each coordinate of a joint moves, the most by 1; lengths by the size."""
        made, i = self.linear._parts, self.linear._index
        moved = made.seen.position[i][:, : made.chart.shape[-1]] @ (made.chart[i] @ self.vector)
        length = self.linear.at.system.equations.length()
        units = [length if c.unit == "m" else 1.0 for c in made.seen.coordinates]
        size = np.abs(moved) / np.array(units) if len(moved) else np.zeros(0)
        most = max(float(size.max(initial=0.0)), 1e-300)
        return {
            c.name: float(s / most) for c, s in zip(made.seen.coordinates, size, strict=True)
        }

    @property
    def energies(self) -> dict[str, float]:
        """Shares of bodies in the kinetic energy."""
        state = self.linear.at
        found = {}
        for body in state.model.bodies:
            mass, inertia = _inertia(body, state)
            v, w = self[f"{body.name}.velocity"], self[f"{body.name}.angular_velocity"]
            found[body.name] = float(
                mass * (np.conj(v) @ v).real + (np.conj(w) @ inertia @ w).real
            )
        total = sum(found.values())
        return {name: part / total if total else 0.0 for name, part in found.items()}

    @property
    def strain_energies(self) -> dict[str, float]:
        """Shares of springs in the strain energy, by the name of their element."""
        return shares(self.linear.at, self.linear.by_positions(self.vector))

    def motion(self, amplitude: float | None = None, periods: float = 2.0) -> Result:
        """Return the mode as a motion, closed at every frame, for plots and animations.

        Args:
            amplitude: How far moves what moves most [rad, lengths of the machine]; 0.2 if None.
            periods: How long it is.
        """
        return _motion(self, 0.2 if amplitude is None else float(amplitude), periods)

    def __repr__(self) -> str:
        parts = sorted(self.participation.items(), key=lambda item: -item[1])[:4]
        told = ", ".join(f"{name} {part:.2f}" for name, part in parts if part > 0.01)
        return f"<Mode {_pole_text(self.pole)}: {told}>"


class Modes(Sequence[Mode]):
    """The modes of a machine near a state, slowest first; `modes[0]`, `modes.frequencies`.

    Attributes:
        linear: The linear equations.
        at: The state.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> model = examples.load("double-pendulum")
        >>> rest = bc.equilibrium(model, near={"A": 1.5})
        >>> bc.modes(model, at=rest).frequencies.round(3)
        array([2.68 , 7.189])
    """

    def __init__(self, linear: Linearization, undamped: bool = False) -> None:
        self.linear, self.at = linear, linear.at
        self._modes = _modes(linear, undamped)

    def __getitem__(self, place: Any) -> Any:
        return self._modes[place]

    def __len__(self) -> int:
        return len(self._modes)

    def __iter__(self) -> Iterator[Mode]:
        return iter(self._modes)

    @property
    def poles(self) -> Array:
        """λ of every mode [1/s]; of pairs, the ones with positive imaginary parts."""
        return np.array([mode.pole for mode in self._modes])

    @property
    def frequencies(self) -> Array:
        """Undamped frequencies [rad/s]."""
        return np.array([mode.frequency for mode in self._modes])

    @property
    def damping(self) -> Array:
        """Damping ratios."""
        return np.array([mode.damping for mode in self._modes])

    @property
    def dataset(self) -> "xarray.Dataset":
        """Poles, frequencies, damping, participation and energies as an xarray Dataset."""
        import xarray

        names, bodies, springs = (
            list(getattr(self._modes[0], each)) if self._modes else []
            for each in ("participation", "energies", "strain_energies")
        )

        def table(each: str) -> Array:
            rows = [list(getattr(mode, each).values()) for mode in self._modes]
            return np.array(rows).reshape(len(rows), -1)

        values = {
            "pole": ("mode", self.poles, {"units": "1/s"}),
            "frequency": ("mode", self.frequencies, {"units": "rad/s"}),
            "damping": ("mode", self.damping, {"units": "1"}),
            "participation": (("mode", "coordinate"), table("participation")),
            "kinetic_energy": (("mode", "body"), table("energies")),
            "strain_energy": (("mode", "spring"), table("strain_energies")),
        }
        coords = {"mode": range(1, len(self) + 1), "coordinate": names}
        return xarray.Dataset(values, coords | {"body": bodies, "spring": springs})

    def animate(
        self, number: int, path: str | Path | None = None, amplitude: float | None = None
    ) -> Result:
        """Return a mode as a motion, and write it as one HTML file that plays anywhere.

        Args:
            number: Which, counted from 1 as they are printed.
            path: A file name that ends in `.html`; None to write none.
            amplitude: As of `Mode.motion`.

        Raises:
            OptionError: There is no such mode.
        """
        if not isinstance(number, int) or not 1 <= number <= len(self):
            raise OptionError(f"there are modes 1 to {len(self)}, got {short(number)}.")
        run = self[number - 1].motion(amplitude)
        if path is not None:
            run.animate(path)
        return run

    def plot(self, *, figure: Any = None) -> "Figure":
        """Return a figure of the poles."""
        from bellcrank.analysis.plots import poles

        return poles(self.linear, figure)

    def __repr__(self) -> str:
        head = f"modes of '{self.at.model.name}': {len(self)}"
        lines = [head]
        for n, mode in enumerate(self._modes, 1):
            parts = sorted(mode.participation.items(), key=lambda item: -item[1])[:4]
            told = ", ".join(f"{name} {part:.2f}" for name, part in parts if part > 0.01)
            lines.append(f"  {n:2}  {_pole_text(mode.pole):48} {told}")
        lines += [f"      0: {zero}" for zero in self.linear.zeros]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


class Locus:
    """Poles of a machine over a parameter, branch by branch.

    Attributes:
        name: What changes.
        values: Its values, shape (n,).
        poles: Poles [1/s], shape (n, branches); each column is one branch.
        shapes: Their shapes in `states`, shape (n, branches, states), unit length.
        states: The names of the states that are not cyclic.
        zeros: How many poles are zero for all values, and not among the branches.

    Examples:
        >>> import bellcrank as bc
        >>> k = bc.Parameter("k", 1.0)
        >>> model = bc.Model("swing",
        ...     bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=3.0))],
        ...     joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        ...     forces=[bc.JointSpring("spring", "A", stiffness=k)], gravity=(0, 0, 0))
        >>> abs(bc.modes(model, over={"k": [1.0, 4.0, 9.0]}).poles[:, 0]).round(6)
        array([1., 2., 3.])
    """

    def __init__(
        self, name: str, values: Array, poles: Array, shapes: Array, states: tuple[str, ...],
        zeros: int, model: Model, eigen: "Eigen",
    ) -> None:  # fmt: skip
        self.name, self.values, self.poles, self.shapes = name, values, poles, shapes
        self.states, self.zeros, self.model, self._eigen = states, zeros, model, eigen

    @property
    def correlations(self) -> Array:
        """Correlation of shapes from value to value, shape (n − 1, branches)."""
        return np.abs(np.einsum("nbs,nbs->nb", np.conj(self.shapes[:-1]), self.shapes[1:]))

    @property
    def stable(self) -> Array:
        """Whether no pole has a positive real part, shape (n,)."""
        return np.real(self.poles).max(axis=1) <= STANDING * np.abs(self.poles).max()

    @cached_property
    def crossings(self) -> Array:
        """The values at which stability changes, to round-off."""
        stable = self.stable
        ends = np.flatnonzero(stable[1:] != stable[:-1])
        return np.array([self._crossing(self.values[i], self.values[i + 1]) for i in ends])

    def _crossing(self, low: float, high: float) -> float:
        """Return where stability changes between two values, by bisection."""
        limit = STANDING * np.abs(self.poles).max()

        def growth(value: float) -> float:
            return float(self._eigen(np.array([value, value]))[0][0].real.max())

        ends = growth(low), growth(high)
        if min(ends) < -limit:  # it passes through zero, and does not just leave it
            limit = 0.0
        first = ends[0] > limit
        for _ in range(60):
            middle = 0.5 * (low + high)
            if middle in (low, high):
                break
            low, high = (middle, high) if (growth(middle) > limit) == first else (low, middle)
        return 0.5 * (low + high)

    def critical(self, order: float = 1.0) -> Array:
        """Return the values at which a frequency is `order` times the value itself, to 1e-10.

        Where the values are speeds of rotation [rad/s], what turns excites that branch there.
        """
        found = []
        for branch, whirl in enumerate(np.imag(self.poles).T):
            gap = np.abs(whirl) - order * np.abs(self.values)
            turns = (whirl > 0) & (gap != 0)
            ends = np.flatnonzero((gap[1:] * gap[:-1] < 0) & turns[1:] & turns[:-1])
            found += [self._meeting(int(i), branch, order) for i in ends]
        return np.array(sorted(found))

    def _meeting(self, i: int, branch: int, order: float) -> float:
        """Return where a branch meets a multiple of the value, between two values."""
        shape = self.shapes[i, branch]

        def gap(value: float) -> float:
            poles, shapes = self._eigen(np.array([value, value]))
            alike = np.abs(np.conj(shapes[0]) @ shape) * (poles[0].imag > 0)
            return abs(poles[0][np.argmax(alike)].imag) - order * abs(value)

        from scipy.optimize import root_scalar

        ends = float(self.values[i]), float(self.values[i + 1])
        return float(root_scalar(gap, bracket=ends, xtol=1e-12, rtol=1e-14).root)

    def campbell(self, orders: Sequence[float] = (1.0,), *, figure: Any = None) -> "Figure":
        """Return a Campbell diagram: frequencies over a speed of rotation [rad/s].

        Args:
            orders: Multiples of the speed that are drawn as lines; where they meet a branch is
                marked.
            figure: To draw into.
        """
        from bellcrank.analysis.plots import campbell

        met = {order: self.critical(order) for order in orders}
        return campbell(self.values, self.poles, self.name, met, figure)

    @property
    def dataset(self) -> "xarray.Dataset":
        """Poles over the parameter as an xarray Dataset."""
        import xarray

        branch = list(range(1, self.poles.shape[1] + 1))
        coords = {self.name: self.values, "branch": branch, "state": list(self.states)}
        return xarray.Dataset(
            {
                "pole": ((self.name, "branch"), self.poles, {"units": "1/s"}),
                "shape": ((self.name, "branch", "state"), self.shapes),
            },
            coords,
        )

    def plot(self, *, figure: Any = None) -> "Figure":
        """Return a figure of real parts and frequencies over the parameter."""
        from bellcrank.analysis.plots import locus

        return locus(self.values, self.poles, self.name, figure)

    def __repr__(self) -> str:
        lines = [
            f"poles of '{self.model.name}' over {self.name} = {self.values[0]:g} … "
            f"{self.values[-1]:g}: {self.poles.shape[1]} branches, {self.zeros} zeros"
        ]
        lines += [f"  stability changes at {self.name} = {v:.9g}" for v in self.crossings]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def modes(
    model: Model,
    at: Start = None,
    *,
    over: Mapping[str, Any] | None = None,
    undamped: bool = False,
    coordinates: Sequence[str] = (),
    parameters: Mapping[str, float] | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
) -> Any:
    """Return how a machine vibrates near a state; over a parameter, its root locus.

    Args:
        model: The machine.
        at: The state; None for the equilibrium near the drawing. Steady motions do, too.
        over: One parameter, or one coordinate or rate of `at`, with its values:
            `{"P": np.linspace(0, 3, 50)}`. Without `at`, or where it is an `Equilibrium`, that
            is sought anew for every value; a rate is then a steady one.
        undamped: Whether forces that depend on rates are left out.
        coordinates: Names of independent coordinates; chosen where none are given.
        parameters: Values by name over the model's own.
        formulation: How the equations are written; all give the same.

    Returns:
        `Modes`, or a `Locus` where `over` is given.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> model = examples.load("double-pendulum")
        >>> rest = bc.equilibrium(model, near={"A": 1.5})
        >>> bc.modes(model, at=rest).frequencies.round(3)
        array([2.68 , 7.189])
    """
    if over is not None:
        return _locus(model, at, over, coordinates, parameters, formulation)
    if at is None:
        state: State = equilibrium(model, parameters=parameters, formulation=formulation)
    else:
        state = assemble_moving(model, at, parameters=parameters, formulation=formulation)
    spins = steady_spins(state if at is None else at)
    return Modes(linearized([state], coordinates=coordinates, spins=spins)[0], undamped)


def _modes(linear: Linearization, undamped: bool) -> list[Mode]:
    """Return the modes of a linearization, slowest first; zeros are left to `zeros`."""
    made = linear._parts
    if undamped:
        A, n = linear.matrix("A").copy(), len(linear.coordinates)
        if len(A) != 2 * n:
            raise OptionError("undamped modes take machines without rolling and own states.")
        A[n:, n:] = 0.0
        found = linear.spectrum_of(A)
    else:
        found = linear.spectrum
    shapes = [_normed(shape) * made.sizes for shape in found.shapes.T]
    modes = [
        Mode(complex(pole), shape, linear)
        for pole, shape in zip(cleaned(found.poles), shapes, strict=True)
        if pole.imag >= 0
    ]
    return sorted(
        modes, key=lambda mode: (abs(mode.pole.imag) or abs(mode.pole), mode.pole.real)
    )


def _normed(vector: Array) -> Array:
    """Return a shape whose largest entry is one."""
    return vector / vector[np.argmax(np.abs(vector))]


def _inertia(body: Any, state: State) -> tuple[float, Array]:
    """Return the mass of a body, and its inertia along the axes of the world."""
    made, values = mass_properties(body), state.parameters

    def number(entry: Any) -> float:
        return float(evaluate(entry, values) if isinstance(entry, Expression) else entry)

    drawn = np.array([[number(entry) for entry in row] for row in made.inertia])
    pose = getattr(body, "pose", None)
    R0 = np.eye(3)
    if pose is not None:
        R0 = np.array([[number(entry) for entry in row] for row in pose.rotation])
    R = np.array(rotation(state[f"{body.name}.orientation"].tolist())) @ R0.T
    return number(made.mass), R @ drawn @ R.T


def _pole_text(pole: complex) -> str:
    if not pole.imag:
        return f"{pole.real:.9g} 1/s"
    damping = -pole.real / abs(pole)
    damping = damping if abs(damping) > 1e-12 else 0.0
    return f"{abs(pole):.9g} rad/s, {abs(pole) / (2 * np.pi):.6g} Hz, damping {damping:.4g}"


def _motion(mode: Mode, amplitude: float, periods: float) -> Result:
    """Return a mode as a motion of the machine, closed at every frame."""
    state, made, i = mode.linear.at, mode.linear._parts, mode.linear._index
    system, free = state.system, made.chart.shape[-1]
    inner = made.chart[i] @ mode.vector
    dq, du = (made.directions[key][i][:, :free] @ inner for key in ("q", "u"))
    scale = amplitude / max(_largest(mode, system.equations.length()), 1e-300)
    frequency = abs(mode.pole.imag) or abs(mode.pole)
    end = periods * 2 * np.pi / frequency
    times = np.linspace(0.0, end, int(FRAMES * periods) + 1)
    x = np.array([_frame(state, dq, du, mode.pole, scale, t) for t in times])
    q, u, s = system.split(x)
    arguments = [np.broadcast_to([state.t], (len(x), 1)), q, u, s, state.w, state.p]
    arguments = [*arguments, np.broadcast_to(state.k, (len(x), len(state.k)))]
    return Result.from_arrays(
        times,
        lambda: system.observe_arguments(arguments),
        all_labels(system),
        states=system.unpack(q, u, s),
        later=(lambda: system.reactions(arguments),),
        provenance=state.provenance | {"mode": _pole_text(mode.pole)},
        machine=Written(state.model),
    )


def _largest(mode: Mode, length: float) -> float:
    """Return how far what moves most moves in the mode as it is scaled."""
    made, i = mode.linear._parts, mode.linear._index
    moved = made.seen.position[i][:, : made.chart.shape[-1]] @ (made.chart[i] @ mode.vector)
    units = np.array([length if c.unit == "m" else 1.0 for c in made.seen.coordinates])
    return float((np.abs(moved) / units).max(initial=0.0))


def _frame(state: State, dq: Array, du: Array, pole: complex, scale: float, t: float) -> Array:
    """Return the state of one frame, on the constraints."""
    turn = scale * np.exp(1j * (pole.imag or 0.0) * t)
    if not pole.imag:
        turn = scale * np.exp(-abs(pole.real) * t)
    q, u, s = state.system.split(state.x)
    x = np.concatenate([q + (dq * turn).real, u + (du * turn).real, s])
    system = state.system
    if system.equations.has("normalize"):
        at = [np.array([state.t]), x[: len(q)], u, s, state.w, state.p, state.k]
        x[: len(q)] = system.ask("normalize", at, level=0)[0]
    if system.equations.rows:
        nothing, kept = np.zeros(len(u), dtype=bool), state.k[system.equations.modes :]
        x = close(system, state.t, x, state.w, state.p, Held(nothing, nothing), kept)
    return x


# --- over a parameter


def _locus(
    model: Model,
    at: Start,
    over: Mapping[str, Any],
    coordinates: Sequence[str],
    parameters: Mapping[str, float] | None,
    formulation: AbstractFormulation,
) -> Locus:
    if not isinstance(over, Mapping) or len(over) != 1:
        raise OptionError(f"over takes one name with its values, got {short(over)}.")
    ((name, given),) = over.items()
    values = np.atleast_1d(floats(f"over of '{name}'", given))
    if values.ndim != 1 or len(values) < 2 or not np.all(np.isfinite(values)):
        raise OptionError(
            f"over needs two or more finite values of '{name}', got {short(given)}."
        )
    known = {parameter.name for parameter in model.parameters}

    balanced = isinstance(at, Equilibrium) or (
        at is None and (name in known or name.endswith("_rate"))
    )

    def states(wanted: Array) -> list[State]:
        if balanced:
            return _balanced(model, at, name, wanted, parameters, formulation)
        if name not in known:
            return _over_start(model, at, name, wanted, parameters, formulation)
        given = [dict(parameters or {}) | {name: float(value)} for value in wanted]
        made = {"formulation": formulation}
        return [assemble_moving(model, at, parameters=each, **made) for each in given]

    def equations(wanted: Array) -> Parts:
        there = states(wanted)
        return linearized(there, (), (), coordinates, all_spins(there))[0]._parts

    made = equations(values)
    left, zeros = _common(made.scaled(made.A), made.noise)

    def spectra(made: Parts) -> tuple[Array, Array]:
        inner = made.scaled(made.A)[:, left][:, :, left]
        found, vectors = zip(*map(eigen, inner), strict=True)
        return np.array(found), np.swapaxes(np.array(vectors), 1, 2)

    poles, shapes = spectra(made)
    _tell_of_locus(made, left, poles, shapes, f"{name} of '{model.name}'", values)
    # Both ways from where poles are furthest apart: there each has a shape of its own.
    first = int(np.argmax(_separations(poles)))
    order = np.lexsort((poles[first].imag, poles[first].real))
    poles[first], shapes[first] = poles[first][order], shapes[first][order]
    for way, steps in ((1, range(first + 1, len(values))), (-1, range(first - 1, -1, -1))):
        for i in steps:
            poles[i], shapes[i] = _followed(
                (poles[i - way], shapes[i - way]), (poles[i], shapes[i]),
                (values[i - way], values[i]), lambda v: spectra(equations(v)), REFINED,
            )  # fmt: skip
    kept = tuple(made.states[i] for i in left)
    return Locus(
        name, values, poles, shapes, kept, zeros, model, lambda v: spectra(equations(v))
    )


def _tell_of_locus(
    made: Parts, left: list[int], poles: Array, shapes: Array, what: str, values: Array
) -> None:
    """Warn where round-off leaves few digits of a pole of a locus.

    Args:
        made: The matrices over the parameter.
        left: States that are not cyclic.
        poles: Shape (b, n).
        shapes: Theirs, shape (b, n, n), by rows.
        what: The parameter and the machine, as words.
        values: Of the parameter, shape (b,).
    """
    size = np.abs(poles)
    if not size.size or (size.min(axis=1) > SLOW * size.max(axis=1)).all():
        return
    inner, doubt = (each[:, left][:, :, left] for each in (made.scaled(made.A), made.doubt))
    every = zip(inner, doubt, poles, shapes, strict=True)
    errors = np.array([uncertainty(A, dA, p, s.T) for A, dA, p, s in every])
    i, j = np.unravel_index(np.argmax(errors), errors.shape)
    if errors[i, j] > LOST:
        warnings.warn(
            f"a pole of size {size[i, j]:.3g} 1/s at {values[i]:.6g} over {what} "
            f"{known_to(errors[i, j])}, since round-off of what makes the fastest, "
            f"{size[i].max():.3g} 1/s, comes near it. {REMEDY}",
            LostDigits,
            stacklevel=outside(),
        )


def _common(A: Array, noise: Array) -> tuple[list[int], int]:
    """Return the states that are not cyclic for all values, and how many are."""
    gone = np.all(np.abs(A) <= noise, axis=0)
    left = list(range(A.shape[-1]))
    while left:
        inner = gone[np.ix_(left, left)]
        idle = inner.all(axis=0) if inner.all(axis=0).any() else inner.all(axis=1)
        if not idle.any():
            break
        left = [i for i, out in zip(left, idle, strict=True) if not out]
    return left, A.shape[-1] - len(left)


def _separations(poles: Array) -> Array:
    """Return the least distance of two poles, shape (n,)."""
    apart = np.abs(poles[:, :, None] - poles[:, None, :])
    return (apart + np.diag(np.full(poles.shape[1], np.inf))).min(axis=(1, 2), initial=np.inf)


def _untangled(before: Array, poles: Array, shapes: Array) -> Array:
    """Return shapes; of equal poles, whose shapes are any of a plane, those nearest to others.

    Args:
        before: Shapes to be near, shape (k, n).
        poles: Shape (k,).
        shapes: Theirs, shape (k, n).
    """
    near = 1e-8 * np.abs(poles).max(initial=0.0)
    if _separations(poles[None])[0] > near:
        return shapes
    found, left = shapes.copy(), set(range(len(poles)))
    while left:
        i = left.pop()
        group = [i, *(j for j in left if abs(poles[j] - poles[i]) <= near)]
        left -= set(group)
        U, sigma, _ = np.linalg.svd(shapes[group].T, full_matrices=False)
        if len(group) == 1 or sigma[-1] < 1e-3:  # one shape of many poles has no plane
            continue
        projected = before @ np.conj(U) @ U.T
        most = np.argsort(-np.linalg.norm(projected, axis=1))[: len(group)]
        chosen = projected[most]
        found[group] = chosen / np.linalg.norm(chosen, axis=1, keepdims=True)
    return found


def _followed(
    before: tuple[Array, Array],
    after: tuple[Array, Array],
    ends: tuple[float, float],
    eigen: Eigen,
    depth: int,
) -> tuple[Array, Array]:
    """Return poles and shapes in the order of those before, matched by their shapes.

    Where shapes turn too fast to be matched, places in between are looked at.
    """
    from scipy.optimize import linear_sum_assignment

    after = after[0], _untangled(before[1], *after)
    alike = np.abs(np.conj(before[1]) @ after[1].T)
    apart = np.abs(before[0][:, None] - after[0]) / (1 + np.abs(before[0]).max(initial=0.0))
    rows, columns = linear_sum_assignment(1.0 - alike + 1e-3 * apart)
    order = columns[np.argsort(rows)]
    if depth and len(order) and alike[range(len(order)), order].min() < ALIKE:
        middle = 0.5 * (ends[0] + ends[1])
        poles, shapes = eigen(np.array([middle, middle]))
        half = _followed(before, (poles[0], shapes[0]), (ends[0], middle), eigen, depth - 1)
        return _followed(half, after, (middle, ends[1]), eigen, depth - 1)
    return after[0][order], after[1][order]


def _balanced(
    model: Model, at: Any, name: str, values: Array, parameters: Any, formulation: Any
) -> list[State]:
    """Return equilibria or steady motions for values of a parameter or of a steady rate.

    Each is looked for near the one before.
    """
    known = {parameter.name for parameter in model.parameters}
    found: list[State] = []
    for value in values:
        own, rates = dict(parameters or {}), dict(at.rates if at is not None else {})
        (own if name in known else rates)[name] = float(value)
        near = found[-1] if found else at
        found.append(
            equilibrium(model, near, rates=rates, parameters=own, formulation=formulation)
        )
    return found


def _over_start(
    model: Model, at: Start, name: str, values: Array, parameters: Any, formulation: Any
) -> list[State]:
    """Return the states for values of a coordinate or a rate.

    Speeds are linear in a rate while positions stay: then two states give all of them.
    """
    base = dict(at) if isinstance(at, Mapping) else {}
    if at is not None and not isinstance(at, Mapping):
        base = assemble(model, at).start
    made = {"parameters": parameters, "formulation": formulation}

    def state(value: float) -> State:
        return assemble_moving(model, base | {name: float(value)}, **made)

    first, last = state(values[0]), state(values[-1])
    span = values[-1] - values[0]
    if span and np.array_equal(first.q, last.q):
        slope = (last.x - first.x) / span
        return [first.replaced(x=first.x + (value - values[0]) * slope) for value in values]
    return [state(value) for value in values]
