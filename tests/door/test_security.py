"""Each claim of the security page that has no test elsewhere; the page names the others."""

import os
import re
import sys
from pathlib import Path

import pytest

import bellcrank as bc
from bellcrank.kernels import cache

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "security.md").read_text(encoding="utf-8")
HOSTILE = r"<script>x</script>\input{|id}{{plots}}$^#%&_~"


def machine(name="machine", joint="A"):
    return bc.Model(
        name,
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (1, 0, 0), mass=1.0))],
        joints=[bc.Revolute(joint, "ground", "rod", at=(0, 0, 0), axis="y")],
    )


def test_the_tests_that_the_page_names_are_there():
    named = set(re.findall(r"`(tests/[^`]+)`", PAGE))
    assert len(named) > 8
    assert [name for name in named if not (ROOT / name).exists()] == []


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')", "().__class__", "open('x')", "t.__class__",
        "[t for t in (1,)]",
        "(lambda: 1)()", "f'{t}'", "t if t else 1; 2", "exec('1')", "'a'*9**9", "9**9**9**9",
        "(" * 5000 + "t" + ")" * 5000, "+".join(["t"] * 200_000),
    ],
)  # fmt: skip
def test_an_expression_is_arithmetic_or_refused(text):
    with pytest.raises(bc.ModelError):
        machine().resolve(text)


@pytest.mark.parametrize(
    "text",
    [
        "!!python/object/apply:os.system ['true']",
        "name: !!python/name:os.system",
        "name: !!binary aGk=",
        "a: &a [x, x]\nb: &b [*a, *a]\n"
        + "".join(f"c{i}: &c{i} [*{'b' if i == 0 else f'c{i - 1}'}]\n" for i in range(40)),
    ],
)
def test_a_machine_file_is_data(text, tmp_path):
    (tmp_path / "m.yaml").write_text(text, encoding="utf-8")
    with pytest.raises(bc.FileError):
        bc.load(tmp_path / "m.yaml")


def test_a_part_of_a_machine_file_is_not_another_machine(tmp_path):
    """A file cut anywhere is refused, or is all there but for its last line end."""
    whole, cut = tmp_path / "whole.yaml", tmp_path / "cut.yaml"
    bc.save(machine(), whole)
    content = whole.read_bytes()
    for length in range(len(content)):
        cut.write_bytes(content[:length])
        try:
            found = bc.load(cut)
        except bc.FileError:
            continue
        assert found == machine()
        assert content[:length].split() == content.split()


@pytest.mark.parametrize("suffix", [".html", ".tex", ".md"])
def test_names_are_text_in_worksheets(suffix, tmp_path):
    sheet = tmp_path / f"sheet{suffix}"
    bc.derive(machine(HOSTILE.replace("/", ""), joint="<b>\\input{x}"), to=sheet)
    text = sheet.read_text(encoding="utf-8")
    assert "<script>x" not in text or suffix == ".tex"
    assert "\\input{" not in text or suffix != ".tex"


def test_names_are_text_in_pages(tmp_path):
    page = tmp_path / "page.html"
    run = bc.simulate(machine(HOSTILE.replace("/", ""), joint="<b>bold"), 0.01, every=0.01)
    run.animate(page)
    text = page.read_text(encoding="utf-8")
    assert "<script>x<script>" not in text
    assert "<b>bold" not in text


def test_names_are_text_in_reports(tmp_path):
    page = tmp_path / "report.html"
    bc.report(machine(HOSTILE.replace("/", ""), joint="<b>bold"), page)
    text = page.read_text(encoding="utf-8")
    assert "<script>x<script>" not in text
    assert "<b>bold" not in text
    assert "&lt;b&gt;bold" in text


@pytest.mark.skipif(os.name != "posix", reason="a program of two lines")
@pytest.mark.parametrize(
    ("program", "option"), [("pdflatex", "-no-shell-escape"), ("tectonic", "--untrusted")]
)
def test_a_pdf_is_compiled_with_shell_escape_off(program, option, tmp_path, monkeypatch):
    fake, told = tmp_path / program, tmp_path / "told"
    fake.write_text(f'#!/bin/sh\necho "$@" > {told}\necho x > sheet.pdf\n', encoding="utf-8")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    bc.derive(machine(), to=tmp_path / "sheet.pdf")
    assert option in told.read_text(encoding="utf-8").split()


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_code_that_others_may_write_is_not_loaded(tmp_path, monkeypatch):
    monkeypatch.setenv("BELLCRANK_CACHE", str(tmp_path / "cache"))
    assert cache.blob("a key", lambda: b"first") == b"first"
    assert cache.blob("a key", lambda: b"second") == b"first"
    (entry,) = (tmp_path / "cache").glob("*.blob")
    assert (tmp_path / "cache").stat().st_mode & 0o077 == 0
    entry.chmod(0o666)
    assert cache.blob("a key", lambda: b"third") == b"third"
    entry.write_bytes(entry.read_bytes()[:-1] + b"x")
    assert cache.blob("a key", lambda: b"fourth") == b"fourth"


@pytest.mark.skipif(sys.platform != "linux", reason="the folder follows HOME there")
def test_without_a_home_code_is_kept_in_memory(monkeypatch):
    for name in ("BELLCRANK_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("pwd.getpwuid", lambda number: (_ for _ in ()).throw(KeyError(number)))
    cache.forget()
    with pytest.warns(RuntimeWarning, match="no home folder"):
        assert cache.blob("of no home", lambda: b"kept") == b"kept"
    assert cache.blob("of no home", lambda: b"made again") == b"kept"
