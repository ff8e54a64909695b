"""Volumes and moments of inertia of homogeneous solids.

Moments are about the mass centre, along the solid's own axes, for mass m; the last axis is the
one of symmetry. All work on numbers and on expressions of parameters alike.

References:
    Goldstein, Poole, Safko (2002), Classical Mechanics, ch. 5; each one is held against
    quadrature in the tests.
"""

import math
from typing import TypeAlias

from bellcrank.model.algebra import Number

Moments: TypeAlias = tuple[Number, Number, Number]


def box(m: Number, a: Number, b: Number, c: Number) -> Moments:
    """Return m/12 (b² + c², c² + a², a² + b²) of a box with edges a, b, c [m] [kg m²]."""
    aa, bb, cc = a * a, b * b, c * c
    return m * (bb + cc) / 12.0, m * (cc + aa) / 12.0, m * (aa + bb) / 12.0


def ellipsoid(m: Number, a: Number, b: Number, c: Number) -> Moments:
    """Return m/5 (b² + c², c² + a², a² + b²) of half-axes a, b, c [m] [kg m²]."""
    aa, bb, cc = a * a, b * b, c * c
    return m * (bb + cc) / 5.0, m * (cc + aa) / 5.0, m * (aa + bb) / 5.0


def sphere(m: Number, r: Number) -> Moments:
    """Return 2 m r²/5 three times, for radius r [m] [kg m²]."""
    moment = m * r * r * 0.4
    return moment, moment, moment


def cylinder(m: Number, r: Number, h: Number) -> Moments:
    """Return m (3r² + h²)/12 across and m r²/2 along, radius r, height h [m] [kg m²]."""
    across = m * (3.0 * r * r + h * h) / 12.0
    return across, across, m * r * r / 2.0


def disc(m: Number, r: Number) -> Moments:
    """Return m r²/4 across and m r²/2 along, for a thin disc of radius r [m] [kg m²]."""
    across = m * r * r / 4.0
    return across, across, m * r * r / 2.0


def cone(m: Number, r: Number, h: Number) -> Moments:
    """Return 3m (4r² + h²)/80 across and 3m r²/10 along; the centre is h/4 from the base."""
    across = 3.0 * m * (4.0 * r * r + h * h) / 80.0
    return across, across, 3.0 * m * r * r / 10.0


def cone_shell(m: Number, r: Number, h: Number) -> Moments:
    """Return m (9r² + 2h²)/36 across and m r²/2 along of the side of a cone, without its base.

    The centre is h/3 from the base.
    """
    across = m * (9.0 * r * r + 2.0 * h * h) / 36.0
    return across, across, m * r * r / 2.0


def tube(m: Number, r: Number, inner: Number, h: Number) -> Moments:
    """Return m (3(r² + i²) + h²)/12 across and m (r² + i²)/2 along, inner radius i [kg m²]."""
    squares = r * r + inner * inner
    across = m * (3.0 * squares + h * h) / 12.0
    return across, across, m * squares / 2.0


def torus(m: Number, R: Number, r: Number) -> Moments:
    """Return m (4R² + 5r²)/8 across and m (4R² + 3r²)/4 along, of a ring R of radius r."""
    across = m * (4.0 * R * R + 5.0 * r * r) / 8.0
    return across, across, m * (4.0 * R * R + 3.0 * r * r) / 4.0


def torus_shell(m: Number, R: Number, r: Number) -> Moments:
    """Return m (2R² + 5r²)/4 across and m (2R² + 3r²)/2 along, of the surface of a torus."""
    across = m * (2.0 * R * R + 5.0 * r * r) / 4.0
    return across, across, m * (2.0 * R * R + 3.0 * r * r) / 2.0


def ellipsoid_shell(m: Number, a: Number, b: Number, c: Number) -> Moments:
    """Return m/3 (b² + c², c² + a², a² + b²) of a thin shell between similar ellipsoids."""
    aa, bb, cc = a * a, b * b, c * c
    return m * (bb + cc) / 3.0, m * (cc + aa) / 3.0, m * (aa + bb) / 3.0


def capsule(m: Number, r: Number, h: Number) -> Moments:
    """Return the moments of a cylinder of height h between two half-balls of radius r.

    With the shares c = h/(h + 4r/3) of the cylinder and b = 1 − c of the two half-balls,
    m [c (3r² + h²)/12 + b (2r²/5 + h²/4 + 3hr/8)] across and m r² (c/2 + 2b/5) along.
    """
    c = h / (h + r * (4.0 / 3.0))
    b = 1.0 - c
    rr, hh = r * r, h * h
    across = m * (c * (3.0 * rr + hh) / 12.0 + b * (0.4 * rr + hh / 4.0 + 0.375 * h * r))
    return across, across, m * rr * (c / 2.0 + 0.4 * b)


def box_volume(a: Number, b: Number, c: Number) -> Number:
    """Return a b c [m³]."""
    return a * b * c


def ellipsoid_volume(a: Number, b: Number, c: Number) -> Number:
    """Return 4π a b c / 3 [m³]."""
    return a * b * c * (4.0 * math.pi / 3.0)


def sphere_volume(r: Number) -> Number:
    """Return 4π r³ / 3 [m³]."""
    return r * r * r * (4.0 * math.pi / 3.0)


def cylinder_volume(r: Number, h: Number) -> Number:
    """Return π r² h [m³]."""
    return r * r * h * math.pi


def cone_volume(r: Number, h: Number) -> Number:
    """Return π r² h / 3 [m³]."""
    return r * r * h * (math.pi / 3.0)


def tube_volume(r: Number, inner: Number, h: Number) -> Number:
    """Return π (r² − i²) h [m³]."""
    return (r * r - inner * inner) * h * math.pi


def torus_volume(R: Number, r: Number) -> Number:
    """Return 2π² R r² [m³]."""
    return R * r * r * (2.0 * math.pi**2)


def capsule_volume(r: Number, h: Number) -> Number:
    """Return π r² (h + 4r/3) [m³]."""
    return r * r * (h + r * (4.0 / 3.0)) * math.pi
