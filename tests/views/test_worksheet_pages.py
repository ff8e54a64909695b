"""Worksheets as files: whole, without a network, and honest about what cannot be done."""

import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from tests.views.reading import mathml_tokens, skew, value
from tests.views.unconstrained import rotation

import bellcrank as bc
from bellcrank import examples
from bellcrank.cli import run
from bellcrank.errors import ModelError, NotSupported, OptionError, UnknownName
from bellcrank.testing import mechanisms
from bellcrank.worksheets.writing import pdf

NASTY = 'a<b>&"50%_$#{x}^~\\'


def nasty():
    """Return a machine whose names are special in every format."""
    return bc.Model(
        f"model {NASTY}",
        bodies=[bc.Body(NASTY, bc.Rod((0, 0, 0), (0, 0, 1), mass=1.0))],
        joints=[bc.Revolute("joint " + NASTY, "ground", NASTY, at=(0, 0, 0), axis="y")],
        forces=[bc.Motor("force " + NASTY, "joint " + NASTY, "2*sin(t)")],
    )


def renumbered():
    """Return a chain whose upper body is given before its lower one."""
    return bc.Model(
        "chain",
        bodies=[
            bc.Body("upper", bc.Rod((0, 0, 1), (0, 0, 2), mass=1.0)),
            bc.Body("lower", bc.Rod((0, 0, 0), (0, 0, 1), mass=1.0)),
        ],
        joints=[
            bc.Spherical("B", "lower", "upper", at=(0, 0, 1)),
            bc.Spherical("A", "ground", "lower", at=(0, 0, 0)),
        ],
    )


@pytest.mark.parametrize("kind", ["tree", "loop"])
@pytest.mark.parametrize("name", [r"\input{secret}", "#2", "2%", "_$^", "{", "%"])
def test_names_that_begin_with_no_letter_are_text_in_latex(kind, name):
    """Whatever a name is, LaTeX sees it escaped: nothing reaches the compiler as a command."""
    joints = [bc.Revolute(name, "ground", "rod", at=(0, 0, 0), axis="y")]
    if kind == "loop":
        joints.insert(0, bc.Spherical("pivot", "ground", "rod", at=(0, 0, 0)))
    model = bc.Model(
        name, bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, 1), mass=1.0))], joints=joints
    )
    sheet = bc.derive(model)
    formulas = re.findall(r"\$+([^$]*)\$+", sheet.markdown())
    for written in (sheet.tex(), *formulas):
        assert r"\input" not in written
    body = sheet.tex().partition(r"\begin{document}")[2]
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")
    assert not re.search(r"(?<!\\)[#%]", body)


class Balanced(HTMLParser):
    """Complains about elements that are not closed."""

    VOID = frozenset({"meta", "path", "rect", "ellipse"})

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):  # noqa: D102
        self.seen.add(tag)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):  # noqa: D102
        if tag not in self.VOID:
            assert self.open.pop() == tag


