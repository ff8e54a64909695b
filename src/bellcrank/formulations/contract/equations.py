"""The contract: what every formulation returns, so that nothing after it asks which one it was.

    q̇ = W(t,q) u + x(t,q)                      kinematical equations
    A(t,q) u̇ = f(t,q,u) − Cᵀ λ                 dynamical equations
    Φ(t,q) = 0,   C(t,q) u = ν(t,q),   C u̇ = γ(t,q,u)

Position rows of C come first (mh of them), then velocity-only (nonholonomic) rows, m in all.

How to write a formulation
    1. Choose coordinates q and speeds u, and describe each by a `StateVariable`: its name,
       quantity, nominal scale and owner. Names are those of `bellcrank.model.names` where the
       coordinate is one a user knows (`A.angle`), so that `start` and results agree.
    2. Describe the constraint rows, if any, by `Row`s.
    3. Provide the slots below as functions without arguments that return a `casadi.Function`
       of SX. Every function takes `ARGUMENTS` first, in that order, then the slot's own
       arguments, and names all its inputs and outputs. A slot is built when it is first asked
       for; describing the equations must not import CasADi, because a machine found in the
       kernel cache is run without it.
    4. Give a `key`: a digest of everything the slots depend on, values of parameters excepted.
    5. Return `Equations(...)`. Its constructor checks sizes and slot names.
    6. The laws in `tests/laws` take the formulation from one list: add it there.

Arguments of every slot (a vector that the machine lacks has size 0)
    t  time [s]                        w  inputs, nw
    q  coordinates, nq                 p  parameters, np
    u  generalized speeds, nu          k  memory, nk: held within a step, revised after it
    s  auxiliary continuous states, ns

Slots (own arguments in brackets; absent slots are allowed unless marked *). T is W, or the
identity where there are no speeds: admissible Δq = T Δξ. `SLOTS` says who asks for each
    kinematics*      W (nq×nu), x (nq)
    normalize        q (nq) back on the invariants of the coordinates (unit Euler parameters)
    mass*            A (nu×nu), symmetric, definite on ker C
    completion       M (nu×nu) definite and as sparse as A, N (nu×k): where A is singular,
                     M = A + N Nᵀ but for what the rows take up
    bodywise         M, N (of `completion`), C (m×nu), F (nu), twists w (nu), back: the same
                     equations in speeds w = J u in which they are sparse; back = J⁻¹,
                     f = Jᵀ F and the rates of all rows are C w − ν
    force*           f (nu)
    accelerate       [e (nu)] → u̇ of the machine without constraints under extra generalized
                     efforts e; an O(n) recursion where there is one
    position         Φ (mh)
    velocity         C (m×nu), ν (m)
    acceleration     γ (m)
    jerk             D (m×nu), d (m): D u̇ = d is the rate of the acceleration row without C ü
    residual*        [a (nu), lam (m)] → r = A a − f + Cᵀλ
    residual_jacobian*    [a, lam] → r_q T (nu×nt), r_u (nu×nu): sparse, fixed patterns
    constraint_jacobian   (C u − ν)_q T (m×nt)
    kinematics_jacobian*  T⁺-free: (W u + x)_q T (nq×nt)
    auxiliary        ṡ (ns)
    switches         z: where a nonsmooth expression changes its branch; k_i is the sign of
                     z_i that holds in the step. These modes are the first entries of k
    revise           k (nk) after an accepted step, for memory that is no mode: of each angle
                     that is not in q, the line k₁ + k₂ t that has its value and its rate
    bodies*          [a] → pose (7×nb: mass centre, Euler parameters of the body frame), twist
                     (6×nb: angular velocity, velocity of the mass centre), acceleration (6×nb)
    applied*         wrench (6×nb: torque about the mass centre, force), world components
    reactions        [a] → G (6nb×nr), b (6nb), R (6nj + nc × nr): the balance of `reactions.py`
    energy*          kinetic, potential [J];  momentum (6: linear, angular about the origin)
    power*           P (ne): power of what is not conservative, per force element
    audit*           y (kinetic, potential [J]; largest scaled residual of position and of
                     velocity rows)
    audit_rates*     [a] → power (of force elements, nonsmooth laws switching by themselves; of
                     what is prescribed, uᵀ(A a − f): 0, 1 or 2 entries, only what there is; 3
                     where it is not known), rates (of the angles in k), timed (the sum of
                     forces that depend on time by themselves)
    observe*         [a] → y: all of `bellcrank.model.names.channels`, one after the other
    derivatives      q̇, u̇, ṡ of a machine without rows: what an explicit integrator calls
    jacobian         F = M ∂ẋ/∂x and A, M = diag(1, A, 1), of a machine without rows
    embed            [pose (7×nb), twist (6×nb)] → q (nq), u (nu): the state whose bodies are as
                     given. Formulations whose coordinates are not those of joints need it

Beside the slots `quantities` are matrices of the school that a user may read and evaluate by
name (`equations.partial_velocity["body 3"]`), and `batches` says of which like elements a large
machine is the sum.
"""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

