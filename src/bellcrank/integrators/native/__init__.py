"""The drivers in Numba. Imported only when a driver is not in the cache."""
