"""The standalone page in a real browser: it plays from disk, and shows what was computed."""

import warnings

import numpy as np
import pytest
from tests.draws import IN_RELEASE
from tests.oracle.robots import urdf
from tests.views.pictures import changed, colours, pixels

import bellcrank as bc
from bellcrank.views.drawing import draw
from bellcrank.views.motion import moving, standing
from bellcrank.views.page import page as page_of

pytestmark = pytest.mark.slow

SIZE = {"width": 960, "height": 600}
FULL = {"width": 1280, "height": 760}  # of the pictures in README


@pytest.fixture(scope="module")
def file(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "machine.html"
    run.animate(path)
    return path


@pytest.fixture
def opened(browser, file):
    """Return a function that opens the page, and what it asked for and complained about."""
    pages, asked, said = [], [], []

    def goto(fragment="", scheme="light", size=SIZE):
        page = browser.new_page(viewport=size, color_scheme=scheme)
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto(file.as_uri() + fragment)
        page.wait_for_selector(".bellcrank[data-time]")
        pages.append(page)
        return page

    goto.asked, goto.said = asked, said
    yield goto
    for page in pages:
        page.close()


PAINTED = """() => new Promise((done) => {
  let left = 3;
  const next = () => (left-- ? requestAnimationFrame(next) : done());
  next();
})"""


def at_rest(page):
    """Return the picture of the scene once it is painted, the mouse out of the way."""
    page.mouse.move(480, 2)
    page.evaluate(PAINTED)
    return page.locator(".scene canvas").screenshot(animations="disabled")


def time_of(page):
    """Return the time that the page shows [s]."""
    page.evaluate(PAINTED)
    return float(page.get_attribute(".bellcrank", "data-time"))


def test_the_page_plays_from_disk_without_any_other_request(opened, file):
    page = opened()
    first = at_rest(page)
    begun = time_of(page)
    page.wait_for_timeout(500)
    second = at_rest(page)
    assert colours(first) > 500
    assert time_of(page) > begun
    assert changed(first, second) > 0.003
    assert opened.asked == [file.as_uri()]
    assert opened.said == []


def test_pause_holds_the_picture_and_the_slider_moves_it(opened):
    page = opened("#t=1.0")
    one, two = at_rest(page), at_rest(page)
    assert changed(one, two) == 0.0
    page.locator(".scrub").fill("0.6")
    assert changed(one, at_rest(page)) > 0.003
    assert page.locator(".clock").inner_text() == "6.00 s"


def test_a_click_in_a_plot_goes_to_that_time(opened):
    page = opened("#t=0")
    box = page.locator(".plot canvas").first.bounding_box()
    page.mouse.click(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    assert 3.5 < time_of(page) < 6.5


def test_places_and_values_on_the_page_are_those_of_the_run(opened, run, machine):
    page = opened("#t=2.345")
    assert time_of(page) == pytest.approx(2.345)
    motion = moving(draw(machine), run)
    for mark in motion.scene.marks:
        script = "at => document.querySelector('.bellcrank').player.place(at)"
        shown = page.evaluate(script, [mark.at.body, list(mark.at.point)])
        path = motion.place(mark.at)
        wanted = [np.interp(2.345, run.t, path[:, k]) for k in range(3)]
        # Single precision on the page, and chords of rotations between records 10 ms apart.
        np.testing.assert_allclose(shown, wanted, atol=2e-5)
    said = page.locator(".plot").first.locator(".legend button").first.inner_text()
    name, value = said.split()
    wanted = np.interp(2.345, run.t, run.values(f"{name}.angle"))
    assert float(value) == pytest.approx(wanted, rel=1e-3)


def test_every_body_is_seen_in_its_colour_and_within_the_picture(opened, machine):
    page = opened("#t=0")
    image = pixels(at_rest(page))
    for part in (p for p in draw(machine).parts if p.kind == "body"):
        hue = np.array(part.colour) / np.linalg.norm(part.colour)
        length = np.linalg.norm(image, axis=2)
        like = (image @ hue > 0.985 * length) & (length > 60)
        rows, columns = np.nonzero(like)
        assert len(rows) > 300, part.name
        assert rows.min() > 2
        assert columns.min() > 2
        assert rows.max() < image.shape[0] - 3
        assert columns.max() < image.shape[1] - 3


@IN_RELEASE
def test_switches_show_and_hide(opened):
    page = opened("#t=1.0")
    before = at_rest(page)
    for key in ("reaction", "force", "frames", "axes"):
        page.click(f".switches [data-key={key}]")
        after = at_rest(page)
        assert changed(before, after) > 2e-4, key
        page.click(f".switches [data-key={key}]")
        assert changed(before, at_rest(page)) == 0.0, key


@IN_RELEASE
def test_dark_and_light_are_both_readable(opened, keep_picture):
    light, dark = (opened("#t=1.5", scheme, FULL) for scheme in ("light", "dark"))
    light.evaluate(PAINTED)
    dark.evaluate(PAINTED)
    assert pixels(light.screenshot()).mean() > 180
    assert pixels(dark.screenshot()).mean() < 70
    keep_picture(light, "page-light.png")
    keep_picture(dark, "page-dark.png")


def test_the_plot_of_the_page_can_be_chosen(opened):
    page = opened("#t=1.0")
    card = page.locator(".plot").first
    before = card.locator("canvas").screenshot()
    titles = card.locator("option").all_inner_texts()
    assert "energy [J]" in titles
    phase = next(title for title in titles if " over " in title)
    card.locator("select").select_option(label=phase)
    page.evaluate(PAINTED)
    assert changed(before, card.locator("canvas").screenshot()) > 0.01


@IN_RELEASE
def test_a_run_and_a_model_show_themselves_in_a_notebook(browser, run, machine, tmp_path):
    for name, thing in (("run", run), ("model", machine)):
        file = tmp_path / f"{name}.html"
        file.write_text(f"<body>{thing._repr_html_()}</body>", encoding="utf-8")
        page = browser.new_page(viewport=SIZE)
        said = []
        page.on("pageerror", lambda error, said=said: said.append(str(error)))
        page.goto(file.as_uri())
        inside = page.frame_locator("iframe")
        inside.locator(".bellcrank[data-time]").wait_for()
        page.evaluate(PAINTED)
        assert colours(inside.locator(".scene canvas").screenshot()) > 300
        assert said == []
        page.close()


def test_the_report_page_shows_the_machine_and_its_numbers(
    browser, machine, tmp_path, keep_picture
):
    file = tmp_path / "report.html"
    bc.report(machine, file)
    page = browser.new_page(viewport=FULL | {"height": 1500})
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    page.wait_for_selector(".bellcrank[data-time]")
    page.evaluate(PAINTED)
    assert colours(page.locator(".scene canvas").screenshot()) > 300
    words = page.inner_text("body")
    for wanted in ("Body-connection tree", "Loops", "degrees of freedom", "L = (0, 1, 0)"):
        assert wanted in words
    assert asked == [file.as_uri()]
    keep_picture(page, "report.png")
    page.close()


@IN_RELEASE
@pytest.mark.oracle
def test_a_robot_is_drawn_with_its_meshes(browser, tmp_path, keep_picture):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bc.errors.FileWarning)
        robot = bc.load(urdf("solo_description/robots/solo12.urdf"))
    scene = draw(robot)
    assert scene.notes == ()
    assert sum(len(part.surface.faces) for part in scene.parts) > 20_000
    file = tmp_path / "robot.html"
    file.write_text(page_of(standing(scene)), encoding="utf-8")
    page = browser.new_page(viewport=FULL)
    page.goto(file.as_uri())
    page.wait_for_selector(".bellcrank[data-time]")
    assert colours(at_rest(page)) > 1000
    keep_picture(page, "robot.png")
    page.close()
