"""Which law ceased to be defined where a run stopped as not finite.

A root, a logarithm, an arc sine and a quotient are defined while some part of them is positive:

    √a, aᵇ    a            log a    a            asin a, acos a    1 − a²            a/b    b²

Of all such parts of all laws, followed along the records, the one is named that is used up at
the last record, or would be within the next step.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from bellcrank.errors import BellcrankError
from bellcrank.formulations.contract.laws import acting_laws
from bellcrank.integrators import Status, Track
from bellcrank.kernels.protocol import Integrable
from bellcrank.model import Expression, Model
from bellcrank.model.expressions import Constant, Operation, text, walk

CLAMPS = ("max", "min", "abs")  # operations by which a law is kept where it is defined
USED_UP = 1e-3  # of the most that a margin was: what is left of it at the end
NONE = 1e-12  # of a margin where a run begins
CORNERS = (
    "A course with corners is written by abs, min, max or mod, such as "
    "abs(mod(x - pi/2, 2*pi) - pi) - pi/2 in place of asin(sin(x))."
)
RECORDS = 200  # at the end of a run, over which margins are followed


class LawCondition(NamedTuple):
    """What must be positive for a part of a law to be a number.

    Attributes:
        owner: The element whose law it is, in words.
        node: The part of the law.
        argument: What it depends on.
        margin: What must be positive.
        led: Whether the law leads a motion, which takes its rates, too.
    """

    owner: str
    node: Operation
    argument: Expression
    margin: Expression
    led: bool = False


def named_law(machine: Integrable, model: Model, track: Track) -> Track:
    """Return a run with the law that ends it named, where one does.

    Args:
        machine: The machine as it was integrated.
        model: Its drawing.
        track: The run.
    """
    if track.status != Status.NON_FINITE or machine.batched:
        return track
    found = tuple(_conditions(model))
    if not found:
        return track
    system, last = machine.system, slice(-RECORDS, None)
    wanted = [each for one in found for each in (one.margin, one.argument)]
    points = (track.t[last, None], *system.split(track.x[last]), track.w[last])
    try:
        values = system.signals(wanted)(*points, machine.p, track.k[last])[0]
    except BellcrankError:  # what takes more than a state to know
        return track
    margins, arguments = values[:, ::2], values[-1, 1::2]
    left = _left(track.t[last], margins, track.statistics.largest_step)
    n = int(np.argmin(left))
    if not left[n] <= USED_UP:
        return track
    seen, _, _ = track.message.partition(". ")
    one = found[n]
    lacks, advice = "is not defined there", f"Let it have a value all the time{_example(one)}."
    if one.led and one.node.op in ("asin", "acos"):
        lacks, advice = "has no rate there", CORNERS
    elif one.led:
        lacks, advice = "has no finite value or rate there", "Let it have both all the time."
    return replace(track, message=(
        f"{seen.removesuffix('.')}. The law of {one.owner} {lacks}: "
        f"{text(one.node)}, where {text(one.argument)} comes to {arguments[n]:.3g}. {advice}"
    ))  # fmt: skip


def _example(one: LawCondition) -> str:
    """Return how to write a law that has one, unless it is written so already."""
    clamped = any(
        isinstance(node, Operation) and node.op in CLAMPS for node in walk(one.argument)
    )
    return "" if clamped else ", such as sqrt(max(x, 0)) in place of sqrt(x)"


def _left(t: np.ndarray, margins: np.ndarray, step: float) -> np.ndarray:
    """Return what is left of each margin after a step more, over the most it was.

    Args:
        t: Times of records [s], shape (n,).
        margins: Shape (n, conditions).
        step: The length of a step [s], for runs of fixed steps; what is far is not foreseen.
    """
    if len(t) < 2:
        return np.where(margins[-1] <= NONE, 0.0, np.inf)
    most = np.abs(margins).max(axis=0)
    slope = (margins[-1] - margins[-2]) / (t[-1] - t[-2])
    ahead = margins[-1] + np.minimum(slope * np.sign(t[-1] - t[-2]), 0.0) * step
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.minimum(margins[-1], ahead) / most
    return np.where(np.isfinite(found), found, np.inf)


def _conditions(model: Model) -> Iterator[LawCondition]:
    """Yield what must be positive in all laws; of a field, where each body is."""
    for element in (*model.forces, *model.drivers, *model.constraints, *model.variables):
        owner = f"{element.KIND} '{element.name}'"
        for law in acting_laws(model, element):
            for node in walk(law):
                if isinstance(node, Operation):
                    for one in _of(owner, node):
                        yield one._replace(led=element.KIND in ("constraint", "driver"))


def _of(owner: str, node: Operation) -> Iterator[LawCondition]:
    first = node.args[0]
    if isinstance(first, Constant) and node.op != "div":
        return
    if node.op in ("sqrt", "log"):
        yield LawCondition(owner, node, first, first)
    elif node.op in ("asin", "acos"):
        yield LawCondition(owner, node, first, 1.0 - first * first)
    elif node.op == "div" and not isinstance(node.args[1], Constant):
        yield LawCondition(owner, node, node.args[1], node.args[1] * node.args[1])
    elif node.op == "pow" and not _whole(node.args[1]):
        yield LawCondition(owner, node, first, first)


def _whole(exponent: Expression) -> bool:
    """Return whether a power is one of any base."""
    return isinstance(exponent, Constant) and float(exponent.value).is_integer()
