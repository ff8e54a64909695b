"""What drives a machine's inputs: expressions, tables and sampled controllers.

An expression takes the place of its input in the model and is compiled with it. Tables and
sampled controllers are run-time data: between two ticks an input is w0 + w1 t, and the
integrator lands on every tick. Tables are followed forwards and backwards in time; what a
controller held before a tick it would have read from a state that is not known yet.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from bellcrank.errors import OptionError, UnknownName, refuse_unknown
from bellcrank.kernels.entries import Native
from bellcrank.kernels.protocol import Integrable
from bellcrank.machine.arguments import check_mapping
from bellcrank.machine.system import System
from bellcrank.model import Event, Expression, Model, Sampled
from bellcrank.model.edit import GROUPS
from bellcrank.model.elements.walking import expressions_of, with_expressions
from bellcrank.model.expressions import Input, Signal, substitute
from bellcrank.model.expressions import inputs as inputs_of
from bellcrank.model.names import channels, components, law_quantities
from bellcrank.prepare.observing import Observing, own_states


@dataclass(frozen=True)
class Table:
    """Values over time, linear between knots and constant beyond its ends."""

    times: tuple[float, ...]
    values: tuple[float, ...]

    def after(self, t: float, sign: float = 1.0) -> float:
        """Return the first knot beyond `t` [s] along the travel of time, or ±infinity."""
        if sign < 0:
            i = bisect_left(self.times, t)
            return self.times[i - 1] if i else -np.inf
        i = bisect_right(self.times, t)
        return self.times[i] if i < len(self.times) else np.inf

    def line(self, t: float, sign: float = 1.0) -> tuple[float, float]:
        """Return (w0, w1) of the piece on which time travels on from `t`."""
        i = bisect_left(self.times, t) if sign < 0 else bisect_right(self.times, t)
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
    expressions: Mapping[str, Expression] = field(default_factory=dict)
    tables: Mapping[str, Table] = field(default_factory=dict)
    controllers: Mapping[Sampled, tuple[str, ...]] = field(default_factory=dict)

    def first(self, system: System, begin: float) -> np.ndarray:
        """Return the inputs at the beginning, before a controller was asked: those are zero."""
        w = np.zeros(len(system.inputs))
        for name, table in self.tables.items():
            w0, w1 = table.line(begin)
            w[system.inputs.index(name)] = w0 + w1 * begin
        return w

    def watched(self, events: Sequence[Event]) -> Sequence[Event]:
        """Return events with expressions in the place of the inputs they drive."""
        names = _nodes(self.expressions)
        return [with_expressions(e, lambda _, expr: substitute(expr, names)) for e in events]


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
    driven = _driven(model, expressions)
    _refuse_led_speeds(driven, tables)
    return Bound(driven, expressions, tables, controllers)


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
    names = _nodes(expressions)

    def changed(element: Any) -> Any:
        return with_expressions(element, lambda _, expr: substitute(expr, names))

    groups = {group: tuple(map(changed, getattr(model, group))) for group in GROUPS}
    left = tuple(one for one in model.inputs if one.name not in expressions)
    return replace(model, **groups, inputs=left)


def _refuse_led_speeds(model: Model, tables: Mapping[str, Table]) -> None:
    """Raise where tables or controllers lead speeds.

    Accelerations on a row of speeds b·u = b₀ follow from the rates of b and b₀, and those of an
    input are in no equation: it is a number between ticks, and may jump there.

    Raises:
        OptionError: Naming the first input and the row.
    """
    for row in model.constraints:
        found = {one.name for _, law in expressions_of(row) for one in inputs_of(law)}
        for name in sorted(found):
            what = "a table" if name in tables else "a sampled controller"
            raise OptionError(
                f"input {name!r} is part of the speeds that {row.name!r} leads: accelerations "
                f"follow from its rate, which is in no equation where {what} drives it. "
                "Drive it by an expression, as in "
                f"inputs={{{name!r}: 'interp(t, [0, 1], [0, 2])'}}, or lead the speed by a "
                "variable whose rate is the input."
            )


def _nodes(expressions: Mapping[str, Expression]) -> dict[Expression, Expression]:
    """Return what takes the place of each input, looked up or not yet."""
    found = ((node(name), e) for name, e in expressions.items() for node in (Input, Signal))
    return dict(found)


class Ticks:
    """The schedule of tables and controllers that the integrator follows."""

    def __init__(
        self, bound: Bound, machine: Integrable, rhs: Native, span: tuple[float, float]
    ) -> None:
        """Take what drives the inputs.

        Args:
            bound: Tables and controllers by input.
            machine: What they drive.
            rhs: Its rates.
            span: The beginning and the end [s]; time travels from one to the other.

        Raises:
            OptionError: Controllers are to be followed backwards.
        """
        self._bound, self._begin = bound, span[0]
        self._sign = -1.0 if span[1] < span[0] else 1.0
        if self._sign < 0 and bound.controllers:
            names = [repr(name) for driven in bound.controllers.values() for name in driven]
            raise OptionError(
                f"the sampled controller of {', '.join(names)} cannot run backwards in time: "
                "what it held before a tick follows from a state that is not known yet. "
                "Choose until after begin, or give an expression or a table (times, values)."
            )
        self._index = {name: i for i, name in enumerate(machine.system.inputs)}
        self._held = np.zeros(len(machine.system.inputs))
        self._due = {controller: 0 for controller in bound.controllers}
        self._read = {
            controller: _reader(bound.model, machine, rhs, controller)
            for controller in bound.controllers
        }

    def next(self, t: float) -> float:
        """Return the first tick beyond `t` [s] along the travel of time, or ±infinity."""
        sign = self._sign
        times = [table.after(t, sign) for table in self._bound.tables.values()]
        times += [self._begin + n * c.every for c, n in self._due.items()]
        ahead = [sign * time for time in times if sign * (time - t) > 0]
        return sign * min(ahead, default=np.inf)

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
            w0[self._index[name]], w1[self._index[name]] = table.line(t, self._sign)
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
