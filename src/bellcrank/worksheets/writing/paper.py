"""A worksheet as LaTeX: an article with amsmath and nothing else."""

from bellcrank.spatial.formula import width
from bellcrank.spatial.latex import LINE, latex, lines, text
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
from bellcrank.worksheets.writing.drawing import picture

HEAD = r"""\documentclass[10pt,a4paper]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{amsmath}
\allowdisplaybreaks
\setlength{\textwidth}{17cm}\setlength{\oddsidemargin}{-0.5cm}
\setlength{\textheight}{25cm}\setlength{\topmargin}{-1.8cm}
\setlength{\parindent}{0pt}\setlength{\parskip}{0.5em}
\setcounter{MaxMatrixCols}{40}
"""
FULL = 46.0  # em of a line


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
            body = " \\\\\n".join(map(_aligned_row, rows))
            return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
        case TextTable(head, rows):
            return _table(head, rows)
        case TreeDrawing(layout, caption):
            return (
                f"\\begin{{center}}\n{picture(layout)}\n\n\\small {text(caption)}\n"
                "\\end{center}"
            )


def aligned(rows: tuple[Equation, ...]) -> str:
    """Return equations as one `aligned`."""
    body = " \\\\ ".join(map(_aligned_row, rows))
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


def _aligned_row(row: Equation) -> str:
    """Return left &= right, the right side on as many lines as it needs."""
    pieces = lines(row.right, max(LINE - 12.0, FULL - width(row.left) - 4.0))
    right = " \\\\\n&\\qquad ".join(pieces)
    remark = rf" &&\text{{{text(row.remark)}}}" if row.remark else ""
    left = latex(row.left)
    # A bracket behind a line's end, or at the beginning, would be taken for an option.
    return f"{'{}' * left.startswith('[')}{left} &= {right}{remark}"


def _text(parts: Text) -> str:
    if isinstance(parts, str):
        return text(parts)
    if isinstance(parts, tuple):
        return "".join(map(_text, parts))
    return f"${latex(parts)}$"


def _table(head: tuple[Text, ...], rows: tuple[tuple[Text, ...], ...]) -> str:
    """Return a table; wide ones in smaller letters, their last column set as a paragraph."""
    size = max(sum(_width(cell) + 2.0 for cell in row) for row in (head, *rows))
    small = "\\tiny" if size > 100 else "\\scriptsize" if size > 62 else "\\small"
    columns = "l" * len(head)
    lines_ = [" & ".join(map(_text, row)) + r" \\" for row in rows]
    blocks = [lines_[i : i + 40] for i in range(0, len(lines_), 40)] or [[]]
    title = " & ".join(map(_text, head)) + r" \\ \hline"
    return "\n\n".join(
        f"{{{small}\\setlength{{\\tabcolsep}}{{3pt}}\\renewcommand{{\\arraystretch}}{{1.25}}\n"
        f"\\begin{{tabular}}{{{columns}}}\n{title}\n" + "\n".join(block) + "\n\\end{tabular}}"
        for block in blocks
    )


def _width(cell: Text) -> float:
    if isinstance(cell, str):
        return 0.5 * len(cell)
    if isinstance(cell, tuple):
        return sum(map(_width, cell))
    return width(cell)
