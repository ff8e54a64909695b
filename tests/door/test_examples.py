"""Every shipped example runs, as a script and as a file, and both are the same machine."""

import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import examples

FOLDER = Path(__file__).parents[2] / "examples"
SCRIPTS = sorted(FOLDER.glob("[0-9]*.py"))


@pytest.fixture
def figures(monkeypatch):
    """Pictures drawn without a screen, and closed afterwards."""
    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield
    from matplotlib import pyplot

    pyplot.close("all")


@pytest.mark.usefixtures("figures")
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda s: s.stem)
def test_a_script_runs_to_its_law_and_is_the_machine_of_its_file(script, monkeypatch, tmp_path):
    monkeypatch.setattr(sys, "argv", [str(script), str(tmp_path)])
    known = runpy.run_path(str(script))
    assert known["machine"] == examples.load(script.stem[3:].replace("_", "-"))
    assert len(list(tmp_path.glob("*.png"))) == 1


def test_there_is_a_script_for_every_file():
    assert {s.stem[3:].replace("_", "-") for s in SCRIPTS} == set(examples.names())


@pytest.mark.parametrize("name", examples.names())
def test_a_file_runs_by_its_own_settings(name):
    settings = examples.settings(name)
    until = min(settings.pop("until"), 0.5)
    run = bc.simulate(examples.load(name), until, **settings)
    assert run.status == "done"
    assert np.all(np.isfinite(run.values("energy")))
    assert run.t[-1] == until


def test_every_file_says_what_it_is():
    for name in examples.names():
        assert examples.title(name).endswith(".")
        assert len(examples.title(name)) < 90
