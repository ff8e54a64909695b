"""Formulas as LaTeX that needs nothing but amsmath; Markdown takes the same."""

from bellcrank.spatial.breaking import pieces as opened_up
from bellcrank.spatial.formula import (
    Accent,
    BlockRow,
    Fence,
    Formula,
    Fraction,
    Grid,
    Letter,
    Line,
    Numeral,
    Root,
    Script,
    Sign,
    Stack,
    Summation,
    Terms,
    Words,
    width,
)

_LETTERS = {
    "ω": r"\omega ", "ε": r"\varepsilon ", "θ": r"\theta ", "λ": r"\lambda ", "ρ": r"\rho ",
    "Φ": r"\Phi ", "α": r"\alpha ", "τ": r"\tau ", "ν": r"\nu ", "γ": r"\gamma ",
    "π": r"\pi ", "∂": r"\partial ", "φ": r"\varphi ", "ℓ": r"\ell ", "ψ": r"\psi ",
    "σ": r"\sigma ", "ϑ": r"\vartheta ", "μ": r"\mu ", "κ": r"\kappa ", "Γ": r"\Gamma ",
    "Ψ": r"\Psi ", "Ω": r"\Omega ", "β": r"\beta ", "δ": r"\delta ", "ξ": r"\xi ",
    "∫": r"\int ", "Δ": r"\Delta ", "Σ": r"\Sigma ", "η": r"\eta ", "ζ": r"\zeta ",
    "χ": r"\chi ", "ι": r"\iota ", "υ": r"\upsilon ", "ο": "o", "Θ": r"\Theta ",
    "Λ": r"\Lambda ", "Ξ": r"\Xi ", "Π": r"\Pi ", "Υ": r"\Upsilon ",
    "ℒ": r"\mathcal{L}", "sin": r"\sin ", "cos": r"\cos ", "tan": r"\tan ",
    "exp": r"\exp ", "log": r"\log ", "sinh": r"\sinh ", "cosh": r"\cosh ",
    "tanh": r"\tanh ", "diag": r"\operatorname{diag}", "½": r"\tfrac12 ",
}  # fmt: skip
_SIGNS = {
    "−": "-", "×": r"\times ", "·": r"\cdot ", "…": r"\dots ", "⋮": r"\vdots ",
    "≠": r"\ne ", "≤": r"\le ", "≥": r"\ge ", "→": r"\to ", "∈": r"\in ", ",": r",\,",
    "∼": r"\sim ", "½": r"\tfrac12 ", "∣": r"\mid ", "∓": r"\mp ", "|": r"\,\vert\,",
    "∗": "*",
}  # fmt: skip
_PLAIN = "+-=()[]/:;.!<>"  # signs that LaTeX takes as they are
_MARKS = {"tilde": r"\tilde", "hat": r"\hat", "dot": r"\dot", "ddot": r"\ddot"}
_FENCES = {
    "[]": (r"[", r"]"), "{}": (r"\{", r"\}"), "()": ("(", ")"), "||": (r"\vert ", r"\vert "),
}  # fmt: skip
_MATRICES = {"[]": "bmatrix", "{}": "Bmatrix", "()": "pmatrix", "": "matrix"}
_SPECIAL = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_",
    "{": r"\{", "}": r"\}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "\u00a0": "~", "−": "$-$", "×": r"$\times$", "·": r"$\cdot$", "²": "$^2$", "³": "$^3$",
    "°": r"$^\circ$",
    "…": r"\dots{}", "→": r"$\to$", "′": "$'$", "≤": r"$\le$", "½": r"$\tfrac12$",
    "ℒ": r"$\mathcal{L}$", "γ": r"$\gamma$", "π": r"$\pi$", "φ": r"$\varphi$", "ℓ": r"$\ell$",
    "σ": r"$\sigma$", "τ": r"$\tau$", "μ": r"$\mu$", "α": r"$\alpha$", "Ψ": r"$\Psi$",
    "Γ": r"$\Gamma$", "ε": r"$\varepsilon$", "ν": r"$\nu$", "ρ": r"$\rho$",
    "₁": "$_1$", "₂": "$_2$", "₃": "$_3$", "₀": "$_0$", "≠": r"$\ne$", "≥": r"$\ge$",
    "ᵀ": r"$^\mathrm{T}$", "̇": "", "̃": "", "∑": r"$\sum$", "⟨": r"$\langle$",
    "Φ": r"$\Phi$", "ω": r"$\omega$", "λ": r"$\lambda$", "θ": r"$\theta$", "–": "--",
    "“": "``", "”": "''", "’": "'", "ẏ": r"$\dot y$", "⁻": "$^-$", "¹": "$^1$",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}", '"': r"\textquotedbl{}",
}  # fmt: skip
_SPECIAL |= {
    letter: f"${command.strip()}$"
    for letter, command in _LETTERS.items()
    if len(letter) == 1 and letter not in _SPECIAL
}
_COMMA = r",\; "
LINE = 34.0  # em that go on a line after the left side


def text(words: str) -> str:
    r"""Return words with what is special in LaTeX escaped; others than Latin by their number.

    Examples:
        >>> print(text("50% of A_1"))
        50\% of A\_1
    """
    return "".join(_SPECIAL.get(c, c if _printable(c) else f"[U+{ord(c):04X}]") for c in words)


def _printable(letter: str) -> bool:
    return " " <= letter <= "~" or "À" <= letter <= "ž"


