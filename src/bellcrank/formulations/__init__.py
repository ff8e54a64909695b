"""`Model` → `Equations`. One folder per school; strangers to each other.

A school is imported when it is first named: a run needs one of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from bellcrank.formulations.contract.equations import (
    AbstractFormulation,
    Equations,
    Row,
    StateVariable,
)

if TYPE_CHECKING:
    from bellcrank.formulations.cartesian import Cartesian
    from bellcrank.formulations.joint_coordinates import JointCoordinates
    from bellcrank.formulations.kane import AngleRates, Angles, Kane, LinearSpeeds
    from bellcrank.formulations.momentum import Momentum
    from bellcrank.formulations.natural import Natural

_HOME = {
    "Cartesian": "cartesian", "JointCoordinates": "joint_coordinates", "Kane": "kane",
    "AngleRates": "kane", "Angles": "kane", "LinearSpeeds": "kane", "Momentum": "momentum",
    "Natural": "natural",
}  # fmt: skip

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
    "StateVariable",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value
