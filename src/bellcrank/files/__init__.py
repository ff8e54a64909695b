"""Machines as files: YAML ⇄ `Model`, with a published JSON Schema; URDF → `Model`."""

import os
import reprlib
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from bellcrank.errors import FileError, OptionError
from bellcrank.replacement import path_of

if TYPE_CHECKING:
    from bellcrank.files.urdf.paths import Folders
    from bellcrank.model import Model
    from bellcrank.results import Result

__all__ = ["load", "load_machine", "save", "schema_json"]

MACHINE_SUFFIXES = (".yaml", ".yml")
ROBOT_SUFFIX = ".urdf"
RESULT_SUFFIX = ".nc"


@overload
def load(
    path: str | os.PathLike[str],
    kind: "type[Model]",
    *,
    floating: bool = ...,
    packages: "Folders" = ...,
) -> "Model": ...
@overload
def load(path: str | os.PathLike[str], kind: "type[Result]") -> "Result": ...
@overload
def load(
    path: str | os.PathLike[str],
    kind: None = ...,
    *,
    floating: bool = ...,
    packages: "Folders" = ...,
) -> Any: ...
def load(
    path: str | os.PathLike[str],
    kind: "type[Model] | type[Result] | None" = None,
    *,
    floating: bool = False,
    packages: "Folders" = (),
) -> "Model | Result":
    """Return what a file holds: a `Model` from YAML or URDF, a `Result` from `.nc`.

    Args:
        path: The file: `.yaml` or `.yml`, `.urdf`, or `.nc`.
        kind: `bc.Model` or `bc.Result`: what it must be. Editors know then, too, which no
            suffix tells them.
        floating: URDF: whether the root link moves freely; otherwise it is welded to ground.
        packages: URDF: a folder or several, where `package://` paths are looked for and meshes
            may be, besides the folder of the file and its package.

    Returns:
        The model or the result; from YAML and netCDF equal to what was saved.

    Raises:
        FileError: The file cannot be read as what it should be; all complaints at once.
        OptionError: `floating` or `packages` for what is no URDF file.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> bc.load(examples.path("four-bar"), bc.Model).name
        'four-bar'
    """
    path = path_of(path)
    suffix = path.suffix.lower()
    _check_kind(path, suffix, kind)
    if suffix == ROBOT_SUFFIX:
        from bellcrank.files.urdf import load_urdf

        return load_urdf(path, floating=floating, packages=packages, stacklevel=2)
    _refuse_for_robots(path, floating, packages)
    if suffix in MACHINE_SUFFIXES:
        return load_machine(path)[0]
    if suffix == RESULT_SUFFIX:
        from bellcrank.results import Result

        return Result.load(path)
    raise FileError(
        f"{path}: a file is loaded by its suffix, .yaml or .yml for a machine, .urdf for a "
        f"robot and .nc for a result; got {suffix or 'none'}."
    )


def _check_kind(path: object, suffix: str, kind: Any) -> None:
    """Raise where a file of this suffix is not what is asked for."""
    if kind is None:
        return
    from bellcrank.model import Model
    from bellcrank.results import Result

    if kind is not Model and kind is not Result:
        raise OptionError(
            f"load takes bc.Model or bc.Result as its second, got {reprlib.repr(kind)}."
        )
    known = {Result: (RESULT_SUFFIX,), Model: (*MACHINE_SUFFIXES, ROBOT_SUFFIX)}[kind]
    if suffix not in known:
        raise FileError(
            f"{path}: a {kind.__name__} is in a file named {' or '.join(known)}, got "
            f"{suffix or 'no suffix'}."
        )


def load_machine(
    path: str | os.PathLike[str], *, floating: bool = False, packages: "Folders" = ()
) -> "tuple[Model, dict[str, Any]]":
    """Return the machine of a YAML or URDF file, and the defaults it gives for a run.

    Args:
        path: The file.
        floating: As of `load`.
        packages: As of `load`.

    Returns:
        The model, and keyword arguments of `simulate` from the section of that name.

    Raises:
        FileError: With everything that is wrong, each with its line and place.
        OptionError: `floating` or `packages` for what is no URDF file.
    """
    path = path_of(path)
    if path.suffix.lower() == ROBOT_SUFFIX:
        from bellcrank.files.urdf import load_urdf

        return load_urdf(path, floating=floating, packages=packages, stacklevel=2), {}
    _refuse_for_robots(path, floating, packages)
    from bellcrank.files.machine import machine_from
    from bellcrank.files.text import read_yaml

    return machine_from(read_yaml(path), path.parent)


def _refuse_for_robots(path: object, floating: bool, packages: "Folders") -> None:
    """Raise where what is said of a robot is said of another machine."""
    some = packages is not None and not (isinstance(packages, list | tuple) and not packages)
    if floating is not False or some:
        raise OptionError(f"{path}: floating and packages are for URDF files.")


def save(model: "Model | Result", path: str | os.PathLike[str]) -> None:
    """Write a model as YAML, or a result as netCDF; `load` returns an equal one.

    Args:
        model: The machine, or the result of a run.
        path: A file name that ends in `.yaml` or `.yml`, for a result in `.nc`.

    Raises:
        FileError: It is neither, the name has another suffix, or the file cannot be written.

    Examples:
        >>> import bellcrank as bc
        >>> import tempfile, pathlib
        >>> from bellcrank import examples
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "machine.yaml"
        >>> bc.save(examples.load("four-bar"), file)
        >>> bc.load(file) == examples.load("four-bar")
        True
    """
    from bellcrank.files.machine import data_from
    from bellcrank.files.text import write_yaml
    from bellcrank.model import Model
    from bellcrank.replacement import replace_text
    from bellcrank.results import Result

    file = path_of(path)
    if isinstance(model, Result):
        model.save(file)
        return
    if not isinstance(model, Model):
        raise FileError(f"{file}: a Model or a Result is saved, got a {type(model).__name__}.")
    if file.suffix.lower() not in MACHINE_SUFFIXES:
        raise FileError(
            f"{file}: a machine is saved as .yaml or .yml, got {file.suffix or 'no suffix'}."
        )
    comment = f"{model.name}, a machine for bellcrank"
    replace_text(file, write_yaml(data_from(model, file.parent), comment, closed=True))


def schema_json() -> str:
    """Return the JSON Schema (draft 2020-12) of a machine file, as text."""
    return (Path(__file__).parent / "schema.json").read_text(encoding="utf-8")
