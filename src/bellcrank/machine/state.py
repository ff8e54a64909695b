"""A state of a machine: assembled, consistent, every quantity by its name.

    bc.assemble(model, {"A": 0.3})["tip.position"]

What is named is held; the rest moves as little as it takes to close the machine. A state is a
value: it starts runs in any formulation, and every question of `bellcrank.analysis` is asked at
one.
"""

from collections.abc import Iterator, Mapping
from functools import cached_property
from html import escape
from typing import Any, Self

import numpy as np

from bellcrank.constraints.assembly.redundancy import residuals
from bellcrank.errors import NotSupported, OptionError, StartError, UnknownName
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.linear.rank import SLACK
from bellcrank.machine.arguments import finite, numbers
from bellcrank.machine.continuing import (
    Start,
    angles_of,
    continued,
    projected,
    time_of,
    values_of,
)
from bellcrank.machine.names import put
from bellcrank.machine.start import (
    beginning,
    held,
    memory,
    of_size,
    parameter_values,
    split_near,
    split_start,
)
from bellcrank.machine.system import System, compiled
from bellcrank.machine.targets import reached, split_places
from bellcrank.model import Model
from bellcrank.model.elements.fields import short
from bellcrank.model.elements.joints import scalar_coordinates
from bellcrank.model.names import Channel, components
from bellcrank.units import QUANTITIES

SHOWN = 24  # lines of a printed state
MOVED = 1e-9  # of a coordinate that assembly moved [rad, m]


