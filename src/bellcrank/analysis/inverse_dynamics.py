"""What a motion needs: the efforts of chosen actuators, on loops too, and the reactions.

    Nᵀ (A a − f) = Nᵀ B e          N: motions that the constraints leave free

As many independent actuators as freedoms: e is unique. More: the least |e| in given weights,
within bounds. Fewer: what cannot be met is said, by coordinate. All samples are one batch.
"""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.analysis.coordinates import choose, seen
from bellcrank.analysis.kinematics import Kinematics, Sweep, full_name
from bellcrank.analysis.tangent import Tangent
from bellcrank.errors import OptionError, UnknownName
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.linear import rank
from bellcrank.machine.arguments import floats
from bellcrank.machine.start import embedding
from bellcrank.machine.state import State, assemble, with_speeds
from bellcrank.machine.system import System
from bellcrank.model import Drive, Force, Input, Model, Motor, Point
from bellcrank.model.elements.fields import short
from bellcrank.model.expressions import Input as InputExpression
from bellcrank.model.names import components
from bellcrank.results import Result
from bellcrank.units import QUANTITIES

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = np.ndarray
UNMET = 1e-9  # of the forces at work: what is left of them
PORTION = 256  # samples at a time
ANOTHER = 1e-3  # [lengths of the machine, rad] open, which no way to hold constraints leaves
OPEN = 1e-10  # of the largest singular value: what is less leaves efforts open


class Efforts:
    """The efforts that a motion needs, by actuator, and what goes along.

    `e["A"]` is the effort of an actuator, `e["B.reaction_force"]` a quantity of results in this
    motion, both labelled over time.

    Attributes:
        model: The machine, driven by its actuators.
        t: Times of the samples [s], shape (n,).
        actuators: Names of the actuators.
        efforts: Their efforts [N m or N], shape (n, actuators).
        unmet: Generalized forces that no actuator can give, by coordinate, shape (n,); empty
            where all are met.
        bounded: Which samples have efforts at their bounds, shape (n,).

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> found = bc.inverse_dynamics(examples.load("double-pendulum"),
        ...     {"A": "0*t", "B": "0*t"}, times=[0.0, 0.5])
        >>> found.actuators, found["A"].values.round(9)  # it hangs, and nothing is needed
        (('A', 'B'), array([0., 0.]))
    """

    def __init__(self, made: "_Made") -> None:
        self.model, self.t, self.actuators = made.model, made.t, made.actuators
        self.efforts, self.unmet, self.bounded = made.efforts, made.unmet, made.bounded
        self._made = made

    def plain(self, name: str) -> Array:
        """Return the plain array of an actuator or of a quantity of results.

        Raises:
            UnknownName: There is none of that name.
        """
        if name in self.actuators:
            return self.efforts[:, self.actuators.index(name)]
        if name in self._values:
            return self._values[name]
        stem = str(name).rpartition("_")[0]
        if stem in self._values and np.ndim(self._values[stem]) > 1:
            part = components(stem, self._values[stem].shape[1])
            if name in part:
                return self._values[stem][:, part.index(name)]
        raise UnknownName("quantity", name, (*self.actuators, *self._values))

    def __getitem__(self, name: str) -> "xarray.DataArray":
        import xarray

        array = self.plain(name)
        dims = ("time",) if array.ndim == 1 else ("time", "component")
        attrs = {"units": self.units[name]} if name in self.units else {}
        return xarray.DataArray(array, {"time": self.t}, dims, name=name, attrs=attrs)

    @property
    def units(self) -> dict[str, str]:
        """Units by name."""
        channels = self._made.system.equations.channels
        return {c.name: QUANTITIES[c.quantity].unit for c in channels}

    @cached_property
    def _values(self) -> dict[str, Array]:
        system, arguments, a = self._made.system, self._made.arguments, self._made.a
        return system.observe_arguments(arguments, a) | system.reactions(arguments, a)

    @property
    def power(self) -> dict[str, Array]:
        """Power of every actuator [W], where its rate is known by name."""
        rates = self._made.rates
        found = {name: rates[name] for name in self.actuators if rates.get(name)}
        return {name: self.plain(name) * self.plain(rate) for name, rate in found.items()}

    @property
    def exact(self) -> bool:
        """Whether the actuators give the motion as it is."""
        return not self.unmet

    @cached_property
    def dataset(self) -> "xarray.Dataset":
        """Efforts as an xarray Dataset."""
        import xarray

        made = {name: ("time", self.plain(name)) for name in self.actuators}
        return xarray.Dataset(made, {"time": self.t})

    def plot(self, *names: str, figure: Any = None) -> "Figure":
        """Return a figure of efforts, or of other quantities, over time."""
        from bellcrank.analysis.plots import efforts

        return efforts(self, names or self.actuators, figure)

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        lines = [f"efforts of '{self.model.name}' for {len(self)} samples"]
        for name in self.actuators:
            low, high = self.plain(name).min(), self.plain(name).max()
            lines.append(f"  {name}: {low:.6g} … {high:.6g}")
        for name, left in self.unmet.items():
            lines.append(f"  no actuator meets {np.abs(left).max():.4g} along {name}")
        if self.bounded.any():
            lines.append(f"  {int(self.bounded.sum())} samples are at bounds")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


