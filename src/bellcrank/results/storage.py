"""Results in netCDF files, and back.

A file holds plain variables in one group: the times, one variable for each channel, the
events. Statistics and provenance are attributes. Any netCDF-4 tool reads it; xarray shows the
same names and units as `run.dataset`. Files appear whole or not at all, and end with a line
that holds their checksum, behind what HDF5 looks at: HDF5 can be sent into endless loops by a
single flipped bit. A file that another program has rewritten has lost that line, and is read
all the same.

Any file is looked at before it is read: nothing but plain variables of sensible size, no
links, no references to other files.
"""

import hashlib
import io
import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import h5netcdf
import h5py
import numpy as np

from bellcrank.errors import FileError
from bellcrank.replacement import replacing
from bellcrank.results.dataset import describe, facts, variable_names
from bellcrank.results.labels import COMPONENTS, DIMENSIONS, Label

if TYPE_CHECKING:
    from collections.abc import Iterable

    from bellcrank.results.result import Result

Rebuild = Callable[..., "Result"]
FORMAT = 1
MARK = "bellcrank_result"
MACHINE = "bellcrank_machine"  # marks the variable that holds the text of the machine
MOST_VARIABLES = 100_000
MOST_LETTERS = 2**26  # of all texts in a file; HDF5 may refer to one text many times
PORTION = 64  # texts read at a time
SEAL = b"\nbellcrank result, sha256 %s\n"
SEAL_SIZE = len(SEAL) - 2 + 64
PLAIN = re.compile(r"[A-Za-z0-9_]([^/\x00-\x1f\x7f]{0,180}[^/\x00-\x1f\x7f\s])?")


# --------------------------------------------------------------------------------------- save


def save(run: "Result", path: Path) -> None:
    """Write a result to a netCDF file, all of it or nothing.

    Raises:
        FileError: If the file cannot be written, or is not named like `x.nc`.
    """
    if path.suffix != ".nc":
        raise FileError(
            f"cannot save a result as {str(path)!r}; results are netCDF files, named like "
            f"{str(path.with_suffix('.nc')) if path.stem else 'run.nc'!r}, or tables, named "
            "like 'run.csv'. Other formats go through run.frame(), a pandas table, or "
            "run.dataset, an xarray Dataset."
        )
    run.evaluate()
    # HDF5 crashes on a full disk, so it writes to memory and we write the file.
    image = io.BytesIO()
    with h5netcdf.File(image, "w") as file:
        _write(run, file, path.parent)
    content = image.getbuffer()
    with replacing(path) as draft, draft.open("wb") as out:
        out.write(content)
        out.write(SEAL % hashlib.sha256(content).hexdigest().encode())


def _write(run: "Result", file: Any, folder: Path) -> None:
    file.dimensions = {"time": len(run.t)} | {DIMENSIONS[n][1]: n for n in COMPONENTS}
    file.attrs[MARK] = FORMAT
    file.attrs["statistics"] = json.dumps(run.statistics)
    file.attrs["provenance"] = json.dumps(run.provenance)
    file.attrs["audit"] = json.dumps(run.audit)
    for key, fact in facts(run).items():
        file.attrs[key.replace("/", "_")] = fact
    _variable(file, "time", ("time",), run.t, {"long_name": "time", "units": "s"})
    for size, names in COMPONENTS.items():
        _strings(file, DIMENSIONS[size][1], DIMENSIONS[size][1], names)
    for order, (key, label) in enumerate(zip(variable_names(run), run.channels, strict=True)):
        role = ("state" if label.name in run.states else "") or (
            "input" if label.name in run.inputs else "observed"
        )
        attrs = describe(label) | {"name": label.name, "order": order, "role": role}
        key = key if PLAIN.fullmatch(key) else f"channel_{order}"
        _variable(file, key, DIMENSIONS[label.size], run.values(label.name), attrs)
    if run.events:
        _write_events(run, file)
    _write_machine(run, file, folder)


def _write_machine(run: "Result", file: Any, folder: Path) -> None:
    """Write the text of the machine, too long for an attribute, under a name that is free."""
    text = run.machine(folder) if callable(run.machine) else (run.machine or ("",))[0]
    if text:
        key = "machine"
        while key in file.variables:
            key += "_"
        file.dimensions[key] = 1
        _strings(file, key, key, [text])
        file.variables[key].attrs[MACHINE] = FORMAT


