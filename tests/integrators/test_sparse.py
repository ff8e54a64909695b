"""Large machines: runs of generalized-α with sparse matrices, from start to records."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import IntegrationFailed, OptionError, StartError

SUM = bc.Cartesian(assembled=True)


def chain(count: int, **more) -> bc.Model:
    """Rods along x, hinged about y and z in turn."""
    bodies = [
        bc.Body(f"b{i}", bc.Box((0.5, 0.05, 0.04), center=(0.5 * i + 0.25, 0, 0), mass=1.0))
        for i in range(count)
    ]
    joints = [
        bc.Revolute(
            f"j{i}",
            f"b{i - 1}" if i else "ground",
            f"b{i}",
            at=(0.5 * i, 0, 0),
            axis="yz"[i % 2],
        )
        for i in range(count)
    ]
    return bc.Model("chain", bodies=bodies, joints=joints, **more)


def fourbar(**more) -> bc.Model:
    """Return a four-bar: three times redundant in space."""
    A, B, C, D = (0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)
    return bc.Model(
        "four-bar",
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=1.0)),
            bc.Body("coupler", bc.Rod(B, C, mass=2.2)),
            bc.Body("rocker", bc.Rod(D, C, mass=2.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A, axis="y"),
            bc.Revolute("B", "crank", "coupler", at=B, axis="y"),
            bc.Revolute("C", "coupler", "rocker", at=C, axis="y"),
            bc.Revolute("D", "ground", "rocker", at=D, axis="y"),
        ],
        **more,
    )


def run(model: bc.Model, until: float, step: float, **options) -> bc.Result:
    method = options.pop("integrator", None) or bc.GeneralizedAlpha(step=step)
    return bc.simulate(model, until, formulation=SUM, integrator=method, **options)


def test_a_chain_of_thirty_moves_as_in_joint_coordinates():
    start = {"j0.angle": 0.4, "j3.angle": -0.3, "j5.angle_rate": 0.8}
    exact = bc.simulate(chain(30), 0.25, start=start, every=0.05)
    errors = []
    for step in (2e-3, 1e-3):
        found = run(chain(30), 0.25, step, start=start, every=0.05)
        errors.append(
            max(
                np.abs(found.values(name) - exact.values(name)).max()
                for name in ("b29.position", "b14.position", "b0.position")
            )
        )
        assert found.status == "done"
        assert found.values("constraint_residual").max() < 1e-10
    assert errors[1] < 1e-4
    assert 3.4 < errors[0] / errors[1] < 4.6  # order 2
    np.testing.assert_allclose(found.values("j0.angle"), exact.values("j0.angle"), atol=1e-4)
    np.testing.assert_allclose(found.values("energy"), exact.values("energy"), atol=5e-3)
    force = exact.values("j0.reaction_force")
    found_force = found.values("j0.reaction_force")
    np.testing.assert_allclose(found_force, force, atol=5e-3 * np.abs(force).max())
    wanted = exact.values("b3.angular_acceleration")
    np.testing.assert_allclose(
        found.values("b3.angular_acceleration"), wanted, atol=5e-3 * np.abs(wanted).max()
    )


def test_energy_of_a_conservative_chain_hardly_drifts():
    found = run(chain(8), 1.0, 1e-3, start={"j0.angle": 0.5}, every=0.1)
    kinetic = found.values("kinetic_energy").max()
    energy = found.values("energy")
    assert np.abs(energy - energy[0]).max() < 1e-3 * kinetic
    damped = run(chain(8), 1.0, 1e-2, start={"j0.angle": 0.5}, every=0.1,
                 integrator=bc.GeneralizedAlpha(step=1e-2, spectral_radius=0.2))  # fmt: skip
    loss = np.diff(damped.values("energy"))
    assert damped.values("energy")[-1] < energy[-1]  # what is not resolved is damped
    assert loss.max() < 1e-2 * kinetic


def test_energy_and_what_takes_it_away_balance():
    """∫P dt of dampers and drivers is what the energy changes by; the audit tells."""
    model = chain(
        4,
        forces=[bc.JointSpring(f"d{i}", f"j{i}", damping=0.3) for i in range(1, 4)],
        drivers=[bc.Drive("swing", "j0", angle="0.4*sin(4*t)")],
    )
    found = run(model, 0.5, 5e-4, every=0.005)
    assert np.ptp(found.values("energy")) > 0.5
    assert found.audit["energy_drift"] < 2e-3
    assert found.audit["position_residual"] < 1e-10


def test_redundant_rows_are_met_and_their_motion_is_that_of_joint_coordinates():
    start = {"A.angle": 0.2}
    exact = bc.simulate(fourbar(), 0.5, start=start, every=0.1)
    found = run(fourbar(), 0.5, 1e-3, start=start, every=0.1)
    assert found.values("A.angle")[0] == pytest.approx(0.2, abs=1e-12)  # what is named is held
    for name in ("A.angle", "D.angle", "coupler.position"):
        np.testing.assert_allclose(found.values(name), exact.values(name), atol=2e-5)
    assert found.values("constraint_residual").max() < 1e-10
    total = sum(found.values(f"{j}.reaction_force") for j in ("A", "D"))
    wanted = sum(exact.values(f"{j}.reaction_force") for j in ("A", "D"))
    np.testing.assert_allclose(total, wanted, atol=1e-2)  # alone they are not determined


def doubled(axis, other, at) -> bc.Model:
    """Return two links on a tilted hinge each, the first with a second hinge on its axis."""
    inertia = (0.02, 0.03, 0.04, 0, 0, 0)
    return bc.Model(
        "doubled",
        bodies=[bc.Body(f"link{i}", mass=1.0, com=(0.5 * i, 0.2, 0), inertia=inertia)
                for i in (1, 2)],
        joints=[
            bc.Revolute("J", "ground", "link1", at=(0, 0, 0), axis=axis),
            bc.Revolute("K", "ground", "link1", at=at, axis=other),
            bc.Revolute("L", "link1", "link2", at=(0.5, 0, 0), axis=axis),
        ],
    )  # fmt: skip


@pytest.mark.parametrize("digits", [6, 8, 10])
def test_rows_that_are_redundant_but_for_rounding_are_refused_by_name(digits):
    """They would be held by forces without bound; exact ones do no harm."""
    axis = np.array([0.48, 0.6, 0.64]) + np.array([0.1, -0.2, 0.05]) / 3
    axis /= np.linalg.norm(axis)
    at = 0.3 * axis
    rounded = doubled(tuple(axis), tuple(axis.round(digits)), tuple(at.round(digits)))
    start = {"J.angle_rate": 1.0}
    with pytest.raises(bc.StartError, match=r"are redundant only to within .* 'J', 'K'"):
        run(rounded, 0.01, 1e-3, start=start)
    twice = doubled(tuple(axis), tuple(axis), tuple(at))
    once = bc.Model("once", bodies=twice.bodies, joints=twice.joints[::2])
    ends = [run(model, 0.01, 1e-3, start=start).values("link2.position")[-1]
            for model in (once, twice)]  # fmt: skip
    np.testing.assert_allclose(ends[1], ends[0], atol=1e-9)


def test_what_redundancy_leaves_open_is_named_as_in_joint_coordinates():
    """A four-bar beside a chain: of the four-bar alone, and nothing of forces in its plane."""
    loop, tree = fourbar(), chain(3)
    model = bc.Model(
        "both", bodies=[*loop.bodies, *tree.bodies], joints=[*loop.joints, *tree.joints]
    )
    wanted = bc.simulate(model, 0.02).audit["undetermined"]
    assert run(model, 0.02, 1e-3).audit["undetermined"] == wanted
    assert len(wanted) == 12
    assert {name.split(".")[0] for name in wanted} == set("ABCD")
    assert run(tree, 0.02, 1e-3).audit["undetermined"] == []


def test_angles_are_followed_over_full_turns():
    wheel = bc.Model(
        "wheel",
        bodies=[bc.Body("disc", bc.Disc(0.3, axis="y", mass=2.0))],
        joints=[bc.Revolute("A", "ground", "disc", at=(0, 0, 0), axis="y")],
    )
    found = run(wheel, 2.0, 5e-3, start={"A.angle_rate": 10.0}, every=1.0)
    np.testing.assert_allclose(found.values("A.angle"), [0.0, 10.0, 20.0], atol=1e-6)
    for before in (found, bc.simulate(wheel, 2.0, start={"A.angle_rate": 10.0}, every=1.0)):
        again = run(wheel, 3.0, 5e-3, start=before, every=1.0)
        np.testing.assert_allclose(again.values("A.angle"), [20.0, 30.0], atol=1e-6)


def test_drivers_inputs_laws_and_records_between_steps():
    """One degree of freedom with a closed form: m ẍ = w − k x, and a driven slide."""
    model = bc.Model(
        "slides",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", bc.Box((0.1, 0.1, 0.1), center=(0, 0, 0), mass=2.0)),
                bc.Body("ram", bc.Box((0.1, 0.1, 0.1), center=(0, 1, 0), mass=1.0))],
        joints=[bc.Prismatic("X", "ground", "cart", axis="x"),
                bc.Prismatic("Y", "ground", "ram", at=(0, 1, 0), axis="x")],
        forces=[bc.JointSpring("spring", "X", stiffness=8.0),
                bc.Motor("pull", "X", effort=bc.Input("w"))],
        drivers=[bc.Drive("drive", "Y", offset="0.2*sin(3*t)")],
    )  # fmt: skip
    found = run(model, 1.0, 1e-3, every=0.00717, inputs={"w": ([0.0, 1.0], [4.0, 4.0])})
    t = found.t
    x = 0.5 * (1 - np.cos(2 * t))
    np.testing.assert_allclose(found.values("X.offset"), x, atol=2e-6)
    np.testing.assert_allclose(found.values("cart.velocity_x"), np.sin(2 * t), atol=5e-6)
    np.testing.assert_allclose(found.values("Y.offset"), 0.2 * np.sin(3 * t), atol=1e-7)
    effort = -0.2 * 9 * np.sin(3 * t)
    np.testing.assert_allclose(found.values("drive.effort"), effort, atol=1e-4)
    np.testing.assert_allclose(found.values("spring.effort"), -8 * x, atol=2e-5)


def test_every_channel_can_be_had():
    start = {"A.angle_rate": 1.0}
    model = fourbar(points=[bc.Point("tip", "coupler", at=(1, 0, 1.5))])
    found = run(model, 0.02, 1e-3, start=start, every=0.01)
    found.evaluate()
    assert all(np.isfinite(found.values(name)).all() for name in found.names)
    exact = bc.simulate(model, 0.02, start=start, every=0.01)
    for name in (
        "tip.acceleration",
        "coupler.velocity_body",
        "linear_momentum",
        "B.angle_rate",
    ):
        wanted = exact.values(name)
        np.testing.assert_allclose(found.values(name), wanted, atol=2e-3 * np.abs(wanted).max())
    assert set(found.names) >= set(exact.names)


def test_a_machine_that_cannot_be_closed_is_named():
    A, B = (0, 0, 0), (0, 0, 1)
    model = bc.Model(
        "open",
        bodies=[bc.Body("rod", bc.Box((0.1, 0.1, 1), center=(0, 0, 0.5), mass=1.0))],
        joints=[
            bc.Spherical("low", "ground", "rod", at=A),
            bc.Spherical("high", "ground", "rod", at={"ground": (0, 0, 3), "rod": B}),
        ],
    )
    with pytest.raises(StartError, match="'high'"):
        run(model, 0.1, 1e-3)


def test_speeds_that_contradict_constraints_are_refused():
    with pytest.raises(StartError, match="speeds named in start"):
        run(fourbar(), 0.1, 1e-3, start={"A.angle_rate": 1.0, "D.angle_rate": -1.0})


def test_own_coordinates_that_do_not_fit_are_refused():
    with pytest.raises(StartError, match=r"'b1\.position'"):
        run(chain(3), 0.1, 1e-3, start={"b1.position": (0.75, 0.2, 0.3)})


def test_what_has_no_inertia_is_named():
    """A thin rod on a ball joint can spin about itself, against nothing."""
    model = bc.Model(
        "spinning",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=1.0))],
        joints=[bc.Spherical("A", "ground", "rod", at=(0, 0, 0))],
    )
    for method in (bc.GeneralizedAlpha(step=1e-3), bc.Radau5()):
        with pytest.raises(StartError, match="inertia"):
            run(model, 0.1, 0, integrator=method)


def test_a_law_that_breaks_down_ends_the_run_with_what_there_is():
    model = chain(2, forces=[bc.Torque("wild", "b1", vector=(0, "sqrt(0.05 - t)", 0))])
    with pytest.raises(IntegrationFailed) as failure:
        run(model, 0.2, 1e-2, every=0.01)
    assert 0.04 <= failure.value.time <= 0.06
    assert failure.value.run.t[-1] == pytest.approx(failure.value.time, abs=1e-9)


def test_steps_that_are_too_long_are_made_in_parts():
    """A chain that falls and cracks like a whip, at steps that do not resolve it."""
    exact = run(chain(24), 1.6, 1e-3, every=0.4)
    found = run(chain(24), 1.6, 5e-2, every=0.4)
    assert found.statistics["rejected"] > 0
    assert found.statistics["smallest_step"] < 5e-2 / 1.9
    np.testing.assert_allclose(
        found.values("b12.position"), exact.values("b12.position"), atol=0.1
    )
    assert found.values("energy")[-1] < 0.02 * found.values("kinetic_energy").max()
    assert found.values("constraint_residual").max() < 5e-9


def test_matrices_serve_many_steps():
    found = run(chain(24), 0.8, 4e-3, every=0.1)
    assert found.statistics["steps"] == 200
    assert found.statistics["jacobians"] < 200 / 6
    assert found.statistics["evaluations"] < 4 * 200


def test_a_matrix_is_not_made_where_laws_no_longer_hold():
    """The law ends with the run; a matrix made ahead of that would not be finite."""
    law = "20 * length * sqrt(0.4001 - t)"
    spring = bc.SpringDamper("pull", ("ground", (2, 0, 1)), ("b3", (2, 0, 0)), law=law)
    found = run(chain(8, forces=[spring]), 0.4, 4e-3, every=0.4)
    assert found.status == "done"
    assert found.statistics["rejected"] == 0


def test_what_iterations_leave_is_little_beside_what_steps_do():
    """Errors are those of order 2 to two per cent: h²/h'² = 16."""
    exact = bc.simulate(chain(24), 0.4, every=0.1, rtol=1e-11).values("b23.position")
    coarse, fine = (
        np.abs(run(chain(24), 0.4, step, every=0.1).values("b23.position") - exact).max()
        for step in (4e-3, 1e-3)
    )
    assert coarse / fine == pytest.approx(16.0, rel=0.02)
    assert fine < 1e-6


