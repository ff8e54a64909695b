"""Speeds where motions branch: C loses rank, and C u = ν alone allows what no motion has.

Speeds u belong to a motion only if accelerations go with them: there is u̇ with C u̇ = γ(q, u),
so that every n with nᵀC = 0 has

    nᵀγ(q, u) = 0                   one quadratic condition each

For rows that repeat others it holds by itself. Where C loses rank in one position, the
conditions cut the cone of the branches out of the kernel of C: two lines for a four-bar that
lies flat. Of the branches that have what was named, the one of least kinetic energy is taken
(the nearest, in the mass metric, to the speeds that were said).

References:
    Müller (2018), Higher-order analysis of kinematic singularities of lower pair linkages,
    J. Mechanisms Robotics 10(1): the tangent cone of the configuration space.
"""

from collections.abc import Callable

import numpy as np

from bellcrank.constraints import gauss
from bellcrank.constraints.assembly.closing import ClosingPoint
from bellcrank.errors import StartError
from bellcrank.linear import rank

Array = np.ndarray
MET = 1e-7  # of a condition over the square of the speeds
SEEDS = 40  # from which branches are looked for where there are several conditions


def settled(
    there: ClosingPoint,
    q: Array,
    u: Array,
    free: Array,
    near: tuple[Array, Array] | None = None,
) -> Array:
    """Return speeds on a branch of the motion: u itself, where nothing branches.

    Args:
        there: The machine.
        q: Consistent coordinates.
        u: The nearest speeds with C u = ν.
        free: Which of them were not named.
        near: Which of them should be near which values; those decide before the energy.

    Warns:
        Bifurcation: There are several branches; it says which was taken.

    Raises:
        StartError: What was named is on none of them.
    """
    own = len(there.system.equations.rows)
    if not u.any() or not own:
        return u
    C = there.matrix("velocity", q)
    natural = there.natural("velocity", C)
    C, sizes = C / natural[:, None], (there.scale["velocity"] * natural)[:own]
    N = left_kernel(C[:own] * there.reach)
    if not N.size:
        return u

    def conditions(speeds: Array) -> Array:
        gamma = there.ask("acceleration", q, speeds)[0]
        return N.T @ (gamma / sizes)

    size = there.size(u)
    if np.abs(conditions(u)).max() <= MET * size**2:
        return u
    A = there.ask("mass", q)[0]
    found = branches(conditions, u, kernel(A, C, free, there.reach), there.reach, size)
    if not found and free.all():
        return u  # drivers that contradict each other; `check_motion` names them
    if not found:
        raise StartError(_on_none(there, q, u, free, conditions, A, C))
    if near is not None and near[0].any():
        return min(found, key=lambda one: there.size((one - near[1]) * near[0]))
    found.sort(key=lambda one: float(one @ A @ one))
    if len(found) > 1:
        there.tell(_said(there, found, free))
    return found[0]


def left_kernel(C: Array) -> Array:
    """Return N (m, k) with NᵀC = 0 of measured rows, NᵀN = 1."""
    return rank.split(C, relative=rank.SECOND_ORDER, floor=rank.SECOND_ORDER)[1]


def kernel(A: Array, C: Array, free: Array, reach: Array) -> Array:
    """Return Z (nu, d) with C Z = 0, zero where not free, ZᵀAZ = 1; C reach is measured."""
    Z = np.zeros((len(A), 0))
    if not free.any():
        return Z
    L = np.linalg.cholesky(gauss.metric(A[np.ix_(free, free)], C[:, free], reach[free]))
    B = np.linalg.solve(L, C[:, free].T)
    U = np.linalg.svd(B, full_matrices=True)[0]
    # The kernel is that of the rows; lengths in the mass metric say nothing of rank.
    scaled, flat = (C * reach)[:, free], rank.SECOND_ORDER
    r = int(rank.rank(scaled, relative=flat, floor=flat))
    Z = np.zeros((len(A), len(B) - r))
    Z[free] = np.linalg.solve(L.T, U[:, r:])
    return Z


def branches(
    conditions: Callable[[Array], Array],
    base: Array,
    Z: Array,
    reach: Array,
    size: float,
    tol: float = MET,
) -> list[Array]:
    """Return the vectors base + Z y that meet quadratic conditions, the nearest first.

    Args:
        conditions: Quadratic ones of a vector.
        base: The vector from which distances count; orthogonal to Z.
        Z: Orthonormal directions in which it may change, as columns.
        reach: What counts as one, by entry of the vectors.
        size: Of the vectors that are looked for, in these.
        tol: Of a condition over size², below which it is met.
    """
    d = Z.shape[1]
    stretch = size / max(float(np.abs(Z / reach[:, None]).max(initial=0.0)), 1e-300)
    quadrics = _quadrics(lambda y: conditions(base + Z @ (stretch * y)), d, tol * size**2)
    if quadrics is None:
        return [base]
    found = _common_zeros(*quadrics)
    return [base + Z @ (stretch * y) for y in found]


