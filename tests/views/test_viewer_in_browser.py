"""The live viewer in a real browser: it draws, plays, and follows a slider at once."""

import time

import numpy as np
import pytest
from tests.draws import IN_RELEASE
from tests.views.client import HANGS
from tests.views.pictures import changed, colours

import bellcrank as bc

pytestmark = [pytest.mark.slow, IN_RELEASE]

SIZE = {"width": 1280, "height": 800}


@pytest.fixture(scope="module")
def viewer(run):
    with bc.view(run, port=8321, block=False, say=lambda _: None) as made:
        yield made


@pytest.fixture(scope="module")
def opened(viewer, browser):
    """Return the page of the viewer once it has been drawn, and what it complained about."""
    page = browser.new_page(viewport=SIZE)
    page.said = []
    page.on("pageerror", lambda error: page.said.append(str(error)))
    begun = time.perf_counter()
    page.goto(viewer.url)
    page.get_by_text("energy drift").wait_for()
    while colours(shot(page)) < 300:
        assert time.perf_counter() - begun < HANGS, "nothing is drawn"
        page.wait_for_timeout(100)
    print(f"pixels after {time.perf_counter() - begun:.1f} s")
    yield page
    page.close()


def shot(page):
    """Return the middle of the scene, clear of panels and notices."""
    return page.screenshot(clip={"x": 400, "y": 180, "width": 460, "height": 560})


def curve(page):
    """Return the picture of the first plot."""
    return page.locator(".uplot canvas").first.screenshot()


def turn(page, label, part):
    """Press the mouse on a slider at a part of its range."""
    own = page.get_by_text(label, exact=True).get_attribute("for")
    box = page.locator(f'[id="{own}"] .mantine-Slider-track').bounding_box()
    page.mouse.move(box["x"] + part * box["width"], box["y"] + box["height"] / 2)


def test_it_is_drawn_and_playing_moves_it(opened, viewer, keep_picture):
    first = shot(opened)
    opened.wait_for_timeout(1000)
    assert changed(first, shot(opened)) > 0.003
    assert opened.said == []
    assert opened.get_by_text("Share", exact=False).count() == 0
    viewer.play(False)
    viewer.seek(1.5)
    opened.wait_for_timeout(1500)
    for notice in opened.locator(".mantine-Notification-closeButton").all():
        notice.click()
    opened.wait_for_timeout(500)
    one = shot(opened)
    opened.wait_for_timeout(500)
    assert changed(one, shot(opened)) < 0.001
    keep_picture(opened, "viewer.png")


def test_a_slider_moves_the_curve_while_the_mouse_is_still_down(opened, viewer, run):
    viewer.play(False)
    opened.wait_for_timeout(500)
    before = curve(opened)
    turn(opened, "A.angle [rad]", 0.55)
    opened.mouse.down()
    turn(opened, "A.angle [rad]", 0.75)
    opened.wait_for_timeout(200)
    viewer.worker.idle(30)
    opened.wait_for_timeout(700)
    after = curve(opened)
    assert changed(before, after) > 0.005
    assert viewer.run is not run
    assert viewer.run.values("A.angle")[0] == pytest.approx(0.5 * np.pi, abs=0.15)
    opened.mouse.up()


def test_a_hostile_name_in_a_message_is_text(opened, viewer):
    hostile = "<img src=x onerror=document.title='run'>{document.title='run'}"
    viewer.complain(bc.ModelError(f"no joint named {hostile}"))
    opened.get_by_text("no joint named").wait_for()
    assert hostile in opened.get_by_text("no joint named").first.inner_text()
    assert opened.title() != "run"
    assert opened.said == []
