"""Generalized-α for large machines: sparse matrices, factors kept while they serve."""
