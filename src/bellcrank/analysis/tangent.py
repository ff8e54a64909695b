"""What a machine may do next to states: motions on its constraints, and what follows them.

    δq = W δξ,   C_h δξ = 0        position rows C_h
    C δu + δv = 0                  all rows, δv by δq
    A δa + Cᵀ δλ + δr = 0,   C δa + δc = 0

δr and δc are exact derivatives at fixed a and λ (`formulations.contract.variations`), so the
term (Cᵀ λ)_q is in. Redundant rows repeat others on the constraints and in their derivatives
along them; ranks are decided by `linear.rank`. Everything is done for a batch of states at
once.
"""

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.constraints.assembly.freedom import neighbours
from bellcrank.errors import BellcrankError, NotSupported
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.linear import rank
from bellcrank.machine.state import State
from bellcrank.machine.system import System

Array = np.ndarray
NEARBY = (0.02, 0.05)  # [rad, lengths of the machine] beside a state it is looked at again
CHANGES = (*ARGUMENTS[:-1], "a", "lam")


class SingularTangent(BellcrankError, ArithmeticError):
    """A position in which constraints that are independent elsewhere are not."""


class Rows:
    """Constraint rows of a batch of states: what they leave free, and what they determine.

    Attributes:
        rank: How many are independent.
        free: Basis of the motions they leave free, shape (b, nu, n).
        inverse: Takes what rows should give to the smallest speeds, shape (b, nu, m).
        smallest: The smallest singular value that counts, in nominal sizes, shape (b,).
    """

    def __init__(
        self, C: Array, scale: Array, sizes: Array, floor: float, loose: Array
    ) -> None:
        """Take rows.

        Args:
            C: Shape (b, m, nu).
            scale: Their nominal sizes, infinite for those left out, shape (m,).
            sizes: Nominal sizes of the speeds, shape (nu,).
            floor: Of `linear.rank`.
            loose: Rows whose nominal size nobody knows: they are measured by themselves.
        """
        b, m, nu = C.shape
        measured = C * sizes / scale[:, None]
        length = np.linalg.norm(measured, axis=-1)
        own = np.where(loose & (length > rank.FLOOR), length, 1.0)
        measured = measured / own[..., None]
        if not m:
            self.rank, self.smallest = 0, np.full(b, np.inf)
            self.free = np.broadcast_to(np.diag(sizes), (b, nu, nu))
            self.inverse = np.zeros((b, nu, 0))
            return
        U, sigma, Vt = np.linalg.svd(measured)
        counted = rank.counted(sigma, floor=floor).sum(axis=-1)
        self.rank = r = int(counted.max(initial=0))
        if np.any(counted != r):
            raise SingularTangent(
                f"the constraints have rank {int(counted.min())} at one of the states and {r} "
                "at others: a singular position, where the motion branches."
            )
        self.smallest = sigma[:, r - 1] if r else np.full(b, np.inf)
        V = np.swapaxes(Vt, -1, -2)
        self.free = sizes[:, None] * V[:, :, r:]
        left = np.swapaxes(U[:, :, :r], -1, -2) / (scale * own)[:, None, :]
        self.inverse = sizes[:, None] * (V[:, :, :r] / sigma[:, None, :r]) @ left


