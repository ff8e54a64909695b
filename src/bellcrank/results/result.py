"""The result of a run: every quantity by its name, with its unit.

Coordinates and rates are there at once. Everything else (bodies, reactions, energies) is
computed from them when the first of it is asked for, all times in one batch. `values` gives
plain arrays; `run["A.angle"]` and `run.dataset` give labelled ones and import xarray for it.
"""

import fnmatch
import json
import reprlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from bellcrank.errors import OptionError, UnknownName
from bellcrank.replacement import path_of
from bellcrank.results.events import NO_EVENTS, Events
from bellcrank.results.final import Final
from bellcrank.results.labels import Label, labels
from bellcrank.results.series import Arrays, Series, read_only
from bellcrank.showing import show

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure

    from bellcrank.model import Model

Machine = Callable[[Path], str] | tuple[str, Path] | None

PLAIN = frozenset((type(None), str, float, int, bool))  # kinds that JSON has


class Result:
    """What came out of a run, by name.

    Made by `simulate`, by `Result.load`, or from arrays by `Result.from_arrays`. The arrays
    are read-only, and two results are equal when everything in them is.

    Attributes:
        t: The recorded times [s], shape (n,).
        channels: The meaning of every recorded array.
        events: What happened, and when.
        statistics: Steps, evaluations and so on, as the integrator counted them.
        provenance: What computed it: model, formulation, integrator, tolerances, versions.
        status: `"done"`, or why the run stopped before its end.
        judged: What the audit that went along found, see `bellcrank.results.judging`.
        machine: What draws it: a machine that writes itself for a folder, the text of its file
            and the folder it was in, or None where it is not known. Not part of equality.

    Examples:
        >>> t = np.linspace(0, 1, 3)
        >>> run = Result.from_arrays(t, {"A.angle": t**2}, [Label("A.angle", "angle", 1, "A")])
        >>> run.values("A.angle")
        array([0.  , 0.25, 1.  ])
        >>> run.final["A.angle"]
        1.0
    """

    def __init__(
        self,
        time: ArrayLike,
        observe: Callable[[], Arrays],
        channels: Sequence[Label],
        *,
        states: Arrays,
        inputs: Arrays,
        events: Iterable[Any],
        statistics: Mapping[str, Any],
        provenance: Mapping[str, Any],
        status: str,
        audit: "Callable[[Result], Mapping[str, float]] | Mapping[str, float] | None" = None,
        later: Iterable[Callable[[], Arrays]] = (),
        machine: "Machine" = None,
        single: Callable[[Label], Arrays] | None = None,
        judged: Mapping[str, Any] | None = None,
        ending: "Callable[[], Result] | None" = None,
    ) -> None:
        self.t = read_only(np.asarray(time, dtype=float))
        if self.t.ndim != 1:
            raise OptionError(f"the times of a result are one row, got shape {self.t.shape}.")
        names = {label.name: label for label in channels}
        more = {name: Label(name, "input") for name in inputs if name not in names}
        self.channels = (*channels, *more.values())
        self._label = names | more
        self._series = Series(
            len(self.t), self._label, {**states, **inputs}, [observe, *later], single
        )
        self.states = tuple(filter(states.__contains__, self._label))
        self.inputs = tuple(inputs)
        self.events = Events(found) if (found := tuple(events)) else NO_EVENTS
        self.statistics: dict[str, Any] = plain(statistics)
        self.provenance: dict[str, Any] = plain(provenance)
        self.status = str(status)
        self._audit = audit
        given = judged if judged is not None else (None if callable(audit) else audit)
        self.judged: dict[str, Any] = plain(given or {})
        self.machine = machine
        self._ending = ending

    @cached_property
    def audit(self) -> dict[str, Any]:
        """How well the run kept what must be kept: energy drift, residuals of constraints.

        What `judged` has, and what takes longer: computed when first asked for, and kept in
        files; see `bellcrank.results.audit`.
        """
        found = self._audit(self) if callable(self._audit) else self._audit
        return plain(found or {})

    @classmethod
    def from_arrays(
        cls,
        time: ArrayLike,
        values: Callable[[], Arrays] | Arrays,
        channels: Iterable[Any],
        *,
        states: Arrays | None = None,
        inputs: Arrays | None = None,
        events: Iterable[Any] = (),
        statistics: Mapping[str, Any] | None = None,
        provenance: Mapping[str, Any] | None = None,
        status: str = "done",
        audit: "Callable[[Result], Mapping[str, float]] | None" = None,
        later: Iterable[Callable[[], Arrays]] = (),
        machine: "Machine" = None,
        single: Callable[[Label], Arrays] | None = None,
        judged: Mapping[str, Any] | None = None,
        ending: "Callable[[], Result] | None" = None,
    ) -> "Result":
        """Return a result made of arrays.

        Args:
            time: The recorded times [s], shape (n,).
            values: Arrays by channel name, each of shape (n,) or (n, size), or a function that
                computes them; it is called once, when the first of them is asked for.
            channels: The meaning of every array, in order: things with a name, a quantity (key
                of `units.QUANTITIES`), a size (1, 3, 4) and an owner.
            states: Arrays of the coordinates and rates, which are there at once.
            inputs: Arrays of the inputs, each of shape (n,); they need no channel.
            events: What happened: `(name, time)` or `(name, time, values)` each.
            statistics: Numbers and words about the integration.
            provenance: Numbers and words about what computed it.
            status: `"done"`, or why the run stopped before its end.
            audit: Computes what `audit` gives, when it is asked for.
            later: Compute further arrays, each called once, when all before have not given
                what is asked for.
            machine: What draws it, if it is known.
            single: Computes the arrays of what one label belongs to, before all others are.
            judged: What the audit that went along found.
            ending: Makes a result of the last record alone, which costs less than all.
        """
        given = None if callable(values) else dict(values)
        return cls(
            time,
            values if callable(values) else lambda: given or {},
            labels(channels),
            states=states or {},
            inputs=inputs or {},
            events=events,
            statistics=statistics or {},
            provenance=provenance or {},
            status=status,
            audit=audit,
            later=later,
            machine=machine,
            single=single,
            judged=judged,
            ending=ending,
        )

    # ------------------------------------------------------------------------------ by name

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all recorded arrays, in order. Components go by suffix: `_x`, `_0`."""
        return tuple(self._label)

    def values(self, name: str) -> np.ndarray:
        """Return the plain array of a name, shape (n,), or (n, 3) or (n, 4) for vectors.

        Args:
            name: `"A.angle"`, `"tip.position"`, or a component: `"tip.position_x"`.

        Raises:
            UnknownName: If there is no such name.
        """
        label, index = self.find(name)
        array = self._series[label.name]
        return array if index is None else array[:, index]

    def find(self, name: str) -> tuple[Label, int | None]:
        """Return the label of a name, and which component of it is meant, or None for all.

        Raises:
            UnknownName: If there is no such name.
        """
        if not isinstance(name, str):
            raise OptionError(f"a result is asked for by a name, got {reprlib.repr(name)}.")
        if name in self._label:
            return self._label[name], None
        stem, _, _ = name.rpartition("_")
        label = self._label.get(stem)
        if label is not None and label.size > 1 and name in label.components:
            return label, label.components.index(name)
        own = [label.name for label in self.channels if label.owner == name]
        raise UnknownName("result", name, own or self.names)

    def select(self, *patterns: str) -> tuple[str, ...]:
        """Return the names that match: names themselves, or patterns like `"*.angle"`.

        Components match, too, where the whole does not: `"*.velocity_x"`.

        Raises:
            UnknownName: If something is no name and matches none.
        """
        chosen: dict[str, None] = {}
        for pattern in patterns:
            if not isinstance(pattern, str):
                raise OptionError(f"a result is asked for by a name, got {pattern!r}.")
            hits = [name for label in self.channels for name in _matching(label, pattern)]
            if pattern in self._label or not hits:
                self.find(pattern)
                hits = [pattern]
            chosen.update(dict.fromkeys(hits))
        return tuple(chosen)

    def __getitem__(self, name: str) -> "xarray.DataArray":
        from bellcrank.results.dataset import data_array

        return data_array(self, name)

    @cached_property
    def dataset(self) -> "xarray.Dataset":
        """Everything as an xarray Dataset, with units, events and provenance."""
        from bellcrank.results.dataset import dataset

        return dataset(self)

    def frame(self, *patterns: str) -> "pandas.DataFrame":
        """Return a table with one row per record: the times, and a column for every number.

        Vectors have one column for each component, `tip.position_x`. Units and words are in
        `frame.attrs["units"]` and `["long_names"]`, by column.

        Args:
            patterns: Names, or patterns like `"A.*"` and `"*.velocity_x"`; everything without.

        Raises:
            UnknownName: If something is no name and matches none.

        Examples:
            >>> t = np.linspace(0, 1, 3)
            >>> label = Label("tip.position", "position", 3, "tip")
            >>> run = Result.from_arrays(t, {"tip.position": np.outer(t, [1, 2, 3])}, [label])
            >>> run.frame("*_x", "*_z").loc[0.5].to_dict()
            {'tip.position_x': 0.5, 'tip.position_z': 1.5}
        """
        from bellcrank.results.frame import frame

        return frame(self, patterns)

    @property
    def final(self) -> Final:
        """The values at the last recorded time, by name; only that record is computed."""
        return Final(self, self._last_value)

    @cached_property
    def _last(self) -> "Result":
        return self._ending() if self._ending else self

    def _last_value(self, name: str) -> Any:
        known = self.find(name)[0].name in self._series
        return (self if known else self._last).values(name)[-1]

    @property
    def model(self) -> "Model":
        """The machine that the result is of; results of files carry it, too.

        Raises:
            NotSupported: The result does not know it.
            FileError: What is stored with the result describes no machine.
        """
        return show("machine", self)

    def _ipython_key_completions_(self) -> list[str]:
        return [name for label in self.channels for name in dict.fromkeys(
            (label.name, *label.components))]  # fmt: skip

    def __contains__(self, name: object) -> bool:
        try:
            self.find(str(name))
        except UnknownName:
            return False
        return True

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.t)

    # ------------------------------------------------------------------- files and pictures

    def save(self, path: str | Path) -> None:
        """Write everything to a file.

        Args:
            path: Named like `x.nc`: a netCDF file, from which `Result.load` gives an equal
                result. Named like `x.csv`: a table of all numbers, one row per record, names in
                the first row. `run.frame(…)` knows other formats.

        Raises:
            FileError: If the file cannot be written, or is named otherwise.
        """
        file = path_of(path)
        if file.suffix == ".csv":
            from bellcrank.results.frame import save_csv

            return save_csv(self, file)
        from bellcrank.results.storage import save

        return save(self, file)

    @staticmethod
    def load(path: str | Path) -> "Result":
        """Return the result that was saved in a netCDF file.

        Raises:
            FileError: If there is no such file, or no result in it.
        """
        from bellcrank.results.storage import load

        return load(path_of(path), rebuilt)

    def plot(self, *names: str, figure: Any = None, size: Any = None) -> "Figure":
        """Return a figure of quantities over time, one panel for each unit.

        Args:
            names: What to plot; patterns like `"*.angle"` may be used. Without names: the
                coordinates and the energies.
            figure: A Matplotlib figure to draw on; a new one by default, which pyplot does not
                know of.
            size: Width and height [inch].

        Raises:
            UnknownName: If there is no such name.
        """
        from bellcrank.results.plots import plot

        return plot(self, names, figure, size)

    def phase(self, x: str, y: str, *, figure: Any = None, size: Any = None) -> "Figure":
        """Return a figure of one quantity over another: a phase portrait, or a path.

        Args:
            x: Name of the quantity to the right, `"A.angle"` or `"tip.position_x"`.
            y: Name of the quantity upwards.
            figure: A Matplotlib figure to draw on; a new one by default.
            size: Width and height [inch].

        Raises:
            UnknownName: If there is no such name.
        """
        from bellcrank.results.plots import phase

        return phase(self, x, y, figure, size)

    def animate(self, path: str | Path) -> None:
        """Write the motion as one HTML file, with plots beside the scene, that plays anywhere.

        Args:
            path: A file name that ends in `.html`.

        Raises:
            FileError: If the file cannot be written, or is not named like `x.html`.
            NotSupported: If the machine of the result is not known.
        """
        show("animate", self, path_of(path))

    # ------------------------------------------------------------------------------- inside

    def evaluate(self) -> None:
        """Compute now what would be computed when it is first asked for.

        Raises:
            OptionError: If values are missing, or do not fit the times.
        """
        self._series.evaluate()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Result):
            return NotImplemented
        return self is other or (
            all(
                getattr(self, field) == getattr(other, field)
                for field in ("channels", "states", "inputs", "events", "status")
            )
            and same(self.statistics, other.statistics)
            and same(self.provenance, other.provenance)
            and np.array_equal(self.t, other.t)
            and all(
                np.array_equal(self.values(name), other.values(name), equal_nan=True)
                for name in self.names
            )
        )

    __hash__ = None  # pyright: ignore[reportAssignmentType]

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuilt, (
            self.t,
            {name: self.values(name) for name in self.names},
            self.channels,
            self.states,
            self.inputs,
            tuple(self.events),
            self.statistics,
            self.provenance,
            self.status,
            self.audit,
            self.machine,
        )

    def __repr__(self) -> str:
        from bellcrank.results.summary import text

        return text(self)

    def _repr_html_(self) -> str:
        from bellcrank.results.summary import html

        return show("player", self) + html(self)


def _matching(label: Label, pattern: str) -> tuple[str, ...]:
    """Return the name of a label if a pattern matches it, else the components that it does."""
    if fnmatch.fnmatchcase(label.name, pattern):
        return (label.name,)
    return tuple(n for n in label.components if fnmatch.fnmatchcase(n, pattern))


def rebuilt(
    time: Any, arrays: Any, channels: Any, states: Any, inputs: Any, *rest: Any
) -> Result:
    """Return a result from all its arrays: the way back from a pickle or a file."""
    events, statistics, provenance, status, audit, *machine = rest
    return Result(
        time,
        lambda: arrays,
        labels(channels),
        states={name: arrays[name] for name in states},
        inputs={name: arrays[name] for name in inputs},
        events=events,
        statistics=statistics,
        provenance=provenance,
        status=status,
        audit=audit,
        machine=machine[0] if machine else None,
    )


def plain(facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return numbers and words about a run as a file can hold them, as JSON has them."""
    return {
        str(name): fact if type(fact) in PLAIN else _plain(fact) for name, fact in facts.items()
    }


def same(some: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two mappings of plain facts are equal; NaN equals NaN here."""
    return json.dumps(some, sort_keys=True) == json.dumps(other, sort_keys=True)


def _plain(fact: Any) -> Any:
    if type(fact) in PLAIN:
        return fact
    if isinstance(fact, Mapping):
        return plain(fact)
    if isinstance(fact, list | tuple):
        return [_plain(each) for each in fact]
    if isinstance(fact, np.ndarray | np.generic):
        return _plain(fact.tolist())
    return str(fact)
