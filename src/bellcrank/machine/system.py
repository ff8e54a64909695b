"""A machine as native code: questions about it, answered for arrays of states."""

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from bellcrank.constraints import gauss
from bellcrank.errors import NotSupported, OffConstraints, StartError, outside
from bellcrank.formulations import AbstractFormulation, Equations, JointCoordinates
from bellcrank.formulations.contract.equations import SLOTS
from bellcrank.kernels.build import Kernel, check_build, kernel
from bellcrank.kernels.full import full as filled
from bellcrank.kernels.ports import mark_matrices
from bellcrank.linear import rank
from bellcrank.machine import balances
from bellcrank.machine.arguments import (
    Values,
    floats,
    input_vector,
    numbers,
    parameter_vector,
    vector_of,
)
from bellcrank.machine.names import Place, parts, places, put, taken
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import Signal
from bellcrank.model.names import components, rate_of
from bellcrank.units import QUANTITIES

if TYPE_CHECKING:
    from bellcrank.machine.tangent_space import MachineConstraints

TURN = 2 * np.pi
OPEN = 1e-6  # lengths of the machine, radians: by more a loop is open
SLOW = 300  # speeds and rows from which on straight-line code takes long to compile
T = TypeVar("T")


class System:
    """The equations of one machine in one formulation, compiled question by question.

    Every question takes arrays whose leading axes are a batch, and `t=`, `parameters=` (values
    by name over the model's own), `inputs=` (values by name, all of them) and `variables=`
    (values by name over those they begin with, or an array of all). A kernel is
    compiled when its question is first asked and kept in the cache from then on.

    Attributes:
        equations: Where the kernels come from.
        coordinates, speeds: Names of the entries of q and u, in order.
        parameters: Names and nominal values of p, in order.
        inputs: Names of w, in order.
        lanes: Instances evaluated side by side in a batch.
        level: Effort of code generation.
        slack: Rounding of lengths, in lengths of the machine, and of angles [rad] within which
            constraints count as repeating others.
        build: Makes kernels of functions: `kernel` compiles them, `interpret` does not.
        told: Number of warnings issued while assembling it.
        picture: Returns the same machine in joint coordinates; None where nobody knows it.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.compile(examples.load("double-pendulum")).inputs
        ()
    """

    def __init__(
        self,
        equations: Equations,
        *,
        lanes: int = 1,
        level: int = 1,
        slack: float = rank.SLACK,
        build: Callable[..., Any] = kernel,
        picture: "Callable[[], Any] | None" = None,
    ) -> None:
        check_build(lanes, level)
        self.equations, self.lanes, self.level = equations, lanes, level
        self.slack, self._left_out = slack, {}
        self._mixed: dict[bytes, Self] = {}
        self._build, self._asked, self._known = build, {}, {}
        self._slots: dict[tuple[str, int], Kernel] = {}
        self.told, self.picture = 0, picture
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

    def __reduce__(self) -> Any:
        raise NotSupported(
            f"a System is compiled code of this process, and is not copied or pickled. Pickle "
            f"the model of '{self.equations.name}' and compile it again with bc.compile: the "
            "code comes from the cache."
        )

    def _order(self) -> str:
        """Return the order of q, u and s in words, one line each."""
        lines = []
        for letter, variables in (
            ("q", self.equations.coordinates),
            ("u", self.equations.speeds),
            ("s", self.equations.auxiliary),
        ):
            for i, variable in enumerate(variables):
                lines.append(
                    f"{letter}[{i}] {variable.name} [{QUANTITIES[variable.quantity].unit}]"
                )
        return "Order of the vectors:\n    " + "\n    ".join(lines)

    @property
    def compiled(self) -> bool:
        """Whether its kernels are native code."""
        return self._build is kernel

    def once(self, make: Callable[[Self], T]) -> T:
        """Return what a function gives for this machine; it is asked once, and kept with it."""
        if make not in self._known:
            self._known[make] = make(self)
        return self._known[make]

    def without_rows(self) -> Self:
        """Return the machine without its constraints."""
        return type(self)(
            replace(self.equations, rows=()),
            lanes=self.lanes,
            level=self.level,
            picture=self.picture,
        )

    # --- kernels

    def kernel(self, slot: str, level: int | None = None, *, full: bool = False) -> Kernel:
        """Return the compiled kernel of a slot of the contract.

        Args:
            slot: Its name.
            level: Effort of code generation; None for that of the system.
            full: Whether sparse outputs are written as full matrices, zeros and all.
        """
        level = self.level if level is None else level
        if (slot, level) not in self._slots:
            self._slots[slot, level] = self._kept(
                f"{slot} of {self.equations.name}\n{self.equations.slot_key(slot)}",
                lambda: self._written(slot),
                lanes=self.lanes,
                level=level,
            )
            mark_matrices(self._slots[slot, level], SLOTS[slot].matrices)
        found = self._slots[slot, level]
        return filled(found) if full else found

    def _written(self, slot: str) -> Any:
        """Return the function of a slot; where there is much to compile, say so before."""
        self.once(_tell_of_size)
        return self.equations.function(slot)

    def extended(self, slot: str) -> Kernel:
        """Return the full kernel of a slot in which speeds are [u, s], u if there is no s."""
        if not self.equations.auxiliary:
            return self.kernel(slot, full=True)

        def make() -> Any:
            from bellcrank.formulations.contract.auxiliary import with_variables

            return with_variables(self.equations, slot)

        key = f"{slot} with variables of {self.equations.name}\n{self.equations.slot_key(slot)}"
        return filled(self._kept(key, make, lanes=1, level=self.level))

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
            value[..., None] if port.matrix and port.cols == 1 else value
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

    def watched(
        self, expressions: Sequence[Expression], others: Sequence[Expression] = ()
    ) -> Kernel:
        """Return the kernel of expressions whose zeros are looked for, as one vector y.

        What turns inside sin, cos and tan of `others` follows them.
        """
        wanted, seen = tuple(expressions), tuple(others)

        def make() -> Any:
            from bellcrank.formulations.contract.turning import with_turning_angles

            signals = self.equations.signals
            return with_turning_angles(signals(wanted), signals(seen))

        key = f"{self.equations.signals_key((*wanted, *seen))}/{len(wanted)} and angles"
        return self._kept(f"watched of {self.equations.name}\n{key}", make, lanes=1, level=0)

    def seen(self, names: Sequence[str]) -> Kernel:
        """Return the kernel of some of what `observe` gives, by scalar names, as one vector y.

        It takes u̇ after the arguments of a slot. Where `reactions` has a balance of its own,
        what that gives is not among it.
        """
        parts = (part for c in self.equations.channels for part in components(c.name, c.size))
        places = {part: i for i, part in enumerate(parts)}
        wanted = tuple(places[name] for name in names)

        def make() -> Any:
            from bellcrank.formulations.body_space.observation import picked

            return picked(self.equations.function("observe"), wanted)

        key = f"{self.equations.slot_key('observe')}/{','.join(map(str, wanted))}"
        return self._kept(f"seen of {self.equations.name}\n{key}", make, lanes=1, level=0)

    def valued(self, expressions: Sequence[Expression], names: Sequence[str]) -> Kernel:
        """Return the kernel of expressions of names with values v: v, w, p → y."""
        wanted, known = tuple(expressions), tuple(names)

        def make() -> Any:
            from bellcrank.formulations.body_space.lowering import of_values

            return of_values(wanted, known, self.inputs, tuple(self.parameters))

        key = f"{self.equations.signals_key(wanted)}/{','.join(known)}"
        return self._kept(f"values of {self.equations.name}\n{key}", make, lanes=1, level=0)

    def variation(self, question: str) -> Kernel:
        """Return the kernel of directional derivatives; see `formulations.contract.variations`.

        Args:
            question: `motion` or `observe`.
        """

        def make() -> Any:
            from bellcrank.formulations.contract.variations import variation

            return variation(self.equations, question)

        key = f"variation of {self.equations.name}\n{self.equations.key}/{question}"
        return self._kept(key, make, lanes=1, level=0)

    def measured(self, names: Sequence[str], by: Sequence[str] | None = None) -> Kernel:
        """Return the kernel of quantities y of positions, with rates Y u + r, by name.

        Args:
            names: The quantities.
            by: Their rates; None for what they are called.
        """
        values = tuple(Signal(name) for name in names)
        rates = tuple(Signal(name) for name in by or map(rate_of, names))

        def make() -> Any:
            from bellcrank.formulations.contract.variations import measured

            return measured(self.equations, values, rates)

        key = self.equations.signals_key((*values, *rates))
        found = self._kept(
            f"measured of {self.equations.name}\n{key}/m", make, lanes=1, level=0
        )
        mark_matrices(found, ("Y",))
        return found

    # --- arguments

    def parameter_vector(self, parameters: Values = None) -> np.ndarray:
        """Return p: the model's own values, with those given by name in their place."""
        return parameter_vector(self.parameters, parameters)

    def named(self, p: np.ndarray) -> dict[str, float]:
        """Return parameter values by name."""
        return dict(zip(self.parameters, p.tolist(), strict=True))

    def input_vector(self, inputs: Values = None) -> np.ndarray:
        """Return w from values by name; every input needs one."""
        return input_vector(self.inputs, inputs, self.equations.name)

    def _arguments(
        self,
        q: ArrayLike,
        u: ArrayLike,
        t: ArrayLike,
        parameters: Values,
        inputs: Values,
        variables: Values = None,
    ) -> list[np.ndarray]:
        q = vector_of("q", q, self.coordinates)
        u = vector_of("u", u, self.speeds)
        t = floats("t", t)[..., None]
        w, p = self.input_vector(inputs), self.parameter_vector(parameters)
        arguments = [t, q, u, self._variables(variables, p), w, p]
        return [*arguments, self.modes(arguments)]

    def _variables(self, given: Values, p: np.ndarray) -> np.ndarray:
        """Return s from values by name over those it begins with, or a whole vector."""
        names = [each.name for each in self.equations.auxiliary]
        if not names:
            return np.zeros(0)
        if given is not None and not isinstance(given, Mapping):
            return vector_of("variables", given, names)
        nominal = dict(zip(names, self._begun(p).tolist(), strict=True))
        return np.array(list((nominal | numbers("variable", given or {}, nominal)).values()))

    def _begun(self, p: np.ndarray) -> np.ndarray:
        """Return s as it begins, for parameter values."""
        there = bool(self.equations.auxiliary)
        return np.array(self.equations.begun(self.named(p)) if there else [], dtype=float)

    def split(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, u and s of states [q, u, s], shape (..., nx)."""
        nq = len(self.coordinates)
        end = nq + len(self.speeds)
        return x[..., :nq], x[..., nq:end], x[..., end:]

    def at_rest(
        self, t: float, q: np.ndarray, w: np.ndarray, p: np.ndarray
    ) -> list[np.ndarray]:
        """Return the arguments of kernels at coordinates q, all speeds being zero."""
        arguments = [np.array([t]), q, np.zeros(len(self.speeds)), self._begun(p), w, p]
        return [*arguments, self.modes(arguments)]

    def modes(
        self, arguments: Sequence[np.ndarray], kept: np.ndarray | None = None
    ) -> np.ndarray:
        """Return k, the branch each nonsmooth expression is on, for the other arguments.

        Args:
            arguments: All of a slot but k.
            kept: What k keeps of measured angles, shape (..., nk − modes); None for zeros, with
                which they are principal values.
        """
        count, modes = len(self.equations.memory), self.equations.modes
        kept = np.zeros(count - modes) if kept is None else kept
        if not modes:
            return kept
        k = np.concatenate([np.ones((*kept.shape[:-1], modes)), kept], axis=-1)
        # Switching functions may contain other nonsmooth expressions: an inner one settles
        # before an outer one, so as many passes as there are switches always suffice.
        switches = self.kernel("switches", level=0)
        for _ in range(modes):
            z = switches(*arguments, k)[0]
            angles = np.broadcast_to(kept, (*z.shape[:-1], count - modes))
            before, k = k, np.concatenate([np.where(z >= 0, 1.0, -1.0), angles], axis=-1)
            if np.array_equal(before, k):
                break
        return k

    # --- nominal sizes

    @cached_property
    def speed_sizes(self) -> np.ndarray:
        """Nominal sizes of the speeds as rank decisions take them, shape (nu,).

        A speed in m/s has that of the machine's length, whatever its tolerance.
        """
        length = self.equations.length()
        return np.array([
            length if QUANTITIES[speed.quantity].unit == "m/s" else 1.0
            for speed in self.equations.speeds
        ])

    def left_out(self, p: np.ndarray) -> tuple[int, ...]:
        """Return the rows that repeat others and are left out, for parameter values."""
        return self._left_out.get(p.tobytes(), ((), True))[0] if self._left_out else ()

    def rounded(self, p: np.ndarray) -> bool:
        """Return whether rows are left out that repeat others only within the slack."""
        return not self._left_out.get(p.tobytes(), ((), True))[1] if self._left_out else False

    def leave_out(self, p: np.ndarray, rows: Sequence[int], *, exact: bool) -> None:
        """Leave out rows that repeat others, for parameter values, from now on.

        Args:
            p: Parameter values in order.
            rows: Their numbers.
            exact: Whether they repeat others to round-off.
        """
        self._left_out[p.tobytes()] = tuple(sorted(rows)), exact

    def mix(self, p: np.ndarray, H: np.ndarray, rows: Sequence[int]) -> None:
        """Let `mixed` be the machine with rows H C, of which some are left out.

        Args:
            p: Parameter values in order, for which that serves.
            H: As of `constraints.assembly.mixing`.
            rows: Numbers of the rows of H C that are left out.
        """
        from bellcrank.constraints.assembly.mixing import mixed  # few machines ask for it

        found = type(self)(
            mixed(self.equations, H), lanes=self.lanes, level=self.level, slack=self.slack,
            build=self._build, picture=self.picture,
        )  # fmt: skip
        found.leave_out(p, rows, exact=False)
        self._mixed[p.tobytes()] = found

    def mixed(self, p: np.ndarray) -> Self:
        """Return the machine as it is integrated: with combinations of rows, if it needs them.

        Rows that are left out within the slack are so for a whole run. Where whatever is held
        in their place becomes dependent along the motion, combinations of rows do not.
        """
        return self._mixed.get(p.tobytes(), self)

    def row_scales(self, p: np.ndarray) -> np.ndarray:
        """Return the nominal sizes of the rows; those of rows left out are infinite."""
        scales = np.array([row.scale for row in self.equations.rows])
        scales[list(self.left_out(p))] = np.inf
        return scales

    # --- memory

    def memory(
        self, arguments: Sequence[np.ndarray], angles: Mapping[str, ArrayLike]
    ) -> np.ndarray:
        """Return k for the other arguments, with the full turns that are known of angles.

        Args:
            arguments: All of a slot but k.
            angles: Angles of joints by name [rad], one number for each state; only their full
                turns are taken from here. The others are principal values.
        """
        k, modes = self.modes(arguments), self.equations.modes
        if not self.equations.has("revise"):
            return k
        k = self.kernel("revise", level=0)(*arguments, k)[0].copy()
        places = {
            variable.name: i
            for i, variable in enumerate(self.equations.memory)
            if variable.quantity == "angle"
        }
        known = [name for name in angles if name in places]
        if known:
            lacking = np.stack([np.asarray(angles[name], dtype=float) for name in known], -1)
            lacking = lacking - self.shown(known, [*arguments, k])
            k[..., [places[name] for name in known]] += TURN * np.round(lacking / TURN)
        return self.modes(arguments, k[..., modes:]) if modes else k

    def shown(self, names: Sequence[str], arguments: Sequence[np.ndarray]) -> np.ndarray:
        """Return signals by name for the arguments of a slot, shape (..., n)."""
        return self.signals([Signal(name) for name in names])(*arguments)[0]

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
        variables: Values = None,
    ) -> np.ndarray:
        """Return u̇, with `efforts` [N m or N, one per speed] added to those of the model.

        Of a machine with loops u̇ keeps C u̇ = γ. Where the state is off the constraints, that
        keeps it as far off as it is, and an `OffConstraints` warning names what is open; `pack`
        and `bc.assemble` give states that are not.
        """
        extra = (
            np.zeros(len(self.speeds))
            if efforts is None
            else vector_of("efforts", efforts, self.speeds)
        )
        arguments = self._arguments(q, u, t, parameters, inputs, variables)
        if self.equations.rows:
            self._tell_if_open(arguments, "accelerations")
            return self.constrained_accelerations(arguments, extra)
        return self.kernel("accelerate")(*arguments, extra)[0]

    def constrained_accelerations(
        self, arguments: Sequence[np.ndarray], efforts: np.ndarray | float = 0.0
    ) -> np.ndarray:
        """Return u̇ on the constraints, for the arguments of a slot."""
        more = (
            np.broadcast_to(efforts, (len(self.speeds),)) if np.ndim(efforts) == 0 else efforts
        )
        return balances.accelerations(self, arguments, np.asarray(more))

    def mass_matrix(
        self, q: ArrayLike, *, t: ArrayLike = 0.0, parameters: Values = None
    ) -> np.ndarray:
        """Return A(q), shape (..., nu, nu): of q alone, also where loops are open."""
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
        variables: Values = None,
    ) -> np.ndarray:
        """Return the efforts needed for u̇ besides what the model's forces do: A u̇ − f.

        One for each speed, those that constraints would give included; for chosen actuators of
        a machine with loops there is `bc.inverse_dynamics`. Where the state is off the
        constraints, an `OffConstraints` warning names what is open.
        """
        arguments = self._arguments(q, u, t, parameters, inputs, variables)
        self._tell_if_open(arguments, "efforts")
        return self.kernel("residual")(
            *arguments,
            vector_of("udot", udot, self.speeds),
            np.zeros(len(self.equations.rows)),
        )[0]

    def derivatives(
        self, t: ArrayLike, x: ArrayLike, *, parameters: Values = None, inputs: Values = None
    ) -> np.ndarray:
        """Return ẋ of the state x = [q, u, s]; off the constraints, as `accelerations` does."""
        own = tuple(each.name for each in self.equations.auxiliary)
        x = vector_of("x", x, (*self.coordinates, *self.speeds, *own))
        q, u, s = self.split(x)
        arguments = self._arguments(q, u, t, parameters, inputs, s if own else None)
        if not self.equations.rows:
            return np.concatenate(self.kernel("derivatives")(*arguments), axis=-1)
        self._tell_if_open(arguments, "derivatives")
        W, offset = self.ask("kinematics", arguments)
        qd = (W @ arguments[2][..., None])[..., 0] + offset
        rates = [qd, self.constrained_accelerations(arguments)]
        if own:
            rates.append(self.kernel("auxiliary")(*arguments)[0])
        return np.concatenate(rates, axis=-1)

    def observe(
        self,
        q: ArrayLike,
        u: ArrayLike,
        *,
        t: ArrayLike = 0.0,
        parameters: Values = None,
        inputs: Values = None,
        variables: Values = None,
    ) -> dict[str, np.ndarray]:
        """Return everything a result can show of the motion at (q, u), by name."""
        arguments = self._arguments(q, u, t, parameters, inputs, variables)
        return self.observe_arguments(arguments) | self.reactions(arguments)

    def _tell_if_open(self, arguments: Sequence[np.ndarray], what: str) -> None:
        """Warn where a question is asked at a state at which loops are open."""
        rows = self.equations.rows
        if not rows or rows[0].level != "position":
            return
        phi = np.abs(self.ask("position", arguments, level=0)[0])
        phi = phi / self.row_scales(arguments[5])[: phi.shape[-1]]
        worst = phi.reshape(-1, phi.shape[-1]).max(axis=0, initial=0.0)
        most = int(np.argmax(worst))
        if worst[most] <= OPEN:
            return
        warnings.warn(
            f"{what} of '{self.equations.name}' are asked for off its constraints: "
            f"'{rows[most].owner}' is open by {worst[most]:.3g} of the machine's length or "
            "radians. They are those of the open machine; system.pack and bc.assemble close "
            "it.",
            OffConstraints,
            stacklevel=outside(),
        )

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
        found = parts(y, self.equations.channels)
        return {name: part for name, part in found.items() if name not in self.reacting}

    @cached_property
    def reacting(self) -> frozenset[str]:
        """Channels that are found by the balance of all constraints together."""
        if not self.equations.has("reactions"):
            return frozenset()
        found = (*self.equations.acting, *self.equations.multipliers)
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
        return self._acting(*self._balance(arguments, ud))

    def multipliers(
        self, arguments: Sequence[np.ndarray], ud: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return λ of all rows of joints, constraints and drivers, by name.

        They belong to body space and are the same in every formulation: the wrench of a row on
        the bodies is −(∂Φ̇/∂twist)ᵀ λ. Where redundancy leaves them open they are the smallest.

        Args:
            arguments: Of a slot, in the contract's order.
            ud: The accelerations there, where they are known.
        """
        if not self.equations.has("reactions"):
            return {}
        return self._multipliers(self._balance(arguments, ud)[0])

    def balanced(
        self, arguments: Sequence[np.ndarray], ud: np.ndarray | None = None
    ) -> dict[str, np.ndarray]:
        """Return `reactions` and `multipliers` of one balance; arguments as of these."""
        if not self.equations.has("reactions"):
            return {}
        lam, acting = self._balance(arguments, ud)
        return self._acting(lam, acting) | self._multipliers(lam)

    def _acting(self, lam: np.ndarray, acting: np.ndarray) -> dict[str, np.ndarray]:
        found = parts(acting, self.equations.acting)
        for name, (place, _) in self.equations.efforts.items():
            found[name] = -lam[..., place]
        return found

    def _multipliers(self, lam: np.ndarray) -> dict[str, np.ndarray]:
        known = self.equations.multipliers
        first = lam.shape[-1] - len(known)  # before them, what a momentum form adds
        return {each.name: lam[..., first + i] for i, each in enumerate(known)}

    def _balance(
        self, arguments: Sequence[np.ndarray], ud: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return λ of all rows in body space, and what they do; arguments as of `reactions`."""
        ud = self.rates(arguments) if ud is None else ud
        return balances.multipliers(self, arguments, ud, self._balance_sizes(arguments[5]))

    @cached_property
    def constraints(self) -> "MachineConstraints":
        """Its constraints as matrices: V, U, B and Ψ_v of independent coordinates."""
        from bellcrank.machine.tangent_space import MachineConstraints  # who asks waits

        return MachineConstraints(self)

    def undetermined(self, arguments: Sequence[np.ndarray]) -> tuple[str, ...]:
        """Return what redundant constraints leave open at a state, component by component.

        Args:
            arguments: Of a slot, for one state.
        """
        if not self.equations.has("reactions"):
            return ()
        ud = self.rates(arguments)
        G, _, R = self.ask("reactions", arguments, ud, level=0)
        found = gauss.open_rows(G, R, *self._balance_sizes(arguments[5]))
        acting = self.equations.acting
        names = [part for each in acting for part in components(each.name, each.size)]
        return tuple(name for name, loose in zip(names, found, strict=True) if loose)

    def _balance_sizes(self, p: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
        """Return nominal sizes of multipliers and of wrenches, and the floor of their rank."""
        p = p if p.ndim == 1 else p.reshape(-1, p.shape[-1])[0]
        values = dict(zip(self.parameters, p.tolist(), strict=True))
        length = self.equations.length(values)
        weights = [length if turns else 1.0 for turns in self.equations.row_turns]
        sizes = np.tile([length] * 3 + [1.0] * 3, self._wrenches)
        floor = rank.MARGIN * self.slack if self.rounded(p) else rank.FLOOR
        return np.array(weights), sizes, floor

    @cached_property
    def _wrenches(self) -> int:
        """How many bodies are balanced."""
        return self.kernel("reactions", level=0).outputs[0].rows // 6

    # --- names

    def pack(
        self,
        values: Mapping[str, Any] | Any | None = None,
        *,
        t: float = 0.0,
        parameters: Values = None,
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q and u from values by name, closed and on the constraints.

        What is named is held; what is not is as drawn and at rest, and moves as little as it
        takes to close the machine's loops. Coordinates and rates of joints are names in every
        formulation. Values of all own coordinates and speeds are taken as they are: it is the
        inverse of `unpack`.

        Args:
            values: Such as {"A.angle": 0.3, "B.orientation": (1, 0, 0, 0)}; a bare joint name
                means its only coordinate. Or a `State` or a `Result`, of any formulation.
            t: The time [s]: drivers are where they are then.
            parameters: Values by name over the model's own.

        Raises:
            StartError: An unknown name, a wrong number of values, or one that is not finite;
                all of them at once. Or a machine that cannot be closed.
        """
        from bellcrank.machine.continuing import angles_of, values_of
        from bellcrank.machine.start import initial_state

        if isinstance(values, Mapping) and all(name in values for name in self.state_names):
            return self.placed(values, parameters=parameters)
        p, angles = self.parameter_vector(parameters), angles_of(values, self)
        named = values_of(values, self)
        if named is not None and not isinstance(named, Mapping):
            raise StartError(
                f"start takes values by name or a Result, got {type(named).__name__}."
            )
        w = np.zeros(len(self.inputs))
        other = self.jointed() if self.equations.has("embed") else None
        x = initial_state(self, named, t, w, p, other, angles)
        return self.split(x)[:2]

    def jointed(self) -> Self:
        """Return the same machine in joint coordinates.

        Raises:
            NotSupported: It was not made of a model, and its coordinates are not those.
        """
        if not self.equations.has("embed"):
            return self
        if self.picture is not None:
            return self.picture()
        raise NotSupported(
            f"this System of '{self.equations.name}' was made of equations and does not know "
            "its model; bc.compile makes one that does."
        )

    def placed(
        self, values: Mapping[str, Any] | None = None, *, parameters: Values = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return q and u with values of own coordinates and speeds put in place, not closed.

        Args:
            values: By names of own coordinates and speeds.
            parameters: Values by name over the model's own.

        Raises:
            StartError: As of `pack`.
        """
        q, u, _ = self.packed(values, parameters=parameters)
        return q, u

    def packed(
        self, values: Mapping[str, Any] | None = None, *, parameters: Values = None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return q, u and s from values by name, as `pack` does; variables as they begin."""
        if values is not None and not isinstance(values, Mapping):
            raise StartError(
                f"start takes values by name or a Result, got {type(values).__name__}."
            )
        p = self.parameter_vector(parameters)
        q, s = np.array(self.equations.drawing(self.named(p))), self._begun(p)
        u = np.zeros(len(self.speeds))
        put(values or {}, self.equations, self.places, {"q": q, "u": u, "s": s})
        return q, u, s

    def unpack(self, q: ArrayLike, u: ArrayLike, s: np.ndarray | None = None) -> dict[str, Any]:
        """Return the values of q and u by name, the inverse of `pack`; and those of s."""
        q, u = vector_of("q", q, self.coordinates), vector_of("u", u, self.speeds)
        vectors = {"q": q, "u": u} | ({} if s is None else {"s": s})
        there = (name for name in self.state_names if self.places[name][0] in vectors)
        return taken({name: self.places[name] for name in there}, vectors)

    @cached_property
    def places(self) -> dict[str, Place]:
        """Where each name is: ("q", "u" or "s", first entry, number of entries)."""
        return places(self.equations)

    def moves(self, name: str) -> bool:
        """Return whether a name is of a coordinate or a speed, not of a variable."""
        return self.places.get(name, ("q",))[0] != "s"

    @cached_property
    def state_names(self) -> tuple[str, ...]:
        """The names of all coordinates, speeds and variables, vectors as one."""
        return tuple(places(self.equations, bare=False))


def _tell_of_size(system: System) -> None:
    """Warn once that straight-line code of a large machine takes long to compile."""
    e, nu, m = system.equations, len(system.speeds), len(system.equations.rows)
    if nu + m >= SLOW and system.compiled:
        warnings.warn(
            f"'{e.name}' has {len(e.bodies)} bodies, {nu} speeds and {m} rows of constraints: "
            f"compiling it in {e.formulation} takes from half a minute to minutes, once. "
            "simulate without formulation=, or with bc.Cartesian(), takes large machines in "
            "batches of like elements; Ctrl-C ends it.",
            UserWarning,
            stacklevel=outside(),
        )


@lru_cache(maxsize=128)
def compiled(
    model: Model, formulation: AbstractFormulation, lanes: int, level: int, slack: float
) -> System:
    """Return a machine; equal ones are one, which owns its kernels and what is known of it."""
    return System(
        formulation.equations(model), lanes=lanes, level=level, slack=slack,
        picture=partial(compiled, model, JointCoordinates(), 1, 1, slack),
    )  # fmt: skip
