"""The gallery: every shipped example with its file and a page that plays it.

A page that plays is made once and kept, by the text of the example and the sources of the
package, so that the site builds quickly.
"""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import bellcrank as bc
from bellcrank import examples
from bellcrank.kernels.cache import fingerprint

RECORDS = 400  # of a motion on a page
LAYERS = ("model", "formulations", "views", "examples")


def played(name: str, kept: Path) -> Path:
    """Return the page that plays an example, made now if it is not in the folder `kept`."""
    text = examples.path(name).read_bytes()
    key = hashlib.sha256(text + fingerprint(*LAYERS).encode()).hexdigest()[:16]
    path = kept / f"{name}-{key}.html"
    if not path.exists():
        kept.mkdir(parents=True, exist_ok=True)
        settings = {"until": 10.0} | examples.settings(name)
        settings["every"] = (settings["until"] - settings.get("begin", 0.0)) / RECORDS
        bc.simulate(examples.load(name), **settings).animate(path)
    return path


def pages() -> Iterator[tuple[str, str]]:
    """Return path and text of every page."""
    lines = ["# Gallery", "", "Every shipped example, playing. `bellcrank view NAME` opens one"]
    lines += ["with sliders.", "", "| | |", "| --- | --- |"]
    lines += [f"| [{name}]({name}.md) | {examples.title(name)} |" for name in examples.names()]
    lines += ["", "```{toctree}", ":hidden:", "", *examples.names(), "```"]
    yield "gallery/index.md", "\n".join(lines)
    for name in examples.names():
        source = examples.path(name).read_text(encoding="utf-8").rstrip()
        page = f"../_static/gallery/{name}.html"
        yield f"gallery/{name}.md", "\n".join([
            f"# {name}", "", examples.title(name), "",
            f'<iframe class="player" src="{page}" title="{name}"></iframe>', "",
            f'<a href="{page}" target="_blank">Alone on a page.</a>', "",
            f"Its file, which `bellcrank examples {name}` prints:", "",
            "```yaml", source, "```",
        ])  # fmt: skip