class Tangent:
    """The directions in which a machine may be changed at states, and what follows from them.

    Attributes:
        system: The machine.
        arguments: Of slots, each with a leading axis of the states, shape (b, …).
        a: Accelerations there, shape (b, nu).
        lam: Multipliers of its rows there, of least size where they are open, shape (b, m).
        A: Mass matrices.
        rows: All rows.
        held: Position rows.
    """

    def __init__(
        self, system: System, arguments: Sequence[Array], a: Array | None = None
    ) -> None:
        """Take states.

        Args:
            system: The machine.
            arguments: Of slots, at one state or at many.
            a: Accelerations; None for those of the motion.
        """
        if not system.equations.speeds:
            raise NotSupported(
                f"{system.equations.formulation} has no generalized speeds, by which motions "
                f"near a state of '{system.equations.name}' are described; take another "
                "formulation."
            )
        count = max(len(each) if each.ndim > 1 else 1 for each in arguments)
        self.system, self.count = system, count
        self.arguments = [_broadcast(each, (count, each.shape[-1])) for each in arguments]
        e, p = system.equations, self.arguments[5][0]
        self.names = e.sizes | {"a": len(e.speeds), "lam": len(e.rows)}
        self.A = self.asked("mass")[0]
        nu, m = len(e.speeds), len(e.rows)
        C = self.asked("velocity")[0] if m else np.zeros((count, 0, nu))
        self.C, sizes = C, system.speed_sizes
        scale = system.row_scales(p)
        floor = rank.MARGIN * system.slack if system.rounded(p) else rank.FLOOR
        loose = np.array([row.kind == "nonholonomic" for row in e.rows], dtype=bool)
        mh = sum(row.level == "position" for row in e.rows)
        self.rows = Rows(C, scale, sizes, floor, loose)
        self.held = self.rows
        if mh < m:
            self.held = Rows(C[:, :mh], scale[:mh], sizes, floor, loose[:mh])
        self.a = self._accelerations() if a is None else a
        self.lam = self._multipliers()

    def asked(self, slot: str, *own: Array) -> list[Array]:
        """Return what a slot gives at all states."""
        if self.count == 1:  # single calls are quicker
            own = tuple(each[0] for each in own)
            found = self.system.ask(slot, [each[0] for each in self.arguments], *own, level=0)
            return [each[None] for each in found]
        found = self.system.ask(slot, self.arguments, *own, level=0)
        lead = (self.count,)
        return [each if each.shape[:1] == lead else np.broadcast_to(each, lead + each.shape)
                for each in found]  # fmt: skip

    def _accelerations(self) -> Array:
        """Return u̇ on the constraints."""
        rest = np.zeros((self.count, self.names["a"]))
        none = np.zeros((self.count, self.names["lam"]))
        seen = self.changes("motion", {}, a=rest, lam=none)
        return self.accelerated(seen["r"], seen["c"])

    def accelerated(self, r: Array, c: Array) -> Array:
        """Return δa with A δa + Cᵀ δλ + r = 0 and C δa + c = 0.

        Args:
            r: Shape (b, nu) or (b, nu, k).
            c: Shape (b, m) or (b, m, k).

        Raises:
            BellcrankError: A free motion has no inertia.
        """
        flat = r.ndim == 2
        r, c = (r[..., None], c[..., None]) if flat else (r, c)
        N = self.rows.free
        Nt = np.swapaxes(N, -1, -2)
        a = -self.rows.inverse @ c
        a = a - N @ self._solved(Nt @ (r + self.A @ a))
        return a[..., 0] if flat else a

    @cached_property
    def inertia(self) -> Array:
        """Nᵀ A N of the free motions N, shape (b, n, n)."""
        N = self.rows.free
        return np.swapaxes(N, -1, -2) @ self.A @ N

    def _solved(self, right: Array) -> Array:
        """Return (Nᵀ A N)⁻¹ right."""
        M = self.inertia
        if M.shape[-1]:
            size = np.sqrt(np.maximum(np.diagonal(M, axis1=-2, axis2=-1), 0.0))
            values = np.linalg.eigvalsh(M) if M.size else np.zeros((1, 1))
            most = values[:, -1:].max(initial=0.0)
            if not most or (values[:, 0] <= 1e-14 * most).any() or not size.all():
                raise BellcrankError(self._without_inertia())
        return np.linalg.solve(M, right)

    def _without_inertia(self) -> str:
        """Return the sentence that names a free motion without inertia."""
        values, vectors = np.linalg.eigh(self.inertia[0])
        most = np.argmax(np.abs(self.rows.free[0] @ vectors[:, 0] / self.system.speed_sizes))
        return (
            "a motion that the constraints leave free, mainly "
            f"'{self.system.speeds[int(most)]}', has no inertia ({values[0]:.3g}), so its "
            "acceleration is undefined. Give the moved bodies mass or inertia, or remove that "
            "freedom."
        )

    def _multipliers(self) -> Array:
        """Return λ with Cᵀ λ = f − A a, the smallest where redundancy leaves it open."""
        if not self.names["lam"]:
            return np.zeros((self.count, 0))
        return -(np.swapaxes(self.rows.inverse, -1, -2) @ self.bare[..., None])[..., 0]

    @cached_property
    def bare(self) -> Array:
        """A a − f: what the constraints have to give, shape (b, nu)."""
        none = np.zeros((self.count, self.names["lam"]))
        return self.asked("residual", self.a, none)[0]

    def changes(
        self,
        question: str,
        directions: Mapping[str, Array],
        a: Array | None = None,
        lam: Array | None = None,
    ) -> dict[str, Array]:
        """Return values, and changes along directions.

        Args:
            question: `motion` or `observe`.
            directions: Changes by the name of an argument, a or lam, shape (b, size, k); those
                that are not there are zero.
            a: Accelerations; those of the tangent if None.
            lam: Multipliers; likewise.

        Returns:
            By name: values of shape (b, n), changes `d_…` of shape (b, n, k).
        """
        a, lam = self.a if a is None else a, self.lam if lam is None else lam
        k = max((each.shape[-1] for each in directions.values()), default=1)
        if not k:  # nothing may change: values are asked for all the same
            found = self.changes(question, {}, a, lam)
            return {n: v[..., :0] if n[:2] == "d_" else v for n, v in found.items()}
        one = self.count == 1
        at = [each[0] if one else each[:, None, :] for each in (*self.arguments, a, lam)]
        by = []
        for name in CHANGES:
            given = directions.get(name)
            if given is None:
                by.append(np.zeros(self.names[name]))
            else:
                by.append(np.swapaxes(given[0] if one else given, -1, -2))
        kernel = self.system.variation(question)
        lead = (k,) if one else (self.count, k)
        found = {}
        for port, value in zip(kernel.outputs, kernel(*at, *by), strict=True):
            whole = _broadcast(value, (*lead, port.rows))
            whole = whole.reshape(self.count, k, port.rows)
            found[port.name] = (
                np.swapaxes(whole, 1, 2) if port.name[:2] == "d_" else whole[:, 0]
            )
        return found

    @cached_property
    def W(self) -> Array:
        """W of q̇ = W u + x; the identity where there are no speeds."""
        nq = self.names["q"]
        if not self.names["u"]:
            return np.broadcast_to(np.eye(nq), (self.count, nq, nq))
        return self.asked("kinematics")[0]

    def directions(self, inputs: bool = False) -> dict[str, Array]:
        """Return all directions that the constraints allow, by the argument that changes.

        First positions, with speeds that stay on the constraints, then speeds, auxiliary
        states and, where asked for, inputs; shapes (b, size, k).
        """
        e = self.system.equations
        positions, speeds = self.held.free, self.rows.free
        nh, n, ns, nw = positions.shape[-1], speeds.shape[-1], len(e.auxiliary), len(e.inputs)
        nw = nw if inputs else 0
        parts = {
            "q": (self.W @ positions, 0),
            "u": (speeds, nh),
            "s": (np.eye(ns)[None], nh + n),
            "w": (np.eye(nw)[None], nh + n + ns),
        }
        found = {}
        for name, (part, first) in parts.items():
            if name == "w" and not nw:
                continue
            whole = np.zeros((self.count, self.names[name], nh + n + ns + nw))
            whole[:, :, first : first + part.shape[-1]] = part
            found[name] = whole
        if e.rows:
            v = self.changes("motion", {key: d for key, d in found.items() if key != "u"})[
                "d_v"
            ]
            found["u"] = found["u"] - self.rows.inverse @ v
        return found

    def followed(self, directions: Mapping[str, Array]) -> dict[str, Array]:
        """Return the directions with the accelerations that follow from the motion, δa."""
        seen = self.changes("motion", directions)
        return {**directions, "a": self.accelerated(seen["d_r"], seen["d_c"])}