def _quadrics(
    form: Callable[[Array], Array], d: int, tol: float
) -> tuple[Array, Array, Array] | None:
    """Return c, g, H of independent quadratic forms c + g y + yᵀ H y, or None if all vanish."""
    c, unit = form(np.zeros(d)), np.eye(d)
    plus, minus = ([form(sign * e) for e in unit] for sign in (1.0, -1.0))
    g = np.array([(a - b) / 2 for a, b in zip(plus, minus, strict=True)]).reshape(d, len(c))
    H = np.zeros((d, d, len(c)))
    for i in range(d):
        H[i, i] = (plus[i] + minus[i]) / 2 - c
        for j in range(i):
            H[i, j] = H[j, i] = (form(unit[i] + unit[j]) - plus[i] - plus[j] + c) / 2
    flat = np.concatenate([c[None], g, H.reshape(d * d, len(c))]).T
    _, sigma, V = np.linalg.svd(flat, full_matrices=False)
    flat = V[rank.counted(sigma, relative=0.0, floor=tol)]
    if not len(flat):
        return None
    return flat[:, 0], flat[:, 1 : 1 + d], flat[:, 1 + d :].reshape(len(flat), d, d)


def _common_zeros(c: Array, g: Array, H: Array) -> list[Array]:
    """Return real common zeros of quadrics, the nearest to zero first."""
    d = g.shape[1]
    if d == 0:
        return []
    if d == 1:
        roots = np.roots([H[0, 0, 0], g[0, 0], c[0]]) if abs(H[0]).max() > 1e-9 else (
            np.array([-c[0] / g[0, 0]]) if abs(g[0, 0]) > 1e-9 else np.zeros(0)
        )  # fmt: skip
        seeds = [np.array([root.real]) for root in roots if abs(root.imag) <= 1e-6 * abs(root)]
    else:
        noise = np.random.default_rng(1)
        seeds = [np.zeros(d), *noise.normal(size=(SEEDS * d, d))]
    found: list[Array] = []
    for seed in seeds:
        y = _nearest_zero(c, g, H, seed)
        if y is not None and all(np.abs(y - other).max() > 1e-5 for other in found):
            found.append(y)
    return sorted(found, key=lambda y: float(y @ y))


def _nearest_zero(c: Array, g: Array, H: Array, y: Array) -> Array | None:
    """Return a common zero of quadrics that is, among its neighbours, nearest to zero."""
    for _ in range(60):
        value = c + g @ y + y @ H @ y
        J = g + 2 * H @ y
        back = rank.pseudo_inverse(J)
        slide = y - back @ (J @ y)
        step = -back @ value - slide
        if np.abs(step).max() < 1e-13 * (1.0 + np.abs(y).max()):
            break
        y = y + step * min(1.0, 1.0 / np.linalg.norm(step))
    value = c + g @ y + y @ H @ y
    return y if np.abs(value).max() <= 1e-9 * (1.0 + y @ y) else None


# --- words


def _said(there: ClosingPoint, found: list[Array], free: Array) -> str:
    """Return the sentence that names the branches, and the one that was taken."""
    name, values = _telling(there, found, free)
    others = " or ".join(f"{value:.6g}" for value in values[1:4])
    return (
        f"'{there.system.equations.name}' starts where its motion branches: "
        f"'{name}' may be {values[0]:.6g} or {others} with the speeds that are named. "
        f"The branch of least kinetic energy was taken, {name} = {values[0]:.6g}. Name it in "
        "start to choose."
    )


def _telling(there: ClosingPoint, found: list[Array], free: Array) -> tuple[str, list[float]]:
    """Return the name of the speed that differs most between branches, and its values."""
    spread = np.where(free, np.ptp(np.array(found), axis=0) / there.reach, -1.0)
    place = int(np.argmax(spread))
    return there.system.speeds[place], [float(u[place]) for u in found]


def _on_none(
    there: ClosingPoint,
    q: Array,
    u: Array,
    free: Array,
    conditions: Callable,
    A: Array,
    C: Array,
) -> str:
    """Return the sentence that says which branches there are, with the first name held."""
    said = "the speeds named in start belong to no motion through this position, in which "
    said += f"the motions of '{there.system.equations.name}' branch."
    named = [i for i in np.flatnonzero(~free) if u[i] != 0.0]
    if not named:
        return f"{said} Name other speeds, or start from a neighbouring position."
    loose = np.ones(len(u), dtype=bool)
    loose[named[0]] = False
    own = len(there.system.equations.rows)
    base = np.zeros(len(u))
    base[named[0]] = u[named[0]]
    C = C[:own]
    base = base + there.speeds_step(q, base, loose)
    found = branches(
        conditions, base, kernel(A, C, loose, there.reach), there.reach, there.size(u)
    )
    if not found:
        return f"{said} Name other speeds, or start from a neighbouring position."
    first = there.system.speeds[named[0]]
    name, values = _telling(there, found, loose)
    shown = " or ".join(f"{value:.6g}" for value in values[:4])
    return f"{said} With {first} = {u[named[0]]:.6g}, '{name}' may be {shown}."
