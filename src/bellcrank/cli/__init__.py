"""The command line: a doorway over the public functions, with the same words.

Exit codes: 0 all went well; 1 the integration stopped early (what there is was saved); 2 bad
input; 70 a mistake of ours; 130 interrupted. An error is said in a line, without a traceback
unless `--debug` is given.
"""

import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from bellcrank.cli.exits import BAD_INPUT, FAILED, INTERRUPTED, OUR_MISTAKE, say
from bellcrank.cli.questions import (
    asked,
    drawn,
    matrices,
    steady_rates,
    sweep,
    write_matrices,
    write_sweep,
)
from bellcrank.cli.questions import names as listed
from bellcrank.cli.runs import (
    check_names,
    run_to_show,
    simulated,
    summarize,
    what_to_show,
    write,
)
from bellcrank.cli.timing import timings
from bellcrank.cli.words import (
    FORMULATIONS,
    INTEGRATORS,
    check_outputs,
    events,
    find_machine,
    formulation,
    given_by_name,
    integrator,
    interval,
    split,
)

MOST_STATES = 10_000_000  # that `bench` keeps in memory

app = typer.Typer(
    name="bellcrank",
    help="Multibody dynamics: from the drawing of a machine to its motion.",
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_debug = False


def _set_debug(value: bool) -> bool:
    global _debug
    _debug = _debug or value
    return value


def _print_version(value: bool) -> None:
    if value:
        from bellcrank import __version__

        typer.echo(f"bellcrank {__version__}")
        raise typer.Exit


Machine = Annotated[
    str, typer.Argument(metavar="MODEL", help="A YAML or URDF file, or the name of an example.")
]
Floating = Annotated[bool, typer.Option("--floating", help="URDF: the root link moves freely.")]
Packages = Annotated[
    list[Path] | None,
    typer.Option(metavar="FOLDER", help="URDF: where packages with meshes are; repeatable."),
]
Until = Annotated[float | None, typer.Option(help="Time to stop at [s].")]
Start = Annotated[
    list[str] | None,
    typer.Option(help='Start values: "A=0.3, B.angle_rate=2"; "D=~1" is near, not held.'),
]
Inputs = Annotated[list[str] | None, typer.Option(help='"tau=5*sin(2*pi*t)".')]
At = Annotated[
    list[str] | None, typer.Option("--at", help='The state: "A=0.3, B.angle_rate=2".')
]
Parameters = Annotated[list[str] | None, typer.Option(help='"m1=2, l=0.5".')]
Values = Annotated[list[str] | None, typer.Option("--inputs", help='"tau=5".')]
Formulated = Annotated[str, typer.Option("--formulation", help=", ".join(FORMULATIONS) + ".")]
Drawn = Annotated[Path | None, typer.Option(help="Draw as .png, .svg or .pdf.")]
Slack = Annotated[
    float | None,
    typer.Option(
        help="Rounding of the drawing, of its length and in radians, within which constraints "
        "count as repeating others; 1e-6 if not given."
    ),
]
Debug = Annotated[
    bool, typer.Option("--debug", callback=_set_debug, help="Show the traceback of an error.")
]


@app.callback()
def _bellcrank(
    debug: Debug = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, help="Show the version.")
    ] = False,
) -> None:
    """Multibody dynamics: from the drawing of a machine to its motion."""


def main() -> None:
    """Run the command line and exit with its code."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: What stands after `bellcrank` on the command line.

    Returns:
        0, 1, 2, 70 or 130 (see the top of this file).
    """
    from bellcrank.errors import BellcrankError

    global _debug
    _debug = False
    try:
        return app(arguments or ["--help"], prog_name="bellcrank", standalone_mode=False) or 0
    except (KeyboardInterrupt, typer.Abort):
        return say("interrupted.", INTERRUPTED)
    except Exception as error:
        if _debug:
            raise
        if isinstance(error, BellcrankError):
            return say(str(error), BAD_INPUT)
        if isinstance(error, OSError) and error.strerror:
            return say(f"{error.filename or 'a file'}: {error.strerror}.", BAD_INPUT)
        if hasattr(error, "format_message"):  # about the command line itself
            return say(error.format_message(), BAD_INPUT)  # pyright: ignore[reportAttributeAccessIssue]
        kind = type(error).__name__
        return say(f"{kind}: {error} (a mistake of ours; --debug shows where)", OUR_MISTAKE)


# --- commands -----------------------------------------------------------------------------


