"""Published machines with loops: Andrews' squeezer (2.1, 1.3), Modelica's four-bar (6.2)."""

from pathlib import Path

import numpy as np
import pytest
from tests.machines import looped

import bellcrank as bc

DATA = Path(__file__).parent.parent / "data"

# q, q', q'' at 0.03 s, in the order of looped.ANDREWS.
AT_30_MS = np.array([
    (15.81077119629904, 1139.920302151208, -24631.76316945196),
    (-15.75637105984298, -1424.379294994111, 51850.37701610329),
    (0.04082224013073101, 11.03291221937134, 324102.5686413781),
    (-0.5347301163226948, 19.29337464421385, 566749.3645176213),
    (0.5244099658805304, 0.5735699284790808, 16743.62929479361),
    (0.5347301163226948, -19.29337464421385, -566749.3645176222),
    (1.048080741042263, 0.3231791658026955, 9826.520791458422),
])
MULTIPLIERS = {
    "E3": (199.1753333731910, -29.75531228015052),
    "E4": (23.06654119098399, 31.45271365475927),
    "E6": (22.64249232082739, 11.61740700019673),
}
"""Forces of FE on the other body, x and y: the multipliers of the six closure equations."""


def test_the_squeezer_at_the_start():
    """REFERENCES 2.1: q'' to 1e-9 of the crank's, and the first two multipliers."""
    system = bc.compile(looped.andrews(), level=0)
    seen = system.observe(*system.pack())
    found = [float(seen[f"{name}.angle_acceleration"]) for name in looped.ANDREWS]
    known = [14222.4439199541138705911625887, -10666.8329399655854029433719415, 0, 0, 0, 0, 0]
    np.testing.assert_allclose(found, known, atol=1e-5)
    np.testing.assert_allclose(
        seen["E3.reaction_force"][:2], [98.5668703962410896, -6.12268834425566266], rtol=1e-9
    )


def test_the_squeezer_at_30_milliseconds():
    """REFERENCES 2.1: q to 1e-6, q' to 1e-5, q'' and multipliers to 1e-4. rtol 1e-11."""
    run = bc.simulate(looped.andrews(), 0.03, rtol=1e-11, atol=1e-12, every=0.03)
    errors = {"angle": 1e-6, "angle_rate": 1e-5, "angle_acceleration": 1e-4}
    for known, (quantity, error) in zip(AT_30_MS.T, errors.items(), strict=True):
        found = [run.values(f"{name}.{quantity}")[-1] for name in looped.ANDREWS]
        np.testing.assert_allclose(found, known, rtol=error)
    for joint, known in MULTIPLIERS.items():
        force = run.values(f"{joint}.reaction_force")[-1]
        np.testing.assert_allclose(force[:2], known, rtol=1e-4)
        assert abs(force[2]) < 1e-6


def test_the_squeezer_at_50_milliseconds():
    """REFERENCES 1.3: the angles to 1e-6; what the motor gave is E − E₀. rtol 1e-11."""
    run = bc.simulate(looped.andrews(), 0.05, rtol=1e-11, atol=1e-12, every=0.001)
    found = [run.values(f"{name}.angle")[-1] for name in looped.ANDREWS]
    known = (
        33.8258678, -33.5834315, 0.113395074, -0.407852866, 0.526060445, 0.407852866, 1.05690243
    )  # fmt: skip
    np.testing.assert_allclose(found, known, atol=1e-6)
    E, beta = np.asarray(run.values("energy")), np.asarray(run.values("beta.angle"))
    np.testing.assert_allclose(E - E[0], 0.033 * (beta - beta[0]), atol=1e-9)
    assert np.max(run.values("constraint_residual")) < 1e-12


def test_modelica_planar_four_bar():
    """6.2, to 1e-6 of the recomputed, 5e-3 of the published end. Run at rtol 1e-11."""
    run = bc.simulate(looped.modelica(), 5.0, rtol=1e-11, atol=1e-12, every=0.1)
    known = np.loadtxt(DATA / "modelica" / "planar_fourbar.csv", delimiter=",", skiprows=1)
    found = np.stack([run.values("A.angle"), run.values("A.angle_rate")], axis=1)
    np.testing.assert_allclose(found, known[:, 1:], atol=1e-6)
    assert found[-1] == pytest.approx((-0.939783396, 6.993490115), abs=5e-3)


def test_what_a_damper_takes_is_missing_from_the_energy():
    """6.2: dE/dt = −0.1 w², integrated by Simpson's rule. Run at rtol 1e-11."""
    run = bc.simulate(looped.modelica(), 1.0, rtol=1e-11, atol=1e-12, every=0.001)
    w, E = np.asarray(run.values("A.angle_rate")), np.asarray(run.values("energy"))
    lost = 0.1 * w**2
    taken = 0.001 / 3 * (lost[0] + 4 * lost[1:-1:2].sum() + 2 * lost[2:-1:2].sum() + lost[-1])
    assert E[0] - E[-1] == pytest.approx(taken, rel=1e-8)
