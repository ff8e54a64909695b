"""The code that stands in README and docs runs."""

import re
import shlex
from pathlib import Path

import pytest

from bellcrank import cli
from bellcrank.files.machine import machine_from
from bellcrank.files.text import parse_yaml
from bellcrank.integrators.methods import METHODS
from bellcrank.model.elements.kinds import KINDS

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks(page, language):
    """Return the fenced blocks of a language on a page."""
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S
    )


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_the_python_on_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for sort, found in KINDS.items():  # what a page declares is forgotten after it
        monkeypatch.setitem(KINDS, sort, dict(found))
    known = {}
    for block in blocks(page, "python"):
        exec(compile(block, str(page), "exec"), known)


def test_the_commands_of_the_readme_run(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [line for block in blocks(ROOT / "README.md", "sh") for line in block.splitlines()]
    commands = [line.split(maxsplit=1)[1] for line in lines if line.startswith("bellcrank ")]
    words = [shlex.split(command, comments=True) for command in commands]
    assert [first for first, *_ in words] == [
        "doctor", "examples", "report", "simulate", "view", "derive", "verify",
    ]  # fmt: skip
    for command in words:
        # A view ends with Ctrl-C, and verify takes long: both have tests of their own.
        if command[0] not in ("view", "verify"):
            assert cli.run(command) == 0, capsys.readouterr().err
    assert (tmp_path / "sheet.html").exists()
    assert (tmp_path / "run.nc").exists()
    assert (tmp_path / "run.png").exists()


def test_the_machine_on_the_page_about_files_loads(tmp_path):
    (text,) = blocks(ROOT / "docs" / "files.md", "yaml")
    machine, settings = machine_from(parse_yaml(text), tmp_path)
    assert machine.name == "pendulum on a cart"
    assert settings == {"until": 5.0, "start": {"hinge.angle": 0.4}}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_every_link_and_picture_on_a_page_is_there(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.S)
    for target in re.findall(r"\]\(([^)#]+)\)", text):
        if not target.startswith("http"):
            assert (page.parent / target).exists(), target


def test_the_page_about_integrators_lists_every_one():
    text = (ROOT / "docs" / "integrators.md").read_text(encoding="utf-8")
    rows = re.findall(
        r"^\| `(\w+)\((?:step=)?\)` \| (\d+).*? \| (adaptive|fixed) \|", text, re.M
    )
    listed = {name: (int(order), steps) for name, order, steps in rows}
    assert listed == {
        kind.__name__: (kind.order, "adaptive" if kind.adaptive else "fixed")
        for kind in METHODS
    }
