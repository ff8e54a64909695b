"""The small vocabulary of LLVM's assembly language that the emitters share."""

import struct
from dataclasses import dataclass


@dataclass(frozen=True)
class Type:
    """A double, or several side by side.

    Attributes:
        lanes: How many.
    """

    lanes: int = 1

    def __str__(self) -> str:
        return self._of("double")

    def _of(self, scalar: str) -> str:
        return scalar if self.lanes == 1 else f"<{self.lanes} x {scalar}>"

    @property
    def integer(self) -> str:
        """The integer type of the same width."""
        return self._of("i64")

    @property
    def bit(self) -> str:
        """The type of comparisons."""
        return self._of("i1")

    @property
    def tag(self) -> str:
        """What names of functions of this width end in."""
        return "" if self.lanes == 1 else f".{self.lanes}"

    @property
    def suffix(self) -> str:
        """What names of LLVM's intrinsic functions of this width end in."""
        return "f64" if self.lanes == 1 else f"v{self.lanes}f64"

    def call(self, name: str, *arguments: str) -> str:
        """Return a call of an intrinsic such as `sqrt`."""
        given = ", ".join(f"{self} {argument}" for argument in arguments)
        return f"call {self} @llvm.{name}.{self.suffix}({given})"

    def fma(self, a: str, b: str, c: str) -> str:
        """Return a b + c, rounded once."""
        return self.call("fma", a, b, c)

    def declaration(self, name: str, arity: int) -> str:
        """Return the declaration of an intrinsic."""
        return f"declare {self} @llvm.{name}.{self.suffix}({', '.join([str(self)] * arity)})"

    def whole(self, value: int) -> str:
        """Return an integer constant in every lane."""
        return str(value) if self.lanes == 1 else f"splat (i64 {value})"

    def any(self, value: str, bits: str) -> list[str]:
        """Return the lines that set `value` if any of `bits` is."""
        if self.lanes == 1:
            return [f"{value} = or i1 {bits}, false"]
        mask = f"i{self.lanes}"
        return [
            f"{value}.m = bitcast {self.bit} {bits} to {mask}",
            f"{value} = icmp ne {mask} {value}.m, 0",
        ]


def number(t: Type, value: float) -> str:
    """Return a floating-point constant in every lane, bit for bit."""
    (bits,) = struct.unpack("<Q", struct.pack("<d", value))
    return f"0x{bits:016X}" if t.lanes == 1 else f"splat (double 0x{bits:016X})"
