"""Results by name: arrays, components, labels, equality, summaries."""

import pickle
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import numpy as np
import pytest

from bellcrank.errors import OptionError, UnknownName
from bellcrank.model.names import Channel, components
from bellcrank.results import Events, Label, Occurrence, Result
from bellcrank.results.series import Series


def test_coordinates_need_no_computation_and_the_rest_is_computed_once(run, observe):
    assert run.values("A.angle")[0] == 0
    assert run["A.angle_rate"].values[0] == 1
    assert "Result of 'arm'" in repr(run)
    assert "arm" in run._repr_html_()
    assert run.final["tau1"] == 1
    assert observe.calls == 0
    assert run.values("energy")[-1] == pytest.approx(0.5)
    assert run.values("tip.position").shape == (201, 3)
    assert len(run.dataset) == len(run.names) + 1
    assert observe.calls == 1


def test_many_threads_read_one_result():
    """What is pending is computed once, and every thread sees all of it."""
    times, calls = np.linspace(0, 1, 50), []

    def later(name):
        def compute():
            calls.append(name)
            sleep(0.01)
            return {name: times}

        return compute

    labels = [Label(f"B{i}.angle", "angle", 1, f"B{i}") for i in range(8)]
    series = Series(
        50, {label.name: label for label in labels}, {}, [later(label.name) for label in labels]
    )
    with ThreadPoolExecutor(8) as pool:
        asked = [label.name for label in labels] * 8
        for found in pool.map(series.__getitem__, asked):
            np.testing.assert_array_equal(found, times)
    assert sorted(calls) == sorted(label.name for label in labels)


def test_components_are_columns(run):
    position = run.values("tip.position")
    for k, name in enumerate(("tip.position_x", "tip.position_y", "tip.position_z")):
        np.testing.assert_array_equal(run.values(name), position[:, k])
        assert name in run
    orientation = run.values("body 3.orientation")
    for k in range(4):
        np.testing.assert_array_equal(run.values(f"body 3.orientation_{k}"), orientation[:, k])


def test_arrays_are_read_only_and_those_given_stay_writable():
    time = np.arange(3.0)
    run = Result.from_arrays(time, {"A.angle": time}, [Label("A.angle", "angle", 1, "A")])
    with pytest.raises(ValueError, match="read-only"):
        run.values("A.angle")[0] = 1
    time[0] = 0.0


