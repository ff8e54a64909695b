"""The peers, one file each.

A file that takes part in whole runs has the same three names: `NAME`, `SETTINGS` (what is
tightened until the tip is right, coarse to fine) and `build(machine)`, which returns
`run(setting) -> (times, tips)`. Building and code generation are timed apart from running.
"""
