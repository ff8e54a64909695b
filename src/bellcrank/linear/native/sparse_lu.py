"""The LU factors of `bellcrank.linear.sparse_lu`: choose pivots, factorise again, solve.

Column k of U and L comes of one solution with the columns of L before it,

    L x = M q_k,    x above the pivot is U's column, below it over the pivot L's

`v` are pointers to numbers, real or complex: each function is compiled for both.
"""

from bellcrank.linear.native.raw import (
    complexes,
    doubles,
    indices,
    integers,
    native,
    record,
    resize,
)
from bellcrank.linear.sparse_lu import DONE, FACTOR, LAYOUT, NO_MEMORY, SINGULAR

DIAGONAL = 1e-3  # of the largest of its column: what is enough for the diagonal to be the pivot
STALE = 1e-6  # of the largest of its column: below this a pivot that was kept is given up
ROOM = 3  # entries of L, or of U, for each of the matrix, to begin with

factors_at = record(LAYOUT)


@native
def _size(number):
    """Return |re| + |im|, which is as good as a modulus."""
    return abs(number.real) + abs(number.imag)


@native
def _inverse(number):
    """Return 1 / number, infinite or not a number where it is zero."""
    return number.conjugate() * (1.0 / (number.real * number.real + number.imag * number.imag))


# --- pivots


@native
def _grown(f, lower, upper):
    """Have room for so many entries of L and U; say whether there is memory for it."""
    if lower > f.lower_room:
        f.lower_room = lower + lower // 2
        f.lower_rows = resize(f.allocate, f.lower_rows, 4 * f.lower_room)
        f.lower = resize(f.allocate, f.lower, 8 * f.width * f.lower_room)
    if upper > f.upper_room:
        f.upper_room = upper + upper // 2
        f.upper_rows = resize(f.allocate, f.upper_rows, 4 * f.upper_room)
        f.upper = resize(f.allocate, f.upper, 8 * f.width * f.upper_room)
    return f.lower_rows != 0 and f.lower != 0 and f.upper_rows != 0 and f.upper != 0


@native
def _descend(f, k, first, top, end):
    """Put a pivot and all that it reaches through L before `top` of the stack.

    Rows without a pivot go to the `end` of L.
    """
    place, mark, rows = indices(f.place), indices(f.mark), indices(f.lower_rows)
    stack, path, following = indices(f.stack), indices(f.path), integers(f.next)
    starts, depth = integers(f.lower_starts), 0
    path[0], following[0] = first, starts[first]
    while depth >= 0:
        j, p = path[depth], following[depth]
        if p == starts[j + 1]:
            depth, top = depth - 1, top - 1
            stack[top] = j
            continue
        row, following[depth] = rows[p], p + 1
        if mark[row] == k:
            continue
        mark[row] = k
        if place[row] < 0:
            rows[end] = row
            end += 1
        else:
            depth += 1
            path[depth], following[depth] = place[row], starts[place[row]]
    return top, end


@native
def _reach(f, k, column, end):
    """Find what column k fills in: pivots on the stack, from `top` on, and rows up to `end`."""
    starts, rows = indices(f.starts), indices(f.rows)
    place, mark, below, top = indices(f.place), indices(f.mark), indices(f.lower_rows), f.n
    for p in range(starts[column], starts[column + 1]):
        row = rows[p]
        if mark[row] != k:
            mark[row] = k
            if place[row] < 0:
                below[end] = row
                end += 1
            else:
                top, end = _descend(f, k, place[row], top, end)
    return top, end


@native
def _column(f, v, x, lower, upper, column, top, count):
    """Compute a column in `x`, by rows; move what is above the pivot to U, return its end."""
    starts, rows, stack = indices(f.starts), indices(f.rows), indices(f.stack)
    row, below, above = indices(f.row), indices(f.lower_rows), indices(f.upper_rows)
    below_starts = integers(f.lower_starts)
    for p in range(starts[column], starts[column + 1]):
        x[rows[p]] = v[p]
    for s in range(top, f.n):
        j = stack[s]
        here = x[row[j]]
        x[row[j]] = 0.0
        above[count], upper[count] = j, here
        count += 1
        for p in range(below_starts[j], below_starts[j + 1]):
            x[below[p]] -= lower[p] * here
    return count


@native
def _pivot(f, x, column, begin, end):
    """Return where the pivot is among the rows of L from `begin` to `end`; -1 for none."""
    rows, best, most, diagonal = indices(f.lower_rows), -1, 0.0, -1
    for p in range(begin, end):
        size = _size(x[rows[p]])
        if size > most:
            best, most = p, size
        if rows[p] == column:
            diagonal = p
    if diagonal >= 0 and _size(x[column]) > 0.0 and _size(x[column]) >= DIAGONAL * most:
        return diagonal
    return best


@native
def _divide(f, x, lower, pivots, k, chosen, begin, end):
    """Make the pivot's row the k-th, and the others those of L."""
    rows = indices(f.lower_rows)
    row, rows[chosen] = rows[chosen], rows[end - 1]  # the pivot itself is not stored
    indices(f.place)[row], indices(f.row)[k] = k, row
    inverse = _inverse(x[row])
    x[row], pivots[k] = 0.0, inverse
    for p in range(begin, end - 1):
        lower[p] = x[rows[p]] * inverse
        x[rows[p]] = 0.0


