"""Rows of speeds whose coefficients or right-hand sides jump, or have corners."""

import numpy as np
import pytest
from scipy.integrate import quad

import bellcrank as bc

JUMPS = [
    "1 + step(A.angle - 1)",
    "1 + step(t - 1)",
    "where(B.angle > 0.5, 2, 1)",
    "2 + sign(A.angle - B.angle)",
    "1 + floor(3*A.angle)",
    "1.5 + mod(A.angle, 0.5)",
    "interp(t, [0, 1, 1.001, 3], [1, 1, 2, 2])*(2 + sign(t - 2))",
]
CORNERS = [
    "1 + abs(A.angle - 1)",
    "max(1, A.angle)",
    "1 + interp(t, [0, 1, 2], [0, 1, 1])",
    "where(A.angle > 0.5, 0.5 + A.angle, 1)",
    "1 + (A.angle - 1)*step(A.angle - 1)",
]


def tied(coefficient: str, right: str = "0") -> bc.Model:
    """Return two rotors of 1/3 and 3/4 kg m² of which c ω_A − ω_B = e."""
    rods = [
        bc.Body("a", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0)),
        bc.Body("b", bc.Rod((0, 1, 0), (1.5, 1, 0), mass=1.0)),
    ]
    joints = [
        bc.Revolute("A", "ground", "a", at=(0, 0, 0), axis="y"),
        bc.Revolute("B", "ground", "b", at=(0, 1, 0), axis="y"),
    ]
    row = bc.VelocityConstraint(
        "tie", {"A.angle_rate": coefficient, "B.angle_rate": -1.0}, right
    )
    return bc.Model("tied", bodies=rods, joints=joints, constraints=[row], gravity=(0, 0, 0))


@pytest.mark.parametrize("law", JUMPS)
def test_a_coefficient_that_jumps_is_refused(law):
    """Speeds would have to jump with it, and no force makes them: it is said where."""
    with pytest.raises(bc.NotSupported) as caught:
        bc.simulate(tied(law), 3.0, start={"A.angle_rate": 1.0})
    said = str(caught.value)
    assert said.startswith("constraint 'tie': the coefficient of 'A.angle_rate' jumps by ")
    assert "by which speeds would jump, too" in said


@pytest.mark.parametrize("law", CORNERS)
def test_a_coefficient_with_corners_keeps_the_energy(law):
    """(J_A + c² J_B) ω_A² stays, so that ω_A is known wherever A is."""
    model = tied(law)
    run = bc.simulate(model, 3.0, start={"A.angle_rate": 1.0})
    energy = run.values("energy")
    np.testing.assert_allclose(energy, energy[0], rtol=1e-8)
    c = run.values("B.angle_rate") / run.values("A.angle_rate")
    first = 1 / 3 + 0.75 * c[0] ** 2
    np.testing.assert_allclose(
        run.values("A.angle_rate"), np.sqrt(first / (1 / 3 + 0.75 * c**2)), rtol=1e-7
    )


@pytest.mark.parametrize("inner", ["t", "3*t", "2*t + 0.7"])
def test_a_led_speed_with_corners_is_followed_or_told_of(inner):
    """A triangle wave by mod is followed; asin(sin(x)) has no rate where it turns."""
    corners = f"abs(mod({inner} - pi/2, 2*pi) - pi) - pi/2"
    run = bc.simulate(tied("0.5", corners), 4.0, start={"A.angle_rate": 0.0})

    def wave(t):
        return np.arcsin(np.sin(eval(inner, {"t": t})))

    turned = run.values("B.angle")[-1] - 0.5 * run.values("A.angle")[-1]
    exact = quad(wave, 0.0, run.t[-1], limit=500)[0]
    assert turned == pytest.approx(-exact, abs=1e-7)
    with pytest.raises(bc.IntegrationFailed, match="'tie' has no rate there: asin"):
        bc.simulate(tied("0.5", f"asin(sin({inner}))"), 4.0, start={"A.angle_rate": 0.0})
