"""Inputs driven by expressions, tables and sampled controllers, against closed forms."""

import numpy as np
import pytest

import bellcrank as bc

block = bc.Model(
    "block",
    bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=2.0))],
    joints=[bc.Prismatic("X", "ground", "block", axis="x")],
    forces=[bc.Motor("push", "X", effort=bc.Input("f"))],
    points=[bc.Point("nose", "block", at=(0.5, 0, 0))],
)


def test_an_expression_takes_the_place_of_its_input():
    run = bc.simulate(block, until=2.0, inputs={"f": "2*cos(3*t)"})
    t = run.t
    np.testing.assert_allclose(run.values("X.offset"), (1 - np.cos(3 * t)) / 9, atol=1e-10)
    np.testing.assert_allclose(run.values("f"), 2 * np.cos(3 * t), atol=1e-14)


def test_an_expression_may_read_the_machine():
    """ẍ = −x from x = 1: a cosine."""
    run = bc.simulate(block, until=3.0, start={"X": 1.0}, inputs={"f": "-2*X.offset"})
    np.testing.assert_allclose(run.values("X.offset"), np.cos(run.t), atol=1e-9)


def test_a_table_is_linear_between_its_knots_and_met_at_full_order():
    times, values = np.array([0.0, 0.7, 1.1, 2.0]), np.array([0.0, 1.4, -2.0, 0.5])
    run = bc.simulate(block, until=2.5, inputs={"f": (times, values)})
    force = np.interp(run.t, times, values)
    np.testing.assert_allclose(run.values("f"), force, atol=1e-12)
    knots = np.append(times, 2.5)
    levels = np.append(values, 0.5)
    impulse = np.sum(np.diff(knots) * (levels[1:] + levels[:-1]) / 2)
    assert run.values("X.offset_rate")[-1] == pytest.approx(impulse / 2.0, abs=1e-13)


def test_a_law_that_needs_its_input_begins_with_the_table():
    """The effort 8/f is no number at f = 0, but f begins at 2: v = 2 ln(1 + t)."""
    needy = block.replace("push", effort="8/f")
    run = bc.simulate(needy, until=1.0, inputs={"f": ([0.0, 1.0], [2.0, 4.0])})
    np.testing.assert_allclose(run.values("X.offset_rate"), 2 * np.log(1 + run.t), atol=1e-9)


def test_a_sampled_controller_is_called_on_exact_ticks_and_held_between():
    """A deadbeat law for a double integrator brings the block to rest in two samples."""
    h, calls = 0.25, []

    def law(t, values):
        calls.append(t)
        x, v = values["X.offset"], values["X.offset_rate"]
        return {"f": 2.0 * (-x / h**2 - 1.5 * v / h)}

    controller = bc.Sampled(law, every=h, reads=("X.offset", "X.offset_rate"))
    run = bc.simulate(block, until=1.0, start={"X": 1.0}, inputs={"f": controller}, every=h)
    assert calls[:4] == pytest.approx([0.0, 0.25, 0.5, 0.75], abs=0)
    assert run.values("X.offset")[2:] == pytest.approx(np.zeros(3), abs=1e-12)
    assert run.values("X.offset_rate")[2:] == pytest.approx(np.zeros(3), abs=1e-12)


def test_a_controller_may_read_vectors():
    seen = []
    controller = bc.Sampled(
        lambda t, values: seen.append(values["nose.position"].copy()) or {"f": 0.0},
        every=0.5,
        reads=("nose.position",),
    )
    bc.simulate(block, until=0.6, start={"X": 2.0}, inputs={"f": controller})
    np.testing.assert_allclose(seen, [[2.5, 0, 0]] * 2)


