"""A kind of joint that this file alone declares works like the package's own.

A pin in a slot: the second body turns about a pin that slides along a slot of the first.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.model import Joint
from bellcrank.model.elements.mobility import Mobility, rotation, translation
from bellcrank.views.drawing import draw
from bellcrank.worksheets import derive


@dataclass(frozen=True)
class PinSlot(Joint):
    """A pin in a slot: `offset` along the slot and `angle` about the pin.

    Attributes:
        name: Unique in the model.
        first: The body that carries the slot.
        second: The body that turns about the pin.
        at: Where the pin is [m].
        axis: The pin; z in a planar model.
        slot: The direction of the slot, perpendicular to the pin.
        drawn: `offset` [m] and `angle` [rad] in the drawing.
    """

    motions = (translation("f"), rotation("h"))
    TRIAD: ClassVar[Mapping[str, str]] = {"axis": "h", "slot": "f"}
    name: str
    first: str
    second: str
    at: Any
    axis: Any = None
    slot: Any = "x"
    drawn: Any = None


def swinging(**options: Any) -> bc.Model:
    """A pendulum whose pin slides, and that carries another on a pin in a slot of its own."""
    return bc.Model(
        "pendulum on a slide",
        bodies=[
            bc.Body("arm", bc.Rod((0, 0, 0), (0.4, 0, -0.6), mass=1.2)),
            bc.Body("bob", bc.Box((0.2, 0.3, 0.1), center=(0.5, 0.1, -0.9), mass=0.7)),
        ],
        joints=[
            PinSlot(
                "A", "ground", "arm", at=(0, 0, 0), axis="y", slot=(3, 0, 1), drawn=(0.1, 0.2)
            ),
            PinSlot("B", "bob", "arm", at=(0.4, 0, -0.6), axis=(1, 2, 0), slot=(2, -1, 0.5)),
        ],
        forces=[
            bc.JointSpring("k", "A", "offset", stiffness=30.0, damping=0.5),
            bc.Motor("m", "B", "0.3 - 0.2*B.angle_rate - 9*B.offset", coordinate="offset"),
        ],
        **options,
    )


def scotch_yoke(planar: bool) -> bc.Model:
    """A crank whose pin runs in the slot of a yoke: the yoke moves as r cos θ."""
    axis = {} if planar else {"axis": "z"}
    p = (lambda *at: at) if planar else (lambda *at: (*at, 0.0))
    return bc.Model(
        "Scotch yoke",
        planar=planar,
        bodies=[
            bc.Body("crank", bc.Rod(p(0, 0), p(0.3, 0), mass=1.0)),
            bc.Body("yoke", bc.Rod(p(0.3, -0.4), p(0.3, 0.4), mass=2.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=p(0, 0), **axis),
            bc.Prismatic("G", "ground", "yoke", at=p(0.3, 0), axis=p(1, 0)),
            PinSlot("S", "yoke", "crank", at=p(0.3, 0), slot=p(0, 1), **axis),
        ],
        gravity=p(0, -9.81),
    )


def test_all_formulations_agree_on_a_tree_of_them():
    start = {"A.angle": 0.4, "B.offset": 0.1, "B.angle_rate": 1.0}
    assert bc.verify(swinging(), 0.2, start=start, states=3, runs=False).agrees


@pytest.mark.parametrize("planar", [True, False])
def test_all_formulations_agree_where_it_closes_a_loop(planar):
    start = {"A.angle": 0.5, "A.angle_rate": 2.0}
    assert bc.verify(scotch_yoke(planar), 0.2, start=start, states=3, runs=False).agrees


def test_a_yoke_follows_the_cosine_of_the_crank():
    run = bc.simulate(scotch_yoke(True), 1.0, start={"A.angle_rate": 4.0}, rtol=1e-10)
    theta = run["A.angle"].values
    assert np.ptp(theta) > 1.0
    np.testing.assert_allclose(run["G.offset"].values, 0.3 * np.cos(theta) - 0.3, atol=1e-9)
    np.testing.assert_allclose(run["S.offset"].values, 0.3 * np.sin(theta), atol=1e-9)
    np.testing.assert_allclose(run["S.angle"].values, theta, atol=1e-9)


@pytest.mark.parametrize("model", [swinging(), scotch_yoke(True)], ids=["space", "plane"])
def test_it_is_written_and_read(model, tmp_path):
    bc.save(model, tmp_path / "machine.yaml")
    assert "type: PinSlot" in (tmp_path / "machine.yaml").read_text()
    assert bc.load(tmp_path / "machine.yaml") == model


def test_it_is_drawn_and_derived():
    scene = draw(swinging())
    assert {part.name for part in scene.parts} >= {"A", "B"}
    assert "PinSlot" in derive(scotch_yoke(False)).markdown()


def test_its_mirror_image_moves_as_its_image():
    model = swinging(gravity=(0, -4.0, -9.81))
    start = {"A.angle": 0.4, "B.offset": 0.1, "B.angle_rate": 1.0}
    one, other = (bc.simulate(m, 0.5, start=start) for m in (model, model.mirrored("x")))
    flip = np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(other["bob.position"], one["bob.position"] * flip, atol=1e-8)


@pytest.mark.parametrize(
    ("motions", "message"),
    [
        ((rotation("f"),), "one about h"),
        ((rotation("h", "turn"),), "names of angles begin with 'angle'"),
        ((rotation("h"), translation("f")), "before rotations about other axes"),
        ((rotation("h", lead="p"), translation("h")), "stands alone"),
        ((translation("x"),), "got 'x'"),
        ((translation("f"), translation("g")), "different names"),
        ((translation("f"), rotation("fgh")), "stands alone, or after"),
    ],
)
def test_motions_that_nobody_can_interpret_are_refused(motions, message):
    with pytest.raises(TypeError, match=message):
        Mobility(motions)


@pytest.mark.slow
def test_machines_assembled_from_kinds_take_it():
    start = {"A.angle": 0.4, "B.offset": 0.1, "B.angle_rate": 1.0}
    one, other = (
        bc.simulate(swinging(), 0.2, start=start, formulation=formulation)
        for formulation in (bc.JointCoordinates(), bc.Cartesian(assembled=True))
    )
    np.testing.assert_allclose(one["bob.position"], other["bob.position"], atol=1e-7)
