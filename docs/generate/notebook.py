"""A page as a notebook: its words as cells of text, its code as cells of code.

`python docs/generate/notebook.py docs/tutorial.md` runs the cells as a reader would, and prints
how long each takes; it fails where the first picture is not there within a minute, or the whole
takes more than five minutes of machine time.
"""

import contextlib
import json
import re
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

PICTURE, WHOLE = 60.0, 300.0  # most that a reader waits for [s]: by the clock, of machine time


def cells(text: str) -> list[dict[str, Any]]:
    """Return the cells of a page."""
    found = []
    for n, part in enumerate(re.split(r"^```python\n(.*?)^```\n", text, flags=re.M | re.S)):
        lines = part.strip().splitlines(keepends=True)
        if lines and n % 2:
            found.append({"cell_type": "code", "metadata": {}, "source": lines,
                          "execution_count": None, "outputs": []})  # fmt: skip
        elif lines:
            found.append({"cell_type": "markdown", "metadata": {}, "source": lines})
    return found


def notebook(text: str) -> str:
    """Return a page as the text of a notebook file."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    whole = {"cells": cells(text), "metadata": {"kernelspec": kernel}, "nbformat": 4}
    return json.dumps(whole | {"nbformat_minor": 4}, indent=1, ensure_ascii=False)


def timed(text: str) -> bool:
    """Run the cells of code one after the other; return whether they are quick enough."""
    known: dict[str, Any] = {"__name__": "__main__"}
    begun, spent, picture = time.perf_counter(), time.process_time(), 0.0
    for cell in cells(text):
        if cell["cell_type"] != "code":
            continue
        code, before = "".join(cell["source"]), time.perf_counter()
        exec(compile(code, "<cell>", "exec"), known)
        now = time.perf_counter()
        print(f"{now - before:8.2f} s  {code.strip().splitlines()[0][:60]}")
        if not picture and ".plot(" in code:
            picture = now - begun
    clock, whole = time.perf_counter() - begun, time.process_time() - spent
    print(
        f"first picture after {picture:.1f} s, the whole after {clock:.1f} s by the clock and "
        f"{whole:.1f} s of machine time"
    )
    return picture < PICTURE and whole < WHOLE


def main(page: Path) -> int:
    """Run the cells of a page, in a folder that goes with what they write."""
    text = page.read_text("utf-8")
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        return not timed(text)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
