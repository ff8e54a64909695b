"""The symbols a formulation writes its slots in, and functions of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import casadi as ca

from bellcrank.formulations.contract import ARGUMENTS


@dataclass(frozen=True)
class Symbols:
    """One column of CasADi symbols for each of `ARGUMENTS`, and lists of their scalars."""

    columns: Mapping[str, ca.SX]

    @staticmethod
    def of_sizes(sizes: Mapping[str, int]) -> "Symbols":
        """Return new symbols; `sizes` has an entry for each of `ARGUMENTS`."""
        return Symbols({name: ca.SX.sym(name, sizes[name]) for name in ARGUMENTS})

    def scalars(self, name: str) -> list[ca.SX]:
        """Return the scalars of one argument."""
        return ca.vertsplit(self.columns[name]) if self.columns[name].numel() else []

    def function(
        self, name: str, outputs: Mapping[str, ca.SX], own: Mapping[str, ca.SX] | None = None
    ) -> ca.Function:
        """Return the function of `ARGUMENTS` and the slot's own arguments."""
        inputs = dict(self.columns) | dict(own or {})
        return ca.Function(
            name, list(inputs.values()), list(outputs.values()), list(inputs), list(outputs)
        )


def column(entries: Sequence[object]) -> ca.SX:
    """Return a column of scalars, floats or symbols; empty gives 0×1."""
    return ca.vertcat(*(ca.SX(entry) for entry in entries)) if entries else ca.SX(0, 1)  # type: ignore[arg-type]


def dense(matrix: Sequence[Sequence[object]]) -> ca.SX:
    """Return a matrix of scalars from its rows."""
    return ca.vertcat(*(ca.horzcat(*(ca.SX(e) for e in row)) for row in matrix))  # type: ignore[arg-type]
