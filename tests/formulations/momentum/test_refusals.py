"""What the momentum form refuses, each by its name and with what would do."""

import pytest
from tests.formulations.momentum.arms import PlanarArm, SpatialArm

import bellcrank as bc

PLANAR, SPATIAL = PlanarArm(), SpatialArm()
DRIVES = (bc.Drive("d2", "shoulder", angle="t"), bc.Drive("d3", "elbow", angle="0"))


def refusal(model, formulation=bc.Momentum()):
    with pytest.raises(bc.NotSupported) as caught:
        bc.equations(model, formulation)
    return str(caught.value)


def test_gravity_and_everything_from_outside_at_once():
    model = bc.Model(
        "arm",
        bodies=PLANAR.model().bodies,
        joints=[*PLANAR.model().joints, bc.Revolute("pin", "ground", "lower", at=(0, 0))],
        planar=True,
        points=[bc.Point("eye", "ground", at=(1, 0))],
        constraints=[bc.Distance("rope", ("ground", (0, 0)), ("upper", (2, 0)))],
        forces=[
            bc.Force("wind", "hub", (1, 0)),
            bc.SpringDamper("strut", ("ground", (0, 0)), ("hub", (0, 1)), stiffness=1),
            bc.SpringDamper("inner", ("hub", (0, 1)), ("upper", (2, 0)), stiffness=1),
            bc.Motor("motor", "shoulder", 1.0),
            bc.JointSpring("hold", "pin", stiffness=1.0),
        ],
        drivers=[*DRIVES, bc.Drive("turn", "float", angle="t")],
    )
    assert refusal(model) == (
        "Momentum is for machines whose momentum nothing changes; 'arm' is none: gravity pulls "
        "at it; give gravity=(0, 0, 0). joint 'pin' holds it to the ground. Force 'wind' acts "
        "from outside. SpringDamper 'strut' acts from outside. JointSpring 'hold' acts from "
        "outside. constraint 'rope' holds it to the ground. driver 'turn' holds it to the "
        "ground. Natural() has the second-order equations, which take all of this."
    )


def test_free_joints_are_named_and_second_order_is_offered():
    assert refusal(PLANAR.model(DRIVES[0])) == (
        "Momentum: the joints of 'planar arm' are free to move in 1 way that nothing drives, "
        "among 'elbow.angle'. Constant momentum determines the motion only where all joint "
        "rates or as many coordinates of a Point are prescribed: add a Drive for each. Free or "
        "torque-driven joints need second-order equations: take Natural()."
    )
    assert "in 3 ways" in refusal(SPATIAL.model())


def test_more_drivers_than_freedoms():
    reach = bc.Drive("reach", "tip", position_x="4")
    assert refusal(PLANAR.model(*DRIVES, reach)) == (
        "Momentum: 'planar arm' has 1 driver more than freedoms of its joints. "
        "Take away as many."
    )


def test_a_loop_with_free_joints():
    """What a loop leaves open is found on the equations themselves."""
    corners = [(0, 0), (1, 0), (1, 1), (0, 1), (-1, 0.5)]
    bodies = [
        bc.Body(f"B{k}", bc.Rod(p, corners[(k + 1) % 5], mass=1.0))
        for k, p in enumerate(corners)
    ]
    joints = [bc.Planar("float", "ground", "B0")]
    joints += [
        bc.Revolute(f"J{k}", f"B{k}", f"B{(k + 1) % 5}", at=corners[(k + 1) % 5])
        for k in range(5)
    ]
    drive = bc.Drive("d", "J0", angle="0.1*t")
    model = bc.Model("ring", planar=True, gravity=(0, 0), bodies=bodies, joints=joints,
                     drivers=[drive])  # fmt: skip
    with pytest.raises(bc.NotSupported, match=r"free to move in 1 way .*'J1.angle'"):
        bc.simulate(model, 1.0, formulation=bc.Momentum())


def test_several_machines():
    model = PLANAR.model(*DRIVES).add(
        bc.Particle("rock", 1.0, (5, 5)), bc.Planar("rock floats", "ground", "rock")
    )
    assert "'float', 'rock floats' are several machines" in refusal(model)


@pytest.mark.parametrize(
    ("knobs", "text"),
    [
        (
            {"linear": 3.0},
            "Momentum: linear takes 0, 2 or 3 finite numbers, or 'start', got 3.0.",
        ),
        (
            {"angular": (1, 2)},
            "Momentum: angular takes 0, 1 or 3 finite numbers, or 'start', got (1, 2).",
        ),
        (
            {"angular": "rest"},
            "Momentum: angular takes 0, 1 or 3 finite numbers, or 'start', got 'rest'.",
        ),
        (
            {"angular": (0, float("nan"), 1)},
            "Momentum: angular takes 0, 1 or 3 finite numbers, or 'start', got (0, nan, 1).",
        ),
    ],
)
def test_knobs(knobs, text):
    with pytest.raises(bc.OptionError) as caught:
        bc.Momentum(**knobs)
    assert str(caught.value) == text


def test_momenta_must_fit_the_machine():
    with pytest.raises(bc.OptionError) as caught:
        bc.equations(PLANAR.model(*DRIVES), bc.Momentum(linear=(1, 2, 3), angular=(1, 0, 0)))
    assert str(caught.value) == (
        "Momentum: linear of the planar machine 'planar arm' takes 2 numbers, got "
        "(1.0, 2.0, 3.0). angular of the planar machine 'planar arm' takes 1 number, got "
        "(1.0, 0.0, 0.0)."
    )
    same = [bc.Momentum(angular=2), bc.Momentum(angular=(0, 0, 2.0))]
    drawn = [bc.equations(PLANAR.model(*DRIVES), f).drawing({}) for f in same]
    assert drawn[0] == drawn[1]
    assert drawn[0][-1] == 2.0


def test_speeds_in_the_start_are_not_left_out_silently():
    with pytest.raises(bc.StartError) as caught:
        bc.simulate(
            PLANAR.model(*DRIVES),
            1.0,
            formulation=bc.Momentum(),
            start={"float.angle_rate": 1.0},
        )
    assert str(caught.value) == (
        "Momentum(linear=0.0, angular=0.0) has no speeds; the start names 'float.angle_rate'. "
        "Rates follow from the momenta and the drivers; 'start' in place of a momentum keeps "
        "the one that these speeds have."
    )


def test_inner_forces_are_welcome():
    """They change no momentum, only what the drives have to do."""
    spring = bc.JointSpring("spring", "elbow", stiffness=5.0, rest=0.3)
    plain, sprung = (
        bc.simulate(
            PLANAR.model(bc.Drive("d2", "shoulder", angle="t"),
                         bc.Drive("d3", "elbow", angle="0.2*t"), forces=forces),
            1.0, formulation=bc.Momentum(), every=0.25,
        )
        for forces in ([], [spring])
    )  # fmt: skip
    assert sprung.final["float.angle"] == pytest.approx(plain.final["float.angle"], abs=1e-12)
    push = sprung.values("d3.effort") - plain.values("d3.effort")
    assert push == pytest.approx(5.0 * (0.2 * plain.t - 0.3), abs=1e-9)
