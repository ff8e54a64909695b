"""The pages of all schools: importing this registers them. Needs CasADi."""

from bellcrank.worksheets import cartesian, tree_page

__all__ = ["cartesian", "tree_page"]
