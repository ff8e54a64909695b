"""Where a machine rests, and how it moves steadily.

    Nᵀ (A a − f) = 0,   Φ = 0,   ṡ = 0        N: motions that the constraints leave free

At rest u = 0 and a = 0. In a steady motion named coordinates keep their rates and all others
their values, which gives u and a (`analysis.steady`).
Newton's method solves for positions, on the constraints at every step; its matrix is the exact
stiffness, forces of constraints included. Where it does not come to an end, the machine goes
downhill in energy, then the unbalanced force is taken away in steps, and last it is let go in a
thick fluid.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np

from bellcrank.analysis.coordinates import SeenJoints, check_names, choose, seen, vectors
from bellcrank.analysis.linearize import Linearization, linearized, pole_lines, steady_spins
from bellcrank.analysis.steady import STEADY, SteadyRates
from bellcrank.analysis.strain import stored
from bellcrank.analysis.tangent import SingularTangent, Tangent
from bellcrank.constraints.assembly.closing import CLOSED, ClosingPoint, closed, nearest_speeds
from bellcrank.errors import BellcrankError, OptionError, StartError
from bellcrank.formulations import AbstractFormulation, JointCoordinates
from bellcrank.formulations.contract.laws import laws_of
from bellcrank.machine.arguments import check_mapping, names_given
from bellcrank.machine.continuing import Start
from bellcrank.machine.start import memory
from bellcrank.machine.state import State, assemble, assemble_moving, with_speeds
from bellcrank.model import Model
from bellcrank.model.elements.fields import short
from bellcrank.model.expressions import expression, signals

Array = np.ndarray
MOST_STARTS = 10_000  # from which all equilibria are looked for
ITERATIONS = 60  # of Newton's method
STRIDE = 0.5  # [rad, lengths of the machine] that it may move by at once
SETTLED = 1e-13  # of a step that is none [rad, lengths of the machine]
BALANCED = 1e-9  # of the forces at work, that may be left
SLACK_STIFFNESS = 1e-9  # of the largest stiffness: what counts as none
SLACK = 1e-10  # of the largest derivative: what counts as none in a step
DESCENDING = 200  # steps downhill
LEGS = 8  # in which another place is come to
CHORDS = 6  # steps onto the constraints with one matrix
LOADS = 16  # steps in which the unbalanced force is taken away
RELAXING = 2000  # steps in a thick fluid
IDLE = 100  # of them in which nothing is gained


class NoEquilibrium(BellcrankError, ArithmeticError):
    """There is no equilibrium near a state, or none was found.

    Attributes:
        nearest: The state with the least unbalanced force that was seen.

    Examples:
        >>> import bellcrank as bc
        >>> issubclass(bc.NoEquilibrium, bc.BellcrankError)
        True
    """

    def __init__(self, message: str, nearest: State) -> None:
        self.nearest = nearest
        super().__init__(message)


class Equilibrium(State):
    """A state at which a machine rests, or moves steadily.

    Attributes:
        rates: The steady rates by name [rad/s or m/s]; empty at rest.
        free: Coordinates against whose motion nothing has stiffness.
        method: What found it: `Newton`, `descent`, `load steps` or `relaxation`.
        iterations: How many steps that took.
        unbalanced: The largest generalized force that is left, of those at work.
        stiffness: Of the free motions, in nominal sizes; not symmetric where forces follow.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.equilibrium(examples.load("double-pendulum"), near={"A": 1.5}).stable
        True
    """

    rates: dict[str, float]
    free: tuple[str, ...]
    method: str
    iterations: int
    unbalanced: float
    stiffness: Array

    @cached_property
    def linear(self) -> Linearization:
        """The linear equations about it."""
        return linearized([self], spins=steady_spins(self))[0]

    @property
    def stable(self) -> bool | None:
        """Whether it stays near after a small push; None where that cannot be told.

        What neither grows nor decays in the linear equations is stable where the stiffness is
        that of an energy, symmetric, and definite.
        """
        if self.singular:
            return None
        found, K = self.linear.stable, self.stiffness
        if found is not None or self.rates or not K.size or K.shape[0] != K.shape[1]:
            return found
        if self.model.variables:  # a force that follows them has no energy
            return None
        if K.diagonal().min() <= 0.0:
            return None
        size = np.sqrt(K.diagonal())
        K = K / size / size[:, None]  # each coordinate in its own unit
        even = np.abs(K - K.T).max() <= 1e-9
        return True if even and np.linalg.eigvalsh(K).min() > 1e-9 else None

    @cached_property
    def singular(self) -> str:
        """Why it has no linear equations; empty where it has."""
        try:
            assert self.linear is not None
        except SingularTangent as error:
            return str(error)
        return ""

    @property
    def reactions(self) -> dict[str, Any]:
        """Forces and torques of joints, constraints and drivers, by name."""
        return {c.name: self[c.name] for c in self.system.equations.acting}

    @property
    def forces(self) -> dict[str, Any]:
        """What force elements do, by name."""
        known = frozenset(self.system.equations.elements)
        channels = self.system.equations.channels
        return {c.name: self[c.name] for c in channels if c.owner in known}

    @property
    def strain_energies(self) -> dict[str, float]:
        """What springs store, by the name of their element [J]."""
        return stored(self)

    def __repr__(self) -> str:
        kind = "steady motion" if self.rates else "equilibrium"
        stable = {
            True: "stable",
            False: "unstable",
            None: "indifferent in its linear equations",
        }
        text = super().__repr__().replace("state of", f"{kind} of", 1)
        lines = [text.replace("closing it moved", "from the drawing it moved", 1)]
        lines.append(
            f"found by {self.method} in {self.iterations} steps; it is {stable[self.stable]}"
        )
        if self.singular:
            lines.append(self.singular)
        else:
            lines += ["  pole    " + line for line in pole_lines(self.linear.poles)]
        if self.free:
            lines.append(f"nothing has stiffness against {', '.join(self.free)}")
        for name, value in list(self.forces.items())[:12]:
            if np.ndim(value) == 0:
                lines.append(f"  {name} = {value:.9g}")
        for name, value in list(self.strain_energies.items())[:12]:
            lines.append(f"  {name} stores {value:.6g} J")
        reactions = [(n, float(np.linalg.norm(v))) for n, v in self.reactions.items()]
        most = max((value for _, value in reactions), default=0.0)
        reactions = [each for each in reactions if each[1] > 1e-9 * most]
        for name, value in sorted(reactions, key=lambda each: -each[1])[:6]:
            unit = "N m" if "torque" in name else "N"
            lines.append(f"  |{name}| = {value:.6g} {unit}")
        return "\n".join(lines)


@overload
def equilibrium(
    model: Model,
    near: Start = None,
    *,
    rates: Mapping[str, float | None] | None = None,
    hold: Iterable[str] = (),
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    t: float | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
    all: None = None,
) -> Equilibrium: ...
@overload
def equilibrium(
    model: Model,
    near: Start = None,
    *,
    rates: Mapping[str, float | None] | None = None,
    hold: Iterable[str] = (),
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    t: float | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
    all: int,
) -> list[Equilibrium]: ...
def equilibrium(
    model: Model,
    near: Start = None,
    *,
    rates: Mapping[str, float | None] | None = None,
    hold: Iterable[str] = (),
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, float] | None = None,
    t: float | None = None,
    formulation: AbstractFormulation = JointCoordinates(),
    all: int | None = None,
) -> Equilibrium | list[Equilibrium]:
    """Return a state at which a machine rests, or moves steadily.

    Args:
        model: The machine.
        near: Where to look: coordinates by name, a state or a result. They are not held.
        rates: Rates of coordinates that are steady, by name, `{"spin.angle_rate": 100}`; None
            for one that is sought. All other coordinates rest.
        hold: Names of coordinates that keep the value they have in `near`, and of variables,
            which then may have rates; those of all others vanish.
        parameters: Values by name over the model's own.
        inputs: Values of inputs by name; those not given are zero.
        t: The time [s] at which laws that depend on it are taken.
        formulation: How the equations are written; all give the same.
        all: How many starts to look from; then all equilibria found are returned, those of
            least energy first.

    Raises:
        NoEquilibrium: Nothing balances a force, which is named, or none was found; it carries
            the nearest state.
        StartError: The machine cannot be assembled.
        UnknownName: There is no such coordinate or rate.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.equilibrium(examples.load("double-pendulum"), near={"A": 1.5}).stable
        True
    """
    given = {"parameters": parameters, "inputs": inputs, "t": t}
    state = assemble_moving(model, near, **given, formulation=formulation)
    formulation = with_speeds(formulation)
    check_mapping("rates", rates)
    steady, hold = dict(rates or {}), names_given("hold", hold)
    if all is None:
        if state.system.equations.has("embed"):
            # Found in joint coordinates first: which one is near is then the same in all.
            state = equilibrium(model, state, rates=rates, hold=hold, **given)
            state = assemble(model, state, formulation=formulation)
        return _search(_Trim(state, steady, hold))
    if isinstance(all, bool) or not isinstance(all, int) or not 1 <= all <= MOST_STARTS:
        raise OptionError(
            f"all takes the number of starts to look from, 1 to {MOST_STARTS}, got "
            f"{short(all)}."
        )
    found = _several(assemble(model, state), steady, hold, all)
    own = [assemble(model, one, formulation=formulation) for one in found]
    return [_search(_Trim(one, steady, hold)) for one in own]


@dataclass(frozen=True, eq=False)
class _Force:
    """The unbalanced force at a place, and its derivatives.

    Attributes:
        g: Nᵀ (A a − f), in joules per radian and per length of the machine, shape (n,).
        G: Its derivative by the motions that are sought, shape (n, k).
        size: The forces at work, that g is measured by.
        tangent: Where it was found.
        u: Speeds. steps: takes what is sought to δξ, shape (nu, k).
        rates: Directions of the rates that are sought among k, the last ones.
    """

    g: Array
    G: Array
    size: float
    tangent: Tangent
    u: Array
    steps: Array


class _Trim:
    """A machine whose balance is sought.

    Attributes:
        state: Where it is looked for.
        rates: Steady rates by name; None for those that are sought.
        hold: Names of coordinates and variables that stay.
        sought: How many rates and variables are sought besides positions.
    """

    def __init__(
        self, state: State, rates: Mapping[str, float | None], hold: tuple[str, ...]
    ) -> None:
        own = [each.name for each in state.model.variables]
        self.state, self.system = state, state.system
        self.hold = tuple(name for name in hold if name not in own)
        idle = _unread(state.model)
        self._varied = [i for i, n in enumerate(own) if n not in hold and n not in idle]
        self._growing = [i for i, n in enumerate(own) if n not in hold and n in idle]
        self.rates, self.steady_count, self._changing = np.zeros(0), 0, []
        self._named = bool(rates or self.hold)
        if self._named:
            self._take(rates)
        # What is sought besides positions: rates, then variables, in one vector.
        self.sought = len(self._changing) + len(self._varied)
        self._changing = [*self._changing, *(self.steady_count + i for i in self._varied)]
        self.rates = np.concatenate([self.rates, state.arguments[3]])

    def _take(self, rates: Mapping[str, float | None]) -> None:
        """Look up what is steady and what is held."""
        joints = self._seen(Tangent(self.system, self._lead(self.state.arguments), self._none))
        self.steady = SteadyRates(joints, rates, joints)
        self.rates, self.steady_count = self.steady.values, len(self.steady.values)
        self._changing = list(self.steady.sought)
        names = check_names(self.hold, joints.coordinates, whole=True)
        self._held = [[c.name for c in joints.coordinates].index(name) for name in names]
        self._kept = joints

    @property
    def _none(self) -> Array:
        return np.zeros((1, len(self.system.speeds)))

    @staticmethod
    def _lead(arguments: Sequence[Array]) -> list[Array]:
        return [np.asarray(each, dtype=float)[None] for each in arguments]

    def _seen(
        self, tangent: Tangent, directions: Mapping[str, Array] | None = None
    ) -> SeenJoints:
        found = tangent.changes("observe", directions or {})
        return seen(self.state.model, self.system, found["y"], found["d_y"])

    def arguments(self, q: Array, u: Array, s: Array | None = None) -> list[Array]:
        """Return the arguments of slots at coordinates and speeds, and variables."""
        _, _, _, begun, w, p, k = self.state.arguments
        s = begun if s is None else s
        given = [np.array([self.state.t]), q, u, s, w, p]
        kept = k[self.system.equations.modes :]
        return [*given, self.system.modes(given, kept) if len(k) else k]

    def moved(self, tangent: Tangent, step: Array) -> Array:
        """Return coordinates after a step δξ from those of a tangent, on the constraints."""
        system, W, u = self.system, tangent.W[0], np.zeros(len(self.system.speeds))
        q = self._normal(tangent.arguments[1][0] + W @ step)
        if not tangent.held.rank:
            return q
        scale = system.row_scales(self.state.p)[: tangent.held.inverse.shape[-1]]
        for _ in range(CHORDS):  # with the matrix of before: most steps are short
            phi = system.ask("position", self.arguments(q, u), level=0)[0]
            if np.abs(phi / scale).max() <= CLOSED:
                return q
            q = self._normal(q - W @ (tangent.held.inverse[0] @ phi))
        return self.closed(q)

    def _normal(self, q: Array) -> Array:
        if not self.system.equations.has("normalize"):
            return q
        return self.system.ask("normalize", self.arguments(q, self._none[0]), level=0)[0]

    def closed(self, q: Array) -> Array:
        """Return coordinates on the constraints."""
        if not self.system.equations.rows:
            return q
        return closed(self._there, q, np.ones(len(self.system.speeds), dtype=bool))

    @cached_property
    def _there(self) -> ClosingPoint:
        """The constraints, which a consistent state has been brought onto before."""
        s, w, p, k = self.state.arguments[3:]
        kept = k[self.system.equations.modes :]
        return ClosingPoint(self.system, self.state.t, s, w, p, (), kept)

    # --- forces

    def force(self, q: Array, rates: Array) -> _Force:
        """Return the unbalanced force at coordinates, and its derivatives."""
        rates, s = np.split(rates, [self.steady_count])
        return self._moving(q, rates, s) if self._named else self._resting(q, s)

    def _resting(self, q: Array, s: Array) -> _Force:
        u = np.zeros(len(self.system.speeds))
        tangent = Tangent(self.system, self._lead(self.arguments(q, u, s)), self._none)
        steps = tangent.held.free
        found = tangent.changes("motion", {"q": tangent.W @ steps})
        force = self._force(tangent, u, found["r"], found["d_r"], steps)
        return self._with_variables(force, found["sd"], found["d_sd"])

    def _with_variables(self, force: _Force, rate: Array, change: Array) -> _Force:
        """Return a force with the rates ṡ of variables, each by how much it changes at most.

        Args:
            force: On motions.
            rate: ṡ, shape (1, ns).
            change: Of it, by what is sought so far, shape (1, ns, k).
        """
        by, tangent = self._varied, force.tangent
        if not by:
            return force
        sizes = self._variable_sizes(tangent.arguments[3][0])
        directions = np.zeros((1, len(sizes), len(by)))
        directions[0, by, range(len(by))] = sizes[by]
        found = tangent.changes("motion", {"s": directions})
        more = np.zeros((len(force.g), len(by)))
        pushed = np.swapaxes(tangent.rows.free, -1, -2) @ found["d_r"]
        more[: pushed.shape[1]] = pushed[0]
        slopes = np.concatenate([change[0], found["d_sd"][0]], axis=1)[by]
        most = np.abs(slopes).max(axis=1, initial=0.0)
        flat = most == 0.0  # nothing changes such a rate: it vanishes, or nothing rests
        gap = np.where(flat, rate[0, by] != 0.0, rate[0, by] / np.where(flat, 1.0, most))
        still = np.zeros((len(force.steps), len(by)))
        whole = replace(
            force,
            G=np.concatenate([force.G, more], axis=1),
            size=force.size or 1.0,
            steps=np.concatenate([force.steps, still], axis=1),
        )
        return _extended(whole, gap, slopes / np.where(flat, 1.0, most)[:, None])

    def _variable_sizes(self, s: Array) -> Array:
        """Return nominal sizes of variables."""
        return np.maximum([v.scale for v in self.system.equations.auxiliary], np.abs(s))

    def stepped(self, rates: Array, step: Array) -> Array:
        """Return rates and variables after a step, whose last entries change them."""
        if not self.sought:
            return rates
        sizes = np.ones(len(rates))
        sizes[self.steady_count :] = self._variable_sizes(rates[self.steady_count :])
        new = rates.copy()
        new[self._changing] += step[-self.sought :] * sizes[self._changing]
        return new

    def restless(self, force: _Force) -> str:
        """Return the sentence on a variable that is further from rest than all that moves."""
        left = np.abs(force.g[len(force.g) - len(self._varied) :])
        if not left.size or left.max() < np.abs(force.g).max():
            return ""
        return self._changes(force, self._varied[int(np.argmax(left))])

    def growing(self, force: _Force) -> str:
        """Return the sentence on a variable that grows and that nothing reads, if any."""
        rates = force.tangent.changes("motion", {})["sd"][0]
        sizes = self._variable_sizes(force.tangent.arguments[3][0])
        grown = [i for i in self._growing if abs(rates[i]) > BALANCED * sizes[i]]
        return self._changes(force, grown[0]) if grown else ""

    def _changes(self, force: _Force, number: int) -> str:
        variable = self.state.model.variables[number]
        rate = float(force.tangent.changes("motion", {})["sd"][0, number])
        return (
            f"variable '{variable.name}' of '{self.state.model.name}' does not come to rest: "
            f"its rate is {rate:.4g} {variable.unit or '1'}/s. Name it in hold= where it may "
            "grow, as an integral does."
        )

    def _force(self, tangent: Tangent, u: Array, r: Array, dr: Array, steps: Array) -> _Force:
        Nt = np.swapaxes(tangent.rows.free, -1, -2)
        # Forces at work: of every speed by itself, before they cancel on what is free.
        size = float(np.abs(tangent.bare[0] * self.system.speed_sizes).max(initial=0.0))
        # Where they are none, those of a small stretch, and of the motion, 2 T.
        G = (Nt @ dr)[0]
        reach, moving = float(np.abs(G).max(initial=0.0)), float(u @ tangent.A[0] @ u)
        size = max(size, reach * 1e-3, moving)
        return _Force((Nt @ r[..., None])[0, :, 0], G, size, tangent, u, steps[0])

    def _moving(self, q: Array, rates: Array, s: Array) -> _Force:
        """Return the force at coordinates in a steady motion."""
        at = self._lead(self.arguments(q, self._none[0], s))
        rest = Tangent(self.system, at, self._none)
        joints = self._seen(rest, self._speeds(rest))
        by = self._independent(joints, rest.rows.free.shape[-1])
        inverse = np.linalg.inv(joints.rate[0, by])
        # u and a are linear in rates and accelerations of joints: one step each.
        lead = rest.rows.inverse[0] @ self._nu(rest)
        lacking = self.steady.speeds(rates, joints) - self._speed(rest, lead)
        u = lead + rest.rows.free[0] @ inverse @ lacking[by]
        at = self._lead(self.arguments(q, u, s))
        a = self._steady(Tangent(self.system, at, self._none), inverse, by, rates)
        tangent = Tangent(self.system, at, a[None])
        found = self._followed(tangent, inverse, by, rates)
        shown, motion = self._seen(tangent, found), tangent.changes("motion", found)
        steps, nh = tangent.held.free, tangent.held.free.shape[-1]
        whole = np.concatenate([steps[0], np.zeros((len(u), len(self.steady.sought)))], axis=1)
        force = self._force(tangent, u, motion["r"], motion["d_r"], whole[None])
        lost = [i for i in self.steady.named if i not in by]
        force = self._with_rates(self._holding(force, shown), shown, lost, rates, nh)
        return self._with_variables(force, motion["sd"], motion["d_sd"])

    def _holding(self, force: _Force, shown: SeenJoints) -> _Force:
        """Return a force with what coordinates lack that are held."""
        if not self._held:
            return force
        length = self.system.equations.length()
        sizes = np.array([length if c.unit == "m" else 1.0 for c in shown.coordinates])
        gap, change = _apart(shown, self._kept) / sizes, shown.position[0] / sizes[:, None]
        return _extended(force, gap[self._held], change[self._held])

    def _with_rates(
        self, force: _Force, shown: SeenJoints, lost: list[int], rates: Array, k: int
    ) -> _Force:
        """Return a force with what rates lack that follow from others: positions decide them.

        A bicycle of a given speed turns as it is steered.
        """
        if not lost:
            return force
        gap = shown.speed[0] - self.steady.speeds(rates, shown)
        change = shown.rate[0] - self.steady.rates_changed(rates, shown, k)
        size = max(float(np.abs(rates).max(initial=0.0)), 1e-300)
        return _extended(force, gap[lost] / size, change[lost] / size)

    def _nu(self, tangent: Tangent) -> Array:
        rows = self.system.equations.rows
        return tangent.asked("velocity")[1][0] if rows else np.zeros(0)

    def _speeds(self, tangent: Tangent) -> dict[str, Array]:
        return {"u": tangent.rows.free, "a": np.zeros_like(tangent.rows.free)}

    def _independent(self, joints: SeenJoints, n: int) -> list[int]:
        """Return which rates are independent, those that are named first."""
        length = self.system.equations.length()
        return choose(joints.coordinates, joints.rate[0], length, n, (), self.steady.first)

    def _speed(self, tangent: Tangent, u: Array) -> Array:
        """Return the rates of joints at speeds."""
        q, s = tangent.arguments[1][0], tangent.arguments[3][0]
        there = Tangent(self.system, self._lead(self.arguments(q, u, s)), self._none)
        return self._seen(there).speed[0]

    def _steady(
        self, tangent: Tangent, inverse: Array, by: Sequence[int], rates: Array
    ) -> Array:
        """Return the accelerations with which independent coordinates move steadily."""
        c = tangent.changes("motion", {})["c"]
        a = -(tangent.rows.inverse @ c[..., None])[..., 0]
        joints = self._seen_at(tangent, a)
        over = joints.push[0] - self.steady.pushes(rates, joints)
        return a[0] - tangent.rows.free[0] @ inverse @ over[by]

    def _seen_at(self, tangent: Tangent, a: Array) -> SeenJoints:
        found = tangent.changes("observe", {}, a=a)
        return seen(self.state.model, self.system, found["y"], found["d_y"])

    def _followed(
        self, tangent: Tangent, inverse: Array, by: Sequence[int], rates: Array
    ) -> dict[str, Array]:
        """Return directions: positions at the same rates, then rates; all move steadily."""
        nh = tangent.held.free.shape[-1]
        every = tangent.directions()
        N = tangent.rows.free[0] @ inverse
        k = nh + len(self.steady.sought)
        u, q = np.zeros((1, len(N), k)), np.zeros((1, every["q"].shape[1], k))
        q[:, :, :nh], u[:, :, :nh] = every["q"][:, :, :nh], every["u"][:, :, :nh]
        found = {"q": q, "u": u}
        joints = self._seen(tangent, found)
        u[0] -= N @ (joints.rate[0] - self.steady.rates_changed(rates, joints, nh))[by]
        found["a"] = -tangent.rows.inverse @ tangent.changes("motion", found)["d_c"]
        joints = self._seen(tangent, found)
        over = joints.acceleration[0] - self.steady.accelerations_changed(rates, joints, nh)
        found["a"] = found["a"] - N @ over[by]
        return found

    def unsteady(self, force: _Force, rates: Array) -> str:
        """Return the sentence that names what does not move steadily; empty where all does."""
        if not self._named or not np.abs(force.u).max(initial=0.0):
            return ""
        joints, length = self._seen(force.tangent), self.system.equations.length()
        found = self.steady.unsteady(rates[: self.steady_count], joints, length)
        told = ", ".join(f"{n} = {v:.6g}" for n, v in self.named(rates).items())
        head = f"'{self.state.model.name}' cannot move steadily at {told}"
        if found is not None:
            coordinate, value = found
            by = f"{value:.4g} {coordinate.unit}/s²"
            return f"{head}: '{coordinate.name}' would accelerate by {by}."
        nh = force.tangent.held.free.shape[-1]
        along = np.linalg.lstsq(force.steps[:, :nh], force.u, rcond=None)[0]
        change = force.G[: len(force.tangent.inertia[0]), :nh] @ along
        reach = max(np.abs(force.G[:, :nh]).max(initial=0.0), force.size)
        reach *= np.abs(along).max(initial=0.0)
        if np.abs(change).max(initial=0.0) <= STEADY * reach:
            return ""
        name = _pushed(self, replace(force, g=change))[0]
        return f"{head}: as it moves on, a force grows along {name}."

    def named(self, rates: Array) -> dict[str, float]:
        """Return steady rates by name."""
        return dict(zip(self.steady.names, rates.tolist(), strict=False)) if self._named else {}

    # --- an end

    def finished(
        self, q: Array, force: _Force, rates: Array, how: str, steps: int
    ) -> Equilibrium:
        """Return the state at an end."""
        state, system = self.state, self.system
        u = force.u
        if not self._named and system.equations.rows:
            # Drivers may move: the least motion then, in energy, which is the same in all.
            u = nearest_speeds(self._there, q, u, np.ones(len(u), dtype=bool))
        x = np.concatenate([q, u, rates[self.steady_count :]])
        names = [v.name for v in system.equations.closing if v.quantity == "angle"]
        seen = system.shown(names, state.arguments).tolist() if names else ()
        known = dict(zip(names, seen, strict=True))
        k = memory(system, state.t, x, state.w, state.p, known)
        made = Equilibrium(
            state.model, state.formulation, system, state.t, (x, state.w, state.p, k), {}
        )
        made.rates = self.named(rates)
        made.free, made.method, made.iterations = self._loose(force), how, steps
        made.stiffness = force.G
        made.unbalanced = float(np.abs(force.g).max(initial=0.0)) / max(force.size, 1e-300)
        return made

    def _loose(self, force: _Force) -> tuple[str, ...]:
        """Return coordinates against whose motion nothing has stiffness."""
        G = force.G
        if not G.size:
            return ()
        _, sigma, Vt = np.linalg.svd(G)
        sigma = np.concatenate([sigma, np.zeros(len(Vt) - len(sigma))])
        null = Vt[sigma <= SLACK_STIFFNESS * max(sigma.max(initial=0.0), 1e-300)]
        return self._names_of(force, null) if len(null) else ()

    def _names_of(self, force: _Force, directions: Array) -> tuple[str, ...]:
        """Return independent coordinates that move along directions."""
        moved = {"q": force.tangent.W @ (force.steps @ directions.T)}
        joints = self._seen(force.tangent, moved)
        rows = joints.position[0]
        if not rows.size or not np.abs(rows).max():
            return ()
        count = int(np.linalg.matrix_rank(rows, 1e-8 * np.abs(rows).max()))
        found = choose(joints.coordinates, rows, self.system.equations.length(), count)
        return tuple(joints.coordinates[i].name for i in found)


def _apart(joints: SeenJoints, others: SeenJoints) -> Array:
    """Return how far coordinates are from what they were, turnings by rotation vectors."""
    found = (joints.value - others.value)[0]
    for joint, R in joints.axes.items():
        turned = R[0] @ others.axes[joint][0].T
        turned = 0.5 * (turned - turned.T)
        at = vectors(joints.coordinates, joint, "rotation")
        found[at] = turned[2, 1], turned[0, 2], turned[1, 0]
    return found


def _extended(force: _Force, gap: Array, change: Array) -> _Force:
    """Return a force with further equations, by the size of the forces at work."""
    return replace(
        force,
        g=np.concatenate([force.g, force.size * gap]),
        G=np.concatenate([force.G, force.size * change]),
    )


def _unread(model: Model) -> set[str]:
    """Return the variables that nothing but other such ones reads: integrals of the motion."""
    rates = {each.name: signals(expression(each.rate)) for each in model.variables}
    laws = (law for force in model.forces for law in laws_of(force))
    others = set[str]().union(*map(signals, laws))
    found: set[str] = set()
    while True:
        read = others.union(*(names for name, names in rates.items() if name not in found))
        more = set(rates) - read
        if more == found:
            return found
        found = more


def _search(trim: _Trim) -> Equilibrium:
    """Return an equilibrium near where it is looked for."""
    q0, rates0 = trim.closed(trim.state.q), trim.rates
    best, steps = None, 0
    for how, attempt in ATTEMPTS.items():
        found = attempt(trim, q0, rates0)
        steps += found.steps
        if found.done:
            _check_balance(trim, found)
            end = trim.finished(found.q, found.force, found.rates, how, steps)
            unsteady = trim.unsteady(found.force, found.rates) or trim.growing(found.force)
            if unsteady:
                raise NoEquilibrium(unsteady, end)
            return end
        if best is None or found.left < best.left:
            best = found
        if how == "Newton":
            _check_balance(trim, found, sure=True)
    assert best is not None
    _check_variables(trim, best)
    raise NoEquilibrium(
        f"no equilibrium of '{trim.state.model.name}' was found near where it was looked for: "
        f"the least unbalanced force is {best.left:.3g} of the forces at work"
        f"{_worst(trim, best)}. Look elsewhere with near=, or from many places with all=.",
        trim.finished(best.q, best.force, best.rates, "", steps),
    )


@dataclass(frozen=True, eq=False)
class _Found:
    """Where an attempt came to.

    Attributes:
        q: Coordinates. rates: Steady rates.
        force: The force there.
        done: Whether it is balanced.
        steps: How many it took.
    """

    q: Array
    rates: Array
    force: _Force
    done: bool
    steps: int

    @property
    def left(self) -> float:
        """The unbalanced force, of those at work."""
        return float(np.abs(self.force.g).max(initial=0.0)) / max(self.force.size, 1e-300)


def _newton(trim: _Trim, q: Array, rates: Array, aim: Array | None = None) -> _Found:
    """Return where Newton's method comes to; `aim` is the force that should be left."""
    force = trim.force(q, rates)
    for n in range(ITERATIONS):
        aim_now = np.zeros_like(force.g) if aim is None or len(aim) != len(force.g) else aim
        gap = force.g - aim_now
        size = max(force.size, 1e-300)
        step = np.linalg.lstsq(force.G, -gap, rcond=SLACK)[0] if force.G.size else np.zeros(0)
        length = float(np.abs(step).max(initial=0.0))
        if np.abs(gap).max(initial=0.0) <= 1e-15 * size or length <= SETTLED:
            return _Found(q, rates, force, np.abs(gap).max(initial=0.0) <= BALANCED * size, n)
        far = float(np.abs(step[: len(step) - trim.sought]).max(initial=0.0))
        step = step * min(1.0, STRIDE / max(far, STRIDE))
        tried = _shorter(trim, q, rates, force, step, gap, aim)
        if tried is None:
            done = np.abs(gap).max(initial=0.0) <= BALANCED * size
            return _Found(q, rates, force, done, n)
        q, rates, force = tried
    return _Found(q, rates, force, False, ITERATIONS)


