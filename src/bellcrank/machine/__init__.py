"""One machine, compiled: its kernels, its states by name, what is known about it."""
