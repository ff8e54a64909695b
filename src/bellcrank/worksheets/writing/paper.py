"""A worksheet as LaTeX: an article with amsmath and nothing else."""

from bellcrank.spatial.breaking import listed
from bellcrank.spatial.formula import Formula, Grid, width
from bellcrank.spatial.latex import latex, lines, narrow, text
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
from bellcrank.worksheets.writing.drawing import fits, picture, written

HEAD = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\allowdisplaybreaks
\setlength{\textwidth}{17cm}\setlength{\oddsidemargin}{-0.5cm}
\setlength{\textheight}{25cm}\setlength{\topmargin}{-1.8cm}
\setlength{\emergencystretch}{10em}
\setlength{\parindent}{0pt}\setlength{\parskip}{0.5em}
\setcounter{MaxMatrixCols}{40}
"""
FULL = 44.5  # em of a line
SMALLER = (("", 1.0), ("\\small", 0.92), ("\\footnotesize", 0.85), ("\\scriptsize", 0.78))
"""Sizes of letters for matrices, as a part of the usual one; indices hardly get smaller."""
TINY = 0.72  # the same of the smallest ones
SIZES = (("\\small", 50.0), ("\\scriptsize", 60.0))
"""Sizes of letters in tables, and the em of a line in each."""
LEAST = 20.0  # em of a right side, however long what stands before it is


def tex(title: str, lead: str, sections: tuple[Section, ...]) -> str:
    """Return the document."""
    body = "\n\n".join(map(_section, sections))
    return (
        f"{HEAD}\\title{{{text(title)}}}\n\\author{{}}\\date{{}}\n\\begin{{document}}\n"
        f"\\maketitle\n{text(lead)}\n\n{body}\n\\end{{document}}\n"
    )


def _section(section: Section) -> str:
    items = "\n\n".join(map(_item, section.items))
    return f"\\section{{{text(section.title)}}}\n{items}"


def _item(item: Item) -> str:
    match item:
        case Paragraph(parts):
            return _text(parts)
        case AlignedEquations(rows, True):
            return f"\\[\\boxed{{{aligned(rows)}}}\\]"
        case AlignedEquations(rows, _) if item.flowing:
            body = " \\\\[4pt]\n".join(map(_flowing_row, rows))
            return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
        case AlignedEquations(rows, _):
            body = " \\\\\n".join(_aligned_rows(rows))
            return _sized(rows, f"\\begin{{align*}}\n{body}\n\\end{{align*}}")
        case TextTable(head, rows):
            return _table(head, rows)
        case TreeDrawing(layout, caption):
            shown = picture(layout) if fits(layout) else written(layout)
            return f"\\begin{{center}}\n{shown}\n\n\\small {text(caption)}\n\\end{{center}}"


def aligned(rows: tuple[Equation, ...]) -> str:
    """Return equations as one `aligned`."""
    body = " \\\\ ".join(_aligned_rows(rows))
    return f"\\begin{{aligned}}{body}\\end{{aligned}}"


def flowing(rows: tuple[Equation, ...]) -> str:
    """Return equations with long left sides as one `aligned`, broken into lines."""
    body = " \\\\[4pt] ".join(map(_flowing_row, rows))
    return f"\\begin{{aligned}}{body}\\end{{aligned}}"


def _flowing_row(row: Equation) -> str:
    """Return the left side on lines of its own, and the right side below it."""
    left = " \\\\\n&\\qquad ".join(lines(row.left, FULL - 6.0))
    right = " \\\\\n&\\qquad\\quad ".join(lines(row.right, FULL - 8.0))
    remark = rf"\qquad\text{{{text(row.remark)}}}" if row.remark else ""
    return f"&{left} \\\\\n&\\qquad = {right}{remark}"


def _sized(rows: tuple[Equation, ...], text: str) -> str:
    """Return equations in smaller letters where a matrix, which is not broken, is too wide."""
    left = max(width(row.left) for row in rows) + 3.0
    wide = max((left + width(row.right) for row in rows if _is_matrix(row.right)), default=0.0)
    small = next((name for name, size in SMALLER if size * wide <= FULL), "\\tiny")
    return f"{{{small}\n{text}}}" if small else text


def _is_matrix(formula: Formula) -> bool:
    """Return whether a matrix of several columns makes a formula as wide as it is."""
    return isinstance(formula, Grid) and len(formula.rows[0]) > 1


def _aligned_rows(rows: tuple[Equation, ...]) -> list[str]:
    """Return left &= right, the right sides on as many lines as they need."""
    left = max(width(row.left) for row in rows)
    remark = max(0.45 * len(row.remark) for row in rows)
    room = max(LEAST, FULL - left - 4.0 - (remark + 2.0 if remark else 0.0))
    return [_aligned_row(row, room, FULL / TINY - left - 3.0) for row in rows]


def _aligned_row(row: Equation, room: float, most: float) -> str:
    """Return left &= right; a matrix wider than `most` em has entries on several lines."""
    if isinstance(row.right, Grid) and _is_matrix(row.right) and width(row.right) > most:
        right = narrow(row.right, most)
    else:
        right = " \\\\\n&\\qquad ".join(lines(row.right, room))
    remark = rf" &&\text{{{text(row.remark)}}}" if row.remark else ""
    left = latex(row.left)
    # A bracket behind a line's end, or at the beginning, would be taken for an option.
    return f"{'{}' * left.startswith('[')}{left} &= {right}{remark}"


def _text(parts: Text) -> str:
    if isinstance(parts, str):
        return text(parts)
    if isinstance(parts, tuple):
        return "".join(map(_text, parts))
    entries = [latex(entry).removesuffix(r"\,") for entry in listed(parts)]
    return " ".join(f"${entry}$" for entry in entries)  # lines may end behind commas


def _table(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...]) -> str:
    """Return a table; wide ones in smaller letters, their widest words set as paragraphs."""
    sizes = [max(map(_width, column)) + 1.0 for column in zip(head, *rows, strict=True)]
    columns = ["l"] * len(head)
    small = next((name for name, room in SIZES if sum(sizes) <= room), "")
    if not small:
        small, room = SIZES[1]
        widest = max(_breakable(head, rows), key=lambda i: sizes[i], default=None)
        if widest is None or room - sum(sizes) + sizes[widest] < 8.0:
            small = "\\tiny"
        else:
            columns[widest] = rf"p{{{room - sum(sizes) + sizes[widest]:.1f}em}}"
    gap = 1 if small == "\\tiny" else 3
    lines_ = [" & ".join(map(_text, row)) + r" \\" for row in rows]
    blocks = [lines_[i : i + 40] for i in range(0, len(lines_), 40)] or [[]]
    title = " & ".join(map(_text, head)) + r" \\ \hline"
    return "\n\n".join(
        f"{{{small}\\setlength{{\\tabcolsep}}{{{gap}pt}}\\renewcommand{{\\arraystretch}}{{1.25}}\n"
        f"\\begin{{tabular}}{{{''.join(columns)}}}\n{title}\n"
        + "\n".join(block)
        + "\n\\end{tabular}}"
        for block in blocks
    )


def _breakable(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...]) -> list[int]:
    """Return the columns of words, between which lines may end."""
    return [i for i in range(len(head)) if all(isinstance(row[i], str | tuple) for row in rows)]


def _width(cell: Text) -> float:
    if isinstance(cell, str):
        return 0.5 * len(cell)
    if isinstance(cell, tuple):
        return sum(map(_width, cell))
    return width(cell)
