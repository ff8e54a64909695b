"""Pages as files: their size, what they hold, what they refuse."""

import re
from dataclasses import replace

import pytest

import bellcrank as bc
from bellcrank import cli, examples
from bellcrank.errors import FileError, NotSupported
from bellcrank.results import Label, Result


def test_ten_seconds_of_a_four_bar_are_less_than_1_5_megabytes_and_need_no_network(
    run, tmp_path
):
    run.animate(tmp_path / "machine.html")
    text = (tmp_path / "machine.html").read_text(encoding="utf-8")
    assert len(text.encode()) < 1.5e6
    assert not re.search(r"https?://|src=|@import|url\(", text)


def test_names_cannot_break_out_of_the_page(tmp_path):
    name = "</script><script>alert(1)</script>"
    model = bc.Model(
        "a <b> & c",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        points=[bc.Point("<img onerror=x>", "rod", at=(0, 0, -1))],
    )
    run = bc.simulate(model, until=1.0, start={"A": 1.0})
    run.animate(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "<img" not in text
    assert "<b>" not in text.partition("<main>")[0].replace("&lt;b&gt;", "")
    assert name not in text
    bc.report(model, tmp_path / "report.html")
    assert "<img" not in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["{{plots}}", "{{data}}", "{{title}}", "{{nothing}}"])
def test_a_name_that_looks_like_a_place_to_fill_is_a_name(name, tmp_path):
    machine = replace(examples.load("double-pendulum"), name=name)
    path = tmp_path / "page.html"
    bc.simulate(machine, 0.1).animate(path)
    assert f"<h1>{name}</h1>" in path.read_text()


def test_a_saved_run_carries_its_machine_and_gives_the_same_page(run, machine, tmp_path):
    run.save(tmp_path / "run.nc")
    loaded = bc.load(tmp_path / "run.nc")
    assert loaded.model == machine
    run.animate(tmp_path / "one.html")
    loaded.animate(tmp_path / "two.html")
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
    loaded.save(tmp_path / "again.nc")
    assert bc.load(tmp_path / "again.nc").model == machine


def test_a_result_without_its_machine_says_so(tmp_path):
    bare = Result.from_arrays([0, 1], {"A.angle": [0, 1]}, [Label("A.angle", "angle", 1, "A")])
    with pytest.raises(NotSupported) as caught:
        bare.animate(tmp_path / "x.html")
    assert str(caught.value) == (
        "this result does not carry its machine, so that there is nothing to draw; results of "
        "bc.simulate do, and so do the files they are saved to."
    )
    assert "iframe" not in bare._repr_html_()


def test_bad_names_of_pages_are_refused_before_anything_is_made(run, tmp_path):
    with pytest.raises(FileError) as caught:
        run.animate("movie.mp4")
    assert str(caught.value) == "'movie.mp4': a page is written as .html, got .mp4."
    nowhere = tmp_path / "no" / "x.html"
    with pytest.raises(FileError, match=r"^cannot write .*: there is no folder .*\.$"):
        run.animate(nowhere)
    with pytest.raises(FileError, match=r"a page is written as \.html, got no suffix\."):
        bc.report(examples.load("four-bar"), "page")


def test_long_records_are_thinned_and_the_page_says_so(tmp_path):
    model = examples.load("double-pendulum")
    run = bc.simulate(model, until=1.0, every=2e-4)
    run.animate(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "2001 of 5001 records shown" in text


def test_the_command_line_writes_pages(tmp_path, capsys):
    page, report = tmp_path / "p.html", tmp_path / "r.html"
    assert cli.run(["view", "double-pendulum", "--until", "1", "-o", str(page)]) == 0
    assert cli.run(["report", "double-pendulum", "-o", str(report)]) == 0
    assert "double" in page.read_text(encoding="utf-8")
    assert "Body-connection tree" in report.read_text(encoding="utf-8")
    run = tmp_path / "r.nc"
    assert cli.run(["simulate", "double-pendulum", "--until", "1", "-o", str(run)]) == 0
    assert cli.run(["view", str(run), "-o", str(page)]) == 0
    capsys.readouterr()
    assert cli.run(["view", str(run), "--until", "2", "-o", str(page)]) == 2
    assert capsys.readouterr().err == (
        "bellcrank: a result is shown as it is; --until is for a model.\n"
    )
