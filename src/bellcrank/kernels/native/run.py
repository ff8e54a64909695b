"""The record of a run in native code, and calls of its kernels at a time and a place.

`place` is the address of a state x = [q, u, s].
"""

from bellcrank.kernels.run import LAYOUT
from bellcrank.linear.native.raw import call, doubles, field, native, record

run_at = record(LAYOUT)
inputs_of = field(LAYOUT, "in_t")  # addresses that a kernel is called with
outputs_of = field(LAYOUT, "out")


@native
def inputs(run, time):
    """Set W = W0 + W1 t, where the inputs vary with time."""
    if run.ramp != 0:
        w, w0, w1 = doubles(run.w), doubles(run.w0), doubles(run.w1)
        for n in range(run.nw):
            w[n] = w0[n] + w1[n] * time


@native
def look(run, time, place):
    """Point the kernels' inputs at a time and a place."""
    doubles(run.clock)[0] = time
    inputs(run, time)
    run.in_q = place
    run.in_u = place + 8 * run.nq
    run.in_s = place + 8 * (run.nq + run.nu)


@native
def derivative(run, time, place, row):
    """Write ẋ = [q̇, u̇, ṡ] at a time and a place to the row at address `row`."""
    look(run, time, place)
    run.out = row
    run.out1 = row + 8 * run.nq
    run.out2 = row + 8 * (run.nq + run.nu)
    call(run.rhs, inputs_of(run), outputs_of(run), run.work)
    run.evaluations += 1


@native
def normalize(run, time, place):
    """Bring q and u at `place` back where they must lie; False, and they stay, if it fails.

    The kernel gives q, and may give u as a second output; u stays where it does not.
    """
    if run.normalize == 0:
        return True
    look(run, time, place)
    x, own, size = doubles(place), doubles(run.scratch), run.nq + run.nu
    for n in range(size):
        own[n] = x[n]
    run.out = run.scratch
    run.out1 = run.scratch + 8 * run.nq
    call(run.normalize, inputs_of(run), outputs_of(run), run.work)
    nothing = 0.0
    for n in range(size):
        nothing += 0.0 * own[n]
    if nothing == 0.0:
        for n in range(size):
            x[n] = own[n]
    return nothing == 0.0


@native
def watch(run, time, place):
    """Evaluate the switching functions into Z, event functions and turning angles into G."""
    look(run, time, place)
    if run.nk != 0:
        run.out = run.z
        call(run.switches, inputs_of(run), outputs_of(run), run.work)
    if run.ne + run.turning != 0:
        run.out = run.g
        call(run.events, inputs_of(run), outputs_of(run), run.work)


@native
def settle(run, time, place, keep):
    """Set the modes k to the signs of the switching functions.

    A switching function may depend on the modes of others, so this is repeated until
    nothing changes. With `keep`, a function that is exactly zero leaves its mode alone;
    without, the mode is then +1.
    """
    k, z = doubles(run.memory), doubles(run.z)
    for _ in range(run.nk + 1):
        watch(run, time, place)
        changed = False
        for n in range(run.nk):
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
