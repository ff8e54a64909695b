"""The same equations with combinations of rows in the place of rows.

    Φ → H Φ,   C u = ν → H C u = H ν,   C u̇ = γ → H C u̇ = H γ,   λ → Hᵀ λ

with a constant H: motions are the same, as long as all rows are held.
"""

import hashlib
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.formulations.contract.equations import Equations

if TYPE_CHECKING:
    import casadi as ca

MIXED = {
    "position": ("Phi",),
    "velocity": ("C", "nu"),
    "acceleration": ("gamma",),
    "jerk": ("D", "d"),
    "bodywise": ("C",),
    "constraint_jacobian": ("rates_q",),
    "residual": (),
    "residual_jacobian": (),
}
"""Slots that know rows, and which of their outputs have one row for each."""


def mixed(equations: Equations, H: np.ndarray) -> Equations:
    """Return equations whose rows are combinations of those given.

    Args:
        equations: Of a machine with constraints.
        H: Row i of the result is Σ H_ij of row j, both over their nominal sizes; rows of
            positions and of speeds alone do not mix. Shape (m, m).
    """
    scale = np.array([row.scale for row in equations.rows])
    H = H * scale[:, None] / scale
    slots: dict[str, Callable[[], ca.Function]] = dict(equations.slots)
    for slot in MIXED:
        if slot in slots:
            slots[slot] = partial(_mixed, equations, slot, H)
    key = hashlib.sha256(f"{equations.key}/{H.tolist()}".encode()).hexdigest()
    return replace(equations, slots=slots, key=key)


def _mixed(equations: Equations, slot: str, H: np.ndarray) -> "ca.Function":
    """Return the function of a slot with H before its rows and Hᵀ before its λ."""
    import casadi as ca  # code found in the cache does without

    function, sparse = equations.function(slot), ca.sparsify(ca.DM(H))
    names, outputs = function.name_in(), function.name_out()
    given = [ca.SX.sym(name, function.sparsity_in(place)) for place, name in enumerate(names)]
    asked = [
        sparse.T @ value if name == "lam" else value
        for name, value in zip(names, given, strict=True)
    ]
    found = dict(zip(outputs, function.call(asked, True, False), strict=True))
    for name in MIXED[slot]:
        rows = found[name].shape[0]
        found[name] = sparse[:rows, :rows] @ found[name]
    return ca.Function(slot, given, list(found.values()), names, outputs)
