"""What the letters of a page are worth: looked up by how they are printed."""

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
from tests.views.reading import Sym, latex_tokens, mathml_tokens, skew

from bellcrank.spatial import letters
from bellcrank.spatial.latex import latex
from bellcrank.worksheets.writing.mathml import math


def tokens_of(formula, kind):
    """Return a formula as the reader of pages sees it."""
    if kind == "html":
        return mathml_tokens(ET.fromstring(math(formula)))
    return latex_tokens(latex(formula))


def table(expressions, evaluation, kind, shaped=False):
    """Return the values of all symbols of expressions, by how they are printed.

    Columns are flat, so that products of rows and columns are numbers; `shaped`, 3×1.
    """
    found = {}
    for expression in expressions:
        for symbol in letters.symbols(expression):
            tokens = tokens_of(symbol.formula, kind)
            if len(tokens) == 1 and isinstance(tokens[0], Sym):
                worth = np.asarray(evaluation._symbol(symbol), float)
                whole = shaped and symbol.shape != (1, 1)
                found[tokens[0]] = worth.reshape(symbol.shape) if whole else np.squeeze(worth)
    return found


def looked_up(known):
    """Return the worth of a symbol with marks: tildes, transposes and powers undone."""

    def symbol(sym):
        if sym in (Sym("I"), Sym("E")):
            return np.eye(3)
        tilde = "tilde" in sym.marks
        bare = replace(sym, marks=tuple(m for m in sym.marks if m != "tilde"))
        sup, transposed = bare.sup, bare.sup.endswith("T")
        sup = sup.removesuffix("T")
        digits = "" if "(" in sup else "".join(c for c in sup if c.isdigit())
        bare = replace(bare, sup=sup.removesuffix(digits) if digits else sup)
        value = known[bare]
        value = skew(value) if tilde else value
        value = value ** int(digits) if digits else value
        return value.T if transposed else value

    return symbol
