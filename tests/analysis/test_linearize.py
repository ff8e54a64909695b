"""Linear equations near states: REFERENCES_ANALYSIS A, and differences of runs."""

import numpy as np
import pytest
from scipy.linalg import expm
from tests.draws import LONG
from tests.laws.closed import loop
from tests.machines import analysed, looped

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())

BICYCLE = {
    0: (-5.530943717654, -3.131643247907, 3.131643247907, 5.530943717654),
    1: (-7.110080146374, -3.134231250666, 3.526961709901 + 0.807740275199j),
    3: (-10.351014672459, -2.633661372537, 1.706756056640 + 2.315824473843j),
    5: (-14.078389692798, -0.322866429004, -0.775341882196 + 4.464867713788j),
    7: (-18.157884661252, 0.102681705748, -2.138756442584 + 7.195259133298j),
    9: (-22.437885590409, 0.157901840309, -3.216754022525 + 9.693773515318j),
}
"""A-D1: eigenvalues of roll and steer by speed [m/s]."""


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def poles(model, at=None, **options):
    """Return the poles that are not zero, real ones first, pairs by their upper half."""
    found = bc.linearize(model, at, **options).poles
    found = found[(found != 0) & (found.imag >= 0)]
    return np.array(sorted(found, key=lambda z: (z.imag != 0, z.real, z.imag)))


@pytest.mark.parametrize("speed", BICYCLE)
def test_bicycle(formulation, speed):
    """A-D1, to 1e-9; the other six poles are zero, and said to be."""
    linear = bc.linearize(
        analysed.bicycle(), analysed.running(float(speed)), formulation=formulation
    )
    found = linear.poles[linear.poles != 0]
    found = sorted(found[found.imag >= 0], key=lambda z: (z.imag != 0, z.real))
    np.testing.assert_allclose(found, BICYCLE[speed], rtol=1e-9)
    assert len(linear.zeros) == len(linear.poles) - 4 == 6
    names = {zero.name for zero in linear.zeros}
    assert {"F.position_x", "F.position_y", "rear.angle", "front.angle"} <= names
    assert linear.steady


def test_bicycle_mode_shapes():
    """A-D1 at 5 m/s, steer over roll: weave 1.297853170145, capsize 0.428171013448."""
    found = {}
    for mode in bc.modes(analysed.bicycle(), analysed.running(5.0)):
        ratio = mode["steer.angle"] / mode["F.orientation"][1] / 2
        found[round(mode.pole.real, 3)] = ratio
    assert abs(found[-0.775]) == pytest.approx(1.297853170145, rel=1e-9)
    assert abs(np.degrees(np.angle(found[-0.775]))) == pytest.approx(10.003199550, rel=1e-7)
    assert abs(found[-0.323]) == pytest.approx(0.428171013448, rel=1e-9)
    assert abs(found[-14.078]) == pytest.approx(437.7172287, rel=1e-6)


@pytest.mark.parametrize(
    ("hoop", "spin", "known"),
    [
        (False, 2.0, 4.069397989875),
        (False, 5.0, 5.817215828900j),
        (True, 2.0, 3.336665001665),
        (True, 5.0, 6.698258480132j),
    ],
)
def test_rolling_disc(formulation, hoop, spin, known):
    """A-D2, to 1e-9: one pair, the other six poles are zero."""
    start = {"F.angular_velocity": (0.0, spin, 0.0)}
    linear = bc.linearize(analysed.disc(hoop), start, formulation=formulation)
    found = linear.poles[linear.poles != 0]
    np.testing.assert_allclose(
        sorted(found, key=lambda z: z.real + z.imag)[-1], known, rtol=1e-9
    )
    assert len(found) == 2
    assert len(linear.zeros) == 6


def test_follower_force(formulation):
    """A-D3: the stiffness is not symmetric; to 1e-10."""
    model, options = analysed.ziegler(), {"formulation": formulation}
    known = {1.0: (0.468213192462, 1.510223959022), 2.0: (0.707106781187, 1.0)}
    for load, frequencies in known.items():
        found = poles(model, parameters={"P": load}, **options)
        np.testing.assert_allclose(np.sort(found.imag), frequencies, rtol=1e-10)
        np.testing.assert_allclose(found.real, 0.0, atol=1e-9)
    found = poles(model, parameters={"P": 2.5}, **options)
    np.testing.assert_allclose(found.imag, 0.776886987015, rtol=1e-10)
    np.testing.assert_allclose(
        np.sort(found.real), (-0.321797126453, 0.321797126453), rtol=1e-10
    )


