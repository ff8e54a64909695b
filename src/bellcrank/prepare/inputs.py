"""What drives a machine's inputs: expressions, tables and sampled controllers.

An expression takes the place of its input in the model and is compiled with it. Tables and
sampled controllers are run-time data: between two ticks an input is w0 + w1 t, and the
integrator lands on every tick.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bellcrank.errors import OptionError, UnknownName, refuse_unknown
from bellcrank.kernels.entries import Native
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.arguments import check_mapping
from bellcrank.machine.system import System
from bellcrank.model import Expression, Model, Sampled
from bellcrank.model.expressions import Input, substitute
from bellcrank.model.expressions import inputs as inputs_of
from bellcrank.model.names import channels, components, law_quantities
from bellcrank.prepare.observing import Observing, own_states


@dataclass(frozen=True)
class Table:
    """Values over time, linear between knots and constant beyond its ends."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def after(self, t: float) -> float:
        """Return the first knot after `t` [s], or infinity."""
        i = bisect_right(self.times, t)
        return self.times[i] if i < len(self.times) else np.inf

    def line(self, t: float) -> tuple[float, float]:
        """Return (w0, w1) of the piece that begins at or before `t`."""
        i = bisect_right(self.times, t)
        if i == 0:
            return self.values[0], 0.0
        if i == len(self.times):
            return self.values[-1], 0.0
        (t0, t1), (v0, v1) = self.times[i - 1 : i + 1], self.values[i - 1 : i + 1]
        slope = (v1 - v0) / (t1 - t0)
        return v0 - slope * t0, slope


@dataclass(frozen=True)
class Bound:
    """A model whose inputs are known.

    Attributes:
        model: With expressions in the place of the inputs they drive.
        expressions: Those expressions, by the name of the input.
        tables: Tables by the name of the input.
        controllers: Sampled controllers, each with the names of the inputs it drives.
    """

    model: Model
    expressions: Mapping[str, Expression]
    tables: Mapping[str, Table]
    controllers: Mapping[Sampled, tuple[str, ...]]

    def first(self, system: System, begin: float) -> np.ndarray:
        """Return the inputs at the beginning, before a controller was asked: those are zero."""
        w = np.zeros(len(system.inputs))
        for name, table in self.tables.items():
            w0, w1 = table.line(begin)
            w[system.inputs.index(name)] = w0 + w1 * begin
        return w

    def schedule(self, machine: Integrable, rhs: Native, begin: float) -> "Ticks | None":
        """Return the ticks of the inputs, or None where nothing ticks."""
        if not (self.tables or self.controllers):
            return None
        return Ticks(self, machine, rhs, begin)


def bind(model: Model, inputs: Mapping[str, Any] | None) -> Bound:
    """Return the model with its inputs driven.

    Args:
        model: The machine.
        inputs: For each input of the model an expression, (times, values) or a `Sampled`.

    Raises:
        ModelError: Names that are no inputs of the model.
        OptionError: An input is not driven, or by something that cannot drive it.
    """
    check_mapping("inputs", inputs)
    given = dict(inputs or {})
    known = [one.name for one in model.inputs]
    if given:
        refuse_unknown("input", given, known)
    missing = [name for name in known if name not in given]
    if missing:
        raise OptionError(
            f"nothing drives input{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))}. "
            f"Give inputs={{{missing[0]!r}: expression, (times, values) or bc.Sampled(...)}}."
        )
    expressions: dict[str, Expression] = {}
    tables: dict[str, Table] = {}
    controllers: dict[Sampled, tuple[str, ...]] = {}
    for name, source in given.items():
        if isinstance(source, Sampled):
            controllers[source] = (*controllers.get(source, ()), name)
        elif isinstance(source, tuple | list):
            tables[name] = _table(name, source)
        else:
            expressions[name] = _expression(model, name, source)
    return Bound(_driven(model, expressions), expressions, tables, controllers)


def _table(name: str, source: Sequence[Any]) -> Table:
    try:
        times, values = (np.asarray(part, dtype=float) for part in source)
    except (TypeError, ValueError, OverflowError):
        raise OptionError(f"input '{name}' takes a pair (times, values) of numbers.") from None
    if times.ndim != 1 or times.shape != values.shape or not times.size:
        raise OptionError(
            f"input '{name}' takes as many values as times, "
            f"got shapes {times.shape} and {values.shape}."
        )
    if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
        raise OptionError(f"input '{name}' has times or values that are not finite.")
    if np.any(np.diff(times) <= 0):
        raise OptionError(f"input '{name}' needs times that increase.")
    return Table(tuple(times.tolist()), tuple(values.tolist()))


def _expression(model: Model, name: str, source: Any) -> Expression:
    found = model.resolve(source, f"input '{name}'")
    if inputs_of(found):
        raise OptionError(f"input '{name}' cannot be driven by another input.")
    return found


