"""A machine in motion as one HTML file: no network, no server, any browser, any notebook.

The page holds the scene, the poses and the curves as numbers, and a player written for it in
`player/`: WebGL for the scene, canvases for the plots, one clock for both.
"""

import base64
import json
import re
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from bellcrank.errors import FileError
from bellcrank.replacement import replacing
from bellcrank.results import Result
from bellcrank.results.words import line
from bellcrank.views import surfaces
from bellcrank.views.motion import SceneMotion, kept, moving
from bellcrank.views.panels import Panel, panels
from bellcrank.views.scene import FORCE, PALETTE, REACTION, DrawnScene
from bellcrank.views.surfaces import Surface

MOST = 2001  # records in a page
SCRIPTS = ("vectors.js", "renderer.js", "camera.js", "plots.js", "player.js")
SPEEDS = (0.1, 0.25, 0.5, 1, 2, 5)


def page(
    motion: SceneMotion, run: Result | None = None, *, plots: int = 3, most: int = MOST
) -> str:
    """Return a whole HTML page that plays a motion.

    Args:
        motion: What moves, of not too many records.
        run: The result it is of, for the curves; None for a machine that stands.
        plots: How many plots stand beside the scene.
        most: Records kept, those of the motion.
    """
    return document(motion.scene.name, player(motion, run, plots, most))


def document(title: str, body: str, style: str = "") -> str:
    """Return a whole HTML page around players.

    Args:
        title: Plain text.
        body: What is on it.
        style: CSS besides that of the player.
    """
    scripts = "\n".join(map(asset, SCRIPTS))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(title)}</title>\n<style>\n{asset('player.css')}{style}</style></head>"
        f'\n<body>{body}<script>\n(() => {{\n"use strict";\n{scripts}}})();\n</script>'
        "</body></html>\n"
    )


def player(motion: SceneMotion, run: Result | None, plots: int, most: int) -> str:
    """Return the element of a page that the scripts bring to life."""
    shown = panels(run) if run is not None else ()
    rows = kept(len(run.t), most) if run is not None else np.arange(len(motion.t))
    data = _data(motion, run, shown, rows)
    card = (
        '<div class="plot"><select></select><canvas></canvas><div class="legend"></div></div>'
    )
    speeds = "".join(
        f'<option value="{s}"{" selected" * (s == data["speed"])}>{s:g}×</option>'
        for s in sorted({*SPEEDS, data["speed"]})
    )
    filled = {
        "data": json.dumps(data, allow_nan=False).replace("<", "\\u003c"),
        "title": escape(motion.scene.name),
        "facts": escape(" · ".join(_facts(motion, run, rows))),
        "scale": f"grid {data['world']['cell']:g} m",
        "longest": escape(_arrow_scales(data)),
        "notes": escape(" ".join(motion.scene.notes)),
        "plots": card * min(plots, len(shown)),
        "speeds": speeds,
    }
    # In one pass: what is filled in may look like a place to fill.
    return re.sub(r"\{\{(\w+)\}\}", lambda place: filled[place[1]], asset("player.html"))


def animate(run: Result, scene: DrawnScene, path: Path) -> None:
    """Write the motion of a result as one HTML file.

    Args:
        run: The result.
        scene: Of its machine.
        path: A file name that ends in `.html`.

    Raises:
        FileError: The name has another suffix, or the file cannot be written.
    """
    write(path, lambda: page(moving(scene, run, MOST), run))


def write(path: Path, made: Any) -> None:
    """Write a page to a file.

    Args:
        path: A file name that ends in `.html`.
        made: Makes the text, once the name is known to be good.

    Raises:
        FileError: The name has another suffix, or the file cannot be written.
    """
    if path.suffix.lower() not in (".html", ".htm"):
        raise FileError(
            f"{str(path)!r}: a page is written as .html, got {path.suffix or 'no suffix'}."
        )
    with replacing(path) as draft:
        draft.write_text(made(), encoding="utf-8", newline="\n")


def framed(html: str, height: int = 520) -> str:
    """Return a page inside a page, as a notebook shows it."""
    style = f"width:100%;height:{height}px;border:0;border-radius:12px"
    return f'<iframe style="{style}" srcdoc="{escape(html)}"></iframe>'


# --- inside -------------------------------------------------------------------------------


def asset(name: str) -> str:
    """Return a file of the player."""
    return files("bellcrank.views").joinpath("player", name).read_text(encoding="utf-8")


def _packed(array: np.ndarray, kind: str = "<f4") -> str:
    flat = np.ascontiguousarray(array, dtype=kind)
    return base64.b64encode(flat.tobytes()).decode("ascii")


def _surface(surface: Surface) -> dict[str, Any]:
    wide = len(surface.vertices) > 65535
    return {
        "vertices": _packed(surface.vertices),
        "faces": _packed(surface.faces, "<u4" if wide else "<u2"),
        "wide": wide,
    }


