"""Two revisions compared: motions of bodies, and the least of what was timed in turns."""

import subprocess
import sys

import numpy as np
from benchmarks.compare.motions import EQUAL, Comparison, distance
from benchmarks.compare.turns import slower


def test_opposite_euler_parameters_are_one_orientation():
    e = np.array([[0.6, 0.8, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0]])
    assert distance({"B.orientation": e}, {"B.orientation": e * [[-1], [1]]}) == 0.0
    assert distance({"B.position": e}, {"B.position": -e}) == 2.0


def test_distances_are_relative_to_what_is_large():
    far = np.array([[1000.0, 0.0, 0.0]])
    assert distance({"B.position": far}, {"B.position": far + 1.0}) == 1e-3
    assert distance({"B.position": far}, {"B.position": far * np.nan}) == np.inf


def test_adaptive_runs_may_differ_by_their_own_error():
    assert Comparison("x", fixed=0.0, adaptive=1e-7, error=2e-7).equal
    assert not Comparison("x", fixed=0.0, adaptive=3e-7, error=2e-7).equal
    assert not Comparison("x", fixed=10 * EQUAL, adaptive=0.0, error=2e-7).equal


def test_a_row_is_slower_where_any_part_of_it_is():
    before = {"a": [1.0, 0.5, 0.5], "b": [1.0], "c": [1.0], "d": "refused"}
    after = {"a": [1.0, 0.6, 0.4], "b": [1.09], "c": [1.2], "d": [1.0]}
    assert slower(before, after) == ["a", "c"]


CHILD = """
from benchmarks.compare.clock import parts
import bellcrank as bc
from bellcrank import examples
name = "tsda"
run = lambda: bc.simulate(examples.load(name), **examples.settings(name))
run()
print(*parts(run))
print(*parts(lambda: 1))
"""


def test_the_parts_of_a_run_are_told_apart():
    """What comes before the first step and the integration are within the whole."""
    done = subprocess.run([sys.executable, "-c", CHILD], capture_output=True, text=True)
    run, other = done.stdout.splitlines()
    whole, before, integration = map(float, run.split())
    assert before > 0
    assert integration > 0
    assert before + integration < whole
    assert len(other.split()) == 1