def latex(formula: Formula) -> str:
    """Return a formula in math mode."""
    match formula:
        case Letter(name):
            return _letter(name)
        case Numeral(digits):
            return digits
        case Words("T"):
            return r"\mathrm{T}"
        case Words("\u2009"):
            return ""  # sin and its like bring their own space
        case Words(words):
            return rf"\text{{{text(words)}}}"
        case Sign(mark):
            return _SIGNS.get(mark) or (mark if mark in _PLAIN else rf"\text{{{text(mark)}}}")
        case Line(parts) | Terms(parts):
            return "".join(map(latex, parts))
        case Script(base, lower, upper):
            return _script(base, lower, upper)
        case Accent(base, mark):
            return f"{_MARKS[mark]}{{{latex(base).strip()}}}"
        case Fence(body, kind):
            left, right = _FENCES[kind]
            if _tall(body):
                left, right = rf"\left{left}", rf"\right{right}"
            return f"{left}{latex(body)}{right}"
        case Grid(rows, kind):
            return _grid(rows, kind)
        case BlockRow(cells):
            return r"\bigl[" + _COMMA.join(map(latex, cells)) + r"\bigr]"
        case Stack(parts):
            return f"({''.join(map(latex, parts))})"
        case Fraction(above, below):
            return rf"\frac{{{latex(above)}}}{{{latex(below)}}}"
        case Root(body):
            return rf"\sqrt{{{latex(body)}}}"
        case Summation(lower, upper):
            top = "" if upper is None else f"^{{{latex(upper)}}}"
            return rf"\sum_{{{latex(lower)}}}{top} "


def lines(formula: Formula, room: float = LINE) -> list[str]:
    """Return a formula broken into lines that are about `room` em wide.

    Block rows, sums, lists and what is in brackets are broken, between their parts.
    """
    match formula:
        case BlockRow(cells):
            parts, widths = [], []
            for i, cell in enumerate(cells):
                opened = opened_up(cell, room, 1.0)
                parts += [latex(part) for part in opened]
                widths += [width(part) for part in opened]
                if i < len(cells) - 1:
                    parts[-1], widths[-1] = parts[-1] + _COMMA, widths[-1] + 1.1
            broken = _filled(parts, widths, room)
            broken[0] = r"\bigl[" + broken[0]
            broken[-1] += r"\bigr]"
            return broken
        case Terms(parts):
            opened = [piece for part in parts for piece in opened_up(part, room, 1.0)]
            return _filled([latex(part) for part in opened], [width(p) for p in opened], room)
        case Line() | Stack() | Fence() | Script() if width(formula) > room:
            opened = opened_up(formula, room, 1.0)
            return _filled([latex(part) for part in opened], [width(p) for p in opened], room)
    return [latex(formula)]


def _filled(pieces: list[str], widths: list[float], room: float) -> list[str]:
    """Return pieces joined to lines no wider than there is room, one piece at least in each."""
    found, used = [""], 0.0
    for piece, size in zip(pieces, widths, strict=True):
        if used and used + size > room:
            found.append("")
            used = 0.0
        found[-1] += piece
        used += size
    return found


def _letter(name: str) -> str:
    if name == "′":
        return r"\prime "
    if name in _LETTERS:
        return _LETTERS[name]
    if name.isascii() and name.isalnum():
        return name if len(name) == 1 else rf"\mathrm{{{name}}}"
    return rf"\text{{{text(name)}}}"


def _script(base: Formula, lower: Formula | None, upper: Formula | None) -> str:
    body = latex(base)
    if isinstance(base, Line | Terms | Script):
        body = f"{{{body}}}"
    prime = upper == Letter("′")
    above = "'" if prime else "" if upper is None else f"^{{{latex(upper).strip()}}}"
    below = "" if lower is None else f"_{{{latex(lower).strip()}}}"
    return f"{body.strip()}{above}{below}" if above or below else body


def _tall(formula: Formula) -> bool:
    match formula:
        case Grid() | Fraction() | Summation():
            return True
        case Line(parts) | Terms(parts):
            return any(map(_tall, parts))
        case Fence(body) | Script(body) | Accent(body):
            return _tall(body)
    return False


def _grid(rows: tuple[tuple[Formula, ...], ...], kind: str) -> str:
    cell = _entry if all(len(row) == 1 for row in rows) else latex
    body = r" \\ ".join(" & ".join(map(cell, row)) for row in rows)
    name = _MATRICES[kind]
    return rf"\begin{{{name}}}{body}\end{{{name}}}"


def narrow(grid: Grid, room: float) -> str:
    """Return a matrix of about `room` em, its widest entries on several lines.

    Columns that are narrower than an equal share keep their width, the others share the rest.
    """
    share, left, columns = room, room, len(grid.rows[0])
    widths = (max(map(width, column)) for column in zip(*grid.rows, strict=True))
    for n, own in enumerate(sorted(widths)):
        share = left / (columns - n)
        left -= min(own, share)
    body = r" \\ ".join(" & ".join(_entry(cell, share) for cell in row) for row in grid.rows)
    name = _MATRICES[grid.kind]
    return rf"\begin{{{name}}}{body}\end{{{name}}}"


def _entry(formula: Formula, room: float = LINE) -> str:
    """Return an entry of a matrix, on as many lines as it needs."""
    found = lines(formula, room)
    if len(found) == 1:
        return found[0]
    body = r" \\ ".join(found)
    return rf"\begin{{array}}{{@{{}}l@{{}}}}{body}\end{{array}}"
