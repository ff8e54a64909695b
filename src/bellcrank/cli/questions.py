"""Questions about a machine on the command line: what is given, asked, printed and written."""

from pathlib import Path
from typing import Any

import typer

from bellcrank.cli.words import assignments, find_machine, given_by_name, split, values


def asked(
    model: str,
    floating: bool,
    packages: list[Path] | None,
    start: list[str] | None,
    parameters: list[str] | None,
    inputs: list[str] | None = None,
) -> tuple[Any, dict[str, Any], dict[str, float], dict[str, float]]:
    """Return a machine, start values, parameters and inputs; those of its file are defaults."""
    machine, settings = find_machine(model, floating, packages)
    given = given_by_name(settings, start, parameters, [])
    wanted = values(inputs or [], "--inputs")
    return machine, given["start"], given["parameters"], wanted


def names(text: str | None) -> list[str]:
    """Return the names of an option, between commas."""
    return [name.strip() for name in split(text or "") if name.strip()]


def steady_rates(texts: list[str] | None) -> dict[str, float | None]:
    """Return steady rates by name; `name=?` is sought."""
    given = assignments(texts or [], "--rates")
    known = values([f"{n}={v}" for n, v in given.items() if v != "?"], "--rates")
    return {name: known.get(name) for name in given}


def sweep(text: str) -> tuple[str, Any]:
    """Return a name and its values from `name=first:last:count`.

    Raises:
        OptionError: It is not of that form.
    """
    import numpy as np

    from bellcrank.errors import OptionError

    ((name, given),) = assignments([text], "--over").items() or (("", ""),)
    parts = given.split(":")
    try:
        first, last, count = float(parts[0]), float(parts[1]), int(parts[2])
    except (ValueError, IndexError):
        raise OptionError(f"--over takes name=first:last:count, got {text!r}.") from None
    if count < 2:
        raise OptionError(f"--over takes two or more values, got {count}.")
    return name, np.linspace(first, last, count)


def drawn(found: Any, plot: Path | None, *shown: Any) -> None:
    """Draw what was found into a file, if one is given."""
    if plot is not None:
        found.plot(*shown).savefig(plot, dpi=150)
        typer.echo(f"drawn     {plot}")


def matrices(linear: Any) -> None:
    """Print the matrices of a linearization."""
    import numpy as np

    for letter in "ABCD":
        matrix = linear.matrix(letter)
        if matrix.size:
            typer.echo(f"{letter} =")
            typer.echo(
                np.array2string(matrix, precision=9, suppress_small=True, max_line_width=160)
            )


def write_matrices(linear: Any, path: Path) -> None:
    """Write the matrices with the names of states, inputs and outputs.

    Raises:
        OptionError: The file is not named like `x.npz`.
    """
    import numpy as np

    from bellcrank.errors import OptionError

    if path.suffix != ".npz":
        raise OptionError(f"matrices are written as .npz, got {path}.")
    found: dict[str, Any] = {letter: linear.matrix(letter) for letter in "ABCD"}
    for key in ("states", "inputs", "outputs"):
        found[key] = np.array(list(getattr(linear, key)))
    np.savez(path, **found)
    typer.echo(f"saved     {path}")


def write_sweep(found: Any, wanted: list[str], path: Path) -> None:
    """Write a sweep as a table with one row for each position.

    Raises:
        OptionError: The file is not named like `x.csv`.
    """
    import numpy as np

    from bellcrank.errors import OptionError
    from bellcrank.model.names import components

    if path.suffix != ".csv":
        raise OptionError(f"a sweep is written as .csv, got {path}.")
    columns, heads = [found.values], [found.name]
    for name in wanted or found.names:
        array = found.plain(name)
        array = array[:, None] if array.ndim == 1 else array
        columns += list(array.T)
        heads += components(name, array.shape[1])
    table = np.column_stack(columns)
    np.savetxt(path, table, delimiter=",", header=",".join(heads), comments="")
    typer.echo(f"saved     {path}")