CORE = {
    *("math", "mrow", "mi", "mn", "mo", "mtext", "msub", "msup", "msubsup"),
    *("mover", "munder", "mfrac", "msqrt", "mtable", "mtr", "mtd"),
}
MODELS = {
    "six-bodies": examples.load("six-bodies"),
    "four-bar": examples.load("four-bar"),
    "hooke-joint": examples.load("hooke-joint"),
    "nasty": nasty(),
    "ladder": examples.load("ladder"),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_page_is_whole_and_needs_no_network(name):
    page = bc.derive(MODELS[name]).html()
    parser = Balanced()
    parser.feed(page)
    parser.close()
    assert parser.open == []
    assert not parser.seen & {"script", "link", "img", "iframe", "object"}
    assert "http" not in page
    assert "url(" not in page
    assert "prefers-color-scheme: dark" in page
    assert "@media print" in page
    mathematics = re.findall(r"<math.*?</math>", page, re.DOTALL)
    assert len(mathematics) > 50
    for text in mathematics:
        assert {element.tag for element in ET.fromstring(text).iter()} <= CORE


@settings(max_examples=10, deadline=None)
@given(mechanisms(max_bodies=4))
def test_any_machine_has_a_worksheet(model):
    sheet = bc.derive(model, scalars=False)
    parser = Balanced()
    parser.feed(sheet.html())
    parser.close()
    assert parser.open == []
    assert sheet.tex().isascii()
    assert sheet.markdown().count("$$") % 2 == 0


def test_names_are_escaped_on_a_page():
    page = bc.derive(nasty()).html()
    assert "<b>" not in page
    assert "a&lt;b&gt;&amp;" in page


@pytest.mark.parametrize("numbers", ["letters", "values"])
@pytest.mark.parametrize("name", MODELS)
def test_latex_is_balanced_and_needs_only_amsmath(name, numbers):
    text = bc.derive(MODELS[name], numbers).tex()
    assert re.findall(r"\\usepackage(?:\[.*?\])?\{(.*?)\}", text) == [
        "fontenc", "inputenc", "amsmath",
    ]  # fmt: skip
    bare = re.sub(r"\\[{}\\]", "", text)
    assert bare.count("{") == bare.count("}")
    stack = []
    for kind, environment in re.findall(r"\\(begin|end)\{(.*?)\}", text):
        if kind == "begin":
            stack.append(environment)
        else:
            assert stack.pop() == environment
    assert stack == []
    assert text.isascii()


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no LaTeX here")
@pytest.mark.parametrize("name", ["four-bar", "nasty"])
def test_latex_compiles_without_a_line_too_wide(name, tmp_path):
    bc.derive(MODELS[name], to=tmp_path / "sheet.tex")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "sheet.tex"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, errors="replace"
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")
    assert name == "nasty" or "Overfull" not in done.stdout


@pytest.mark.parametrize("name", MODELS)
def test_markdown_has_whole_tables_and_formulas(name):
    text = bc.derive(MODELS[name]).markdown()
    plain = re.sub(r"\\[\\`*_\[\]<>|#$%{}]", "", text)
    assert plain.count("$$") % 2 == 0
    for table in re.findall(r"(?:^\|.*\|\n)+", plain, re.MULTILINE):
        assert len({line.count("|") for line in table.splitlines()}) == 1
    assert "```text\n0 ground\n" in text


def test_renumbered_bodies_are_shown_with_their_place_in_the_model():
    text = bc.derive(renumbered()).markdown()
    assert "here this renumbers them" in text
    assert "| 1 | lower | 2 | 0 | A (Spherical) | 0 | 1 |" in text
    assert "| 2 | upper | 1 | 1 | B (Spherical) | 1 | 1 → 2 |" in text
    assert "as given" not in bc.derive(examples.load("four-bar")).markdown()


def test_k01_k02_connection_array_and_sizes_of_the_six_bodies():
    text = bc.derive(examples.load("six-bodies")).markdown().replace(r"\,", "")
    assert r"\mathcal{L}(K) &= (0,1,2,2,1,5)" in text
    assert r"(u_{K}) &= (0,1,2,2,1,2)" in text
    assert r"\{x\}_{42\times 1}" in text
    assert r"\{y\}_{36\times 1}" in text
    assert "4·6 + 3·6 = 42 first-order kinematical equations" in text
    assert "These are 36 first-order dynamical equations" in text
    assert r"\boxed{\begin{aligned}{}[A]\{\dot{y}\} &= \{f\}\end{aligned}}" in text


def test_the_boxed_equations_are_those_of_the_literature():
    text = bc.derive(examples.load("six-bodies")).tex().replace(r"\,", "").replace("\n", "")
    text = text.replace(r"^{\mathrm{T}}", "^T").replace(" ", "")
    for line in (
        r"{}[A]_{36\times36}&=\sum_{K}(m_{K}[v_{K,y}]^T[v_{K,y}]"
        r"+[\omega'_{K,y}]^T[I'_{K}][\omega'_{K,y}])",
        r"\{f\}&=\sum_{K}[v_{K,y}]^T(\{F_{K}\}-m_{K}[\dot{v}_{K,y}]\{y\})"
        r"+\sum_{K}[\omega'_{K,y}]^T(\{M'_{K}\}-[\tilde{\omega}'_{K}][I'_{K}]\{\omega'_{K}\})",
        r"\{\dot{\varepsilon}_{K}\}&=\frac{1}{2}[E\prime(\varepsilon_{K})]^T\{\omega'_{K}\}",
    ):
        assert line in text


def test_k03_the_matrices_of_euler_parameters_are_right():
    """E′ and R as printed, entry by entry, at random unit parameters with the scalar last."""
    page = bc.derive(examples.load("double-pendulum"), scalars=False).html()
    e = np.random.default_rng(2).normal(size=4)
    e /= np.linalg.norm(e)

    def symbol(sym):
        assert (sym.letter, sym.sub[0]) == ("ε", "K")
        return e[int(sym.sub[1]) - 1] ** int(sym.sup or 1)

    found = {}
    pair = (
        r'<div class="left">(<math.*?</math>)</div><div class="right">(<math.*?</math>)</div>'
    )
    for left, right in re.findall(pair, page):
        name = "".join(ET.fromstring(left).itertext())
        cells = [
            mathml_tokens(cell) for cell in ET.fromstring(f"<div>{right}</div>").iter("mtd")
        ]
        if name in ("[E′(εK)]", "[RK]"):
            found[name] = np.array([value(cell, symbol) for cell in cells])
    R, E = found["[RK]"].reshape(3, 3), found["[E′(εK)]"].reshape(3, 4)
    np.testing.assert_allclose(R, rotation(e), atol=1e-15)
    np.testing.assert_allclose(E @ E.T, np.eye(3), atol=1e-15)
    # ω′ = 2E′ε̇ is the angular velocity: d[R]/dt = −ω̃′[R], by a central difference.
    w, h = np.array([0.3, -0.5, 0.7]), 1e-5
    rate = E.T @ w / 2
    turned = (rotation(e + h * rate) - rotation(e - h * rate)) / (2 * h)
    np.testing.assert_allclose(turned, -skew(w) @ R, atol=1e-9)


@pytest.mark.parametrize("name", MODELS)
def test_the_drawing_has_every_body_and_joint(name):
    model = MODELS[name]
    page = bc.derive(model, scalars=False).html()
    drawing = page[page.index("<svg") : page.index("</svg>")]
    numbers = re.findall(r'class="number"[^>]*>(\d+)<', drawing)
    assert [int(n) for n in numbers] == list(range(1, len(model.bodies) + 1))
    assert drawing.count('class="tag"') == len(model.joints)
    assert drawing.count('class="loop"') == len(model.graph.loops)


def test_bodies_in_the_drawing_do_not_cover_each_other():
    for name in ("six-bodies", "ladder", "andrews"):
        page = bc.derive(examples.load(name), scalars=False).html()
        spots = [
            (float(x), float(y))
            for x, y in re.findall(r'<ellipse cx="([\d.]+)" cy="([\d.]+)"', page)
        ]
        for i, (x1, y1) in enumerate(spots):
            assert all(abs(x1 - x2) > 60 or abs(y1 - y2) > 40 for x2, y2 in spots[:i])


def test_values_are_listed_behind_the_letters():
    text = bc.derive(examples.load("six-bodies")).markdown()
    row = r"| 6 | body6 | 6 | (0.6, −0.3, 0.12) | (0.3, 0.6, −0.2) | (0, 0, 0) | "
    assert row + r"$\operatorname{diag}(6,\,7,\,8)$ |" in text


def test_parameters_are_listed_with_the_values_they_were_taken_at():
    length = bc.Parameter("l", 0.8)
    body = bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, length), mass=1.0))
    joint = bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")
    text = bc.derive(bc.Model("rod", bodies=[body], joints=[joint])).markdown()
    assert "| l | 0.8 |" in text
    assert "= 0.4)" in text