@dataclass(frozen=True, eq=False)
class _Made:
    """What efforts are made of; attributes as of `Efforts`, and the batch of slots."""

    model: Model
    t: Array
    actuators: tuple[str, ...]
    efforts: Array
    unmet: dict[str, Array]
    bounded: Array
    system: System
    arguments: list[Array]
    a: Array
    rates: dict[str, str]


def inverse_dynamics(
    model: Model,
    motion: Any = None,
    actuators: Sequence[str] | None = None,
    *,
    times: Any = None,
    near: Any = None,
    weights: Mapping[str, float] | None = None,
    bounds: Mapping[str, tuple[float, float]] | None = None,
    inputs: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
) -> Efforts:
    """Return the efforts by which actuators give a machine a motion.

    Args:
        model: The machine. Its forces act as they are; its drivers are taken for the motion.
        motion: A result, at whose records efforts are found, or a sweep over time; or
            coordinates of joints with expressions of time, `{"A": "2*t"}`, or with arrays over
            `times`; or quantities with their rates and accelerations, `{"A.angle": …,
            "A.angle_rate": …, "A.angle_acceleration": …}`, as they are. None for the motion of
            the drivers.
        actuators: Names of inputs, or of coordinates of joints, along which efforts act. All
            inputs if None; without inputs, what leads the motion.
        times: Times of the samples [s], where the motion does not have its own.
        near: On which branch the motion begins, as for `assemble`.
        weights: For each actuator what its effort weighs where there is a choice; 1 if not
            given.
        bounds: For each actuator its least and largest effort.
        inputs: Values of inputs that are no actuators; zero if not given.
        parameters: Values by name over the model's own.
        formulation: How the equations are written; all give the same.

    Raises:
        UnknownName: There is no such actuator or coordinate.
        OptionError: A motion that cannot be read.
        StartError: A motion that the machine cannot follow.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> found = bc.inverse_dynamics(examples.load("double-pendulum"),
        ...     {"A": "sin(t)", "B": "0*t"}, times=[0.0, 0.5])
    """
    formulation = with_speeds(formulation)
    given = _Motion(model, motion, times, near, parameters, formulation)
    driven, names, rates = _driven(model, actuators, given.leading)
    # What drives is no constraint any more, and what acts is an input.
    state = assemble(driven, given.start(driven), parameters=parameters,
                     inputs=inputs, formulation=formulation)  # fmt: skip
    system = state.system
    arguments, a = given.samples(state)
    t = arguments[0][:, 0]
    columns = [system.inputs.index(each) for each in names.values()]
    for name in weights or {}:
        if name not in names:
            raise UnknownName("actuator", name, names)
    weight = np.array([_weight(weights, name) for name in names])
    limits = _limits(bounds, names)
    e, left, bounded = _solved(system, arguments, a, columns, weight, limits)
    w = np.broadcast_to(state.w, (len(t), len(state.w))).copy()
    w[:, columns] = e
    arguments[4] = w
    unmet = _unmet(driven, system, arguments, a, left)
    made = _Made(driven, t, tuple(names), e, unmet, bounded, system, arguments, a, rates)
    return Efforts(made)


