"""What stands on the command line: names of machines, pairs, numbers, integrators, files."""

import warnings
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from bellcrank import HOMES

if TYPE_CHECKING:
    from bellcrank.model import Model

METHODS = "bellcrank.integrators.methods"
INTEGRATORS = tuple(name.lower() for name, home in HOMES.items() if home == METHODS)
"""Known by the list of public names: whoever asks for help does not wait for an import."""
FORMULATIONS = {
    "joint": "JointCoordinates", "kane": "Kane", "cartesian": "Cartesian", "natural": "Natural",
    "momentum": "Momentum",
}  # fmt: skip
"""What formulations are called on the command line, and in Python."""
OUTPUTS, PLOTS = (".nc", ".csv", ".html"), (".png", ".svg", ".pdf")


def find_machine(
    name: str, floating: bool = False, packages: list[Path] | None = None
) -> "tuple[Model, dict[str, Any]]":
    """Return a machine and the defaults its file gives for `simulate`.

    Args:
        name: A YAML or URDF file, or the name of a shipped example.
        floating: URDF: whether the root link moves freely.
        packages: URDF: folders where `package://` paths are looked for.

    Returns:
        The model, and keyword arguments of `simulate`.
    """
    from bellcrank import examples, files
    from bellcrank.errors import FileError, FileWarning, OptionError, did_you_mean

    if Path(name).suffix == files.RESULT_SUFFIX:
        raise FileError(f"{name} is the result of a run; a machine is a YAML or URDF file.")
    suffixes = (*files.MACHINE_SUFFIXES, files.ROBOT_SUFFIX)
    if Path(name).suffix in suffixes or Path(name).exists():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always", FileWarning)
            found = files.load_machine(name, floating=floating, packages=packages or ())
        for remark in told:
            typer.echo(f"bellcrank: {remark.message}", err=True)
        return found
    if name not in examples.names():
        raise FileError(
            f"no file and no example named {name!r}.{did_you_mean(name, examples.names())} "
            f"The examples are: {', '.join(examples.names())}."
        )
    if floating or packages:
        raise OptionError(
            f"{name} is an example; --floating and --packages are for URDF files."
        )
    return examples.load(name), examples.settings(name)


def assignments(texts: list[str], option: str) -> dict[str, str]:
    """Return the `name=value` pairs of an option, given once or several times.

    Args:
        texts: What was given, each text one or more pairs joined by commas.
        option: The name of the option, for messages.

    Returns:
        The values, still as text.

    Examples:
        >>> assignments(["A=0.3, B.orientation=[1, 0, 0, 0]", "C=pi/2"], "--start")
        {'A': '0.3', 'B.orientation': '[1, 0, 0, 0]', 'C': 'pi/2'}
    """
    from bellcrank.errors import OptionError

    pairs: dict[str, str] = {}
    for part in (p for text in texts for p in split(text) if p.strip()):
        name, equals, value = (x.strip() for x in part.partition("="))
        if not (name and equals and value):
            raise OptionError(f"{option} takes name=value, got {part.strip()!r}.")
        if name in pairs:
            raise OptionError(f"{option} gives {name!r} twice.")
        pairs[name] = value
    return pairs


