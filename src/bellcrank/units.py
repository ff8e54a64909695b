"""Quantities, each with a long name, a unit and a symbol.

One table, from which results, plots, files and worksheets take their labels. SI units, radians.
"""

from typing import NamedTuple


class Quantity(NamedTuple):
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

QUANTITIES: dict[str, Quantity] = {
    "time": Quantity("time", "s", "t"),
    "angle": Quantity("angle", "rad", "θ"),
    "angle_rate": Quantity("angle rate", "rad/s", "θ̇"),
    "angle_acceleration": Quantity("angle acceleration", "rad/s²", "θ̈"),
    "offset": Quantity("offset", "m", "s"),
    "offset_rate": Quantity("offset rate", "m/s", "ṡ"),
    "offset_acceleration": Quantity("offset acceleration", "m/s²", "s̈"),
    "position": Quantity("position", "m", "r"),
    "velocity": Quantity("velocity", "m/s", "v"),
    "acceleration": Quantity("acceleration", "m/s²", "a"),
    "orientation": Quantity("orientation (Euler parameters)", "1", "p"),
    "orientation_rate": Quantity("rate of Euler parameters", "1/s", "ṗ"),
    "angular_velocity": Quantity("angular velocity", "rad/s", "ω"),
    "angular_acceleration": Quantity("angular acceleration", "rad/s²", "α"),
    "force": Quantity("force", "N", "F"),
    "torque": Quantity("torque", "N m", "T"),
    "length": Quantity("length", "m", "l"),
    "length_rate": Quantity("length rate", "m/s", "l̇"),
    "energy": Quantity("energy", "J", "E"),
    "kinetic_energy": Quantity("kinetic energy", "J", "T"),
    "potential_energy": Quantity("potential energy", "J", "V"),
    "power": Quantity("power", "W", "P"),
    "linear_momentum": Quantity("linear momentum", "kg m/s", "P"),
    "angular_momentum": Quantity("angular momentum about the origin", "kg m²/s", "H"),
    "residual": Quantity("constraint residual", "1", "Φ"),
    "rate_residual": Quantity("constraint rate residual", "1/s", "Φ̇"),
    "input": Quantity("input", "", "w"),
}
