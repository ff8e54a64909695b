"""One cell of the matrix: a run, compared with the default one at rtol 1e-11."""

import warnings
from functools import cache
from typing import Any

import numpy as np
from tests.matrix.combinations import (
    FORMULATIONS,
    INTEGRATORS,
    MORE_FORMULATIONS,
    WAYS,
    Combination,
)
from tests.matrix.machines import Machine, machine

import bellcrank as bc
from bellcrank.errors import IntegrationFailed, NotSupported, OptionError, StartError

RECORDS = 5  # in a run: dense output is looked at as well
STEPS = 100  # of fixed length in a run
RTOL = 1e-9
CLOSE = 2e-6  # what a method that chooses its steps may be off by
ROUGH = 1e-7  # what one with steps of fixed length may be off by without its order being asked
SINGULAR = "a singular position"
QUANTITIES = ("position", "orientation", "velocity", "angular_velocity")

Values = dict[str, np.ndarray]


@cache
def _machine(name: str) -> Machine:
    return machine(name)


def _values(name: str, run: bc.Result) -> Values:
    """Return the motion of all bodies at the records, in the language all runs share."""
    found = {}
    for body in _machine(name).model.bodies:
        for quantity in QUANTITIES:
            full = f"{body.name}.{quantity}"
            if full in run.names or f"{full}_x" in run.names:
                found[full] = np.asarray(run.values(full))
    return found


@cache
def _reference(name: str, own: str) -> Values:
    """Return the default run at 1e-11, in a formulation of its own if one is named."""
    form = {"formulation": (FORMULATIONS | MORE_FORMULATIONS)[own]} if own else {}
    return _values(name, _run(name, rtol=1e-11, atol=1e-13, **form))


def _own(cell: Combination) -> str:
    """Return the formulation of a cell where machines move otherwise in it than in others.

    That is where momenta are zero, and where a point is driven: in the momentum form it is led
    by the joints, and no force from outside does it.
    """
    model = _machine(cell.machine).model
    led = {drive.of for drive in model.drivers} & {point.name for point in model.points}
    moved = ("momentum zero", "momentum") if led else ("momentum zero",)
    return cell.formulation if cell.formulation in moved else ""


def _run(name: str, **options: Any) -> bc.Result:
    model, span, settings = _machine(name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return bc.simulate(model, span, every=span / RECORDS, **settings, **options)


def difference(values: Values, exact: Values) -> float:
    """Return how far two motions are apart, against the size of each quantity and one."""
    worst = 0.0
    for name, right in exact.items():
        if name not in values:
            continue
        found, size = values[name], max(1.0, float(np.abs(right).max(initial=0.0)))
        if len(found) != len(right):
            return np.inf
        if name.endswith("orientation"):  # p and -p are one attitude
            found = found * np.sign((found * right).sum(axis=-1, keepdims=True))
        apart = np.abs(found - right).max(initial=0.0) / size
        worst = max(worst, apart) if apart == apart else np.inf
    return float(worst)


def verdict(cell: Combination) -> str:
    """Return what became of a cell: `right …`, `refused …`, `stopped …` or `wrong …`."""
    formulation = (FORMULATIONS | MORE_FORMULATIONS)[cell.formulation]
    step = _machine(cell.machine).span / STEPS

    def off(h: float) -> float:
        method = INTEGRATORS[cell.integrator](h)
        tolerance = {"rtol": RTOL, "atol": 1e-11} if method.adaptive else {}
        run = _run(
            cell.machine, formulation=formulation, integrator=method,
            constraints=WAYS[cell.way], **tolerance,
        )  # fmt: skip
        exact = _reference(cell.machine, _own(cell))
        return difference(_values(cell.machine, run), exact)

    try:
        method, error = INTEGRATORS[cell.integrator](step), off(step)
        if method.adaptive:
            return f"{'right' if error <= CLOSE else 'wrong: off by'} {error:.1e}"
        if error <= ROUGH:
            return f"right {error:.1e}"
        order = 0.0
        for halvings in (1, 2):  # where a partition changes within a step, errors are scattered
            finer = off(0.5**halvings * step)
            order = np.log2(error / finer) / halvings if finer > 0 else np.inf
            if order > method.order - 0.7 or finer <= ROUGH:
                return f"right {error:.1e}, order {order:.1f}"
        return f"wrong: off by {error:.1e}, order {order:.1f}"
    except (OptionError, NotSupported, StartError) as refusal:
        text = str(refusal).strip()
        return f"refused: {text}" if text else "wrong: refused without a reason"
    except IntegrationFailed as failure:
        known = SINGULAR in failure.reason
        return f"{'stopped' if known else 'wrong: failed'}: {failure.reason}"
    except Exception as fault:
        return f"wrong: {type(fault).__name__}: {fault}"
