"""How fast and how right, side by side with the peers: `python -m benchmarks`."""