@app.command()
def simulate(
    model: Machine,
    until: Until = None,
    begin: Annotated[float | None, typer.Option(help="Time to begin at [s].")] = None,
    start: Start = None,
    parameters: Parameters = None,
    inputs: Inputs = None,
    integrator_name: Annotated[
        str, typer.Option("--integrator", help=", ".join(INTEGRATORS) + ".")
    ] = "auto",
    step: Annotated[
        float | None, typer.Option(help="Step of methods that take fixed ones [s].")
    ] = None,
    first_step: Annotated[float | None, typer.Option(help="First step [s].")] = None,
    max_step: Annotated[float | None, typer.Option(help="Longest step [s].")] = None,
    max_steps: Annotated[int | None, typer.Option(help="Most steps.")] = None,
    formulation_name: Annotated[
        str | None, typer.Option("--formulation", help=", ".join(FORMULATIONS) + ".")
    ] = None,
    constraints: Annotated[
        str | None,
        typer.Option(
            help="How they are held: project, independent, index2, index3, baumgarte."
        ),
    ] = None,
    event: Annotated[
        list[str] | None, typer.Option(help='What to list: "apex=tip.velocity_z".')
    ] = None,
    stop: Annotated[
        list[str] | None, typer.Option(help='Events that end the run: "floor=tip.position_z".')
    ] = None,
    rtol: Annotated[float | None, typer.Option(help="Relative tolerance.")] = None,
    atol: Annotated[float | None, typer.Option(help="Absolute tolerance.")] = None,
    every: Annotated[str | None, typer.Option(help="Record interval [s], or 'step'.")] = None,
    slack: Slack = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Save as .nc, .csv or .html.")
    ] = None,
    plot: Drawn = None,
    names: Annotated[str | None, typer.Option(help='What to draw: "*.angle, energy".')] = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> int:
    """Simulate a machine and print a summary."""
    from bellcrank.errors import OptionError

    check_outputs(output, plot)
    machine, settings = find_machine(model, floating, packages)
    given = {
        "until": until,
        "begin": begin,
        "rtol": rtol,
        "atol": atol,
        "every": interval(every),
        "slack": slack,
        "constraints": constraints,
        "events": events(event or [], stop or []) or None,
    }
    settings |= {key: value for key, value in given.items() if value is not None}
    settings |= given_by_name(settings, start, parameters, inputs)
    limits = {"first_step": first_step, "max_step": max_step, "max_steps": max_steps}
    settings["integrator"] = integrator(integrator_name, step, **limits)
    if formulation_name is not None:
        settings["formulation"] = formulation(formulation_name)
    if "until" not in settings:
        raise OptionError("how long? Give the time to stop at with --until.")
    shown = [name.strip() for name in split(names or "") if name.strip()]
    check_names(machine, shown)
    begun = time.perf_counter()
    result, code = simulated(machine, settings)
    summarize(machine, result, time.perf_counter() - begun)
    if output is not None:
        write(result, output)
        typer.echo(f"saved     {output}")
    if plot is not None:
        result.plot(*shown).savefig(plot, dpi=150)
        typer.echo(f"drawn     {plot}")
    return code


@app.command()
def report(
    model: Machine,
    names: Annotated[
        bool, typer.Option("--names", help="List the names of everything recorded.")
    ] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a page, .html, as well.")
    ] = None,
    slack: Slack = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """Describe a machine: bodies, joints, tree, degrees of freedom."""
    machine, settings = find_machine(model, floating, packages)
    if names:
        from bellcrank.model.names import channels
        from bellcrank.units import QUANTITIES

        width = max(len(c.name) for c in channels(machine))
        for channel in channels(machine):
            quantity = QUANTITIES[channel.quantity]
            typer.echo(f"{channel.name:{width}}  {quantity.long_name} [{quantity.unit}]")
        return
    from bellcrank.views.report import report as describe

    given = {} if slack is None else {"slack": slack}
    asked = {key: settings[key] for key in ("slack",) if key in settings} | given
    typer.echo(str(describe(machine, output, **asked)))