@native
def _clear(f, x):
    """Leave no column behind."""
    for n in range(f.n):
        x[n] = 0.0


@native
def _places(f):
    """Count rows of L, and those of the entries of the matrix, by the places of pivots."""
    place, below = indices(f.place), indices(f.lower_rows)
    for p in range(integers(f.lower_starts)[f.n]):
        below[p] = place[below[p]]
    rows, target = indices(f.rows), indices(f.target)
    for p in range(indices(f.starts)[f.n]):
        target[p] = place[rows[p]]


@native
def _choose(f, v, pointers):
    """Factorise, choosing pivots; return a status."""
    n, begin, above, times = f.n, 0, 0, f.chosen + 1
    place, mark, order = indices(f.place), indices(f.mark), indices(f.order)
    x, pivots = pointers(f.work), pointers(f.pivots)
    room, f.chosen = ROOM * indices(f.starts)[n], 0
    for row in range(n):
        place[row] = mark[row] = -1
    for k in range(n):
        if not _grown(f, max(begin + n, room), max(above + n, room)):
            return NO_MEMORY
        integers(f.lower_starts)[k], integers(f.upper_starts)[k] = begin, above
        lower, upper = pointers(f.lower), pointers(f.upper)
        top, end = _reach(f, k, order[k], begin)
        above = _column(f, v, x, lower, upper, order[k], top, above)
        chosen = _pivot(f, x, order[k], begin, end)
        if chosen < 0:
            _clear(f, x)
            f.column = order[k]
            return SINGULAR
        _divide(f, x, lower, pivots, k, chosen, begin, end)
        begin = end - 1
    integers(f.lower_starts)[n], integers(f.upper_starts)[n] = begin, above
    _places(f)
    f.chosen = times
    return DONE


# --- numbers


@native
def _again(f, v, pointers):
    """Factorise with the pivots there are; say whether they still serve."""
    starts, target, order = indices(f.starts), indices(f.target), indices(f.order)
    below, above = indices(f.lower_rows), indices(f.upper_rows)
    lower_starts, upper_starts = integers(f.lower_starts), integers(f.upper_starts)
    lower, upper, x, pivots = (
        pointers(f.lower), pointers(f.upper), pointers(f.work), pointers(f.pivots),
    )  # fmt: skip
    for k in range(f.n):
        for p in range(starts[order[k]], starts[order[k] + 1]):
            x[target[p]] = v[p]
        for p in range(upper_starts[k], upper_starts[k + 1]):
            j = above[p]
            here = x[j]
            x[j], upper[p] = 0.0, here
            for r in range(lower_starts[j], lower_starts[j + 1]):
                x[below[r]] -= lower[r] * here
        inverse, serves, most = _inverse(x[k]), _size(x[k]) > 0.0, 0.0
        x[k], pivots[k] = 0.0, inverse
        for r in range(lower_starts[k], lower_starts[k + 1]):
            entry = x[below[r]] * inverse
            x[below[r]], lower[r] = 0.0, entry
            most = max(most, _size(entry))
        if not (serves and most * STALE <= 1.0):
            return False
    return True


@native
def _factor(f, v, pointers, fresh):
    """Factorise; return a status."""
    if f.chosen > 0 and fresh == 0 and _again(f, v, pointers):
        return DONE
    return _choose(f, v, pointers)


@native
def _solve(f, b, pointers):
    """Replace a right-hand side by the solution."""
    row, order = indices(f.row), indices(f.order)
    below, above = indices(f.lower_rows), indices(f.upper_rows)
    lower_starts, upper_starts = integers(f.lower_starts), integers(f.upper_starts)
    lower, upper, x, pivots = (
        pointers(f.lower), pointers(f.upper), pointers(f.work), pointers(f.pivots),
    )  # fmt: skip
    for k in range(f.n):
        x[k] = b[row[k]]
    for k in range(f.n):
        here = x[k]
        for p in range(lower_starts[k], lower_starts[k + 1]):
            x[below[p]] -= lower[p] * here
    for k in range(f.n - 1, -1, -1):
        here = x[k] * pivots[k]
        b[order[k]], x[k] = here, 0.0
        for p in range(upper_starts[k], upper_starts[k + 1]):
            x[above[p]] -= upper[p] * here


@native
def _do(f, values, b, fresh, what, pointers):
    if what == FACTOR:
        return _factor(f, pointers(values), pointers, fresh)
    _solve(f, pointers(b), pointers)
    return DONE


def sparse_lu(factors, values, b, fresh, what):
    """Factorise the entries at `values`, or replace what is at `b` by its solution.

    Returns:
        A status: `DONE`, `SINGULAR` or `NO_MEMORY`.
    """
    return _do(factors_at(factors), values, b, fresh, what, doubles)


def sparse_lu_complex(factors, values, b, fresh, what):
    """Do the same with complex numbers."""
    return _do(factors_at(factors), values, b, fresh, what, complexes)