def test_step_limit_and_backwards():
    with pytest.raises(IntegrationFailed, match="max_steps"):
        run(chain(2), 1.0, 1e-2, integrator=bc.GeneralizedAlpha(step=1e-2, max_steps=3))
    there = run(chain(2), 0.2, 1e-3, integrator=bc.GeneralizedAlpha(1e-3, spectral_radius=0.95))
    back = run(chain(2), 0.0, 1e-3, start=there,
               integrator=bc.GeneralizedAlpha(1e-3, spectral_radius=0.95))  # fmt: skip
    np.testing.assert_allclose(
        back.values("b1.position")[-1], there.values("b1.position")[0], atol=1e-4
    )


def test_a_long_way_back_with_matrices_made_behind():
    method = bc.GeneralizedAlpha(step=2e-3, spectral_radius=0.95)
    there = run(chain(24), 0.8, 0, integrator=method, every=0.4)
    back = run(chain(24), 0.0, 0, integrator=method, start=there, every=0.4)
    assert there.statistics["steps"] == back.statistics["steps"] == 400
    assert back.statistics["jacobians"] < 40
    np.testing.assert_allclose(
        back.values("b23.position")[::-1], there.values("b23.position"), atol=1e-6
    )


def test_other_integrators_are_refused_by_name():
    for method in (bc.DOP853(), bc.SDIRK54(), bc.RK4(step=1e-3)):
        with pytest.raises(OptionError, match=r"Radau5\(\) .* GeneralizedAlpha"):
            bc.simulate(chain(2), 0.1, formulation=SUM, integrator=method)
    with pytest.raises(OptionError, match="takes no rtol"):
        run(chain(2), 0.1, 1e-3, rtol=1e-6)


