"""Basic points and vectors: the fully Cartesian coordinates of `Natural` and `Momentum`."""