from bellcrank.errors import BellcrankError, NotSupported, did_you_mean, unknown_name
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import text
from bellcrank.model.names import Channel

if TYPE_CHECKING:
    import casadi as ca


@dataclass(frozen=True, slots=True)
class Slot:
    """What the contract says of a slot besides its meaning.

    Attributes:
        gives: Names of its outputs. One in brackets is a matrix, also where it has one column.
        asked_by: A module of this package that asks for it; a slot that nobody asks for goes.
    """

    gives: str
    asked_by: str

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of its outputs, in order."""
        return tuple(name.strip("[]") for name in self.gives.split())

    @property
    def matrices(self) -> tuple[str, ...]:
        """Names of those that are matrices."""
        return tuple(name.strip("[]") for name in self.gives.split() if name.startswith("["))


SLOTS = {
    "kinematics": Slot("[W] x", "constraints.assembly.closing"),
    "normalize": Slot("q_out", "constraints.assembly.closing"),
    "mass": Slot("[A]", "machine.system"),
    "completion": Slot("[M] [N]", "constraints.straight_line_code"),
    "bodywise": Slot("[M] [N] [C] F twists [back]", "constraints.straight_line_code"),
    "force": Slot("f", "constraints.constrained"),
    "accelerate": Slot("ud", "machine.system"),
    "position": Slot("Phi", "constraints.assembly.closing"),
    "velocity": Slot("[C] nu", "constraints.assembly.closing"),
    "acceleration": Slot("gamma", "constraints.constrained"),
    "jerk": Slot("[D] d", "constraints.constrained"),
    "residual": Slot("r", "machine.system"),
    "residual_jacobian": Slot("[r_q] [r_u]", "constraints.index2.saddle"),
    "constraint_jacobian": Slot("[rates_q]", "constraints.index2.saddle"),
    "kinematics_jacobian": Slot("[qd_q]", "constraints.index2.saddle"),
    "auxiliary": Slot("sd", "constraints.constrained"),
    "switches": Slot("z", "machine.system"),
    "revise": Slot("k_out", "machine.system"),
    "bodies": Slot("[pose] [twist] [acceleration]", "machine.start"),
    "applied": Slot("[wrench]", "analysis.verify.body_space"),
    "reactions": Slot("[G] b [R]", "machine.system"),
    "energy": Slot("kinetic potential momentum", "analysis.verify.body_space"),
    "power": Slot("P", "analysis.verify.audits"),
    "audit": Slot("y", "machine.straight_line"),
    "audit_rates": Slot("power rates timed", "machine.straight_line"),
    "observe": Slot("y", "machine.system"),
    "derivatives": Slot("qd ud sd", "machine.system"),
    "jacobian": Slot("[F] [A]", "prepare.problem"),
    "embed": Slot("q_out u_out", "machine.start"),
}
"""All slots by name."""

MassKind = Literal["constant", "diagonal", "definite", "semidefinite"]


@dataclass(frozen=True, slots=True)
class StateVariable:
    """One scalar coordinate, speed, auxiliary state or memory.

    Attributes:
        name: As in results: `A.angle`, `S.orientation_0`.
        quantity: Key of `bellcrank.units.QUANTITIES`.
        owner: The element it belongs to.
        scale: Nominal size in its unit; rank and residual decisions are made on scaled values.
    """

    name: str
    quantity: str
    owner: str
    scale: float = 1.0


@dataclass(frozen=True, slots=True)
class Row:
    """One scalar constraint.

    Attributes:
        name: The element and direction it comes from.
        owner: The element.
        kind: `loop`, `driver`, `rigid`, `norm` or `nonholonomic`.
        level: `position` or `velocity`.
        scale: Nominal size of the residual.
        natural: Length of the row, over that and in nominal sizes of speeds, where it holds
            something: what nearly vanishes is small against it.
    """

    name: str
    owner: str
    kind: Literal["loop", "driver", "rigid", "norm", "nonholonomic"]
    level: Literal["position", "velocity"]
    scale: float = 1.0
    natural: float = 1.0


@dataclass(frozen=True, eq=False)
class Batch:
    """Like elements: kernels of one of them, and where each takes from and gives to.

    A machine is the sum of its batches: what a kernel gives for an element is added, or
    written, where `places` says. Kernels take some of `t, q, u, w, k, a, lam, c, x` of one
    element and its `numbers`, found by the names of their inputs.

    Attributes:
        kind: The kind of element.
        key: Digest of all its kernels depend on.
        kernels: Builders of CasADi functions by question; see `cartesian.batches`.
        elements: Names of the elements, in order.
        places: Indices into q, u, w, k and rows, one row per element.
        numbers: Returns the elements' numbers, one row each, for parameter values by name.
        channels: What the questions `observe` and `reaction` give of each element: the names
            that follow the element's, and their sizes.
    """

    kind: str
    key: str
    kernels: Mapping[str, Callable[[], "ca.Function"]]
    elements: tuple[str, ...]
    places: Mapping[str, Any]
    numbers: Callable[[Mapping[str, float]], Any]
    channels: Mapping[str, tuple[tuple[str, int], ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Guard:
    """What must stay positive; the run stops before the equations lose their meaning.

    Attributes:
        when: An expression for `signals`, positive while all is well.
        message: What it means that it is not.
        stops: Whether the run stops there, or only warns.
    """

    when: Expression
    message: str
    stops: bool = True


@dataclass(frozen=True, eq=False)
class Equations:
    """The equations of motion of one machine in one formulation.

    Attributes:
        name: The machine.
        formulation: How it was written, as its `repr`.
        key: Digest of everything the slots depend on, parameter values excepted.
        coordinates, speeds, auxiliary, memory: The scalars of q, u, s and k, in order.
        inputs: Names of w. parameters: Names and nominal values of p.
        rows: The constraints, position level first.
        channels: What `observe` returns, in order.
        bodies, elements: Names of the bodies (order of `bodies`, `applied`) and of the force
            elements (order of `power`).
        mass_kind: What may be assumed of A.
        second_order: Whether q̇ = u exactly.
        slots: Builders, by name.
        signals: Builds a function of `ARGUMENTS` for any expressions of the machine's signals.
        closing: Scalar coordinates of joints that close loops: measured, not in q.
        joints, constraints: Names of the joints and of the other constraints (order of R of
            `reactions`).
        row_turns: Which multipliers of `reactions` are torques.
        multipliers: What they are called, in order.
        length: Returns the nominal length of the machine [m] for parameter values by name over
            the model's own; without them, for those.
        efforts: For the channel of each driver's effort, which multiplier of `reactions` is
            minus the effort, and the channel of the rate it works on.
        works: For the channel of each effort of a relation of speeds, the rate it works on, its
            right-hand side; those that are zero are left out.
        sums: Measured angles that are sums of coordinates but for a constant, by name: places
            in q and factors ±1. Where a start asks for full turns of one, those turn.
        drawing: Returns q of the drawing for given parameter values.
        begun: Returns s where a run begins, unless it says another, for parameter values.
        takes_speeds: Whether speeds in a start mean anything to it; where there are none in
            the state, they mostly do not.
        guards: What must stay positive for the equations to hold.
        quantities: Builders of the school's own matrices, by name; each gives a `Quantity` or a
            mapping of them by body, and is an attribute of the equations.
        lengthless: Whether the drawing shows no length at all, so that the nominal size of
            lengths, 1 m, means nothing.
        batches: The machine as a sum over like elements; empty for straight-line code.
        straight_line: Whether a machine with batches may be run as straight-line code, too.
        idle: Thin rods with a free spin, which nothing resists or drives.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> equations = bc.equations(examples.load("double-pendulum"))
        >>> [each.name for each in equations.coordinates]
        ['A.angle', 'B.angle']
    """

    name: str
    formulation: str
    key: str
    coordinates: tuple[StateVariable, ...]
    speeds: tuple[StateVariable, ...]
    inputs: tuple[str, ...]
    parameters: Mapping[str, float]
    channels: tuple[Channel, ...]
    bodies: tuple[str, ...]
    elements: tuple[str, ...]
    slots: Mapping[str, Callable[[], "ca.Function"]]
    signals: Callable[[tuple[Expression, ...]], "ca.Function"]
    drawing: Callable[[Mapping[str, float]], list[float]]
    auxiliary: tuple[StateVariable, ...] = ()
    begun: Callable[[Mapping[str, float]], list[float]] = lambda parameters: []
    memory: tuple[StateVariable, ...] = ()
    rows: tuple[Row, ...] = ()
    closing: tuple[StateVariable, ...] = ()
    sums: Mapping[str, tuple[tuple[int, float], ...]] = field(default_factory=dict)
    joints: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()
    row_turns: tuple[bool, ...] = ()
    multipliers: tuple[Channel, ...] = ()
    length: Callable[..., float] = lambda parameters=None: 1.0
    efforts: Mapping[str, tuple[int, str]] = field(default_factory=dict)
    works: Mapping[str, Expression] = field(default_factory=dict)
    mass_kind: MassKind = "definite"
    second_order: bool = False
    takes_speeds: bool = True
    guards: tuple[Guard, ...] = ()
    quantities: Mapping[str, Callable[[], Any]] = field(default_factory=dict)
    lengthless: bool = False
    batches: tuple[Batch, ...] = ()
    straight_line: bool = True
    idle: tuple[str, ...] = ()

    def __reduce__(self) -> Any:
        raise NotSupported(
            "Equations are functions of this process, and are not copied or pickled. Pickle "
            f"the model of '{self.name}' and ask for them again with bc.equations."
        )

    def __post_init__(self) -> None:
        unknown = [slot for slot in self.slots if slot not in SLOTS]
        if unknown:
            raise BellcrankError("; ".join(unknown_name("slot", s, SLOTS) for s in unknown))
        levels = [row.level for row in self.rows]
        if levels != sorted(levels):
            raise BellcrankError(
                f"{self.formulation}: position rows must come before velocity rows."
            )

    def __getattr__(self, name: str) -> Any:
        quantities = self.__dict__.get("quantities", {})
        if name.startswith("_") or name not in quantities:
            hint = did_you_mean(name, quantities)
            raise AttributeError(f"{self.__dict__.get('formulation')} has no {name!r}.{hint}")
        from bellcrank.formulations.contract.quantities import labelled  # needs CasADi

        value = labelled(quantities[name](), self._labels)
        self.__dict__[name] = value
        return value

    @property
    def _labels(self) -> dict[str, tuple[str, ...]]:
        """What the entries of the arguments are called."""
        variables = {"q": self.coordinates, "u": self.speeds, "s": self.auxiliary,
                     "k": self.memory}  # fmt: skip
        named = {key: tuple(v.name for v in found) for key, found in variables.items()}
        return named | {"t": ("t",), "w": self.inputs, "p": tuple(self.parameters)}

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.quantities})

    @cached_property
    def _built(self) -> dict[str, "ca.Function"]:
        return {}

    @cached_property
    def acting(self) -> tuple[Channel, ...]:
        """The channels that R of `reactions` gives, in order."""
        joints, others = frozenset(self.joints), frozenset(self.constraints)
        return tuple(
            channel
            for channel in self.channels
            if channel.owner in others
            or (channel.owner in joints and ".reaction_" in channel.name[len(channel.owner) :])
        )

    @property
    def sizes(self) -> dict[str, int]:
        """Sizes of `ARGUMENTS`."""
        vectors = (
            self.coordinates,
            self.speeds,
            self.auxiliary,
            self.inputs,
            self.parameters,
            self.memory,
        )
        return {"t": 1} | {name: len(v) for name, v in zip(ARGUMENTS[1:], vectors, strict=True)}

    @property
    def row_weights(self) -> tuple[float, ...]:
        """Nominal sizes of the multipliers of `reactions`: 1 for forces, ℓ for torques."""
        return tuple(self.length() if turns else 1.0 for turns in self.row_turns)

    @cached_property
    def modes(self) -> int:
        """How many entries of k are modes of switches; the others are of angles."""
        return sum(variable.quantity not in ("angle", "angle_rate") for variable in self.memory)

    def has(self, slot: str) -> bool:
        """Return whether the formulation fills this slot."""
        return slot in self.slots

    def function(self, slot: str) -> "ca.Function":
        """Return the symbolic function of a slot, built when first asked for."""
        if slot not in self._built:
            if slot not in self.slots:
                raise BellcrankError(
                    f"{self.formulation} of '{self.name}' has no slot {slot!r}. "
                    f"It has: {', '.join(self.slots)}."
                )
            self._built[slot] = self.slots[slot]()
        return self._built[slot]

    def slot_key(self, slot: str) -> str:
        """Return the digest under which a compiled slot is kept."""
        return f"{self.key}/{slot}"

    def signals_key(self, expressions: tuple[Expression, ...]) -> str:
        """Return the digest under which compiled `signals` are kept."""
        what = "\n".join(text(expression) for expression in expressions)
        return f"{self.key}/signals/{hashlib.sha256(what.encode()).hexdigest()}"


@runtime_checkable
class AbstractFormulation(Protocol):
    """Something that turns a `Model` into `Equations`: a frozen value with its own knobs."""

    def equations(self, model: Model) -> Equations:
        """Return the equations of motion of `model`."""
        ...