# --- events and switches


def cart(*forces) -> bc.Model:
    """A cart of 2 kg on rails along x."""
    return bc.Model(
        "cart",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", bc.Box((0.1, 0.1, 0.1), center=(0, 0, 0), mass=2.0))],
        joints=[bc.Prismatic("X", "ground", "cart", axis="x")],
        forces=list(forces),
    )


def test_events_are_met_at_their_times_and_end_runs():
    """A cart at x = ½ a t² with a = 3 m/s² passes 0.1 m and 0.3 m at √(2 x/a)."""
    model = cart(bc.Force("push", "cart", vector=(6.0, 0, 0)))
    events = [
        bc.Event("near", "X.offset - 0.1"),
        bc.Event("far", "X.offset - 0.3", terminal=True),
    ]
    for every in ("step", 0.05):
        found = run(model, 2.0, 1e-2, events=events, every=every)
        assert found.status == "terminated"
        assert [hit.name for hit in found.events] == ["near", "far"]
        times = [hit.time for hit in found.events]
        np.testing.assert_allclose(times, np.sqrt([0.2 / 3, 0.6 / 3]), atol=1e-10)
        assert found.t[-1] == times[1]
        assert found.values("X.offset")[-1] == pytest.approx(0.3, abs=1e-12)


def test_switches_are_met_at_their_times():
    """At 1 m/s against a buffer of 800 N/m at 0.2053 m, which holds it for π/ω, ω = 20/s."""
    buffer = bc.Motor("buffer", "X", effort="-800*max(X.offset - 0.2053, 0)")
    start, there, omega = {"X.offset_rate": 1.0}, 0.2053, 20.0
    crossing, errors = [bc.Event("face", "X.offset - 0.2053")], []
    for step in (2e-3, 1e-3):
        found = run(cart(buffer), 0.5, step, start=start, events=crossing, every=0.05)
        on, off = (hit.time for hit in found.events)
        assert found.statistics["switches"] == 2
        assert on == pytest.approx(there, abs=1e-10)  # it moves uniformly before
        errors.append(abs(off - there - np.pi / omega))
        assert found.values("X.offset_rate")[-1] == pytest.approx(-1.0, abs=20 * step)
    assert errors[1] < 1e-4
    assert 3.0 < errors[0] / errors[1] < 5.0