def _driven(model: Model, expressions: Mapping[str, Expression]) -> Model:
    """Return the model with expressions in the place of inputs."""
    if not expressions:
        return model
    names: dict[Expression, Expression] = {Input(n): e for n, e in expressions.items()}

    def changed(value: Any) -> Any:
        if isinstance(value, Expression):
            return substitute(value, names)
        return tuple(map(changed, value)) if isinstance(value, tuple) else value

    forces = [
        replace(force, **{law: changed(getattr(force, law)) for law in force.LAWS})
        for force in model.forces
    ]
    left = tuple(one for one in model.inputs if one.name not in expressions)
    return replace(model, forces=tuple(forces), inputs=left)


class Ticks:
    """The schedule of tables and controllers that the integrator follows."""

    def __init__(self, bound: Bound, machine: Integrable, rhs: Native, begin: float) -> None:
        self._bound, self._begin = bound, begin
        self._index = {name: i for i, name in enumerate(machine.system.inputs)}
        self._held = np.zeros(len(machine.system.inputs))
        self._due = {controller: 0 for controller in bound.controllers}
        self._read = {
            controller: _reader(bound.model, machine, rhs, controller)
            for controller in bound.controllers
        }

    def next(self, t: float) -> float:
        """Return the first tick after `t` [s], or infinity."""
        times = [table.after(t) for table in self._bound.tables.values()]
        times += [self._begin + n * c.every for c, n in self._due.items()]
        return min((time for time in times if time > t), default=np.inf)

    def update(self, t: float, x: np.ndarray, k: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return (w0, w1) from `t` on, asking the controllers whose time has come."""
        for controller, names in self._bound.controllers.items():
            due = self._begin + self._due[controller] * controller.every
            if t >= due - 1e-9 * controller.every:
                self._due[controller] += 1
                w0, w1 = self._lines(t)
                values = self._read[controller](t, x, w0 + w1 * t, k)
                self._take(names, _asked(controller, names, t, values))
        return self._lines(t)

    def _lines(self, t: float) -> tuple[np.ndarray, np.ndarray]:
        """Return (w0, w1) of tables from `t` on, and of what controllers hold."""
        w0, w1 = self._held.copy(), np.zeros_like(self._held)
        for name, table in self._bound.tables.items():
            w0[self._index[name]], w1[self._index[name]] = table.line(t)
        return w0, w1

    def _take(self, names: tuple[str, ...], given: Any) -> None:
        """Hold what a controller gave.

        Raises:
            OptionError: It gave no number for one of its inputs, or more than those.
        """
        strange = sorted(set(given) - set(names)) if isinstance(given, Mapping) else ()
        if strange:
            raise OptionError(
                f"the sampled law returns {', '.join(map(repr, strange))}, but drives only "
                f"{', '.join(map(repr, names))}."
            )
        for name in names:
            try:
                value = float(given[name])
            except (TypeError, KeyError, ValueError, OverflowError):
                value = np.nan
            if not np.isfinite(value):
                raise OptionError(
                    f"the sampled law must return a finite number for input '{name}', as in "
                    f"{{{name!r}: 0.5}}; got {given!r}."
                )
            self._held[self._index[name]] = value


def _asked(
    controller: Sampled, names: tuple[str, ...], t: float, values: dict[str, Any]
) -> Any:
    """Return what a law gives.

    Raises:
        OptionError: It raises; that is the cause.
    """
    try:
        return controller.law(t, values)
    except Exception as error:
        raise OptionError(
            f"the sampled law of {', '.join(map(repr, names))} raised "
            f"{type(error).__name__} at t = {t:.9g} s: {error}"
        ) from error


def _reader(
    model: Model, machine: Integrable, rhs: Native, controller: Sampled
) -> Callable[[float, np.ndarray, np.ndarray, np.ndarray], dict[str, Any]]:
    """Return a function that measures what a controller reads.

    Angles count full turns, as those of results do: the memory k of the integrator knows them.
    Accelerations and reactions are those under the inputs that were held until then.
    """
    parts = {name: _scalars(model, machine.system, name) for name in controller.reads}
    if not parts:
        return lambda t, x, w, k: {}
    observe = Observing(model, machine, (n for found in parts.values() for n in found), rhs)

    def read(t: float, x: np.ndarray, w: np.ndarray, k: np.ndarray) -> dict[str, Any]:
        seen = observe(t, x, w, k)
        return {
            name: seen[name] if found == (name,) else np.array([seen[part] for part in found])
            for name, found in parts.items()
        }

    return read


def _scalars(model: Model, system: System, name: str) -> tuple[str, ...]:
    """Return the scalar signals of a name, which may be a vector such as `tip.position`.

    Raises:
        UnknownName: There is no such signal.
    """
    sizes = {channel.name: channel.size for channel in channels(model)}
    for element in model.elements:
        known = law_quantities(element).items()
        sizes |= {f"{element.name}.{quantity}": size for quantity, size in known}
    sizes |= {own: len(places) for own, places in own_states(system).items()}
    sizes |= {each.name: 1 for each in system.equations.multipliers}
    if name in sizes:
        return components(name, sizes[name])
    scalars = {part for whole, size in sizes.items() for part in components(whole, size)}
    if name in scalars:
        return (name,)
    owner = name.rpartition(".")[0]
    near = [part for part in sizes if owner and part.startswith(f"{owner}.")]
    raise UnknownName("signal", name, near or sizes)