@pytest.mark.parametrize("suffix", ["html", "tex", "md"])
def test_the_command_line_writes_what_the_suffix_says(tmp_path, suffix, capsys):
    file = tmp_path / f"sheet.{suffix}"
    assert run(["derive", "double-pendulum", "-o", str(file), "--numbers", "values"]) == 0
    sheet = bc.derive(examples.load("double-pendulum"), "values")
    write = {"html": sheet.html, "tex": sheet.tex, "md": sheet.markdown}[suffix]
    assert file.read_text(encoding="utf-8") == write()
    assert capsys.readouterr().out == f"written   {file}\n"


@pytest.mark.skipif(
    not any(map(shutil.which, (*pdf.LATEX, *pdf.BROWSERS))), reason="nothing here makes PDFs"
)
def test_a_pdf_is_written(tmp_path):
    bc.derive(examples.load("double-pendulum"), to=tmp_path / "sheet.pdf")
    assert (tmp_path / "sheet.pdf").read_bytes().startswith(b"%PDF")


def test_a_pdf_without_latex_and_browser_says_what_would_do(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NotSupported) as caught:
        bc.derive(examples.load("double-pendulum"), to=tmp_path / "sheet.pdf")
    assert str(caught.value) == (
        "a PDF is made by LaTeX or by Chromium, and neither was found: none of pdflatex, "
        "lualatex, xelatex, tectonic, chromium, chromium-browser, google-chrome, "
        "google-chrome-stable, chrome, microsoft-edge, msedge is on the path. Install one of "
        "them, or write .html and print it to PDF from a browser."
    )
    assert not (tmp_path / "sheet.pdf").exists()


