"""Arrays advanced in time: methods, the resumable driver they share, and `solve`.

`contract` says what a driver is and how to write one. Nothing here knows of bodies.
"""

from bellcrank.integrators import methods
from bellcrank.integrators.methods import *  # noqa: F403  # they are listed there, once
from bellcrank.integrators.problem import EventHit, Problem, Schedule, Statistics, Status, Track
from bellcrank.integrators.solve import solve

__all__ = ["EventHit", "Problem", "Schedule", "Statistics", "Status", "Track", "solve"]
__all__ += methods.__all__
