"""`Model` → `Equations`. One folder per school; strangers to each other."""

from bellcrank.formulations.cartesian import Cartesian
from bellcrank.formulations.equations import AbstractFormulation, Equations, Row, Variable
from bellcrank.formulations.joint_coordinates import JointCoordinates
from bellcrank.formulations.kane import AngleRates, Angles, Kane, LinearSpeeds
from bellcrank.formulations.momentum import Momentum
from bellcrank.formulations.natural import Natural

__all__ = [
    "AbstractFormulation",
    "AngleRates",
    "Angles",
    "Cartesian",
    "Equations",
    "JointCoordinates",
    "Kane",
    "LinearSpeeds",
    "Momentum",
    "Natural",
    "Row",
    "Variable",
]
