"""Parameters in every place a number may stand: a swept machine equals one rebuilt."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.testing import state

pytestmark = pytest.mark.slow

NOMINAL = {"l": 0.5, "m": 2.0, "c": 1.5, "g": 9.0, "k": 30.0, "a": 0.3}
SWEPT = {"l": 0.8, "m": 1.2, "c": 2.5, "g": 4.0, "k": 11.0, "a": -0.4}
PARAMETERS = {name: bc.Parameter(name, value) for name, value in NOMINAL.items()}


def forces(l, m, c, k, a):
    return [
        bc.SpringDamper("strut", ("ground", (l, 0, a)), ("b2", (l, l, 0)), k, c, length=l),
        bc.SpringDamper("string", ("b1", (a, 0, l)), ("b3", (0, l, m)), k),
        bc.JointSpring("coil", "J1", stiffness=k, damping=c, friction=m, rest=a),
        bc.Bushing("rubber", ("b1", (0, l, 0)), ("b2", (0, l, 0)), (k,) * 6, (c,) * 6),
        bc.Force("wind", "b3", (a, "k*sin(t)", m), at=(l, 0, l), frame="body"),
        bc.Torque("twist", "b2", (a, m, "c*t")),
        bc.Motor("motor", "J1", effort="k*t - a"),
    ]


def joints(kind, l, c, a):
    middle = {
        "Revolute": lambda: bc.Revolute(
            "J2", "b1", "b2", at=(l, 0, 0), axis=(1, a, c), drawn=a
        ),
        "Prismatic": lambda: bc.Prismatic("J2", "b1", "b2", at=(l, 0, 0), axis=(a, 1, 0)),
        "Cylindrical": lambda: bc.Cylindrical("J2", "b1", "b2", at=(l, a, 0), axis=(0, a, 1)),
        "Screw": lambda: bc.Screw("J2", "b1", "b2", at=(l, 0, 0), axis=(a, 0, 1), pitch=c),
        "Universal": lambda: bc.Universal(
            "J2", "b1", "b2", at=(l, 0, 0), axis1=(1, a, 0), axis2=(-a, 1, 0), drawn=(a, c)
        ),
        "Spherical": lambda: bc.Spherical("J2", "b1", "b2", at=(l, 0, a)),
        "Planar": lambda: bc.Planar("J2", "b1", "b2", at=(l, 0, a), axis=(0.1 * a, 0.2, 1)),
        "Fixed": lambda: bc.Fixed("J2", "b1", "b2", at={"b1": (l, 0, a), "b2": (l, a, 0)}),
        "Free": lambda: bc.Free("J2", "b1", "b2", at=(l, 0, a), drawn=(a, 0, l)),
    }
    return [
        bc.Revolute("J1", "ground", "b1", at=(0, 0, a), axis="y", drawn=a),
        middle[kind](),
        bc.Revolute("J3", "b3", "b2", at=(l, l, 0), axis=(0, c, 1)),
    ]


def machine(kind, l, m, c, g, k, a):
    bodies = [
        bc.Body(
            "b1", bc.Rod((0, 0, 0), (l, 0, a), mass=m), bc.Sphere(l / 5, (l, 0, 0), mass=c)
        ),
        bc.Body("b2", bc.Box((l, 2 * l, c), (l, a, 0), density=m), pose=bc.Pose((l, a, 0))),
        bc.Body("b3", mass=m, com=(0, l, m), inertia=(m, m + c, c + 1, 0, 0, 0.1 * a)),
    ]
    return bc.Model(
        kind,
        bodies=bodies,
        joints=joints(kind, l, c, a),
        forces=forces(l, m, c, k, a),
        points=[bc.Point("tip", "b3", at=(l, a, m))],
        gravity=(0, a, -1 * g),
        parameters=list(PARAMETERS.values()),
    )


@pytest.mark.parametrize(
    "kind",
    ["Revolute", "Prismatic", "Cylindrical", "Screw", "Universal", "Spherical", "Planar",
     "Fixed", "Free"],
)  # fmt: skip
def test_a_swept_machine_equals_one_rebuilt(kind):
    swept = machine(kind, **PARAMETERS)
    rebuilt = machine(kind, **SWEPT)
    for name, value in SWEPT.items():
        rebuilt = rebuilt.replace(name, value=value)
    one, other = bc.compile(swept, level=0), bc.compile(rebuilt, level=0)
    np.testing.assert_allclose(one.pack({}, parameters=SWEPT)[0], other.pack({})[0], atol=1e-15)
    q, u = one.pack(state(swept, 3))
    found = one.observe(q, u, t=0.3, parameters=SWEPT)
    expected = other.observe(q, u, t=0.3)
    assert found.keys() == expected.keys()
    for name, values in expected.items():
        scale = max(1.0, float(np.max(np.abs(values))))
        np.testing.assert_allclose(
            found[name] / scale, values / scale, atol=1e-10, err_msg=name
        )
    np.testing.assert_allclose(
        one.mass_matrix(q, parameters=SWEPT), other.mass_matrix(q), atol=1e-11
    )