# --- actuators


def _driven(
    model: Model, actuators: Any, leading: Sequence[str]
) -> tuple[Model, dict[str, str], dict[str, str]]:
    """Return the machine without drivers, inputs by actuator, and the rates they work on."""
    free = model.without(*(driver.name for driver in model.drivers)) if model.drivers else model
    known = [given.name for given in model.inputs]
    if actuators is None:
        actuators = known or list(leading)
    if isinstance(actuators, str):
        actuators = (actuators,)
    motors = {force.name: force for force in free.forces if isinstance(force, Motor)}
    names: dict[str, str] = {}
    rates: dict[str, str] = {}
    for actuator in actuators:
        if actuator in known:
            names[actuator] = actuator
        elif actuator in motors and isinstance(motors[actuator].effort, InputExpression):
            names[actuator] = motors[actuator].effort.name
        else:
            full = full_name(model, actuator)
            names[actuator], element = _acting(model, actuator, full)
            rates[actuator] = f"{full}_rate"
            free = free.add(element)
    if not names:
        raise OptionError(
            f"'{model.name}' has no inputs; name actuators, such as the coordinates of joints."
        )
    return free, names, rates


def _acting(model: Model, actuator: str, full: str) -> tuple[str, Any]:
    """Return the input and the element of an effort along a coordinate."""
    owner, _, coordinate = full.rpartition(".")
    plain = actuator.replace(".", " ")  # dots are of components
    name = f"effort of {plain}"
    if owner in {joint.name for joint in model.joints}:
        return name, Motor(f"actuator {plain}", owner, Input(name), coordinate=coordinate)
    part = "xyz".index(coordinate[-1])
    vector = tuple(Input(name) if i == part else 0.0 for i in range(3))
    element = model[owner]
    if isinstance(element, Point):
        return name, Force(f"actuator {plain}", element.body, vector, at=element.at)
    return name, Force(f"actuator {plain}", owner, vector)


def _weight(weights: Mapping[str, float] | None, name: str) -> float:
    value = float((weights or {}).get(name, 1.0))
    if not (np.isfinite(value) and value > 0):
        raise OptionError(f"the weight of '{name}' must be positive, got {value!r}.")
    return value


def _limits(bounds: Mapping[str, Any] | None, names: Mapping[str, str]) -> tuple[Array, Array]:
    low, high = np.full(len(names), -np.inf), np.full(len(names), np.inf)
    for name, pair in (bounds or {}).items():
        if name not in names:
            raise UnknownName("actuator", name, names)
        try:
            low[list(names).index(name)], high[list(names).index(name)] = map(float, pair)
        except (TypeError, ValueError, OverflowError):
            raise OptionError(
                f"bounds of '{name}' are a pair of numbers, got {short(pair)}."
            ) from None
    if (low > high).any():
        raise OptionError("bounds take the least effort first.")
    return low, high


def _solved(
    system: System, arguments: list[Array], a: Array, columns: list[int], weight: Array,
    limits: tuple[Array, Array],
) -> tuple[Array, Array, Array]:  # fmt: skip
    """Return efforts, what they leave of A a − f as a force on speeds, and who is bounded."""
    efforts, left, bounded = [], [], []
    for first in range(0, len(a), PORTION):
        here = slice(first, first + PORTION)
        part = [each if each.ndim == 1 else each[here] for each in arguments]
        tangent = Tangent(system, part, a[here])
        unit = np.zeros((1, len(system.inputs), len(columns)))
        unit[0, columns, range(len(columns))] = 1.0
        whole = np.broadcast_to(unit, (tangent.count, *unit.shape[1:]))
        found = tangent.changes("motion", {"w": whole})
        Nt = np.swapaxes(tangent.rows.free, -1, -2)
        B, g = -Nt @ found["d_r"], (Nt @ found["r"][..., None])[..., 0]
        e, at = _least(B, g, weight, limits)
        gap = g - (B @ e[..., None])[..., 0]
        gap = np.where(np.abs(gap) <= UNMET * _size(tangent), 0.0, gap)
        M = np.swapaxes(tangent.rows.free, -1, -2) @ tangent.rows.free
        back = tangent.rows.free @ np.linalg.solve(M, gap[..., None]) if gap.size else gap
        efforts.append(e + part[4][..., columns])
        left.append(back[..., 0] if gap.size else np.zeros((tangent.count, len(system.speeds))))
        bounded.append(at)
    return np.concatenate(efforts), np.concatenate(left), np.concatenate(bounded)


