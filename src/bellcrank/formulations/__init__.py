"""`Model` → `Equations`. One folder per school; strangers to each other."""

from bellcrank.formulations.cartesian import Cartesian
from bellcrank.formulations.equations import AbstractFormulation, Equations, Row, Variable
from bellcrank.formulations.joint_coordinates import JointCoordinates

__all__ = ["AbstractFormulation", "Cartesian", "Equations", "JointCoordinates", "Row", "Variable"]
