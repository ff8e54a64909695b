"""A kind of force that this file alone declares works like the package's own.

Two points attract each other as c/d²: Kepler's laws follow.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.forces import Effect, Push, effect
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.model import ForceElement
from bellcrank.model.elements import fields
from bellcrank.views.drawing import draw


@dataclass(frozen=True)
class Attraction(ForceElement):
    """Two points attract each other as c/d².

    Attributes:
        name: Unique in the model.
        first: One end.
        second: The other end.
        strength: c [N m²].
    """

    ENDS = ("first", "second")
    QUANTITIES = (("force", "force", 1), ("distance", "length", 1))
    ARROW = "force"
    PICTURE = "link"
    name: str
    first: Any
    second: Any
    strength: Any

    def __post_init__(self) -> None:
        door = self._door()
        door.take("strength", fields.real, unit="N m²")
        door.close()


@effect.register
def _attraction(element: Attraction, scene: Scene) -> Effect:
    """F = c d/|d|³ on the first end, −F on the second; V = −c/|d|."""
    ends = [scene.model.end(end) for end in (element.first, element.second)]
    one, two = (scene.point(body, [scene.number(x) for x in at]) for body, at in ends)
    d = [b - a for a, b in zip(one.position, two.position, strict=True)]
    distance = sum(x * x for x in d) ** 0.5
    size = scene.number(element.strength) / distance**2
    pull = [size * x / distance for x in d]
    return Effect(
        pushes=(
            Push(ends[0][0], one.position, pull),
            Push(ends[1][0], two.position, [-x for x in pull]),
        ),
        potential=-size * distance,
        channels={"force": [size], "distance": [distance]},
    )


def planet(strength: Any = 3.0) -> bc.Model:
    """A ball of 2 kg that the origin attracts."""
    return bc.Model(
        "planet",
        bodies=[bc.Body("ball", bc.Sphere(0.1, center=(1, 0, 0), mass=2.0))],
        joints=[bc.Free("F", "ground", "ball", at=(1, 0, 0))],
        forces=[Attraction("sun", ("ground", (0, 0, 0)), ("ball", (1, 0, 0)), strength)],
        gravity=(0, 0, 0),
    )


def arms() -> bc.Model:
    """Two pendulums whose tips attract each other."""
    bodies = [
        bc.Body(n, bc.Rod((x, 0, 0), (x, 0.1, -0.5), mass=1)) for n, x in (("a", 0), ("b", 1))
    ]
    joints = [
        bc.Revolute(n.upper(), "ground", n, at=(x, 0, 0), axis="y")
        for n, x in (("a", 0), ("b", 1))
    ]
    tips = [bc.Point(f"tip {n}", n, (x, 0.1, -0.5)) for n, x in (("a", 0), ("b", 1))]
    pull = Attraction("pull", "tip a", "tip b", bc.Parameter("c", 2.0))
    return bc.Model("arms", bodies=bodies, joints=joints, points=tips, forces=[pull])


def test_all_formulations_agree_on_it():
    start = {"A.angle": -0.2, "B.angle_rate": 1.0}
    assert bc.verify(arms(), 0.2, start=start, states=3, runs=False).agrees


def test_a_planet_comes_back_after_its_period():
    # Kepler's third law with 1/a = 2/r − m v²/c of an orbit that starts at r = 1 m.
    c, m, speed = 3.0, 2.0, 1.1
    a = 1 / (2 - m * speed**2 / c)
    period = 2 * np.pi * np.sqrt(a**3 * m / c)
    run = bc.simulate(planet(c), period, start={"F.velocity": (0, speed, 0)}, rtol=1e-11)
    np.testing.assert_allclose(run["ball.position"].values[-1], (1, 0, 0), atol=1e-7)
    near = run["sun.distance"].values.min()
    assert near == pytest.approx(2 * a - 1, rel=1e-5)  # recorded at 1,000 instants
    energy = run["energy"].values
    np.testing.assert_allclose(energy, m * speed**2 / 2 - c, rtol=1e-9)


def test_it_is_written_and_read_and_drawn(tmp_path):
    model = arms()
    bc.save(model, tmp_path / "machine.yaml")
    assert bc.load(tmp_path / "machine.yaml") == model
    scene = draw(model)
    assert [tie.name for tie in scene.ties] == ["pull"]
    assert sum(arrow.name == "pull" for arrow in scene.arrows) == 2


def test_a_kind_whose_effect_is_missing_says_so():
    @dataclass(frozen=True)
    class Idle(ForceElement, kind=False):
        name: str

    model = planet().add(Idle("x"))
    with pytest.raises(NotSupported, match="nothing says what a Idle does"):
        bc.compile(model).accelerations(np.zeros(7), np.zeros(6))


def test_what_a_kind_does_is_part_of_the_key_of_compiled_code():
    def registered(factor: float) -> Any:
        @dataclass(frozen=True)
        class Push1(ForceElement, kind=False):
            BODIES = ("body",)
            QUANTITIES = (("force", "force", 3),)
            name: str
            body: str

        @effect.register(Push1)
        def _(element, scene):
            force = [factor * _unit(), 0.0, 0.0]
            at = scene.point(element.body, [1.0, 0.0, 0.0]).position
            return Effect(pushes=(Push(element.body, at, force),), channels={"force": force})

        return Push1("x", "ball")

    systems = [bc.compile(planet().add(registered(factor))) for factor in (2.0, 6.0)]
    one, two = (system.accelerations(*system.pack({})) for system in systems)
    # The attraction of 3 N along −x is there both times; the ball has 2 kg.
    np.testing.assert_allclose([one[0], two[0]], [(2 - 3) / 2, (6 - 3) / 2], rtol=1e-12)


def _unit() -> float:
    return 1.0


@pytest.mark.slow
def test_machines_assembled_from_kinds_take_it():
    start = {"B.angle_rate": 1.0}
    one, other = (
        bc.simulate(arms(), 0.2, start=start, formulation=formulation)
        for formulation in (bc.JointCoordinates(), bc.Cartesian(assembled=True))
    )
    np.testing.assert_allclose(one["tip a.position"], other["tip a.position"], atol=1e-7)