def test_a_planar_machine_moves_as_in_straight_line_code():
    """Bodies of a plane have x, y and an angle: both are the same equations then.

    What Newton's method leaves is all that differs, little beside the error of steps.
    """
    A, B, C, D = (0, 0), (0, 1), (2, 2), (2, 0)
    model = bc.Model(
        "flat",
        planar=True,
        bodies=[bc.Body("crank", bc.Rod(A, B, mass=1.0)),
                bc.Body("coupler", bc.Rod(B, C, mass=2.2)),
                bc.Body("rocker", bc.Rod(D, C, mass=2.0))],
        joints=[bc.Revolute("A", "ground", "crank", at=A),
                bc.Revolute("B", "crank", "coupler", at=B),
                bc.Revolute("C", "coupler", "rocker", at=C),
                bc.Revolute("D", "ground", "rocker", at=D)],
    )  # fmt: skip
    options = {
        "every": 0.05, "start": {"A.angle_rate": -1.0},
        "events": [bc.Event("half", "A.angle + 1"), bc.Event("low", "coupler.velocity_y")],
    }  # fmt: skip
    alpha = {"integrator": bc.GeneralizedAlpha(step=2e-3)} | options
    batched, straight = (
        bc.simulate(model, 1.3, formulation=formulation, **alpha)
        for formulation in (SUM, bc.Cartesian())
    )
    exact = bc.simulate(model, 1.3, **options)

    def beside(one: bc.Result, other: bc.Result) -> list[float]:
        """How far places are apart, and times of events."""
        assert [hit.name for hit in one.events] == [hit.name for hit in other.events]
        times = [[hit.time for hit in run.events] for run in (one, other)]
        places = (np.abs(one.values(name) - other.values(name)).max()
                  for name in ("crank.position", "rocker.position"))  # fmt: skip
        return [max(places), np.abs(np.subtract(*times)).max()]

    assert [hit.name for hit in exact.events] == ["half", "low"]
    own = beside(straight, exact)
    assert max(own) < 1e-3
    assert (np.array(beside(batched, straight)) < 0.02 * np.array(own)).all()
