"""Stiff machines with loops: Radau5 on the stabilised index-2 form, and `Auto`."""

import numpy as np
from tests.classics.test_index import SPIN, residuals
from tests.machines import looped

import bellcrank as bc

AT = (1.0, 1.5)


def tailed(*hold):
    """Return the plain four-bar with a rod on its coupler, held somehow."""
    return looped.plain().add(bc.Body("tail", bc.Rod(AT, (1.0, 0.7), mass=0.3)), *hold)


def sprung(**law):
    """Return it with the rod on a hinge with a spring and damper."""
    hinge = bc.Revolute("E", "coupler", "tail", at=AT)
    return tailed(hinge, bc.JointSpring("hold", "E", **law))


def test_a_stiff_loop():
    """Radau5 to 1e-6 rad with fifty times fewer steps than DOPRI5 needs to stay stable."""
    model, start = sprung(stiffness=3e4, damping=2e3), {"A.angle_rate": 1.0}
    exact = bc.simulate(model, 4.0, start=start, integrator=bc.Radau5(), rtol=1e-11, every=4.0)
    many = bc.simulate(model, 0.4, start=start, integrator=bc.DOPRI5(), rtol=1e-4, every=0.4)
    run = bc.simulate(model, 4.0, start=start, integrator=bc.Radau5(), rtol=1e-7, every=4.0)
    assert abs(run.values("A.angle")[-1] - exact.values("A.angle")[-1]) < 1e-6
    assert 10 * many.statistics["steps"] > 50 * run.statistics["steps"]
    # A weld in place of the spring moves almost alike.
    weld = tailed(bc.Fixed("E", "coupler", "tail", at=AT))
    rigid = bc.simulate(weld, 1.0, start=start, every=1.0)
    soft = bc.simulate(model, 1.0, start=start, integrator=bc.Radau5(), every=1.0)
    assert abs(rigid.values("A.angle")[-1] - soft.values("A.angle")[-1]) < 1e-2


def test_auto_changes_to_radau_on_a_loop_and_back():
    """The tail is held stiffly for one second only; before and after it swings."""
    law = "(3e4*E.angle + 2e3*E.angle_rate)*exp(-((t - 1.5)/0.5)**16)"
    model, start = sprung(law=law), {"A.angle_rate": 1.0}
    run = bc.simulate(model, 3.0, start=start, rtol=1e-8, every=0.1)
    changes = run.statistics["changes"]
    assert len(changes) >= 2
    assert "to Radau5" in changes[0]
    assert "Radau5 to DOP853" in changes[-1]
    assert 0.9 < float(changes[0].split()[2]) < 2.1 < float(changes[-1].split()[2]) + 0.3
    exact = bc.simulate(model, 3.0, start=start, integrator=bc.Radau5(), rtol=1e-11, every=0.1)
    np.testing.assert_allclose(run.values("A.angle"), exact.values("A.angle"), atol=1e-5)
    assert max(residuals(run)) < 1e-12


def test_auto_passes_singular_positions_of_a_stiff_machine():
    """REFERENCES 1.2b with a stiff tail: Radau5 stops where it lies flat, DOP853 passes.

    Whether a look at its tiny steps or their failure comes first is left open.
    """
    base = looped.change_point()
    at = tuple(float(x) for x in base["C"].at_second[:2])
    model = base.add(
        bc.Body("tail", bc.Rod(at, (at[0], at[1] + 0.3), mass=0.2)),
        bc.Revolute("E", "coupler", "tail", at=at),
        bc.JointSpring("hold", "E", stiffness=2e4, damping=1e3),
    )
    run = bc.simulate(model, 0.4, start=SPIN, rtol=1e-8, every=0.1)
    changes = run.statistics["changes"]
    assert "DOP853 to Radau5" in changes[0]
    assert "Radau5 to DOP853" in changes[1]
    assert float(changes[1].split()[2]) < 0.25
    assert run.values("A.angle")[-1] > 1.2 * np.pi
    exact = bc.simulate(model, 0.4, start=SPIN, integrator=bc.DOPRI5(), rtol=1e-9, every=0.1)
    np.testing.assert_allclose(run.values("A.angle"), exact.values("A.angle"), atol=1e-5)
    E = np.asarray(run.values("energy"))
    assert np.all(np.diff(E) < 1e-6 * abs(E[0]))  # the damper takes
