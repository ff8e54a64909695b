"""From what a user asks for to numbers for the integrator: options, beginning, inputs."""

from bellcrank.assembly.inputs import Bound, bind
from bellcrank.assembly.motion import check_motion
from bellcrank.assembly.projecting import moving, projection, quick_projection, saddle
from bellcrank.assembly.start import (
    beginning,
    initial_state,
    of_size,
    parameter_values,
)

__all__ = [
    "Bound",
    "beginning",
    "bind",
    "check_motion",
    "initial_state",
    "moving",
    "of_size",
    "parameter_values",
    "projection",
    "quick_projection",
    "saddle",
]
