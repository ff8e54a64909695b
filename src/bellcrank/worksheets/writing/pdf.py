"""A worksheet as PDF: by LaTeX where there is one, else by a browser."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

from bellcrank.errors import NotSupported
from bellcrank.replacement import replacing

LATEX = ("pdflatex", "lualatex", "xelatex", "tectonic")
BROWSERS = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "microsoft-edge", "msedge",
)  # fmt: skip
PATIENCE = 180.0  # seconds for one program


def write_pdf(file: Path, tex: Callable[[], str], html: Callable[[], str]) -> None:
    """Write a PDF.

    Args:
        file: Where to.
        tex: Returns the document as LaTeX.
        html: Returns it as a page.

    Raises:
        NotSupported: There is neither LaTeX nor a browser, or they failed.
    """
    found = [path for name in (*LATEX, *BROWSERS) if (path := shutil.which(name))]
    if not found:
        raise NotSupported(
            "a PDF is made by LaTeX or by Chromium, and neither was found: none of "
            f"{', '.join((*LATEX, *BROWSERS))} is on the path. Install one of them, or write "
            ".html and print it to PDF from a browser."
        )
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        for program in found:
            by_latex = Path(program).stem in LATEX
            make = _by_latex if by_latex else _by_browser
            made, said = make(program, Path(folder), tex if by_latex else html)
            if made is not None:
                with replacing(file) as draft:
                    shutil.copyfile(made, draft)
                return
            complaints.append(f"{Path(program).name}: {said}")
    raise NotSupported(f"no PDF could be made. {' '.join(complaints)}")


def _by_latex(program: str, folder: Path, tex: Callable[[], str]) -> tuple[Path | None, str]:
    source = folder / "sheet.tex"
    source.write_text(tex(), encoding="utf-8")
    options = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
    arguments = ["--untrusted"] if Path(program).stem == "tectonic" else options
    said = _run([program, *arguments, source.name], folder)
    made = folder / "sheet.pdf"
    if made.exists() and not said:
        return made, ""
    lines = [line for line in said.splitlines() if line.startswith("!")]
    return None, lines[0] if lines else said[-200:] or "it wrote no PDF."


def _by_browser(program: str, folder: Path, html: Callable[[], str]) -> tuple[Path | None, str]:
    page, made = folder / "sheet.html", folder / "browser.pdf"
    page.write_text(html(), encoding="utf-8")
    options = ["--headless", "--disable-gpu", "--no-pdf-header-footer"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--no-sandbox")  # Chromium refuses its sandbox to the superuser
    profile = f"--user-data-dir={folder / 'profile'}"
    said = _run([program, *options, profile, f"--print-to-pdf={made}", page.as_uri()], folder)
    return (made, "") if made.exists() else (None, said[-200:] or "it wrote no PDF.")


def _run(command: list[str], folder: Path) -> str:
    """Return what a program said where it failed, or nothing."""
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, errors="replace",
            timeout=PATIENCE, stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    return "" if done.returncode == 0 else done.stdout + done.stderr
