"""Arrays of a large machine's integration → `Result`.

Nothing is computed that is not asked for: a quantity of one element is found by its kernel over
all records in lanes. Accelerations and reactions solve [A Cᵀ; C 0] at every record, once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.formulations.equations import Batch
from bellcrank.integrators import Track
from bellcrank.integrators.problem import Weighed
from bellcrank.integrators.sparse_linear import Linear, accelerations, idle_multipliers
from bellcrank.kernels.assembled import Assembled, State
from bellcrank.machine.system import System
from bellcrank.model import Event, Expression, components
from bellcrank.results.audit import drift, power_of_relations
from bellcrank.results.judging import Circumstances, judge
from bellcrank.results.labels import Label
from bellcrank.results.record import hits_of, made_by, own_channels
from bellcrank.results.result import Machine, Result

Array = np.ndarray
Arrays = dict[str, Array]
LOOKS = 9  # records at which energy and constraints are looked at in any case
OPEN = 1e-6  # of the largest, from which on a part of an idle multiplier counts


def record_large(
    system: System,
    machine: Assembled,
    track: Track,
    p: Array,
    *,
    events: Sequence[Event] = (),
    driven: Mapping[str, Expression],
    asked: Mapping[str, Any],
    made: Circumstances,
    drawn: Machine = None,
) -> Result:
    """Return the result of a track, in the names of the machine.

    Args:
        system: The machine's names.
        machine: Its equations.
        track: What the integrator left.
        p: Parameter values in order.
        events: What was looked for, in the order of the track's indices.
        driven: Inputs that were driven by expressions.
        asked: How the run was asked for.
        made: How it was made.
        drawn: What draws the result.
    """
    seen = Observation(system, machine, track, p)
    judged = judge(replace(track, weighed=seen.weighed(made.rtol)), made)
    q, u, arguments = seen.q, seen.u, seen.arguments
    inputs = {name: track.w[:, i] for i, name in enumerate(system.inputs)}
    for name, expression in driven.items():
        inputs[name] = system.signals((expression,))(*arguments)[0][:, 0]
    return Result.from_arrays(
        track.t,
        seen.everything,
        (*system.equations.channels, *own_channels(system)),
        states=system.unpack(q, u),
        inputs=inputs,
        events=hits_of(system, track, events),
        statistics=asdict(track.statistics),
        provenance=made_by(system, p) | dict(asked),
        status=track.status,
        audit=lambda run: seen.audit(run, judged),
        judged=judged,
        machine=drawn,
        single=seen.single,
    )


class Observation:
    """What can be seen of a large machine at the records of a run."""

    def __init__(self, system: System, machine: Assembled, track: Track, p: Array) -> None:
        self.system, self.machine, self.track = system, machine, track
        self.q, self.u = np.split(track.x, [len(system.coordinates)], axis=1)
        self.arguments = (
            track.t[:, None], self.q, self.u, np.zeros(0), track.w, p, track.k,
        )  # fmt: skip
        self.power = np.zeros(len(track.t))  # of what is not conservative, with the totals

    @cached_property
    def _owners(self) -> dict[str, tuple[int, int]]:
        """The batch and the place in it of every element."""
        return {
            name: (number, i)
            for number, batch in enumerate(self.machine.equations.batches)
            for i, name in enumerate(batch.elements)
        }

    def single(self, label: Label) -> Arrays:
        """Return the arrays of the element that a label belongs to, or of the whole machine."""
        if label.owner not in self._owners:
            return self._totals
        number, i = self._owners[label.owner]
        batch = self.machine.equations.batches[number]
        part = label.name.removeprefix(f"{label.owner}.")
        if any(name == part for name, _ in batch.channels.get("reaction", ())):
            return self._asked(number, i, "reaction")
        found = self._asked(number, i, "observe", "acceleration" in part)
        return found if "acceleration" in part else _without_accelerations(found)

    def everything(self) -> Arrays:
        """Return all arrays."""
        found = dict(self._totals)
        for number, batch in enumerate(self.machine.equations.batches):
            for i in range(len(batch.elements)):
                for question in ("observe", "reaction"):
                    if batch.channels.get(question):
                        found |= self._asked(number, i, question, True)
        return found

    def _asked(self, number: int, i: int, question: str, moving: bool = True) -> Arrays:
        """Return what a kernel says of one element at all records."""
        batch = self.machine.equations.batches[number]
        names, n = batch.channels.get(question, ()), len(self.track.t)
        if question not in batch.kernels:  # a joint that holds nothing
            return {
                f"{batch.elements[i]}.{name}": _shaped(np.zeros((n, s))) for name, s in names
            }
        kernel, numbers = self.machine.element(number, i, question)
        values = [
            numbers if port.name == "n" else self._taken(batch, i, port.name, moving)
            for port in kernel.inputs
        ]
        y = kernel(*values)[0].reshape(n, -1) if values else np.zeros((n, 0))
        found, start = {}, 0
        for name, size in names:
            full = f"{batch.elements[i]}.{name}"
            found[full] = _shaped(y[:, start : start + size])
            start += size
        return found

    def _taken(self, batch: Batch, i: int, name: str, moving: bool) -> Array:
        """Return the inputs of a kernel for one element at all records."""
        if name == "t":
            return self.track.t[:, None]
        if name in ("a", "lam"):
            place = batch.places["u" if name == "a" else "rows"][i]
            if not moving:
                return np.zeros((len(self.track.t), place.size))
            return self._accelerated[name == "lam"][:, place]
        source = {"q": self.q, "u": self.u, "w": self.track.w, "k": self.track.k}[name]
        return source[:, batch.places[name][i]]

    def _states(self, which: slice | Array = slice(None)) -> list[State]:
        """Return the states at some of the records."""
        recorded = (self.track.t, self.q, self.u, self.track.w, self.track.k)
        parts = zip(*(part[which] for part in recorded), strict=True)
        return [self.machine.state(float(t), q, u, w=w, k=k) for t, q, u, w, k in parts]

    @cached_property
    def _accelerated(self) -> tuple[Array, Array]:
        """u̇ and λ at all records."""
        states = self._states()
        linear = Linear(self.machine, states[0])
        found = [accelerations(linear, state) for state in states]
        return np.array([a for a, _ in found]), np.array([lam for _, lam in found])

    @cached_property
    def _totals(self) -> Arrays:
        """Energies, momenta and residuals at all records."""
        sums, left = self._sums(self._states())
        T, V, self.power, *momenta = sums.T
        return {
            "kinetic_energy": T,
            "potential_energy": V,
            "energy": T + V,
            "linear_momentum": np.array(momenta[:3]).T,
            "angular_momentum": np.array(momenta[3:]).T,
            "constraint_residual": left[:, 0],
            "constraint_rate_residual": left[:, 1],
        }

    def _sums(self, states: Sequence[State]) -> tuple[Array, Array]:
        """Return what `balance` gives, and the largest scaled residuals, state by state."""
        scale = np.array([row.scale for row in self.machine.equations.rows])
        sums, left = [], []
        for state in states:
            sums.append(self.machine.balance(state))
            phi, rates, _ = self.machine.rows(state)
            sizes = (np.abs(phi / scale[: len(phi)]), np.abs(rates / scale))
            left.append([float(size.max(initial=0.0)) for size in sizes])
        return np.array(sums), np.array(left)

    def weighed(self, rtol: float) -> Weighed:
        """Return what a few records say of energy and constraints; the last always does.

        A large machine is not looked at in every step, nor is its work followed: where
        there is power at one of them, or something is prescribed, energy is not judged.

        Args:
            rtol: Relative tolerance of the run.
        """
        number = len(self.track.t)
        rows = np.unique(np.linspace(0, number - 1, min(number, LOOKS)).astype(int))
        found = self._sums(self._states(rows))
        T, V, power, *_ = found[0].T
        energy = T + V
        gaps, jumps = energy - energy[0], np.abs(np.diff(energy, prepend=energy[0]))
        equations, size = self.machine.equations, float((np.abs(T) + np.abs(V)).max())
        unknown = power.any() or bool(equations.efforts) or bool(equations.works)
        return Weighed(
            gap=float(np.abs(gaps).max()),
            final=float(gaps[-1]),
            doubt=0.0,
            work=0.0,
            kinetic=float(T.max()),
            size=size,
            unit=rtol * size,
            jump=float(jumps.max()),
            jump_time=float(self.track.t[rows[int(np.argmax(jumps))]]),
            powers=3 if unknown else 0,
            position=float(found[1][:, 0].max()),
            velocity=float(found[1][:, 1].max()),
            finite=bool(np.isfinite(energy).all()),
            looks=len(rows),
        )

    def audit(self, run: Result, judged: Mapping[str, Any]) -> dict[str, Any]:
        """Return how well energy and constraints were kept, as `results.audit` does."""
        run.values("energy")  # with which comes the power
        power = self.power + power_of_relations(self.system, self.arguments, run.values)
        for effort, (_, rate) in self.machine.equations.efforts.items():
            power = power + run.values(effort) * run.values(rate)
        residuals = {
            "position_residual": run.values("constraint_residual"),
            "velocity_residual": run.values("constraint_rate_residual"),
        }
        return dict(judged) | {
            "energy_drift": drift(run.t, power, run.values),
            **{name: float(values.max(initial=0.0)) for name, values in residuals.items()},
            "undetermined": self._undetermined,
        }

    @cached_property
    def _undetermined(self) -> list[str]:
        """Components of reactions that redundant constraints leave open at the first record."""
        first = self._states(slice(1))[0]
        idle = idle_multipliers(Linear(self.machine, first), first)
        if idle is None:
            return []
        size: dict[str, float] = {}
        for number, batch in enumerate(self.machine.equations.batches):
            if "reaction" in batch.kernels:
                lam = idle[batch.places["rows"]]
                for i in np.flatnonzero(np.abs(lam).max(axis=1) > OPEN * np.abs(idle).max()):
                    size |= self._pushed(number, int(i), lam[i])
        names = (components(each.name, each.size) for each in self.system.equations.acting)
        bound = OPEN * max(size.values(), default=0.0)
        return [name for parts in names for name in parts if size.get(name, 0.0) > bound]

    def _pushed(self, number: int, i: int, lam: Array) -> dict[str, float]:
        """Return by how much multipliers change what an element does at the first record."""
        batch = self.machine.equations.batches[number]
        kernel, numbers = self.machine.element(number, i, "reaction")
        values = [
            numbers if port.name == "n" else self._taken(batch, i, port.name, moving=False)[:1]
            for port in kernel.inputs
        ]
        loads = [0.0, lam]
        there, here = (
            kernel(*(
                value + load if port.name == "lam" else value
                for port, value in zip(kernel.inputs, values, strict=True)
            ))[0].ravel()
            for load in loads
        )  # fmt: skip
        names = [
            part
            for name, size in batch.channels.get("reaction", ())
            for part in components(f"{batch.elements[i]}.{name}", size)
        ]
        return dict(zip(names, np.abs(here - there).tolist(), strict=True))


def _shaped(array: Array) -> Array:
    return array[:, 0] if array.shape[1] == 1 else array


def _without_accelerations(found: Arrays) -> Arrays:
    return {name: array for name, array in found.items() if "acceleration" not in name}