def _shorter(
    trim: _Trim,
    q: Array,
    rates: Array,
    force: _Force,
    step: Array,
    gap: Array,
    aim: Array | None,
) -> tuple[Array, Array, _Force] | None:
    """Return the place after a step that lessens the force; None where none does."""
    before = float(np.linalg.norm(gap))
    for halving in range(10):
        tried = _tried(trim, rates, force, step * 0.5**halving)
        if tried is None:
            continue
        g = tried[2].g
        wanted = 0.0 if aim is None or len(aim) != len(g) else aim
        if float(np.linalg.norm(g - wanted)) < before:
            return tried
    return None


def _loads(trim: _Trim, q: Array, rates: Array) -> _Found:
    """Return where the machine comes to while its unbalanced force is taken away in steps.

    Motions keep their meaning from step to step only while the basis of free motions does, so
    the force is carried along by what it does on joints.
    """
    force, steps = trim.force(q, rates), 0
    first, found = _generalized(force), _Found(q, rates, force, False, 0)
    for load in np.linspace(1.0, 0.0, LOADS + 1)[1:]:
        aim = force.tangent.rows.free[0].T @ (first * load)
        aim = np.append(aim, np.zeros(len(force.g) - len(aim)))
        found = _newton(trim, q, rates, aim if load else None)
        steps += found.steps
        if load and not found.done and found.steps == 0:
            return _Found(found.q, found.rates, found.force, False, steps)
        q, rates, force = found.q, found.rates, found.force
    return _Found(q, rates, force, found.done, steps)


