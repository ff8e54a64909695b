"""Runs of all sorts of machines, compared with joint coordinates."""

import numpy as np
import pytest
from tests.machines import four_bars, looped

import bellcrank as bc

pytestmark = pytest.mark.slow

TIGHT = {"rtol": 1e-11, "atol": 1e-12}


def rubbing():
    """Return a four-bar in space with dry friction, an input, a parameter and a weld."""
    model = four_bars.in_space(
        masses=(bc.Parameter("m", 1.0), 2.2, 2.0),
        forces=[
            bc.Motor("rub", "D", effort="-0.3*sign(D.angle_rate) - 2*abs(D.angle)"),
            bc.Motor("motor", "A", effort=bc.Input("tau")),
        ],
    )
    return model.add(
        bc.Body("weight", bc.Sphere(0.1, (1, 0, 1.7), mass=0.5)),
        bc.Fixed("weld", "coupler", "weight", at=(1, 0, 1.5)),
    )


def rolling(planar):
    """Return a disc that rolls down a slope, upright in space or in the plane."""
    if planar:
        disc = bc.Body("disc", mass=2.0, com=(0, 0.4), inertia=(1, 1, 0.2, 0, 0, 0))
        contact = bc.RollingDisc(
            "roll", "disc", center=(0, 0.4), axis=(0, 0, 1), radius=0.4, normal=(0, 1, 0)
        )
        return bc.Model(
            "disc", planar=True, gravity=(3, -9), bodies=[disc],
            joints=[bc.Planar("J", "ground", "disc", at=(0, 0.4))], constraints=[contact],
        )  # fmt: skip
    disc = bc.Body("disc", mass=2.0, com=(0, 0, 0.4), inertia=(0.1, 0.2, 0.1, 0, 0, 0))
    contact = bc.RollingDisc("roll", "disc", center=(0, 0, 0.4), axis="y", radius=0.4)
    return bc.Model(
        "disc", gravity=(3, 0.2, -9), bodies=[disc],
        joints=[bc.Free("J", "ground", "disc", at=(0, 0, 0.4))], constraints=[contact],
    )  # fmt: skip


def compared(model, until, formulation, atol, **options):
    """Compare the places of all bodies along a run with those in joint coordinates."""
    options = TIGHT | {"every": until / 4} | options
    known = bc.simulate(model, until, **options)
    run = bc.simulate(model, until, formulation=formulation, **options)
    for body in model.bodies:
        name = f"{body.name}.position"
        np.testing.assert_allclose(run.values(name), known.values(name), atol=atol)
    return run, known


def test_laws_with_switches_inputs_parameters_and_events():
    """Friction and |θ| on the joint that closes the loop; the switch and the event are met."""
    options = {
        "start": {"A": 0.3}, "inputs": {"tau": "sin(3*t)"}, "parameters": {"m": 1.4},
        "events": [bc.Event("turn", "D.angle_rate")],
    }  # fmt: skip
    run, known = compared(rubbing(), 1.0, bc.Cartesian(), 1e-8, **options)
    assert run.statistics["switches"] == known.statistics["switches"] >= 1
    times = [[event.time for event in one.events] for one in (run, known)]
    np.testing.assert_allclose(*times, atol=1e-7)
    np.testing.assert_allclose(run.values("D.angle"), known.values("D.angle"), atol=1e-8)


@pytest.mark.parametrize(
    ("planar", "formulation"),
    [(True, bc.Cartesian()), (False, bc.Cartesian()), (False, bc.Cartesian(form="euler"))],
    ids=["plane", "omega", "euler"],
)
def test_rolling(planar, formulation):
    """Nonholonomic rows; in the plane one of the two slips is nothing and is left out."""
    model = rolling(planar)
    start = {} if planar else {"J.angular_velocity": (0.2, 1.0, 0.5)}
    if not planar:
        compared(model, 0.6, formulation, 1e-8, start=start)
        return
    assert [row.name for row in bc.equations(model, formulation).rows] == [
        "roll: contact", "roll: forward",
    ]  # fmt: skip
    run = bc.simulate(model, 1.0, formulation=formulation, every=1.0, **TIGHT)
    fall = 3 * 2.0 / (2.0 + 0.2 / 0.4**2)  # m g₁ = (m + J/R²) a
    assert run.values("disc.position")[-1, 0] == pytest.approx(fall / 2, rel=1e-9)


def test_spinning_wheels_count_their_turns():
    """REFERENCES 6.5: a slider-crank over twenty turns, 121.88627751 rad after 3 s, to 1e-6."""
    run = bc.simulate(
        looped.slider_crank(), 3.0, formulation=bc.Cartesian(), every=3.0, **TIGHT
    )
    name = looped.slider_crank().joints[0].name
    assert run.values(f"{name}.angle")[-1] == pytest.approx(121.88627751, abs=1e-6)


@pytest.mark.parametrize("formulation", [bc.Cartesian(), bc.Kane()], ids=repr)
def test_springs_on_every_joint_of_a_loop(formulation):
    """Also on the one that closes it in joint coordinates."""
    springs = [bc.JointSpring(f"k{n}", n, stiffness=5.0, rest=0.1) for n in "ABCD"]
    model = looped.modelica().add(*springs)
    assert model.graph.loops == ("C",)
    run, known = compared(model, 0.5, formulation, 1e-9)
    np.testing.assert_allclose(run.values("kC.effort"), known.values("kC.effort"), atol=1e-8)
    E = np.asarray(known.values("energy"))
    w = np.asarray(known.values("A.angle_rate"))
    assert E[-1] < E[0]  # the damper on A takes some
    assert np.abs(w).max() > 0.1