def _size(tangent: Tangent) -> float:
    """Return the forces at work, of inertia and others, in nominal sizes."""
    inertia = np.abs(tangent.A @ tangent.a[..., None])[..., 0]
    applied = np.abs(tangent.asked("force")[0])
    sizes = tangent.system.speed_sizes
    return float((np.maximum(inertia, applied) * sizes).max(initial=1e-300))


def _least(
    B: Array, g: Array, weight: Array, limits: tuple[Array, Array]
) -> tuple[Array, Array]:
    """Return e with B e = g of least weighted size, within bounds, and who is at them."""
    least = rank.pseudo_inverse(B / weight, 1.0 / weight.max(initial=1e-300), relative=OPEN)
    e = (least @ g[..., None])[..., 0] / weight
    low, high = limits
    out = ((e < low - 1e-12) | (e > high + 1e-12)).any(axis=-1)
    for i in np.flatnonzero(out):
        e[i] = _within(B[i], g[i], weight, low, high)
    return e, np.asarray(out)


def _within(B: Array, g: Array, weight: Array, low: Array, high: Array) -> Array:
    """Return the least effort within bounds that leaves the least unmet: two small QPs."""
    from scipy.optimize import lsq_linear

    scaled = B / weight
    bounds = (low * weight, high * weight)
    spread = np.where(bounds[0] == bounds[1], 1e-12 * (1 + np.abs(bounds[0])), 0.0)
    bounds = (bounds[0] - spread, bounds[1] + spread)
    size = max(float(np.abs(scaled).max(initial=0.0)), 1e-300)
    # A small weight on the efforts themselves chooses the least of those that do best.
    small = 1e-6 * size
    rows = np.vstack([scaled, small * np.eye(len(weight))])
    right = np.concatenate([g, np.zeros(len(weight))])
    found = lsq_linear(rows, right, bounds, method="bvls", tol=1e-14).x
    # The efforts that are not at bounds make up for the small weight.
    free = (found > bounds[0] + 1e-9 * (1 + np.abs(found))) & (
        found < bounds[1] - 1e-9 * (1 + np.abs(found))
    )
    gap = g - scaled @ found
    if free.any():
        step = rank.pseudo_inverse(scaled[:, free], size, relative=OPEN) @ gap
        tried = found.copy()
        tried[free] += step
        if (tried >= bounds[0]).all() and (tried <= bounds[1]).all():
            found = tried
    return found / weight


def _unmet(
    model: Model, system: System, arguments: list[Array], a: Array, left: Array
) -> dict[str, Array]:
    """Return forces that are left, along independent coordinates, by name."""
    if not np.abs(left).max(initial=0.0):
        return {}
    tangent = Tangent(
        system, [each if each.ndim == 1 else each[:1] for each in arguments], a[:1]
    )
    N = tangent.rows.free
    y = tangent.changes("observe", {"q": tangent.W @ N})
    joints = seen(model, system, y["y"], y["d_y"])
    chosen = choose(
        joints.coordinates, joints.position[0], system.equations.length(), N.shape[-1]
    )
    along = np.linalg.inv(
        joints.position[0][chosen]
    )  # motions in which one coordinate moves by 1
    forces = left @ (N[0] @ along)
    size = np.abs(forces).max()
    names = [joints.coordinates[i].name for i in chosen]
    return {
        name: forces[:, i] for i, name in enumerate(names)
        if np.abs(forces[:, i]).max() > 1e-9 * size
    }  # fmt: skip


