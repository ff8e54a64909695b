"""The site is built and looked at: `python -m tests.site`, a step of `make release`.

Warnings of the build are errors, links and anchors that lead nowhere among them. Every page is
opened as a phone shows it, 400 pixels wide, and does not scroll sideways. Every public name is
on it with an example that runs: doctests, which the suite runs.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.views import browser

import bellcrank as bc

ROOT = Path(__file__).parents[1]
WIDTH = 400


def too_wide(site: Path) -> list[str]:
    """Return the pages that are wider than a phone."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=browser.find(), args=list(browser.ARGUMENTS)
        )
        page, found = chromium.new_page(viewport={"width": WIDTH, "height": 800}), []
        for file in sorted(site.rglob("*.html")):
            page.goto(file.as_uri())
            wide = page.evaluate("document.documentElement.scrollWidth")
            if wide > WIDTH:
                found.append(f"{file.relative_to(site)}: {wide} px")
        return found


def main() -> int:
    """Build and look; return how many things are wrong."""
    with tempfile.TemporaryDirectory() as folder:
        site, begun = Path(folder, "site"), time.perf_counter()
        done = subprocess.run(
            [sys.executable, ROOT / "docs" / "generate" / "site.py", site],
            cwd=ROOT, text=True, capture_output=True, check=False,
        )  # fmt: skip
        print(done.stdout + done.stderr, end="")
        if done.returncode:
            return 1
        seconds = time.perf_counter() - begun
        pages = "".join(p.read_text("utf-8") for p in (site / "reference").glob("*.html"))
        lost = [name for name in bc.__all__ if f"<h2>{name}<" not in pages]
        dumb = [name for name in bc.__all__ if ">>> " not in (getattr(bc, name).__doc__ or "")]
        wide = too_wide(site)
    for name in lost:
        print(f"{name} is not in the reference")
    for name in dumb:
        print(f"{name} has no example that runs")
    for page in wide:
        print(f"too wide for a phone: {page}")
    shown = len(bc.__all__) - len({*lost, *dumb})
    print(
        f"site built in {seconds:.0f} s; {shown} of {len(bc.__all__)} public names are on it "
        "with an example that runs"
    )
    return len(lost) + len(dumb) + len(wide)


if __name__ == "__main__":
    sys.exit(main() > 0)
