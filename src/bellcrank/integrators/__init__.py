"""Arrays advanced in time: methods, the resumable driver they share, and `solve`.

`contract` says what a driver is and how to write one. Nothing here knows of bodies.
"""

from bellcrank.integrators.methods import (
    DOP853,
    DOPRI5,
    RK4,
    RKF45,
    SDIRK54,
    Auto,
    Gauss2,
    GeneralizedAlpha,
    Implicit,
    Method,
    Nystrom4,
    Radau5,
    Trapezoidal,
)
from bellcrank.integrators.problem import EventHit, Problem, Schedule, Statistics, Track
from bellcrank.integrators.solve import solve

__all__ = [
    "DOP853",
    "DOPRI5",
    "RK4",
    "RKF45",
    "SDIRK54",
    "Auto",
    "EventHit",
    "Gauss2",
    "GeneralizedAlpha",
    "Implicit",
    "Method",
    "Nystrom4",
    "Problem",
    "Radau5",
    "Schedule",
    "Statistics",
    "Track",
    "Trapezoidal",
    "solve",
]
