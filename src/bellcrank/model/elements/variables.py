"""Variables of the user's own: first-order states beside the mechanics.

A winding's current, the integral of a controller, a pressure, a temperature: each has a rate,
which may use everything that a force may use, and the other variables.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from bellcrank.errors import ModelError
from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Door
from bellcrank.model.elements.given import Law, LawLike, NumberLike, Numbers, default
from bellcrank.model.expressions import Expression, Signal, expression


@dataclass(frozen=True)
class Variable:
    """A first-order state: ṡ = rate(t, machine, variables).

    Wherever names are, its name is its value: in forces, in rates of other variables, in
    events, start values and results, which show `name.rate` besides.

    Attributes:
        name: Unique in the model.
        rate: An expression [unit/s] of anything a force may use.
        start: Its value where a run begins, unless the run says another [unit].
        unit: Its unit, for labels.
        scale: Its usual size [unit]; absolute tolerances are parts of it.

    Examples:
        >>> Variable("current", "(12 - 2*current)/0.1", unit="A").rate
        expression('(12 - 2*current)/0.1')
    """

    KIND: ClassVar[str] = "variable"
    LAWS: ClassVar[tuple[str, ...]] = ("rate",)
    name: str
    rate: LawLike
    start: NumberLike = default(0.0)
    unit: str = ""
    scale: NumberLike = default(1.0)

    def __post_init__(self) -> None:
        door = Door(self, f"variable {self.name!r}")
        door.take("name", fields.name)
        door.take("rate", fields.law)
        door.take("start", fields.real)
        door.take("scale", fields.real, sign="positive")
        if not isinstance(self.unit, str):
            door.say(f"unit is text such as 'A', got {fields.short(self.unit)}.")
        door.close()


@dataclass(frozen=True)
class Block:
    """Variables that belong together, and what comes out of them.

    Attributes:
        variables: For `variables=[*block.variables]` of a model.
        output: An expression for a force, a motor or another rate.

    Examples:
        >>> import bellcrank as bc
        >>> lag = bc.Block.transfer("lag", [1.0], [0.1, 1.0], input="A.angle")
        >>> [each.name for each in lag.variables]
        ['lag']
    """

    variables: tuple[Variable, ...]
    output: Expression

    @staticmethod
    def transfer(
        name: str, numerator: Numbers, denominator: Numbers, *, input: Law, unit: str = ""
    ) -> "Block":
        """Return the variables of a transfer function, in controllable canonical form.

            y(s)   b₀ sᵐ + … + bₘ
            ──── = ──────────────,   m ≤ n      ẋ₁ = x₂, …, ẋₙ = v − Σ aₙ₋ᵢ₊₁ xᵢ
            v(s)   a₀ sⁿ + … + aₙ

        All begin at zero. They are called `name_1` to `name_n`, one alone `name`.

        Args:
            name: Of the variables.
            numerator: Coefficients, the highest power first.
            denominator: Likewise; the first is not zero, and there are at least two.
            input: v, an expression of anything a force may use.
            unit: For labels.

        Raises:
            ModelError: Coefficients that make no proper transfer function.

        Examples:
            >>> Block.transfer("lag", [1], [0.1, 1], input="V").output
            expression('10*lag')
        """
        b, a = (
            _coefficients(name, "numerator", numerator),
            _coefficients(name, "denominator", denominator),
        )
        order = len(a) - 1
        if order < 1 or len(b) > len(a):
            raise ModelError(
                f"block {name!r}: the denominator needs a power of s at least as high as the "
                f"numerator's, and at least s; got {len(b)} and {len(a)} coefficients."
            )
        b, a = [0.0] * (len(a) - len(b)) + [x / a[0] for x in b], [x / a[0] for x in a]
        v = expression(input)
        names = [name] if order == 1 else [f"{name}_{i + 1}" for i in range(order)]
        states: list[Any] = [Signal(each) for each in names]
        last = v - sum((a[order - i] * states[i] for i in range(order)), start=expression(0.0))
        rates = [*states[1:], last]
        output = b[0] * v + sum(
            ((b[order - i] - a[order - i] * b[0]) * states[i] for i in range(order)),
            start=expression(0.0),
        )
        found = zip(names, rates, strict=True)
        return Block(tuple(Variable(n, r, unit=unit) for n, r in found), expression(output))


def _coefficients(name: str, what: str, given: Any) -> list[Any]:
    """Return the coefficients of a polynomial; the first is not zero."""
    try:
        listed = (
            given if isinstance(given, Sequence) and not isinstance(given, str) else [given]
        )
        found: list[Any] = [fields.real(entry) for entry in listed]
    except fields.Refused as refused:
        raise ModelError(f"block {name!r}: {what}{refused}") from None
    while len(found) > 1 and what == "numerator" and found[0] == 0.0:
        found = found[1:]
    if not found or (what == "denominator" and found[0] == 0.0):
        raise ModelError(f"block {name!r}: the first coefficient of the {what} is not zero.")
    return found
