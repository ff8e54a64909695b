"""Coordinates measured in body space, against the same coordinates of a tree."""

import casadi as ca
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bellcrank as bc
from bellcrank.formulations.body_space.measures import measured
from bellcrank.formulations.contract.symbols import Symbols, column
from bellcrank.formulations.joint_coordinates.layout import layout
from bellcrank.formulations.joint_coordinates.scene import TreeScene
from bellcrank.testing import KINDS, machine, state


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Fixed"])
@settings(max_examples=5, deadline=None)
@given(seed=st.integers(0, 2**20))
def test_what_is_measured_is_what_the_joint_coordinates_are(kind, seed):
    model = machine(["Free", kind], seed=seed)
    equations = bc.equations(model)
    symbols = Symbols.of_sizes(equations.sizes)
    scalars = {name: symbols.scalars(name) for name in equations.sizes}
    a = ca.SX.sym("a", equations.sizes["u"])
    scene = TreeScene(model, layout(model), scalars, ca.vertsplit(a))
    q, u = bc.compile(model).pack(state(model, seed))
    numbers = (0.0, q, u, *[np.zeros(0)] * 4, np.random.default_rng(seed).normal(size=len(u)))
    for level in ("coordinates", "speeds", "accelerations"):
        found = measured(scene, model.joints[1], level)
        known = scene.joint_values("J2", level)
        assert list(found) == list(known)
        for name, scalar in found.items():
            outputs = {"x": column(scalar), "y": column(known[name])}
            function = symbols.function("f", outputs, {"a": a})
            x, y = (np.array(value).ravel() for value in function(*numbers))
            if name == "orientation" and x @ y < 0:
                x = -x  # p and −p are the same attitude
            gap = x - y
            if name.startswith("angle") and level == "coordinates":
                gap = (gap + np.pi) % (2 * np.pi) - np.pi  # a principal value is measured
            np.testing.assert_allclose(gap, 0, atol=1e-12)
