"""The Whipple bicycle (Meijaard et al. 2007): the nonlinear machine, linearised by differences.

Axes x forward, z down, the origin under the rear wheel.
"""

from functools import cache

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.machine.start import initial_state

REAR, FRONT = 0.3, 0.35  # radii [m]
BASE, TRAIL, TILT = 1.02, 0.08, np.pi / 10


def carrier(name):
    """Return a body that carries no more than the name of a coordinate."""
    return bc.Body(name, mass=1e-9, com=(0, 0, 0), inertia=(1e-9,) * 3 + (0,) * 3)


def wheel(name, x, radius, mass, across, along):
    inertia = (across, along, across, 0, 0, 0)
    return bc.Body(name, mass=mass, com=(x, 0, -radius), inertia=inertia)


def bicycle():
    """Return the benchmark bicycle of REFERENCES 3.12, upright."""
    frame = bc.Body("frame", mass=85.0, com=(0.3, 0, -0.9), inertia=(9.2, 11.0, 2.8, 0, 2.4, 0))
    fork = bc.Body(
        "fork", mass=4.0, com=(0.9, 0, -0.7),
        inertia=(0.05892, 0.06, 0.00708, 0, -0.00756, 0),
    )  # fmt: skip
    steer = (float(np.sin(TILT)), 0.0, float(np.cos(TILT)))
    return bc.Model(
        "bicycle",
        gravity=(0, 0, 9.81),
        bodies=[
            carrier("heading"), carrier("height"), carrier("lean"), frame, fork,
            wheel("rear wheel", 0.0, REAR, 2.0, 0.0603, 0.12),
            wheel("front wheel", BASE, FRONT, 3.0, 0.1405, 0.28),
        ],
        joints=[
            bc.Planar("plane", "ground", "heading", axis="z"),
            bc.Prismatic("lift", "heading", "height", axis="z"),
            bc.Revolute("roll", "height", "lean", at=(0, 0, 0), axis="x"),
            bc.Revolute("pitch", "lean", "frame", at=(0, 0, -REAR), axis="y"),
            bc.Revolute("steer", "frame", "fork", at=(BASE + TRAIL, 0, 0), axis=steer),
            bc.Revolute("rear", "frame", "rear wheel", at=(0, 0, -REAR), axis="y"),
            bc.Revolute("front", "fork", "front wheel", at=(BASE, 0, -FRONT), axis="y"),
        ],
        constraints=[
            bc.RollingDisc(
                "rear tyre", "rear wheel", (0, 0, -REAR), "y", REAR, normal="-z"
            ),
            bc.RollingDisc(
                "front tyre", "front wheel", (BASE, 0, -FRONT), "y", FRONT, normal="-z"
            ),
        ],
    )  # fmt: skip


STATES = ("roll.angle", "steer.angle", "roll.angle_rate", "steer.angle_rate")


@cache
def machine():
    return bc.compile(bicycle(), level=0)


def bends(v, **small):
    """Return the accelerations of roll and steer near steady rolling at a speed."""
    system = machine()
    start = dict.fromkeys(STATES, 0.0) | {"rear.angle_rate": -v / REAR}
    start |= {name.replace("__", "."): value for name, value in small.items()}
    x = initial_state(system, start, 0.0, np.zeros(0), np.zeros(0))
    nq = len(system.coordinates)
    a = dict(zip(system.speeds, system.accelerations(x[:nq], x[nq:]), strict=True))
    return np.array([a["roll.angle_rate"], a["steer.angle_rate"]])


def slopes(v, h=1e-3):
    """Return ∂(roll'', steer'')/∂(roll, steer, roll', steer'), shape (2, 4)."""
    columns = []
    for name in STATES:
        key = name.replace(".", "__")
        one, two = ((bends(v, **{key: k * h}) - bends(v, **{key: -k * h})) for k in (1, 2))
        columns.append((8 * one - two) / (12 * h))
    return np.stack(columns, axis=1)


