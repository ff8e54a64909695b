"""Runs on the command line: made, summarized in a few lines, and shown."""

import fnmatch
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bellcrank.cli.exits import FAILED, INTERRUPTED, say
from bellcrank.cli.words import find_machine

if TYPE_CHECKING:
    from bellcrank.model import Model
    from bellcrank.results import Result

SHOWN = 8  # coordinates in the summary of a run


def simulated(machine: "Model", settings: dict[str, Any]) -> "tuple[Result, int]":
    """Return what there is of a run, and the exit code."""
    import bellcrank as bc
    from bellcrank.errors import IntegrationFailed

    try:
        result = bc.simulate(machine, **settings)
    except IntegrationFailed as error:
        say(f"stopped at t = {error.time:.9g} s: {error.reason}", FAILED)
        return error.run, FAILED
    if result.status == "interrupted":
        say("interrupted; what follows is the run up to there.", INTERRUPTED)
        return result, INTERRUPTED
    return result, 0


def check_names(machine: "Model", names: list[str]) -> None:
    """Complain before a run about names to be drawn that it will not have."""
    from bellcrank.errors import OptionError, unknown_name
    from bellcrank.model.names import channels, components

    known = [n for c in channels(machine) for n in {c.name, *components(c.name, c.size)}]
    known += [i.name for i in machine.inputs]
    lost = [name for name in names if name not in known and not fnmatch.filter(known, name)]
    complaints = [unknown_name("quantity", name, known) for name in lost]
    if complaints:
        raise OptionError(" ".join(complaints))


def summarize(machine: "Model", result: "Result", seconds: float) -> None:
    """Print what came of a run that took so many seconds."""
    import numpy as np

    from bellcrank.results.words import line

    t = np.asarray(result.t)
    energy = np.asarray(result.values("energy"))
    statistics = result.statistics
    typer.echo(f"machine   {machine.name}")
    typer.echo(f"time      {t[0]:g} … {t[-1]:g} s, {len(t)} points recorded")
    typer.echo(
        f"steps     {statistics['steps']} ({statistics['rejected']} rejected), "
        f"integration {statistics['seconds']:.3g} s, total {seconds:.3g} s"
    )
    typer.echo(f"energy    {energy[0]:.9g} → {energy[-1]:.9g} J")
    if result.judged:
        typer.echo(f"audit     {line(result.judged)}")
    for happened in result.events[:SHOWN]:
        typer.echo(f"event     {happened.name} at {happened.time:.9g} s")
    if len(result.events) > SHOWN:
        typer.echo(f"          and {len(result.events) - SHOWN} more events")
    names = [f"{joint.name}.{c}" for joint in machine.joints for c in joint.coordinates]
    for name in names[:SHOWN]:
        value = np.atleast_1d(result.values(name)[-1])
        typer.echo(f"at end    {name} = {' '.join(f'{v:.9g}' for v in value)}")
    if len(names) > SHOWN:
        typer.echo(f"          and {len(names) - SHOWN} more coordinates")


def write(result: "Result", path: Path) -> None:
    """Write a result as what its suffix says: everything, a table, or a page that plays."""
    if path.suffix == ".html":
        result.animate(path)
    else:
        result.save(path)


def what_to_show(
    name: str, floating: bool, packages: list[Path] | None
) -> "tuple[Model | Result, dict[str, Any]]":
    """Return a machine with the defaults its file gives, or a result."""
    from bellcrank import files
    from bellcrank.errors import OptionError
    from bellcrank.results import Result

    if Path(name).suffix != files.RESULT_SUFFIX:
        return find_machine(name, floating, packages)
    if floating or packages:
        raise OptionError(f"{name} is a result; --floating and --packages are for URDF files.")
    return Result.load(name), {}


def run_to_show(thing: "Model | Result", settings: dict[str, Any]) -> "tuple[Result, int]":
    """Return the run to be written as a page, and the exit code."""
    from bellcrank.errors import OptionError
    from bellcrank.results import Result

    if not isinstance(thing, Result):
        return simulated(thing, {"until": 10.0} | settings)
    if settings:
        raise OptionError(
            f"a result is shown as it is; --{next(iter(settings))} is for a model."
        )
    return thing, 0
