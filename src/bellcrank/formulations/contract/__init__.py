"""The contract of all formulations: `Equations`, its slots, rows, memory and names."""

ARGUMENTS = ("t", "q", "u", "s", "w", "p", "k")
"""The first arguments of every slot, in order."""
