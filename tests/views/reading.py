"""Reads formulas back from finished worksheets, and says what they are worth.

Knows pages, LaTeX and mechanics, and nothing of how worksheets are made: a formula becomes a
list of tokens (symbols with their marks and scripts, signs, brackets), and the tokens become
numbers by the rules of matrix algebra.
"""

import math
import re
import xml.etree.ElementTree as ET
from dataclasses import dataclass, replace
from functools import reduce

import numpy as np


@dataclass(frozen=True)
class Sym:
    """A symbol: its letter, the marks above it from the inside out, and its scripts."""

    letter: str
    marks: tuple = ()
    sub: str = ""
    sup: str = ""


@dataclass(frozen=True)
class Quotient:
    """A fraction."""

    above: tuple
    below: tuple


@dataclass(frozen=True)
class Table:
    """A matrix: rows of cells, each a list of tokens."""

    rows: tuple


@dataclass(frozen=True)
class Sup:
    """A superscript of the bracket before it: T, or a power."""

    text: str


@dataclass(frozen=True)
class Sub:
    """An index of the bracket before it: dimensions."""

    text: str


MARKS = {"˜": "tilde", "ˆ": "hat", "˙": "dot", "¨": "ddot"}
BRACKETS = {"[": "]", "{": "}", "(": ")", "|": "|"}


# --- MathML -------------------------------------------------------------------------------


def mathml_tokens(element):
    """Return the tokens of a MathML element."""
    match element.tag:
        case "math" | "mrow" | "mtd":
            return [token for child in element for token in mathml_tokens(child)]
        case "mtable" if element.get("class") == "stack":  # a long sum in lines
            return [token for cell in element.iter("mtd") for token in mathml_tokens(cell)]
        case "mtable":
            return [Table(tuple(tuple(tuple(mathml_tokens(c)) for c in r) for r in element))]
        case "mn":
            return [float(element.text)]
        case "mi":
            return [Sym(element.text)]
        case "mo":
            return [] if element.text is None else [element.text.replace("−", "-")]
        case "mtext":
            return [] if not element.text.strip() else [Sym(element.text.strip())]
        case "munder":
            return [Sym("∑")]
        case "mover":
            return [_marked(mathml_tokens(element[0]), MARKS[element[1].text])]
        case "mfrac":
            return [Quotient(*(tuple(mathml_tokens(part)) for part in element))]
        case "msqrt":
            return [Sym("sqrt"), "(", *mathml_tokens(element[0]), ")"]
        case "msub" | "msup" | "msubsup":
            scripts = ["".join(part.itertext()).replace("−", "-") for part in element[1:]]
            lower = scripts.pop(0) if element.tag != "msup" else ""
            return _scripted(mathml_tokens(element[0]), lower, "".join(scripts))
    raise AssertionError(f"a worksheet has no <{element.tag}>")


def _marked(tokens, mark):
    (only,) = tokens
    return replace(only, marks=(*only.marks, mark))


def _scripted(tokens, lower, upper):
    if len(tokens) == 1 and isinstance(tokens[0], Sym):
        return [replace(tokens[0], sub=tokens[0].sub + lower, sup=tokens[0].sup + upper)]
    return [*tokens, *([Sub(lower)] if lower else []), *([Sup(upper)] if upper else [])]


def _math(text):
    return mathml_tokens(ET.fromstring(text))


def page_blocks(page):
    """Return the block rows of an HTML page: (tokens of the left side, tokens of the cells)."""
    found = []
    tables = " ".join(re.findall(r'<div class="blockrows.*?</table>', page, re.DOTALL))
    for row in re.findall(r"<tr><th>(<math>.*?</math>)</th>(.*?)</tr>", tables):
        cells = re.findall(
            r"""<td(?: class=(?:'zero'|"long"))?>(<math.*?</math>)</td>""", row[1]
        )
        parts = [re.findall(r"<math.*?</math>", cell) for cell in cells]  # long ones in pieces
        sign, *blocks = [[t for part in cell for t in _math(part)] for cell in parts]
        assert sign == ["="]
        found.append((_math(row[0]), blocks))
    return found


def page_equations(page):
    """Return the other equations of an HTML page: tokens of the left and of the right side."""
    pair = (
        r'<div class="left">(<math.*?</math>)</div><div class="right">(<math.*?</math>)</div>'
    )
    found = []
    for left, right in re.findall(pair, page):
        pieces = re.findall(r"<math.*?</math>", right)  # a long sum is one for each term
        sign, *tokens = [token for piece in pieces for token in _math(piece)]
        assert sign == "="
        found.append((_math(left), tokens))
    for block in re.findall(r'<div class="flowing">(.*?)</div></div>', page):
        for line in block.split("</div>"):
            tokens = [t for part in re.findall(r"<math.*?</math>", line) for t in _math(part)]
            at = tokens.index("=")
            found.append((tokens[:at], tokens[at + 1 :]))
    return found