class State:
    """Where a machine is and how it moves, at one time.

    `state["A.angle"]` is a number, `state["tip.position"]` an array; all names of results are
    known, reactions and accelerations included.

    Attributes:
        model: The machine.
        formulation: What it was assembled in.
        t: The time [s].
        x: Its coordinates, speeds and auxiliary states [q, u, s], in the order of `system`.
        w: Its inputs.
        p: Its parameter values.
        k: Its memory.
        states: The names of its coordinates and speeds.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> state = bc.assemble(examples.load("double-pendulum"), {"A": 0.3})
        >>> state["tip.position"].shape
        (3,)
    """

    def __init__(
        self,
        model: Model,
        formulation: AbstractFormulation,
        system: System,
        t: float,
        vectors: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
        said: Mapping[str, Any] | None = None,
    ) -> None:
        """Take a consistent state.

        Args:
            model: The machine.
            formulation: How its equations are written.
            system: They.
            t: The time [s].
            vectors: x, w, p and k.
            said: What it was assembled from, by name.
        """
        self.model, self.formulation, self.system, self.t = model, formulation, system, t
        self.x, self.w, self.p, self.k = (_frozen(each) for each in vectors)
        self.states = system.state_names
        self._said = dict(said or {})

    # --- by name

    @property
    def names(self) -> tuple[str, ...]:
        """All names it knows, in the order of results; components go by suffix."""
        e = self.system.equations
        channels = (c.name for c in e.channels)
        rows = (c.name for c in e.multipliers)
        return tuple(dict.fromkeys((*channels, *self.states, *self.system.inputs, *rows)))

    @cached_property
    def _values(self) -> dict[str, np.ndarray]:
        system, arguments = self.system, self.arguments
        rates = system.rates(arguments)
        found = system.observe_arguments(arguments, rates) | system.balanced(arguments, rates)
        own = system.unpack(*arguments[1:4])
        return own | found | dict(zip(system.inputs, self.w, strict=True))

    def __getitem__(self, name: str) -> Any:
        if name in self._values:
            value = self._values[name]
            return float(value) if np.ndim(value) == 0 else _frozen(value)
        stem = str(name).rpartition("_")[0]
        value = self._values.get(stem)
        if value is not None and np.ndim(value):
            parts = components(stem, len(value))
            if name in parts:
                return float(value[parts.index(name)])
        own = [n for n in self.names if n.startswith(f"{name}.")]
        raise UnknownName("quantity", name, own or self.names)

    def __contains__(self, name: object) -> bool:
        try:
            self[str(name)]
        except UnknownName:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    @property
    def final(self) -> Self:
        """Itself: a state ends where it begins."""
        return self

    @property
    def start(self) -> dict[str, Any]:
        """Its coordinates and speeds by name, as `simulate(start=…)` takes them."""
        parts = self.system.split(self.x)
        return {
            name: float(v) if np.ndim(v) == 0 else tuple(v.tolist())
            for name, v in self.system.unpack(*parts).items()
        }

    @property
    def parameters(self) -> dict[str, float]:
        """The values of its parameters by name."""
        return self.system.named(self.p)

    @property
    def inputs(self) -> dict[str, float]:
        """The values of its inputs by name."""
        return dict(zip(self.system.inputs, self.w.tolist(), strict=True))

    @property
    def provenance(self) -> dict[str, Any]:
        """What it was computed in."""
        return {
            "model": self.model.name,
            "formulation": self.system.equations.formulation,
            "parameters": self.parameters,
        }

    # --- as slots take it

    @property
    def q(self) -> np.ndarray:
        """Coordinates, in the order of `system.coordinates`."""
        return self.system.split(self.x)[0]

    @property
    def u(self) -> np.ndarray:
        """Generalized speeds, in the order of `system.speeds`."""
        return self.system.split(self.x)[1]

    @property
    def arguments(self) -> list[np.ndarray]:
        """The arguments of the slots of the contract."""
        return [np.array([self.t]), *self.system.split(self.x), self.w, self.p, self.k]

    # --- how well it is assembled

    @cached_property
    def residual(self) -> float:
        """The largest residual of a constraint [lengths of the machine, rad]."""
        return self._residuals[0]

    @cached_property
    def rate_residual(self) -> float:
        """The largest residual of a rate of a constraint [the same per second]."""
        return self._residuals[1]

    @cached_property
    def _residuals(self) -> tuple[float, float]:
        if not self.system.equations.rows:
            return 0.0, 0.0
        position, rate, _ = residuals(self.system, self.arguments)
        return float(position), float(rate)

    @cached_property
    def moved(self) -> dict[str, float]:
        """How far assembly moved joints from what was drawn and said, by name [rad or m]."""
        guess = self._guess
        found = {name: self[name] - guess[name] for name in guess if name not in self._said}
        return {name: by for name, by in found.items() if abs(by) > MOVED}

    @cached_property
    def _guess(self) -> dict[str, float]:
        """Scalar coordinates of joints as drawn and said, loops left open."""
        system = self.system.jointed()
        direct, targets = split_start(system, split_near(self._said)[0])
        q, u, s = system.packed({}, parameters=self.p)
        known = {name: value for name, value in direct.items() if name in system.places}
        put(known, system.equations, system.places, {"q": q, "u": u, "s": s})
        names = [
            f"{joint.name}.{c}"
            for joint in self.model.joints
            for c in scalar_coordinates(joint)
        ]
        arguments = [np.array([self.t]), q, u, s, self.w, self.p]
        shown = system.shown(names, [*arguments, system.modes(arguments)]) if names else ()
        held = {target.name for target in targets}
        return {n: float(v) for n, v in zip(names, shown, strict=True) if n not in held}

    # --- shown

    def table(self, *patterns: str) -> list[tuple[str, Any, str]]:
        """Return names, values and units: of joints and variables, or what matches patterns."""
        import fnmatch

        channels = self.system.equations.channels
        if patterns:
            chosen = [
                c for c in channels if any(fnmatch.fnmatchcase(c.name, p) for p in patterns)
            ]
        else:
            joints = frozenset(self.system.equations.joints)
            own = frozenset(each.name for each in self.system.equations.auxiliary)
            chosen = [c for c in channels if c.owner in joints and _coordinate(c)]
            chosen += [c for c in channels if c.name in own]
        return [(c.name, self[c.name], QUANTITIES[c.quantity].unit) for c in chosen]

    def __repr__(self) -> str:
        e = self.system.equations
        lines = [f"state of '{self.model.name}' at t = {self.t:g} s, in {e.formulation}"]
        rows = self.table()
        width = max((len(name) for name, _, _ in rows[:SHOWN]), default=0)
        lines += [
            f"  {name:{width}}  {_number(value)} {unit}".rstrip()
            for name, value, unit in rows[:SHOWN]
        ]
        if len(rows) > SHOWN:
            lines.append(f"  and {len(rows) - SHOWN} more")
        if e.rows:
            lines.append(
                f"constraints are met to {self.residual:.1e}, their rates to "
                f"{self.rate_residual:.1e}"
            )
        if self.moved:
            told = [f"{name} by {by:+.3g}" for name, by in list(self.moved.items())[:6]]
            more = ", …" if len(self.moved) > len(told) else ""
            lines.append(f"closing it moved {', '.join(told)}{more}")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(repr(self))}</pre>"

    def __reduce__(self) -> Any:
        slack = self.system.slack
        vectors = tuple(map(np.array, (self.x, self.w, self.p, self.k)))
        return _rebuilt, (self.model, self.formulation, slack, self.t, vectors, self._said)

    def replaced(self, **changed: Any) -> "State":
        """Return the same state with another time `t`, or other vectors `x`, `w`, `p`, `k`."""
        given = {"x": self.x, "w": self.w, "p": self.p, "k": self.k} | changed
        x, w, p, k = (np.asarray(given[name], dtype=float) for name in "xwpk")
        t = float(changed.get("t", self.t))
        return State(self.model, self.formulation, self.system, t, (x, w, p, k), self._said)


