"""Motions without inertia: a spin that nothing drives stays as it is, others are refused."""

import warnings

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.prepare.guarding import tell_of_spins

THREE = [bc.JointCoordinates(), bc.Cartesian(), bc.Kane()]


def linkage(link):
    """Return a crank and a rocker whose axes are askew, with a link between two balls."""
    b, c = (0, 0, 0.5), (1, 0.3, 0.6)
    return bc.Model(
        "RSSR",
        bodies=[
            bc.Body("crank", bc.Cylinder((0, 0, 0), b, 0.05, mass=1.0)),
            bc.Body("link", link(b, c)),
            bc.Body("rocker", bc.Cylinder((1, 0.3, 0), c, 0.05, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y"),
            bc.Spherical("B", "crank", "link", at=b),
            bc.Spherical("C", "link", "rocker", at=c),
            bc.Revolute("D", "ground", "rocker", at=(1, 0.3, 0), axis=(0.2, 1, 0)),
        ],
    )


def moved(model, formulation):
    start = {"A.angle_rate": 1.0}
    run = bc.simulate(model, 0.5, formulation=formulation, start=start, every=0.05)
    return np.hstack([run.values(f"{body.name}.position") for body in model.bodies])


@pytest.mark.parametrize("formulation", THREE)
def test_a_thin_link_between_two_balls_moves_as_two_points_do(formulation):
    """Natural coordinates do not have its spin at all."""
    thin = linkage(lambda b, c: bc.Rod(b, c, mass=0.5))
    expected = moved(thin, bc.Natural())
    tell_of_spins.cache_clear()
    with pytest.warns(UserWarning, match="nothing resists or drives the spin of 'link'"):
        moved(thin, formulation)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = moved(thin, formulation)  # said once
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-7)


def test_the_same_rod_runs_where_it_is_two_points():
    """Natural coordinates do not have the spin at all."""
    a, b = (0, 0, 0), (1, 0, 0)
    rod = bc.Model(
        "rod",
        bodies=[bc.Body("rod", bc.Rod(a, b, mass=1.0))],
        joints=[bc.Spherical("A", "ground", "rod", at=a)],
    )
    run = bc.simulate(rod, 0.2, formulation=bc.Natural())
    assert run.audit["energy_drift"] < 1e-7


@pytest.mark.parametrize("formulation", THREE)
def test_a_thin_link_that_is_turned_about_its_line_is_refused(formulation):
    """It lies askew: what is left of its inertia is rounding, and its spin would be endless."""
    thin = linkage(lambda b, c: bc.Rod(b, c, mass=0.5))
    twisted = thin.add(bc.Torque("twist", "link", (0.1, 0.03, 0.01), frame="body"))
    with pytest.raises(bc.StartError, match=r"angular_velocity.* no inertia"):
        bc.simulate(twisted, 0.5, formulation=formulation)


PUSHES = {
    "spring": lambda at, e: bc.SpringDamper(
        "f", ("rod", at), ("ground", tuple(at + e)), stiffness=50.0, length=0.5
    ),
    "force": lambda at, e: bc.Force("f", "rod", ("1", "2", "3"), at=at),
    "torque": lambda at, e: bc.Torque("f", "rod", ("1", "2", "3")),
    "bushing": lambda at, e: bc.Bushing(
        "f", ("ground", (0, 0, 0)), ("rod", (0, 0, 0)), stiffness=(0, 0, 0, 1, 1, 1)
    ),
}
ALL = [*THREE, bc.Natural(), bc.Natural(constant=True)]


@pytest.mark.slow
@pytest.mark.parametrize("push", PUSHES)
@pytest.mark.parametrize("formulation", ALL, ids=repr)
def test_a_spin_without_inertia_that_is_pushed_is_refused(formulation, push):
    """Of rods that lie askew in any way, rounding of moments that cancel is no inertia."""
    for seed in range(3):
        axes, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
        end, at = 0.6 * axes[0], 0.3 * axes[0] + 0.1 * axes[1]
        model = bc.Model(
            "pushed",
            bodies=[bc.Body("rod", bc.Rod((0, 0, 0), tuple(end), mass=2.0))],
            joints=[bc.Spherical("S", "ground", "rod", at=(0, 0, 0))],
            forces=[PUSHES[push](tuple(at), axes[2])],
        )
        with pytest.raises(bc.StartError, match="no inertia"):
            bc.simulate(model, 0.1, formulation=formulation)


@pytest.mark.slow
@pytest.mark.parametrize("joint", ["Free", "Revolute", "Universal"])
@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian()], ids=repr)
def test_a_thin_rod_that_may_spin_for_itself_is_refused(formulation, joint):
    """A tree has no rows that could say so."""
    for seed in range(3):
        axes, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
        along, across = tuple(axes[0]), tuple(axes[1])
        held = {
            "Free": {},
            "Revolute": {"at": (0, 0, 0), "axis": along},
            "Universal": {"at": (0, 0, 0), "axis1": across, "axis2": along},
        }[joint]
        model = bc.Model(
            "spins",
            bodies=[bc.Body("rod", bc.Rod((0, 0, 0), tuple(0.6 * axes[0]), mass=2.0))],
            joints=[getattr(bc, joint)("S", "ground", "rod", **held)],
        )
        with pytest.raises(bc.StartError, match="no inertia"):
            bc.simulate(model, 0.1, formulation=formulation)


