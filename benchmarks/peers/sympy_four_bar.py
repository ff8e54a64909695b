"""SymPy: the plain four-bar reduced by hand to one degree of freedom, SciPy's DOP853.

The crank angle θ is the only coordinate: the other pin of the coupler is the upper
intersection of two circles, an explicit function of θ. With the kinetic energy I(θ) θ̇²/2 and
the potential energy V(θ),

    θ̈ = −(I' θ̇²/2 + V') / I.

The code is `lambdify(cse=True)` over `math`, which is the fastest for single numbers.
"""

from collections.abc import Callable

import numpy as np
import scipy
import sympy as sm
from scipy.integrate import solve_ivp

from benchmarks.machines import GRAVITY

NAME = f"SymPy {sm.__version__} reduced, SciPy {scipy.__version__} DOP853"
SETTINGS = tuple(10.0 ** (-k / 4) for k in range(24, 53))
"""Relative tolerance; the absolute one is 1/100 of it."""


def acceleration() -> Callable[[float, float], float]:
    """Return θ̈ as a function of θ and θ̇."""
    theta, rate = sm.symbols("theta rate")
    A, D = sm.Matrix([0, 0]), sm.Matrix([2, 0])
    B = sm.Matrix([sm.cos(theta), sm.sin(theta)])
    half = (D - B) / 2
    height = sm.sqrt((4 - half.dot(half)) / half.dot(half))
    C = B + half + height * sm.Matrix([-half[1], half[0]])
    inertia, potential = sm.Integer(0), sm.Integer(0)
    for a, b, length in ((A, B, 1), (B, C, 2), (D, C, 2)):
        middle, along = (a + b) / 2, b - a
        v, turn = middle.diff(theta), along.diff(theta)
        w = (along[0] * turn[1] - along[1] * turn[0]) / length**2
        inertia += length * v.dot(v) + sm.Rational(length**3, 12) * w**2
        potential += length * GRAVITY * middle[1]
    force = -(inertia.diff(theta) * rate**2 / 2 + potential.diff(theta))
    return sm.lambdify([theta, rate], force / inertia, modules="math", cse=True)


def build() -> Callable[[float], float]:
    """Return `run(tolerance)`, which returns the angle turned at 10 s [rad]."""
    of = acceleration()

    def rates(_t: float, x: np.ndarray) -> tuple[float, float]:
        return x[1], of(x[0], x[1])

    def run(tolerance: float) -> float:
        track = solve_ivp(
            rates, (0.0, 10.0), (np.pi / 2, 0.0), "DOP853",
            rtol=tolerance, atol=tolerance / 100,
        )  # fmt: skip
        return float(track.y[0, -1]) - np.pi / 2

    return run
