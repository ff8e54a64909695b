"""Shapes anywhere in the drawing against clouds of points, and with parameters for numbers."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.model.quadrature import gauss, revolved, rotation

from bellcrank.errors import ModelError
from bellcrank.model import (
    Body,
    Box,
    Capsule,
    Cylinder,
    Disc,
    Parameter,
    PointMasses,
    Pose,
    Rod,
    Sphere,
    mass_properties,
)
from bellcrank.model.expressions import Expression, evaluate, parameters, substitute
from bellcrank.model.matter.mass import inadmissible

some = settings(max_examples=25, deadline=None)
seeds = st.integers(0, 2**20)


def cloud(points, weights, mass):
    w = weights * mass / weights.sum()
    com = w @ points / mass
    s = points - com
    second = np.einsum("n,ni,nj->ij", w, s, s)
    return com, np.trace(second) * np.eye(3) - second


def along_z(R, middle, h):
    """Ends of a segment of length h about the middle, along the third column of R."""
    return middle - R[:, 2] * h / 2, middle + R[:, 2] * h / 2


def random_shape(kind, rng):
    """A shape anywhere, its mass, and a cloud of points that fills it."""
    R, c = rotation(rng), rng.normal(size=3)
    r, h, m = rng.uniform(0.1, 2, 3)
    start, end = along_z(R, c, h)
    if kind == "rod":
        z, w = gauss(-h / 2, h / 2)
        return Rod(start, end, mass=m), m, np.outer(z, R[:, 2]) + c, w
    if kind == "bar" or kind == "cylinder":
        p, w = revolved((-h / 2, h / 2, lambda z: r**2 + 0 * z))
        make = Rod(start, end, m, r) if kind == "bar" else Cylinder(start, end, r, mass=m)
        return make, m, p @ R.T + c, w
    if kind == "capsule":
        p, w = revolved(
            (-h / 2 - r, -h / 2, lambda z: r**2 - (z + h / 2) ** 2),
            (-h / 2, h / 2, lambda z: r**2 + 0 * z),
            (h / 2, h / 2 + r, lambda z: r**2 - (z - h / 2) ** 2),
        )
        return Capsule(start, end, r, mass=m), m, p @ R.T + c, w
    if kind == "sphere":
        p, w = revolved((-r, r, lambda z: r**2 - z**2))
        return Sphere(r, c, mass=m), m, p + c, w
    if kind == "disc":
        p, w = revolved((-1e-9, 1e-9, lambda z: r**2 + 0 * z))
        return Disc(r, c, axis=R[:, 2], mass=m), m, p @ R.T + c, w
    if kind == "box":
        sides = rng.uniform(0.1, 2, 3)
        (x, a), (y, b), (z, d) = (gauss(-e / 2, e / 2, 3) for e in sides)
        p = np.stack(np.meshgrid(x, y, z, indexing="ij"), -1).reshape(-1, 3)
        w = (a[:, None, None] * b[:, None] * d).ravel()
        return Box(sides, c, mass=m, rotation=R), m, p @ R.T + c, w
    p, w = rng.normal(size=(5, 3)), rng.uniform(0.1, 1, 5)
    return PointMasses(w, p), w.sum(), p, w


KINDS = ["rod", "bar", "cylinder", "capsule", "sphere", "disc", "box", "points"]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=8, deadline=None)
@given(seeds)
def test_a_shape_has_the_mass_properties_of_the_points_that_fill_it(kind, seed):
    shape, mass, points, weights = random_shape(kind, np.random.default_rng(seed))
    found = mass_properties(Body("body", shape))
    com, inertia = cloud(points, weights, mass)
    assert found.mass == pytest.approx(mass, rel=1e-14)
    np.testing.assert_allclose(found.com, com, atol=1e-12)
    np.testing.assert_allclose(found.inertia, inertia, atol=1e-12 * (1 + np.abs(inertia).max()))
    assert not inadmissible(found.inertia)


@some
@given(st.lists(st.sampled_from(KINDS), min_size=2, max_size=4), seeds)
def test_a_composite_body_is_the_cloud_of_all_its_points(kinds, seed):
    rng = np.random.default_rng(seed)
    shapes, masses, points, weights = zip(
        *(random_shape(kind, rng) for kind in kinds), strict=True
    )
    found = mass_properties(Body("body", *shapes))
    share = [w * m / w.sum() for w, m in zip(weights, masses, strict=True)]
    com, inertia = cloud(np.concatenate(points), np.concatenate(share), sum(masses))
    assert found.mass == pytest.approx(sum(masses), rel=1e-14)
    np.testing.assert_allclose(found.com, com, atol=1e-12)
    np.testing.assert_allclose(found.inertia, inertia, atol=1e-12 * (1 + np.abs(inertia).max()))


@some
@given(st.sampled_from(KINDS), seeds)
def test_parameters_for_all_numbers_give_the_same_mass_properties(kind, seed):
    shape, *_ = random_shape(kind, np.random.default_rng(seed))
    numbers = {}

    def parametric(value):
        if isinstance(value, float):
            numbers[f"p{len(numbers)}"] = value
            return Parameter(f"p{len(numbers) - 1}", value)
        return tuple(map(parametric, value)) if isinstance(value, tuple) else value

    fields = {name: parametric(getattr(shape, name)) for name in shape.__dataclass_fields__}
    expected = mass_properties(Body("body", shape))
    found = mass_properties(Body("body", type(shape)(**fields)))
    values = [found.mass, *found.com, *(x for row in found.inertia for x in row)]
    numeric = [expected.mass, *expected.com, *(x for row in expected.inertia for x in row)]
    at_nominal = [x if isinstance(x, float) else evaluate(x, {}) for x in values]
    # Roundings differ where a square root is taken of a dot product, or a hypotenuse.
    np.testing.assert_allclose(at_nominal, numeric, rtol=1e-11, atol=1e-12)


def test_a_swept_length_equals_a_rebuilt_body():
    swept = mass_properties(Body("rod", Rod((0, 0, 0), (Parameter("l", 1.0), 0, 0), mass=3.0)))
    rebuilt = mass_properties(Body("rod", Rod((0, 0, 0), (2.5, 0, 0), mass=3.0)))
    assert isinstance(swept.com[0], Expression)
    assert evaluate(swept.com[0], {"l": 2.5}) == rebuilt.com[0]
    assert isinstance(swept.inertia[1][1], Expression)
    assert evaluate(swept.inertia[1][1], {"l": 2.5}) == rebuilt.inertia[1][1]
    other = substitute(swept.inertia[2][2], {Parameter("l", 1.0): Parameter("l", 2.5)})
    assert parameters(other) == (Parameter("l", 2.5),)


def test_density_times_volume_is_mass():
    for shape, volume in [
        (Box((1, 2, 3), density=10), 6),
        (Sphere(2, density=10), 32 / 3 * np.pi),
        (Cylinder((0, 0, 0), (0, 0, 3), 2, density=10), 12 * np.pi),
        (Capsule((0, 0, 0), (0, 0, 3), 2, density=10), 12 * np.pi + 32 / 3 * np.pi),
    ]:
        assert mass_properties(Body("body", shape)).mass == pytest.approx(
            10 * volume, rel=1e-14
        )
    assert Rod((0, 0, 0), (0, 0, 2), 1.0, radius=0.5).volume == pytest.approx(np.pi / 2)
    assert Rod((0, 0, 0), (0, 0, 2), 1.0).volume is None


def test_a_mass_of_zero_makes_a_picture_only():
    plain = Body("rod", Rod((0, 0, 0), (1, 0, 0), mass=1))
    decorated = Body("rod", Rod((0, 0, 0), (1, 0, 0), mass=1), Sphere(1, mass=0))
    assert mass_properties(plain) == mass_properties(decorated)


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (lambda: Rod((0, 0, 0), (0, 0, 0), 1),
         "Rod: start and end must differ, got (0, 0, 0) for both."),
        (lambda: Rod((0, 0), (1, 0, 0, 0), 1), "Rod: end needs 3 components [m], got 4."),
        (lambda: Rod("a", (1, 0, 0), 1), "Rod: start needs 3 components [m], got 'a'."),
        (lambda: Rod((0, 0, float("nan")), (1, 0, 0), 1),
         "Rod: start[2] must be a finite number [m], got nan."),
        (lambda: Rod((0, 0, 0), (1, 0, 0), -1),
         "Rod: mass must be zero or positive [kg], got -1."),
        (lambda: Rod((0, 0, 0), (1, 0, 0), float("inf")),
         "Rod: mass must be a finite number [kg], got inf."),
        (lambda: Rod((0, 0, 0), (1, 0, 0), 1, radius=0),
         "Rod: radius must be positive [m], got 0."),
        (lambda: Rod((0, 0, 0), (1, 0, 0), "t"),
         "Rod: mass: a number may use parameters only, but 't' uses t."),
        (lambda: Box((1, 2), (0, 0, 0), density=-1),
         "Box: density must be zero or positive [kg/m³], got -1."),
        (lambda: Box((1, 0, 0), mass=1),
         "Box: size needs at least two edges that are not zero."),
        (lambda: Box((1, 2, -3), mass=1), "Box: size[2] must be zero or positive [m], got -3."),
        (lambda: Box((1, 2, 3), mass=1, density=1), "Box: takes mass or density, got both."),
        (lambda: Box((1, 2, 3), mass=1, rotation=((1, 0, 0), (0, 1, 0), (0, 0, 2))),
         "Box: rotation must be a right-handed rotation; its columns are not orthonormal."),
        (lambda: Sphere(None, mass=1), "Sphere: radius must be a finite number [m], got None."),
        (lambda: Disc(1, axis=(0, 0, 0), mass=1),
         "Disc: axis must not be zero, got (0, 0, 0)."),
        (lambda: Disc(1, axis="up", mass=1),
         "Disc: axis is one of x, y, z, -x, -y, -z or three numbers, got 'up'."),
        (lambda: PointMasses((1, 2), [(0, 0, 0)]),
         "PointMasses: needs as many points as masses, got 1 and 2."),
        (lambda: PointMasses((1, 0), [(0, 0, 0), (1, 1, 1)]),
         "PointMasses: masses[1] must be positive [kg], got 0."),
        (lambda: PointMasses((1,), [(0, "x y", 0)]), None),
        (lambda: PointMasses((1,), 5), "PointMasses: points needs at least one point."),
    ],
)  # fmt: skip
def test_a_wrong_shape_is_refused_when_it_is_made(shape, message):
    with pytest.raises(ModelError) as raised:
        shape()
    if message:
        assert str(raised.value) == message


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 10**400, object(), "x+", 1j, {}])
def test_what_is_no_number_makes_no_shape(bad):
    for made in (
        lambda: Rod((0, 0, bad), (1, 0, 0), mass=1),
        lambda: Box((1, 1, 1), mass=bad),
        lambda: Sphere(bad, mass=1),
        lambda: Disc(1, axis=bad, mass=1),
        lambda: PointMasses((bad,), [(0, 0, 0)]),
    ):
        with pytest.raises(ModelError):
            made()


def test_all_complaints_about_a_body_come_at_once():
    with pytest.raises(ModelError) as raised:
        Body(
            "crank",
            Rod((0, 0, 0), (1, 0), mass=1),
            com=(0, 0, float("nan")),
            inertia=(1, 2, 3),
            pose=Pose((0, float("inf"), 0)),
        )
    assert raised.value.complaints == (
        "body 'crank': com[2] must be a finite number [m], got nan.",
        "body 'crank': inertia needs 3×3 entries or (xx, yy, zz, xy, xz, yz) [kg m²], got 3.",
        "body 'crank': pose: position[1] must be a finite number [m], got inf.",
    )
