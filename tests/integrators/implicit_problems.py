"""Problems with Jacobians, compiled from CasADi expressions."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np

from bellcrank.integrators import Problem
from bellcrank.kernels.build import build

NAMES = ["t", "q", "u", "s", "w", "p", "k"]


def make(
    rhs: Callable[..., Any],
    nq: int,
    nu: int = 0,
    ns: int = 0,
    nw: int = 0,
    nk: int = 0,
    mass: Any = None,
    parameters: tuple[float, ...] = (),
    switches: Callable[..., Any] | None = None,
    events: Callable[..., Any] | None = None,
    directions: tuple[int, ...] = (),
    terminal: tuple[bool, ...] = (),
    second_order: bool = False,
    seen_mass: Callable[..., Any] | None = None,
) -> Problem:
    """Return a problem from laws of (t, q, u, s, w, p, k) that give lists.

    With `mass`, a constant matrix, the law of u̇ is divided by it. What the matrix of implicit
    methods has in its place is `seen_mass`.
    """
    sizes = [1, nq, nu, ns, nw, len(parameters), nk]
    symbols = [ca.SX.sym(each, size) for each, size in zip(NAMES, sizes, strict=True)]
    given = [*rhs(*symbols), [], []][:3]
    parts = [ca.vertcat(*part) if len(part) else ca.SX(0, 1) for part in given]
    x = ca.vertcat(*symbols[1:4])
    A = ca.SX(np.eye(nu) if mass is None else np.asarray(mass))
    F = ca.densify(ca.jacobian(ca.vertcat(*parts), x))
    if mass is not None:
        parts[1] = ca.solve(A, parts[1])

    if seen_mass is not None:
        A = ca.SX(seen_mass(*symbols))

    def kernel(name: str, outputs: dict[str, Any]) -> Any:
        return build(ca.Function(name, symbols, list(outputs.values()), NAMES, list(outputs)))

    def one(name: str, law: Callable[..., Any] | None) -> Any:
        return law and kernel(name, {"y": ca.vertcat(*law(*symbols))})

    return Problem(
        rhs=kernel("rhs", dict(zip(("qd", "ud", "sd"), parts, strict=True))),
        nq=nq,
        nu=nu,
        ns=ns,
        nw=nw,
        parameters=np.array(parameters),
        memory=np.zeros(nk),
        switches=one("switches", switches),
        events=one("events", events),
        directions=directions,
        terminal=terminal,
        second_order=second_order,
        jacobian=kernel("jacobian", {"F": F, "A": ca.densify(A)}),
    )
