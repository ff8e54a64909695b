"""Machines that tests share, by name.

four_bars: Four-bars drawn by their four hinges, in the plane and in space.
hinged: One body on hinges: pendulums and doors.
looped: Machines with loops that are known by their answers.
rolling: A disc that rolls.
everything: A tree with every joint, and a four-bar with a strut.

Random ones are in `bellcrank.testing`, `tests.laws.closed` and `tests.analysis.scattered`.
"""
