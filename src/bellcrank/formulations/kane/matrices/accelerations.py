"""Angular accelerations of all bodies, by the boxed forms and along any tree.

With ω̂_K the angular velocity of K in L = L(K) along L, ω̂′_K the same along K, and
R_LK = [R_K][R_L]ᵀ:

    fixed   α_K  = α_L + [R_L]ᵀ dω̂_K/dt + ω_L × [R_L]ᵀ ω̂_K
    body    α′_K = R_LK α′_L − ω̂′_K × R_LK ω′_L + dω̂′_K/dt

The second is how `speeds` finds ω̇′; the first is written here from the same speeds on its own.
"""

from collections.abc import Sequence

import casadi as ca

from bellcrank.formulations.kane.matrices.blocks import column_of, folded, vectors
from bellcrank.formulations.kane.school import KaneSchool
from bellcrank.formulations.kane.speeds import ComponentSpeeds
from bellcrank.spatial.arithmetic import ORIGIN, Scalar, Vector, apply, cross, minus, plus


def body_components(school: KaneSchool, a: ca.SX) -> list[ca.SX]:
    """Return α′_K along K for K = 1 … N, with u̇ = a: the second boxed form."""
    rates, _ = school.speeds.base_rate(ca.vertsplit(a))
    return [column_of(rate) for rate in rates[1:]]


def fixed_components(school: KaneSchool, a: ca.SX) -> list[ca.SX]:
    """Return α_K along the inertial frame for K = 1 … N, with u̇ = a: the first boxed form."""
    lower, A = school.connection.lower, school.attitudes.matrices
    spins = [
        apply(A[k], spin) for k, spin in enumerate(school.speeds.base[0])
    ]  # inertial components
    found: list[Vector] = [ORIGIN]
    relative = _relative(school, ca.vertsplit(a))
    for k in school.connection.bodies:
        low = lower[k - 1]
        if relative is None:
            found.append(apply(A[k], school.speeds.base_rate(ca.vertsplit(a))[0][k]))
            continue
        seen = minus(spins[k], spins[low])
        found.append(plus(found[low], apply(A[low], relative[k]), cross(spins[low], seen)))
    return [column_of(rate) for rate in found[1:]]


def _relative(school: KaneSchool, a: Sequence[Scalar]) -> list[Vector] | None:
    """Return dω̂_K/dt along L(K), None where the speeds are not relative."""
    speeds, attitudes = school.speeds, school.attitudes
    if not (isinstance(speeds, ComponentSpeeds) and speeds.relative):
        return None
    count, lower = school.connection.count, school.connection.lower
    given = [ORIGIN, *vectors(a[: 3 * count], count)]
    found: list[Vector] = [ORIGIN]
    for k in school.connection.bodies:
        if school.layout.speeds == "relative fixed":
            found.append(given[k])
        elif speeds.rates:
            found.append(_bent(school, k, given[k]))
        else:  # along K the derivative in L and that in K are the same
            found.append(apply(attitudes.between(lower[k - 1], k), given[k]))
    return found


def _bent(school: KaneSchool, k: int, given: Sequence[Scalar]) -> Vector:
    """Return Γ θ̈ + Γ̇ θ̇ with Γ = [R]ᵀ Y of K's own turn."""
    theta, gamma = school.attitudes.world_block(k)
    rates = column_of(school.scalars["u"][3 * (k - 1) : 3 * k])
    bent = gamma @ column_of(given) + ca.jtimes(gamma @ rates, theta, rates)
    return [folded(entry) for entry in ca.vertsplit(ca.densify(bent))]
