"""What native code of a run shares. Imported only when something is not in the cache."""
