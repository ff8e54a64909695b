"""Do two formulations say the same of the bodies? Differences with the worst place named."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from bellcrank.analysis.verify.body_space import Seen

FAMILIES = {
    "position": "place", "rotation": "place",
    "velocity": "velocity", "angular velocity": "velocity",
    "acceleration": "acceleration", "angular acceleration": "acceleration",
    "energy": "energy", "effort": "force", "reaction force": "force",
    "reaction torque": "force", "constraint force": "force", "constraint torque": "force",
    "rate": "variable",
}  # fmt: skip
"""Quantities that are measured against one scale: the largest of them anywhere."""

TORQUES = frozenset({"reaction torque", "constraint torque"})
ANGULAR = TORQUES | {"rotation", "angular velocity", "angular acceleration"}
"""Quantities that are made lengths or forces by the length of the machine."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The largest difference of one family of quantities between two formulations.

    Attributes:
        first, second: The formulations.
        family: `place`, `velocity`, `acceleration`, `energy`, `force` or `variable`.
        quantity: The quantity where it is worst.
        place: The body, joint, driver or channel where it is worst.
        t: When [s].
        value: Relative to the largest of the family and the condition number.
        over_time: The worst at each state.
    """

    first: str
    second: str
    family: str
    quantity: str
    place: str
    t: float
    value: float
    over_time: tuple[float, ...]

    def __str__(self) -> str:
        return (
            f"`{self.first}` against `{self.second}`: {self.quantity} of '{self.place}' "
            f"differs by {self.value:.1e} at t = {self.t:.4g} s"
        )


def scales(seen: Sequence[Seen], length: float) -> dict[str, float]:
    """Return the largest value of each family over all formulations and states.

    What the applied forces and the energy alone could do is the least: where nothing moves or
    nothing is carried, round-off is no difference.

    Args:
        seen: What the formulations say.
        length: Of the machine [m], by which turns become lengths and torques forces.
    """
    mass = max((one.mass for one in seen), default=0.0) or 1.0
    energy = max(
        (float(np.abs(one.arrays["energy"]).max(initial=0.0)) for one in seen), default=0.0
    )
    force = max([*(one.force for one in seen), energy / length])
    rate = force / mass
    found = {
        "place": length, "velocity": (rate * length) ** 0.5, "acceleration": rate,
        "energy": force * length, "force": force, "variable": 0.0,
    }  # fmt: skip
    for one in seen:
        for quantity, array in one.arrays.items():
            family = FAMILIES[quantity]
            known = array[one.well] if one.well.size else array
            size = float(np.abs(known).max(initial=0.0)) * _lever(quantity, length)
            if family != "place" and np.isfinite(size):
                found[family] = max(found[family], size)
    return {family: size or 1.0 for family, size in found.items()}


def _lever(quantity: str, length: float) -> float:
    if quantity not in ANGULAR:
        return 1.0
    return 1.0 / length if quantity in TORQUES else length


def compare(
    seen: Mapping[str, Seen],
    t: np.ndarray,
    *,
    length: float,
    condition: np.ndarray,
    determined: Mapping[str, np.ndarray],
) -> tuple[Difference, ...]:
    """Return all pairwise differences, one per family.

    Args:
        seen: What each formulation says, by its name.
        t: Times of the states [s], shape (n,).
        length: Of the machine [m].
        condition: Of the constraints at each state, shape (n,); where it exceeds 100 the
            differences are taken in units of condition/100.
        determined: Masks of what redundant constraints do not leave open, by quantity, in
            the shapes of `Seen.arrays`.
    """
    sizes = scales(list(seen.values()), length)
    ease = np.maximum(1.0, condition / 100.0)
    found = []
    for first, second in combinations(seen, 2):
        gaps: dict[str, list[tuple[float, str, str, float, np.ndarray]]] = {}
        both = _well(seen[first], len(t)) & _well(seen[second], len(t))
        for quantity, one in seen[first].arrays.items():
            family = FAMILIES[quantity]
            gap = np.abs(one - seen[second].arrays[quantity]) * _lever(quantity, length)
            gap = np.where(np.isnan(gap), np.inf, gap)
            gap[~both] = 0.0
            if quantity in determined:
                gap = np.where(determined[quantity], gap, 0.0)
            gap = gap.reshape(len(t), -1, gap.shape[-1]).max(axis=1) / sizes[family]
            gap = gap / ease[:, None]
            row, column = np.unravel_index(int(np.argmax(gap)), gap.shape)
            place = seen[first].places[quantity][int(column)]
            worst = float(gap[row, column]), quantity, place, float(t[row]), gap.max(axis=1)
            gaps.setdefault(family, []).append(worst)
        for family, ranked in gaps.items():
            value, quantity, place, when, _ = max(ranked, key=lambda entry: entry[0])
            over = np.max([entry[4] for entry in ranked], axis=0)
            found.append(
                Difference(
                    first, second, family, quantity, place, when, value, tuple(over.tolist())
                )
            )
    return tuple(found)


def _well(seen: Seen, number: int) -> np.ndarray:
    """Return at which of a number of states a formulation has a meaning."""
    return seen.well if seen.well.size else np.ones(number, dtype=bool)


def strangers(differences: Sequence[Difference], tolerance: float) -> tuple[str, ...]:
    """Return the formulations that disagree with most of the others.

    Args:
        differences: Of all pairs.
        tolerance: What counts as equal.
    """
    names = sorted({d.first for d in differences} | {d.second for d in differences})
    against: dict[str, set[str]] = {name: set() for name in names}
    for d in differences:
        if not d.value <= tolerance:
            against[d.first].add(d.second)
            against[d.second].add(d.first)
    others = len(names) - 1
    return tuple(name for name in names if others and len(against[name]) > others / 2)
