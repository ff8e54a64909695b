"""Large machines: the backend in which a machine is a sum over batches of like elements.

`backend` is the protocol, `start` where a run begins, `closing` its constraints, `matrix` the
sparse matrix and its factors, `observation` what is recorded, `kernels` what native code takes.
"""
