"""From what a user says of the beginning and of the inputs to numbers for the integrator."""

from bellcrank.assembly.inputs import Bound, bind
from bellcrank.assembly.projecting import projection, quick_projection
from bellcrank.assembly.start import check_motion, initial_state

__all__ = ["Bound", "bind", "check_motion", "initial_state", "projection", "quick_projection"]