def _generalized(force: _Force) -> Array:
    """Return a force on all speeds that does on free motions what g does."""
    N = force.tangent.rows.free[0]
    return np.linalg.lstsq(N.T, force.g[: N.shape[1]], rcond=None)[0]


def _descended(trim: _Trim, q: Array, rates: Array) -> _Found:
    """Return where the machine comes to downhill in energy, to a stable place.

    Newton's step with the stiffness |K| in place of K, whose steps all go downhill; a step that
    passes the bottom is halved.
    """
    force, steps = trim.force(q, rates), 0
    if not _square(trim, force):
        return _Found(q, rates, force, False, 0)
    while steps < DESCENDING:
        steps += 1
        values, vectors = np.linalg.eigh(0.5 * (force.G + force.G.T))
        least = 1e-6 * max(float(np.abs(values).max(initial=0.0)), 1e-300)
        step = -vectors @ ((vectors.T @ force.g) / np.maximum(np.abs(values), least))
        length = float(np.abs(step).max(initial=0.0))
        if length <= 1e-6:
            break
        moved = _downhill(trim, q, rates, force, step * min(1.0, STRIDE / max(length, STRIDE)))
        if moved is None:
            break
        q, force = moved
    found = _newton(trim, q, rates)
    return _Found(found.q, found.rates, found.force, found.done, steps + found.steps)


