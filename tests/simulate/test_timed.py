"""Laws and events of time alone, against integrals over their known pieces.

A free cart of 1 kg and an oscillator of 1 rad/s are driven by one law g(t) from rest:

    cart         x(T) = ∫ (T − s) g(s) ds
    oscillator   x(T) = ∫ sin(T − s) g(s) ds

The integrals are sums of Gauss quadratures between the breaks, which are written down by hand
as parts of a period; the laws stand here twice, for us and for NumPy.
"""

import numpy as np
import pytest

import bellcrank as bc

FREQUENCIES = (0.37, 1.0, 10.0, 33.0, 1000.0)
TURN = 2.0 * np.pi


def carts(effort, **others):
    """Return a free cart C and an oscillator O, both driven by one law."""
    body = {"mass": 1.0, "com": (0, 0, 0), "inertia": (1, 1, 1, 0, 0, 0)}
    return bc.Model(
        "carts",
        gravity=(0, 0, 0),
        bodies=[bc.Body("cart", **body), bc.Body("mass", **body)],
        joints=[
            bc.Prismatic("C", "ground", "cart", at=(0, 0, 0), axis="x"),
            bc.Prismatic("O", "ground", "mass", at=(0, 0, 0), axis="x"),
        ],
        forces=[
            bc.Motor("M", "C", effort=effort),
            bc.Motor("N", "O", effort=effort),
            bc.JointSpring("S", "O", stiffness=1.0),
        ],
        parameters=[bc.Parameter("f", 1.0)],
        **others,
    )


def asin_parts(*levels):
    """Return the parts of a period at which its sine has these values."""
    first = [np.arcsin(level) / TURN % 1.0 for level in levels]
    return [*first, *((0.5 - np.arcsin(level) / TURN) % 1.0 for level in levels)]


def responses(law, parts, f, until):
    """Return x of the cart and of the oscillator, and their speeds, at the end."""
    periods = np.arange(np.ceil(until * f) + 1)[:, None]
    # Quarters keep the pieces short enough for the quadrature.
    inside = np.sort(np.unique([*parts, *np.arange(0, 1, 0.125)]))
    edges = np.append(((periods + inside) / f).ravel(), until)
    edges = np.unique(np.clip(edges, 0.0, until))
    edges = np.unique(np.concatenate([edges, np.linspace(0, until, 41)]))
    nodes, weights = np.polynomial.legendre.leggauss(16)
    # Squeezed towards both ends, where a root may have an infinite slope.
    squeezed = 0.25 * nodes * (15 - 10 * nodes**2 + 3 * nodes**4) / 2
    slopes = 0.125 * (15 - 30 * nodes**2 + 15 * nodes**4)
    half = 0.5 * np.diff(edges)[:, None]
    s = edges[:-1, None] + half * (1.0 + squeezed)
    g = law(TURN * f * s) * half * slopes * weights
    return [np.sum(k * g) for k in (until - s, np.sin(until - s), 1.0, np.cos(until - s))]


def between(x, knots, values):
    return np.interp(x, knots, values)


P = "(2*pi*f*t)"
LAWS = {
    "sign": (f"sign(sin{P})", lambda a: np.sign(np.sin(a)), [0, 0.5]),
    "step": (f"step(sin{P} - 0.3)", lambda a: 1.0 * (np.sin(a) >= 0.3), asin_parts(0.3)),
    "rare step": (
        f"step(sin{P} - 0.999)",
        lambda a: 1.0 * (np.sin(a) >= 0.999),
        asin_parts(0.999),
    ),
    "where": (
        f"where(sin{P} > 0.3 and not (cos{P} < -0.5), 2, -1)",
        lambda a: np.where((np.sin(a) > 0.3) & ~(np.cos(a) < -0.5), 2.0, -1.0),
        [*asin_parts(0.3), 1 / 3, 2 / 3],
    ),
    "abs": (f"abs(sin{P})", lambda a: np.abs(np.sin(a)), [0, 0.5]),
    "max": (f"max(0, sin{P} - 0.99)", lambda a: np.maximum(0, np.sin(a) - 0.99), asin_parts(0.99)),
    "min": (f"min(0.2, sin{P})", lambda a: np.minimum(0.2, np.sin(a)), asin_parts(0.2)),
    "table": (
        f"interp(sin{P}, [-0.9, -0.4, 0.1, 0.8], [0, 1, -1, 2])",
        lambda a: between(np.sin(a), [-0.9, -0.4, 0.1, 0.8], [0, 1, -1, 2]),
        asin_parts(-0.9, -0.4, 0.1, 0.8),
    ),
    "nested": (
        f"where(step(sin{P}) - 0.5 > 0, max(sin{P}, 0.5), abs(min(sin{P}, -0.2)))",
        lambda a: np.where(
            np.sin(a) >= 0, np.maximum(np.sin(a), 0.5), np.abs(np.minimum(np.sin(a), -0.2))
        ),
        [0, 0.5, *asin_parts(0.5, -0.2)],
    ),
    "sign of a product": (
        f"sign(sign(sin{P})*cos{P}*(sin{P} - 0.25))",
        lambda a: np.sign(np.sin(a) * np.cos(a) * (np.sin(a) - 0.25)),
        [0, 0.25, 0.5, 0.75, *asin_parts(0.25)],
    ),
    "product": (
        f"sign(sin{P})*abs(cos{P})*step(0.8 - sin{P})",
        lambda a: np.sign(np.sin(a)) * np.abs(np.cos(a)) * (np.sin(a) <= 0.8),
        [0, 0.25, 0.5, 0.75, *asin_parts(0.8)],
    ),
    "power": (f"abs(sin{P})**3 - abs(cos{P})**1.5", lambda a: np.abs(np.sin(a)) ** 3 - np.abs(np.cos(a)) ** 1.5, [0, 0.25, 0.5, 0.75]),
    "root": (f"sqrt(abs(sin{P}))", lambda a: np.sqrt(np.abs(np.sin(a))), [0, 0.5]),
    "saw": (f"atan2(sin{P}, cos{P})", lambda a: np.arctan2(np.sin(a), np.cos(a)), [0.5]),
    "triangle": (f"asin(sin{P})", lambda a: np.arcsin(np.sin(a)), [0.25, 0.75]),
    "train": (
        f"exp((sin{P} - 1)/0.001)",
        lambda a: np.exp((np.sin(a) - 1) / 0.001),
        [0.25 + d for d in (-0.06, -0.04, -0.03, -0.02, -0.01, -0.005, 0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.06)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_nonsmooth_laws_of_time_are_integrated_at_every_frequency(name):
    """Within 1e-6 at default tolerance, though steps could pass hundreds of periods."""
    text, law, parts = LAWS[name]
    model = carts(text)
    for f in FREQUENCIES:
        until = 10.0 if f < 100 else 0.5
        run = bc.simulate(model, until, parameters={"f": f}, every=until)
        names = ("C.offset", "O.offset", "C.offset_rate", "O.offset_rate")
        got = [run.values(name)[-1] for name in names]
        exact = responses(law, parts, f, until)
        np.testing.assert_allclose(got, exact, atol=1e-6, err_msg=f"{f} Hz")
