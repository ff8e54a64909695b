"""Quantities, each with a long name, a unit and a symbol.

One table, from which results, plots, files and worksheets take their labels. SI units, radians.
"""

from typing import Any, NamedTuple


class QuantityKind(NamedTuple):
    """What a number means.

    Attributes:
        long_name: For the label of an axis.
        unit: In SI; angles in radians.
        symbol: In a formula.
    """

    long_name: str
    unit: str
    symbol: str


LARGEST = 1e130  # of a state: energies take squares, times masses and stiffnesses

_VARIABLE = "variable in "


class _Quantities(dict[str, QuantityKind]):
    """Quantities by key; those of variables of the user's own are made from their unit."""

    def __missing__(self, key: str) -> QuantityKind:
        if not key.startswith(_VARIABLE):
            raise KeyError(key)
        return QuantityKind("variable", key.removeprefix(_VARIABLE), "s")

    def get(self, key: str, default: Any = None) -> Any:
        """Return the quantity of a key, else the default."""
        try:
            return self[key]
        except KeyError:
            return default


def variable_quantity(unit: str) -> str:
    """Return the key of a variable of the user's own, by its unit."""
    return f"{_VARIABLE}{unit}"


QUANTITIES: dict[str, QuantityKind] = _Quantities({
    "time": QuantityKind("time", "s", "t"),
    "angle": QuantityKind("angle", "rad", "θ"),
    "angle_rate": QuantityKind("angle rate", "rad/s", "θ̇"),
    "angle_acceleration": QuantityKind("angle acceleration", "rad/s²", "θ̈"),
    "offset": QuantityKind("offset", "m", "s"),
    "offset_rate": QuantityKind("offset rate", "m/s", "ṡ"),
    "offset_acceleration": QuantityKind("offset acceleration", "m/s²", "s̈"),
    "position": QuantityKind("position", "m", "r"),
    "velocity": QuantityKind("velocity", "m/s", "v"),
    "acceleration": QuantityKind("acceleration", "m/s²", "a"),
    "orientation": QuantityKind("orientation (Euler parameters)", "1", "p"),
    "orientation_rate": QuantityKind("rate of Euler parameters", "1/s", "ṗ"),
    "angular_velocity": QuantityKind("angular velocity", "rad/s", "ω"),
    "angular_acceleration": QuantityKind("angular acceleration", "rad/s²", "α"),
    "force": QuantityKind("force", "N", "F"),
    "torque": QuantityKind("torque", "N m", "T"),
    "length": QuantityKind("length", "m", "l"),
    "length_rate": QuantityKind("length rate", "m/s", "l̇"),
    "energy": QuantityKind("energy", "J", "E"),
    "kinetic_energy": QuantityKind("kinetic energy", "J", "T"),
    "potential_energy": QuantityKind("potential energy", "J", "V"),
    "power": QuantityKind("power", "W", "P"),
    "linear_momentum": QuantityKind("linear momentum", "kg m/s", "P"),
    "angular_momentum": QuantityKind("angular momentum about the origin", "kg m²/s", "H"),
    "residual": QuantityKind("constraint residual", "1", "Φ"),
    "rate_residual": QuantityKind("constraint rate residual", "1/s", "Φ̇"),
    "input": QuantityKind("input", "", "w"),
    "generalized_speed": QuantityKind("generalized speed", "", "u"),
})
