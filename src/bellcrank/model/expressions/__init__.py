"""Expressions: one small tree for force laws, drives, events and numbers with parameters.

Strings (`grammar`), callables (`tracing`), and arithmetic on `Parameter` and `Input` all make
the same tree, which evaluates, writes itself as text, hashes, compares and pickles.
"""

from bellcrank.model.expressions.conversion import expression, number
from bellcrank.model.expressions.evaluation import evaluate
from bellcrank.model.expressions.folding import combine, is_condition
from bellcrank.model.expressions.functions import (
    absolute,
    acos,
    asin,
    atan,
    atan2,
    cos,
    cosh,
    exp,
    interp,
    log,
    maximum,
    minimum,
    sign,
    sin,
    sinh,
    sqrt,
    step,
    tan,
    tanh,
    where,
)
from bellcrank.model.expressions.names import (
    inputs,
    parameters,
    renamed,
    signals,
    substitute,
)
from bellcrank.model.expressions.operations import (
    CONDITIONS,
    FUNCTIONS,
    OPERATIONS,
    RESERVED,
    Arity,
)
from bellcrank.model.expressions.tree import (
    Constant,
    Expression,
    Input,
    Operation,
    Parameter,
    Signal,
    walk,
)
from bellcrank.model.expressions.writing import text

__all__ = [
    "CONDITIONS",
    "FUNCTIONS",
    "OPERATIONS",
    "RESERVED",
    "Arity",
    "Constant",
    "Expression",
    "Input",
    "Operation",
    "Parameter",
    "Signal",
    "absolute",
    "acos",
    "asin",
    "atan",
    "atan2",
    "combine",
    "cos",
    "cosh",
    "evaluate",
    "exp",
    "expression",
    "inputs",
    "interp",
    "is_condition",
    "log",
    "maximum",
    "minimum",
    "number",
    "parameters",
    "renamed",
    "sign",
    "signals",
    "sin",
    "sinh",
    "sqrt",
    "step",
    "substitute",
    "tan",
    "tanh",
    "text",
    "walk",
    "where",
]
