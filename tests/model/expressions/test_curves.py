"""Whole numbers, splines, laws of motion and derivatives, each by what defines it."""

import math

import numpy as np
import pytest
from scipy.interpolate import CubicSpline, make_interp_spline

import bellcrank as bc
from bellcrank.errors import ExpressionError
from bellcrank.model.expressions import Signal, derivative, evaluate, expression, text

KNOTS = [0.0, 0.7, 1.0, 2.2, 3.0, 3.5, 4.0]
VALUES = [0.0, 1.0, 0.4, -0.3, 0.8, 0.1, 0.0]


def at(law, t):
    return evaluate(expression(law) if isinstance(law, str) else law, {"t": float(t)})


@pytest.mark.parametrize("t", [-2.5, -1.0, -0.3, 0.0, 0.5, 1.0, 2.5, 7.999])
def test_whole_numbers_are_those_of_python(t):
    assert at("floor(t)", t) == math.floor(t)
    assert at("ceil(t)", t) == math.ceil(t)
    assert at("round(t)", t) == math.floor(t + 0.5)
    assert at("mod(t, 0.75)", t) == pytest.approx(t % 0.75, abs=1e-15)
    assert at("hypot(t, 2, 3)", t) == pytest.approx(math.sqrt(t * t + 13))


@pytest.mark.parametrize("kind", ["cubic", "quintic"])
def test_splines_are_those_of_scipy(kind):
    table = f"{KNOTS}, {VALUES}, kind={kind!r}"
    order = {"cubic": 3, "quintic": 5}[kind]
    ends = [(i, 0.0) for i in range((order + 1) // 2, order)]
    natural = make_interp_spline(KNOTS, VALUES, k=order, bc_type=(ends, ends))
    repeated = make_interp_spline(KNOTS, VALUES, k=order, bc_type="periodic")
    curve, again = (
        expression(f"interp(t, {table})"),
        expression(f"interp(t, {table}, periodic=True)"),
    )
    for t in np.linspace(0.0, 3.999, 41):
        assert at(curve, t) == pytest.approx(float(natural(t)), abs=1e-12)
        assert at(again, t) == pytest.approx(float(repeated(t)), abs=1e-12)
        assert at(again, t - 8.0) == pytest.approx(float(repeated(t)), abs=1e-12)
    assert expression(text(again)) == again


def test_a_cubic_goes_on_as_a_line():
    curve, natural = (
        expression(f"interp(t, {KNOTS}, {VALUES}, kind='cubic')"),
        CubicSpline(KNOTS, VALUES, bc_type="natural"),
    )
    slope = float(natural(4.0, 1))
    assert at(curve, 6.0) == pytest.approx(2.0 * slope, abs=1e-12)


@pytest.mark.parametrize(
    "law", ["cycloidal(t)", "modified_sine(t)", "trapezoid(t)", "trapezoid(t, 0.5)"]
)
def test_laws_of_motion_go_from_rest_to_rest_without_a_jump(law):
    """0 to 1, symmetric, and at every joint the same speed and acceleration on both sides."""
    motion = expression(law)
    speed = derivative(motion, "t")
    bend = derivative(speed, "t")
    assert [at(motion, t) for t in (-1.0, 0.0, 1.0, 2.0)] == pytest.approx([0, 0, 1, 1])
    for t in np.linspace(0.0, 1.0, 201):
        assert at(motion, t) == pytest.approx(1.0 - at(motion, 1.0 - t), abs=1e-13)
    for joint in (0.0, 0.125, 0.25, 0.5, 0.75, 0.875, 1.0):
        for each in (motion, speed, bend):
            assert at(each, joint - 1e-9) == pytest.approx(at(each, joint + 1e-9), abs=1e-5)


def test_the_modified_sine_has_its_published_peaks():
    """Norton (2009), Cam Design and Manufacturing Handbook, table 3-2: 1.760 and 5.528."""
    speed = derivative(expression("modified_sine(t)"), "t")
    bend = derivative(speed, "t")
    t = np.linspace(0.0, 1.0, 2001)
    assert max(at(speed, x) for x in t) == pytest.approx(1.760, abs=5e-4)
    assert max(at(bend, x) for x in t) == pytest.approx(5.528, abs=5e-4)


def test_dwell_rises_stays_falls_and_stays_again():
    law = "dwell(t/4, 0.25, 0.25, 0.25)"
    assert [at(law, t) for t in (0, 0.5, 1, 1.5, 2, 2.5, 3, 3.9, 4.5, -1.5)] == pytest.approx(
        [0, 0.5, 1, 1, 1, 0.5, 0, 0, 0.5, 0.5], abs=1e-12
    )


@pytest.mark.parametrize(
    "law",
    [
        "sin(t)*exp(-t/3)", "t**3/(1 + t*t)", "atan2(sin(t), 2)", "tanh(t)*log(2 + t)", "2**t",
        "interp(t, [0, 1, 2], [0, 3, 1])", "sqrt(3 + cos(t))*abs(t - 5)", "max(t, 1)*min(t, 4)",
        "where(t < 1, t**2, 2*t - 1)", "asin(t/9) - acos(t/7) + atan(t)",
        "cosh(t/2)/sinh(t + 1)",
    ],
)  # fmt: skip
def test_a_derivative_is_the_limit_of_differences(law):
    motion, h = expression(law), 1e-6
    slope = derivative(motion, "t")
    for t in (0.3, 0.8, 1.7, 2.6):
        by_difference = (at(motion, t + h) - at(motion, t - h)) / (2 * h)
        assert at(slope, t) == pytest.approx(by_difference, abs=1e-7)
    assert derivative(expression(Signal("x") * 2), "t") == expression(0.0)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        ("mod(t)", "it is called as mod(x, period), got 1."),
        ("trapezoid(t, 0.7)", "the ramp is above 0 and at most 0.5, got 0.7."),
        ("interp(t, [0, 1, 2, 3], [0, 1, 2, 1], periodic=True)", "got 0 and 1."),
        ("interp(t, [0, 1], [0, 1], kind='cubix')", "one of linear, cubic, quintic"),
        ("interp(t, [0, 1], [0, 1], king='cubic')", 'kind="cubic" and periodic=True'),
        ("interp(t, [0, 1, 2], [0, 1, 0], kind='quintic')", "needs 6 knots, got 3."),
    ],
)
def test_what_makes_no_curve_is_refused(law, said):
    with pytest.raises(ExpressionError) as caught:
        expression(law)
    assert said in str(caught.value)