def _write_events(run: "Result", file: Any) -> None:
    numbers = list(dict.fromkeys(key for one in run.events for key in one.values))
    file.dimensions["event"] = len(run.events)
    _strings(file, "event", "event", [one.name for one in run.events])
    attrs = {"long_name": "time of the event", "units": "s"}
    _variable(file, "event_time", ("event",), np.array([e.time for e in run.events]), attrs)
    if numbers:
        table = np.array([[e.values.get(n, np.nan) for n in numbers] for e in run.events])
        file.dimensions["event_number"] = len(numbers)
        _strings(file, "event_number", "event_number", numbers)
        _variable(file, "event_value", ("event", "event_number"), table, {})


def _variable(file: Any, key: str, dims: tuple[str, ...], data: Any, attrs: Any) -> None:
    packed = {}
    if data.size:
        chunks = (min(len(data), 8192), *data.shape[1:])
        packed = {"chunks": chunks, "compression": "gzip", "compression_opts": 1}
        packed |= {"shuffle": True, "fletcher32": True}
    made = file.create_variable(key, dims, np.dtype("f8"), data=data, **packed)
    for name, value in attrs.items():
        made.attrs[name] = value


def _strings(file: Any, key: str, dimension: str, texts: "Iterable[str]") -> None:
    data = np.array(list(texts), dtype=object)
    file.create_variable(key, (dimension,), h5py.string_dtype(), data=data)


# --------------------------------------------------------------------------------------- load


def load(path: Path, rebuilt: Rebuild) -> "Result":
    """Return the result in a netCDF file.

    Args:
        path: Of the file.
        rebuilt: Makes a result of all its arrays, as `result.rebuilt`.

    Raises:
        FileError: If there is no such file, or no sound result in it.
    """
    if not path.exists():
        raise FileError(f"there is no file {str(path)!r}.")
    if path.is_dir():
        raise FileError(f"{str(path)!r} is a folder; a result is one netCDF file.")
    try:
        if not h5py.is_hdf5(path):
            raise FileError(
                f"{str(path)!r} is no netCDF-4 file; results are written by run.save('x.nc')."
            )
        if not _sound(path):
            raise FileError(
                f"{str(path)!r} is damaged: its checksum is not that of its content."
            )
        with h5py.File(path, "r") as file:
            _inspect(path, file)
            return _Reading(file).result(path.parent, rebuilt)
    except FileError:
        raise
    except Exception as error:  # a damaged file can make HDF5 say anything
        reason = " ".join(str(error).split()) or type(error).__name__
        raise FileError(f"{str(path)!r} is damaged, or not a result: {reason}") from error


def _sound(path: Path) -> bool:
    """Return whether the checksum behind the end of a file is right, or there is none."""
    with path.open("rb") as file:
        length = file.seek(0, os.SEEK_END) - SEAL_SIZE
        file.seek(max(0, length))
        seal = file.read()
        if not seal.startswith(SEAL[:20]):
            return True
        file.seek(0)
        digest, left = hashlib.sha256(), length
        while left > 0 and (block := file.read(min(left, 2**20))):
            digest.update(block)
            left -= len(block)
    return seal == SEAL % digest.hexdigest().encode()


def _inspect(path: Path, file: h5py.File) -> None:
    """Refuse what run.save does not write, before anything is read."""
    version = file.attrs.get(MARK)
    if version is None:
        raise FileError(
            f"{str(path)!r} is an HDF5 file, but no result: attribute {MARK!r} is missing."
        )
    if np.size(version) != 1 or np.ravel(version)[0] != FORMAT:
        raise FileError(
            f"{str(path)!r} has format {str(version).strip('[]')}; this version of bellcrank "
            f"reads format {FORMAT}. A newer bellcrank may read it."
        )
    if len(file) > MOST_VARIABLES:
        raise FileError(
            f"{str(path)!r} holds {len(file)} variables; a result has at most {MOST_VARIABLES}."
        )
    declared = 0
    for name in file:
        item = file[name] if isinstance(file.get(name, getlink=True), h5py.HardLink) else None
        if not isinstance(item, h5py.Dataset) or item.is_virtual or item.external:
            raise FileError(
                f"{str(path)!r} holds {name!r}, which is not a plain variable; "
                "a result has nothing else."
            )
        declared += item.size * item.dtype.itemsize
    most = max(2**30, 1000 * path.stat().st_size)
    if declared > most:
        raise FileError(
            f"{str(path)!r} claims to hold {declared / 2**30:.3g} GiB in a file of "
            f"{path.stat().st_size / 2**20:.3g} MiB; that is no result."
        )


