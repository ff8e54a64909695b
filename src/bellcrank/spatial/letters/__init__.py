"""Printable letters: the algebra of frames on symbols that are written, not computed.

The functions of `arithmetic` take letters as they take numbers and CasADi scalars, so that what
a formulation evaluates can be printed from the same lines. A `Letters` is a sum of terms

    coefficient · scalars · F₁ F₂ … F_n

of matrix factors: matrices, columns, skew matrices, and their transposes. It can be
differentiated along the motion (`rate`), it gives the matrix with which it depends on a vector
(`coefficient`), it has a value for values of its symbols (`value`), and it is written as a
formula (`written`).

Conventions:
    Ȧ = A ω̃′     for a rotation A (body to world) whose `spin` is ω′
    ã b = a × b
"""

from bellcrank.spatial.letters.algebra import (
    AXES,
    PI,
    Atom,
    Call,
    Chain,
    ColumnFactor,
    Dot,
    Factor,
    Letters,
    Matrix,
    Monomial,
    Shape,
    SkewFactor,
    Symbol,
    Term,
    as_letters,
    call,
    component,
    cross,
    identity,
    skew,
    zero,
)
from bellcrank.spatial.letters.motion import (
    coefficient,
    expanded,
    rate,
    symbols,
    through,
)
from bellcrank.spatial.letters.values import Evaluation, value
from bellcrank.spatial.letters.writing import (
    BRACKETS,
    PLAIN,
    Notation,
    in_numbers,
    name,
    signed,
    text,
    written,
)

__all__ = [
    "AXES",
    "BRACKETS",
    "PI",
    "PLAIN",
    "Atom",
    "Call",
    "Chain",
    "ColumnFactor",
    "Dot",
    "Evaluation",
    "Factor",
    "Letters",
    "Matrix",
    "Monomial",
    "Notation",
    "Shape",
    "SkewFactor",
    "Symbol",
    "Term",
    "as_letters",
    "call",
    "coefficient",
    "component",
    "cross",
    "expanded",
    "identity",
    "in_numbers",
    "name",
    "rate",
    "signed",
    "skew",
    "symbols",
    "text",
    "through",
    "value",
    "written",
    "zero",
]
