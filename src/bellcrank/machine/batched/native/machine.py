"""A large machine by passes over its elements: points, matrices, factors, products.

`machine` is the record laid out in `table`.
"""

from bellcrank.linear.native.raw import (
    address,
    doubles,
    integers,
    native,
    record,
    request,
    run_pass,
)
from bellcrank.linear.sparse_lu import DONE, FACTOR, SOLVE
from bellcrank.machine.batched.native.table import LAYOUT

machine_at = record(LAYOUT)


@native
def copy(out, source, n):
    """Copy n numbers."""
    for k in range(n):
        out[k] = source[k]


@native
def face(machine, time, q, u, w, k):
    """Set time, coordinates (brought back on their invariants), speeds, inputs and memory."""
    nq, nu = machine.nq, machine.nu
    doubles(machine.t)[0] = time
    q0, step = doubles(machine.q0), doubles(machine.x)
    copy(q0, q, nq)
    copy(doubles(machine.u), u, nu)
    for n in range(nu):
        step[n] = 0.0
    copy(doubles(machine.w), w, machine.nw)
    copy(doubles(machine.k), k, machine.nk)
    run_pass(machine.pass_routine, machine.move)


@native
def evaluate(machine, c0, c1, c2, c3, c4):
    """Set FOUND to the entries of the matrix at the point, for factors of `iteration`."""
    c = doubles(machine.factors)
    c[0], c[1], c[2], c[3], c[4] = c0, c1, c2, c3, c4
    run_pass(machine.pass_routine, machine.iteration)


@native
def matrix(machine, out, c0, c1, c2, c3, c4):
    """Fill `out` with the entries of the matrix at the point."""
    evaluate(machine, c0, c1, c2, c3, c4)
    copy(out, doubles(machine.found), machine.entries)


@native
def scaled(machine, entries, stride):
    """Scale the entries of a matrix, and keep it regular."""
    starts, down, scale = (
        integers(machine.starts),
        integers(machine.down),
        doubles(machine.scale),
    )
    diagonal, nu, epsilon = integers(machine.diagonal), machine.nu, doubles(machine.epsilon)
    for col in range(nu + machine.m):
        for k in range(starts[col], starts[col + 1]):
            entries[stride * k] *= scale[col] * scale[down[k]]
            if stride == 2:
                entries[2 * k + 1] *= scale[col] * scale[down[k]]
    for row in range(machine.m):
        entries[stride * diagonal[nu + row]] -= epsilon[row]


@native
def factor(machine, factors, fresh, entries):
    """Factorise, by the record of some factors. Say whether it could be done.

    Pivots are kept from one matrix to the next, unless `fresh` ones are wanted.
    """
    lu = machine.lu_complex if factors == machine.complex else machine.lu
    return request(lu, factors, address(entries, 0), 0, fresh, FACTOR) == DONE


@native
def unproven(run, machine):
    """Say whether pivots are to be chosen anew: where a step was rejected since they were."""
    return machine.seen != run.rejected


@native
def solve(machine, factors, b):
    """Replace a scaled right-hand side by the scaled solution."""
    lu = machine.lu_complex if factors == machine.complex else machine.lu
    request(lu, factors, 0, address(b, 0), 0, SOLVE)


@native
def side(machine, number):
    """Return one of the right-hand sides."""
    return doubles(machine.side + 8 * number * (machine.nu + machine.m))


@native
def times(machine, entries, x, first, last, out):
    """Set out to rows `first` to `last` of a matrix, times a vector of speeds."""
    starts, down = integers(machine.starts), integers(machine.down)
    for row in range(last - first):
        out[row] = 0.0
    for col in range(machine.nu):
        for k in range(starts[col], starts[col + 1]):
            if first <= down[k] < last:
                out[down[k] - first] += entries[k] * x[col]


@native
def pushed(machine, entries, lam, rows, out):
    """Set out = D Cᵀ λ, with the first `rows` rows of C in a matrix."""
    starts, down, nu = integers(machine.starts), integers(machine.down), machine.nu
    scale = doubles(machine.scale)
    for col in range(nu):
        total = 0.0
        for k in range(starts[col], starts[col + 1]):
            row = down[k] - nu
            if 0 <= row < rows:
                total += entries[k] * lam[row]
        out[col] = scale[col] * scale[col] * total


@native
def nearest(machine, entries, fresh):
    """Factorise [D⁻¹ C_hᵀ; C_h 0] of a matrix, which finds nearest positions and speeds."""
    starts, down, nu, mh = (
        integers(machine.starts),
        integers(machine.down),
        machine.nu,
        machine.mh,
    )
    scale, out, diagonal = (
        doubles(machine.scale),
        doubles(machine.mixed),
        integers(machine.diagonal),
    )
    for col in range(nu + machine.m):
        for k in range(starts[col], starts[col + 1]):
            row = down[k]
            tie = (row >= nu) != (col >= nu) and max(row, col) < nu + mh
            out[k] = entries[k] * scale[row] * scale[col] if tie else 0.0
    epsilon = doubles(machine.epsilon)
    for n in range(nu):
        out[diagonal[n]] = 1.0
    for row in range(machine.m):
        out[diagonal[nu + row]] = -epsilon[row] if row < mh else -1.0
    return factor(machine, machine.nearest, fresh, out)


@native
def solve_nearest(machine, b):
    """Replace [β, Δ] by [η, μ]: η nearest to β with C_h η = Δ, η = β − D C_hᵀ μ."""
    nu, scale = machine.nu, doubles(machine.scale)
    for n in range(nu):
        b[n] /= scale[n]
    for n in range(nu, nu + machine.m):
        b[n] *= scale[n]
    solve(machine, machine.nearest, b)
    for n in range(nu + machine.m):
        b[n] *= scale[n]
