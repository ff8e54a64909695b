"""The native part of `index2`. Imported only when it is not in the cache."""
