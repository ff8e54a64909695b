"""Dependent speeds eliminated, at a state: reduced partial velocities, reduced equations.

    b u + b0 = 0,   u_D = −b_D⁻¹ (b_I u_I + b0)   so that   u = T u_I + c,   u̇ = T u̇_I + c_a
    (Tᵀ A T) u̇_I = Tᵀ (f − A c_a)

Rows that repeat others are found and dropped, and the dependent speeds are the columns that a
pivoted factorization takes first. They are kept while b_D is well conditioned.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import casadi as ca
import numpy as np

from bellcrank.errors import OptionError, UnknownName, did_you_mean
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.linear import rank

if TYPE_CHECKING:
    from bellcrank.formulations.kane.slots import KaneSlots

WORST = 1e6
"""Condition number of b_D above which dependent speeds are chosen anew."""


@dataclass(frozen=True)
class Elimination:
    """The speeds of a machine by the independent ones, at a state.

    Attributes:
        independent, dependent: Names of the speeds.
        dropped: Names of the rows that repeat others.
        T: ∂u/∂u_I, nu×n.
        c: u at u_I = 0, nu.
        c_a: u̇ at u̇_I = 0, nu.
        condition: Of b_D.
        mass_matrix: Tᵀ A T.
        right_side: Tᵀ (f − A c_a).
    """

    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    dropped: tuple[str, ...]
    T: np.ndarray
    c: np.ndarray
    c_a: np.ndarray
    condition: float
    mass_matrix: np.ndarray
    right_side: np.ndarray
    _quantity: Callable[[str, str], np.ndarray] = field(repr=False)

    def accelerations(self) -> np.ndarray:
        """Return u̇ of all speeds, nu."""
        return self.T @ np.linalg.solve(self.mass_matrix, self.right_side) + self.c_a

    def partial_velocity(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Return [v_K,u_I] = [v_K,u] T and the remainder {v̄_K}_t + [v_K,u] c."""
        return self._reduced(body, "partial_velocity", "velocity_remainder")

    def partial_angular_velocity(self, body: str) -> tuple[np.ndarray, np.ndarray]:
        """Return [ω′_K,u_I] = [ω′_K,u] T and the remainder {ω̄′_K}_t + [ω′_K,u] c."""
        return self._reduced(body, "partial_angular_velocity", "angular_velocity_remainder")

    def _reduced(self, body: str, partial: str, rest: str) -> tuple[np.ndarray, np.ndarray]:
        whole = self._quantity(partial, body)
        return whole @ self.T, self._quantity(rest, body) + whole @ self.c


class _Rows(NamedTuple):
    """Independent rows: which, b, and the right sides of b u = ν and b u̇ = γ."""

    kept: list[int]
    b: np.ndarray
    right: np.ndarray


