"""Published machines in Cartesian coordinates: projected, on index 2 and on index 3."""

from pathlib import Path

import numpy as np
import pytest
from tests.classics.runs import at
from tests.classics.test_squeezer import AT_30_MS, MULTIPLIERS
from tests.machines import looped

import bellcrank as bc

DATA = Path(__file__).parent.parent / "data"
FORMS = pytest.mark.parametrize("form", ["omega", "euler"])


def test_the_squeezer_projected():
    """REFERENCES 2.1: q to 1e-6, q' to 1e-5, q'' and multipliers to 1e-4. rtol 1e-11."""
    run = bc.simulate(
        looped.andrews(), 0.03, formulation=bc.Cartesian(), rtol=1e-11, atol=1e-12, every=0.03
    )
    errors = {"angle": 1e-6, "angle_rate": 1e-5, "angle_acceleration": 1e-4}
    for known, (quantity, error) in zip(AT_30_MS.T, errors.items(), strict=True):
        found = [run.values(f"{name}.{quantity}")[-1] for name in looped.ANDREWS]
        np.testing.assert_allclose(found, known, rtol=error)
    for joint, known in MULTIPLIERS.items():
        np.testing.assert_allclose(
            run.values(f"{joint}.reaction_force")[-1, :2], known, rtol=1e-4
        )


def squeezed(**options):
    """Return the angles of the squeezer at 30 ms."""
    run = bc.simulate(looped.andrews(), 0.03, formulation=bc.Cartesian(), every=0.03, **options)
    assert np.max(run.values("constraint_residual")) < 1e-10
    return np.array([run.values(f"{name}.angle")[-1] for name in looped.ANDREWS])


