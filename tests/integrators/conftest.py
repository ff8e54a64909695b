"""Small problems with known answers, compiled from CasADi expressions."""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
import pytest

from bellcrank.integrators import DOP853, DOPRI5, RK4, RKF45, Nystrom4, Problem
from bellcrank.kernels.build import build

NAMES = ["t", "q", "u", "s", "w", "p", "k"]
ADAPTIVE = [RKF45, DOPRI5, DOP853]
FIXED = [RK4, Nystrom4]


def compiled(name: str, sizes: list[int], law: Callable[..., Any], outputs: list[str]) -> Any:
    """Return a kernel whose outputs are what `law(t, q, u, s, w, p, k)` gives."""
    symbols = [ca.SX.sym(each, size) for each, size in zip(NAMES, sizes, strict=True)]
    given = law(*symbols)
    values = [ca.vertcat(*each) if isinstance(each, list) else ca.SX(each) for each in given]
    return build(ca.Function(name, symbols, values, NAMES, outputs))


def make(
    rhs: Callable[..., Any],
    nq: int,
    nu: int = 0,
    ns: int = 0,
    nw: int = 0,
    nk: int = 0,
    parameters: tuple[float, ...] = (),
    normalize: Callable[..., Any] | None = None,
    switches: Callable[..., Any] | None = None,
    events: Callable[..., Any] | None = None,
    directions: tuple[int, ...] = (),
    terminal: tuple[bool, ...] = (),
    second_order: bool = False,
    turning: int = 0,
) -> Problem:
    """Return a problem from laws of (t, q, u, s, w, p, k) that give lists."""
    sizes = [1, nq, nu, ns, nw, len(parameters), nk]

    def one(name: str, law: Callable[..., Any] | None) -> Any:
        return law and compiled(name, sizes, lambda *a: (law(*a),), ["y"])

    def derivatives(*a: Any) -> Any:
        given = rhs(*a)
        return (*given, *([[]] * (3 - len(given))))

    return Problem(
        rhs=compiled("rhs", sizes, derivatives, ["qd", "ud", "sd"]),
        nq=nq,
        nu=nu,
        ns=ns,
        nw=nw,
        parameters=np.array(parameters),
        memory=np.zeros(nk),
        normalize=one("normalize", normalize),
        switches=one("switches", switches),
        events=one("events", events),
        directions=directions,
        terminal=terminal,
        second_order=second_order,
        turning=turning,
    )


@pytest.fixture(scope="session")
def problem() -> Callable[..., Problem]:
    """Return the maker of problems."""
    return make


@pytest.fixture(scope="session")
def oscillator() -> Problem:
    """ẍ = -x as two first-order equations of second-order form."""
    return make(lambda t, q, u, *_: ([u[0]], [-q[0]]), 1, 1, second_order=True)


@pytest.fixture(scope="session")
def duffing() -> Problem:
    """q̈ = -q - q³ - q̇/10 + cos(1.7 t)/2: Duffing's, nonlinear, damped, forced."""

    def rhs(t: Any, q: Any, u: Any, *_: Any) -> Any:
        return [u[0]], [-q[0] - q[0] ** 3 - 0.1 * u[0] + 0.5 * ca.cos(1.7 * t)]

    return make(rhs, 1, 1, second_order=True)


@pytest.fixture(scope="session")
def coupled() -> Problem:
    """Two coordinates with gyroscopic coupling, nonlinear and forced."""

    def rhs(t: Any, q: Any, u: Any, *_: Any) -> Any:
        first = -ca.sin(q[0]) + 0.4 * u[1] * q[1]
        second = -2 * q[1] * ca.cos(q[0]) - 0.4 * u[0] * q[1] + 0.2 * ca.sin(t)
        return [u[0], u[1]], [first, second]

    return make(rhs, 2, 2, second_order=True)


@pytest.fixture(scope="session")
def kepler() -> Problem:
    """The plane orbit r̈ = -r/|r|³."""

    def rhs(t: Any, q: Any, u: Any, *_: Any) -> Any:
        cube = (q[0] ** 2 + q[1] ** 2) ** 1.5
        return [u[0], u[1]], [-q[0] / cube, -q[1] / cube]

    return make(rhs, 2, 2, second_order=True)


@pytest.fixture(scope="session")
def growth() -> Problem:
    """ẋ = x."""
    return make(lambda t, q, *_: ([q[0]],), 1)