def split(text: str) -> list[str]:
    """Return the parts of a text between commas that stand in no brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _value(text: str, option: str, name: str) -> float | tuple[float, ...]:
    """Return a number, or for `[1, 0, pi/2]` a tuple of numbers."""
    from bellcrank.errors import ExpressionError, OptionError
    from bellcrank.model.expressions import number

    if text.startswith("[") and text.endswith("]"):
        return tuple(_value(part, option, name) for part in split(text[1:-1]))  # type: ignore[misc]
    try:
        value = number(text)
    except ExpressionError as error:
        raise OptionError(f"{option} {name}: {error}") from None
    if not isinstance(value, float):
        raise OptionError(f"{option} {name} takes a number, got {text!r}.")
    return value


def values(texts: list[str], option: str) -> dict[str, Any]:
    """Return the `name=value` pairs of an option, with numbers as values."""
    return {name: _value(v, option, name) for name, v in assignments(texts, option).items()}


def _start(texts: list[str]) -> dict[str, Any]:
    """Return start values by name; one that begins with `~` is near, and not held."""
    from bellcrank.model.elements.near import Near

    given = assignments(texts, "--start")
    near = {name for name, value in given.items() if value.startswith("~")}
    found = {name: _value(v.removeprefix("~"), "--start", name) for name, v in given.items()}
    return {name: Near(v) if name in near else v for name, v in found.items()}


def given_by_name(
    defaults: dict[str, Any],
    start: list[str] | None,
    parameters: list[str] | None,
    inputs: list[str] | None,
) -> dict[str, Any]:
    """Return start, parameters and inputs: the defaults, with what was given in their place."""
    return {
        "start": defaults.get("start", {}) | _start(start or []),
        "parameters": defaults.get("parameters", {}) | values(parameters or [], "--parameters"),
        "inputs": defaults.get("inputs", {}) | assignments(inputs or [], "--inputs"),
    }


def formulation(name: str, speeds: str | None = None) -> Any:
    """Return a formulation by its name on the command line.

    Args:
        name: One of `FORMULATIONS`, or its class as in Python; large or small letters.
        speeds: Of Kane's equations: components, or the sequence of angles whose rates are
            speeds, `relative 123` where these are counted from the lower body. Of joint
            coordinates: expressions of joint rates, `u1=A.angle_rate, u2=B.angle_rate`.

    Raises:
        OptionError: There is no such formulation, or it has no choice of speeds.
    """
    import bellcrank as bc
    from bellcrank.errors import OptionError, unknown_name

    kinds = {kind.lower(): short for short, kind in FORMULATIONS.items()}
    given, name = name, kinds.get(name.lower(), name.lower())
    if name not in FORMULATIONS:
        raise OptionError(unknown_name("formulation", given, FORMULATIONS))
    if speeds is None:
        return getattr(bc, FORMULATIONS[name])()
    if name == "joint":
        return bc.JointCoordinates(speeds=assignments([speeds], "--speeds"))
    if name != "kane":
        raise OptionError(f"--speeds is a choice of kane and joint; {name} has its own.")
    sequence = speeds.removeprefix("relative ").replace("-", "")
    if sequence.isdigit():
        return bc.Kane(bc.AngleRates(sequence, relative=speeds.startswith("relative")))
    return bc.Kane(speeds)


def events(passed: list[str], stops: list[str]) -> list[Any]:
    """Return events from `name=expression` pairs: those passed, and those a run ends at."""
    from bellcrank.model import Event

    found = [Event(n, when) for n, when in assignments(passed, "--event").items()]
    ends = assignments(stops, "--stop").items()
    return found + [Event(n, when, terminal=True) for n, when in ends]


def integrator(name: str, step: float | None, **limits: float | int | None) -> Any:
    """Return an integrator by its name on the command line.

    Args:
        name: One of `INTEGRATORS`.
        step: Step of a fixed-step method [s].
        limits: `first_step`, `max_step` [s] and `max_steps`, where they are given.

    Returns:
        The integrator.
    """
    from bellcrank.errors import OptionError, unknown_name
    from bellcrank.integrators.methods import METHODS

    key = name.lower().replace("-", "")
    if key not in INTEGRATORS:
        raise OptionError(unknown_name("integrator", name, INTEGRATORS))
    kinds: dict[str, Any] = {kind.__name__.lower(): kind for kind in METHODS}
    given = {limit: value for limit, value in limits.items() if value is not None}
    known = [field.name for field in fields(kinds[key])]
    if lost := [limit for limit in given if limit not in known]:
        option = lost[0].replace("_", "-")
        raise OptionError(f"--{option} is not for {key}, which takes {', '.join(known)}.")
    if kinds[key].adaptive:
        if step is not None:
            *first, last = [each for each, kind in kinds.items() if not kind.adaptive]
            listed = f"{', '.join(first)} and {last}"
            raise OptionError(f"--step is for {listed}; {key} chooses its own.")
        return kinds[key](**given)
    if step is None:
        raise OptionError(f"--integrator {key} takes fixed steps; give one with --step.")
    return kinds[key](step=step, **given)


def interval(text: str | None) -> float | str | None:
    """Return the interval of records that `--every` says."""
    if text is None or text == "step":
        return text
    value = _value(text, "--every", "")
    if not isinstance(value, float) or not value > 0:
        from bellcrank.errors import OptionError

        raise OptionError(
            f"--every takes a positive number of seconds or 'step', got {text!r}."
        )
    return value


def check_outputs(output: Path | None, plot: Path | None) -> None:
    """Complain before a long run, rather than after it, about files that cannot be written."""
    from bellcrank.errors import OptionError

    if output is not None and output.suffix not in OUTPUTS:
        raise OptionError(
            f"-o writes .nc (everything), .csv (a table) or .html (a page that plays), got "
            f"{str(output)!r}."
        )
    if plot is not None and plot.suffix not in PLOTS:
        raise OptionError(f"--plot writes .png, .svg or .pdf, got {str(plot)!r}.")
    for file in (output, plot):
        if file is not None and not file.parent.is_dir():
            raise OptionError(f"no folder {str(file.parent)!r} to write {file.name} into.")
