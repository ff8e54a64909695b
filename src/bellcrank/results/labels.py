"""What a recorded array means: its name, quantity, size, and the element it belongs to.

Components are named by suffix: `tip.position_x`, and `crank.orientation_0` for the scalar of
the Euler parameters; Kane's count from one. All words on plots, in tables and in files come
from here and `units`.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from bellcrank.model.names import components
from bellcrank.units import QUANTITIES, QuantityKind

COMPONENTS = {3: ("x", "y", "z"), 4: ("e0", "e1", "e2", "e3")}
DIMENSIONS = {1: ("time",), 3: ("time", "component"), 4: ("time", "euler_parameter")}


class Label(NamedTuple):
    """The meaning of one recorded array.

    Attributes:
        name: As in `run["crank.velocity"]`.
        quantity: Key in `units.QUANTITIES`.
        size: Numbers at each time: 1, 3 (x, y, z) or 4 (Euler parameters).
        owner: The element it belongs to, or nothing for the machine as a whole.
    """

    name: str
    quantity: str
    size: int = 1
    owner: str = ""

    @property
    def unit(self) -> str:
        """SI unit, empty where there is none."""
        return self._quantity.unit

    @property
    def long_name(self) -> str:
        """Words for an axis or a table: `angle rate of A`."""
        if not self.owned:
            return self.words
        words = self.words.removesuffix(" body")
        frame = ", body axes" if words != self.words else ""
        return f"{words} of {self.owner}{frame}"

    @property
    def words(self) -> str:
        """What is measured, without whose it is: `angle rate`."""
        key = self.name[len(self.owner) + 1 :] if self.owned else self.name
        if key == self.quantity or self.quantity == "input":
            return self._quantity.long_name if self.quantity != "input" else self.name
        return key.replace("_", " ")

    @property
    def owned(self) -> bool:
        """Whether the name is that of an element, a dot and what is measured."""
        return bool(self.owner) and self.name.startswith(f"{self.owner}.")

    @property
    def components(self) -> tuple[str, ...]:
        """The names of the single numbers, like `tip.position_x`."""
        return components(self.name, self.size)

    @property
    def _quantity(self) -> QuantityKind:
        plain = QuantityKind(self.quantity.replace("_", " "), "", "")
        return QUANTITIES.get(self.quantity, plain)


def labels(channels: Iterable[Any]) -> tuple[Label, ...]:
    """Return the labels of channels: anything with a name, quantity, size and owner."""
    return tuple(
        c
        if type(c) is Label
        else Label(str(c.name), str(c.quantity), int(c.size), str(c.owner or ""))
        for c in channels
    )


def bracketed(words: str, unit: str) -> str:
    """Return `words [unit]`, or the words alone where there is no unit.

    Examples:
        >>> bracketed("angle rate of A", "rad/s"), bracketed("orientation", "1")
        ('angle rate of A [rad/s]', 'orientation')
    """
    return f"{words} [{unit}]" if unit not in ("", "1") else words
