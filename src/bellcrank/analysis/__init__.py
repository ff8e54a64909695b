"""Questions about a machine that take more than one run."""