def tied(seed, end, mass=0.5):
    """Return a crank and a rocker tied by a thin rod, turned any way.

    Args:
        seed: Of the turn.
        end: `Spherical`, or `Universal`: one axis in the rocker, one in the rod, all square.
        mass: Of the rod.
    """
    turn, _ = np.linalg.qr(np.random.default_rng(seed).normal(size=(3, 3)))
    turn *= np.linalg.det(turn)

    def at(*point):
        return tuple(turn @ point)

    b, c = at(0, 0, 0.5), at(1, 0.3, 0.6)
    line = np.subtract(c, b)
    e = np.cross(line, at(0, 0, 1))
    e, g = (tuple(a / np.linalg.norm(a)) for a in (e, np.cross(line, e)))
    joint = (
        bc.Spherical("C", "rocker", "rod", at=c)
        if end == "Spherical"
        else bc.Universal("C", "rocker", "rod", at=c, axis1=e, axis2=g)
    )
    return bc.Model(
        "tied",
        bodies=[
            bc.Body("crank", bc.Cylinder(at(0, 0, 0), b, 0.05, mass=1.0)),
            bc.Body("rocker", bc.Cylinder(at(1, 0.3, 0), c, 0.05, mass=1.0)),
            bc.Body("rod", bc.Rod(b, c, mass=mass)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=at(0, 0, 0), axis=at(0, 1, 0)),
            bc.Spherical("B", "crank", "rod", at=b),
            joint,
            bc.Revolute("D", "ground", "rocker", at=at(1, 0.3, 0), axis=at(0.2, 1, 0)),
        ],
        parameters=[bc.Parameter("m", 0.5)] if mass == "m" else [],
    )


@pytest.mark.slow
@pytest.mark.parametrize("held", ["project", "independent", "baumgarte"])
@pytest.mark.parametrize("formulation", [*THREE, bc.Natural()], ids=repr)
def test_a_thin_rod_whose_spin_a_universal_joint_holds_moves_as_two_points_do(
    formulation, held
):
    """It holds what has no inertia: the other end might as well be a ball."""
    options = {"until": 0.5, "start": {"A.angle_rate": 3.0}, "constraints": held}
    for seed, mass in ((0, 0.5), (1, 0.5), (2, "m")):
        points = bc.simulate(
            tied(seed, "Spherical"), 0.5, start=options["start"], formulation=bc.Natural()
        )
        integrator = bc.DOP853(max_steps=400)  # 50 are taken
        run = bc.simulate(
            tied(seed, "Universal", mass), formulation=formulation, integrator=integrator,
            **options,
        )  # fmt: skip
        for channel in ("A.angle", "D.angle", "rod.position"):
            np.testing.assert_allclose(run.final[channel], points.final[channel], atol=1e-6)


FIVE = [*THREE, bc.Cartesian(form="euler"), bc.Cartesian(assembled=True)]
B, C = np.array([0.1, 0.0, -0.5]), np.array([1.0, 0.3, -0.6])
LINE = (C - B) / np.linalg.norm(C - B)


