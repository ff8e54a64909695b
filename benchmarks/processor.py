"""The processor that tables were measured on: its name, its cores and its vector registers."""

import os
import platform
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

VECTORS = {"avx2": "AVX2", "avx512f": "AVX-512", "fma": "FMA", "neon": "NEON", "sve": "SVE"}
"""What makes a difference to compiled code, by LLVM's names."""


@dataclass(frozen=True)
class Processor:
    """What a table of times is worth nothing without.

    Attributes:
        name: As the maker calls it, in so far as the system tells.
        family: As LLVM calls it; code is generated for this one.
        cores: How many the system has.
        vectors: Those of `VECTORS` that it has.
    """

    name: str
    family: str
    cores: int
    vectors: tuple[str, ...]

    @property
    def key(self) -> str:
        """What its record is filed under.

        Examples:
            >>> Processor("AMD EPYC", "znver3", 2, ("AVX2", "FMA")).key
            'amd-epyc-znver3-2-cores'
        """
        words = f"{self.name} {self.family} {self.cores} cores".lower()
        return "-".join(re.findall(r"[a-z0-9.]+", words))

    def __str__(self) -> str:
        """Return it on one line.

        Examples:
            >>> print(Processor("AMD EPYC", "znver3", 2, ("AVX2", "FMA")))
            AMD EPYC (znver3), 2 cores, AVX2, FMA, no AVX-512
        """
        lacking = ["no AVX-512"] if self.vectors and "AVX-512" not in self.vectors else []
        known = [*self.vectors, *(lacking if "AVX2" in self.vectors else [])]
        return ", ".join([f"{self.name} ({self.family})", f"{self.cores} cores", *known])


@cache
def processor() -> Processor:
    """Return the processor that we run on."""
    has = llvm.get_host_cpu_features()
    vectors = tuple(label for name, label in VECTORS.items() if has.get(name))
    return Processor(_name(), llvm.get_host_cpu_name(), os.cpu_count() or 1, vectors)


def _name() -> str:
    """Return the maker's name of the processor."""
    listed = Path("/proc/cpuinfo")
    if listed.exists():
        found = re.search(r"^model name\s*:\s*(.+)$", listed.read_text(), re.MULTILINE)
        if found:
            return found[1].strip()
    return platform.processor() or platform.machine()
