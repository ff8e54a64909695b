"""A worksheet as one HTML page that needs no network: MathML, SVG and a style sheet."""

import re
from html import escape

from bellcrank.spatial.breaking import listed, pieces
from bellcrank.spatial.formula import (
    EQUALS,
    BlockRow,
    Formula,
    Line,
    Sign,
    Stack,
    Terms,
    width,
)
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Equation,
    Item,
    Paragraph,
    Section,
    Text,
    TextTable,
    TreeDrawing,
)
from bellcrank.worksheets.writing.drawing import svg
from bellcrank.worksheets.writing.mathml import continued, is_zero, math
from bellcrank.worksheets.writing.style import STYLE

ROOM = 47.0  # em of a page
FLOWING = 0.8  # smaller than this, equations run on from line to line
ALIGNED = 0.72  # smaller than this, rows of blocks are set for themselves
NARROW = 15.0  # em that fit on a telephone
LEAST = 0.62  # smaller than this a formula is not set; it is scrolled instead


def html(title: str, lead: str, sections: tuple[Section, ...]) -> str:
    """Return the page."""
    numbered = list(enumerate(sections, start=1))
    contents = "".join(
        f'<li><a href="#s{i}">{escape(section.title)}</a></li>' for i, section in numbered
    )
    body = "\n".join(_section(i, section) for i, section in numbered)
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n"
        f'<header><p class="kind">Worksheet</p><h1>{escape(title)}</h1>'
        f'<p class="lead">{escape(lead)}</p><nav><ol>{contents}</ol></nav></header>\n'
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _section(number: int, section: Section) -> str:
    items = "\n".join(map(_item, section.items))
    title = f'<h2><span class="no">{number}</span>{escape(section.title)}</h2>'
    return f'<section id="s{number}">\n{title}\n{items}\n</section>'


def _item(item: Item) -> str:
    match item:
        case Paragraph(parts):
            return f"<p>{_text(parts)}</p>"
        case AlignedEquations():
            return _equations(item)
        case TextTable(head, rows):
            return _table(head, rows)
        case TreeDrawing(layout, caption):
            return f"<figure>{svg(layout)}<figcaption>{escape(caption)}</figcaption></figure>"


def _text(text: Text) -> str:
    if isinstance(text, str):
        return re.sub(r"(?<=\d), (?=[−\d])", ",&nbsp;", escape(text))  # vectors stay whole
    if not isinstance(text, tuple):
        return math(text)
    parts = []
    tied = ""  # what the part before has taken of this one
    for part, after in zip(text, (*text[1:], ""), strict=True):
        if isinstance(part, str):
            parts.append(escape(part.removeprefix(tied)))
            tied = ""
        elif isinstance(after, str) and after[:1] and after[0] in ".,;:":
            tied = after[0]  # no line may begin with the comma behind a formula
            *first, last = listed(part)
            parts += [*map(math, first), f'<span class="tied">{math(last)}{tied}</span>']
        else:
            parts += map(math, listed(part))
    return "".join(parts)


def _equations(item: AlignedEquations) -> str:
    """Return the equations on a grid of three columns: left, right, remark."""
    if all(isinstance(row.right, BlockRow) for row in item.rows):
        return _block_rows(item)
    left = max(width(row.left) for row in item.rows)
    right = max(width(row.right) for row in item.rows)
    remarked = any(row.remark for row in item.rows)
    room = ROOM / (left + right + (14.0 if remarked else 2.0))
    if item.flowing or (room < FLOWING and not item.boxed):
        return f'<div class="flowing">{"".join(map(_flowing, item.rows))}</div>'
    cells = []
    for row in item.rows:
        cells.append(f'<div class="left">{math(row.left)}</div>')
        cells.append(f'<div class="right">{_right(row.right)}</div>')
        if remarked:
            cells.append(f'<div class="remark">{escape(row.remark)}</div>')
    scale = min(1.0, max(LEAST, room))
    size = f' style="font-size:{scale:.2f}em"' if scale < 1.0 else ""
    kinds = "equations" + " boxed" * item.boxed + " remarked" * remarked
    return f'<div class="{kinds}"><div class="grid"{size}>{"".join(cells)}</div></div>'


def _flowing(row: Equation) -> str:
    """Return an equation whose terms run on from line to line, as words do."""
    parts = [*_loose(row.left), continued(EQUALS), *_loose(row.right)]
    remark = f'<span class="remark">{escape(row.remark)}</span>' if row.remark else ""
    return f"<div>{' '.join(parts)}{remark}</div>"