def swing(mass):
    """Return a crank and a bob on a ball, with a thin link between two balls.

    It has several freedoms: torques across the line of the link that do no work, as those of a
    gyroscope, would still change how it moves.
    """
    return bc.Model(
        "swing",
        bodies=[
            bc.Body("crank", bc.Cylinder((0, 0, 0), tuple(B), 0.05, mass=1.0)),
            bc.Body("link", bc.Rod(tuple(B), tuple(C), mass=mass)),
            bc.Body("bob", bc.Cylinder((1, 0.2, 0), tuple(C), 0.2, mass=1.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=(0, 0, 0), axis="y"),
            bc.Spherical("B", "crank", "link", at=tuple(B)),
            bc.Spherical("C", "link", "bob", at=tuple(C)),
            bc.Spherical("D", "ground", "bob", at=(1, 0.2, 0)),
        ],
        points=[bc.Point("first", "link", at=tuple(B)), bc.Point("last", "link", at=tuple(C))],
    )


def seen(run):
    """Return all that does not name the spin of the link, one row per record."""
    names = ["kinetic_energy", "potential_energy", "linear_momentum", "angular_momentum"]
    names += [f"{joint}.reaction_{what}" for joint in "ABCD" for what in ("force", "torque")]
    names += [
        f"{body}.{of}" for body in ("crank", "bob") for of in ("velocity", "acceleration")
    ]
    names += ["link.position", "link.acceleration", "bob.angular_acceleration"]
    values = [run.values(name) for name in names]
    return np.hstack([value.reshape(len(value), -1) for value in values])


@pytest.mark.slow
@pytest.mark.parametrize("spin", [0.0, 20.0])
@pytest.mark.parametrize("formulation", FIVE, ids=repr)
def test_nothing_but_its_attitude_knows_how_a_thin_link_spins(formulation, spin):
    """Motion, energies, momenta and reactions are those of two points; the spin is kept."""
    model = swing(0.5)
    options = {"until": 0.5, "every": 0.1, "rtol": 1e-11}
    expected = seen(bc.simulate(model, formulation=bc.Natural(), **options))
    start = {"B.angular_velocity": tuple(spin * LINE), "A.angle_rate": 0.0}
    run = bc.simulate(model, formulation=formulation, start=start, **options)
    # Sizes are up to 30. Differences fall with rtol; at 1e-11 they are 1e-10, by Radau5 8e-10.
    np.testing.assert_allclose(seen(run), expected, rtol=0, atol=1e-8)
    line = run.values("last.position") - run.values("first.position")
    line /= np.linalg.norm(line, axis=1)[:, None]
    turning = (run.values("link.angular_velocity") * line).sum(axis=1)
    np.testing.assert_allclose(turning, spin, rtol=0, atol=1e-8)
    assert run.audit["energy_drift"] < 1e-8


@pytest.mark.parametrize("mass", [0.5, 1e-3, 1e-6, 1e-9])
@pytest.mark.parametrize("formulation", THREE, ids=repr)
def test_a_spin_without_inertia_costs_no_steps_however_light_the_link(formulation, mass):
    """Rounding of torques, over what resists the spin, is not what steps are made for."""
    model, options = swing(mass), {"until": 0.2, "start": {"A.angle_rate": 1.0}}
    points = bc.simulate(model, formulation=bc.Natural(), **options)
    run = bc.simulate(model, formulation=formulation, **options)
    assert run.statistics["steps"] <= 2 * points.statistics["steps"] + 5
    np.testing.assert_allclose(
        run.final["bob.position"], points.final["bob.position"], rtol=0, atol=1e-8
    )


@pytest.mark.slow
@pytest.mark.parametrize("mass", [0.5, 1e-6])
def test_formulations_that_know_the_spin_of_a_thin_link_agree_about_it(mass):
    formulations = [*THREE, bc.Cartesian(form="euler"), bc.Kane(speeds="relative fixed")]
    start = {"A.angle_rate": 1.0}
    assert bc.verify(swing(mass), 0.2, start=start, formulations=formulations).agrees
