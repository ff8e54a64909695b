"""A worksheet as Markdown with $ and $$ for formulas."""

from bellcrank.spatial.latex import latex
from bellcrank.worksheets.writing.document import (
    AlignedEquations,
    Item,
    Paragraph,
    Section,
    Text,
    TextTable,
    TreeDrawing,
)
from bellcrank.worksheets.writing.drawing import letters
from bellcrank.worksheets.writing.paper import aligned, flowing

_SPECIAL = str.maketrans({c: f"\\{c}" for c in "\\`*_[]<>|#$"})


def markdown(title: str, lead: str, sections: tuple[Section, ...]) -> str:
    """Return the document."""
    head = f"# {_words(title)}\n\n{_words(lead)}\n"
    numbered = enumerate(sections, start=1)
    return "\n".join([head, *(_section(i, section) for i, section in numbered)])


def _section(number: int, section: Section) -> str:
    items = "\n\n".join(map(_item, section.items))
    return f"## {number}. {_words(section.title)}\n\n{items}\n"


def _item(item: Item) -> str:
    match item:
        case Paragraph(parts):
            return _text(parts)
        case AlignedEquations(rows, boxed):
            body = flowing(rows) if item.flowing else aligned(rows)
            return f"$$\n\\boxed{{{body}}}\n$$" if boxed else f"$$\n{body}\n$$"
        case TextTable(head, rows):
            lines = [head, *rows]
            shown = [f"| {' | '.join(map(_text, row))} |" for row in lines]
            return "\n".join([shown[0], "|" + " --- |" * len(head), *shown[1:]])
        case TreeDrawing(layout, caption):
            return f"```text\n{letters(layout)}\n```\n\n{_words(caption)}"


def _text(text: Text) -> str:
    if isinstance(text, str):
        return _words(text)
    if isinstance(text, tuple):
        return "".join(map(_text, text))
    return f"${latex(text).strip()}$"


def _words(text: str) -> str:
    return text.translate(_SPECIAL)
