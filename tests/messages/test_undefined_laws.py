"""A law that ceases to be defined is named, with the part of it that does."""

import pytest

import bellcrank as bc


def machine(*elements, variables=()):
    """A rod on a hinge that falls, with something acting on it."""
    rod = bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), radius=0.1, mass=1.0))
    hinge = bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")
    return bc.Model("rod", bodies=[rod], joints=[hinge], forces=elements, variables=variables)


def motor(law):
    return machine(bc.Motor("motor", "A", effort=law))


SPRING = bc.SpringDamper(
    "rope", ("ground", (0, 0, 3)), ("rod", (1, 0, 0)), law="sqrt(3.5 - length)"
)
LAWS = [
    (motor("sqrt(1 - A.angle)"), "force 'motor'", "sqrt(1 - A.angle)"),
    (motor("log(0.5 - t)"), "force 'motor'", "log(0.5 - t)"),
    (motor("0.1*(1 - A.angle)**1.5"), "force 'motor'", "(1 - A.angle)**1.5"),
    (motor("asin(A.angle)"), "force 'motor'", "asin(A.angle)"),
    (machine(bc.JointSpring("stop", "A", law="sqrt(1 - angle)")), "force 'stop'", "sqrt("),
    (machine(SPRING), "force 'rope'", "sqrt("),
    (
        machine(variables=[bc.Variable("level", rate="-sqrt(level)", start=0.1)]),
        "variable 'level'",
        "sqrt(level)",
    ),
]


@pytest.mark.parametrize(("model", "owner", "part"), LAWS, ids=[law[2] for law in LAWS])
@pytest.mark.parametrize(
    "way",
    [
        {},
        {"integrator": bc.Radau5()},
        {"integrator": bc.RK4(step=0.01)},
        {"formulation": bc.Cartesian()},
    ],
    ids=["default", "Radau5", "RK4", "Cartesian"],
)
def test_the_law_is_named(model, owner, part, way):
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 3.0, start={"A.angle_rate": 1.0}, **way)
    said = str(caught.value)
    assert f"The law of {owner} is not defined there: {part}" in said
    assert caught.value.run.t[-1] > 0.1


def test_a_law_that_is_always_defined_is_not_blamed():
    """The step is too long; the root is far from its end."""
    model = motor("-1e9*A.angle_rate**3 + sqrt(30 + A.angle)")
    with pytest.raises(bc.IntegrationFailed) as caught:
        bc.simulate(model, 3.0, start={"A.angle_rate": 1.0}, integrator=bc.RK4(step=0.01))
    assert "is not defined" not in str(caught.value)
