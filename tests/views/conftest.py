"""Machines, runs and a browser for the tests of views."""

import os
from pathlib import Path

import pytest
from tests.machines import four_bars
from tests.views.browser import ARGUMENTS, find, required

import bellcrank as bc

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def four_bar():
    """Return a four-bar in space with a strut, a traced point and two parameters."""
    strut = bc.SpringDamper(
        "strut", ("ground", (1, 0, 0)), "tip",
        stiffness=bc.Parameter("k", 40.0), damping=0.5, length=1.2,
    )  # fmt: skip
    tip = bc.Point("tip", "coupler", at=(1, 0, 1.5))
    masses = (bc.Parameter("m_crank", 1.0), 2.2, 2.0)
    return four_bars.in_space(masses=masses, forces=[strut], points=[tip])


@pytest.fixture(scope="session")
def machine():
    return four_bar()


@pytest.fixture(scope="session")
def run(machine):
    return bc.simulate(machine, until=10.0, start={"A": 0.3})


@pytest.fixture(scope="session")
def browser():
    path = find()
    if path is None:
        assert not required(), "continuous integration needs a browser"
        pytest.skip("no Chromium here; python -m tests.views.browser gets one where it may")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))
        yield Browser(opened)
        opened.close()


class Browser:
    """A browser whose pages are patient: pictures are slow in software on a busy machine."""

    def __init__(self, opened):
        self._opened = opened

    def new_page(self, **options):
        """Return a new page."""
        page = self._opened.new_page(**options)
        page.set_default_timeout(90_000)
        return page


@pytest.fixture
def keep_picture():
    """Write a screenshot into docs/images, which README shows, if BELLCRANK_PICTURES is set."""

    def keep(page, name):
        if os.environ.get("BELLCRANK_PICTURES"):
            page.screenshot(path=IMAGES / name)

    return keep