def _data(
    motion: SceneMotion, run: Result | None, shown: tuple[Panel, ...], rows: np.ndarray
) -> dict[str, Any]:
    scene, curves = motion.scene, {}
    for panel in shown:
        for curve in panel.curves:
            assert run is not None
            curves.setdefault(curve.name, np.nan_to_num(curve.values(run)[rows]))
        if panel.x and run is not None:
            curves.setdefault(panel.x, run.values(panel.x)[rows])
    return {
        "bodies": list(scene.bodies),
        "t": _packed(motion.t),
        "positions": _packed(motion.positions),
        "orientations": _packed(motion.orientations),
        "parts": [
            {
                "kind": part.kind,
                "body": part.body,
                "colour": part.colour,
                "opacity": part.opacity,
                "surface": _surface(part.surface),
            }
            for part in scene.parts
        ],
        "ties": [tie._asdict() | {"surface": _surface(tie.surface)} for tie in scene.ties],
        "marks": _marks(scene),
        "arrows": _arrows(motion, run, rows),
        "units": {name: _surface(made) for name, made in _units().items()},
        "columns": {name: _packed(values) for name, values in curves.items()},
        "panels": [
            {
                "title": panel.title,
                "x": panel.x,
                "xlabel": panel.xlabel,
                "series": [curve._asdict() for curve in panel.curves],
            }
            for panel in shown
        ],
        "world": _world(motion),
        "speed": speed(float(motion.t[-1] - motion.t[0])),
        "switches": _switches(scene, run is not None),
    }


def _units() -> dict[str, Surface]:
    """Return the surfaces that are stretched to what is needed: one long, one wide."""
    return {
        "shaft": surfaces.shaft(),
        "cone": surfaces.revolved([(0, 0), (1, 0), (1, 0), (0, 1)], 20),
        "ball": surfaces.ball(1.0, 20),
    }


def _marks(scene: DrawnScene) -> list[dict[str, Any]]:
    return [
        {
            "name": mark.name,
            "kind": mark.kind,
            "at": mark.at,
            "colour": PALETTE[(mark.at.body - 1) % len(PALETTE)],
        }
        for mark in scene.marks
    ]


def _arrows(motion: SceneMotion, run: Result | None, rows: np.ndarray) -> list[dict[str, Any]]:
    if run is None:
        return []
    whole = moving(motion.scene, run)
    found = {arrow: np.nan_to_num(whole.vectors(arrow)) for arrow in motion.scene.arrows}
    longest: dict[str, float] = {}
    for arrow, vectors in found.items():
        most = float(np.linalg.norm(vectors, axis=1).max(initial=0.0))
        longest[arrow.unit] = max(longest.get(arrow.unit, 0.0), most)
    return [
        {
            "kind": arrow.kind,
            "unit": arrow.unit,
            "longest": longest[arrow.unit],
            "colour": REACTION if arrow.kind == "reaction" else FORCE,
            "at": arrow.at,
            "scale": 0.45 * motion.scene.size / (longest[arrow.unit] or 1.0),
            "vectors": _packed(vectors[rows]),
        }
        for arrow, vectors in found.items()
    ]


def _arrow_scales(data: dict[str, Any]) -> str:
    longest = {arrow["unit"]: arrow["longest"] for arrow in data["arrows"]}
    return "".join(
        f" · longest arrow {most:.3g} {unit}" for unit, most in longest.items() if most
    )


def speed(duration: float) -> float:
    """Return how fast to play at first: as it is, or so that it takes some five seconds.

    Examples:
        >>> speed(10.0), speed(0.03), speed(3600.0)
        (1.0, 0.005, 500.0)
    """
    if 2.0 <= duration <= 60.0 or not duration > 0:
        return 1.0
    power = 10.0 ** np.floor(np.log10(duration / 5.0))
    return float(
        f"{max(m * power for m in (1, 2, 5) if m * power <= duration / 5.0 * 1.001):.6g}"
    )


def _world(motion: SceneMotion) -> dict[str, Any]:
    low, high = motion.bounds
    return {
        "up": motion.scene.up.tolist(),
        "sight": motion.sight.tolist(),
        "low": low.tolist(),
        "high": high.tolist(),
        "middle": motion.middle.tolist(),
        "reach": motion.reach,
        "floor": motion.floor,
        "size": motion.scene.size,
        "cell": motion.cell,
    }


def _switches(scene: DrawnScene, moves: bool) -> list[dict[str, Any]]:
    kinds = {part.kind for part in scene.parts}
    acting = {arrow.kind for arrow in scene.arrows}
    points = any(mark.kind == "point" for mark in scene.marks)
    few = len(scene.marks) - len(scene.bodies) + 1 <= 14
    offered = [
        ("traces", "traces", moves and points, True),
        ("labels", "names", bool(scene.marks), few),
        ("names", "bodies", len(scene.bodies) > 1, False),
        ("axes", "joint axes", "axis" in kinds, False),
        ("frames", "frames", True, False),
        ("reaction", "reactions", moves and "reaction" in acting, False),
        ("force", "forces", moves and "force" in acting, False),
    ]
    return [
        {"key": key, "label": label, "on": on} for key, label, there, on in offered if there
    ]


def _facts(motion: SceneMotion, run: Result | None, rows: np.ndarray) -> list[str]:
    if run is None:
        return [f"{len(motion.scene.bodies) - 1} bodies"]
    facts = [f"{run.t[0]:g} to {run.t[-1]:g} s" if len(run.t) else "no records"]
    facts += [str(run.provenance[key]) for key in ("formulation",) if key in run.provenance]
    integrator = str(run.provenance.get("integrator", "")).partition("(")[0]
    facts += [integrator] if integrator else []
    audit = run.judged or run.audit
    facts += [line(audit)] if audit else []
    if len(rows) < len(run.t):
        facts.append(f"{len(rows)} of {len(run.t)} records shown")
    if run.status != "done":
        facts.append(run.status)
    return facts
