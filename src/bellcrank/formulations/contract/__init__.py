"""The contract of all formulations: `Equations`, its slots, rows, memory and names."""
