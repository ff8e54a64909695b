"""What is done with Φ = 0, C u = ν, C u̇ = γ: closing, rank, projection, elimination."""