def assemble(
    model: Model,
    start: Start = None,
    *,
    t: float | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
    slack: float = SLACK,
) -> State:
    """Return a consistent state of a machine: positions closed, speeds on the constraints.

    Args:
        model: The machine.
        start: Coordinates and rates by name, which are held, `Near` values, which are not, and
            places of points and bodies, `{"tip.position": (1, 0, 2)}`, which are reached with
            the least change. Or a result, whose end is taken, or a state, of any formulation.
            What is not named is as drawn and at rest.
        t: The time [s]; that of the result or state, else 0.
        parameters: Values by name over the model's own, or over those of the result or state.
        inputs: Values of inputs by name; those not given are zero.
        formulation: How the equations are written.
        slack: As of `simulate`.

    Raises:
        StartError: Names or values that do not fit, all at once, a machine that cannot be
            closed, or a place that cannot be reached, with its distance.
        NotSupported: The formulation cannot do this model.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> state = bc.assemble(examples.load("double-pendulum"), {"A": 0.3})
        >>> round(float(state["A.angle"]), 12)
        0.3
    """
    if not isinstance(model, Model):
        raise OptionError(f"a machine is a bc.Model, got {short(model)}.")
    if isinstance(formulation, type) or not isinstance(formulation, AbstractFormulation):
        raise OptionError(
            f"formulation takes one such as bc.JointCoordinates(), got {short(formulation)}."
        )
    if isinstance(start, State) and _as_asked(start, model, t, parameters, inputs, formulation):
        return start
    if continued(start):
        parameters = _carried(model, start) | dict(parameters or {})
        if isinstance(start, State):
            known = {given.name for given in model.inputs}
            kept = {name: v for name, v in start.inputs.items() if name in known}
            inputs = kept | dict(inputs or {})
    system = compiled(of_size(model, parameters), formulation, 1, 1, finite("slack", slack))
    if not system.equations.straight_line:
        raise NotSupported(
            f"states cannot be analysed with {system.equations.formulation}: leave out "
            "assembled=True, or give assembled=False."
        )
    p = parameter_values(model, system, parameters)
    w = _inputs(system, inputs)
    when = time_of(start) if t is None else finite("t", t, " of seconds")
    return _assembled(model, formulation, system, start, when or 0.0, w, p)