def test_plain_arrays_import_neither_xarray_nor_pandas_nor_matplotlib():
    code = (
        "import sys, numpy as np\n"
        "from bellcrank.results import Result, Label\n"
        "t = np.arange(3.0)\n"
        "run = Result.from_arrays(t, {'A.angle': t}, [Label('A.angle', 'angle', 1, 'A')])\n"
        "run.values('A.angle'); run.final['A.angle']; repr(run); run._repr_html_()\n"
        "print([m for m in ('xarray', 'pandas', 'matplotlib', 'h5py', 'casadi', 'scipy')"
        " if m in sys.modules])"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "[]"


def test_labelled_arrays_say_what_they_are(run):
    angle = run["A.angle"]
    assert angle.dims == ("time",)
    assert angle.attrs["long_name"] == "angle of A"
    assert angle.attrs["units"] == "rad"
    assert angle.time.attrs == {"long_name": "time", "units": "s"}
    position = run["tip.position"]
    assert list(position.component.values) == ["x", "y", "z"]
    assert float(position.sel(component="z")[0]) == -1
    assert list(run["body 3.orientation"].euler_parameter.values) == ["e0", "e1", "e2", "e3"]
    assert run["tip.position_x"].attrs["long_name"] == "position of tip, x"


@pytest.mark.parametrize(
    ("label", "words"),
    [
        (Label("A.angle1", "angle", 1, "A"), "angle1 of A"),
        (Label("A.angle_rate", "angle_rate", 1, "A"), "angle rate of A"),
        (Label("A.reaction_force", "force", 3, "A"), "reaction force of A"),
        (Label("b.velocity_body", "velocity", 3, "b"), "velocity of b, body axes"),
        (
            Label("b.c.orientation", "orientation", 4, "b.c"),
            "orientation (Euler parameters) of b.c",
        ),
        (Label("angular_momentum", "angular_momentum", 3), "angular momentum about the origin"),
        (Label("tau_1", "input"), "tau_1"),
        (Label("A.colour", "hue", 1, "A"), "colour of A"),
    ],
)
def test_words_of_a_label(label, words):
    assert label.long_name == words


def test_dataset_has_everything(run):
    data = run.dataset
    assert set(run.names) <= set(data.data_vars)
    assert data.attrs["provenance_integrator"] == "DOP853()"
    assert data.attrs["statistics_rejected"] == 2
    assert data.attrs["status"] == "done"
    assert list(data.event.values) == ["apex", "touch", "apex"]
    assert list(data.event_time.values) == [0.5, 1.25, 1.5]
    assert run.dataset is data


def test_names_of_the_dataset_do_not_collide_with_its_coordinates():
    t = np.arange(3.0)
    run = Result.from_arrays(t, {}, [], inputs={"component": t, "time": 2 * t})
    assert list(run.dataset.data_vars) == ["component_", "time_"]
    np.testing.assert_array_equal(run["time"].values, 2 * t)


def test_final_values(run):
    assert run.final["A.angle"] == np.sin(2.0)
    np.testing.assert_array_equal(run.final["tip.position"], run.values("tip.position")[-1])
    assert run.final["tip.position_x"] == np.sin(2.0)
    assert list(run.final) == list(run.names)
    assert len(run.final) == 10
    assert repr(run.final).startswith("{'A.angle': 0.909")


def test_unknown_names_say_what_there_is(run):
    with pytest.raises(UnknownName) as caught:
        run.values("A.angel")
    assert str(caught.value) == (
        "no result named 'A.angel'. Did you mean 'A.angle'? There are: A.angle, A.angle_rate, "
        "A.reaction_force, body 3.orientation, crank.velocity_body, energy, kinetic_energy, "
        "potential_energy, tau1, tip.position."
    )
    with pytest.raises(UnknownName) as caught:
        run["A"]
    assert str(caught.value) == (
        "no result named 'A'. There are: A.angle, A.angle_rate, A.reaction_force."
    )
    assert "A.angle_x" not in run
    assert "tip.position_w" not in run


def test_events(run):
    assert run.events.names == ("apex", "touch")
    np.testing.assert_array_equal(run.events.times("apex"), [0.5, 1.5])
    assert run.events[0] == Occurrence("apex", 0.5, {"A.angle": 0.479})
    assert run.events[1:].names == ("touch", "apex")
    assert repr(run.events) == (
        "time [s]   event\n0.5        apex\n1.25       touch\n1.5        apex"
    )
    assert "<td>touch</td>" in run.events._repr_html_()
    assert repr(Events()) == "no events"
    with pytest.raises(UnknownName) as caught:
        run.events.times("apx")
    assert (
        str(caught.value)
        == "no event named 'apx'. Did you mean 'apex'? There are: apex, touch."
    )


def test_summary(run):
    assert repr(run) == (
        "Result of 'arm': 201 times, 0 to 2 s, done\n"
        "  coordinates  A.angle, body 3.orientation\n"
        "  names        10: A.angle, body 3.orientation, A.angle_rate, tip.position, "
        "crank.velocity_body, A.reaction_force, … (4 more)\n"
        "  events       2 × apex, 1 × touch\n"
        "  statistics   steps 31, rejected 2, smallest step 0.001"
    )


def test_html_summary_is_escaped():
    t = np.arange(2.0)
    label = Label("<b>.angle", "angle", 1, "<b>")
    run = Result.from_arrays(t, {"<b>.angle": t}, [label], provenance={"model": "<script>"})
    assert "<script>" not in run._repr_html_()
    assert "&lt;b&gt;.angle" in run._repr_html_()


def test_results_are_equal_when_everything_is(run):
    again = pickle.loads(pickle.dumps(run))
    assert again == run
    other = Result.from_arrays(run.t, lambda: {}, run.channels[:1], states={"A.angle": run.t})
    assert other != run
    assert (run == 3) is False


def test_not_a_number_equals_itself_in_results():
    nan = [np.nan, 1.0]
    first, second = (
        Result.from_arrays([0, 1], {}, [], inputs={"w": nan}, statistics={"x": np.nan})
        for _ in range(2)
    )
    assert first == second


def test_selection_by_pattern(run):
    assert run.select("A.*") == ("A.angle", "A.angle_rate", "A.reaction_force")
    assert run.select("tip.position_x", "*energy") == (
        "tip.position_x",
        "kinetic_energy",
        "potential_energy",
        "energy",
    )
    with pytest.raises(UnknownName, match=r"no result named '\*.nothing'"):
        run.select("*.nothing")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ([0, 1], {"A.angle": [1.0]}),
            "result 'A.angle' needs shape (2,) at 2 times, got (1,).",
        ),
        (([0, 1], {}), "a result has channels without values: A.angle."),
        (
            ([0, 1], {"A.angle": [1, 2], "B.angle": [1, 2]}),
            "a result has values without a channel: B.angle.",
        ),
        (([[0, 1]], {}), "the times of a result are one row, got shape (1, 2)."),
    ],
)
def test_arrays_that_do_not_fit_are_refused(arguments, message):
    with pytest.raises(OptionError) as caught:
        Result.from_arrays(*arguments, [Label("A.angle", "angle", 1, "A")]).values("A.angle")
    assert str(caught.value) == message


def test_channels_of_a_model_are_labels_of_a_result():
    t = np.arange(2.0)
    channel = Channel("tip.position", "position", 3, "tip")
    run = Result.from_arrays(t, {"tip.position": np.zeros((2, 3))}, [channel])
    assert run.channels == (Label("tip.position", "position", 3, "tip"),)
    for size in (1, 3, 4):
        assert Label("b.x", "offset", size, "b").components == components("b.x", size)
