"""Variables of the user's own: first-order states beside the mechanics.

A winding's current, the integral of a controller, a pressure, a temperature: each has a rate,
which may use everything that a force may use, and the other variables.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, ClassVar

from bellcrank.errors import ModelError
from bellcrank.model.elements import fields
from bellcrank.model.elements.fields import Door
from bellcrank.model.elements.given import (
    Law,
    LawLike,
    NumberLike,
    NumberOrNone,
    Numbers,
    default,
)
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
        scale: Its usual size [unit]; absolute tolerances are parts of it. If not given, the
            size of its start value where that is neither zero nor above one, else one.

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
    scale: NumberOrNone = default(None)

    def __post_init__(self) -> None:
        door = Door(self, f"variable {self.name!r}")
        door.take("name", fields.name)
        door.take("rate", fields.law)
        door.take("start", fields.real)
        if self.scale is not None:
            door.take("scale", fields.real, sign="positive")
        if not isinstance(self.unit, str):
            door.say(f"unit is text such as 'A', got {fields.short(self.unit)}.")
        door.close()

    @property
    def size(self) -> float | Expression:
        """Its usual size [unit], as given or as it starts by itself."""
        return usual_size(fields.nominal(self.start)) if self.scale is None else self.scale


def usual_size(start: float | None) -> float:
    """Return the size of a variable of which nothing but a start value is known."""
    return abs(start) if start is not None and 0.0 < abs(start) < 1.0 else 1.0


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

            y(s)   b₀ sⁿ + … + bₙ        ẋ₁ = ω x₂, …, ẋₙ = ω (v − Σ αₖ xₙ₋ₖ₊₁)
            ──── = ──────────────
            v(s)   a₀ sⁿ + … + aₙ        y = β₀ v + Σ (βₖ − αₖ β₀) xₙ₋ₖ₊₁

        with αₖ = aₖ/(a₀ ωᵏ), βₖ = bₖ/(a₀ ωᵏ) and ω = ⁿ√|aₙ/a₀|: whatever the order and the
        time constants, variables are about as large as v, and the first is v in the long run.
        They begin at zero and are called `name_1` to `name_n`, one alone `name`; a gain has
        none.

        Args:
            name: Of the variables.
            numerator: Coefficients, the highest power first; at most those of the denominator.
            denominator: Likewise; the first is not zero.
            input: v, an expression of anything a force may use.
            unit: For labels.

        Raises:
            ModelError: Coefficients that make no proper transfer function.

        Examples:
            >>> Block.transfer("lag", [1], [0.1, 1], input="V").variables[0].rate
            expression('10*(V - lag)')
        """
        b, a = (
            _coefficients(name, "numerator", numerator),
            _coefficients(name, "denominator", denominator),
        )
        order = len(a) - 1
        if len(b) > len(a):
            raise ModelError(
                f"block {name!r}: the denominator needs a power of s at least as high as the "
                f"numerator's, s^{len(b) - 1}; got s^{order}."
            )
        b = [0.0] * (len(a) - len(b)) + b
        pace, v = _pace(a), expression(input)
        b, a = ([x / (a[0] * pace**k) for k, x in enumerate(each)] for each in (b, a))
        names = [name] if order == 1 else [f"{name}_{i + 1}" for i in range(order)]
        states: list[Any] = [Signal(each) for each in names]
        fed = sum((a[order - i] * states[i] for i in range(order)), start=expression(0.0))
        rates = [pace * each for each in (*states[1:], v - fed)][:order]
        output = b[0] * v + sum(
            ((b[order - i] - a[order - i] * b[0]) * states[i] for i in range(order)),
            start=expression(0.0),
        )
        found = zip(names, rates, strict=True)
        return Block(tuple(Variable(n, r, unit=unit) for n, r in found), expression(output))


def _pace(a: Sequence[Any]) -> float:
    """Return ω [1/s], the geometric mean of the poles that are not at zero.

    Of parameters the values count that they have by themselves; any ω is right.
    """
    sizes = [abs(size or 0.0) for size in map(fields.nominal, a)]
    last = max(k for k, size in enumerate(sizes) if size > 0.0 or k == 0)
    if last == 0 or sizes[0] == 0.0:
        return 1.0
    found = (sizes[last] / sizes[0]) ** (1.0 / last)
    return found if 0.0 < found < inf else 1.0


def _coefficients(name: str, what: str, given: Any) -> list[Any]:
    """Return the coefficients of a polynomial; the first is not zero."""
    try:
        fields.name(name)
    except fields.Refused as refused:
        raise ModelError(f"block {name!r}: name{refused}") from None
    single = isinstance(given, str) or not isinstance(given, Iterable)
    try:
        found: list[Any] = [fields.real(entry) for entry in ([given] if single else given)]
    except fields.Refused as refused:
        raise ModelError(
            f"block {name!r}: a coefficient of the {what}{refused} Coefficients are a list of "
            "numbers, the highest power of s first."
        ) from None
    while len(found) > 1 and what == "numerator" and found[0] == 0.0:
        found = found[1:]
    if not found:
        raise ModelError(f"block {name!r}: the {what} has no coefficients.")
    if what == "denominator" and fields.nominal(found[0]) == 0.0:
        raise ModelError(f"block {name!r}: the first coefficient of the denominator is zero.")
    return found
