"""Values of the wrong kind at the public door: the whole text of each message."""

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.results.labels import Label
from bellcrank.results.result import Result

block = bc.Model(
    "block",
    bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=2.0))],
    joints=[bc.Prismatic("X", "ground", "block", axis="x")],
    parameters=[bc.Parameter("m", 1.0)],
)
run = Result.from_arrays([0.0, 1.0], {"a": [1.0, 2.0]}, [Label("a", "angle", 1, "")])
system = bc.compile(block, level=0)
q = u = np.zeros(1)


@pytest.mark.parametrize(
    ("act", "kind", "message"),
    [
        (lambda: bc.Event("e", "X.offset > 1"), bc.ModelError,
         "event 'e': when is an expression that passes through zero, such as 'A.angle - 1', "
         "got the condition 'X.offset > 1'."),
        (lambda: bc.Sampled(lambda t: {}, every=0.1), bc.ModelError,
         "sampled controller: law must take two arguments, law(t, values)."),
        (lambda: block.prefixed(3), bc.ModelError, "prefixed takes text, got 3."),
        (lambda: bc.report(3), bc.ModelError, "a report is of a Model, got 3."),
        (lambda: bc.save(3, "x.yaml"), bc.FileError,
         "x.yaml: a Model or a Result is saved, got a int."),
        (lambda: run[3], bc.OptionError, "a result is asked for by a name, got 3."),
        (lambda: run.plot(3), bc.OptionError, "a result is asked for by a name, got 3."),
        (lambda: bc.compile(block, lanes=3), bc.OptionError,
         "lanes must be one of 1, 2, 4, 8, got 3."),
        (lambda: system.mass_matrix(["a"]), bc.OptionError, "q takes numbers, got ['a']."),
        (lambda: system.mass_matrix(q, t="now"), bc.OptionError, "t takes numbers, got 'now'."),
        (lambda: system.mass_matrix(q, parameters=[1.0, 2.0]), bc.OptionError,
         "parameters takes 1 entries (m), got 2."),
        (lambda: system.accelerations(q, u, inputs=[1.0]), bc.OptionError,
         "inputs takes 0 entries (), got 1."),
        (lambda: system.pack({"X": "far"}), bc.StartError,
         "'X' takes 1 finite number, got 'far'."),
        (lambda: system.pack({1: 2.0}), bc.StartError,
         "'1' is no coordinate or speed of 'block'. "
         "A start may name: X.offset, X.offset_rate."),
    ],
)  # fmt: skip
def test_a_value_of_the_wrong_kind_is_named(act, kind, message):
    with pytest.raises(kind) as caught:
        act()
    assert str(caught.value) == message


def test_a_result_is_saved_by_the_same_word_as_a_machine(tmp_path):
    bc.save(run, tmp_path / "run.nc")
    assert bc.load(tmp_path / "run.nc") == run
