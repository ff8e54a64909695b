"""Laws with roots, powers and arcs of what is clamped: defined on both sides of the switch.

A step is held on one branch and cut where that is left. Beyond it the branch alone, such as x
of max(x, 0)**1.5, is not defined; the law is.
"""

from math import acos, asin, copysign, sqrt

import pytest
from scipy.integrate import solve_ivp

import bellcrank as bc

LAWS = {
    "-100*max(x, 0)**1.5 - 100*min(x, 0)": (
        lambda x, v: -100 * max(x, 0) ** 1.5 - 100 * min(x, 0)
    ),
    "-x - where(x > 0.2, 50*(x - 0.2)**1.5*(1 + 0.3*v), 0)": (
        lambda x, v: -x - (50 * (x - 0.2) ** 1.5 * (1 + 0.3 * v) if x > 0.2 else 0)
    ),
    "-sign(v)*abs(v)**1.5 - x": lambda x, v: -copysign(1, v) * abs(v) ** 1.5 - x,
    "-x - 0.3*sign(v)*sqrt(abs(v))": lambda x, v: -x - 0.3 * copysign(1, v) * sqrt(abs(v)),
    "1.2 - acos(min(max(x, -1), 1))": lambda x, v: 1.2 - acos(min(max(x, -1), 1)),
    "-asin(min(max(x, -1), 1))": lambda x, v: -asin(min(max(x, -1), 1)),
    "-sqrt(max(x, 0))": lambda x, v: -sqrt(max(x, 0)),
    "where(x > 0, where(v > 0, -(x**1.5), -2*x**1.5), -x)": (
        lambda x, v: (-(x**1.5) if v > 0 else -2 * x**1.5) if x > 0 else -x
    ),
}  # fmt: skip
STARTS = [(0.5, 0.0), (1.0, 1.3), (0.3, -2.0)]


def cart(law: str) -> bc.Model:
    """A cart of 1 kg under a law of its place x and speed v."""
    effort = (
        law.replace("v", "S.offset_rate").replace("x", "S.offset").replace("maS.offset", "max")
    )
    return bc.Model(
        "cart",
        gravity=(0, 0, 0),
        bodies=[bc.Body("B", bc.Sphere(0.1, (0, 0, 0), mass=1.0))],
        joints=[bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="x")],
        forces=[bc.Motor("M", "S", effort=effort)],
    )


@pytest.mark.parametrize("integrator", [bc.Auto(), bc.Radau5()], ids=["Auto", "Radau5"])
@pytest.mark.parametrize("law", LAWS)
def test_branches_are_left_where_their_roots_end(law, integrator):
    """Ends of runs against SciPy, whose short steps see the law as it switches."""
    model, force = cart(law), LAWS[law]
    for x, v in STARTS:
        run = bc.simulate(
            model, 2.0, start={"S.offset": x, "S.offset_rate": v}, integrator=integrator
        )
        wanted = solve_ivp(
            lambda t, y, force=force: (y[1], force(*y)), (0, 2), (x, v), method="DOP853",
            rtol=1e-10, atol=1e-12, max_step=2e-3,
        )  # fmt: skip
        assert run.final["S.offset"] == pytest.approx(wanted.y[0, -1], abs=2e-6)


def test_a_law_that_is_not_defined_as_it_switches_ends_a_run():
    """Below 0 sqrt(max(x, -1)) has no value, on whichever branch it is held."""
    with pytest.raises(bc.IntegrationFailed, match="is not defined there"):
        bc.simulate(cart("-1 - sqrt(max(x, -1))"), 5.0, start={"S.offset": 0.5})