# --- LaTeX --------------------------------------------------------------------------------

LATEX_MARKS = {
    "tilde": "tilde", "hat": "hat", "dot": "dot", "ddot": "ddot",
}  # fmt: skip
GREEK = {
    "omega": "ω", "varepsilon": "ε", "theta": "θ", "lambda": "λ", "Phi": "Φ", "Psi": "Ψ",
    "gamma": "γ", "pi": "π", "varphi": "φ", "rho": "ρ", "sigma": "σ", "mu": "μ", "nu": "ν",
    "kappa": "κ", "ell": "ℓ", "beta": "β", "tau": "τ", "alpha": "α", "eta": "η",
}  # fmt: skip
LATEX = re.compile(r"\\[a-zA-Z]+|\\.|\d+\.?\d*|\s+|.", re.DOTALL)


def latex_tokens(text):
    """Return the tokens of a LaTeX formula."""
    pieces = [p for p in LATEX.findall(text) if not p.isspace() and p not in (r"\,", r"\;")]
    tokens, rest = _latex(pieces)
    assert not rest
    return tokens


def _latex(pieces, until=None):
    tokens = []
    while pieces:
        piece, *pieces = pieces
        if piece == until:
            return tokens, pieces
        if piece in ("_", "^", "'"):
            inner, pieces = ([Sym("′")], pieces) if piece == "'" else _group(pieces)
            text = "".join(_plain(token) for token in inner)
            last = tokens.pop()
            tokens += _scripted([last], text if piece == "_" else "",
                                "" if piece == "_" else text)  # fmt: skip
        elif piece[1:] in LATEX_MARKS and piece[0] == "\\":
            inner, pieces = _group(pieces)
            tokens.append(_marked(inner, LATEX_MARKS[piece[1:]]))
        elif piece in (r"\mathrm", r"\text"):
            inner, pieces = _group(pieces)
            tokens.append(Sym("".join(_plain(token) for token in inner)))
        elif piece == r"\frac":
            above, pieces = _group(pieces)
            below, pieces = _group(pieces)
            tokens.append(Quotient(tuple(above), tuple(below)))
        elif piece == r"\sqrt":
            inner, pieces = _group(pieces)
            tokens += [Sym("sqrt"), "(", *inner, ")"]
        elif piece == r"\begin":
            _, pieces = _group(pieces)
            inside, pieces = _until_end(pieces)
            rows = _split(inside, "\\\\")
            cells = [tuple(tuple(_latex(c)[0]) for c in _split(r, "&")) for r in rows]
            tokens += ["[", Table(tuple(cells)), "]"]
        elif piece in (r"\left", r"\right"):
            continue
        elif piece == r"\prime":
            tokens.append(Sym("′"))
        elif piece == r"\sim":
            tokens.append(Sym("∼"))
        elif piece[1:] in ("sin", "cos", "tan", "exp", "log", "tanh") and piece[0] == "\\":
            tokens.append(Sym(piece[1:]))
        elif piece in (r"\{", r"\}"):
            tokens.append(piece[1])
        elif piece[1:] in GREEK:
            tokens.append(Sym(GREEK[piece[1:]]))
        elif piece == r"\times":
            tokens.append("×")
        elif piece == r"\cdot":
            tokens.append("·")
        elif piece[0].isdigit():
            tokens.append(float(piece))
        else:
            tokens.append(Sym(piece) if piece.isalpha() else piece)
    return tokens, pieces


def _until_end(pieces):
    at = pieces.index(r"\end")
    _, rest = _group(pieces[at + 1 :])
    return pieces[:at], rest


def _split(pieces, mark):
    found = [[]]
    for piece in pieces:
        if piece == mark:
            found.append([])
        else:
            found[-1].append(piece)
    return found


def _group(pieces):
    assert pieces[0] == "{"
    return _latex(pieces[1:], "}")


def _plain(token):
    if isinstance(token, Sym):
        return token.letter + token.sub
    return f"{token:g}" if isinstance(token, float) else token


def latex_blocks(text):
    """Return the block rows of a LaTeX or Markdown document."""
    found, text = [], _unbroken(text)
    for line in re.findall(r"[^\n&]*&= \\bigl\[.*?\\bigr\]", text, re.DOTALL):
        left, _, right = line.partition(r"&= \bigl[")
        left = left.rpartition(r"\\ ")[2].rpartition(r"{aligned}")[2].removeprefix("{}")
        cells = right.removesuffix(r"\bigr]").replace("\\\\\n&\\qquad", "").split(r",\;")
        found.append((latex_tokens(left), [latex_tokens(cell) for cell in cells]))
    return found


def _unbroken(text):
    """Return a document with entries of columns that go over several lines on one."""
    several = r"\\begin\{array\}\{@\{\}l@\{\}\}(.*?)\\end\{array\}"
    return re.sub(several, lambda match: match[1].replace(r" \\ ", ""), text)