def test_hanging_rods(formulation):
    """A-D4, to 1e-10."""
    known = (2.680114012253, 7.188670870288)
    found = poles(analysed.hanging_rods(), formulation=formulation)
    np.testing.assert_allclose(np.sort(found.imag), known, rtol=1e-10)


def test_sleeping_top(formulation):
    """A-D6: frequencies of the axis, to 1e-8."""
    model = analysed.top()

    def sleeping(spin):
        start = {"S.angular_velocity": (0.0, 0.0, spin)}
        return poles(model, start, formulation=formulation)

    known = (5.724146260206, 34.275853739794)
    np.testing.assert_allclose(np.sort(sleeping(100.0).imag), known, rtol=1e-8)
    found = sleeping(60.0)
    np.testing.assert_allclose(found.imag, 12.0, rtol=1e-8)
    np.testing.assert_allclose(
        np.sort(found.real), (-7.224956747275, 7.224956747275), rtol=1e-8
    )
    threshold = 70.035705179573
    assert sleeping(threshold * (1 - 1e-9)).real.max() > 1e-5
    assert sleeping(threshold * (1 + 1e-6)).real.max() < 1e-5


# --- against differences


def test_all_matrices_of_a_loop_are_derivatives(formulation):
    """A, B, C and D of a moving four-bar are differences of what is evaluated there."""
    model = looped.plain().add(bc.Motor("motor", "A", bc.Input("tau")))
    base = {"A.angle": 1.2, "A.angle_rate": 1.7}
    linear = bc.linearize(
        model, base, outputs=["coupler.position", "D.reaction_force"][:1],
        coordinates=["A"], formulation=formulation,
    )  # fmt: skip
    assert linear.states == ("A.angle", "A.angle_rate")

    def seen(tau=0.0, **changed):
        start = {key: base[key] + changed.get(key.replace(".", "_"), 0.0) for key in base}
        state = bc.assemble(model, start, inputs={"tau": tau}, formulation=formulation)
        rates = [state["A.angle_rate"], state["A.angle_acceleration"]]
        return np.array(rates), state["coupler.position"]

    h = 1e-5
    for column, key in enumerate(("A_angle", "A_angle_rate")):
        (fx, fy), (bx, by) = seen(**{key: h}), seen(**{key: -h})
        np.testing.assert_allclose(
            linear.matrix("A")[:, column], (fx - bx) / (2 * h), atol=1e-7
        )
        np.testing.assert_allclose(
            linear.matrix("C")[:, column], (fy - by) / (2 * h), atol=1e-7
        )
    (fx, fy), (bx, by) = seen(h), seen(-h)
    np.testing.assert_allclose(linear.matrix("B")[:, 0], (fx - bx) / (2 * h), atol=1e-7)
    np.testing.assert_allclose(linear.matrix("D")[:, 0], (fy - by) / (2 * h), atol=1e-7)
    assert not linear.steady
    assert "linearized about a moving state" in repr(linear)


@pytest.mark.family
@pytest.mark.parametrize(
    ("kind", "formulation"),
    [("Revolute", FORMULATIONS[0]), ("PointOnPlane", FORMULATIONS[2])]
    + [(kind, f) for kind in ("Distance", "Universal", "Parallel")
       for f in (FORMULATIONS if LONG else ())],
    ids=str,
)  # fmt: skip
def test_exponential_of_a_loop(kind, formulation):
    """On random loops at rest exp(A T) is what differences of runs give, to 1e-8.

    Differences are central at h and h/2, extrapolated: what is left is of order h⁴.
    """
    model = loop(kind, 3, ("SpringDamper", "JointSpring"))
    rest = bc.equilibrium(model, formulation=formulation)
    system = rest.system
    names = (*system.coordinates, *system.speeds)
    linear = bc.linearize(model, at=rest, outputs=names, formulation=formulation)
    assert rest.unbalanced < 1e-12
    T = 0.3 / max(np.abs(linear.poles).max(), 1.0)
    expected = linear.matrix("C") @ expm(linear.matrix("A") * T)

    def end(name, h):
        moved = rest.replaced(x=_changed(rest, linear, name, h))
        run = bc.simulate(
            model, T, start=moved, rtol=1e-12, atol=1e-14, every=T, formulation=formulation
        )
        return np.concatenate(system.placed({n: run.final[n] for n in system.state_names}))

    for i in (0, len(linear.coordinates) - 1, len(linear.states) - 1):
        name, h = linear.states[i], 1e-3
        whole, half = ((end(name, step) - end(name, -step)) / (2 * step) for step in (h, h / 2))
        found, column = (4 * half - whole) / 3, expected[:, i]
        np.testing.assert_allclose(found, column, atol=1e-8 * max(1.0, np.abs(column).max()))


