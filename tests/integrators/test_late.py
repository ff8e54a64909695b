"""What is made only when it is needed, or not at all."""

import ctypes

import numpy as np
import pytest
from tests.classics import looped

import bellcrank as bc
from bellcrank.assembly import projecting
from bellcrank.errors import IntegrationFailed
from bellcrank.integrators.swift import Swift


def swung(rate, until, **options):
    """Return the quick projection of a parallelogram after a run, and that run."""
    A, B, C, D = (0, 0), (0, 1), (2, 1), (2, 0)
    model = bc.Model(
        "parallelogram",
        planar=True,
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("coupler", bc.Rod(B, C, mass=1.0)),
            bc.Body("rocker", bc.Rod(D, C, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A),
            bc.Revolute("B", "crank", "coupler", at=B),
            bc.Revolute("C", "coupler", "rocker", at=C),
            bc.Revolute("D", "ground", "rocker", at=D),
        ],
        gravity=(0.0, 0.0),
    )
    run = bc.simulate(model, until, start={"A.angle_rate": rate}, every=until / 10, **options)
    held = next(iter(projecting._quick[bc.compile(model)].values()))
    return held, run


def test_the_careful_way_is_made_at_the_first_flat_position():
    """A parallelogram turns evenly without forces; flat at a quarter turn it is singular."""
    held, run = swung(-1.0, 0.5)
    assert isinstance(held, Swift)
    assert "careful" not in vars(held)
    np.testing.assert_allclose(run.values("A.angle"), -run.t, atol=1e-8)
    again, run = swung(-1.0, 3.0)
    assert again is held
    assert "careful" in vars(held)
    np.testing.assert_allclose(run.values("A.angle"), -run.t, atol=1e-7)


def test_what_cannot_be_made_spoils_the_numbers_and_is_told(monkeypatch):
    """No exception can pass through native code; the numbers say that there are none."""
    system = bc.compile(looped.plain())
    bc.simulate(looped.plain(), 0.01, every=0.01)
    known = next(iter(projecting._quick[system].values()))

    def make():
        raise MemoryError("no room")

    monkeypatch.setattr(known, "_make", make)
    vars(known).pop("careful", None)
    nq, nu = len(system.coordinates), len(system.speeds)
    results = [np.zeros(nq), np.zeros(nu)]
    table = np.array([part.ctypes.data for part in results], dtype=np.int64)
    for _ in range(2):  # it is not tried again
        known._late[0](0, table.ctypes.data, 0)
        assert all(np.isnan(part).all() for part in results)
    assert isinstance(known.problem, MemoryError)


def test_a_run_that_needs_what_cannot_be_made_fails_with_the_reason(monkeypatch):
    held, _ = swung(-1.0, 0.5)

    def make():
        raise MemoryError("no room")

    monkeypatch.setattr(held, "_make", make)
    if "careful" in vars(held):
        monkeypatch.delitem(vars(held), "careful")
    before = held._ways.copy()
    held._ways[:] = [ctypes.cast(each, ctypes.c_void_p).value for each in held._late]
    with pytest.raises(IntegrationFailed, match="could not be made: MemoryError") as caught:
        swung(-1.0, 3.0, integrator=bc.DOP853())
    held._ways[:] = before
    found = caught.value.run
    assert 0.5 < found.t[-1] < 1.6  # as far as the quick way leads
    np.testing.assert_allclose(found.values("A.angle"), -found.t, atol=1e-6)
    assert isinstance(caught.value.__cause__, MemoryError)


def test_trials_that_are_not_finite_make_nothing(monkeypatch):
    system = bc.compile(looped.plain())
    bc.simulate(looped.plain(), 0.01, every=0.01)
    known = next(iter(projecting._quick[system].values()))
    monkeypatch.setattr(known, "_make", lambda: pytest.fail("not asked for"))
    nq, nu = len(system.coordinates), len(system.speeds)
    sizes = (1, nq, nu, 0, 0, len(system.parameters), len(system.equations.memory))
    given, results = [np.zeros(n) for n in sizes], [np.zeros(nq), np.zeros(nu), np.zeros(1)]
    given[1][0] = np.nan
    tables = [np.array([part.ctypes.data for part in parts]) for parts in (given, results)]
    work = np.zeros(known.rhs.work + 8)
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(known.rhs.address)
    call(tables[0].ctypes.data, tables[1].ctypes.data, work.ctypes.data)
    assert np.isnan(results[0]).all()
    assert np.isnan(results[1]).all()


def test_numba_makes_no_machine_code_of_parts():
    """Functions are text until the whole is compiled."""
    from numba import types

    from bellcrank.integrators.native.build import freed
    from bellcrank.integrators.native.raw import native
    from bellcrank.kernels import jit
    from bellcrank.linear.native.pipeline import Listed

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
