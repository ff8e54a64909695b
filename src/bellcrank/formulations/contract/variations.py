"""Exact directional derivatives of the slots of a machine: what follows a change of a state.

    δr = δ(A a − f + Cᵀ λ)        with the term (Cᵀ λ)_q δq: λ is an argument
    δc = δ(C a − γ),   δv = δ(C u − ν),   δΦ,   δq̇ = δ(W u + x),   δṡ,   δy of `observe`

Every argument of a slot has a change, time, inputs, parameters, accelerations and multipliers
included. One forward sweep beside the evaluation gives one direction; many directions are a
batch.
"""

from collections.abc import Sequence
from itertools import accumulate

import casadi as ca

from bellcrank.formulations.contract import ARGUMENTS
from bellcrank.formulations.contract.equations import Equations
from bellcrank.model import Expression

CHANGES = (*ARGUMENTS[:-1], "a", "lam")
"""What changes: all arguments but the memory k, then accelerations and multipliers."""

OUTPUTS = {
    "motion": ("r", "c", "v", "phi", "qd", "sd"),
    "observe": ("y",),
}
"""What each question gives: itself first, and its change."""


def variation(equations: Equations, question: str) -> ca.Function:
    """Return the function of arguments, a, λ and their changes that gives values and changes.

    Args:
        equations: Of the machine.
        question: `motion`, the equations themselves, or `observe`, all channels.

    Returns:
        Outputs named as in `OUTPUTS`, each followed by its change: r, d_r, …
    """
    sizes = equations.sizes | {"a": len(equations.speeds), "lam": len(equations.rows)}
    names = (*ARGUMENTS, "a", "lam")
    at = {name: ca.SX.sym(name, sizes[name]) for name in names}
    by = {name: ca.SX.sym(f"d_{name}", sizes[name]) for name in CHANGES}
    values = _motion(equations, at) if question == "motion" else _observed(equations, at)
    stacked = ca.vertcat(*values.values())
    along, step = (ca.vertcat(*(each[name] for name in CHANGES)) for each in (at, by))
    change = ca.jtimes(stacked, along, step)
    ends = [0, *accumulate(value.numel() for value in values.values())]
    parts = ca.vertsplit(ca.densify(change), ends)
    outputs = {}
    for (name, value), part in zip(values.items(), parts, strict=True):
        outputs |= {name: ca.densify(value), f"d_{name}": part}
    return ca.Function(
        f"variation_{question}", [*at.values(), *by.values()], list(outputs.values()),
        [*at, *(f"d_{name}" for name in by)], list(outputs),
    )  # fmt: skip


def _motion(equations: Equations, at: dict[str, ca.SX]) -> dict[str, ca.SX]:
    """Return the residuals of the equations of motion, and rates."""
    given = [at[name] for name in ARGUMENTS]
    a, lam, u = at["a"], at["lam"], at["u"]
    empty = ca.SX(0, 1)
    W, x = equations.function("kinematics")(*given)
    values = {"r": equations.function("residual")(*given, a, lam), "c": empty, "v": empty}
    if equations.rows:
        C, nu = equations.function("velocity")(*given)
        values |= {"c": C @ a - equations.function("acceleration")(*given), "v": C @ u - nu}
    has = any(row.level == "position" for row in equations.rows)
    values["phi"] = equations.function("position")(*given) if has else empty
    values["qd"] = W @ u + x
    values["sd"] = equations.function("auxiliary")(*given) if equations.auxiliary else empty
    return values


def _observed(equations: Equations, at: dict[str, ca.SX]) -> dict[str, ca.SX]:
    given = [at[name] for name in ARGUMENTS]
    return {"y": equations.function("observe")(*given, at["a"])}


def measured(
    equations: Equations, values: Sequence[Expression], rates: Sequence[Expression]
) -> ca.Function:
    """Return the function that gives quantities y, and Y, r of their rates ẏ = Y u + r.

    Args:
        equations: Of the machine.
        values: Quantities of positions.
        rates: Their rates.
    """
    at = {name: ca.SX.sym(name, size) for name, size in equations.sizes.items()}
    y = equations.signals(tuple(values))(*at.values())
    yd = equations.signals(tuple(rates))(*at.values())
    Y = ca.jacobian(yd, at["u"])
    rest = ca.substitute(yd, at["u"], ca.SX.zeros(at["u"].shape))
    outputs = {"y": ca.densify(y), "Y": ca.densify(Y), "r": ca.densify(rest)}
    return ca.Function(
        "measured", list(at.values()), list(outputs.values()), list(at), list(outputs)
    )
