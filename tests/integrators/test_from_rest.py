"""Steps of fixed length from rest where nothing pushes yet: no size to judge states by."""

import numpy as np
import pytest

import bellcrank as bc

MASS = 1.3
RAIL = bc.Model(
    "cart on a rail",
    planar=True,
    bodies=[bc.Body("cart", bc.Box((0.4, 0.2, 0.2), mass=MASS))],
    joints=[bc.Prismatic("rail", "ground", "cart", axis="x")],
    forces=[
        bc.Force("push", "cart", ("a*sin(w*t)", 0)),
        bc.Force("load", "cart", (0, "b*sin(w*t)")),  # which the rail alone carries
    ],
    parameters=[bc.Parameter("a", 3.0), bc.Parameter("b", 0.0), bc.Parameter("w", 2.0)],
)
METHODS = bc.Gauss2, bc.Trapezoidal, bc.GeneralizedAlpha


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("reference", [None, "centroid", "frame"])
def test_what_begins_to_push_within_a_step_moves(method, reference):
    """Against m x = (a/w) (t − sin(w t)/w), in steps of any length, forces across or none.

    The last pace lets the force vanish at both ends of every step.
    """
    given = {} if reference is None else {"formulation": bc.Cartesian(reference=reference)}
    if method is bc.Trapezoidal and given:
        given |= {"constraints": "independent"}
    for h, a, b, w in (
        (1e-2, 3.0, 0.0, 2.0),
        (1e-5, 3.0, 0.0, 2.0),
        (1e-5, 0.0, 5.0, 2.0),
        (1e-3, 1e-9, 5.0, 2e3 * np.pi),
    ):
        run = bc.simulate(
            RAIL, 20 * h, integrator=method(step=h), every=10 * h,
            parameters={"a": a, "b": b, "w": w}, **given,
        )  # fmt: skip
        exact = a / (MASS * w) * (run.t - np.sin(w * run.t) / w)
        size = a * (20 * h) ** 2 / MASS  # of what a force of that size could do
        assert np.abs(run.values("rail.offset") - exact).max() <= 0.01 * size + 1e-18
