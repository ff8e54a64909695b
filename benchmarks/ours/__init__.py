"""Our side of the benchmarks."""
