"""The site: pages of `docs`, the reference, the gallery and the notebook, built by Sphinx.

python docs/generate/site.py [folder]      `make docs`; build/site by default

All pages are put into one folder beside the site's, with those that are made; warnings, links
and anchors that lead nowhere included, are errors. Sphinx with MyST, because pages stay plain
Markdown, which is read on its own, because it checks links and anchors by itself, and because
it has been kept for many years; Furo, because it is light and dark, fits any width, and fetches
nothing from elsewhere.
"""

import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

sys.path.insert(0, str(Path(__file__).parent))
import gallery
import notebook
import reference

from bellcrank import examples

ROOT = Path(__file__).parents[2]
PARTS = {
    "Start": ["install", "tutorial", "conventions"],
    "How do I …": [
        "howto/driven-mechanism", "howto/engine", "howto/suspension", "howto/gears", "urdf",
        "howto/controller", "howto/satellite", "howto/casadi", "files", "viewer",
        "write-a-kind", "write-a-formulation",
    ],
    "Understand": [
        "model", "expressions", "loops", "questions", "which-formulation", "kane", "cartesian",
        "natural", "momentum", "worksheets", "integrators", "results", "kernels",
        "large-machines", "benchmarks", "security",
    ],
    "Look up": ["reference/index", "gallery/index", "coming-from", "changes"],
}  # fmt: skip
OUTSIDE = {"benchmarks/results.md": "benchmarks.md", "CHANGELOG.md": "changes.md"}


def listing(title: str, pages: list[str]) -> str:
    """Return what puts pages under a title of the navigation."""
    return "\n".join(["", "```{toctree}", ":hidden:", f":caption: {title}", "", *pages, "```"])


def gather(folder: Path, kept: Path) -> None:
    """Put all pages into a folder; pages that play are kept in another."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder, ignore=shutil.ignore_patterns("generate"))
    for source, page in OUTSIDE.items():
        shutil.copy(ROOT / source, folder / page)
    for page in folder.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        for source, name in OUTSIDE.items():
            text = text.replace(f"](../{source}", f"]({name}")
        page.write_text(text, encoding="utf-8")
    for path, text in (*reference.pages(), *gallery.pages()):
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, encoding="utf-8")
    index = folder / "index.md"
    listed = "\n".join(listing(title, pages) for title, pages in PARTS.items())
    index.write_text(index.read_text(encoding="utf-8") + listed + "\n", encoding="utf-8")
    page = folder / "tutorial.md"
    text = page.read_text(encoding="utf-8")
    page.with_suffix(".ipynb").write_text(notebook.notebook(text), encoding="utf-8")
    text = text.replace("a notebook.", "[a notebook](tutorial.ipynb).", 1)
    page.write_text(text, encoding="utf-8")
    static = folder / "_static"
    (static / "gallery").mkdir(parents=True)
    for name in ("conf.py", "style.css"):
        place = folder if name == "conf.py" else static
        shutil.copy(Path(__file__).with_name(name), place / name)
    for name in examples.names():
        shutil.copy(gallery.played(name, kept), static / "gallery" / f"{name}.html")


def main(site: Path) -> int:
    """Build the site; return what Sphinx returns."""
    source = site.with_name("pages")
    shutil.rmtree(site, ignore_errors=True)
    gather(source, site.with_name("gallery"))
    return sphinx(["-b", "html", "-W", "--keep-going", "-q", "-j", "2", str(source), str(site)])


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "build" / "site"))
