"""What can be seen of a batched machine at the records of a run.

Nothing is computed that is not asked for: a quantity of one element is found by its kernel over
all records in lanes. Accelerations and reactions solve [A Cᵀ; C 0] at every record, once.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.formulations.contract.equations import Batch
from bellcrank.formulations.contract.rows import multiplier_name
from bellcrank.kernels.batched.assembled import Assembled, AssembledState
from bellcrank.kernels.protocol import Arguments
from bellcrank.machine.batched.matrix import Linear, accelerations, idle_multipliers
from bellcrank.model import components
from bellcrank.model.names import Channel
from bellcrank.units import QUANTITIES

Array = np.ndarray
Arrays = dict[str, Array]
OPEN = 1e-6  # of the largest, from which on a part of a null-space multiplier counts


def balances(machine: Assembled, states: Sequence[AssembledState]) -> Array:
    """Return energies and residuals of states, power and momenta, shape (n, 11).

    Kinetic and potential energy [J], the largest scaled residuals of positions and of speeds,
    power of what is not conservative [W], linear and angular momentum.
    """
    scale, found = np.array([row.scale for row in machine.equations.rows]), []
    for state in states:
        phi, rates, _ = machine.rows(state)
        left = (np.abs(phi / scale[: len(phi)]), np.abs(rates / scale))
        T, V, *rest = machine.balance(state)
        found.append([T, V, *(float(each.max(initial=0.0)) for each in left), *rest])
    return np.array(found)


def states_of(machine: Assembled, arguments: Arguments) -> list[AssembledState]:
    """Return the states at points, given as arguments of slots."""
    t, q, u, s, w, _, k = arguments
    u = np.concatenate([u, s], axis=-1)
    points = zip(t[:, 0].tolist(), q, u, w, k, strict=True)
    return [machine.state(time, *at, w=w, k=k) for time, *at, w, k in points]


class BatchedObservation:
    """What can be seen of a batched machine at the records of a run.

    Attributes:
        arguments: Of slots, at the records.
        later: What is computed when it is asked for, after `everything`: nothing.
        followed: An audit does not go along with every step.
    """

    later = ()
    followed = False

    def __init__(self, machine: Assembled, arguments: Arguments) -> None:
        self.machine, self.arguments = machine, arguments
        t, q, u, s, w, _, k = arguments
        u = np.concatenate([u, s], axis=-1)
        self._given, self._count = {"t": t, "q": q, "u": u, "w": w, "k": k}, len(t)

    @cached_property
    def _owners(self) -> dict[str, tuple[int, int]]:
        """The batch and the place in it of every element."""
        return {
            name: (number, i)
            for number, batch in enumerate(self.machine.equations.batches)
            for i, name in enumerate(batch.elements)
        }

    @cached_property
    def _accelerations(self) -> frozenset[str]:
        """Names of channels that are accelerations: the others do without them."""
        units = {name for name, each in QUANTITIES.items() if each.unit.endswith("/s²")}
        channels = self.machine.equations.channels
        return frozenset(each.name for each in channels if each.quantity in units)

    def single(self, label: Channel) -> Arrays:
        """Return the arrays of the element that a label belongs to, or of the whole machine."""
        if label.name in self._multipliers.get(label.owner, ()):
            return self._holding(label.owner)
        if label.owner not in self._owners:
            return self._totals
        number, i = self._owners[label.owner]
        batch = self.machine.equations.batches[number]
        part = label.name.removeprefix(f"{label.owner}.")
        if any(name == part for name, _ in batch.channels.get("reaction", ())):
            return self._asked(number, i, "reaction")
        if label.name in self._accelerations:
            return self._asked(number, i, "observe")
        found = self._asked(number, i, "observe", moving=False)
        return {n: array for n, array in found.items() if n not in self._accelerations}

    def everything(self) -> Arrays:
        """Return all arrays."""
        found = dict(self._totals)
        for number, batch in enumerate(self.machine.equations.batches):
            for i in range(len(batch.elements)):
                for question in ("observe", "reaction"):
                    if batch.channels.get(question):
                        found |= self._asked(number, i, question)
        for owner in self._multipliers:
            found |= self._holding(owner)
        return found

    @cached_property
    def _multipliers(self) -> dict[str, dict[str, int | None]]:
        """The places of λ by name, of every element; rows left out in the plane have none."""
        e = self.machine.equations
        places = {multiplier_name(row): i for i, row in enumerate(e.rows)}
        found: dict[str, dict[str, int | None]] = {}
        for each in e.multipliers:
            found.setdefault(each.owner, {})[each.name] = places.get(each.name)
        return found

    def _holding(self, owner: str) -> Arrays:
        """Return λ of the rows of an element at all records."""
        (_, lam), none = self._accelerated, np.zeros(self._count)
        places = self._multipliers[owner]
        return {name: none if i is None else lam[:, i] for name, i in places.items()}

    def orientation(self, body: str) -> Array:
        """Return the Euler parameters of a body at the records, shape (n, 4)."""
        name = f"{body}.orientation"
        return self.single(Channel(name, "orientation", 4, body))[name]

    def _asked(self, number: int, i: int, question: str, moving: bool = True) -> Arrays:
        """Return what a kernel says of one element at all records."""
        batch, n = self.machine.equations.batches[number], self._count
        names = batch.channels.get(question, ())
        y = np.zeros((n, sum(size for _, size in names)))
        if question in batch.kernels:  # which a joint that holds nothing does not have
            kernel, values = self._values(number, i, question, moving)
            y = kernel(*values)[0].reshape(n, -1) if values else y
        found, start = {}, 0
        for name, size in names:
            part = y[:, start : start + size]
            whole = f"{batch.elements[i]}.{name}" if name else batch.elements[i]
            found[whole] = part[:, 0] if size == 1 else part
            start += size
        return found

    def _values(
        self, number: int, i: int, question: str, moving: bool
    ) -> tuple[Any, list[Array]]:
        """Return a kernel of a batch, and its inputs for one element at all records."""
        kernel, numbers = self.machine.element(number, i, question)
        batch = self.machine.equations.batches[number]
        return kernel, [
            numbers if port.name == "n" else self._taken(batch, i, port.name, moving)
            for port in kernel.inputs
        ]

    def _taken(self, batch: Batch, i: int, name: str, moving: bool) -> Array:
        """Return one input of a kernel for one element at all records."""
        if name == "t":
            return self._given["t"]
        if name in ("a", "lam"):
            place = batch.places["u" if name == "a" else "rows"][i]
            if not moving:
                return np.zeros((self._count, place.size))
            return self._accelerated[name == "lam"][:, place]
        return self._given[name][:, batch.places[name][i]]

    @cached_property
    def _states(self) -> list[AssembledState]:
        return states_of(self.machine, self.arguments)

    @cached_property
    def _accelerated(self) -> tuple[Array, Array]:
        """u̇ and λ at all records."""
        linear = Linear(self.machine, self._states[0])
        found = [accelerations(linear, state) for state in self._states]
        return np.array([a for a, _ in found]), np.array([lam for _, lam in found])

    @cached_property
    def _balances(self) -> Array:
        return balances(self.machine, self._states)

    @property
    def _totals(self) -> Arrays:
        """Energies, momenta and residuals at all records."""
        T, V, position, rate, _, *momenta = self._balances.T
        return {
            "kinetic_energy": T,
            "potential_energy": V,
            "energy": T + V,
            "linear_momentum": np.array(momenta[:3]).T,
            "angular_momentum": np.array(momenta[3:]).T,
            "constraint_residual": position,
            "constraint_rate_residual": rate,
        }

    def power(self) -> Array:
        """Return the power of forces that are not conservative, shape (n,) [W]."""
        return self._balances[:, 4]

    def diagnosis(self) -> dict[str, Any]:
        """Return what the rank of constraints says: nothing, of sparse ones."""
        return {}

    def undetermined(self) -> list[str]:
        """Return components of reactions that redundancy leaves open at the first record."""
        first = self._states[0]
        idle = idle_multipliers(Linear(self.machine, first), first)
        if idle is None:
            return []
        size: dict[str, float] = {}
        for number, batch in enumerate(self.machine.equations.batches):
            if "reaction" in batch.kernels:
                lam = idle[batch.places["rows"]]
                for i in np.flatnonzero(np.abs(lam).max(axis=1) > OPEN * np.abs(idle).max()):
                    size |= self._pushed(number, int(i), lam[i])
        names = (components(each.name, each.size) for each in self.machine.equations.acting)
        bound = OPEN * max(size.values(), default=0.0)
        return [name for parts in names for name in parts if size.get(name, 0.0) > bound]

    def _pushed(self, number: int, i: int, lam: Array) -> dict[str, float]:
        """Return by how much multipliers change what an element does at the first record."""
        batch = self.machine.equations.batches[number]
        kernel, values = self._values(number, i, "reaction", moving=False)
        first = [value if value.ndim == 1 else value[:1] for value in values]
        there, here = (
            kernel(*(
                value + load if port.name == "lam" else value
                for port, value in zip(kernel.inputs, first, strict=True)
            ))[0].ravel()
            for load in (0.0, lam)
        )  # fmt: skip
        names = [
            part
            for name, size in batch.channels.get("reaction", ())
            for part in components(f"{batch.elements[i]}.{name}", size)
        ]
        return dict(zip(names, np.abs(here - there).tolist(), strict=True))
