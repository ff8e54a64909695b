"""What `verify` found: differences, laws, costs, and a plain verdict."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from bellcrank.analysis.verify.audits import Audit
from bellcrank.analysis.verify.comparison import Difference, strangers
from bellcrank.errors import OptionError
from bellcrank.replacement import replace_text


@dataclass(frozen=True, slots=True)
class Cost:
    """What a formulation asks of a machine and of the computer.

    Attributes:
        coordinates, speeds, rows: How many there are.
        operations: Of the compiled equations, per evaluation.
        compile_time: To compile them anew [s].
        evaluation_time: Of the right-hand side within a run [s].
        simulated_second: Wall time per simulated second [s].
        evaluations: In the run.
    """

    coordinates: int
    speeds: int
    rows: int
    operations: int = 0
    compile_time: float = 0.0
    evaluation_time: float = 0.0
    simulated_second: float = 0.0
    evaluations: int = 0


@dataclass(frozen=True, eq=False)
class Verification:
    """The outcome of `verify`.

    Attributes:
        model: Name of the machine.
        tolerance: Relative differences up to this count as agreement.
        formulations: The formulations that took the machine, as their `repr`.
        refused: Those that did not, with the reason.
        times: Of the compared states [s].
        aside: How many states were set aside as too near a singular position.
        condition: The largest condition number at the compared states.
        differences: Of all pairs, one per family of quantities.
        audits: What each formulation keeps of the laws of mechanics.
        costs: What each formulation costs.
        failures: Formulations that failed, with the message.
    """

    model: str
    tolerance: float
    formulations: tuple[str, ...]
    refused: Mapping[str, str]
    times: tuple[float, ...]
    aside: int
    condition: float
    differences: tuple[Difference, ...]
    audits: Mapping[str, tuple[Audit, ...]]
    costs: Mapping[str, Cost]
    failures: Mapping[str, str]

    @property
    def worst(self) -> Difference | None:
        """The largest difference of all."""
        return max(self.differences, key=lambda d: d.value, default=None)

    @property
    def strangers(self) -> tuple[str, ...]:
        """Formulations that disagree with most of the others."""
        return strangers(self.differences, self.tolerance)

    @property
    def broken(self) -> dict[str, tuple[Audit, ...]]:
        """Laws that are not kept, by formulation."""
        found = {
            name: tuple(audit for audit in audits if not audit.passes)
            for name, audits in self.audits.items()
        }
        return {name: audits for name, audits in found.items() if audits}

    @property
    def agrees(self) -> bool:
        """Whether all formulations agree and every law is kept."""
        equal = all(d.value <= self.tolerance for d in self.differences)
        return equal and not self.broken and not self.failures

    @property
    def verdict(self) -> str:
        """The outcome in words."""
        if self.agrees:
            count = len(self.formulations)
            if count == 1:
                return (
                    f"'{self.model}': one formulation takes it and keeps every law; there is "
                    "none to compare it with."
                )
            worst = self.worst.value if self.worst else 0.0
            return (
                f"'{self.model}': {count} formulations agree at {len(self.times)} states, to "
                f"{worst:.1e} or better."
            )
        lines = [f"'{self.model}': NOT verified."]
        lines += [f"{name} failed: {message}" for name, message in self.failures.items()]
        if self.worst and not self.worst.value <= self.tolerance:
            lines.append(f"Worst: {self.worst}.")
        if self.strangers:
            lines.append(f"Alone against the others: {', '.join(self.strangers)}.")
        for name, audits in self.broken.items():
            for audit in audits:
                note = f" {audit.note}" if audit.note else ""
                lines.append(f"{name}: {audit.law} {audit.value:.1e}{note}.")
        return "\n".join(lines)

    def __str__(self) -> str:
        from bellcrank.views.verification import text

        return text(self.to_dict())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as plain values, for JSON and for views."""
        return {
            "model": self.model,
            "agrees": self.agrees,
            "verdict": self.verdict,
            "tolerance": self.tolerance,
            "formulations": list(self.formulations),
            "refused": dict(self.refused),
            "failures": dict(self.failures),
            "times": list(self.times),
            "aside": self.aside,
            "condition": self.condition,
            "strangers": list(self.strangers),
            "differences": [asdict(d) for d in self.differences],
            "audits": {
                name: [asdict(audit) | {"passes": audit.passes} for audit in audits]
                for name, audits in self.audits.items()
            },
            "costs": {name: asdict(cost) for name, cost in self.costs.items()},
        }

    def save(self, path: str | Path) -> Path:
        """Write it as a page (`.html`) or as data (`.json`).

        Raises:
            OptionError: The name ends in neither.
            FileError: It cannot be written; what was there before still is.
        """
        path = Path(path)
        if path.suffix == ".json":
            replace_text(path, json.dumps(self.to_dict(), indent=1))
        elif path.suffix in (".html", ".htm"):
            from bellcrank.views.verification import page

            replace_text(path, page(self.to_dict()))
        else:
            raise OptionError(f"a verification is saved as .html or .json, got '{path.name}'.")
        return path