def _square(trim: _Trim, force: _Force) -> bool:
    """Return whether forces and motions are as many, at rest, so that energy can lead."""
    still = not trim._named and not trim.sought
    return still and force.G.shape[0] == force.G.shape[1] and force.G.size > 0


def _downhill(
    trim: _Trim, q: Array, rates: Array, force: _Force, step: Array
) -> tuple[Array, _Force] | None:
    """Return the place after a step, halved until it does not climb at its end."""
    before = abs(float(force.g @ step))
    for halving in range(12):
        part = step * 0.5**halving
        try:
            there = trim.moved(force.tangent, force.steps @ part)
            fresh = trim.force(there, rates)
        except (StartError, np.linalg.LinAlgError):
            continue
        if float(fresh.g @ _same(fresh, force, part)) <= 0.1 * before:
            return there, fresh
    return None


def _relaxed(trim: _Trim, q: Array, rates: Array) -> _Found:
    """Return where the machine settles in a thick fluid, then by Newton's method.

    δz = −h (Nᵀ A N)⁻¹ g, h growing while the force does not turn round.
    """
    force, h, steps = trim.force(q, rates), 1e-2, 0
    if not _square(trim, force):
        return _Found(q, rates, force, False, 0)
    least, since = np.inf, 0
    while steps < RELAXING:
        steps += 1
        step = -h * _mobility(force)
        length = float(np.abs(step).max(initial=0.0))
        step = step * min(1.0, 0.2 / max(length, 0.2))
        try:
            there = trim.moved(force.tangent, force.steps @ step)
            fresh = trim.force(there, rates)
        except (StartError, np.linalg.LinAlgError):
            h *= 0.25
            continue
        h *= 0.5 if float(fresh.g @ _same(fresh, force, step)) > 0 else 1.3
        q, force = there, fresh
        left = float(np.abs(force.g).max()) / max(force.size, 1e-300)
        least, since = (left, 0) if left < 0.9 * least else (least, since + 1)
        if left <= 1e-4 or h < 1e-12 or since > IDLE:
            break
    found = _newton(trim, q, rates)
    return _Found(found.q, found.rates, found.force, found.done, steps + found.steps)


