"""Results and models that show themselves: in a file, in a notebook."""

from html import escape
from pathlib import Path

from bellcrank.errors import BellcrankError
from bellcrank.files.written import machine_of
from bellcrank.model import Model
from bellcrank.results import Result
from bellcrank.showing import shows
from bellcrank.views import page
from bellcrank.views.drawing import draw
from bellcrank.views.motion import moving, standing
from bellcrank.views.scene import DrawnScene

NOTEBOOK = 1001  # records in a notebook, whose file keeps them


@shows
def machine(run: Result) -> Model:
    """Return the machine that a result is of (see `Result.model`)."""
    return machine_of(run.machine)


def scene_of(run: Result) -> DrawnScene:
    """Return what is drawn of the machine of a result, for the parameters of the run."""
    return draw(run.model, run.provenance.get("parameters"))


@shows
def animate(run: Result, path: Path) -> None:
    """Write the motion of a result as one HTML file (see `Result.animate`)."""
    page.animate(run, scene_of(run), path)


@shows
def player(run: Result) -> str:
    """Return what a notebook shows of a run; nothing where it cannot be drawn."""
    try:
        if len(run.t) < 2:
            return ""
        motion = moving(scene_of(run), run, NOTEBOOK)
    except BellcrankError:
        return ""
    return page.framed(page.page(motion, run, plots=2, most=NOTEBOOK))


@shows
def drawing(model: Model) -> str:
    """Return what a notebook shows of a model: as it is drawn, to be turned with the mouse."""
    caption = escape(repr(model).strip("<>"))
    try:
        shown = page.framed(page.page(standing(draw(model))), 380)
    except BellcrankError as error:
        return f"<p>{caption}</p><p>{escape(str(error))}</p>"
    return f"{shown}<p>{caption}</p>"
