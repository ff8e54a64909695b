"""Machines, runs and a browser for the tests of views."""

import os
from pathlib import Path

import pytest
from tests.views.browser import ARGUMENTS, find, required

import bellcrank as bc

IMAGES = Path(__file__).parents[2] / "docs" / "images"


def four_bar():
    """Return a four-bar in space with a strut, a traced point and two parameters."""
    A, B, C, D = (0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)
    return bc.Model(
        "four-bar",
        bodies=[
            bc.Body("crank", bc.Rod(A, B, mass=bc.Parameter("m_crank", 1.0))),
            bc.Body("coupler", bc.Rod(B, C, mass=2.2)),
            bc.Body("rocker", bc.Rod(D, C, mass=2.0)),
        ],
        joints=[
            bc.Revolute("A", "ground", "crank", at=A, axis="y"),
            bc.Revolute("B", "crank", "coupler", at=B, axis="y"),
            bc.Revolute("C", "coupler", "rocker", at=C, axis="y"),
            bc.Revolute("D", "ground", "rocker", at=D, axis="y"),
        ],
        forces=[
            bc.SpringDamper(
                "strut", ("ground", (1, 0, 0)), "tip",
                stiffness=bc.Parameter("k", 40.0), damping=0.5, length=1.2,
            )
        ],
        points=[bc.Point("tip", "coupler", at=(1, 0, 1.5))],
    )  # fmt: skip


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
