"""Basic points and vectors: fully Cartesian coordinates, as `Natural` and `Momentum` use them."""
