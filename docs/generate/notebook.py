"""A page as a notebook: its words as cells of text, its code as cells of code."""

import json
import re
from typing import Any


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