def _tried(
    trim: _Trim, rates: Array, force: _Force, step: Array
) -> tuple[Array, Array, _Force] | None:
    """Return the place after a step; None where there is none."""
    try:
        there = trim.moved(force.tangent, force.steps @ step)
        speeds = trim.stepped(rates, step)
        return there, speeds, trim.force(there, speeds)
    except (StartError, np.linalg.LinAlgError):
        return None


def _mobility(force: _Force) -> Array:
    """Return (Nᵀ A N)⁻¹ g, which has the direction in which the machine would set off."""
    M = force.tangent.inertia[0]
    M = M + 1e-9 * max(np.trace(M), 1e-300) / len(M) * np.eye(len(M))
    return np.linalg.solve(M, force.g[: len(M)])


ATTEMPTS = {
    "Newton": _newton,
    "descent": _descended,
    "load steps": _loads,
    "relaxation": _relaxed,
}
"""Ways to an equilibrium, in order."""


def _same(fresh: _Force, force: _Force, step: Array) -> Array:
    """Return a step in the basis of motions at another place."""
    return np.linalg.lstsq(fresh.steps, force.steps @ step, rcond=None)[0]


def _check_balance(trim: _Trim, found: _Found, sure: bool = False) -> None:
    """Raise where a force is left that no position changes.

    Args:
        trim: The machine.
        found: Where it came to.
        sure: Whether to raise only where nothing has any stiffness against what is pushed.
    """
    force, left = found.force, found.left
    if left <= BALANCED or not force.g.size:
        return
    if sure:
        U, sigma, _ = np.linalg.svd(force.G)
        sigma = np.concatenate([sigma, np.zeros(len(U) - len(sigma))])
        stiff = U[:, sigma > SLACK_STIFFNESS * max(sigma.max(initial=0.0), force.size * 1e-6)]
        loose = force.g - stiff @ (stiff.T @ force.g)
        if np.abs(loose).max() < 0.5 * np.abs(force.g).max() or found.steps > 1:
            return
    if sure or not found.done:
        _check_variables(trim, found)
        name, push = _pushed(trim, found.force)
        raise NoEquilibrium(
            f"nothing balances '{trim.state.model.name}': {name} is pushed by {push} and no "
            "stiffness is against its motion. Hold it by a joint, a spring or hold=, or name "
            "its steady rate in rates=.",
            trim.finished(found.q, found.force, found.rates, "", found.steps),
        )