# --- motions


class _Motion:
    """A motion that is asked for, whatever it is given as.

    Attributes:
        leading: Names of the coordinates that lead it.
    """

    def __init__(
        self,
        model: Model,
        motion: Any,
        times: Any,
        near: Any,
        parameters: Any,
        formulation: Any,
    ) -> None:
        self.model, self.motion, self.near = model, motion, near
        self.parameters, self.formulation = parameters, formulation
        self._times = None if times is None else np.atleast_1d(floats("times", times))
        if self._times is not None and not np.isfinite(self._times).all():
            raise OptionError(f"times takes finite numbers [s], got {short(times)}.")
        if not isinstance(self.model, Model):
            raise OptionError(f"a machine is a bc.Model, got {short(self.model)}.")
        self.kind = self._kind()
        self.leading = self._leading()

    def _kind(self) -> str:
        motion = self.motion
        if isinstance(motion, Result):
            return "run"
        if isinstance(motion, Kinematics):
            return "sweep"
        if motion is None:
            if not self.model.drivers:
                raise OptionError(
                    "a motion is needed: a result, coordinates with expressions or arrays, or "
                    "drivers of the model."
                )
            return "drivers"
        if not isinstance(motion, Mapping) or not motion:
            raise OptionError(
                "a motion is a result, or coordinates by name with expressions of time or "
                f"arrays, got {short(motion)}."
            )
        if any("acceleration" in str(name) for name in motion):
            return "states"
        if all(isinstance(value, str) or callable(value) for value in motion.values()):
            return "laws"
        return "table"

    def _leading(self) -> list[str]:
        if self.kind in ("laws", "table"):
            return [str(name) for name in self.motion]
        if self.kind == "sweep":
            return self.motion._sweep.names
        found = []
        for driver in self.model.drivers:
            found += [f"{driver.of}.{coordinate}" for coordinate, _ in driver.motion]
        return found

    @property
    def times(self) -> Array:
        """Times of the samples."""
        if self.kind == "run":
            return self.motion.t
        if self._times is None and self.kind == "sweep":
            return self.motion.values
        if self._times is None and self.kind == "states":
            return np.zeros(len(np.atleast_1d(self._first_scalar())))
        if self._times is None:
            raise OptionError("times= is needed: the times of the samples [s].")
        return self._times

    def _first_scalar(self) -> Array:
        for name, value in self.motion.items():
            array = np.asarray(value, dtype=float)
            if array.ndim == _dimension(str(name)):
                return np.zeros(1)
            return np.zeros(len(array))
        return np.zeros(1)

    def start(self, driven: Model) -> Any:
        """Return a start of the driven machine on the branch of the motion."""
        return self.near

    def samples(self, state: State) -> tuple[list[Array], Array]:
        """Return the arguments of slots and a at the samples, in a state's coordinates."""
        if self.kind == "states":
            return self._of_states(state)
        if self.kind == "run":
            return _taken_over(state, self.motion.t, self.motion.values, self.motion)
        if self.kind == "sweep":
            swept = self._timed()
        elif self.kind == "drivers":
            swept = self._led(self.model)
        else:
            swept = self._led(_prescribed(self.model, self.motion, self.kind))
        return _taken_over(state, swept.values, swept.plain, swept.names)

    def _led(self, model: Model) -> Kinematics:
        """Return the sweep of a machine that drivers or tables lead."""
        times = self.times
        first = self.near if self.near is not None else {}
        names, table = ["t"], times[:, None]
        if self.kind == "table":
            names += [full_name(self.model, name) for name in self.leading]
            table = np.column_stack([
                times,
                *(_column(self.motion[n], times) for n in self.motion),
            ])
            if isinstance(first, Mapping):
                first = dict(first) | {
                    n: float(v) for n, v in zip(names[1:], table[0, 1:], strict=True)
                }
        begun = assemble(model, first, t=float(times[0]), parameters=self.parameters,
                         formulation=self.formulation)  # fmt: skip
        swept = Sweep(begun, names, table).run(begun.q)
        if len(swept) < len(times):
            raise OptionError(_stuck(len(swept), times))
        return swept

    def _timed(self) -> Kinematics:
        """Return the sweep that is the motion; it must be one over time."""
        swept = self.motion
        if swept.name != "t":
            raise OptionError(
                f"a sweep over '{swept.name}' has no times; sweep over t, over={{'t': times}}."
            )
        return swept

    def _of_states(self, state: State) -> tuple[list[Array], Array]:
        times, rows = self.times, []
        given = {str(k): np.asarray(v, dtype=float) for k, v in self.motion.items()}
        wanted = {}
        for name, array in given.items():
            lead = array[None] if array.ndim == _dimension(name) else array
            wanted[name] = np.broadcast_to(lead, (len(times), *lead.shape[1:]))
        pushes = {n: v for n, v in wanted.items() if "acceleration" in n.rpartition(".")[2]}
        others = {n: v for n, v in wanted.items() if n not in pushes}
        for i, t in enumerate(times):
            start = {n: v[i] if v.ndim > 1 else float(v[i]) for n, v in others.items()}
            start = (dict(self.near) if isinstance(self.near, Mapping) else {}) | start
            rows.append(assemble(state.model, start, t=float(t), parameters=self.parameters,
                                 formulation=self.formulation))  # fmt: skip
        q, u, k = (np.array([getattr(one, key) for one in rows]) for key in ("q", "u", "k"))
        arguments = [times[:, None], q, u, *state.arguments[3:6], k]
        return arguments, _accelerations(state, arguments, pushes)


