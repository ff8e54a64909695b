"""Where a linkage goes: positions, velocities and accelerations, without forces.

    Φ(q) = 0,  y(q) = s            y: the coordinates that are led
    C u = ν,   Y u = ṡ             velocities per unit of s
    C a = γ,   Y a + … = 0         accelerations per unit of s²

The sweep is followed from value to value along its branch; where it cannot go on, the limit of
travel is located. All values in between are found together, by Newton's method from an
interpolation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from bellcrank.analysis.instants import INSIDE, LOOKS, instants
from bellcrank.analysis.tangent import check_branches, held_rows
from bellcrank.errors import BellcrankError, OptionError, StartError, UnknownName
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.formulations.contract.breaks import timed
from bellcrank.linear import rank
from bellcrank.machine.arguments import floats
from bellcrank.machine.continuing import Start
from bellcrank.machine.full_turns import TURN
from bellcrank.machine.names import parts
from bellcrank.machine.state import State, assemble, with_speeds
from bellcrank.model import Model
from bellcrank.model.elements.fields import short
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.model.expressions.crossings import TooMany, pieces
from bellcrank.model.names import components, law_names, rate_of
from bellcrank.units import QUANTITIES

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

Array = np.ndarray
SEEDS = 33  # values that are come to one after the other, at least
CLOSED = 1e-12  # scaled residual of a position that is met
STEPS = 30  # of Newton's method
STRIDE = 0.3  # [rad, lengths of the machine] that it may move by at once
HALVINGS = 12  # of a stretch that cannot be followed at once
DISTINCT = 1e-3  # smallest singular value of unit rows that tell coordinates apart
NEAR = 1e-3  # smallest singular value at the end of what can be followed, if it is a limit
STRAIGHT = 1e-9  # [rad, lengths of the machine] a way may be off that is gone all at once
LEAST = 2.0**-HALVINGS  # of a straight piece of what drivers lead: it goes no less at once
HALVED = 48  # times that a step of time is, over which an angle is not sure to go on
UNSURE = 0.05  # [turns] by which an angle may be off what its rates say
DEAD = 1e-4  # smallest singular value, in nominal sizes, that counts as a dead centre


class Locked(BellcrankError, ArithmeticError):
    """A linkage that cannot be led as asked: it has no freedom, or others than were named.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.Locked, bc.BellcrankError)
        True
    """


@dataclass(frozen=True)
class DeadCentre:
    """A place of a sweep at which a coordinate stands still, and cannot lead the linkage.

    Attributes:
        name: The coordinate.
        at: The value of what is led there.
        value: The coordinate there: its largest or smallest.
    """

    name: str
    at: float
    value: float

    def __str__(self) -> str:
        return f"{self.name} = {self.value:.9g} stands still at {self.at:.9g}"


class Kinematics:
    """A sweep through the positions of a linkage, every quantity by name.

    `k["W.position"]` is a labelled array over the swept coordinate. Velocities and
    accelerations are per unit of it: of `A.angle`, m/rad and m/rad²; over time, what they are.

    Attributes:
        model: The linkage.
        name: What is swept: a coordinate, or `t`.
        values: Its values that were reached, in order, shape (n,).
        limits: The smallest and the largest value it can have on this branch, as far as the
            sweep went; not-a-number where it met none.
        held: Other coordinates that were held at a value, by name.
        lost: Values beyond which it could not be followed, though it meets no dead centre.
        q, u, a: Coordinates, speeds and accelerations per unit of what is swept, as slots take
            them.
        smallest: The smallest singular value of what leads the linkage, in nominal sizes: zero
            at a dead centre, shape (n,).

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> swept = bc.kinematics(examples.load("four-bar"), over={"A.angle": [0.0, 0.1, 0.2]})
        >>> swept["D.angle"].shape
        (3,)
    """

    def __init__(
        self, sweep: "Sweep", values: Array, q: Array, limits: tuple[float, float]
    ) -> None:
        self.model, self.name, self.values = sweep.state.model, sweep.name, values
        self.limits, self.held, self.lost = limits, sweep.held, tuple(sweep.lost)
        self._sweep, self.q = sweep, q
        self.u, self.a, self.smallest = sweep.motion(values, q)
        self._k = sweep.memory(values, q, self.u)

    @property
    def names(self) -> tuple[str, ...]:
        """All names it knows."""
        return tuple(c.name for c in self._channels)

    @cached_property
    def _channels(self) -> list[Any]:
        acting = {c.name for c in self._sweep.system.equations.acting}
        efforts = frozenset(self._sweep.system.equations.efforts)
        mechanical = ("force", "torque")
        return [
            c for c in self._sweep.system.equations.channels
            if c.name not in acting and c.name not in efforts and c.quantity not in mechanical
        ]  # fmt: skip

    @cached_property
    def _values(self) -> dict[str, Array]:
        system = self._sweep.system
        at = self._sweep.arguments(self.values, self.q, self.u)[:-1]
        y = system.kernel("observe", level=0)(*at, self._k, self.a)[0]
        return parts(y, system.equations.channels)

    def plain(self, name: str) -> Array:
        """Return the plain array of a name or of a component, shape (n,) or (n, size).

        Raises:
            UnknownName: There is no such quantity.
        """
        sizes = {c.name: c.size for c in self._channels}
        if name in sizes:
            return self._values[name]
        stem = str(name).rpartition("_")[0]
        if sizes.get(stem, 1) > 1 and name in components(stem, sizes[stem]):
            return self._values[stem][:, components(stem, sizes[stem]).index(name)]
        own = [n for n in sizes if n.startswith(f"{name}.")]
        raise UnknownName("quantity", name, own or sizes)

    def __getitem__(self, name: str) -> "xarray.DataArray":
        import xarray

        array = self.plain(name)
        label = {c.name: c for c in self._channels}.get(name)
        attrs = {"units": QUANTITIES[label.quantity].unit} if label else {}
        dims = (self.name,) if array.ndim == 1 else (self.name, "component")
        return xarray.DataArray(array, {self.name: self.values}, dims, name=name, attrs=attrs)

    @cached_property
    def dataset(self) -> "xarray.Dataset":
        """Everything as an xarray Dataset."""
        import xarray

        made: dict[str, Any] = {}
        for channel in self._channels:
            extra = {1: (), 3: ("component",), 4: ("euler_parameter",)}[channel.size]
            key = channel.name if channel.name != self.name else f"{channel.name}_"
            attrs = {"units": QUANTITIES[channel.quantity].unit}
            made[key] = ((self.name, *extra), self.plain(channel.name), attrs)
        return xarray.Dataset(made, {self.name: self.values})

    @cached_property
    def dead_centres(self) -> tuple[DeadCentre, ...]:
        """Where coordinates of joints stand still: there they could not lead the linkage."""
        found = []
        for joint in self.model.joints:
            for coordinate in scalar_coordinates(joint):
                name = f"{joint.name}.{coordinate}"
                if name != self.name:
                    found += self._still(name)
        return tuple(sorted(found, key=lambda one: one.at))

    def _still(self, name: str) -> list[DeadCentre]:
        """Return where a coordinate stands still, located on the linkage itself."""
        rates = self.plain(rate_of(name))
        size = float(np.median(np.abs(rates)))
        length = self._sweep.system.equations.length()
        if size <= 1e-9 * length:
            return []
        clear = np.minimum(self.smallest[1:], self.smallest[:-1]) > DEAD
        ends = np.flatnonzero((rates[1:] * rates[:-1] < 0) & clear)
        exact = [i for i in range(len(rates)) if abs(rates[i]) <= 1e-12 * size]
        found = [
            DeadCentre(name, float(self.values[i]), float(self.plain(name)[i])) for i in exact
        ]
        for i in ends:
            if i in exact or i + 1 in exact:
                continue
            found.append(self._sweep.still(name, self.values[i : i + 2], self.q[i : i + 2]))
        return found

    def plot(self, *names: str, figure: Any = None) -> "Figure":
        """Return a figure of quantities over the sweep, one panel for each."""
        from bellcrank.analysis.plots import sweep

        return sweep(self, names, figure)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        lines = [
            f"kinematics of '{self.model.name}' over {self.name} = {self.values[0]:.9g} … "
            f"{self.values[-1]:.9g}, {len(self)} positions"
        ]
        for word, limit in zip(("smallest", "largest"), self.limits, strict=True):
            if np.isfinite(limit):
                lines.append(f"  its {word} possible value is {limit:.9g}: a dead centre")
        lines += [
            f"  it could not be followed beyond {t:.9g}: no dead centre" for t in self.lost
        ]
        for name, value in self.held.items():
            lines.append(f"  {name} is held at {value:.9g}")
        lines += [f"  {one}" for one in self.dead_centres[:8]]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"


def kinematics(
    model: Model,
    over: Mapping[str, Any],
    *,
    near: Start = None,
    parameters: Mapping[str, float] | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
    branches: int | None = None,
) -> Any:
    """Return the positions of a linkage through a sweep, with velocities and accelerations.

    Over time, drivers are followed from instant to instant: times at which their laws switch
    are located ahead. A pulse that is made without a switch, such as exp(−((t − 1)/w)²), and is
    narrower than 1/16,384 of the span of time, falls between instants and is not seen, unless
    one of the times is in it.

    Args:
        model: The linkage; its masses do not matter.
        over: What leads it: one coordinate of a joint or of a point with its values,
            `{"A.angle": np.linspace(0, 6, 1000)}`, or `{"t": times}` where drivers lead it.
            Further coordinates may be given with as many values; they go along.
        near: Where to begin, and on which branch: start values, `Near` ones, a state.
        parameters: Values by name over the model's own.
        formulation: How positions are described; all give the same.
        branches: How many places to look for other ways to assemble the linkage from; then a
            list of all sweeps is returned.

    Raises:
        Locked: It has no freedom left, or more than what leads it.
        StartError: It cannot be assembled at the first value.
        UnknownName: There is no such coordinate.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> swept = bc.kinematics(examples.load("four-bar"), over={"A.angle": [0.0, 0.1, 0.2]})
        >>> swept["D.angle"].shape
        (3,)
    """
    formulation, (names, table) = with_speeds(formulation), _swept(over)
    names = [name if name == "t" else full_name(model, name) for name in names]
    first = {name: float(table[0, i]) for i, name in enumerate(names) if name != "t"}
    start = near if near is not None else {}
    t = float(table[0, 0]) if names[0] == "t" else 0.0
    try:
        state = _beginning(model, start, first, t, parameters, formulation)
    except StartError:
        drawn = assemble(model, near, t=t, parameters=parameters, formulation=formulation)
        Sweep(drawn, names, table)  # it may be locked, which is said better than that
        raise
    sweep = Sweep(state, names, table)
    if branches is None:
        return sweep.run(state.q)
    return [Sweep(one, names, table).run(one.q) for one in _assemblies(state, sweep, branches)]


def _swept(over: Any) -> tuple[list[str], Array]:
    """Return what is swept, and its values, shape (n, names)."""
    if not isinstance(over, Mapping) or not over:
        raise OptionError(f"over takes a coordinate with its values, got {short(over)}.")
    names = [str(name) for name in over]
    columns = [np.atleast_1d(floats(f"over of '{n}'", v)) for n, v in over.items()]
    if any(not len(c) for c in columns):
        raise OptionError(f"over takes at least one value of '{names[0]}', got none.")
    if any(c.ndim != 1 or not np.all(np.isfinite(c)) for c in columns):
        raise OptionError("over takes rows of finite numbers.")
    if len({len(c) for c in columns}) > 1:
        raise OptionError("over takes as many values of each coordinate.")
    return names, np.stack(columns, axis=1)


def _beginning(
    model: Model,
    start: Any,
    first: Mapping[str, float],
    t: float,
    parameters: Any,
    formulation: Any,
) -> State:
    """Return the state at the first value, on the branch of the drawing or of the start."""
    if isinstance(start, Mapping):
        start = {k: v for k, v in start.items() if k not in first} | dict(first)
        return assemble(model, start, t=t, parameters=parameters, formulation=formulation)
    return assemble(model, start, t=t, parameters=parameters, formulation=formulation)


@dataclass(frozen=True, eq=False)
class _Led:
    """The equations of positions and of what leads, at many positions, in nominal sizes.

    Attributes:
        gap: What is lacking, shape (n, m).
        matrix: Its derivative, shape (n, m, nu).
        own: Sizes by which rows of what leads are measured, shape (n, led).
        rest: Rates of what leads at zero speeds, shape (n, led).
    """

    gap: Array
    matrix: Array
    own: Array
    rest: Array


class Sweep:
    """A linkage that is led through values.

    Attributes:
        state: Where it begins.
        name: The first of what is swept.
        names: What is swept, without time.
        table: Values, shape (n, names).
        held: Other coordinates that keep their values.
        lost: Instants beyond which it could not be followed, though it is not at its limit.
    """

    def __init__(
        self,
        state: State,
        names: list[str],
        table: Array,
        laws: tuple[Array, Array] | None = None,
    ) -> None:
        """Take a linkage and what leads it.

        Args:
            state: Where it begins.
            names: What is swept; the first is the parameter, perhaps `t`.
            table: Values, shape (n, names).
            laws: First and second derivatives of the others by the first, where they are
                known, shape (n, names − 1); else they are those of splines.
        """
        self.state, self.system, self.name, self.table = state, state.system, names[0], table
        self.names = [name for name in names if name != "t"]
        self.name = self.names[0] if names[0] != "t" else "t"
        self._timed = names[0] == "t"
        self.held: dict[str, float] = {}
        self.lost: list[float] = []
        self._passed = np.zeros(0), np.zeros((0, 0))
        self._rows: list[int] = []
        self._laws = laws
        self._complete()

    # --- what leads

    def _complete(self) -> None:
        """Find rows that are independent, and coordinates that are held besides."""
        C, scale = self._constraints(self.state.q[None], self.table[:1, 0])
        sizes = self.system.speed_sizes
        measured = C[0] * sizes / scale[:, None]
        nu = len(sizes)
        self._rows = sorted(rank.independent(measured)) if len(measured) else []
        if len(self._rows) < len(measured):
            here = held_rows(self.state)
            check_branches(self.state, here, "could be led on along each of them")
        left = nu - len(self._rows)
        given = len(self.names)
        if left == 0 and not self._timed:
            raise Locked(
                f"'{self.state.model.name}' has no freedom: nothing can be led. Take a joint "
                "or a driver away, or sweep over time, over={'t': times}."
            )
        if given > left:
            raise Locked(
                f"'{self.state.model.name}' has {left} degree{'s' * (left != 1)} of freedom, "
                f"and {given} coordinates lead it: {', '.join(self.names)}. Name fewer."
            )
        if given < left:
            self._hold(measured, left - given)

    def _hold(self, measured: Array, count: int) -> None:
        """Hold as many other coordinates of joints as are free besides what leads."""
        model, sizes = self.state.model, self.system.speed_sizes
        every = [f"{j.name}.{c}" for j in model.joints for c in scalar_coordinates(j)]
        every = [name for name in every if name not in self.names]
        basis = [measured[i] for i in self._rows]
        Y = self._measured([*self.names, *every], self.state.q[None], self.table[:1, 0])[1][0]
        rows = Y * sizes
        chosen = list(range(len(self.names)))
        for i in range(len(self.names), len(rows)):
            if len(chosen) == len(self.names) + count:
                break
            stack = np.array([*basis, *rows[chosen], rows[i]])
            stack = stack / np.maximum(np.linalg.norm(stack, axis=1, keepdims=True), 1e-300)
            if rank.rank(stack, relative=0.0, floor=DISTINCT) == len(stack):
                chosen.append(i)
        if len(chosen) < len(self.names) + count:
            raise Locked(
                f"'{model.name}' has {count} more degrees of freedom than what leads it, "
                f"{', '.join(self.names) or 'time'}. Name a coordinate for each in over."
            )
        held = [[*self.names, *every][i] for i in chosen[len(self.names) :]]
        self.held = {name: float(self.state[name]) for name in held}

    @property
    def _led(self) -> list[str]:
        return [*self.names, *self.held]

    def _wanted(self, values: Array) -> Array:
        """Return what is led at values of the first coordinate, shape (n, led)."""
        columns = [np.interp(values, *_sorted(self.table[:, 0], self.table[:, i]))
                   for i in range(int(self._timed), self.table.shape[1])]  # fmt: skip
        if not self._timed and columns:
            columns[0] = values
        columns += [np.full(len(values), value) for value in self.held.values()]
        return np.stack(columns, axis=1) if columns else np.zeros((len(values), 0))

    # --- kernels at many positions

    def arguments(self, values: Array, q: Array, u: Array | None = None) -> list[Array]:
        """Return the arguments of slots at positions: each has its own branch of the laws."""
        n = len(q)
        t = values if self._timed else np.full(n, self.state.t)
        s, w, p, k = self.state.arguments[3:]
        u = np.zeros((n, len(self.system.speeds))) if u is None else u
        at = [t[:, None], q, u, s, w, p]
        modes = self.system.equations.modes
        return [*at, self.system.modes(at, k[modes:]) if modes else k]

    def _constraints(self, q: Array, values: Array) -> tuple[Array, Array]:
        """Return C of the position rows and their nominal sizes."""
        e = self.system.equations
        mh = sum(row.level == "position" for row in e.rows)
        scale = self.system.row_scales(self.state.p)[:mh]
        if not mh:
            return np.zeros((len(q), 0, len(e.speeds))), scale
        return self.system.ask("velocity", self.arguments(values, q), level=0)[0][:, :mh], scale

    def _measured(
        self, names: Sequence[str], q: Array, values: Array
    ) -> tuple[Array, Array, Array]:
        """Return y, Y and r of quantities at positions."""
        if not names:
            n, nu = len(q), len(self.system.speeds)
            return np.zeros((n, 0)), np.zeros((n, 0, nu)), np.zeros((n, 0))
        y, Y, r = self.system.measured(names)(*self.arguments(values, q))
        shape = (len(q), len(names))
        return (np.broadcast_to(y.reshape(-1, shape[1]), shape),
                np.broadcast_to(Y.reshape(-1, shape[1], len(self.system.speeds)),
                                (*shape, len(self.system.speeds))),
                np.broadcast_to(r.reshape(-1, shape[1]), shape))  # fmt: skip

    def _system(self, values: Array, q: Array) -> "_Led":
        """Return the equations of positions and of what leads, in nominal sizes."""
        C, scale = self._constraints(q, values)
        sizes, rows = self.system.speed_sizes, self._rows
        y, Y, rest = self._measured(self._led, q, values)
        gap = self._wanted(values) - y
        if self._turning.any():
            turned = (gap + np.pi) % (2 * np.pi) - np.pi
            gap = np.where(self._turning, turned, gap)
        own = np.maximum(np.abs(Y * sizes).max(axis=-1, initial=0.0), 1e-300)
        matrix = np.concatenate(
            [C[:, rows] * sizes / scale[rows, None], Y * sizes / own[..., None]], 1
        )
        gap = gap / own
        if rows:
            phi = self.system.ask("position", self.arguments(values, q), level=0)[0]
            phi = np.broadcast_to(phi, (len(q), phi.shape[-1]))
            gap = np.concatenate([-phi[:, rows] / scale[rows], gap], axis=1)
        return _Led(gap, matrix, own, rest)

    @cached_property
    def _turning(self) -> Array:
        """Which of what is led are angles, of which full turns make no difference."""
        return np.array(
            [n.rpartition(".")[2].startswith("angle") for n in self._led], dtype=bool
        )

    def _gap(self, values: Array, q: Array) -> Array:
        """Return what is lacking at positions in nominal sizes, shape (n, m)."""
        return self._system(values, q).gap

    def _moved(self, values: Array, q: Array, step: Array) -> Array:
        """Return coordinates after steps in nominal sizes."""
        at = self.arguments(values, q)
        W = self.system.ask("kinematics", at, level=0)[0]
        q = (
            q
            + (
                np.broadcast_to(W, (len(q), *W.shape[-2:]))
                @ (step * self.system.speed_sizes)[..., None]
            )[..., 0]
        )
        if self.system.equations.has("normalize"):
            at[1] = q
            q = self.system.ask("normalize", at, level=0)[0]
        return q

    def newton(
        self, values: Array, q: Array, steps: int = STEPS, rest: Array | None = None
    ) -> tuple[Array, Array]:
        """Return positions at values, by Newton's method from near ones, and whether met.

        Args:
            values: Shape (n,).
            q: Near positions, shape (n, nq).
            steps: The most that are made.
            rest: What is left of the gaps, shape (n, m); nothing if None.
        """
        q, todo = q.copy(), np.arange(len(q))
        met = np.zeros(len(q), dtype=bool)
        rest = np.zeros((len(q), 1)) if rest is None else rest
        for _ in range(steps):
            at = self._system(values[todo], q[todo])
            gap, matrix = at.gap - rest[todo], at.matrix
            left = np.abs(gap).max(axis=-1, initial=0.0)
            met[todo] = left <= CLOSED
            todo = todo[left > CLOSED]
            if not len(todo):
                break
            keep = left > CLOSED
            step = _solved(matrix[keep], gap[keep])
            far = np.abs(step).max(axis=-1, keepdims=True)
            step = step * np.minimum(1.0, STRIDE / np.maximum(far, STRIDE))
            q[todo] = self._moved(values[todo], q[todo], step)
        else:
            gap = self._system(values[todo], q[todo]).gap - rest[todo]
            met[todo] = np.abs(gap).max(axis=-1, initial=0.0) <= 100 * CLOSED
        return q, met

    def slope(self, values: Array, q: Array) -> tuple[Array, Array]:
        """Return ξ′ per unit of what is swept, in nominal sizes, and the smallest singular."""
        at = self._system(values, q)
        return self._slope(values, q, at), _smallest(at.matrix)

    def _slope(self, values: Array, q: Array, at: "_Led") -> Array:
        """Return ξ′ per unit of what is swept, in nominal sizes."""
        right = np.zeros((len(q), at.matrix.shape[1]))
        right[:, len(self._rows) :] = (
            self._wanted_rate(values) - self._timed * at.rest
        ) / at.own
        if self._timed and self._rows:
            nu = self.system.ask("velocity", self.arguments(values, q), level=0)[1]
            scale = self.system.row_scales(self.state.p)
            right[:, : len(self._rows)] = np.broadcast_to(nu / scale, (len(q), len(scale)))[
                :, self._rows
            ]
        return _solved(at.matrix, right)

    def _wanted_rate(self, values: Array, order: int = 1) -> Array:
        """Return derivatives of what is led by the first, shape (n, led)."""
        grid, count = self.table[:, 0], self.table.shape[1]
        columns = [] if self._timed else [np.full(len(values), 1.0 if order == 1 else 0.0)]
        for i in range(1, count):
            if self._laws is not None:
                column = np.interp(values, *_sorted(grid, self._laws[order - 1][:, i - 1]))
            else:
                column = self._splines[i - 1](values, order)
            columns.append(column)
        columns += [np.zeros(len(values)) for _ in self.held]
        return np.stack(columns, axis=1) if columns else np.zeros((len(values), 0))

    @cached_property
    def _splines(self) -> list[Any]:
        """What goes along with the first coordinate, as splines of it."""
        from scipy.interpolate import make_interp_spline

        found = []
        for column in self.table.T[1:]:
            grid, values = _sorted(self.table[:, 0], column)
            degree = min(5, len(grid) - 1)
            found.append(make_interp_spline(grid, values, k=degree - (degree % 2 == 0)))
        return found

    # --- the sweep

    def run(self, q: Array) -> Kinematics:
        """Return the sweep from a position at the first value."""
        values = self.table[:, 0]
        first, met = self.newton(values[:1], q[None])
        if not met[0]:
            raise StartError(
                f"the linkage cannot be assembled at {self.name} = {values[0]:.9g}."
            )
        # Up and down from the first value: a position depends on the value, not on the way.
        known, limits = {float(values[0]): first[0]}, []
        for end in (float(values.min()), float(values.max())):
            found, limit = self._follow(float(values[0]), end, first[0])
            known |= found
            limits.append(np.nan if limit is None else limit)
        grid = np.array(sorted(known))
        places = np.array([known[value] for value in grid])
        self._passed = grid, places
        reached = _within(values, grid)
        q, met = self.newton(values[reached], self._between(grid, places, values[reached]))
        q, met = self._mended(values[reached], q, met, grid, places)
        return Kinematics(self, values[reached][met], q[met], (limits[0], limits[1]))

    def _mended(
        self, values: Array, q: Array, met: Array, grid: Array, known: Array
    ) -> tuple[Array, Array]:
        """Return positions, those that were not met found again from the nearest known one."""
        for i in np.flatnonzero(~met):
            near = int(np.argmin(np.abs(grid - values[i])))
            one, good = self.newton(values[i : i + 1], known[near][None])
            q[i], met[i] = one[0], good[0]
        return q, met

    def _follow(
        self, here: float, end: float, q: Array
    ) -> tuple[dict[float, Array], float | None]:
        """Return positions along a branch by value, and the limit of travel if it is met."""
        if self._timed:
            return self._driven(here, end, q)
        found, sign, least = {}, np.sign(end - here), 2.0**-HALVINGS * abs(end - here)
        slope, smallest = self.slope(np.array([here]), q[None])
        stretch = self._stretch(slope[0], end - here)
        while here != end:
            aim = end if stretch >= abs(end - here) else here + sign * stretch
            one = self._advanced(here, q, slope[0], aim) if smallest[0] > 1e-10 else None
            if one is None:
                stretch *= 0.5
                if stretch > least:
                    continue
                limit, last = self._limit(here, q, float(sign))
                return found | ({} if last is None else {limit: last}), limit
            here, q, slope, smallest = aim, *one
            found[here] = q
            stretch = min(2 * stretch, self._stretch(slope[0], end - here))
        return found, None

    def _driven(
        self, here: float, end: float, q: Array
    ) -> tuple[dict[float, Array], float | None]:
        """Return positions over time, and the instant from which drivers lead no further.

        From instant to instant it follows what drivers lead, not time: a law that is fast
        leads as far as one that is slow.
        """
        found: dict[float, Array] = {}
        for there in self._instants(here, end, q) if here != end else ():
            one = self._led_on(q, there)
            if one is None:
                here, q = self._as_far(here, there, q)
                found[here] = q
                if self.slope(np.array([here]), q[None])[1][0] < NEAR:
                    return found, here
                self.lost.append(here)
                return found, None
            here, q = there, one
            found[here] = q
        return found, None

    def _instants(self, here: float, end: float, q: Array) -> list[float]:
        """Return the instants to pass, from the path of what drivers lead."""
        values = self.table[:, 0]
        low, high = min(here, end), max(here, end)
        values = values[(values >= low) & (values <= high)]
        looks = [values, np.linspace(low, high, LOOKS), self._edges(low, high), [here, end]]
        times = np.unique(np.concatenate(looks))
        times = times if end > here else times[::-1]
        parts = np.array_split(times, 1 + len(times) // 2048)
        g = [self._gap(part, np.broadcast_to(q, (len(part), len(q)))) for part in parts]
        return instants(values, times, np.concatenate(g)).tolist()

    def _edges(self, low: float, high: float) -> Array:
        """Return times at which laws of time switch, and some between two that are close."""
        operations = timed(self.state.model).operations
        if not operations:
            return np.zeros(0)
        try:
            edges = pieces(operations, (low, high), self.system.named(self.state.p)).edges
        except TooMany:  # as many are not looked through
            return np.zeros(0)
        short = np.flatnonzero(np.diff(edges) * LOOKS < 4 * (high - low))
        inner = np.linspace(edges[short], edges[short + 1], INSIDE, axis=1)
        return np.clip(np.concatenate([edges, inner.ravel()]), low, high)

    def _led_on(self, q: Array, there: float) -> Array | None:
        """Return the position at an instant, led there from another: G(q, t) = (1 − σ) G₀.

        Drivers are led straight from where they are to where they will be; G₀ is the gap that
        this opens. None where that cannot be followed.
        """
        value, place, way = np.array([there]), 0.0, 1.0
        at = self._system(value, q[None])
        start, free = at.gap, True
        if np.abs(start).max(initial=0.0) <= CLOSED:
            return q
        slope = _solved(at.matrix, start)
        while place < 1.0:
            if not free:  # all at once only where the way is straight
                way = min(way, 0.8 * STRIDE / max(np.abs(slope).max(), 1e-300))
            ahead = min(1.0, place + way)
            guess, rest = self._moved(value, q[None], slope * (ahead - place)), 1.0 - ahead
            if free and np.abs(self._gap(value, guess) - rest * start).max() > STRAIGHT:
                free = False
                continue
            one, met = self.newton(value, guess, 12, rest * start)
            after = slope
            if met[0]:
                matrix = self._system(value, one).matrix
                met = _smallest(matrix) > 1e-10
                after = _solved(matrix, start)
            turned = np.abs(after - slope).max() * (ahead - place)
            if not met[0] or turned > 0.5 * STRIDE:
                way, free = 0.5 * way, False
                if way < LEAST:
                    return None
                continue
            place, q, slope, way = ahead, one[0], after, 2.0 * way
        return self._met(value, q)

    def _met(self, value: Array, q: Array) -> Array | None:
        """Return the position at an instant from one next to it, or None."""
        one, met = self.newton(value, q[None], 12)
        return one[0] if met[0] else None

    def _as_far(self, here: float, there: float, q: Array) -> tuple[float, Array]:
        """Return the last instant that can be come to between two, and the position there."""
        for _ in range(60):
            middle = 0.5 * (here + there)
            if abs(there - here) <= CLOSED * max(abs(here), abs(there)):
                break
            one = self._led_on(q, middle)
            if one is None:
                there = middle
            else:
                here, q = middle, one
        return here, q

    def _stretch(self, slope: Array, left: float) -> float:
        """Return how far the sweep may go at once; where others lead too, to their knots."""
        most = float(np.abs(slope).max(initial=0.0))
        far = abs(left) if len(self.names) <= 1 else np.ptp(self.table[:, 0]) / SEEDS
        return min(far, 0.8 * STRIDE / most) if most > 0 and np.isfinite(most) else far

    def _advanced(
        self, here: float, q: Array, slope: Array, there: float
    ) -> tuple[Array, Array, Array] | None:
        """Return the next position on the same branch, the slope and its smallest singular."""
        guess = self._moved(np.array([here]), q[None], (slope * (there - here))[None])
        found, met = self.newton(np.array([there]), guess, 12)
        if not met[0]:
            return None
        after, smallest = self.slope(np.array([there]), found)
        # On one branch slopes change little in a small step; a jump to another turns them.
        turned = np.abs(after[0] - slope).max(initial=0.0) * abs(there - here)
        return (found[0], after, smallest) if turned <= 0.5 * STRIDE else None

    def _limit(self, here: float, q: Array, sign: float) -> tuple[float, Array | None]:
        """Return the limit of travel beyond a position: where the led coordinate turns back."""
        lead, low = len(self._rows), 0.0
        start, direction = q, None

        def tangent(at: Array) -> tuple[Array, float]:
            """Return the direction along the constraints, and the rate of what is led in it."""
            matrix = self._system(np.array([here]), at[None]).matrix[0]
            vector = np.linalg.svd(np.delete(matrix, lead, axis=0))[2][-1]
            return vector, float(matrix[lead] @ vector)

        def moved(at: Array, vector: Array, by: float) -> Array:
            made = self._moved(np.array([here]), at[None], (by * vector)[None])
            for _ in range(STEPS):
                there = self._system(np.array([here]), made)
                rows, left = (
                    np.delete(there.matrix[0], lead, axis=0),
                    np.delete(there.gap[0], lead),
                )
                if np.abs(left).max(initial=0.0) <= CLOSED:
                    break
                step = np.linalg.lstsq(rows, left, rcond=None)[0]
                made = self._moved(np.array([here]), made, step[None])
            return made[0]

        direction, rate = tangent(q)
        if rate * sign < 0:
            direction = -direction
        size = 1e-2
        for _ in range(200):  # until the led coordinate turns back
            ahead = moved(start, direction, size)
            vector, rate = tangent(ahead)
            vector, rate = (vector, rate) if vector @ direction > 0 else (-vector, -rate)
            if rate * sign <= 0:
                break
            start, direction = ahead, vector
        else:
            return here, None
        high = size
        for _ in range(60):
            middle = 0.5 * (low + high)
            ahead = moved(start, direction, middle)
            vector, rate = tangent(ahead)
            rate = rate if vector @ direction > 0 else -rate
            low, high = (middle, high) if rate * sign > 0 else (low, middle)
        last = moved(start, direction, low)
        y = self._measured(self._led, last[None], np.array([here]))[0][0, 0]
        if self.name.rpartition(".")[2].startswith("angle"):
            y = here + (y - here + np.pi) % (2 * np.pi) - np.pi
        return float(y), last

    def _between(self, grid: Array, q: Array, values: Array) -> Array:
        """Return coordinates at values by cubic interpolation between known positions."""
        from scipy.interpolate import CubicHermiteSpline

        if len(grid) < 2:
            return np.broadcast_to(q[0], (len(values), len(q[0]))).copy()
        ahead, smallest = self.slope(grid, q)
        order = np.argsort(grid)
        at = self.arguments(grid, q)
        W = self.system.ask("kinematics", at, level=0)[0]
        rates = (
            np.broadcast_to(W, (len(q), *W.shape[-2:]))
            @ (ahead * self.system.speed_sizes)[..., None]
        )[..., 0]
        if (smallest < 1e-6).any() or not np.isfinite(rates).all():
            found = [np.interp(values, grid[order], column[order]) for column in q.T]
            return np.stack(found, axis=1)
        return CubicHermiteSpline(grid[order], q[order], rates[order])(values)

    # --- motion

    def motion(self, values: Array, q: Array) -> tuple[Array, Array, Array]:
        """Return u, a per unit of what is swept, and the smallest singular values."""
        sizes, m = self.system.speed_sizes, len(self._rows)
        led = self._system(values, q)
        u, smallest = self._slope(values, q, led) * sizes, _smallest(led.matrix)
        right = np.zeros((len(q), led.matrix.shape[1]))
        at = self.arguments(values, q, u)
        if self._rows:
            gamma = self.system.ask("acceleration", at, level=0)[0]
            scale = self.system.row_scales(self.state.p)
            right[:, :m] = np.broadcast_to(gamma / scale, (len(q), len(scale)))[:, self._rows]
        if self._led:
            push = self._pushes(at, np.zeros_like(u))
            right[:, m:] = (self._wanted_rate(values, 2) - push) / led.own
        return u, _solved(led.matrix, right) * sizes, smallest

    def memory(self, values: Array, q: Array, u: Array) -> Array:
        """Return k at positions: measured angles go on over full turns from the first."""
        system, at = self.system, self.arguments(values, q, u)[:-1]
        names = [v.name for v in system.equations.memory if v.quantity == "angle"]
        if not names or not len(q):
            k = system.memory(at, {})
            return np.broadcast_to(k, (len(q), k.shape[-1]))
        start = [np.array([self.state.t]), *(each[:1] for each in at[1:3]), *at[3:]]
        first = system.shown(names, [*start, self.state.k])[0]
        passed, angles = self._wound(names, values, q, u)
        angles = angles[np.searchsorted(passed, values)]
        angles = angles + TURN * np.round((first - angles[0]) / TURN)
        return system.memory(at, dict(zip(names, angles.T, strict=True)))

    def _wound(
        self, names: Sequence[str], values: Array, q: Array, u: Array
    ) -> tuple[Array, Array]:
        """Return values in ascending order, and angles that go on over full turns there.

        An angle goes on by the mean of its rates at both ends of a step. Over time, instants
        that were passed are such ends, too, and steps are halved by which the rates change too
        much to tell.
        """
        order = np.argsort(values, kind="stable")
        values, q, u = values[order], q[order], u[order]
        if self._timed and len(self._passed[0]):
            times, places = self._passed
            new = ~np.isin(times, values) & (times > values[0]) & (times < values[-1])
            values, q, u = self._with((values, q, u), times[new], places[new])
        angles, gaps = self._gone_on(names, values, q, u)
        for _ in range(HALVED):
            left = np.flatnonzero(np.isnan(gaps).any(axis=1))
            if not self._timed or not left.size or len(values) > LOOKS:
                break
            middles = 0.5 * (values[left] + values[left + 1])
            led = [self._led_on(q[i], t) for i, t in zip(left, middles.tolist(), strict=True)]
            found = [i for i, one in enumerate(led) if one is not None]
            if not found:
                break
            values, q, u = self._with(
                (values, q, u), middles[found], np.array([led[i] for i in found])
            )
            angles, gaps = self._gone_on(names, values, q, u)
        gaps = np.where(np.isnan(gaps), self._gone_on(names, values, q, u, sure=False)[1], gaps)
        turns = np.concatenate([np.zeros((1, len(names))), np.cumsum(gaps, axis=0)])
        return values, angles + TURN * turns

    def _gone_on(
        self, names: Sequence[str], values: Array, q: Array, u: Array, sure: bool = True
    ) -> tuple[Array, Array]:
        """Return angles but for full turns, and the turns that rates add from one to the next.

        Where rates do not tell how many they are, they are no numbers, unless any will do.
        """
        at = self.arguments(values, q, u)[:-1]
        shown = self.system.shown([*names, *map(rate_of, names)], [*at, self.system.modes(at)])
        angles, rates = np.split(shown, 2, axis=1)
        dt = np.diff(values)[:, None]
        gaps = (dt * (rates[1:] + rates[:-1]) / 2 - np.diff(angles, axis=0)) / TURN
        bent = np.abs(dt * np.diff(rates, axis=0)) > TURN / 2
        unsure = sure & (bent | (np.abs(gaps - np.round(gaps)) > UNSURE))
        return angles, np.where(unsure, np.nan, np.round(gaps))

    def _with(
        self, known: tuple[Array, Array, Array], times: Array, places: Array
    ) -> tuple[Array, Array, Array]:
        """Return times, positions and speeds with further ones, in ascending order."""
        if not len(times):
            return known
        further = times, places, self.motion(times, places)[0]
        t, q, u = (np.concatenate(both) for both in zip(known, further, strict=True))
        order = np.argsort(t, kind="stable")
        return t[order], q[order], u[order]

    def _pushes(self, at: list[Array], a: Array) -> Array:
        """Return the accelerations of what is led."""
        system = self.system
        y = system.kernel("observe", level=0)(*at, a)[0]
        found = parts(np.broadcast_to(y, (len(a), y.shape[-1])), system.equations.channels)
        columns = []
        for name in self._led:
            push = _acceleration(name)
            stem = push.rpartition("_")[0]
            if push in found:
                columns.append(found[push])
            else:
                columns.append(
                    found[stem][:, components(stem, found[stem].shape[-1]).index(push)]
                )
        return np.stack(columns, axis=1)

    def still(self, name: str, ends: Array, q: Array) -> DeadCentre:
        """Return where a coordinate stands still between two positions, by bisection."""
        (low, high), (a, b) = (float(ends[0]), float(ends[1])), q

        def rate(value: float, at: Array) -> float:
            slope, _ = self.slope(np.array([value]), at[None])
            _, Y, r = self._measured([name], at[None], np.array([value]))
            return float(Y[0, 0] @ (slope[0] * self.system.speed_sizes) + r[0, 0] * self._timed)

        first, last = rate(low, a), rate(high, b)
        for _ in range(60):
            secant = (
                low - first * (high - low) / (last - first)
                if last != first
                else 0.5 * (low + high)
            )
            middle = (
                secant if low < secant < high or high < secant < low else 0.5 * (low + high)
            )
            found, met = self.newton(np.array([middle]), a[None])
            if not met[0]:
                break
            now = rate(middle, found[0])
            if now * first > 0:
                low, first, a, last = middle, now, found[0], 0.5 * last
            else:
                high, last, b, first = middle, now, found[0], 0.5 * first
            if abs(high - low) <= 1e-13 * (1 + abs(high)) or now == 0:
                break
        value = float(self._measured([name], a[None], np.array([low]))[0][0, 0])
        return DeadCentre(name, 0.5 * (low + high), value)

    def assemblies(self, q: Array, count: int) -> list[Array]:
        """Return different positions at the first value, that of the start first."""
        noise = np.random.default_rng(0)
        first = self.newton(self.table[:1, 0], q[None])[0]
        steps = np.pi * noise.uniform(-1, 1, size=(count, len(self.system.speeds)))
        values = np.full(count, self.table[0, 0])
        tried = self._moved(values, np.broadcast_to(first, (count, first.shape[1])), steps)
        found, met = self.newton(values, tried, 4 * STEPS)
        kept = [first[0]]
        for one in found[met]:
            if all(self._apart(one, other) > 1e-6 for other in kept):
                kept.append(one)
        return kept

    def _apart(self, one: Array, other: Array) -> float:
        """Return how far bodies are apart in two positions [lengths of the machine]."""
        system, length = self.system, self.system.equations.length()
        both = np.stack([one, other])
        at = self.arguments(np.full(2, self.table[0, 0]), both)
        pose = system.ask("bodies", at, np.zeros((2, len(system.speeds))), level=0)[0]
        pose = pose.reshape(2, 7, -1)
        apart = np.abs(pose[0, :3] - pose[1, :3]).max(initial=0.0) / length
        turned = 1 - np.abs((pose[0, 3:] * pose[1, 3:]).sum(axis=0))
        return float(max(apart, np.sqrt(np.maximum(turned, 0)).max(initial=0.0)))


def _assemblies(state: State, sweep: Sweep, count: Any) -> list[State]:
    """Return different ways to assemble a linkage at the first value, looked for in joints.

    In joint coordinates bodies do not leave the axes of their hinges, nor turn them round.
    """
    if isinstance(count, bool) or not isinstance(count, int) or count < 1:
        raise OptionError(
            f"branches takes the number of places to look from, got {short(count)}."
        )
    jointed = assemble(state.model, state, formulation=JointCoordinates())
    names = [*(["t"] if sweep._timed else []), *sweep.names]
    found = Sweep(jointed, names, sweep.table).assemblies(jointed.q, count)
    rest = jointed.x[len(jointed.q) :]
    every = [jointed.replaced(x=np.concatenate([q, np.zeros_like(rest)])) for q in found]
    return [assemble(state.model, one, formulation=state.formulation) for one in every]


def full_name(model: Model, name: str) -> str:
    """Return the name of a scalar coordinate of a joint or of a place; a bare joint's only one.

    Raises:
        UnknownName: There is none.
    """
    joints = {j.name: [f"{j.name}.{c}" for c in scalar_coordinates(j)] for j in model.joints}
    if len(joints.get(name, ())) == 1:
        return joints[name][0]
    known = [one for found in joints.values() for one in found]
    known += [
        f"{e.name}.{part}" for e in (*model.bodies, *model.points)
        for part in law_names(e) if part.startswith("position")
    ]  # fmt: skip
    if name not in known:
        raise UnknownName("coordinate", name, joints.get(name) or known)
    return name


def _acceleration(name: str) -> str:
    """Return the name of the acceleration of a coordinate or of a place."""
    owner, _, quantity = name.rpartition(".")
    if quantity.startswith("position_"):
        return f"{owner}.acceleration_{quantity.rpartition('_')[2]}"
    return f"{name}_acceleration"


def _sorted(grid: Array, values: Array) -> tuple[Array, Array]:
    """Return values over a grid in rising order, as interpolation takes them."""
    order = np.argsort(grid, kind="stable")
    return grid[order], values[order]


def _within(values: Array, known: Array) -> Array:
    """Return which values lie between known ones."""
    low, high = known.min(), known.max()
    slack = 1e-12 * max(abs(low), abs(high), 1e-300)
    return np.flatnonzero((values >= low - slack) & (values <= high + slack))


def _smallest(matrix: Array) -> Array:
    """Return the smallest singular values of matrices."""
    if not matrix.size:
        return np.ones(len(matrix))
    return np.linalg.svd(matrix, compute_uv=False)[..., -1]


def _solved(matrix: Array, right: Array) -> Array:
    """Return solutions of square or other systems, the smallest where they are open."""
    if matrix.shape[-1] == matrix.shape[-2]:
        try:
            return np.linalg.solve(matrix, right[..., None])[..., 0]
        except np.linalg.LinAlgError:
            pass
    return (rank.pseudo_inverse(matrix) @ right[..., None])[..., 0]
