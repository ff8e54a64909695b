"""The end of a run."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from bellcrank.results.result import Result


class Final(Mapping[str, "float | np.ndarray"]):
    """The last values of a run by name; each is computed when it is asked for."""

    def __init__(self, run: "Result") -> None:
        self._run = run

    def __getitem__(self, name: str) -> "float | np.ndarray":
        last = self._run.values(name)[-1]
        return float(last) if np.ndim(last) == 0 else last

    def __contains__(self, name: object) -> bool:
        return name in self._run

    def __iter__(self) -> Iterator[str]:
        return iter(self._run)

    def __len__(self) -> int:
        return len(self._run.names)

    def __repr__(self) -> str:
        return repr(dict(self))
