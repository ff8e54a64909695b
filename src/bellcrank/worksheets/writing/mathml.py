"""Formulas as MathML Core, which browsers draw by themselves: no script, no network."""

from html import escape

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
)

_MARKS = {"tilde": "˜", "hat": "ˆ", "dot": "˙", "ddot": "¨"}
_RELATIONS = "=≠<>≤≥→"
_ZERO = Fence(Numeral("0"), "[]")


def math(formula: Formula, display: bool = False) -> str:
    """Return a `<math>` element."""
    kind = ' display="block"' if display else ""
    return f"<math{kind}>{mathml(formula)}</math>"


def continued(formula: Formula) -> str:
    """Return a `<math>` element that goes on a line: a sign it begins with has two sides."""
    parts = formula.parts if isinstance(formula, Line) else (formula,)
    if not isinstance(parts[0], Sign):
        return math(formula)
    sign = f'<mo form="infix" lspace="0.15em" rspace="0.25em">{escape(parts[0].text)}</mo>'
    return f"<math><mrow>{sign}{_signed(parts[1:]) if parts[1:] else ''}</mrow></math>"


def mathml(formula: Formula) -> str:
    """Return the presentation markup of a formula."""
    match formula:
        case Letter("′"):
            return "<mo>′</mo>"  # whose own spacing is none
        case Letter("d"):
            return '<mi mathvariant="normal">d</mi>'
        case Letter(text):
            return f"<mi>{escape(text)}</mi>"
        case Numeral(text):
            return f"<mn>{escape(text)}</mn>"
        case Words(text):
            return f"<mtext>{escape(text)}</mtext>"
        case Sign(text):
            return f"<mo>{escape(text)}</mo>"
        case Line(parts) | Terms(parts):
            return f"<mrow>{_signed(parts)}</mrow>"
        case Script(base, lower, upper):
            return _script(base, lower, upper)
        case Accent(base, mark):
            # Said to be accents, marks are drawn into the letter by some browsers.
            over = f'<mo class="{mark}" stretchy="false">{_MARKS[mark]}</mo>'
            return f"<mover>{mathml(base)}{over}</mover>"
        case Fence(Numeral("0"), kind):  # as low as its brackets, and pages have many
            return f"<mrow><mo>{kind[0]}</mo><mn>0</mn><mo>{kind[1]}</mo></mrow>"
        case Fence(body, kind):
            return _fenced(mathml(body), kind, stretchy=_tall(body))
        case Grid(rows, kind):
            return _fenced(_table(rows, ""), kind) if kind else _table(rows, "")
        case BlockRow(cells):
            return _fenced(_table((cells,), "blocks"), "[]")
        case Stack(parts):
            rows = "".join(f"<mtr><mtd>{mathml(part)}</mtd></mtr>" for part in parts)
            return _fenced(f'<mtable class="stack">{rows}</mtable>', "()")
        case Fraction(above, below):
            return f"<mfrac>{mathml(above)}{mathml(below)}</mfrac>"
        case Root(body):
            return f"<msqrt>{mathml(body)}</msqrt>"
        case Summation(lower, upper):
            sign = '<mo largeop="true" movablelimits="false">∑</mo>'
            if upper is None:
                return f"<munder>{sign}{mathml(lower)}</munder>"
            return f"<munderover>{sign}{mathml(lower)}{mathml(upper)}</munderover>"


def _flat(parts: tuple[Formula, ...]) -> list[Formula]:
    """Return parts with lines within lines opened, so that signs know their neighbours."""
    return [one for p in parts for one in (_flat(p.parts) if isinstance(p, Line) else (p,))]


def _signed(parts: tuple[Formula, ...]) -> str:
    """Return parts in a row; a minus that nothing stands before is set tight."""
    flat, found = _flat(parts), []
    for i, part in enumerate(flat):
        before = flat[i - 1] if i else Sign("(")
        first = isinstance(before, Sign) and before.text not in ")]"
        if part in (Sign("−"), Sign("+")) and first:
            found.append(f'<mo form="prefix" lspace="0" rspace="0">{part.text}</mo>')
        elif isinstance(part, Sign) and part.text in _RELATIONS:
            found.append(f'<mo lspace="0.35em" rspace="0.35em">{escape(part.text)}</mo>')
        else:
            found.append(mathml(part))
    return "".join(found)


def _script(base: Formula, lower: Formula | None, upper: Formula | None) -> str:
    if lower is None and upper is None:
        return mathml(base)
    body = "<mi>d</mi>" if base == Letter("d") else mathml(base)  # d_A is no differential
    if lower is None:
        return f"<msup>{body}{mathml(upper)}</msup>"  # type: ignore[arg-type]
    if upper is None:
        return f"<msub>{body}{mathml(lower)}</msub>"
    return f"<msubsup>{body}{mathml(lower)}{mathml(upper)}</msubsup>"


def _fenced(body: str, kind: str, stretchy: bool = True) -> str:
    tall = "" if stretchy else ' stretchy="false"'  # first and last have their form by place
    left, right = (f"<mo{tall}>{mark}</mo>" for mark in kind)
    return f"<mrow>{left}{body}{right}</mrow>"


def _tall(formula: Formula) -> bool:
    """Return whether brackets around a formula have to grow."""
    match formula:
        case Grid() | Fraction() | Summation() | BlockRow():
            return True
        case Line(parts) | Terms(parts):
            return any(map(_tall, parts))
        case Fence(body) | Script(body) | Accent(body):
            return _tall(body)
    return False


def is_zero(formula: Formula) -> bool:
    """Return whether a formula is a zero or a zero block."""
    return formula == _ZERO or formula == Numeral("0")


def _table(rows: tuple[tuple[Formula, ...], ...], kind: str) -> str:
    def cell(entry: Formula) -> str:
        faint = ' class="zero"' if is_zero(entry) else ""
        return f"<mtd{faint}>{mathml(entry)}</mtd>"

    body = "".join(f"<mtr>{''.join(map(cell, row))}</mtr>" for row in rows)
    return f"<mtable{f' class={kind!r}' if kind else ''}>{body}</mtable>"
