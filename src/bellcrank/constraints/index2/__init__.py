"""Constraints as implicit methods hold them, on index 2 and 3."""
