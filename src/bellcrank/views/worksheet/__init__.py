"""Worksheets: the equations of a machine in block form, as HTML, LaTeX, Markdown or PDF.

    tree       Kane's matrices, block by block     formula    what formulas are made of
    machine    the letters of a model              mathml     formulas for browsers
    joints     joints as rows in the speeds        latex      formulas for LaTeX and Markdown
    sheet      `derive` and the `Worksheet`        page, paper, markdown, pdf   the files
"""

from bellcrank.views.worksheet.sheet import Worksheet, derive

__all__ = ["Worksheet", "derive"]
