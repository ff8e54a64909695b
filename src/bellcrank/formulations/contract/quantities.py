"""Matrices of a formulation that a user may ask for by name, to read and to evaluate."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import casadi as ca
import numpy as np

from bellcrank.errors import NotSupported, OptionError, UnknownName
from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.formulations.contract.lettering import motion
from bellcrank.formulations.contract.reading import read
from bellcrank.formulations.contract.symbols import Symbols
from bellcrank.spatial.formula import Letter
from bellcrank.spatial.latex import latex
from bellcrank.spatial.letters import Symbol as LetterSymbol
from bellcrank.spatial.letters import text, written


@dataclass(frozen=True, eq=False)
class Quantity:
    """A symbolic vector or matrix of a machine: printed as it is, called with numbers.

    Attributes:
        name: Such as `partial_velocity of 'body 3'`.
        value: Its entries on CasADi symbols.
        symbols: The symbols.
        parameters: Nominal values of p.
        labels: What the entries of each argument are called, in order.
    """

    name: str
    value: ca.SX
    symbols: Symbols = field(repr=False)
    parameters: Mapping[str, float] = field(default_factory=dict, repr=False)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.value.shape

    def __call__(
        self, q: Any = None, u: Any = None, t: float = 0.0, **others: Any
    ) -> np.ndarray:
        """Return the numbers at coordinates q and speeds u; a column as a vector.

        Args:
            q: Coordinates, nq; zeros if not given.
            u: Speeds, nu; zeros if not given.
            t: The time [s].
            others: `w`, `p`, `s` or `k`; parameters have their nominal values if not given.

        Raises:
            OptionError: A vector of the wrong size, or one that there is not.
        """
        given = {"t": t, "q": q, "u": u} | others
        strange = [name for name in given if name not in ARGUMENTS]
        if strange:
            raise OptionError(
                f"{self.name} depends on {', '.join(ARGUMENTS)}; got {', '.join(strange)}."
            )
        values = [self._vector(name, given.get(name)) for name in ARGUMENTS]
        function = self.symbols.function("quantity", {"value": ca.densify(self.value)})
        found = np.array(function.call([ca.DM(v) for v in values])[0])
        return found[:, 0] if self.value.shape[1] == 1 else found

    def _vector(self, name: str, value: Any) -> np.ndarray:
        size = self.symbols.columns[name].numel()
        if value is None:
            nominal = list(self.parameters.values()) if name == "p" else [0.0] * size
            return np.array(nominal, dtype=float)
        vector = np.atleast_1d(np.asarray(value, dtype=float))
        if vector.shape != (size,):
            raise OptionError(
                f"{self.name}: {name} has {size} entries, got shape {vector.shape}."
            )
        return vector

    @cached_property
    def _letters(self) -> dict[str, LetterSymbol]:
        """Letters of all scalars, by the names of CasADi's symbols."""
        found = {}
        for argument, symbol in self.symbols.columns.items():
            names = self.labels.get(argument, ())
            for i, entry in enumerate(ca.vertsplit(symbol) if symbol.numel() else []):
                label = names[i] if i < len(names) else entry.name()
                joined = "." in label and argument in "qu"
                shown = motion(label, rate=argument == "u") if joined else Letter(label)
                found[entry.name()] = LetterSymbol((argument, label), shown, (1, 1))
        return found

    def _entry(self, i: int, j: int, plain: bool) -> str:
        entry = self.value[i, j]
        try:
            shown = read(entry, self._letters)
        except NotSupported:
            used = {self._letters[s.name()].key[1] for s in ca.symvar(entry)}  # type: ignore[index]
            return f"f({', '.join(sorted(used))})" if plain else r"\cdots"
        return text(shown) if plain else latex(written(shown))

    def _repr_latex_(self) -> str:
        rows = [
            " & ".join(self._entry(i, j, plain=False) for j in range(self.shape[1]))
            for i in self._range()
        ]
        body = r" \\ ".join(rows)
        return rf"$\begin{{bmatrix}}{body}\end{{bmatrix}}$"

    def __str__(self) -> str:
        rows = [[self._entry(i, j, True) for j in range(self.shape[1])] for i in self._range()]
        widths = [max(map(len, col)) for col in zip(*rows, strict=True)] if rows else []
        lines = (
            "[ " + "  ".join(e.rjust(w) for e, w in zip(row, widths, strict=True)) + " ]"
            for row in rows
        )
        return "\n".join(lines)

    def _range(self) -> range:
        return range(self.shape[0])


@dataclass(frozen=True, eq=False)
class OfAccelerations:
    """A quantity of (q, u, u̇), which takes the place of s: it depends on no variable."""

    quantity: Quantity

    @property
    def value(self) -> ca.SX:
        """Its entries on symbols."""
        return self.quantity.value

    def __call__(
        self, q: Any, u: Any = None, udot: Any = None, t: float = 0.0, **others: Any
    ) -> np.ndarray:
        """Return the numbers at coordinates q, speeds u and accelerations u̇."""
        return self.quantity(q, u, t, s=udot, **others)

    def __str__(self) -> str:
        return str(self.quantity)


@dataclass(frozen=True, eq=False)
class PerBody(Mapping[str, Quantity]):
    """One quantity of each body, by the body's name."""

    name: str
    entries: Mapping[str, Quantity] = field(repr=False)

    def __getitem__(self, body: str) -> Quantity:
        if body not in self.entries:
            raise UnknownName(f"body of {self.name}", str(body), self.entries)
        return self.entries[body]

    def __iter__(self) -> Iterator[str]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)

    def __str__(self) -> str:
        return "\n\n".join(f"{self.name}['{body}'] =\n{v}" for body, v in self.entries.items())


@dataclass(frozen=True, eq=False)
class OfRows:
    """Generalized forces of constraints, Q^C = −C_kᵀ λ_k of each element k.

    `constraint_force["C"](q, u, lam)` takes λ of the rows of C, in order.

    Attributes:
        matrix: C of all rows.
        owners: The element of each row.
    """

    matrix: Quantity
    owners: list[str]

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(self.owners))

    def __len__(self) -> int:
        return len(set(self.owners))

    def __getitem__(self, owner: str) -> Callable[..., np.ndarray]:
        """Return the force of an element as a function of (q, u, λ, t).

        Raises:
            UnknownName: No row belongs to it.
        """
        if owner not in self.owners:
            raise UnknownName("element with rows", str(owner), list(self))
        rows = [i for i, one in enumerate(self.owners) if one == owner]

        def force(
            q: Any, u: Any = None, lam: Any = None, t: float = 0.0, **others: Any
        ) -> np.ndarray:
            C = np.atleast_2d(self.matrix(q, u, t, **others).reshape(self.matrix.shape))[rows]
            given = np.atleast_1d(np.asarray(lam, dtype=float))
            if given.shape != (len(rows),):
                raise OptionError(
                    f"constraint_force of '{owner}': λ has {len(rows)} entries, one for each "
                    f"row of '{owner}', got shape {given.shape}."
                )
            return -C.T @ given

        return force


def labelled(found: Any, labels: Mapping[str, tuple[str, ...]]) -> Any:
    """Return a quantity, or one per body, that is printed with names."""
    if isinstance(found, Quantity):
        return replace(found, labels=labels)
    if isinstance(found, PerBody):
        entries = {body: labelled(one, labels) for body, one in found.entries.items()}
        return replace(found, entries=entries)
    if isinstance(found, OfAccelerations):
        return replace(found, quantity=labelled(found.quantity, labels))
    return found