def test_a_program_that_fails_is_named(tmp_path, monkeypatch):
    broken = shutil.which("false")
    if broken is None:
        pytest.skip("there is no program that fails here")
    monkeypatch.setattr(shutil, "which", lambda name: broken if name == "chromium" else None)
    with pytest.raises(NotSupported) as caught:
        bc.derive(examples.load("double-pendulum"), to=tmp_path / "sheet.pdf")
    assert str(caught.value) == "no PDF could be made. false: it wrote no PDF."


def test_bad_arguments_are_refused_before_any_work(tmp_path):
    model = examples.load("double-pendulum")
    with pytest.raises(OptionError) as caught:
        bc.derive(model, to="sheet.txt")
    assert str(caught.value) == (
        "a worksheet is written as .html, .tex, .md or .pdf, got 'sheet.txt'."
    )
    with pytest.raises(OptionError) as caught:
        bc.derive(model, to=tmp_path / "nowhere" / "sheet.md")
    assert str(caught.value) == (
        f"no folder {str(tmp_path / 'nowhere')!r} to write sheet.md into."
    )
    with pytest.raises(OptionError) as caught:
        bc.derive(model, "leters")
    assert str(caught.value) == (
        "numbers is 'letters' or 'values', got 'leters'. Did you mean 'letters'?"
    )
    with pytest.raises(OptionError, match="got None"):
        bc.derive(model, None)
    with pytest.raises(ModelError) as caught:
        bc.derive("double-pendulum")
    assert str(caught.value) == "a worksheet is of a Model, got 'double-pendulum'."
    with pytest.raises(ModelError) as caught:
        bc.derive(bc.Model("nothing"))
    assert str(caught.value) == "model 'nothing' has no bodies to write equations for."


def test_blocks_are_asked_for_by_name():
    sheet = bc.derive(examples.load("six-bodies"))
    with pytest.raises(UnknownName, match="Did you mean 'body6'"):
        sheet.block("partial_velocity", "body 6")
    with pytest.raises(UnknownName, match="Did you mean 'partial_velocity'"):
        sheet.block("partial_velocities", "body6")


def test_a_notebook_shows_the_page():
    sheet = bc.derive(examples.load("double-pendulum"))
    assert sheet._repr_html_().startswith('<iframe srcdoc="&lt;!DOCTYPE html&gt;')
    assert repr(sheet) == "<Worksheet of 'double pendulum': 14 sections>"


def test_asking_for_derive_imports_neither_casadi_nor_sympy():
    code = (
        "import sys, bellcrank as bc; bc.derive; "
        "print(sorted({'casadi', 'sympy', 'xarray', 'numba'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr
