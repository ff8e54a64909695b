"""Constraint rows: rates, right-hand sides and jerks against derivatives along a motion."""

import numpy as np
import pytest

import bellcrank as bc

KINDS = {
    "revolute": 5, "prismatic": 5, "cylindrical": 4, "universal": 4, "spherical": 3,
    "planar": 3, "fixed": 6, "distance": 1, "point on line": 2, "point on plane": 1,
    "parallel": 2, "perpendicular": 1, "gear": 1, "rack": 1, "rolling": 3, "joint driver": 1,
    "point driver": 2, "velocity": 1,
}  # fmt: skip
"""Every kind of constraint and its number of rows."""


def constrained(kind, seed=0):
    """Return a machine of three bodies with one constraint, at random places."""
    rng = np.random.default_rng(seed)

    def some():
        return tuple(rng.normal(size=3))

    bodies = [bc.Body(n, mass=1.0, com=some(), inertia=(1, 1, 1, 0, 0, 0)) for n in "abc"]
    root = bc.Spherical("A", "ground", "a", at=some())
    joints = [bc.Free("B", "a", "b", at=some())]
    joints += [bc.Revolute("D", "ground", "c", at=some(), axis=some())]
    more = {}
    ends = ("b", some()), ("c", some())
    sides = {"at": {"b": some(), "c": some()}}
    axis = {"axis": {"b": some(), "c": some()}}
    Q = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    match kind:
        case "revolute" | "prismatic" | "cylindrical" | "planar":
            joints.append(getattr(bc, kind.capitalize())("C", "b", "c", **sides, **axis))
        case "universal":
            pins = {"axis1": tuple(Q[:, 0]), "axis2": tuple(Q[:, 1])}
            joints.append(bc.Universal("C", "b", "c", **sides, **pins))
        case "spherical" | "fixed":
            joints.append(getattr(bc, kind.capitalize())("C", "b", "c", **sides))
        case "distance":
            more = {"constraints": [bc.Distance("x", *ends, length=1.3)]}
        case "point on line":
            more = {"constraints": [bc.PointOnLine("x", ends[0], "c", some(), some())]}
        case "point on plane":
            more = {"constraints": [bc.PointOnPlane("x", ends[0], "c", some(), some())]}
        case "parallel":
            more = {"constraints": [bc.Parallel("x", "b", "c", some(), some())]}
        case "perpendicular":
            more = {"constraints": [bc.Perpendicular("x", "b", "c", some(), some())]}
        case "gear":
            root = bc.Revolute("A", "ground", "a", at=some(), axis=some())
            more = {"constraints": [bc.Gear("x", "A", "D", ratio=-2.0)]}
        case "rack":
            root = bc.Prismatic("A", "ground", "a", axis=some())
            more = {"constraints": [bc.RackAndPinion("x", "A", "D", radius=0.3)]}
        case "rolling":
            disc = bc.RollingDisc("x", "b", center=some(), axis=some(), radius=0.4)
            more = {"constraints": [disc]}
        case "joint driver":
            more = {"drivers": [bc.Drive("x", "D", angle="sin(2*t) + t**2")]}
        case "point driver":
            motion = {"position_x": "sin(2*t)", "position_z": "t**3"}
            more = {"drivers": [bc.Drive("x", "tip", **motion)]}
            more["points"] = [bc.Point("tip", "b", at=some())]
        case "velocity":
            terms = {"D.angle_rate": "cos(t)", "b.velocity_x": "D.angle"}
            more = {"constraints": [bc.VelocityConstraint("x", terms, equals="t**2")]}
    return bc.Model("constrained", bodies=bodies, joints=[root, *joints], **more)


class Motion:
    """A motion q(t), u(t) = u + a τ + j τ²/2 of a machine, and its slots along it."""

    def __init__(self, model, seed, formulation=None):
        rng = np.random.default_rng(seed)
        self.equations = bc.equations(model, formulation or bc.JointCoordinates())
        sizes = self.equations.sizes
        self.u, self.a, self.j = rng.normal(size=(3, sizes["u"]))
        q = rng.normal(size=sizes["q"])
        self.q, self.t = q, 0.3
        if self.equations.has("normalize"):
            self.q = self.ask("normalize", 0.0)[0].ravel()

    def speeds(self, tau):
        """Return u at the time tau."""
        return self.u + self.a * tau + self.j * tau**2 / 2

    def coordinates(self, tau, steps=20):
        """Integrate q̇ = W u by the classical Runge-Kutta method."""
        q, h, r = self.q, tau / steps, 0.0
        for _ in range(steps if tau else 0):
            k1 = self.rate(q, r)
            k2 = self.rate(q + h / 2 * k1, r + h / 2)
            k3 = self.rate(q + h / 2 * k2, r + h / 2)
            k4 = self.rate(q + h * k3, r + h)
            q, r = q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), r + h
        return q

    def rate(self, q, tau):
        """Return q̇."""
        empty = np.zeros(0)
        W = self.equations.function("kinematics")(0, q, self.u, *[empty] * 4)[0]
        return np.array(W) @ self.speeds(tau)

    def gap(self, tau):
        """Return C u − ν at the time tau."""
        C, nu = self.ask("velocity", tau)
        return C @ self.speeds(tau) - nu.ravel()

    def ask(self, slot, tau):
        """Return what a slot gives at the time tau."""
        empty = np.zeros(0)
        q, u = self.coordinates(tau), self.speeds(tau)
        found = self.equations.function(slot)(self.t + tau, q, u, *[empty] * 4)
        return [np.array(f) for f in (found if isinstance(found, tuple) else (found,))]


def slope(function, h=1e-3):
    """Return the derivative at zero, by differences of fourth order."""
    return (8 * (function(h) - function(-h)) - (function(2 * h) - function(-2 * h))) / (12 * h)


@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_their_derivatives_belong_together(kind):
    """H01, J01 to J12 in joint coordinates: Φ̇ = C u − ν, C u̇ − γ and the jerk row."""
    motion = Motion(constrained(kind), seed=1)
    assert len(motion.equations.rows) == KINDS[kind]

    gap = motion.gap

    def bend(tau):
        C, gamma = motion.ask("velocity", tau)[0], motion.ask("acceleration", tau)[0].ravel()
        return C @ (motion.a + motion.j * tau) - gamma

    mh = sum(row.level == "position" for row in motion.equations.rows)
    if mh:
        found = slope(lambda tau: motion.ask("position", tau)[0].ravel())
        np.testing.assert_allclose(gap(0.0)[:mh], found, atol=1e-8)
    np.testing.assert_allclose(bend(0.0), slope(gap), atol=1e-7)
    C = motion.ask("velocity", 0.0)[0]
    D, d = motion.ask("jerk", 0.0)
    np.testing.assert_allclose(C @ motion.j + D @ motion.a - d.ravel(), slope(bend), atol=1e-6)


@pytest.mark.parametrize("kind", KINDS)
def test_constraint_jacobian_is_the_derivative_along_the_tangent(kind):
    motion = Motion(constrained(kind, seed=3), seed=4)
    equations, empty, h = motion.equations, np.zeros(0), 1e-5
    T = motion.ask("kinematics", 0.0)[0]
    found = motion.ask("constraint_jacobian", 0.0)[0]
    for i in range(T.shape[1]):
        ends = []
        for sign in (1, -1):
            q = motion.q + sign * h * T[:, i]
            C, nu = equations.function("velocity")(motion.t, q, motion.u, *[empty] * 4)
            ends.append(np.array(C) @ motion.u - np.array(nu).ravel())
        np.testing.assert_allclose(found[:, i], (ends[0] - ends[1]) / (2 * h), atol=1e-6)


def test_what_cannot_be_constrained_is_refused_by_name():
    model = constrained("joint driver")
    jumpy = model.replace("x", motion={"angle": "abs(t - 1)"})
    with pytest.raises(
        bc.NotSupported, match="'x', angle: its speed jumps by 2 rad/s at t = 1 s"
    ):
        bc.simulate(jumpy, 2.0)
    with pytest.raises(bc.ModelError, match="driver 'x': angle may use t and parameters only"):
        model.replace("x", motion={"angle": bc.Input("w") + 1.0})


# --- many turns ---------------------------------------------------------------------------


def planetary_gear(planets):
    """Sun of 0.3 m, planets of 0.1 m, ring of 0.5 m on a carrier, each in its own bearing."""
    still = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1, 0, 0, 0)}
    around = [2 * np.pi * i / planets for i in range(planets)]
    places = [(0.4 * np.cos(angle), 0.4 * np.sin(angle), 0.0) for angle in around]
    bodies = [bc.Body(name, com=(0, 0, 0), **still) for name in ("carrier", "sun", "ring")]
    bearings = [("C", "ground", "carrier"), ("S", "carrier", "sun"), ("R", "carrier", "ring")]
    joints = [bc.Revolute(name, *ends, at=(0, 0, 0), axis="z") for name, *ends in bearings]
    gears = []
    for i, place in enumerate(places):
        bodies.append(bc.Body(f"planet{i}", com=place, **still))
        joints.append(bc.Revolute(f"P{i}", "carrier", f"planet{i}", at=place, axis="z"))
        gears.append(bc.Gear(f"inner{i}", "S", f"P{i}", -3.0))
        gears.append(bc.Gear(f"outer{i}", f"P{i}", "R", 0.2))
    motor = bc.Motor("motor", "S", "2.0")
    return bc.Model(
        "planetary gear", bodies=bodies, joints=joints, constraints=gears, forces=[motor]
    )


@pytest.mark.slow
@pytest.mark.parametrize("before", [300.0, 1000.0])
@pytest.mark.parametrize("planets", [1, 3])
def test_gears_mesh_after_hundreds_of_thousands_of_radians(planets, before):
    """Φ of a gear is as exact as after none: its rounding is not that of its large angles.

    In joint coordinates angles are coordinates, and all rates grow as they should.
    """
    model, start = planetary_gear(planets), {"C.angle_rate": 100.0, "S.angle_rate": -130.0}
    spun = bc.simulate(model, before, start=start, every=before)
    how = {"begin": before, "start": spun, "every": 0.02}
    known = bc.simulate(model, before + 0.02, **how)
    run = bc.simulate(
        model, before + 0.02, **how, formulation=bc.Natural(), integrator=bc.Radau5()
    )
    for name in ("C", "S", "P0", "R"):
        turned = known.values(f"{name}.angle")
        assert np.abs(turned).max() > 1e3
        assert np.abs(run.values(f"{name}.angle") - turned).max() <= 1e-9 * np.abs(turned).max()


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Natural()], ids=repr)
def test_drivers_to_angles_without_digits_are_refused(formulation):
    """ε |C(t)| > 1e-6 rad at either end of a run: no step is short enough to follow."""
    wheel = bc.Body("wheel", mass=1.0, com=(0.5, 0, 0), inertia=(0.1, 0.1, 0.1, 0, 0, 0))
    hinge = bc.Revolute("A", "ground", "wheel", at=(0, 0, 0), axis="z")
    model = bc.Model(
        "driven", bodies=[wheel], joints=[hinge], drivers=[bc.Drive("D", "A", angle="1e12*t")]
    )
    with pytest.raises(
        bc.NotSupported, match="driver 'D', angle: it is 1e\\+12 rad at t = 1 s"
    ):
        bc.simulate(model, 1.0, formulation=formulation)
    slow = bc.simulate(model, 1e-10, formulation=formulation, every=1e-10)
    assert abs(slow.values("A.angle")[-1] - 100.0) <= 1e-9
