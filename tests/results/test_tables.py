"""Results as tables: frames, files of comma-separated values, names with components."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import FileError, ModelError, OptionError, UnknownName
from bellcrank.results.labels import Label

MODEL = bc.Model(
    "pendulum, with a tip",
    bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=2.0))],
    joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
    points=[bc.Point("tip", "rod", at=(1, 0, 0))],
)


@pytest.fixture(scope="module")
def run() -> bc.Result:
    return bc.simulate(MODEL, 1.0, every=0.01)


def test_a_frame_has_one_row_per_record(run):
    table = run.frame("A.*", "tip.position", "*.velocity_z", "energy")
    assert len(table) == len(run.t) == 101
    np.testing.assert_array_equal(table.index, run.t)
    for column in ("A.angle", "A.angle_rate", "tip.position_x", "tip.velocity_z", "energy"):
        np.testing.assert_array_equal(table[column], run.values(column))
        assert table.attrs["units"][column] == run.find(column)[0].unit
    assert table.attrs["long_names"]["tip.position_x"] == "position of tip, x"
    assert "tip.velocity_x" not in table
    assert "rod.velocity_z" in table


def test_a_frame_of_everything_has_every_number_once(run):
    table = run.frame()
    sizes = [label.size for label in run.channels]
    assert table.shape == (len(run.t), sum(sizes))
    assert table.columns.is_unique


def test_components_match_where_the_whole_does_not(run):
    assert run.select("tip.velocity_*") == tuple(f"tip.velocity_{axis}" for axis in "xyz")
    assert run.select("*") == run.names
    assert "rod.velocity_body" in run.select("rod.velocity*")
    assert "rod.velocity_x" not in run.select("rod.velocity*")
    with pytest.raises(UnknownName):
        run.frame("tip.velocity_w*")


def test_a_file_of_comma_separated_values_has_all_numbers_to_the_last_bit(run, tmp_path):
    run.save(tmp_path / "run.csv")
    text = (tmp_path / "run.csv").read_text("utf-8").splitlines()
    assert text[0].split(",") == ["time", *run.frame().columns]
    numbers = np.array([[float(each) for each in line.split(",")] for line in text[1:]])
    np.testing.assert_array_equal(numbers, run.frame().reset_index())
    with pytest.raises(FileError, match=r"'run\.csv'.*run\.frame"):
        run.save(tmp_path / "run.xlsx")


def test_the_model_comes_back_with_the_result(run, tmp_path):
    run.save(tmp_path / "run.nc")
    assert run.model == MODEL
    assert bc.load(tmp_path / "run.nc", bc.Result).model == MODEL
    with pytest.raises(FileError, match="a Model is in a file named"):
        bc.load(tmp_path / "run.nc", bc.Model)
    with pytest.raises(OptionError, match=r"bc\.Model or bc\.Result"):
        bc.load(tmp_path / "run.nc", dict)


def test_the_end_costs_one_record():
    def never():
        raise AssertionError("all records are computed")

    t, label = np.linspace(0, 1, 3), [Label("A.angle", "angle", 1, "A")]
    last = bc.Result.from_arrays(t[-1:], {"A.angle": [2.0]}, label)
    assert bc.Result.from_arrays(t, never, label, ending=lambda: last).final["A.angle"] == 2.0


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Natural(), bc.Kane()])
def test_the_end_is_that_of_all_records(formulation):
    run = bc.simulate(MODEL, 1.0, every=0.01, formulation=formulation)
    ends = {name: run.final[name] for name in run.names}
    for name, end in ends.items():
        np.testing.assert_allclose(run.values(name)[-1], end, rtol=1e-12, atol=1e-12)


def test_keys_complete_themselves(run):
    assert {"A.angle", "tip.position", "tip.position_x"} <= set(run._ipython_key_completions_())
    assert MODEL._ipython_key_completions_() == list(MODEL.names)


def test_fields_of_a_model_are_changed_by_name():
    moon = MODEL.replace(gravity=(0, 0, -1.62), name="on the moon")
    assert moon.gravity == (0.0, 0.0, -1.62)
    assert moon.name == "on the moon"
    assert moon.bodies == MODEL.bodies
    with pytest.raises(ModelError, match="Did you mean 'gravity'"):
        MODEL.replace(gravty=(0, 0, 0))
