"""Batched machines in Numba: imported only where this is not in the cache."""
