"""Large machines: Radau5 and Gauss2 on the stabilised index-2 form, with sparse matrices."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from tests.integrators.test_sparse import SUM, chain, fourbar
from tests.integrators.workshop import INPUTS, START, workshop

import bellcrank as bc
from bellcrank.errors import IntegrationFailed, StartError
from bellcrank.machine.batched.index2 import SparseSaddle


@pytest.fixture(scope="module")
def shop() -> bc.Model:
    return workshop()


@pytest.fixture(scope="module")
def exact(shop) -> bc.Result:
    """The motion in joint coordinates, by an explicit method."""
    return bc.simulate(
        shop, 0.5, start=START, inputs=INPUTS, every=0.05, rtol=1e-11, atol=1e-13
    )


def far(run: bc.Result, exact: bc.Result, *names: str) -> float:
    """Return the largest distance of a body from where it is."""
    return max(
        np.abs(run.values(f"{name}.position") - exact.values(f"{name}.position")).max()
        for name in names
    )


def assembled(model: bc.Model, method: object, **options) -> bc.Result:
    return bc.simulate(
        model, 0.5, formulation=SUM, integrator=method, start=START, inputs=INPUTS,
        every=0.05, **options,
    )  # fmt: skip


def test_every_kind_of_element_moves_as_in_joint_coordinates(shop, exact):
    """Also forces: of joints, constraints, drivers, and switches that a law goes through."""
    found = assembled(shop, bc.Radau5(), rtol=1e-9, atol=1e-11)
    assert far(found, exact, *(body.name for body in shop.bodies)) < 3e-8
    assert found.statistics["switches"] == exact.statistics["switches"] > 0
    assert found.values("constraint_residual").max() < 1e-12
    assert found.values("constraint_rate_residual").max() < 1e-12
    for name in ("hooke.reaction_force", "C.reaction_torque", "string.force", "turn.effort",
                 "tread.force", "teeth.effort", "hand.angular_velocity"):  # fmt: skip
        wanted = exact.values(name)
        np.testing.assert_allclose(
            found.values(name), wanted, atol=2e-6 * max(1.0, np.abs(wanted).max()), err_msg=name
        )


def test_gauss2_has_order_four_and_generalized_alpha_order_two(shop, exact):
    """On what is smooth: not the cart, whose brake changes sides."""
    smooth = [body.name for body in shop.bodies if body.name != "cart"]
    calm = [name for name in smooth if name != "bob"]  # whose steps are too long for an order
    errors = [far(assembled(shop, bc.Gauss2(step=h)), exact, *calm) for h in (5e-3, 2.5e-3)]
    assert 11 < errors[0] / errors[1] < 20
    coarse, fine = (assembled(shop, bc.GeneralizedAlpha(step=h)) for h in (1e-3, 5e-4))
    errors = [far(run, exact, *smooth) for run in (coarse, fine)]
    assert 3.7 < errors[0] / errors[1] < 4.3
    assert errors[1] < 1e-4


def test_the_error_of_radau5_follows_the_tolerance():
    """On redundant rows, against joint coordinates."""
    start, errors, steps = {"A.angle": 0.2}, [], []
    right = bc.simulate(fourbar(), 1.0, start=start, every=0.1, rtol=1e-12, atol=1e-14)
    for rtol in (1e-5, 1e-7, 1e-9):
        found = bc.simulate(
            fourbar(), 1.0, formulation=SUM, start=start, every=0.1, rtol=rtol, atol=rtol,
            integrator=bc.Radau5(),
        )  # fmt: skip
        errors.append(far(found, right, "crank", "coupler", "rocker"))
        steps.append(found.statistics["steps"])
    assert errors[0] < 1e-4
    assert errors[0] > 10 * errors[1] > 100 * errors[2]
    assert steps[2] < 4 * steps[1] < 16 * steps[0]  # order 5: about 2.5 times as many


def test_a_stiff_chain_takes_steps_as_long_as_its_motion():
    """Springs of 1e7 N m/rad that are soon at rest: an explicit method would follow them."""
    springs = [
        bc.JointSpring(f"s{i}", f"j{i}", stiffness=1e7, damping=1e4) for i in range(1, 6)
    ]
    found = bc.simulate(
        chain(6, forces=springs), 1.0, formulation=SUM, integrator=bc.Radau5(), every=0.1,
        rtol=1e-6, atol=1e-8,
    )  # fmt: skip
    # A stiff chain falls about its hinge like one rod of its length.
    rod = bc.Model(
        "rod", bodies=[bc.Body("b", bc.Box((3.0, 0.05, 0.04), center=(1.5, 0, 0), mass=6.0))],
        joints=[bc.Revolute("j", "ground", "b", at=(0, 0, 0), axis="y")],
    )  # fmt: skip
    alone = bc.simulate(rod, 1.0, every=0.1)
    assert found.statistics["steps"] < 200
    np.testing.assert_allclose(found.values("j0.angle"), alone.values("j.angle"), atol=2e-3)


def test_events_are_located_and_end_runs():
    """A physical pendulum passes its lowest point a quarter of its period after the start."""
    model = chain(1)
    low = bc.Event("low", "j0.angle - pi/2", terminal=True)
    down = bc.Event("half", "j0.angle - pi/4")
    options = {"events": [down, low], "rtol": 1e-10, "atol": 1e-12}
    found = bc.simulate(model, 5.0, formulation=SUM, **options)
    right = bc.simulate(model, 5.0, **options)
    assert found.status == right.status == "terminated"
    assert [hit.name for hit in found.events] == ["half", "low"]
    for one, other in zip(found.events, right.events, strict=True):
        assert one.time == pytest.approx(other.time, abs=1e-9)


def test_controllers_read_angles_over_full_turns():
    wheel = bc.Model(
        "wheel",
        bodies=[bc.Body("disc", bc.Disc(0.3, axis="y", mass=2.0))],
        joints=[bc.Revolute("A", "ground", "disc", at=(0, 0, 0), axis="y")],
        forces=[bc.Motor("motor", "A", effort=bc.Input("w"))],
    )
    for method in (bc.Radau5(), bc.GeneralizedAlpha(step=5e-3)):
        read = []

        def law(t, measured, read=read):
            read.append(measured["A.angle"])
            return {"w": 0.0}

        controller = bc.Sampled(law, every=0.25, reads=["A.angle"])
        bc.simulate(
            wheel, 2.0, formulation=SUM, integrator=method, start={"A.angle_rate": 10.0},
            inputs={"w": controller},
        )  # fmt: skip
        np.testing.assert_allclose(read[:8], 2.5 * np.arange(8), atol=1e-6)


def test_large_machines_are_run_by_radau5_unless_told_otherwise():
    found = bc.simulate(chain(60), 0.02, formulation=bc.Cartesian(), rtol=1e-6)
    assert found.statistics["method"] == "Radau5"
    alone = bc.simulate(chain(60), 0.02, rtol=1e-8)
    np.testing.assert_allclose(
        found.values("b59.position")[-1], alone.values("b59.position")[-1], atol=1e-7
    )


def test_two_runs_of_one_machine_are_the_same_and_give_their_memory_back():
    """Factors and tables go with the run, without waiting for garbage to be collected."""
    gc.collect()
    gc.disable()
    try:
        runs = [
            bc.simulate(chain(3), 0.1, formulation=SUM, integrator=bc.Radau5())
            for _ in range(2)
        ]
        # By type: asking a dead weak proxy among them for its class raises.
        assert not [made for made in gc.get_objects() if type(made) is SparseSaddle]
    finally:
        gc.enable()
    np.testing.assert_array_equal(runs[0].values("b2.position"), runs[1].values("b2.position"))


def test_what_cannot_be_is_named():
    light = bc.Model(
        "light",
        bodies=[bc.Body("b", mass=1.0, com=(0, 0, 0), inertia=(0, 0, 0, 0, 0, 0))],
        joints=[bc.Revolute("A", "ground", "b", at=(0, 0, 0), axis="y")],
    )
    with pytest.raises(StartError, match="has no inertia"):
        bc.simulate(light, 0.1, formulation=SUM)
    wild = chain(2, forces=[bc.Motor("m", "j1", effort="sqrt(0.005 - t)")])
    with pytest.raises(IntegrationFailed) as caught:
        bc.simulate(wild, 0.1, formulation=SUM, integrator=bc.Radau5(), every=1e-3)
    assert 4 <= len(caught.value.run.t) <= 7  # what was computed is kept


CHILD = """
import sys
import numpy as np
import bellcrank as bc
from tests.integrators.test_sparse import SUM, chain
method = {"alpha": bc.GeneralizedAlpha(step=1e-3), "radau": bc.Radau5()}[sys.argv[1]]
run = bc.simulate(chain(500), 5e-3, formulation=SUM, integrator=method, every=1e-3)
names = [f"b{k}.{what}" for k in range(500) for what in ("position", "velocity")]
sys.stdout.buffer.write(np.hstack([run.values(name) for name in names]).tobytes())
"""


@pytest.mark.slow
@pytest.mark.parametrize("method", ["alpha", "radau"])
def test_where_arrays_are_kept_changes_nothing(method):
    """3,000 speeds lie in large blocks of memory; with guard words each array stands alone."""
    ends = [
        subprocess.run(
            [sys.executable, "-c", CHILD, method],
            env=os.environ | {"BELLCRANK_GUARDS": guards}, capture_output=True, check=True,
        ).stdout
        for guards in ("", "1")
    ]  # fmt: skip
    assert len(ends[0]) == 8 * 6 * 3000  # records, positions and velocities of all bodies
    assert ends[0] == ends[1]


def test_generalized_alpha_meets_the_switches_of_every_kind_of_element(shop, exact):
    found = assembled(shop, bc.GeneralizedAlpha(step=5e-4))
    assert found.statistics["switches"] == exact.statistics["switches"] > 0
    assert far(found, exact, *(body.name for body in shop.bodies)) < 2e-4


def test_rows_that_turn_with_time_alone_are_followed():
    """A body at rest is pushed along a row that turns: nothing but time changes C.

    The row cos(t) ẋ + sin(t) ż = 0 takes all of the force, 2 N along (cos t, sin t): e = −2 N.
    """
    model = bc.Model(
        "turning row",
        gravity=(0, 0, 0),
        bodies=[bc.Body("b", bc.Box((0.1, 0.1, 0.1), center=(0, 0, 0), mass=1.0))],
        joints=[bc.Planar("table", "ground", "b", at=(0, 0, 0), axis="y")],
        constraints=[
            bc.VelocityConstraint("row", {"b.velocity_x": "cos(t)", "b.velocity_z": "sin(t)"})
        ],
        forces=[bc.Force("push", "b", vector=("2*cos(t)", 0.0, "2*sin(t)"))],
    )
    # A given tolerance: of a machine at rest, motion below the default one is told.
    found = bc.simulate(
        model, 1.5, formulation=SUM, integrator=bc.Radau5(), every=0.1, atol=1e-11
    )
    assert np.abs(found.values("b.position")).max() < 1e-12
    np.testing.assert_allclose(found.values("row.effort"), -2.0, atol=1e-9)


@pytest.mark.parametrize("rtol", [1e-6, 1e-9])
def test_doubled_hinges_cost_little_more_steps_than_single_ones(rtol):
    """Rows that repeat others disagree inside Newton's method; their multipliers stay small."""

    def tilted(doubled: bool) -> bc.Model:
        axis, bodies, joints = np.array([0.48, 0.6, 0.64]), [], []
        for n in range(5):
            at, lower = np.array([0.5 * n, 0.0, 0.0]), f"B{n - 1}" if n else "ground"
            com, inertia = at + np.array([0.25, 0.05, -0.03]), (0.03, 0.04, 0.05, 0, 0, 0)
            bodies.append(bc.Body(f"B{n}", mass=1.0, com=com, inertia=inertia))
            for k in range(1 + doubled):
                place = at + 0.3 * k * axis
                joints.append(bc.Revolute(f"J{n}{k}", lower, f"B{n}", at=place, axis=axis))
        return bc.Model("chain on tilted hinges", bodies=bodies, joints=joints)

    one, two = (
        bc.simulate(
            tilted(doubled), 0.5, start={"J00.angle_rate": 1.0}, formulation=SUM,
            integrator=bc.Radau5(), rtol=rtol, every=0.25,
        ) for doubled in (False, True)
    )  # fmt: skip
    assert two.statistics["steps"] <= 1.2 * one.statistics["steps"]
    assert two.statistics["evaluations"] <= 1.6 * one.statistics["evaluations"]
    assert far(two, one, "B4") < 30 * rtol