def _rows(body):
    """Return the rows of aligned equations, those of matrices within them kept together."""
    found, depth = [""], 0
    for piece in re.split(r"(\\begin\{bmatrix\}|\\end\{bmatrix\}|\\\\(?:\[4pt\])?\s)", body):
        depth += piece.startswith(r"\begin") - piece.startswith(r"\end")
        if piece.startswith("\\\\") and not depth:
            found.append("")
        else:
            found[-1] += piece
    return found


def latex_equations(text):
    """Return the other equations of a LaTeX document that are plain formulas."""
    found, text = [], _unbroken(text)
    for body in re.findall(r"\\begin\{align\S*?\}(.*?)\\end\{align", text, re.DOTALL):
        for row in _rows(body.replace("\\\\\n&\\qquad", "")):
            left, equals, right = row.partition("&=")
            if not equals or "bigl[" in row:
                continue
            right = right.partition("&&")[0]
            try:
                found.append((latex_tokens(left), latex_tokens(right)))
            except (AssertionError, IndexError, ValueError):  # prose within
                continue
    return found


FUNCTIONS = {"max": max, "min": min, "sign": np.sign, "abs": abs, "atan2": math.atan2,
             "hypot": math.hypot, "step": lambda x: float(x >= 0)}  # fmt: skip


# --- what tokens are worth ----------------------------------------------------------------


def value(tokens, symbol):
    """Return what tokens are worth; `symbol` gives the worth of a symbol."""
    result, rest = _sum(list(tokens), symbol)
    assert not rest, rest
    return result


def _sum(tokens, symbol, until=()):
    total, sign = None, 1.0
    while tokens and tokens[0] not in until:
        if tokens[0] in ("+", "-"):
            sign = -1.0 if tokens.pop(0) == "-" else 1.0
        term, tokens = _product(tokens, symbol, until)
        total = sign * term if total is None else total + sign * term
        sign = 1.0
    return total, tokens


def _product(tokens, symbol, until):
    factors = []
    while tokens and tokens[0] not in ("+", "-", *until):
        tokens = tokens[1:] if tokens[0] in ("×", "·") else tokens  # of a number, on a new line
        factor, tokens = _factor(tokens, symbol)
        factors.append(factor)
    return reduce(_times, factors), tokens


def _times(a, b):
    return a * b if np.ndim(a) == 0 or np.ndim(b) == 0 else a @ b


def _factor(tokens, symbol):
    token, *rest = tokens
    if isinstance(token, str):
        inside, rest = _bracket(token, rest, symbol)
        inside = abs(inside) if token == "|" else inside
        while rest and isinstance(rest[0], Sup | Sub):
            script = rest.pop(0)
            if isinstance(script, Sup) and script.text in ("∼", r"\sim"):
                inside = skew(inside)
            elif isinstance(script, Sup):
                inside = inside.T if script.text == "T" else inside ** float(script.text)
        return inside, rest
    if isinstance(token, float):
        if rest and isinstance(rest[0], Sup):
            return token ** float(rest[0].text), rest[1:]
        return token, rest
    if isinstance(token, Table):
        return _matrix([[value(cell, symbol) for cell in row] for row in token.rows]), rest
    if isinstance(token, Quotient):
        return value(token.above, symbol) / value(token.below, symbol), rest
    if token.letter in FUNCTIONS:
        arguments, rest = _factor(rest, symbol)
        return FUNCTIONS[token.letter](*np.ravel(arguments)), rest
    if callable(getattr(math, token.letter, None)):
        argument, rest = _factor(rest, symbol)
        return getattr(math, token.letter)(argument) ** float(token.sup or 1), rest
    return symbol(token), rest


def _bracket(opening, tokens, symbol):
    """Return what a bracket is worth: a sum, or a tuple of numbers with commas."""
    closing = BRACKETS[opening]
    entries = []
    while True:
        entry, tokens = _sum(tokens, symbol, (closing, ","))
        entries.append(entry)
        if tokens.pop(0) == closing:
            if len(entries) > 1 and any(np.ndim(entry) == 2 for entry in entries):
                return _matrix([entries]), tokens  # a row of blocks
            return (entries[0] if len(entries) == 1 else np.array(entries)), tokens


def _matrix(rows):
    """Return a matrix of numbers or of blocks; a zero among blocks has their shape."""
    sizes = [next((np.shape(cell) for cell in row if np.ndim(cell)), ()) for row in rows]
    if not any(sizes):
        return np.array(rows, float)
    return np.vstack([
        np.hstack([cell if np.ndim(cell) else cell * np.ones(size) for cell in row])
        for row, size in zip(rows, sizes, strict=True)
    ])  # fmt: skip


def skew(a):
    """Return the matrix of a ×."""
    a = np.ravel(a)
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])
