"""Dense factors, real and complex: LU with partial pivoting.

Matrices lie column by column. Complex ones are two real ones, so that loops run over whole
vectors.
"""

from bellcrank.linear.native.raw import native


@native
def factor(a, pivots, n):
    """Replace a by its factors; False if it is singular or not finite."""
    for k in range(n):
        best, place = 0.0, -1
        for row in range(k, n):
            size = abs(a[k * n + row])
            if size > best:
                best, place = size, row
        if place < 0 or not best < 1e300:
            return False
        pivots[k] = place
        if place != k:
            for col in range(n):
                a[col * n + k], a[col * n + place] = a[col * n + place], a[col * n + k]
        inverse = 1.0 / a[k * n + k]
        for row in range(k + 1, n):
            a[k * n + row] *= inverse
        for col in range(k + 1, n):
            value = a[col * n + k]
            if value != 0.0:
                for row in range(k + 1, n):
                    a[col * n + row] -= a[k * n + row] * value
    return True


@native
def solve(a, pivots, n, b):
    """Replace b by the solution, given factors."""
    for k in range(n):
        place = int(pivots[k])
        b[k], b[place] = b[place], b[k]
    for col in range(n):
        value = b[col]
        for row in range(col + 1, n):
            b[row] -= a[col * n + row] * value
    for back in range(n):
        col = n - 1 - back
        b[col] /= a[col * n + col]
        value = b[col]
        for row in range(col):
            b[row] -= a[col * n + row] * value


@native
def factor_pair(a, b, pivots, n):
    """The same for a + i b."""
    for k in range(n):
        best, place = 0.0, -1
        for row in range(k, n):
            size = abs(a[k * n + row]) + abs(b[k * n + row])
            if size > best:
                best, place = size, row
        if place < 0 or not best < 1e150:
            return False
        pivots[k] = place
        if place != k:
            for col in range(n):
                a[col * n + k], a[col * n + place] = a[col * n + place], a[col * n + k]
                b[col * n + k], b[col * n + place] = b[col * n + place], b[col * n + k]
        re, im = a[k * n + k], b[k * n + k]
        size = re * re + im * im
        re, im = re / size, -im / size
        for row in range(k + 1, n):
            first, second = a[k * n + row], b[k * n + row]
            a[k * n + row] = first * re - second * im
            b[k * n + row] = first * im + second * re
        for col in range(k + 1, n):
            re, im = a[col * n + k], b[col * n + k]
            if re != 0.0 or im != 0.0:
                for row in range(k + 1, n):
                    first, second = a[k * n + row], b[k * n + row]
                    a[col * n + row] -= first * re - second * im
                    b[col * n + row] -= first * im + second * re
    return True


@native
def solve_pair(a, b, pivots, n, x, y):
    """Replace x + i y by the solution, given factors."""
    for k in range(n):
        place = int(pivots[k])
        x[k], x[place] = x[place], x[k]
        y[k], y[place] = y[place], y[k]
    for col in range(n):
        re, im = x[col], y[col]
        for row in range(col + 1, n):
            x[row] -= a[col * n + row] * re - b[col * n + row] * im
            y[row] -= a[col * n + row] * im + b[col * n + row] * re
    for back in range(n):
        col = n - 1 - back
        first, second = a[col * n + col], b[col * n + col]
        size = first * first + second * second
        re = (x[col] * first + y[col] * second) / size
        im = (y[col] * first - x[col] * second) / size
        x[col], y[col] = re, im
        for row in range(col):
            x[row] -= a[col * n + row] * re - b[col * n + row] * im
            y[row] -= a[col * n + row] * im + b[col * n + row] * re
