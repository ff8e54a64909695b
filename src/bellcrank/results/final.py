"""The end of a run."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from bellcrank.results.result import Result


class Final(Mapping[str, "float | np.ndarray"]):
    """The last values of a run by name; each is computed when it is asked for.

    Only the last record is looked at, unless all have been.
    """

    def __init__(self, run: "Result", value: Callable[[str], Any]) -> None:
        self._run, self._value = run, value

    def __getitem__(self, name: str) -> "float | np.ndarray":
        last = self._value(name)
        return float(last) if np.ndim(last) == 0 else last

    def __contains__(self, name: object) -> bool:
        return name in self._run

    def __iter__(self) -> Iterator[str]:
        return iter(self._run)

    def __len__(self) -> int:
        return len(self._run.names)

    def _ipython_key_completions_(self) -> list[str]:
        return list(self._run.names)

    def __repr__(self) -> str:
        return repr(dict(self))