def held_rows(state: State) -> Rows:
    """Return the position rows at a state."""
    system, p = state.system, state.p
    mh = sum(row.level == "position" for row in system.equations.rows)
    C = system.ask("velocity", state.arguments, level=0)[0][None, :mh]
    floor = rank.MARGIN * system.slack if system.rounded(p) else rank.FLOOR
    scale, loose = system.row_scales(p)[:mh], np.zeros(mh, dtype=bool)
    return Rows(C, scale, system.speed_sizes, floor, loose)


def check_branches(state: State, here: Rows, so: str) -> None:
    """Raise where branches of motion meet.

    Constraints that are independent at neighbouring states are not there; redundant ones are
    redundant at those, too.

    Args:
        state: Where it is.
        here: Its position rows there.
        so: What follows, in words.

    Raises:
        SingularTangent: How many freedoms there seem to be, and how many there are.
    """
    system, m = state.system, here.inverse.shape[-1]
    if not m or here.rank == np.isfinite(system.row_scales(state.p)[:m]).sum():
        return
    for x in neighbours(system, state.t, state.x, state.w, state.p, NEARBY):
        over = held_rows(state.replaced(x=x)).rank - here.rank
        if over > 0:
            free = len(system.speeds) - here.rank
            raise SingularTangent(
                f"'{state.model.name}' is at a singular position: it has {free} freedoms there "
                f"and {free - over} in neighbouring positions, since branches of its motion "
                f"meet. It {so}; take a neighbouring state."
            )


def _broadcast(array: Array, shape: tuple[int, ...]) -> Array:
    """Return an array of a shape; quicker than NumPy where it has it, or lacks a first one."""
    if array.shape == shape:
        return array
    return array[None] if (1, *array.shape) == shape else np.broadcast_to(array, shape)


def stacked(states: Sequence[Any]) -> list[Array]:
    """Return the arguments of several states of one system."""
    return [np.stack(parts) for parts in zip(*(s.arguments for s in states), strict=True)]