def _changed(state, linear, name, h):
    """Return x of a state in which one independent coordinate or rate is changed."""
    from bellcrank.constraints.assembly.closing import Held, close

    system, column = state.system, linear.matrix("C")[:, linear.states.index(name)]
    q, u, s = system.split(state.x)
    x = np.concatenate([np.concatenate([q, u]) + h * column, s])
    nothing = np.zeros(len(u), dtype=bool)
    return close(system, 0.0, x, state.w, state.p, Held(nothing, nothing))


# --- what it gives


def test_labels_and_other_packages():
    model = analysed.hanging_rods().add(bc.Motor("motor", "A", bc.Input("tau")))
    linear = bc.linearize(model, outputs="lower.position")
    assert linear.A.sel(rate_of="A.angle", state="A.angle_rate") == 1.0
    assert linear.B.dims == ("rate_of", "input")
    assert list(linear.C.coords["output"].values) == [f"lower.position_{c}" for c in "xyz"]
    assert linear.D.shape == (3, 1)
    w = np.array([1.0, 3.0])
    response = linear.frequency_response(w)
    scipy = linear.to_scipy()
    for i, frequency in enumerate(w):
        A, B, C, D = scipy.A, scipy.B, scipy.C, scipy.D
        expected = C @ np.linalg.solve(1j * frequency * np.eye(4) - A, B) + D
        np.testing.assert_allclose(response.values[i], expected, rtol=1e-10)
    assert linear.plot().axes
    assert linear.plot(w).axes
    assert "poles" in linear._repr_html_()


def test_python_control():
    control = pytest.importorskip("control")
    model = analysed.hanging_rods().add(bc.Motor("motor", "A", bc.Input("tau")))
    linear = bc.linearize(model, outputs="lower.position_x")
    theirs = linear.to_control()
    assert theirs.state_labels == ["A_angle", "B_angle", "A_angle_rate", "B_angle_rate"]
    w = np.array([1.0, 3.0])
    np.testing.assert_allclose(theirs(1j * w), linear.frequency_response(w).values[:, 0, 0])
    assert bc.linearize(analysed.hanging_rods()).to_control().nstates == 4
    gain = control.lqr(theirs, np.eye(4), np.eye(1))[0]
    assert gain.shape == (1, 4)


def test_a_chosen_coordinate():
    linear = bc.linearize(looped.plain(), {"A": 1.4}, coordinates=["D"])
    assert linear.states == ("D.angle", "D.angle_rate")
    other = bc.linearize(looped.plain(), {"A": 1.4})
    rest = bc.equilibrium(looped.plain())
    np.testing.assert_allclose(
        bc.linearize(looped.plain(), rest, coordinates=["D"]).poles.real,
        bc.linearize(looped.plain(), rest).poles.real, rtol=1e-8,
    )  # fmt: skip
    assert other.states[0] == "A.angle"


def test_mistakes_are_named():
    model = looped.plain()
    with pytest.raises(bc.UnknownName, match="no input named 'tau'"):
        bc.linearize(model, inputs=["tau"])
    with pytest.raises(bc.UnknownName, match=r"no quantity named 'tip.position'"):
        bc.linearize(model, outputs=["tip.position"])
    with pytest.raises(bc.UnknownName, match="no coordinate named 'E'"):
        bc.linearize(model, coordinates=["E"])
    with pytest.raises(bc.OptionError, match=r"'D.angle' follow from the others"):
        bc.linearize(model, coordinates=["A", "D"])