def test_the_squeezer_on_index_2():
    """REFERENCES 2.1 by Radau5 on the stabilised index-2 form, q to 1e-6. rtol 1e-9."""
    found = squeezed(integrator=bc.Radau5(), constraints="index2", rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(found, AT_30_MS[:, 0], rtol=1e-6)


def test_the_squeezer_on_index_3():
    """REFERENCES 2.1 by generalized-α: order 2, and q to 1e-6 from steps of 5 and 2.5 µs."""
    ends = [
        squeezed(integrator=bc.GeneralizedAlpha(step=step), constraints="index3")
        for step in (1e-5, 5e-6, 2.5e-6)
    ]
    known = AT_30_MS[:, 0]
    errors = [abs(end[0] - known[0]) for end in ends]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(2, abs=0.2)
    np.testing.assert_allclose((4 * ends[2] - ends[1]) / 3, known, rtol=1e-6)


CAR = {"plane.x_rate": -0.5, "plane.y_rate": 0.0, "strut.offset_rate": 0.0}
AT_3_S = (
    0.0493455784275402809122, 0.496989460230171153861,
    1.04174252488542151681, 0.373911027265361256927,
)  # fmt: skip


def test_the_car_axis():
    """REFERENCES 2.2: places to 1e-7, the multiplier across the strut. Run at rtol 1e-12."""
    end = at(looped.car_axis(), 3.0, CAR, formulation=bc.Cartesian())
    found = [*end["left.position"][:2], *end["right.position"][:2]]
    np.testing.assert_allclose(found, AT_3_S, atol=1e-7)
    alpha = np.arcsin(0.1 * np.sin(30.0))
    across = np.array([np.cos(alpha), np.sin(alpha), 0])
    np.testing.assert_allclose(
        end["strut.reaction_force"], -47.3688659084893 * across, atol=1e-6
    )


def test_the_car_axis_on_index_3():
    """REFERENCES 2.2 by generalized-α, extrapolated: places to 1e-6."""
    ends = []
    for step in (5e-4, 2.5e-4):
        run = bc.simulate(
            looped.car_axis(), 3.0, start=CAR, formulation=bc.Cartesian(), every=3.0,
            integrator=bc.GeneralizedAlpha(step=step), constraints="index3",
        )  # fmt: skip
        ends.append(
            np.concatenate([run.values(f"{n}.position")[-1, :2] for n in ("left", "right")])
        )
    np.testing.assert_allclose((4 * ends[1] - ends[0]) / 3, AT_3_S, atol=1e-6)


def test_modelica_planar_four_bar():
    """6.2, to 1e-6 of the recomputed. Run at rtol 1e-11."""
    run = bc.simulate(
        looped.modelica(), 5.0, formulation=bc.Cartesian(), rtol=1e-11, atol=1e-12, every=0.1
    )
    known = np.loadtxt(DATA / "modelica" / "planar_fourbar.csv", delimiter=",", skiprows=1)
    found = np.stack([run.values("A.angle"), run.values("A.angle_rate")], axis=1)
    np.testing.assert_allclose(found, known[:, 1:], atol=1e-6)


def double_pendulum(planar):
    """Return the double pendulum of 6.2, in space or in the plane."""
    pad = () if planar else (0.0,)
    boxes = [
        bc.Box((0.5, 0.06, 0.06), center=(x, 0.0, *pad), density=7700.0) for x in (0.25, 0.75)
    ]
    return bc.Model(
        "double pendulum",
        planar=planar,
        bodies=[bc.Body("upper", boxes[0]), bc.Body("lower", boxes[1])],
        joints=[
            bc.Revolute("A", "ground", "upper", at=(0, 0, *pad), axis="z"),
            bc.Revolute("B", "upper", "lower", at=(0.5, 0, *pad), axis="z"),
        ],
        forces=[bc.JointSpring("damper", "A", damping=0.1)],
        gravity=(0, -9.80665, *pad),
    )


@pytest.mark.parametrize(
    ("planar", "form"), [(True, "omega"), (False, "omega"), (False, "euler")]
)
def test_modelica_double_pendulum(planar, form):
    """6.2, to 1e-6 of the recomputed. Run at rtol 1e-11."""
    run = bc.simulate(
        double_pendulum(planar), 3.0, formulation=bc.Cartesian(form=form), rtol=1e-11,
        atol=1e-12, every=0.05,
    )  # fmt: skip
    known = np.loadtxt(DATA / "modelica" / "double_pendulum.csv", delimiter=",", skiprows=1)
    names = ("A.angle", "A.angle_rate", "B.angle", "B.angle_rate")
    found = np.stack([np.asarray(run.values(name)) for name in names], axis=1)
    np.testing.assert_allclose(found, known[:, 1:], atol=1e-6)


@pytest.mark.parametrize("constraints", ["project", "baumgarte"])
def test_the_plain_four_bar(constraints):
    """REFERENCES 0 and H17: the crank at 10 s to 1e-6, held by projection or by feedback."""
    run = bc.simulate(
        looped.plain(), 10.0, formulation=bc.Cartesian(), constraints=constraints, rtol=1e-10,
        atol=1e-12, every=10.0,
    )  # fmt: skip
    other = bc.simulate(looped.plain(), 10.0, rtol=1e-11, atol=1e-13, every=10.0)
    name = looped.plain().joints[0].name
    assert run.values(f"{name}.angle")[-1] == pytest.approx(
        other.values(f"{name}.angle")[-1], abs=1e-6
    )
    assert run.values("constraint_residual")[-1] < (1e-12 if constraints == "project" else 1e-7)


@pytest.mark.parametrize("theta", [0.0, np.pi / 2])
def test_a_falling_rod(theta):
    """H18: a rod pendulum reacts mg/4 level and 5mg/2 at the bottom, to 1e-9."""
    m, L, g = 2.0, 1.5, 9.81
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (L, 0, 0), mass=m))
    model = bc.Model(
        "rod",
        bodies=[rod],
        joints=[bc.Revolute("pin", "ground", "rod", at=(0, 0, 0), axis="y")],
    )
    from tests.formulations.cartesian.embedded import embedded, in_joints
    from tests.formulations.cartesian.test_dynamics import body_space

    rate = np.sqrt(3 * g * np.sin(theta) / L)
    seen = in_joints(model, {"pin.angle": theta, "pin.angle_rate": rate})
    for form in ("omega", "euler"):
        wrench = body_space(embedded(model, bc.Cartesian(form=form), seen))[0]
        known = m * g / 4 if theta == 0.0 else 2.5 * m * g
        np.testing.assert_allclose(wrench[:3], [0, 0, known], atol=1e-9)
        assert abs(wrench[4]) < 1e-9  # J05: nothing about the axis


def test_hooke_joint():
    """J06: ω₂/ω₁ = cos β/(1 − sin²β cos²θ), to 1e-12 of the rows' own rates."""
    beta = 0.5
    c, s = float(np.cos(beta)), float(np.sin(beta))
    shafts = [bc.Body(n, mass=1.0, com=(0, 0, 0), inertia=(1, 1, 1, 0, 0, 0)) for n in "ab"]
    model = bc.Model(
        "shafts",
        bodies=shafts,
        joints=[
            bc.Revolute("in", "ground", "a", at=(0, 0, 0), axis="z"),
            bc.Universal("cross", "a", "b", at=(0, 0, 0), axis1="y", axis2=(c, 0.0, -s)),
            bc.Revolute("out", "ground", "b", at=(0, 0, 0), axis=(s, 0.0, c)),
        ],
        drivers=[bc.Drive("motor", "in", angle="2*t")],
    )
    run = bc.simulate(model, 4.0, formulation=bc.Cartesian(), every=0.5)
    theta = np.asarray(run.values("in.angle"))
    # The input pin is perpendicular to the plane of the shafts at first.
    known = 2 * c / (1 - s**2 * np.cos(theta + np.pi / 2) ** 2)
    np.testing.assert_allclose(run.values("out.angle_rate"), known, rtol=1e-12)