class _Reading:
    """A file that is being read; it counts the letters of what it reads.

    A small file can refer to one long text many times, and would fill the memory.
    """

    def __init__(self, file: Any) -> None:
        self.file, self.letters = file, 0

    def result(self, folder: Path, rebuilt: Rebuild) -> "Result":
        """Return the result; meshes are looked for in `folder`."""
        file = self.file
        found = sorted(
            (self._channel(file[key]) for key in file if "order" in file[key].attrs),
            key=lambda c: c[0],
        )
        roles = {
            role: tuple(label.name for _, r, label, _ in found if r == role)
            for role in ("state", "input")
        }
        machines = (self._texts(file[k])[0] for k in file if MACHINE in file[k].attrs)
        machine = next(machines, None)
        result = rebuilt(
            _numbers(self._variable("time")),
            {label.name: array for _, _, label, array in found},
            tuple(label for _, _, label, _ in found),
            roles["state"],
            roles["input"],
            self._events(),
            json.loads(self._attribute(file, "statistics")),
            json.loads(self._attribute(file, "provenance")),
            self._attribute(file, "status"),
            json.loads(self._attribute(file, "audit")) if "audit" in file.attrs else {},
            None if machine is None else (machine, folder),
        )
        result.evaluate()
        return result

    def _channel(self, item: Any) -> tuple[int, str, Label, np.ndarray]:
        """Return order, role, label and numbers of a variable."""
        size = 1 if item.ndim == 1 else int(np.prod(item.shape[1:]))
        if size not in DIMENSIONS:
            raise ValueError(
                f"{item.name[1:]!r} has {size} numbers at each time; 1, 3 or 4 would do"
            )
        name, quantity, owner, role = (
            self._attribute(item, key) for key in ("name", "quantity", "owner", "role")
        )
        order = int(np.ravel(item.attrs["order"])[0])
        return order, role, Label(name, quantity, size, owner), _numbers(item)

    def _variable(self, key: str) -> Any:
        if key not in self.file:
            raise ValueError(f"variable {key!r} is missing")
        return self.file[key]

    def _events(self) -> list[tuple[str, float, dict[str, float]]]:
        if "event" not in self.file:
            return []
        names = self._texts(self.file["event"])
        times = _numbers(self._variable("event_time"))
        columns, table = [], np.empty((len(names), 0))
        if "event_value" in self.file:
            columns = self._texts(self._variable("event_number"))
            table = _numbers(self.file["event_value"])
        return [
            (name, time, dict(zip(columns, row, strict=True)))
            for name, time, row in zip(names, times, table, strict=True)
        ]

    def _attribute(self, item: Any, key: str) -> str:
        """Return a text; HDF5 has no empty ones, and says `Empty` instead."""
        if key not in item.attrs:
            raise ValueError(f"attribute {key!r} is missing")
        text = item.attrs[key]
        return self._counted("" if isinstance(text, h5py.Empty) else str(text))

    def _texts(self, item: Any) -> list[str]:
        texts, found = item.asstr(), list[str]()
        for begin in range(0, len(item), PORTION):
            found += (self._counted(str(text)) for text in texts[begin : begin + PORTION])
        return found

    def _counted(self, text: str) -> str:
        self.letters += len(text)
        if self.letters > MOST_LETTERS:
            raise ValueError(f"its texts have more than {MOST_LETTERS} letters")
        return text


def _numbers(item: Any) -> np.ndarray:
    if item.dtype != np.dtype("f8"):
        raise ValueError(f"{item.name[1:]!r} holds {item.dtype}, not double precision numbers")
    return item[()]