class Eliminator:
    """Eliminates dependent speeds at any state: `equations.elimination(q, u, t)`."""

    def __init__(self, slots: "KaneSlots", quantity: Callable[[str], Any]) -> None:
        self._slots, self._quantity = slots, quantity
        self._names = [variable.name for variable in slots.school.layout.rates]
        self._rows = slots.school.rows
        self._functions: dict[str, ca.Function] = {}

    def __call__(
        self,
        q: Any,
        u: Any = None,
        t: float = 0.0,
        *,
        keep: Elimination | None = None,
        independent: Sequence[str] | None = None,
        **others: Any,
    ) -> Elimination:
        """Return the elimination at a state.

        Args:
            q: Coordinates, on the constraints.
            u: Speeds, of which c_a and the right side depend; zeros if not given.
            t: The time [s].
            keep: An earlier one, whose dependent speeds are kept while b_D allows it.
            independent: Names of the speeds to keep, as many as there are freedoms; chosen by
                pivoting if not given.
            others: `w`, `p`, `s` or `k`.

        Raises:
            OptionError: A vector of the wrong size, an unknown argument, or speeds that do not
                determine the others.
        """
        given = self._arguments(q, u, t, others)
        rows = self._independent(given)
        dependent = self._chosen(rows.b, keep) if independent is None else self._asked(
            rows.b, independent
        )  # fmt: skip
        free = [i for i in range(len(self._names)) if i not in set(dependent)]
        T = np.zeros((len(self._names), len(free)))
        T[free, range(len(free))] = 1.0
        b_D = rows.b[:, dependent]
        T[dependent] = np.linalg.solve(b_D, -rows.b[:, free])
        c, c_a = np.zeros((2, len(self._names)))
        c[dependent], c_a[dependent] = np.linalg.solve(b_D, rows.right).T
        A, f = self._ask("mass", given)[0], self._ask("force", given)[0].ravel()
        return Elimination(
            tuple(self._names[i] for i in free),
            tuple(self._names[i] for i in dependent),
            tuple(row.name for i, row in enumerate(self._rows) if i not in rows.kept),
            T,
            c,
            c_a,
            float(np.linalg.cond(b_D)) if dependent else 1.0,
            T.T @ A @ T,
            T.T @ (f - A @ c_a),
            lambda name, body: self._evaluated(name, body, given),
        )

    def _independent(self, given: Sequence[np.ndarray]) -> "_Rows":
        """Return the rows that do not repeat others, at their nominal sizes."""
        if not self._rows:
            return _Rows([], np.zeros((0, len(self._names))), np.zeros((0, 2)))
        b, nu = self._ask("velocity", given)
        right = np.column_stack([nu, *self._ask("acceleration", given)])
        scale = np.array([row.scale for row in self._rows])[:, None]
        kept = sorted(rank.independent(b / scale))
        return _Rows(kept, (b / scale)[kept], (right / scale)[kept])

    def _chosen(self, rows: np.ndarray, keep: Elimination | None) -> list[int]:
        """Return the columns of the dependent speeds."""
        if keep is not None and len(keep.dependent) == len(rows):
            same = [self._names.index(name) for name in keep.dependent]
            if np.linalg.cond(rows[:, same]) < WORST:
                return same
        return sorted(rank.independent(rows.T)) if rows.size else []

    def _asked(self, rows: np.ndarray, independent: Sequence[str]) -> list[int]:
        """Return the columns of the speeds that a user does not keep."""
        strange = [name for name in independent if name not in self._names]
        if strange:
            raise UnknownName("speed", strange[0], self._names)
        free = len(self._names) - len(rows)
        if len(set(independent)) != free:
            raise OptionError(
                f"elimination: independent takes {free} different speeds, {len(self._names)} "
                f"less {len(rows)} independent rows; got {len(set(independent))}."
            )
        found = [i for i, name in enumerate(self._names) if name not in set(independent)]
        if found and np.linalg.cond(rows[:, found]) >= WORST**2:
            raise OptionError(
                f"elimination: {', '.join(independent)} do not determine the other speeds at "
                "this state. Choose others, or leave independent out."
            )
        return found

    def _arguments(self, q: Any, u: Any, t: float, others: dict[str, Any]) -> list[np.ndarray]:
        given = {"t": t, "q": q, "u": u} | others
        known = tuple(self._slots.symbols.columns)
        for name in others:
            if name not in known:
                hint = did_you_mean(name, (*known, "keep", "independent"))
                raise OptionError(
                    f"elimination takes {', '.join(known)}, keep and independent; got "
                    f"{name!r}.{hint}"
                )
        nominal = [p.value for p in self._slots.school.model.parameters]
        found = []
        for name, symbol in self._slots.symbols.columns.items():
            size = symbol.numel()
            default = nominal if name == "p" else np.zeros(size)
            value = given.get(name)
            vector = np.atleast_1d(np.asarray(default if value is None else value, dtype=float))
            if vector.shape != (size,):
                raise OptionError(
                    f"elimination: {name} has {size} entries, got shape {vector.shape}."
                )
            found.append(vector)
        return found

    def _ask(self, slot: str, given: Sequence[np.ndarray]) -> list[np.ndarray]:
        if slot not in self._functions:
            self._functions[slot] = self._slots.slot(slot)
        outputs = self._functions[slot].call([ca.DM(vector) for vector in given])
        return [np.array(output.full()) for output in outputs]

    def _evaluated(self, name: str, body: str, given: Sequence[np.ndarray]) -> np.ndarray:
        values = dict(zip(ARGUMENTS, given, strict=True))
        t = float(values.pop("t")[0])
        return self._quantity(name)[body](values.pop("q"), values.pop("u"), t, **values)
