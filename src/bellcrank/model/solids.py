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


def thin_rod(m: Number, L: Number) -> Moments:
    """Return (m L²/12, m L²/12, 0) of a rod of length L [m] along its last axis [kg m²]."""
    across = m * L * L / 12.0
    return across, across, 0.0


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


def capsule_volume(r: Number, h: Number) -> Number:
    """Return π r² (h + 4r/3) [m³]."""
    return r * r * (h + r * (4.0 / 3.0)) * math.pi