def _dimension(name: str) -> int:
    """Return 1 for names of vectors, 0 for those of scalars."""
    quantity = name.rpartition(".")[2]
    vectors = ("position", "velocity", "acceleration", "orientation", "angular_velocity",
               "angular_acceleration")  # fmt: skip
    return int(quantity in vectors)


def _taken_over(
    state: State, t: Array, values: Callable[[str], Array], known: Container[str]
) -> tuple[list[Array], Array]:
    """Return the arguments of slots and a where joints are, and move, as in a motion.

    Joints mean the same in every formulation and in every spanning tree. Coordinates do not:
    what drives a machine chooses its tree, so those of a motion may be others than those of
    the machine under its actuators, some even by the same names.

    Args:
        state: A state of the machine under its actuators.
        t: Times of the samples [s], shape (n,).
        values: What the motion shows by name, over its samples.
        known: The names that it shows.

    Raises:
        OptionError: The motion is of another machine.
    """
    system = state.system
    seen_by = system.jointed()
    shown = seen_by.state_names
    pushes = [f"{j.name}.{name}" for j in state.model.joints for name in j.accelerations]
    lost = [name for name in (*shown, *pushes) if name not in known]
    if lost:
        raise OptionError(
            f"the motion has no {', '.join(map(repr, lost[:6]))}: it is of another machine "
            f"than '{state.model.name}'."
        )
    measured = [v.name for v in system.equations.memory if v.quantity == "angle"]
    angles = {n: values(n) for n in (*measured, *system.equations.sums) if n in known}
    w, p = state.w, state.p
    q, u, s = _packed(seen_by, {n: values(n) for n in shown}, len(t))
    arguments = [t[:, None], q, u, s, w, p]
    if seen_by is system:
        arguments.append(system.memory(arguments, angles))
    else:
        k = np.ones(len(seen_by.equations.memory))
        bodies = seen_by.kernel("bodies", level=0)
        pose, twist, _ = bodies(*arguments, k, np.zeros_like(u))
        arguments = embedding(system, t[:, None], pose, twist, w, p, angles, s)
    _refuse_open(state, arguments)
    return arguments, _accelerations(state, arguments, {n: values(n) for n in pushes})