def scissor_lift(cells, angle, slider=0.5):
    """Return a lift of crossed bars of 1 m and 1 kg, one foot hinged, the other on a slider."""
    x, rise = float(np.cos(angle)), float(np.sin(angle))
    bodies = [bc.Body("slider", mass=slider, com=(x, 0.0), inertia=(0.01, 0.01, 0.01, 0, 0, 0))]
    joints = [
        bc.Revolute("foot", "ground", "a0", at=(0.0, 0.0)),
        bc.Prismatic("rail", "ground", "slider", at=(x, 0.0), axis=(1.0, 0.0)),
        bc.Revolute("shoe", "slider", "b0", at=(x, 0.0)),
    ]
    for k in range(cells):
        low, high = k * rise, (k + 1) * rise
        bodies += [
            bc.Body(f"a{k}", bc.Rod((0.0, low), (x, high), mass=1.0)),
            bc.Body(f"b{k}", bc.Rod((x, low), (0.0, high), mass=1.0)),
        ]
        joints += [bc.Revolute(f"middle{k}", f"a{k}", f"b{k}", at=(x / 2, (low + high) / 2))]
        if k:
            joints += [
                bc.Revolute(f"left{k}", f"b{k - 1}", f"a{k}", at=(0.0, low)),
                bc.Revolute(f"right{k}", f"a{k - 1}", f"b{k}", at=(x, low)),
            ]
    return bc.Model(f"lift of {cells}", bodies=bodies, joints=joints, planar=True)