@pytest.mark.parametrize("v", [0.0, 4.0, 10.0])
def test_state_matrix(v):
    """REFERENCES 3.12: roll'' and steer'' by the published matrix, to 1e-6."""
    known = [
        (9.48977444677355, -0.891197738059089 * v**2 - 0.571523173729245,
         -0.105522449805691 * v, -0.330515398992311 * v),
        (11.7194768719633, -1.97171508499972 * v**2 + 30.9087533932407,
         3.67680523332152 * v, -3.08486552743311 * v),
    ]  # fmt: skip
    np.testing.assert_allclose(slopes(v), known, rtol=1e-6, atol=1e-6)


EIGENVALUES = {
    4.0: (-12.15861426576447, -1.42944427361326, 0.41325331521125 + 3.07910818603206j),
    5.0: (-14.07838969279822, -0.32286642900409, -0.77534188219585 + 4.46486771378823j),
    10.0: (-24.62459635017404, 0.16105338653172, -3.72016840437287 + 10.90681139476287j),
}
"""Castering, capsize and weave."""


def eigenvalues(v):
    """Return the eigenvalues at a speed, real ones first."""
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [slopes(v)]])
    return sorted(np.linalg.eigvals(A), key=lambda x: (x.imag != 0, x.real, x.imag))


def test_eigenvalues_at_rest():
    """REFERENCES 3.12, Table 2, v = 0: to 1e-6."""
    known = [-5.53094371765393, -3.13164324790656, 3.13164324790656, 5.53094371765393]
    np.testing.assert_allclose(eigenvalues(0.0), known, rtol=1e-6, atol=1e-6)


def test_eigenvalues_at_six_metres_per_second():
    """REFERENCES 3.12, Table 2, v = 6: capsize and weave to 1e-6."""
    known = [-0.00406690076970, -1.52644486584142 - 5.87673060598709j]
    known.append(known[1].conjugate())
    np.testing.assert_allclose(eigenvalues(6.0)[1:], known, rtol=1e-6, atol=1e-6)


def test_the_speeds_at_which_it_is_stable():
    """REFERENCES 3.12: from 4.29238253634111 m/s (weave) to 6.02426201538837 m/s (capsize).

    There the largest real part passes through zero, to 1e-6; it is below zero in between.
    """
    slowest, fastest = 4.29238253634111, 6.02426201538837
    assert eigenvalues(slowest)[3].real == pytest.approx(0.0, abs=1e-6)
    assert eigenvalues(slowest)[1].real < -0.1
    assert eigenvalues(fastest)[1].real == pytest.approx(0.0, abs=1e-6)
    for v, stable in ((4.29, False), (4.3, True), (6.02, True), (6.03, False)):
        assert (max(np.real(eigenvalues(v))) < 0) == stable


@pytest.mark.parametrize("v", EIGENVALUES)
def test_eigenvalues(v):
    """REFERENCES 3.12, Table 2: to 1e-6."""
    found = eigenvalues(v)
    castering, capsize, weave = EIGENVALUES[v]
    known = [castering, capsize, weave.conjugate(), weave]
    np.testing.assert_allclose(found, known, rtol=1e-6, atol=1e-6)


def test_a_pushed_bicycle_rights_itself():
    """REFERENCES 3.12: at 5 m/s it is stable; the run keeps its energy. Run at rtol 1e-9."""
    start = {"roll.angle_rate": 0.5, "rear.angle_rate": -5.0 / REAR}
    run = bc.simulate(bicycle(), 5.0, start=start, rtol=1e-9, every=0.05)
    assert np.max(np.abs(run.values("roll.angle"))) > 0.05
    assert abs(run.values("steer.angle")[-1]) < 0.01
    E, T = np.asarray(run.values("energy")), np.asarray(run.values("kinetic_energy"))
    assert np.max(np.abs(E - E[0])) < 1e-8 * np.max(T)
    assert np.max(run.values("constraint_residual")) < 1e-12
