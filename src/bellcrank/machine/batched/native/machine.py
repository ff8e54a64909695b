"""A large machine by rounds over its elements: points, matrices, factors, products.

`e` is the table laid out in `table`.
"""

from bellcrank.constraints.native.machine import integers
from bellcrank.linear.native.raw import address, doubles, native, play, request
from bellcrank.linear.sparse_lu import DONE, FACTOR, SOLVE
from bellcrank.machine.batched.native import table as s


@native
def copy(out, source, n):
    """Copy n numbers."""
    for k in range(n):
        out[k] = source[k]


@native
def face(e, time, q, u, w, k):
    """Set time, coordinates (brought back on their invariants), speeds, inputs and memory."""
    nq, nu = e[s.NQ], e[s.NU]
    doubles(e[s.T])[0] = time
    q0, step = doubles(e[s.Q0]), doubles(e[s.X])
    copy(q0, q, nq)
    copy(doubles(e[s.U]), u, nu)
    for n in range(nu):
        step[n] = 0.0
    copy(doubles(e[s.W]), w, e[s.NW])
    copy(doubles(e[s.K]), k, e[s.NK])
    play(e[s.PLAY], e[s.MOVE])


@native
def evaluate(e, c0, c1, c2, c3, c4):
    """Set FOUND to the entries of the matrix at the point, for factors of `iteration`."""
    c = doubles(e[s.FACTORS])
    c[0], c[1], c[2], c[3], c[4] = c0, c1, c2, c3, c4
    play(e[s.PLAY], e[s.ITERATION])


@native
def matrix(e, out, c0, c1, c2, c3, c4):
    """Fill `out` with the entries of the matrix at the point."""
    evaluate(e, c0, c1, c2, c3, c4)
    copy(out, doubles(e[s.FOUND]), e[s.ENTRIES])


@native
def scaled(e, entries, stride):
    """Scale the entries of a matrix, and keep it regular."""
    starts, down, scale = integers(e[s.STARTS]), integers(e[s.DOWN]), doubles(e[s.SCALE])
    diagonal, nu, epsilon = integers(e[s.DIAGONAL]), e[s.NU], doubles(e[s.EPSILON])
    for col in range(nu + e[s.M]):
        for k in range(starts[col], starts[col + 1]):
            entries[stride * k] *= scale[col] * scale[down[k]]
            if stride == 2:
                entries[2 * k + 1] *= scale[col] * scale[down[k]]
    for row in range(e[s.M]):
        entries[stride * diagonal[nu + row]] -= epsilon[row]


@native
def factor(e, slot, fresh, entries):
    """Factorise; REAL, COMPLEX, … are slots. Say whether it could be done.

    Pivots are kept from one matrix to the next, unless `fresh` ones are wanted.
    """
    lu = e[s.LU_COMPLEX] if slot == s.COMPLEX else e[s.LU]
    return request(lu, e[slot], address(entries, 0), 0, fresh, FACTOR) == DONE


@native
def solve(e, slot, b):
    """Replace a scaled right-hand side by the scaled solution."""
    lu = e[s.LU_COMPLEX] if slot == s.COMPLEX else e[s.LU]
    request(lu, e[slot], 0, address(b, 0), 0, SOLVE)


@native
def side(e, number):
    """Return one of the right-hand sides."""
    return doubles(e[s.SIDE] + 8 * number * (e[s.NU] + e[s.M]))


@native
def times(e, entries, x, first, last, out):
    """Set out to rows `first` to `last` of a matrix, times a vector of speeds."""
    starts, down = integers(e[s.STARTS]), integers(e[s.DOWN])
    for row in range(last - first):
        out[row] = 0.0
    for col in range(e[s.NU]):
        for k in range(starts[col], starts[col + 1]):
            if first <= down[k] < last:
                out[down[k] - first] += entries[k] * x[col]


@native
def pushed(e, entries, lam, rows, out):
    """Set out = D Cᵀ λ, with the first `rows` rows of C in a matrix."""
    starts, down, nu = integers(e[s.STARTS]), integers(e[s.DOWN]), e[s.NU]
    scale = doubles(e[s.SCALE])
    for col in range(nu):
        total = 0.0
        for k in range(starts[col], starts[col + 1]):
            row = down[k] - nu
            if 0 <= row < rows:
                total += entries[k] * lam[row]
        out[col] = scale[col] * scale[col] * total


@native
def nearest(e, entries, fresh):
    """Factorise [D⁻¹ C_hᵀ; C_h 0] of a matrix, which finds nearest positions and speeds."""
    starts, down, nu, mh = integers(e[s.STARTS]), integers(e[s.DOWN]), e[s.NU], e[s.MH]
    scale, out, diagonal = doubles(e[s.SCALE]), doubles(e[s.MIXED]), integers(e[s.DIAGONAL])
    for col in range(nu + e[s.M]):
        for k in range(starts[col], starts[col + 1]):
            row = down[k]
            tie = (row >= nu) != (col >= nu) and max(row, col) < nu + mh
            out[k] = entries[k] * scale[row] * scale[col] if tie else 0.0
    epsilon = doubles(e[s.EPSILON])
    for n in range(nu):
        out[diagonal[n]] = 1.0
    for row in range(e[s.M]):
        out[diagonal[nu + row]] = -epsilon[row] if row < mh else -1.0
    return factor(e, s.NEAREST, fresh, out)


@native
def solve_nearest(e, b):
    """Replace [β, Δ] by [η, μ]: η nearest to β with C_h η = Δ, η = β − D C_hᵀ μ."""
    nu, scale = e[s.NU], doubles(e[s.SCALE])
    for n in range(nu):
        b[n] /= scale[n]
    for n in range(nu, nu + e[s.M]):
        b[n] *= scale[n]
    solve(e, s.NEAREST, b)
    for n in range(nu + e[s.M]):
        b[n] *= scale[n]
