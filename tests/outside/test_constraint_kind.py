"""A kind of constraint that this file alone declares works like the package's own.

A bead on a wire that is bent to a parabola and carried by a body.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import NotSupported
from bellcrank.formulations.body_space.constraints import conditions
from bellcrank.formulations.body_space.pairs import Pair, Row
from bellcrank.formulations.body_space.scene import Scene
from bellcrank.model import Constraint
from bellcrank.model.elements import fields
from bellcrank.spatial.arithmetic import cross
from bellcrank.views.drawing import draw


@dataclass(frozen=True)
class PointOnParabola(Constraint):
    """A point stays on the parabolic cylinder z = k x² that a body carries.

    `name.force` [N] is what it does to the point along z: F · axis.

    Attributes:
        name: Unique in the model.
        point: The end on it.
        body: The body that carries it.
        at: Its lowest point [m].
        axis: The direction of z.
        along: The direction of x, perpendicular to it.
        bend: k [1/m].
    """

    ENDS = ("point",)
    BODIES = ("body",)
    POINTS = ("at",)
    AXES = ("axis", "along")
    ROWS = ("height",)
    QUANTITIES = (("force", "force", 1),)
    PICTURE = "link"
    name: str
    point: Any
    body: str
    at: Any
    axis: Any
    along: Any
    bend: Any


@conditions.register
def _on_parabola(element: PointOnParabola, scene: Scene) -> list[Row]:
    """Return h·d − k (f·d)² and its rate h·ḋ − 2 k (f·d)(f·ḋ), both in the carrier."""
    body, at = scene.model.end(element.point)
    h, f, here, there = (
        [scene.number(entry) for entry in fields.padded(vector)]
        for vector in (element.axis, element.along, element.at, at)
    )
    triad = [f, cross(h, f), h]
    pair = Pair(scene, (element.body, body), (here, there), (triad, triad))
    (x, x_rate), (z, z_rate) = pair.across(0), pair.across(2)
    k = scene.number(element.bend)
    return [(z - k * x * x, z_rate - 2 * k * x * x_rate)]


def bead(x: float, k: float) -> bc.Model:
    """A particle at rest on a parabola of the ground, under gravity."""
    at = (x, 0.0, k * x * x)
    wire = PointOnParabola("wire", ("bead", at), "ground", (0, 0, 0), "z", "x", bend=k)
    return bc.Model(
        "bead on a wire",
        bodies=[bc.Particle("bead", 2.0, at)],
        joints=[bc.Free("F", "ground", "bead", at=at)],
        constraints=[wire, bc.PointOnPlane("side", ("bead", at), "ground", (0, 0, 0), "y")],
    )


def swing(**options: Any) -> bc.Model:
    """A pendulum that carries the wire, and a rod whose end runs on it."""
    p = (lambda *at: at) if options.get("planar") else (lambda x, y: (x, 0.0, y))
    axes = {} if options.get("planar") else {"axis": "-y"}
    up, along = p(0.6, 0.8), p(-0.8, 0.6)
    wire = PointOnParabola("wire", "end", "swing", p(0.4, -0.5), up, along, bend=0.7)
    return bc.Model(
        "swinging wire",
        bodies=[
            bc.Body("swing", bc.Rod(p(0, 0), p(0.4, -0.5), mass=2)),
            bc.Body("rod", bc.Rod(p(1, 0), p(0.4, -0.5), mass=1)),
        ],
        joints=[
            bc.Revolute("A", "ground", "swing", at=p(0, 0), **axes),
            bc.Revolute("B", "ground", "rod", at=p(1, 0), **axes),
        ],
        constraints=[wire],
        points=[bc.Point("end", "rod", p(0.4, -0.5))],
        **options,
    )


@pytest.mark.parametrize("planar", [False, True])
def test_all_formulations_agree_on_it(planar):
    start = {"A.angle": 0.2, "A.angle_rate": 1.0}
    model = swing(planar=True) if planar else swing()
    assert bc.verify(model, 0.2, start=start, states=3, runs=False).agrees


def test_a_bead_at_rest_starts_as_lagrange_says():
    # L = m/2 (1 + 4k²x²) ẋ² − m g k x² gives ẍ = −2 g k x/(1 + 4k²x²) where ẋ = 0.
    x, k, g = 0.3, 1.5, 9.81
    run = bc.simulate(bead(x, k), 0.01, formulation=bc.Cartesian())
    start = run["bead.acceleration"].values[0]
    ahead = -2 * g * k * x / (1 + 4 * k * k * x * x)
    np.testing.assert_allclose(start, (ahead, 0, 2 * k * x * ahead), atol=1e-10)
    # Along z the wire does what weight and acceleration ask for.
    np.testing.assert_allclose(run["wire.force"].values[0], 2.0 * (g + start[2]), rtol=1e-9)


def test_it_is_written_and_read_and_mirrored(tmp_path):
    model = swing()
    bc.save(model, tmp_path / "machine.yaml")
    assert bc.load(tmp_path / "machine.yaml") == model
    one, other = (
        bc.simulate(m, 0.3, start={"A.angle": 0.2}) for m in (model, model.mirrored("x"))
    )
    flip = np.array([-1.0, 1.0, 1.0])
    np.testing.assert_allclose(other["end.position"], one["end.position"] * flip, atol=1e-8)


@pytest.mark.parametrize("planar", [False, True])
def test_it_is_drawn(planar):
    """From the lowest point of the wire, on its carrier, to the end of the rod."""
    model = swing(planar=True) if planar else swing()
    scene = draw(model)
    (tie,) = scene.ties
    assert (tie.name, tie.kind) == ("wire", "link")
    assert [scene.bodies[end.body] for end in tie.ends] == ["swing", "rod"]


def test_a_kind_whose_equations_are_missing_says_so():
    @dataclass(frozen=True)
    class Blank(Constraint, kind=False):
        ROWS = ("height",)
        name: str

    model = bead(0.3, 1.5).add(Blank("x"))
    with pytest.raises(NotSupported, match="nothing says what a Blank keeps"):
        bc.compile(model).accelerations(np.zeros(7), np.zeros(6))


@pytest.mark.slow
def test_machines_assembled_from_kinds_take_it():
    start = {"A.angle": 0.2}
    one, other = (
        bc.simulate(swing(planar=True), 0.2, start=start, formulation=formulation)
        for formulation in (bc.JointCoordinates(), bc.Cartesian(assembled=True))
    )
    np.testing.assert_allclose(one["end.position"], other["end.position"], atol=1e-7)
