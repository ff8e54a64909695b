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

    def begin(self, rtol=None):
        """Begin a run: there is nothing to forget."""

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


def test_the_rank_revealing_projection_is_made_at_the_first_flat_position():
    """Flat at a quarter turn, a parallelogram is singular."""
    model, _, held = even("even")
    for until, made, atol in ((0.5, False, 1e-8), (3.0, True, 1e-7)):
        run = bc.simulate(model, until, start=START, every=until / 10)
        assert ("rank_revealing" in vars(held)) is made
        np.testing.assert_allclose(run.values("A.angle"), -run.t, atol=atol)


def slider_crank(mass):
    """Return a slider-crank with 1 g of crank and rod, and revolute joints that repeat rows."""
    a, b, c = (0, 0, 0), (0.3, 0, 0.2), (1.2, 0, 0)
    return bc.Model(
        "slider-crank",
        bodies=[
            bc.Body("crank", bc.Rod(a, b, mass=1e-3)),
            bc.Body("rod", bc.Rod(b, c, mass=1e-3)),
            bc.Body("slider", bc.Sphere(0.1, c, mass=mass)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=a, axis="y"),
            bc.Revolute("B", "crank", "rod", at=b, axis="y"),
            bc.Revolute("C", "rod", "slider", at=c, axis="y"),
            bc.Prismatic("P", "ground", "slider", at=c, axis="x"),
        ],
        gravity=(-9.81, 0, 0),
    )


def held_after(model, formulation, until, start):
    """Return the quick projection that a run went through."""
    bc.simulate(model, until, start=start, formulation=formulation)
    system, nothing = bc.compile(model, formulation), np.zeros(0)
    x = initial_state(system, start, 0.0, nothing, nothing, bc.compile(model))
    held = quick_projection(system, 0.0, x, nothing, nothing)
    assert isinstance(held, StraightLine)
    return held


@pytest.mark.slow
@pytest.mark.parametrize("mass", [1e-6, 1.0, 1e3, 1e6])
@pytest.mark.parametrize("formulation", [bc.Cartesian(), bc.Kane()], ids=repr)
def test_heavy_and_light_bodies_go_the_quick_way_in_open_positions(formulation, mass):
    """How far apart rows are is geometry: of those that repeat each other, others are left out.

    The crank turns by half a radian, away from where it is in line with the rod.
    """
    held = held_after(slider_crank(mass), formulation, 0.1, {"A.angle_rate": -5.0})
    assert "rank_revealing" not in vars(held)


@pytest.mark.slow
@pytest.mark.parametrize("mass", [1.0, 1e4, 1e5])
def test_what_a_step_leaves_of_rows_along_light_bodies_makes_no_row_independent(mass):
    """20 rows, 18 speeds, one freedom: 17 rows are independent, in any open position.

    Off the constraints, where stages of a step are, rows that repeat others do so no more.
    """
    start = {"A": 0.3, "A.angle_rate": 5.0}
    held = held_after(slider_crank(mass), bc.Cartesian(), 2.0, start)
    assert held.rank_revealing.usual == (17, 17)


def test_a_run_that_needs_what_cannot_be_made_fails_with_the_reason():
    """No exception can pass through native code; the numbers say that there are none."""
    model, _, held = even("even, and no more than that")
    held.rank_revealing = broken = Broken()
    with pytest.raises(IntegrationFailed, match="positions failed: MemoryError") as caught:
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


def test_a_numba_that_cannot_be_taken_apart_is_left_whole():
    """The option is used with the Numba there is; with one that differs it is left out."""
    from bellcrank.linear.native import pipeline, raw

    assert raw.OPTIONS["pipeline_class"] is pipeline.Listing
    assert raw.text_only(object) == {}