WAYS = {
    "JointCoordinates": (bc.JointCoordinates(), {}),
    "Kane": (bc.Kane(), {}),
    "Cartesian": (bc.Cartesian(), {}),
    "Natural": (bc.Natural(), {}),
    "independent": (bc.Cartesian(), {"constraints": "independent"}),
    "assembled": (bc.Cartesian(assembled=True), {"integrator": bc.GeneralizedAlpha(0.01)}),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_controller_sees_full_turns(way):
    """A wheel turns more than six times, and six times more when it goes on.

    The controller reads the angle that the result shows, in whatever coordinates.
    """
    wheel = bc.Model(
        "wheel",
        bodies=[bc.Body("wheel", bc.Disc(0.5, (0, 0, 0), "y", mass=2.0))],
        joints=[bc.Revolute("A", "ground", "wheel", at=(0, 0, 0), axis="y", drawn=4.0)],
        forces=[bc.Motor("drive", "A", effort=bc.Input("f"))],
    )
    (formulation, options), seen = WAYS[way], []

    def law(t, values):
        seen.append(values["A.angle"])
        return {"f": 0.3}

    options = options | {
        "formulation": formulation,
        "inputs": {"f": bc.Sampled(law, every=0.125, reads=("A.angle",))},
        "every": 0.125,
    }
    run = bc.simulate(wheel, 2.0, start={"A.angle_rate": 20.0}, **options)
    shown = run.values("A.angle")
    np.testing.assert_allclose(shown, 4.0 + 20 * run.t + 0.6 * run.t**2, atol=1e-6)
    np.testing.assert_allclose(seen, shown[: len(seen)], atol=1e-12)
    assert len(seen) >= len(shown) - 1
    if way == "assembled":
        return  # only there is a first reading what it can be without memory
    seen.clear()
    more = bc.simulate(wheel, 4.0, start=run, **options)
    assert seen[-1] > 75
    np.testing.assert_allclose(seen, more.values("A.angle")[: len(seen)], atol=1e-12)


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        (None, "nothing drives input 'f'. Give inputs={'f': expression, (times, values) or "
               "bc.Sampled(...)}."),
        ({"f": ([0, 1], [0])}, "input 'f' takes as many values as times, "
                               "got shapes (2,) and (1,)."),
        ({"f": ([0, 0], [1, 2])}, "input 'f' needs times that increase."),
        ({"f": ([0, np.inf], [1, 2])}, "input 'f' has times or values that are not finite."),
        ({"f": ("a", "b")}, "input 'f' takes a pair (times, values) of numbers."),
    ],
)  # fmt: skip
def test_inputs_that_cannot_drive_are_named(inputs, message):
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(block, until=1.0, inputs=inputs)
    assert str(caught.value) == message


def test_an_unknown_input_is_named():
    with pytest.raises(bc.UnknownName, match=r"no input named 'g'. There are: f"):
        bc.simulate(block, until=1.0, inputs={"f": 1.0, "g": 2.0})


def test_an_unknown_reading_is_named():
    controller = bc.Sampled(lambda t, values: {"f": 0.0}, every=0.1, reads=("X.ofset",))
    with pytest.raises(
        bc.UnknownName, match=r"no signal named 'X.ofset'. Did you mean 'X.offset'"
    ):
        bc.simulate(block, until=1.0, inputs={"f": controller})


def test_a_controller_that_gives_no_number_is_told_so():
    controller = bc.Sampled(lambda t, values: {"f": np.nan}, every=0.1)
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(block, until=1.0, inputs={"f": controller})
    assert str(caught.value) == (
        "the sampled law must return a finite number for input 'f', as in {'f': 0.5}; "
        "got {'f': nan}."
    )


def test_a_controller_that_gives_what_it_does_not_drive_is_told_so():
    controller = bc.Sampled(lambda t, values: {"f": 0.0, "g": 1.0}, every=0.1)
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(block, until=1.0, inputs={"f": controller})
    assert str(caught.value) == "the sampled law returns 'g', but drives only 'f'."


@pytest.mark.parametrize(
    ("law", "message"),
    [
        (np.nan, "input 'f': a finite number is needed, got nan."),
        ("2*", "input 'f': cannot read '2*': not an expression near character 2."),
        (None, "input 'f': a number, a string or a callable is needed, got None."),
        ("X.ofset", "input 'f': joint 'X' has no 'ofset'. Did you mean 'offset'? "
                    "It has offset, offset_rate."),
    ],
)  # fmt: skip
def test_an_expression_that_cannot_drive_is_named_with_its_input(law, message):
    with pytest.raises(bc.ModelError) as caught:
        bc.simulate(block, until=1.0, inputs={"f": law})
    assert str(caught.value) == message


def test_an_input_is_not_driven_by_an_input():
    with pytest.raises(bc.OptionError) as caught:
        bc.simulate(block, until=1.0, inputs={"f": "2*f"})
    assert str(caught.value) == "input 'f' cannot be driven by another input."
