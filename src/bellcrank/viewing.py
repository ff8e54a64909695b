"""`view`: a machine or a run in the browser, to be turned, played and run again."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import bellcrank as bc
from bellcrank.constraints.assembly.freedom import freedom
from bellcrank.errors import IntegrationFailed, MissingExtra, ModelError
from bellcrank.integrators.methods import METHODS
from bellcrank.machine.start import split_near
from bellcrank.model import Model
from bellcrank.model.elements.fields import short
from bellcrank.results import Result
from bellcrank.simulate import compile, simulate
from bellcrank.views.controls import (
    MOST,
    Controls,
    Rerun,
    Slider,
    parameter_slider,
    start_sliders,
)
from bellcrank.views.drawing import draw, machine_size
from bellcrank.views.scene import Numbers

if TYPE_CHECKING:
    from bellcrank.views.viewer import Viewer

FORMULATIONS = ("JointCoordinates", "Kane", "Cartesian", "Natural", "Momentum")
INTEGRATORS = {kind.__name__: kind for kind in METHODS}
STEPS = 10_000  # of a fixed-step method chosen in a viewer


def view(
    machine: Model | Result,
    *,
    until: float | None = None,
    start: Mapping[str, Any] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None,
    port: int = 8080,
    dark: bool = False,
    block: bool = True,
    say: Callable[[str], None] = print,
    **options: Any,
) -> "Viewer":
    """Show a machine or a run in the browser; sliders run it again while they are moved.

    Args:
        machine: A model, which is run first, or the result of a run.
        until: The end of the run [s]; 10 s for a model, that of a result.
        start: Coordinates and rates by name, as for `simulate`.
        parameters: Values by name over the model's own.
        inputs: For each input of the model what drives it, as for `simulate`. Of a result, the
            inputs it recorded are the default.
        port: The port to try first; the server is on 127.0.0.1 only.
        dark: Whether it is dark at first.
        block: Whether to wait until Ctrl-C. If not, call `close()` on what is returned.
        say: What is done with a line for the user.
        options: Further options of `simulate`, kept when it is run again.

    Returns:
        The viewer; with `block` it is closed already.

    Raises:
        MissingExtra: viser is not installed.
        ModelError: It is neither a model nor a result.

    Examples:
        >>> import bellcrank as bc
        >>> from bellcrank import examples
        >>> viewer = bc.view(examples.load("double-pendulum"), until=0.1, block=False,
        ...     say=lambda line: None)  # without block=False it waits for Ctrl-C
        >>> viewer.close()
    """
    try:
        from bellcrank.views.viewer import Viewer
    except ImportError as error:
        raise MissingExtra("viser", "view", "The viewer") from error
    given = {"until": until, "start": start, "parameters": parameters, "inputs": inputs}
    given = {key: value for key, value in given.items() if value is not None} | options
    model, run, asked = _run_of(machine, given, say)
    controls = _controls(model, run, asked | {"progress": False})
    viewer = Viewer(
        run, lambda values: draw(model, values), controls, port=port, dark=dark, say=say
    )
    try:
        say(f"{model.name}: {viewer.url}")
        if block:
            say("Ctrl-C ends it.")
            viewer.wait()
    except KeyboardInterrupt:
        viewer.close()
    return viewer


def _run_of(
    machine: Model | Result, given: dict[str, Any], say: Callable[[str], None]
) -> tuple[Model, Result, dict[str, Any]]:
    """Return the machine, its run, and the options of `simulate` that give it again."""
    if isinstance(machine, Model):
        model, asked = machine, {"until": 10.0, **given}
    elif isinstance(machine, Result):
        model, asked = machine.model, _asked_of(machine) | given
        if not given:
            return model, machine, asked
    else:
        raise ModelError(f"a Model or a Result is viewed, got {short(machine)}.")
    try:
        run = simulate(model, **asked)
    except IntegrationFailed as error:
        if len(error.run.t) < 2:
            raise
        say(f"stopped at t = {error.time:.9g} s: {error.reason}")
        run = error.run
    return model, run, asked


def _asked_of(run: Result) -> dict[str, Any]:
    """Return the options of `simulate` that run a machine again as a result was run."""
    asked: dict[str, Any] = {"begin": float(run.t[0]), "until": float(run.t[-1])}
    asked["start"] = {name: run.values(name)[0] for name in run.states}
    asked["parameters"] = run.provenance.get("parameters", {})
    if run.inputs:
        asked["inputs"] = {name: (run.t, run.values(name)) for name in run.inputs}
    kept = {key: run.provenance[key] for key in ("rtol", "atol") if key in run.provenance}
    return asked | kept


def _controls(model: Model, run: Result, settings: dict[str, Any]) -> Controls:
    """Return what can be turned in the view of a machine."""
    start = dict(settings.pop("start", None) or {})
    values = {p.name: p.value for p in model.parameters} | (
        settings.pop("parameters", {}) or {}
    )
    size = machine_size(Numbers(model, values))
    known = set(dir(bc))
    formulation = str(run.provenance.get("formulation", "")).partition("(")[0]
    integrator = str(run.provenance.get("integrator", "")).partition("(")[0]
    return Controls(
        choose=lambda *names: _rerun(model, settings, *names),
        parameters=tuple(parameter_slider(*item) for item in list(values.items())[:MOST]),
        start=tuple(_start_sliders(model, run, start, size))[:MOST],
        held=start,
        loops=bool(model.graph.loops or model.constraints or model.drivers),
        formulations=_led(formulation, [name for name in FORMULATIONS if name in known]),
        integrators=_led(integrator, list(INTEGRATORS)),
    )


def _led(first: str, names: list[str]) -> tuple[str, ...]:
    """Return the names with one of them first, if it is there."""
    return tuple(sorted(names, key=lambda name: name != first))


def _start_sliders(
    model: Model, run: Result, start: Mapping[str, Any], size: float
) -> list[Slider]:
    """Return sliders for as many coordinates and rates as the machine has freedoms.

    Those that were given come first; the others follow from them.
    """
    system = compile(model, bc.JointCoordinates())
    q = np.array(system.placed({})[0])
    states = [name for name in run.states if name in system.state_names]
    if len(states) == len(system.state_names):
        q = system.placed({name: run.values(name)[0] for name in states})[0]
    degrees = freedom(system, q, system.parameter_vector(), float(run.t[0])).degrees
    held = split_near(start)[0] or {}
    given = [n for n in states if n in held or n.rpartition(".")[0] in held]
    found: list[Slider] = []
    for vector in "qus":
        own = [n for n in states if system.places[n][0] == vector]
        own.sort(key=lambda name: name not in given)
        count = 0
        for name in own:
            count += system.places[name][2]
            if vector != "s" and count > degrees and system.equations.rows:
                break
            found += start_sliders(run, name, size)
    return found


def _rerun(model: Model, settings: dict[str, Any], formulation: str, integrator: str) -> Rerun:
    """Return the function that runs a machine again.

    What was chosen with knobs of its own keeps them; a fixed step is a part of the run.
    """
    chosen = dict(settings)
    until, span = chosen.pop("until"), settings["until"] - (settings.get("begin") or 0.0)
    fixed = [name for name, kind in INTEGRATORS.items() if not kind.adaptive]
    for key, name in (("formulation", formulation), ("integrator", integrator)):
        if name and type(chosen.get(key)).__name__ != name:
            knobs = {"step": span / STEPS} if name in fixed else {}
            chosen[key] = getattr(bc, name)(**knobs)
    if integrator in fixed:
        chosen = {key: value for key, value in chosen.items() if key not in ("rtol", "atol")}

    def rerun(parameters: Mapping[str, float], start: Mapping[str, Any]) -> Result:
        return simulate(model, until, parameters=parameters, start=start, **chosen)

    return rerun