def _assembled(
    model: Model,
    formulation: AbstractFormulation,
    system: System,
    start: Start,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
) -> State:
    """Return the state for start values, a result or a state; arguments as of `assemble`."""
    start, places = split_places(model, system, start)
    if places:
        there = _placed(model, system.jointed(), start, t, w, p, places)
        if system is there.system:
            return there
        start = there
    values, angles = values_of(start, system), angles_of(start, system)
    other = system.jointed() if system.equations.has("embed") else None
    try:
        x, k = beginning(system, values, t, w, p, other, angles)
    except StartError:
        if not continued(start):
            raise
        x, k = beginning(system, projected(values or {}), t, w, p, other, angles)
    said = values if isinstance(values, Mapping) and not continued(start) else {}
    return State(model, formulation, system, t, (x, w, p, k), said)


def _placed(
    model: Model,
    jointed: System,
    start: Any,
    t: float,
    w: np.ndarray,
    p: np.ndarray,
    places: Any,
) -> State:
    """Return the state, in joint coordinates, in which places are as asked for."""
    x, _ = beginning(jointed, start, t, w, p)
    direct, targets = split_start(jointed, split_near(start)[0])
    kept = held(jointed, direct, targets)
    x = reached(model, jointed, t, x, w, p, kept, places)
    k = memory(jointed, t, x, w, p, {})
    return State(model, JointCoordinates(), jointed, t, (x, w, p, k), start)


def with_speeds(formulation: AbstractFormulation) -> AbstractFormulation:
    """Return the formulation in which motions near a state are described.

    `Momentum` has no speeds: there it is `Natural`, whose coordinates it has.
    """
    from bellcrank.formulations import Momentum, Natural  # runs do without

    return Natural() if isinstance(formulation, Momentum) else formulation


def assemble_moving(
    model: Model,
    start: Start = None,
    *,
    formulation: AbstractFormulation = JointCoordinates(),
    **options: Any,
) -> State:
    """Return the state that `assemble` gives, in a formulation that has speeds."""
    state = assemble(model, start, formulation=formulation, **options)
    moving = with_speeds(formulation)
    return state if moving is formulation else assemble(model, state, formulation=moving)


def _as_asked(
    state: State, model: Model, t: Any, parameters: Any, inputs: Any, formulation: Any
) -> bool:
    """Return whether a state is what is asked for already."""
    given = dict(parameters or {})
    return (
        state.model == model
        and state.formulation == formulation
        and (t is None or t == state.t)
        and all(state.parameters.get(name) == value for name, value in given.items())
        and all(state.inputs.get(name) == value for name, value in dict(inputs or {}).items())
    )


def _carried(model: Model, start: Any) -> dict[str, float]:
    """Return the values of parameters of a result or a state that a model has too."""
    known = {parameter.name for parameter in model.parameters}
    there = start.provenance.get("parameters", {})
    return {name: value for name, value in there.items() if name in known}


def _inputs(system: System, given: Mapping[str, float] | None) -> np.ndarray:
    if given is not None and not isinstance(given, Mapping):
        raise OptionError(f"inputs takes values by name, as in {{...}}, got {short(given)}.")
    values = numbers("input", given or {}, system.inputs)
    return np.array([values.get(name, 0.0) for name in system.inputs])


def _coordinate(channel: Channel) -> bool:
    kinds = ("angle", "offset", "angle_rate", "offset_rate")
    free = ("position", "orientation", "velocity", "angular_velocity")
    quantity = channel.name.rpartition(".")[2]
    return channel.quantity in kinds or (channel.quantity in free and quantity in free)


def _number(value: Any) -> str:
    if np.ndim(value) == 0:
        return f"{value:.9g}"
    return "(" + ", ".join(f"{each:.6g}" for each in value) + ")"


def _frozen(array: Any) -> np.ndarray:
    found = np.array(array, dtype=float)
    found.flags.writeable = False
    return found


def _rebuilt(
    model: Model,
    formulation: AbstractFormulation,
    slack: float,
    t: float,
    vectors: Any,
    said: Any,
) -> State:
    """Return a state from what a pickle keeps of it."""
    values = dict(zip((p.name for p in model.parameters), vectors[2].tolist(), strict=True))
    system = compiled(of_size(model, values), formulation, 1, 1, slack)
    return State(model, formulation, system, t, vectors, said)
