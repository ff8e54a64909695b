"""Kane's matrices by name: partial velocities, their rates, elimination."""