def _loose(formula: Formula) -> list[str]:
    """Return a sum as a `<math>` element for each of its terms, and for parts of long ones."""
    first, *others = _pieces(formula)
    return [math(first), *map(continued, others)]


def _pieces(formula: Formula) -> list[Formula]:
    """Return the terms of a sum or the blocks of a row, and the parts of long ones."""
    if isinstance(formula, BlockRow) and width(formula) > NARROW:
        return _block_pieces(formula.cells)
    terms = formula.parts if isinstance(formula, Terms) else (formula,)
    return [piece for term in terms for piece in pieces(term, NARROW)]


def _block_pieces(cells: tuple[Formula, ...]) -> list[Formula]:
    """Return a row of blocks that may go on on another line, with commas between them."""
    found: list[Formula] = []
    for i, cell in enumerate(cells):
        opened = pieces(cell, NARROW)
        if not i:
            opened[0] = Line((Sign("["), opened[0]))
        opened[-1] = Line((opened[-1], Sign("]" if i == len(cells) - 1 else ",")))
        found += opened
    return found


def _block_rows(item: AlignedEquations) -> str:
    """Return block rows as a table, blocks of a body below each other where there is room."""
    rows = [(row.left, row.right.cells) for row in item.rows if isinstance(row.right, BlockRow)]
    left = 2.0 + max(width(one) for one, _ in rows)
    alike = len({len(cells) for _, cells in rows}) == 1
    columns = zip(*(cells for _, cells in rows), strict=False)
    together = 1.3 * (left + sum(1.3 + max(map(_block_width, c)) for c in columns))
    scale = min(1.0, ROOM / together)
    if (scale >= ALIGNED and alike) or len(rows) == 1:
        scale = max(scale, ALIGNED)
        return _block_table(rows, scale, numbered=True)
    apart = left + max(sum(1.3 + _block_width(cell) for cell in cells) for _, cells in rows)
    scale = min(1.0, max(LEAST, ROOM / apart))
    tables = "".join(_block_table([row], scale, numbered=False) for row in rows)
    return f'<div class="apart">{tables}</div>'


def _block_width(cell: Formula) -> float:
    return 0.9 + max(map(width, cell.parts)) if isinstance(cell, Stack) else width(cell)


def _block_table(
    rows: list[tuple[Formula, tuple[Formula, ...]]], scale: float, numbered: bool
) -> str:
    size = f' style="font-size:{scale:.2f}em"' if scale < 1.0 else ""
    count = len(rows[0][1])
    numbers = "".join(f"<td>{j}</td>" for j in range(1, count + 1))
    head = f'<tr class="numbers"><th></th><td></td><td></td>{numbers}<td></td></tr>'
    body = []
    for left, cells in rows:
        shown = "".join(map(_block_cell, cells))
        body.append(
            f"<tr><th>{math(left)}</th><td>{math(EQUALS)}</td>"
            f'<td class="open"></td>{shown}<td class="close"></td></tr>'
        )
    table = f"{head if numbered and count > 1 else ''}{''.join(body)}"
    single = " single" if len(rows) == 1 else ""  # which may go on in another line
    return f'<div class="blockrows{single}"{size}><table>{table}</table></div>'


def _block_cell(cell: Formula) -> str:
    """Return a block; long sums are elements of their own, between which lines may end."""
    zero = " class='zero'" if is_zero(cell) else ""
    first, *others = pieces(cell, NARROW)
    if not others:
        return f"<td{zero}>{math(cell)}</td>"
    return f'<td class="long">{" ".join([math(first), *map(continued, others)])}</td>'


def _right(formula: Formula) -> str:
    """Return `= formula`; its terms are elements of their own, between which a line may end."""
    first, *others = _pieces(formula)
    return " ".join([_first(first), *map(_displayed, map(continued, others))])


def _displayed(element: str) -> str:
    return element.replace("<math>", '<math displaystyle="true">', 1)


def _first(formula: Formula) -> str:
    inner = math(formula, display=True).removeprefix('<math display="block">')
    sign = math(EQUALS).removeprefix("<math>").removesuffix("</math>")
    sign = sign.replace("<mo>", '<mo form="infix" lspace="0" rspace="0.3em">')
    return (
        f'<math displaystyle="true"><mrow>{sign}{inner.removesuffix("</math>")}</mrow></math>'
    )


def _table(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...]) -> str:
    titles = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    body = "".join(
        f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    return (
        f'<div class="table"><table><thead><tr>{titles}</tr></thead>'
        f"<tbody>{body}</tbody></table></div>"
    )