def test_tables_come_from_files(tmp_path):
    file = tmp_path / "cam.csv"
    file.write_text("# a cam\nangle, lift\n0, 0\n1, 2.5\n2, 0\n", encoding="utf-8")
    assert bc.table(file) == ((0.0, 1.0, 2.0), (0.0, 2.5, 0.0))
    assert bc.table(file, x="lift", y=0) == ((0.0, 2.5, 0.0), (0.0, 1.0, 2.0))
    assert bc.interp(0.5, *bc.table(file)) == 1.25
    with pytest.raises(ExpressionError, match="Did you mean 'angle'"):
        bc.table(file, x="angel")
    file.write_text(
        "\ufeffangle;lift\r\n0;0\r\n1;2.5\r\n", encoding="utf-8"
    )  # of a spreadsheet
    assert bc.table(file, y="lift") == ((0.0, 1.0), (0.0, 2.5))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "there are no numbers in it."),
        ("a, b\n0, 1\n\n1, x\n", "line 4: column 1 needs a finite number, got 'x'."),
        ("0\t1\n1\n", "line 2: column 1 needs a finite number, got 1 columns."),
        ("0, 1\n1, nan\n", "line 2: column 1 needs a finite number, got 'nan'."),
    ],
)
def test_what_is_no_table_is_said_with_its_line(tmp_path, text, said):
    file = tmp_path / "cam.csv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ExpressionError) as caught:
        bc.table(file)
    assert said in str(caught.value)


def test_whole_numbers_switch_exactly():
    """A wheel at constant speed: ∫ mod(ωt, 1) dt and ∫ floor(3t) dt, jump by jump."""
    wheel = bc.Model(
        "wheel",
        gravity=(0, 0, 0),
        bodies=[bc.Body("wheel", bc.Disc(0.1, axis="y", mass=2.0))],
        joints=[bc.Revolute("A", "ground", "wheel", at=(0, 0, 0), axis="y")],
        variables=[bc.Variable("part", "mod(A.angle, 1)"), bc.Variable("steps", "floor(3*t)")],
    )
    run = bc.simulate(wheel, 2.5, start={"A.angle_rate": 2.3, "A.angle": 0.1}, every=2.5)
    end = 0.1 + 2.3 * 2.5
    whole = math.floor(end)
    area = (0.5 * whole + 0.5 * (end - whole) ** 2 - 0.5 * 0.1**2) / 2.3
    assert float(run["part"][-1]) == pytest.approx(area, abs=1e-10)
    assert float(run["steps"][-1]) == pytest.approx(sum(range(7)) / 3 + 7 * 0.5 / 3, abs=1e-10)
