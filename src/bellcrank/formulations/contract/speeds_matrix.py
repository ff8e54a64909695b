"""The matrix Y of generalized speeds u = Y y + z: its inverse, and where it is singular."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from bellcrank.formulations.contract.equations import Guard
from bellcrank.model.expressions import Signal

if TYPE_CHECKING:
    import casadi as ca

    from bellcrank.formulations.contract.symbols import Symbols

LARGE = 5
"""Rows of a block above which its determinant is not expanded by minors."""

REGULARITY = "regularity of Y"
"""The name of what tells how far Y is from singular."""


def singular_guards() -> tuple[Guard, ...]:
    """Return what ends a run where Y is singular, and warns near there."""
    message = (
        "the matrix Y of the speeds u = Y q̇ + z is {}singular, and the rates of the "
        "coordinates {}. Choose speeds that are independent there."
    )
    stop = message.format("", "do not follow from the speeds")
    near = message.format("nearly ", "become large")
    return tuple(
        guard
        for sign in (1.0, -1.0)
        for guard in (
            Guard(sign * Signal(REGULARITY) - 1e-7, stop),
            Guard(sign * Signal(REGULARITY) - 1e-4, near, stops=False),
        )
    )


def inverse(Y: "ca.SX") -> "ca.SX":
    """Return Y⁻¹, by minors of the diagonal blocks of its block triangular form.

    Minors divide by the determinant alone: a pivot may vanish where Y is regular.
    """
    import casadi as ca

    rows, cols, parts = _triangular(Y)
    moved, right = Y[rows, cols], ca.SX.eye(Y.shape[0])[rows, :]
    found = ca.SX(*Y.shape)
    for part in parts:
        before = list(range(part[0]))
        known = right[part, :] - moved[part, before] @ found[before, :]
        found[part, :] = _block_inverse(moved[part, part]) @ known
    back = [0] * len(cols)
    for place, column in enumerate(cols):
        back[column] = place
    return ca.sparsify(found[back, :])


def _triangular(Y: "ca.SX") -> tuple[list[int], list[int], list[list[int]]]:
    """Return rows and columns that make Y block lower triangular, and the places of blocks."""
    count, rows, cols, starts, *_ = Y.sparsity().btf()
    parts = [list(range(starts[i], starts[i + 1])) for i in range(count)]
    return list(rows), list(cols), parts


def _block_inverse(block: "ca.SX") -> "ca.SX":
    import casadi as ca

    full = ca.densify(block)
    if full.shape[0] == 1:
        return 1 / full
    return ca.inv_minor(full) if full.shape[0] <= LARGE else ca.inv(full)


def regularity(
    Y: "ca.SX", symbols: "Symbols", q: Sequence[float], p: Sequence[float]
) -> "ca.SX":
    """Return determinants of the diagonal blocks of Y against those of the drawing: the least.

    1 in the drawing, 0 where Y is singular, and of another sign beyond.

    Args:
        Y: Square, on symbols.
        symbols: They.
        q: Coordinates of the drawing.
        p: Nominal values of parameters.
    """
    import casadi as ca

    rows, cols, parts = _triangular(Y)
    moved = Y[rows, cols]
    found = ca.vertcat(*(_determinant(moved[part, part]) for part in parts))
    at = {name: [0.0] * column.numel() for name, column in symbols.columns.items()}
    at |= {"q": list(q), "p": list(p)}
    drawn = symbols.function("drawing", {"d": found})
    share = ca.vertsplit(found / drawn.call([ca.DM(value) for value in at.values()])[0])
    sign = ca.SX(1.0)
    for part in share:
        sign = sign * ca.if_else(part < 0, -1.0, 1.0)
    return sign * ca.mmin(ca.fabs(ca.vertcat(*share)))


def _determinant(part: "ca.SX") -> "ca.SX":
    """Return the determinant; of a large block its size, from orthogonal factors."""
    import casadi as ca

    if part.shape[0] <= LARGE:
        return ca.det(ca.densify(part))
    return ca.exp(ca.sum1(ca.log(ca.fabs(ca.diag(ca.qr(ca.densify(part))[1])))))
