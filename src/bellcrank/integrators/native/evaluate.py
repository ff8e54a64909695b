"""Calls of the problem's kernels at a time and a place.

`place` is the address of a state x = [q, u, s]; `i` and `f` are the blocks of `contract`.
"""

from bellcrank.integrators import contract as c
from bellcrank.linear.native.raw import address, call, doubles, native


@native
def inputs(i, time):
    """Set W = W0 + W1 t, where the inputs vary with time."""
    if i[c.RAMP] != 0:
        w, w0, w1 = doubles(i[c.W]), doubles(i[c.W0]), doubles(i[c.W1])
        for n in range(i[c.NW]):
            w[n] = w0[n] + w1[n] * time


@native
def look(i, time, place):
    """Point the kernels' inputs at a time and a place."""
    doubles(i[c.CLOCK])[0] = time
    inputs(i, time)
    i[c.IN + 1] = place
    i[c.IN + 2] = place + 8 * i[c.NQ]
    i[c.IN + 3] = place + 8 * (i[c.NQ] + i[c.NU])


@native
def derivative(i, time, place, row):
    """Write ẋ = [q̇, u̇, ṡ] at a time and a place to the row at address `row`."""
    look(i, time, place)
    i[c.OUT] = row
    i[c.OUT + 1] = row + 8 * i[c.NQ]
    i[c.OUT + 2] = row + 8 * (i[c.NQ] + i[c.NU])
    call(i[c.RHS], address(i, c.IN), address(i, c.OUT), i[c.WORK])
    i[c.EVALUATIONS] += 1


@native
def normalize(i, time, place):
    """Bring q and u at `place` back where they must lie; False, and they stay, if it fails.

    The kernel gives q, and may give u as a second output; u stays where it does not.
    """
    if i[c.NORMALIZE] == 0:
        return True
    look(i, time, place)
    x, own, size = doubles(place), doubles(i[c.SCRATCH]), i[c.NQ] + i[c.NU]
    for n in range(size):
        own[n] = x[n]
    i[c.OUT] = i[c.SCRATCH]
    i[c.OUT + 1] = i[c.SCRATCH] + 8 * i[c.NQ]
    call(i[c.NORMALIZE], address(i, c.IN), address(i, c.OUT), i[c.WORK])
    nothing = 0.0
    for n in range(size):
        nothing += 0.0 * own[n]
    if nothing == 0.0:
        for n in range(size):
            x[n] = own[n]
    return nothing == 0.0


@native
def watch(i, time, place):
    """Evaluate the switching functions into Z, event functions and turning angles into G."""
    look(i, time, place)
    if i[c.NK] != 0:
        i[c.OUT] = i[c.Z]
        call(i[c.SWITCHES], address(i, c.IN), address(i, c.OUT), i[c.WORK])
    if i[c.NE] + i[c.NP] != 0:
        i[c.OUT] = i[c.G]
        call(i[c.EVENTS], address(i, c.IN), address(i, c.OUT), i[c.WORK])


@native
def settle(i, time, place, keep):
    """Set the modes k to the signs of the switching functions.

    A switching function may depend on the modes of others, so this is repeated until
    nothing changes. With `keep`, a function that is exactly zero leaves its mode alone;
    without, the mode is then +1.
    """
    k, z = doubles(i[c.MEMORY]), doubles(i[c.Z])
    for _ in range(i[c.NK] + 1):
        watch(i, time, place)
        changed = False
        for n in range(i[c.NK]):
            mode = k[n]
            if z[n] < 0.0:
                mode = -1.0
            elif z[n] > 0.0 or not keep:
                mode = 1.0
            if mode != k[n]:
                k[n] = mode
                changed = True
        if not changed:
            break