def _check_variables(trim: _Trim, found: _Found) -> None:
    """Raise where a variable is furthest from rest."""
    said = trim.restless(found.force)
    if said:
        end = trim.finished(found.q, found.force, found.rates, "", found.steps)
        raise NoEquilibrium(said, end)


def _pushed(trim: _Trim, force: _Force) -> tuple[str, str]:
    """Return the coordinate along which a force is left, and the force."""
    along = force.tangent.rows.free[0] @ _mobility(force)
    direction = np.linalg.lstsq(force.steps, along, rcond=None)[0]
    joints = trim._seen(
        force.tangent, {"q": force.tangent.W @ (force.steps @ direction[:, None])}
    )
    rows = joints.position[0, :, 0]
    length = trim.system.equations.length()
    sizes = np.array([length if c.unit == "m" else 1.0 for c in joints.coordinates])
    most = int(np.argmax(np.abs(rows) / sizes))
    if not rows[most]:
        return "a motion", "a force"
    coordinate = joints.coordinates[most]
    unit = "N" if coordinate.unit == "m" else "N m"
    along = _mobility(force)
    work = float(force.g[: len(along)] @ along)
    return f"'{coordinate.name}'", f"{-work / rows[most]:.4g} {unit}"


def _worst(trim: _Trim, found: _Found) -> str:
    name, push = _pushed(trim, found.force)
    return f", {push} along {name}"


