"""A browser for the tests: found, or fetched where that may be done, or said to be missing.

`python -m tests.views.browser` is a step of `make test`. It looks for a Chromium of the system,
else installs Debian's package when it runs as root, else Playwright's own. Where none can be
had it says which tests will not run; in continuous integration that is a failure.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
ARGUMENTS = (
    "--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--no-first-run",
)  # fmt: skip
TESTS = "tests/views/test_page_in_browser.py and tests/views/test_viewer_in_browser.py"


def required():
    """Return whether a missing browser is a failure: in continuous integration it is."""
    return os.environ.get("CI", "").lower() in ("1", "true")


def find():
    """Return the path of a Chromium, or None."""
    for name in (os.environ.get("BELLCRANK_BROWSER"), *NAMES):
        if name and (path := shutil.which(name)):
            return path
    try:
        from playwright.sync_api import sync_playwright

        with sync_playwright() as playwright:
            own = playwright.chromium.executable_path
    except Exception:  # not installed, or broken: the same for us
        return None
    return own if Path(own).exists() else None


def fetch():
    """Try to install a browser; return what was tried, for the message when it failed."""
    if hasattr(os, "geteuid") and os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "check": False}
        subprocess.run(["apt-get", "update", "-qq"], **quiet)
        subprocess.run(["apt-get", "install", "-y", "-qq", "chromium"], **quiet)
        return "apt-get install chromium"
    command = [sys.executable, "-m", "playwright", "install", "chromium"]
    subprocess.run(command, check=False, timeout=900)
    return "playwright install chromium"


def main():
    """Find or fetch a browser and say what came of it; return the exit code."""
    path = find()
    tried = "" if path else fetch()
    path = path or find()
    if path:
        print(f"browser for the tests: {path}")
        return 0
    print(f"NO BROWSER: {tried} did not give one, so that {TESTS} do not run.")
    return 1 if required() else 0


if __name__ == "__main__":
    sys.exit(main())