def lift_angle(cells, angle, until, slider=0.5):
    """Return the angle of its bars by Lagrange's equation of its one coordinate."""
    k = np.arange(cells) + 0.5

    def rate(_, y):
        s, c = np.sin(y[0]), np.cos(y[0])
        mass = 2 * np.sum(s**2 / 4 + (k * c) ** 2 + 1 / 12) + slider * s**2
        slope = 2 * s * c * (2 * np.sum(1 / 4 - k**2) + slider)
        weight = 2 * 9.81 * np.sum(k) * c
        return [y[1], -(slope * y[1] ** 2 / 2 + weight) / mass]

    found = solve_ivp(rate, (0, until), [angle, 0.0], rtol=1e-12, atol=1e-12, method="DOP853")
    return found.y[0, -1]


@pytest.mark.parametrize("cells", [3, 60])
def test_long_lattices_converge(cells):
    """C A⁻¹ Cᵀ of n cells is as small as 1/n⁴ along some rows: ε must not be felt there."""
    run = bc.simulate(
        scissor_lift(cells, 0.6), 0.2, formulation=bc.Cartesian(assembled=True),
        integrator=bc.Radau5(),
    )  # fmt: skip
    assert run.values("slider.position_x")[-1] == pytest.approx(
        np.cos(lift_angle(cells, 0.6, 0.2)), abs=1e-8
    )
    assert run.statistics["steps"] < 40
