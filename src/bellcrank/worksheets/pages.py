"""The pages of all schools: importing this registers them. Needs CasADi."""

from bellcrank.worksheets.sections import cartesian, joint, points, tree_page

__all__ = ["cartesian", "joint", "points", "tree_page"]