@app.command()
def verify(
    model: Machine,
    until: Annotated[
        float, typer.Option("--until", help="End of the reference run [s].")
    ] = 1.0,
    tolerance: Annotated[
        float, typer.Option("--tolerance", help="Relative differences that count as equal.")
    ] = 1e-8,
    states: Annotated[int, typer.Option("--states", help="States to compare.")] = 21,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="A page (.html) or data (.json).")
    ] = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> int:
    """Put a machine through every formulation and say whether they agree."""
    from rich.console import Console

    from bellcrank.analysis.verify import verify as check
    from bellcrank.views.verification import tables

    machine, defaults = find_machine(model, floating, packages)
    asked = {key: defaults[key] for key in ("start", "parameters", "inputs") if key in defaults}
    found = check(machine, until, states=states, tolerance=tolerance, **asked)
    console = Console(highlight=False)
    for part in tables(found.to_dict()):
        console.print(part)
    if output is not None:
        typer.echo(f"written: {found.save(output)}")
    return 0 if found.agrees else FAILED


@app.command()
def equilibrium(
    model: Machine,
    near: Annotated[
        list[str] | None, typer.Option(help='Where to look: "A=0.3"; not held.')
    ] = None,
    rates: Annotated[
        list[str] | None,
        typer.Option(help='Steady rates: "spin.angle_rate=100"; "=?" for one that is sought.'),
    ] = None,
    hold: Annotated[str | None, typer.Option(help="Coordinates that stay.")] = None,
    starts: Annotated[
        int | None, typer.Option("--all", help="Look from so many places, list all found.")
    ] = None,
    parameters: Parameters = None,
    inputs: Values = None,
    formulation_name: Formulated = "joint",
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """Find where a machine rests or moves steadily, and say whether that is stable."""
    from bellcrank.analysis.equilibrium import equilibrium as find

    machine, start, known, given = asked(model, floating, packages, near, parameters, inputs)
    options = {
        "rates": steady_rates(rates), "hold": listed(hold), "parameters": known,
        "inputs": given, "formulation": formulation(formulation_name),
    }  # fmt: skip
    found = find(machine, start, all=starts, **options)
    for one in found if isinstance(found, list) else [found]:
        typer.echo(repr(one))


@app.command()
def linearize(
    model: Machine,
    at: At = None,
    outputs: Annotated[str | None, typer.Option(help='Of y: "tip.position, A.angle".')] = None,
    coordinates: Annotated[str | None, typer.Option(help="Independent coordinates.")] = None,
    parameters: Parameters = None,
    formulation_name: Formulated = "joint",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save as .npz.")] = None,
    plot: Drawn = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """Print the linear equations of a machine near a state."""
    from bellcrank.analysis.linearize import linearize as find

    machine, start, known, _ = asked(model, floating, packages, at, parameters)
    found = find(
        machine, start, outputs=listed(outputs), coordinates=listed(coordinates),
        parameters=known, formulation=formulation(formulation_name),
    )  # fmt: skip
    typer.echo(repr(found))
    matrices(found)
    if output is not None:
        write_matrices(found, output)
    drawn(found, plot)


@app.command()
def modes(
    model: Machine,
    at: At = None,
    over: Annotated[
        str | None, typer.Option(help='Root locus: "P=0.5:3:26", first, last, how many.')
    ] = None,
    undamped: Annotated[bool, typer.Option("--undamped", help="Without damping.")] = False,
    number: Annotated[int, typer.Option("--mode", help="Which one is written.")] = 1,
    parameters: Parameters = None,
    formulation_name: Formulated = "joint",
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write a mode as a page, .html.")
    ] = None,
    plot: Drawn = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """List frequencies, damping and shapes; over a parameter, its root locus."""
    from bellcrank.analysis.modes import modes as find

    machine, start, known, _ = asked(model, floating, packages, at, parameters)
    found = find(
        machine, start if at else None, over=None if over is None else dict([sweep(over)]),
        undamped=undamped, parameters=known, formulation=formulation(formulation_name),
    )  # fmt: skip
    typer.echo(repr(found))
    if output is not None:
        found.animate(number, output)
        typer.echo(f"written   {output}")
    drawn(found, plot)


@app.command()
def kinematics(
    model: Machine,
    over: Annotated[
        str, typer.Option(help='What leads: "A=0:6.28:100", first, last, how many.')
    ],
    near: Annotated[
        list[str] | None, typer.Option(help='Where to begin: "D=~1" chooses the branch.')
    ] = None,
    names: Annotated[str | None, typer.Option(help='"tip.position, D.angle".')] = None,
    parameters: Parameters = None,
    formulation_name: Formulated = "joint",
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Save as .csv.")] = None,
    plot: Drawn = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """Lead a linkage through positions: where it goes, its dead centres and limits."""
    from bellcrank.analysis.kinematics import kinematics as find

    machine, start, known, _ = asked(model, floating, packages, near, parameters)
    found = find(
        machine, dict([sweep(over)]), near=start if near else None, parameters=known,
        formulation=formulation(formulation_name),
    )  # fmt: skip
    typer.echo(repr(found))
    if output is not None:
        write_sweep(found, listed(names), output)
    drawn(found, plot, *listed(names))


@app.command()
def derive(
    model: Machine,
    output: Annotated[
        Path, typer.Option("-o", "--output", help="File to write: .html, .tex, .md or .pdf.")
    ],
    numbers: Annotated[
        str, typer.Option(help="'letters', or 'values' for numbers in their place.")
    ] = "letters",
    scalars: Annotated[
        bool | None,
        typer.Option(help="Write out the scalar equations; if not said, of small machines."),
    ] = None,
    formulation_name: Formulated = "kane",
    speeds: Annotated[
        str | None,
        typer.Option(
            help="Of kane: 'absolute body', 'relative fixed', …, or '123' for angles. Of "
            "joint: 'u1=A.angle_rate, u2=A.angle_rate + B.angle_rate'."
        ),
    ] = None,
    independent: Annotated[
        str | None,
        typer.Option(help="Of kane: independent speeds by name, with commas between them."),
    ] = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """Write the worksheet of a machine: its equations by any method, block by block."""
    from bellcrank.worksheets import derive as worksheet

    machine, _ = find_machine(model, floating, packages)
    method = formulation(formulation_name, speeds)
    names = None if independent is None else [each.strip() for each in independent.split(",")]
    worksheet(
        machine,
        numbers,  # type: ignore[arg-type]
        output,
        scalars,
        formulation=method,
        independent=names,
    )
    typer.echo(f"written   {output}")


@app.command()
def view(
    shown: Annotated[
        str,
        typer.Argument(
            metavar="MODEL|RESULT", help="A YAML, URDF or .nc file, or the name of an example."
        ),
    ],
    until: Until = None,
    start: Start = None,
    parameters: Parameters = None,
    inputs: Inputs = None,
    port: Annotated[int, typer.Option(help="Port to try first; on 127.0.0.1 only.")] = 8080,
    dark: Annotated[bool, typer.Option("--dark", help="Dark at first.")] = False,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write one .html file instead.")
    ] = None,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> int:
    """Show a machine or a run in the browser; sliders run it again while they move."""
    from bellcrank.viewing import view as show

    machine, settings = what_to_show(shown, floating, packages)
    settings |= given_by_name(settings, start, parameters, inputs)
    settings |= {} if until is None else {"until": until}
    settings = {key: value for key, value in settings.items() if value not in ({}, None)}
    if output is None:
        show(machine, port=port, dark=dark, say=typer.echo, **settings)
        return 0
    result, code = run_to_show(machine, settings)
    result.animate(output)
    typer.echo(f"written   {output}")
    return code


@app.command()
def examples(
    name: Annotated[str | None, typer.Argument(help="An example, to print its file.")] = None,
    debug: Debug = False,
) -> None:
    """List the shipped examples, or print the file of one."""
    from bellcrank import examples as shipped

    if name is not None:
        typer.echo(shipped.path(name).read_text(encoding="utf-8"), nl=False)
        return
    width = max(map(len, shipped.names()))
    for known in shipped.names():
        typer.echo(f"{known:{width}}  {shipped.title(known)}")


@app.command()
def doctor(debug: Debug = False) -> None:
    """Say what there is: versions, processor, cache, extras, and how to get what is missing."""
    from bellcrank.cli.doctor import findings

    for line in findings():
        typer.echo(line)


@app.command()
def cache(
    action: Annotated[str, typer.Argument(metavar="warm|size|clear", help="What to do.")],
    models: Annotated[
        list[str] | None, typer.Argument(metavar="MODEL", help="warm: machines to compile.")
    ] = None,
    debug: Debug = False,
) -> None:
    """Compile ahead, measure or empty the folder of compiled code."""
    from bellcrank.cli.caching import act

    for line in act(action, models or []):
        typer.echo(line)


@app.command()
def bench(
    model: Machine,
    states: Annotated[
        int, typer.Option(help="Random states to cycle through.", min=1, max=MOST_STATES)
    ] = 4096,
    floating: Floating = False,
    packages: Packages = None,
    debug: Debug = False,
) -> None:
    """Time the compiled equations of a machine, per evaluation on one core."""
    machine, _ = find_machine(model, floating, packages)
    for line in timings(machine, states):
        typer.echo(line)
