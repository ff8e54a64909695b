"""What is made only when it is needed, or not at all."""

import ctypes
import dataclasses

import numpy as np
import pytest
from tests.machines.four_bars import parallelogram

import bellcrank as bc
from bellcrank.constraints.projecting import quick_projection
from bellcrank.constraints.straight_line import StraightLine
from bellcrank.errors import IntegrationFailed
from bellcrank.machine.start import initial_state

START = {"A.angle_rate": -1.0}


class Broken:
    """A rank-revealing projection that cannot be had; it counts how often it was asked for."""

    def __init__(self):
        self.asked = 0

    @property
    def rhs(self):
        """Its right-hand side."""
        self.asked += 1
        raise MemoryError("no room")

    project = rhs


def even(name):
    """Return a parallelogram without gravity, which turns evenly, and its quick projection."""
    model = dataclasses.replace(parallelogram(gravity=(0.0, 0.0)), name=name)
    system, nothing = bc.compile(model), np.zeros(0)
    x = initial_state(system, START, 0.0, nothing, nothing)
    held = quick_projection(system, 0.0, x, nothing, nothing)
    assert isinstance(held, StraightLine)
    return model, system, held


def test_the_careful_way_is_made_at_the_first_flat_position():
    """Flat at a quarter turn, a parallelogram is singular."""
    model, _, held = even("even")
    for until, made, atol in ((0.5, False, 1e-8), (3.0, True, 1e-7)):
        run = bc.simulate(model, until, start=START, every=until / 10)
        assert ("rank_revealing" in vars(held)) is made
        np.testing.assert_allclose(run.values("A.angle"), -run.t, atol=atol)


def test_a_run_that_needs_what_cannot_be_made_fails_with_the_reason():
    """No exception can pass through native code; the numbers say that there are none."""
    model, _, held = even("even, and no more than that")
    held.rank_revealing = broken = Broken()
    with pytest.raises(IntegrationFailed, match="could not be made: MemoryError") as caught:
        bc.simulate(model, 3.0, start=START, every=0.3, integrator=bc.DOP853())
    found = caught.value.run
    assert 0.5 < found.t[-1] < 1.6  # as far as the quick way leads
    np.testing.assert_allclose(found.values("A.angle"), -found.t, atol=1e-6)
    assert isinstance(caught.value.__cause__, MemoryError)
    assert broken.asked == 1  # it is not tried again


def test_trials_that_are_not_finite_make_nothing():
    _, system, held = even("even, and asked for nothing")
    held.rank_revealing = broken = Broken()
    nq, nu = len(system.coordinates), len(system.speeds)
    sizes = (1, nq, nu, 0, 0, len(system.parameters), len(system.equations.memory))
    given, results = [np.zeros(n) for n in sizes], [np.zeros(nq), np.zeros(nu), np.zeros(1)]
    given[1][0] = np.nan
    tables = [np.array([part.ctypes.data for part in parts]) for parts in (given, results)]
    work = np.zeros(held.rhs.work + 8)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(held.rhs.address)
    call(tables[0].ctypes.data, tables[1].ctypes.data, work.ctypes.data)
    assert np.isnan(results[0]).all()
    assert np.isnan(results[1]).all()
    assert broken.asked == 0


def test_numba_makes_no_machine_code_of_parts():
    """Functions are text until the whole is compiled."""
    from numba import types

    from bellcrank.integrators.native.build import freed
    from bellcrank.kernels import jit
    from bellcrank.linear.native.pipeline import Listed
    from bellcrank.linear.native.raw import native

    @native
    def squared(x):
        return x * x

    def fourth(x):
        return squared(squared(x))

    module = freed(fourth, types.int64(types.int64), "fourth")
    (made,) = squared.overloads.values()
    assert isinstance(made.library, Listed)
    assert made.library.get_pointer_to_function(made.fndesc.llvm_func_name) == 0
    library = jit.link(jit.machine(2).emit_object(module), ["fourth"])
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(library["fourth"])(3) == 81


def test_a_numba_that_cannot_be_taken_apart_is_left_whole(monkeypatch):
    """The option is used with the Numba there is; with one that differs it is left out."""
    from bellcrank.linear.native import pipeline, raw

    assert raw.OPTIONS["pipeline_class"] is pipeline.Listing
    monkeypatch.setattr(pipeline, "Listing", object)
    assert raw.text_only() == {}
