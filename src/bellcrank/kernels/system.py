"""A machine as native code: questions about it, answered for arrays of states."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from bellcrank.errors import OptionError, StartError, did_you_mean
from bellcrank.formulations import Equations
from bellcrank.kernels import gauss
from bellcrank.kernels.arguments import entries_of, floats, numbers, vector_of
from bellcrank.kernels.build import Kernel, check_build, kernel
from bellcrank.kernels.full import full as filled
from bellcrank.model import Expression
from bellcrank.model.names import components
from bellcrank.units import QUANTITIES

Values = Mapping[str, float] | ArrayLike | None


class System:
    """The equations of one machine in one formulation, compiled question by question.

    Every question takes arrays whose leading axes are a batch, and `t=`, `parameters=` (values
    by name over the model's own) and `inputs=` (values by name, all of them). A kernel is
    compiled when its question is first asked and kept in the cache from then on.

    Attributes:
        equations: Where the kernels come from.
        coordinates, speeds: Names of the entries of q and u, in order.
        parameters: Names and nominal values of p, in order.
        inputs: Names of w, in order.
        lanes: Instances evaluated side by side in a batch.
        level: Effort of code generation.
        build: Makes kernels of functions: `kernel` compiles them, `interpret` does not.
    """

    def __init__(
        self,
        equations: Equations,
        *,
        lanes: int = 1,
        level: int = 1,
        build: Callable[..., Any] = kernel,
    ) -> None:
        check_build(lanes, level)
        self.equations, self.lanes, self.level = equations, lanes, level
        self._build, self._asked = build, {}
        self.coordinates = tuple(variable.name for variable in equations.coordinates)
        self.speeds = tuple(variable.name for variable in equations.speeds)
        self.parameters = dict(equations.parameters)
        self.inputs = equations.inputs
        for name in (
            "accelerations",
            "inverse_dynamics",
            "mass_matrix",
            "derivatives",
            "observe",
        ):
            question = partial(getattr(self, name))
            question.__doc__ = f"{getattr(self, name).__doc__}\n\n{self._order()}"
            setattr(self, name, question)

    def __repr__(self) -> str:
        return (
            f"<System '{self.equations.name}' in {self.equations.formulation}: "
            f"{len(self.coordinates)} coordinates, {len(self.speeds)} speeds>"
        )

    def _order(self) -> str:
        """Return the order of q and u in words, one line each."""
        lines = []
        for letter, variables in (
            ("q", self.equations.coordinates),
            ("u", self.equations.speeds),
        ):
            for i, variable in enumerate(variables):
                lines.append(
                    f"{letter}[{i}] {variable.name} [{QUANTITIES[variable.quantity].unit}]"
                )
        return "Order of the vectors:\n    " + "\n    ".join(lines)

    # --- kernels

    def kernel(self, slot: str, level: int | None = None, *, full: bool = False) -> Kernel:
        """Return the compiled kernel of a slot of the contract.

        Args:
            slot: Its name.
            level: Effort of code generation; None for that of the system.
            full: Whether sparse outputs are written as full matrices, zeros and all.
        """
        found = self._kept(
            f"{slot} of {self.equations.name}\n{self.equations.slot_key(slot)}",
            lambda: self.equations.function(slot),
            lanes=self.lanes,
            level=self.level if level is None else level,
        )
        return filled(found) if full else found

    def _kept(self, key: str, make: Callable[[], Any], **how: int) -> Kernel:
        """Return what `build` makes of a function; compiled kernels are kept by `kernel`."""
        if self._build is kernel:
            return kernel(key, make, **how)
        if key not in self._asked:
            self._asked[key] = self._build(key, make, **how)
        return self._asked[key]

    def ask(
        self,
        slot: str,
        arguments: Sequence[np.ndarray],
        *own: np.ndarray,
        level: int | None = None,
    ) -> tuple[np.ndarray, ...]:
        """Return what a slot gives; matrices stay matrices, also those of one column."""
        found = self.kernel(slot, level)
        values = found(*arguments, *own)
        return tuple(
            value[..., None] if port.name in MATRICES and port.cols == 1 else value
            for port, value in zip(found.outputs, values, strict=True)
        )

    def signals(self, expressions: Sequence[Expression]) -> Kernel:
        """Return the kernel of expressions of the machine's signals, as one vector y."""
        wanted = tuple(expressions)
        return self._kept(
            f"signals of {self.equations.name}\n{self.equations.signals_key(wanted)}",
            lambda: self.equations.signals(wanted),
            lanes=1,
            level=0,
        )

    # --- arguments

    def parameter_vector(self, parameters: Values = None) -> np.ndarray:
        """Return p: the model's own values, with those given by name in their place."""
        if parameters is None:
            return np.array(list(self.parameters.values()), dtype=float)
        if isinstance(parameters, Mapping):
            values = self.parameters | numbers("parameter", parameters, self.parameters)
            return np.array(list(values.values()), dtype=float)
        return vector_of("parameters", parameters, tuple(self.parameters))

    def input_vector(self, inputs: Values = None) -> np.ndarray:
        """Return w from values by name; every input needs one."""
        if inputs is None or isinstance(inputs, Mapping):
            given = numbers("input", inputs or {}, self.inputs)
            missing = [name for name in self.inputs if name not in given]
            if missing:
                raise OptionError(
                    f"input{'s' * (len(missing) > 1)} {', '.join(map(repr, missing))} of "
                    f"'{self.equations.name}' without a value. "
                    f"Give inputs={{{missing[0]!r}: …}}."
                )
            return np.array([given[name] for name in self.inputs], dtype=float)
        return vector_of("inputs", inputs, self.inputs)

    def _arguments(
        self, q: ArrayLike, u: ArrayLike, t: ArrayLike, parameters: Values, inputs: Values
    ) -> list[np.ndarray]:
        q = vector_of("q", q, self.coordinates)
        u = vector_of("u", u, self.speeds)
        t = floats("t", t)[..., None]
        w, p = self.input_vector(inputs), self.parameter_vector(parameters)
        arguments = [t, q, u, np.zeros(len(self.equations.auxiliary)), w, p]
        return [*arguments, self.modes(arguments)]

    def modes(self, arguments: Sequence[np.ndarray]) -> np.ndarray:
        """Return k, the branch each nonsmooth expression is on, for the other arguments.

        Angles in k are zero, so that measured ones are principal values.
        """
        count, modes = len(self.equations.memory), self.equations.modes
        k = np.concatenate([np.ones(modes), np.zeros(count - modes)])
        if not modes:
            return k
        # Switching functions may contain other nonsmooth expressions: an inner one settles
        # before an outer one, so as many rounds as there are switches always suffice.
        switches = self.kernel("switches", level=0)
        for _ in range(modes):
            z = switches(*arguments, k)[0]
            angles = np.zeros((*z.shape[:-1], count - modes))
            before, k = k, np.concatenate([np.where(z >= 0, 1.0, -1.0), angles], axis=-1)
            if np.array_equal(before, k):
                break
        return k

    # --- questions

    def accelerations(
        self,
        q: ArrayLike,
        u: ArrayLike,
        efforts: ArrayLike | None = None,
        *,
        t: ArrayLike = 0.0,
        parameters: Values = None,
        inputs: Values = None,
    ) -> np.ndarray:
        """Return u̇, with `efforts` [N m or N, one per speed] added to those of the model."""
        extra = (
            np.zeros(len(self.speeds))
            if efforts is None
            else vector_of("efforts", efforts, self.speeds)
        )
        arguments = self._arguments(q, u, t, parameters, inputs)
        if self.equations.rows:
            return self.constrained_accelerations(arguments, extra)
        return self.kernel("accelerate")(*arguments, extra)[0]

    def constrained_accelerations(
        self, arguments: Sequence[np.ndarray], efforts: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Return u̇ on the constraints, for the arguments of a slot."""
        (A,), (f,) = self.ask("mass", arguments), self.ask("force", arguments)
        (C, _), (gamma,) = self.ask("velocity", arguments), self.ask("acceleration", arguments)
        scale = np.array([row.scale for row in self.equations.rows])
        return gauss.accelerations(A, f + efforts, C, gamma, scale)

    def mass_matrix(
        self, q: ArrayLike, *, t: ArrayLike = 0.0, parameters: Values = None
    ) -> np.ndarray:
        """Return A(q), shape (..., nu, nu)."""
        arguments = self._arguments(
            q, np.zeros(len(self.speeds)), t, parameters, np.zeros(len(self.inputs))
        )
        return self.ask("mass", arguments)[0]

    def inverse_dynamics(
        self,
        q: ArrayLike,
        u: ArrayLike,
        udot: ArrayLike,
        *,
        t: ArrayLike = 0.0,
        parameters: Values = None,
        inputs: Values = None,
    ) -> np.ndarray:
        """Return the efforts needed for u̇ besides what the model's forces do: A u̇ − f."""
        arguments = self._arguments(q, u, t, parameters, inputs)
        return self.kernel("residual")(
            *arguments,
            vector_of("udot", udot, self.speeds),
            np.zeros(len(self.equations.rows)),
        )[0]

    def derivatives(
        self, t: ArrayLike, x: ArrayLike, *, parameters: Values = None, inputs: Values = None
    ) -> np.ndarray:
        """Return ẋ of the state x = [q, u]."""
        nq = len(self.coordinates)
        x = vector_of("x", x, (*self.coordinates, *self.speeds))
        arguments = self._arguments(x[..., :nq], x[..., nq:], t, parameters, inputs)
        if not self.equations.rows:
            return np.concatenate(self.kernel("derivatives")(*arguments), axis=-1)
        W, offset = self.ask("kinematics", arguments)
        qd = (W @ arguments[2][..., None])[..., 0] + offset
        return np.concatenate([qd, self.constrained_accelerations(arguments)], axis=-1)

    def observe(
        self,
        q: ArrayLike,
        u: ArrayLike,
        *,
        t: ArrayLike = 0.0,
        parameters: Values = None,
        inputs: Values = None,
    ) -> dict[str, np.ndarray]:
        """Return everything a result can show of the motion at (q, u), by name."""
        arguments = self._arguments(q, u, t, parameters, inputs)
        return self.observe_arguments(arguments) | self.reactions(arguments)

    def rates(self, arguments: Sequence[np.ndarray]) -> np.ndarray:
        """Return u̇ for the arguments of a slot, with or without constraints."""
        if self.equations.rows:
            return self.constrained_accelerations(arguments)
        return self.kernel("derivatives")(*arguments)[1]

    def observe_arguments(
        self, arguments: Sequence[np.ndarray], ud: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return channels by name, for the arguments of a slot in the contract's order.

        Of a machine with constraints, all but those that `reactions` gives.

        Args:
            arguments: Of a slot.
            ud: The accelerations there, where they are known.
        """
        ud = self.rates(arguments) if ud is None else ud
        y = self.kernel("observe", level=0)(*arguments, ud)[0]
        found, start = {}, 0
        for channel in self.equations.channels:
            part = y[..., start : start + channel.size]
            if channel.name not in self._reacting:
                found[channel.name] = part[..., 0] if channel.size == 1 else part
            start += channel.size
        return found

    @cached_property
    def _reacting(self) -> frozenset[str]:
        """Channels that are found by the balance of all constraints together."""
        if not self.equations.has("reactions"):
            return frozenset()
        found = self.equations.acting
        return frozenset({*(channel.name for channel in found), *self.equations.efforts})

    def reactions(
        self, arguments: Sequence[np.ndarray], ud: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return what joints, constraints and drivers do, by name.

        Of a machine without constraints they are among `observe_arguments`, and this is empty.

        Args:
            arguments: Of a slot, in the contract's order.
            ud: The accelerations there, where they are known.
        """
        if not self.equations.has("reactions"):
            return {}
        ud = self.rates(arguments) if ud is None else ud
        G, b, R = self.ask("reactions", arguments, ud, level=0)
        lam = gauss.smallest(G, b, np.array(self.equations.row_weights))
        y, found, start = (R @ lam[..., None])[..., 0], {}, 0
        for channel in self.equations.acting:
            part = y[..., start : start + channel.size]
            found[channel.name] = part[..., 0] if channel.size == 1 else part
            start += channel.size
        for name, (place, _) in self.equations.efforts.items():
            found[name] = -lam[..., place]
        return found

    def undetermined(self, arguments: Sequence[np.ndarray]) -> tuple[str, ...]:
        """Return what redundant constraints leave open at a state, component by component.

        Args:
            arguments: Of a slot, for one state.
        """
        if not self.equations.has("reactions"):
            return ()
        ud = self.rates(arguments)
        G, _, R = self.ask("reactions", arguments, ud, level=0)
        found = gauss.open_rows(G, R, np.array(self.equations.row_weights))
        acting = self.equations.acting
        names = [part for each in acting for part in components(each.name, each.size)]
        return tuple(name for name, loose in zip(names, found, strict=True) if loose)

    # --- names

    def pack(
        self, values: Mapping[str, Any] | None = None, *, parameters: Values = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q and u from values by name; what is not named is as drawn and at rest.

        Args:
            values: Such as {"A.angle": 0.3, "B.orientation": (1, 0, 0, 0)}; a bare joint name
                means its only coordinate.
            parameters: Values by name over the model's own.

        Raises:
            StartError: An unknown name, a wrong number of values, or one that is not finite;
                all of them at once.
        """
        if values is not None and not isinstance(values, Mapping):
            raise StartError(
                f"start takes values by name or a Result, got {type(values).__name__}."
            )
        p = self.parameter_vector(parameters)
        q = np.array(
            self.equations.drawing(dict(zip(self.parameters, p.tolist(), strict=True)))
        )
        u = np.zeros(len(self.speeds))
        places = self.places
        complaints = []
        taken: dict[tuple[str, int, int], str] = {}
        for name, value in (values or {}).items():
            if name not in places:
                complaints.append(self._unknown(str(name), places))
                continue
            vector, start, size = place = places[name]
            if place in taken:
                complaints.append(f"'{taken[place]}' and '{name}' are the same; give one.")
            taken[place] = name
            entries = entries_of(value, size, unit=vector == "q" and size == 4)
            if isinstance(entries, str):
                complaints.append(f"'{name}' takes {entries}.")
            else:
                (q if vector == "q" else u)[start : start + size] = entries
        if complaints:
            raise StartError(" ".join(complaints))
        return q, u

    def unpack(self, q: ArrayLike, u: ArrayLike) -> dict[str, Any]:
        """Return the values of q and u by name; the inverse of `pack`."""
        q, u = vector_of("q", q, self.coordinates), vector_of("u", u, self.speeds)
        found = {}
        for name, (vector, start, size) in self._places(bare=False).items():
            part = (q if vector == "q" else u)[..., start : start + size]
            found[name] = part[..., 0] if size == 1 else part
        return found

    @cached_property
    def places(self) -> dict[str, tuple[str, int, int]]:
        """Where each name is: ("q" or "u", first entry, number of entries)."""
        return self._places()

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """The names of all coordinates and speeds, vectors as one."""
        return tuple(self._places(bare=False))

    def _places(self, bare: bool = True) -> dict[str, tuple[str, int, int]]:
        """Return (vector, start, size) of every name; with `bare` also of joints alone."""
        places: dict[str, tuple[str, int, int]] = {}
        owners: dict[str, list[str]] = {}
        pairs = (("q", self.equations.coordinates), ("u", self.equations.speeds))
        for vector, variables in pairs:
            for i, variable in enumerate(variables):
                whole = variable.name
                if variable.quantity in VECTORS:
                    whole = whole.rpartition("_")[0]
                if whole in places:
                    _, start, size = places[whole]
                    places[whole] = vector, start, size + 1
                else:
                    places[whole] = vector, i, 1
                    if vector == "q":
                        owners.setdefault(variable.owner, []).append(whole)
        if bare:
            places |= {owner: places[n[0]] for owner, n in owners.items() if len(n) == 1}
        return places

    def _unknown(self, name: str, places: Mapping[str, object]) -> str:
        names = ", ".join(list(self._places(bare=False))[:12])
        return (
            f"'{name}' is no coordinate or speed of '{self.equations.name}'."
            f"{did_you_mean(name, places)} A start may name: {names}"
            f"{', …' if len(places) > 12 else ''}."
        )


MATRICES = frozenset({
    "A",
    "M",
    "N",
    "W",
    "T",
    "C",
    "D",
    "G",
    "R",
    "r_q",
    "r_u",
    "rates_q",
    "qd_q",
    "pose",
    "twist",
})
"""Outputs of slots that are matrices."""

VECTORS = ("position", "orientation", "velocity", "angular_velocity", "orientation_rate")
"""Quantities whose scalars are components of one name."""
