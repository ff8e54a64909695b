"""A machine as text, for results that carry the machine they are of.

The text is that of a machine file in JSON, which is YAML too; meshes are named relative to
the folder of the file that holds the text.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from bellcrank.errors import FileError, NotSupported
from bellcrank.model import Model


@dataclass(frozen=True)
class Written:
    """A model that is written when somebody asks for its text.

    Attributes:
        model: The machine.
    """

    model: Model

    def __call__(self, folder: Path) -> str:
        """Return the text, with meshes named relative to a folder."""
        from bellcrank.files.machine import data_from

        return json.dumps(data_from(self.model, folder), ensure_ascii=False)


def model_of(text: str, folder: Path) -> Model:
    """Return the machine that was written as text.

    Args:
        text: What `Written` gave.
        folder: Where meshes are looked for.

    Raises:
        FileError: The text describes no machine, or a mesh is not there.
    """
    from bellcrank.files.machine import machine_from
    from bellcrank.files.text import parse_yaml

    try:
        return machine_from(parse_yaml(text), folder)[0]
    except FileError as error:
        raise FileError(f"the machine of this result cannot be drawn: {error}") from None


def machine_of(carried: Any) -> Model:
    """Return the machine that a result carries: as it is, or as text with its folder.

    Raises:
        NotSupported: It carries none.
        FileError: What is stored with the result describes no machine.
    """
    if isinstance(carried, Written):
        return carried.model
    if isinstance(carried, tuple):
        return _read(*carried)
    raise NotSupported(
        "this result does not carry its machine, so that there is nothing to draw; results of "
        "bc.simulate do, and so do the files they are saved to."
    )


@lru_cache(maxsize=16)
def _read(text: str, folder: Path) -> Model:
    return model_of(text, folder)