def _refuse_open(state: State, arguments: Sequence[Array]) -> None:
    """Raise where joints of a motion do not close the loops of the machine."""
    system = state.system
    rows = [row for row in system.equations.rows if row.level == "position"]
    if not rows:
        return
    phi = np.abs(system.ask("position", arguments, level=0)[0])
    worst = phi.reshape(-1, len(rows)).max(axis=0) / system.row_scales(state.p)[: len(rows)]
    most = int(np.argmax(worst))
    if worst[most] > ANOTHER:
        raise OptionError(
            f"in the motion '{rows[most].owner}' is open by {worst[most]:.3g} of the machine's "
            f"length or radians: it is of another machine than '{state.model.name}', or of "
            "other parameters."
        )


def _packed(system: System, values: Mapping[str, Array], count: int) -> tuple[Array, ...]:
    """Return q, u and s of values by name."""
    e = system.equations
    sizes = {"q": len(e.coordinates), "u": len(e.speeds), "s": len(e.auxiliary)}
    vectors = {vector: np.zeros((count, size)) for vector, size in sizes.items()}
    for name, array in values.items():
        vector, first, size = system.places[name]
        vectors[vector][:, first : first + size] = np.reshape(array, (count, size))
    return tuple(vectors.values())


def _accelerations(
    state: State, samples: Sequence[Array], wanted: Mapping[str, Array]
) -> Array:
    """Return u̇ by which quantities have the accelerations that are known, on constraints."""
    system, found = state.system, []
    places, start = {}, 0
    for channel in system.equations.channels:
        places[channel.name] = slice(start, start + channel.size)
        start += channel.size
    unknown = [name for name in wanted if name not in places]
    if unknown:
        raise UnknownName(
            "acceleration", unknown[0], [n for n in places if "acceleration" in n]
        )
    rows = np.concatenate([np.arange(start)[places[name]] for name in wanted]) if wanted else []
    for first in range(0, len(samples[1]), PORTION):
        here = slice(first, first + PORTION)
        arguments = [each if each.ndim == 1 else each[here] for each in samples]
        still = np.zeros_like(arguments[2])
        tangent = Tangent(system, arguments, still)
        c = tangent.changes("motion", {})["c"]
        lead = -(tangent.rows.inverse @ c[..., None])[..., 0]
        tangent = Tangent(system, arguments, lead)
        seen_ = tangent.changes("observe", {"a": tangent.rows.free})
        have, by = seen_["y"][:, rows], seen_["d_y"][:, rows]
        want = np.concatenate(
            [np.reshape(v[here], (len(lead), -1)) for v in wanted.values()], axis=1
        )
        step = rank.pseudo_inverse(by, relative=rank.FLOOR) @ (want - have)[..., None]
        found.append(lead + (tangent.rows.free @ step)[..., 0])
    return np.concatenate(found)


def _stuck(followed: int, times: Array) -> str:
    """Return why a machine does not follow its motion beyond some of its samples."""
    told = f"the machine cannot follow the motion at t = {times[followed]:.9g} s: "
    if followed > 1:
        return f"{told}a limit of its travel."
    return (
        f"{told}it begins in a dead centre of what is prescribed, where branches of its motion "
        "meet, or at a limit of its travel. Begin elsewhere, or prescribe another coordinate."
    )


def _prescribed(model: Model, motion: Mapping[str, Any], kind: str) -> Model:
    """Return a machine whose coordinates are driven by laws of time."""
    made = model.without(*(driver.name for driver in model.drivers)) if model.drivers else model
    if kind != "laws":
        return made
    drivers = []
    for i, (name, law) in enumerate(motion.items()):
        owner, _, coordinate = full_name(model, str(name)).rpartition(".")
        drivers.append(Drive(f"motion {i + 1}", owner, **{coordinate: law}))
    return made.add(*drivers)


def _column(values: Any, times: Array) -> Array:
    """Return one row of a table over times; pairs (times, values) are interpolated smoothly."""
    if isinstance(values, tuple) and len(values) == 2 and np.ndim(values[0]) == 1:
        from scipy.interpolate import make_interp_spline

        at, what = (np.asarray(each, dtype=float) for each in values)
        return make_interp_spline(at, what, k=min(5, len(at) - 1))(times)
    array = np.asarray(values, dtype=float)
    if array.shape != times.shape:
        raise OptionError(
            f"a motion has one value for each of {len(times)} times, got {array.shape}."
        )
    return array
