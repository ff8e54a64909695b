"""Worksheets: the equations of a machine in block form, as HTML, LaTeX, Markdown or PDF.

`tree` has Kane's matrices block by block, `machine` the letters of a model, `joints` the rows
of its joints, and `scalar` the equations of a small machine. What stands on the page is a
`document` of formulas; `page`, `paper`, `markdown` and `pdf` write it.
"""

from bellcrank.worksheets.sheet import Worksheet, derive

__all__ = ["Worksheet", "derive"]
