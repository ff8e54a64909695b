"""Arrays over the same times, by name, computed when they are first asked for."""

from collections.abc import Callable, Iterable, Mapping
from threading import RLock

import numpy as np
from numpy.typing import ArrayLike

from bellcrank.errors import OptionError
from bellcrank.results.labels import Label

Arrays = Mapping[str, ArrayLike]


class Series:
    """Read-only arrays of known names and sizes; any number of threads may read them.

    Args:
        count: Number n of times.
        labels: The label of every array by its name.
        given: Arrays that are there at once, of shape (n,) or (n, size).
        pending: Compute further arrays, each called once, when all before have not given what
            is asked for.
        single: Computes the arrays of what one label belongs to, before all others are.
    """

    def __init__(
        self,
        count: int,
        labels: Mapping[str, Label],
        given: Arrays,
        pending: Iterable[Callable[[], Arrays]],
        single: Callable[[Label], Arrays] | None = None,
    ) -> None:
        self._count, self._labels, self._single = count, labels, single
        self._pending, self._arrays = list(pending), dict[str, np.ndarray]()
        self._computing = RLock()  # what is pending may ask for other arrays
        self._keep(given)

    def __getitem__(self, name: str) -> np.ndarray:
        """Return one array; what it takes to have it is computed now."""
        if name not in self._arrays:
            with self._computing:
                self._compute(name)
        return self._arrays[name]

    def __contains__(self, name: str) -> bool:
        """Return whether an array is there already."""
        return name in self._arrays

    def _compute(self, name: str) -> None:
        if name not in self._arrays and self._single is not None:
            self._keep(self._single(self._labels[name]))
        while name not in self._arrays and self._pending:
            self._next()
        if name not in self._arrays:
            self.evaluate()  # says what is missing

    def evaluate(self) -> None:
        """Compute everything now.

        Raises:
            OptionError: If values are missing, or do not fit the times.
        """
        with self._computing:
            while self._pending:
                self._next()
        missing = [name for name in self._labels if name not in self._arrays]
        if missing:
            raise OptionError(f"a result has channels without values: {', '.join(missing)}.")

    def _keep(self, arrays: Arrays) -> None:
        strange = [name for name in arrays if name not in self._labels]
        if strange:
            raise OptionError(f"a result has values without a channel: {', '.join(strange)}.")
        for name, value in arrays.items():
            size, n = self._labels[name].size, self._count
            wanted = (n,) if size == 1 else (n, size)
            array = np.asarray(value, dtype=float)
            if array.shape != wanted and array.shape != (*wanted, 1):
                raise OptionError(
                    f"result {name!r} needs shape {wanted} at {n} times, got {array.shape}."
                )
            self._arrays[name] = read_only(array.reshape(wanted))

    def _next(self) -> None:
        """Compute the next arrays that are pending."""
        found = self._pending[0]()
        self._keep({name: array for name, array in found.items() if name not in self._arrays})
        self._pending.pop(0)


def read_only(array: np.ndarray) -> np.ndarray:
    """Return a view of an array that cannot be written to."""
    view = array.view()
    view.flags.writeable = False
    return view