def _several(
    state: State, rates: Mapping[str, float | None], hold: tuple[str, ...], count: int
) -> list[Equilibrium]:
    """Return the equilibria found from many places, those of least energy first."""
    noise, found = np.random.default_rng(0), []
    trim = _Trim(state, rates, hold)
    for n in range(count):
        try:
            q = trim.closed(state.q)
            if n:
                q = _elsewhere(trim, q, noise)
            start = state.replaced(x=np.concatenate([q, state.u, state.arguments[3]]))
            one = _search(_Trim(start, rates, hold))
        except (NoEquilibrium, StartError, np.linalg.LinAlgError):
            continue
        if not any(_alike(one, other) for other in found):
            found.append(one)
    if not found:
        _search(trim)
    return sorted(found, key=lambda one: one["potential_energy"])


def _elsewhere(trim: _Trim, q: Array, noise: np.random.Generator) -> Array:
    """Return coordinates some way off, come to in steps along the constraints."""
    here = trim.force(q, trim.rates)
    velocity = here.steps @ noise.uniform(-np.pi, np.pi, size=here.steps.shape[1])
    for _ in range(LEGS):
        q = trim.moved(here.tangent, velocity / LEGS)
        here = trim.force(q, trim.rates)
        free = here.steps
        velocity = free @ np.linalg.lstsq(free, velocity, rcond=None)[0]
    return q


def _alike(one: Equilibrium, other: Equilibrium) -> bool:
    """Return whether two equilibria are one, bodies in the same places."""
    length = one.system.equations.length()
    for body in one.model.bodies:
        apart = np.abs(one[f"{body.name}.position"] - other[f"{body.name}.position"]).max()
        p, r = one[f"{body.name}.orientation"], other[f"{body.name}.orientation"]
        if apart > 1e-6 * length or 1 - abs(float(p @ r)) > 1e-10:
            return False
    return True
