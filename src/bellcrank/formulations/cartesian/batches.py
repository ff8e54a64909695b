"""A machine as a sum over kinds of elements: kernels of one element, and where each belongs.

The equations of a kind are those of its tiny machine (`kinds`), written by the same school as
those of whole machines. A massless body carries nothing but what holds on to it, so that the
residual of the tiny machine is the element's share of the residual. Questions:

    residual    r = A a − f + Cᵀλ;  g = Φ, then the rates of velocity rows
    iteration   J = c₀ A + c₁ r_u + c₂ r_q T B;  G = C B of position rows, and of velocity
                rows c₃ C + c₄ (C u − ν)_q T B;  C.   T B: how q changes with ξ that led to it
    rows        Φ;  C u − ν;  γ
    memory      z of nonsmooth operations;  lines k₁ + k₂ t of angles over full turns
    observe     what a result shows of the element
    balance     kinetic and potential energy, power of what keeps none, momentum (6);  that
                power again, but no entry where the kind never has any
    reaction    what a joint, constraint or driver does, of its multipliers
    move        q a step ξ along T further, on the invariants of q
    stage       r;  Φ;  C u − ν
    slopes      E = (C u − ν)_q T
    flow        q̇ = T a
    tangent     the speeds a with T a nearest to b
    embed       q and u of a body that is and moves as given, `pose` and `twist`

Variables of the user's own are speeds without coordinates, after those of bodies in u, a and
x. The mass of one is 1/scale², so that it counts in its usual size: r = (ṡ − rate)/scale². No
row pushes on it; where it leads a speed, c₃ (C u − ν)_s is in G.

What depends on an element's numbers alone is computed once: `numbers` gives it, and the other
kernels take it for `n`.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np

from bellcrank.formulations.cartesian.kinds import Kind, census
from bellcrank.formulations.cartesian.layout import BodyLayout
from bellcrank.formulations.cartesian.layout import Kind as Sort
from bellcrank.formulations.cartesian.reading import Instance
from bellcrank.formulations.contract.equations import Batch, Row, StateVariable
from bellcrank.formulations.contract.switches import Switch
from bellcrank.formulations.contract.unwrapped import turn_memory
from bellcrank.model import Body, Constraint, Drive, Joint, Model, Particle, Point
from bellcrank.model.expressions import Expression, evaluate
from bellcrank.model.names import channels

if TYPE_CHECKING:
    import casadi as ca


def batches(
    model: Model,
    plan: BodyLayout,
    rows: Sequence[Row],
    kept: Sequence[StateVariable],
    modes: Sequence[Switch],
) -> tuple[Batch, ...]:
    """Return the batches of a machine.

    Args:
        model: The machine.
        plan: Its coordinates.
        rows: Its constraints.
        kept: Its memory; modes first.
        modes: Its nonsmooth operations.
    """
    where = _Places(model, plan, rows, kept, modes)
    shown = _shown(model)
    sorts: dict[str, Sort] = {placed.name: placed.kind for placed in plan.bodies}
    return tuple(
        _batch(kind, instances, plan, where, shown[instances[0].element])
        for kind, instances in census(model, sorts)
    )


def _batch(
    kind: Kind,
    instances: list[Instance],
    plan: BodyLayout,
    where: "_Places",
    shown: Mapping[str, tuple[tuple[str, int], ...]],
) -> Batch:
    @cache
    def questions() -> dict[str, "Callable[[], ca.Function]"]:
        from bellcrank.formulations.cartesian.elements import ElementSlots  # needs CasADi

        return ElementSlots(kind, plan.form, plan.reference).questions()

    def build(question: str) -> "ca.Function":
        return questions()[question]()

    wanted = _questions(kind, instances[0], bool(where.rows_of(instances[0])))
    names = [name for question in wanted for name in (question, f"{question} numbers")]
    return Batch(
        kind.name,
        f"{kind.key}\n{plan.form} {plan.reference}",
        {name: partial(build, name) for name in names},
        tuple(instance.element for instance in instances),
        where.of(instances),
        partial(_numbers, instances),
        shown,
    )


def _questions(kind: Kind, instance: Instance, tied: bool) -> list[str]:
    """Return what can be asked of a kind."""
    own = kind.model[kind.own]
    if isinstance(own, Point):
        return ["observe"]
    found = ["residual", "iteration", "balance"] if not isinstance(own, Joint) or tied else []
    if "residual" in found:
        found.append("stage")
    if isinstance(own, Body | Particle):
        found += ["move", "flow", "tangent", "embed"]
    if not isinstance(own, Drive | Constraint) and (isinstance(own, Joint) or not tied):
        found.append("observe")
    if tied:
        found += ["rows", "slopes"]
    if instance.modes or (isinstance(own, Joint) and instance.angles):
        found.append("memory")
    if tied and isinstance(own, Joint | Constraint | Drive):
        found.append("reaction")
    return found


def _shown(model: Model) -> dict[str, dict[str, tuple[tuple[str, int], ...]]]:
    """Return what results show of each element, without its name."""
    found: dict[str, dict[str, list]] = {
        element.name: {"observe": [], "reaction": []} for element in model.elements
    }
    for channel in channels(model):
        if not channel.owner:
            continue
        part = channel.name.removeprefix(channel.owner).removeprefix(".")  # none of a variable
        owner = model[channel.owner]
        reacting = part.startswith("reaction_") or isinstance(owner, Drive | Constraint)
        found[channel.owner]["reaction" if reacting else "observe"].append((part, channel.size))
    return {
        name: {what: tuple(parts) for what, parts in groups.items()}
        for name, groups in found.items()
    }


def _numbers(instances: Sequence[Instance], parameters: Mapping[str, float]) -> np.ndarray:
    """Return the numbers of all instances for parameter values by name, one row each."""
    rows = [
        [evaluate(x, parameters) if isinstance(x, Expression) else x for x in one.numbers]
        for one in instances
    ]
    return np.array(rows, dtype=float).reshape(len(instances), -1)


class _Places:
    """Where the scalars of bodies, rows, memory and inputs are in the machine's vectors."""

    def __init__(
        self,
        model: Model,
        plan: BodyLayout,
        rows: Sequence[Row],
        kept: Sequence[StateVariable],
        modes: Sequence[Switch],
    ) -> None:
        ends = [*plan.bodies[1:], None]
        nq, nu = len(plan.coordinates), len(plan.speeds)
        self._q = {b.name: range(b.q, e.q if e else nq) for b, e in zip(plan.bodies, ends)}  # noqa: B905
        self._u = {b.name: range(b.u, e.u if e else nu) for b, e in zip(plan.bodies, ends)}  # noqa: B905
        self._rows: dict[str, list[int]] = {}
        for i, row in enumerate(rows):
            self._rows.setdefault(row.owner, []).append(i)
        self._s = {each.name: nu + i for i, each in enumerate(model.variables)}
        self._w = {given.name: i for i, given in enumerate(model.inputs)}
        self._modes = {switch: i for i, switch in enumerate(modes)}
        self._angles = {variable.name: i for i, variable in enumerate(kept)}

    def rows_of(self, instance: Instance) -> list[int]:
        """Return the rows of an element."""
        return self._rows.get(instance.element, [])

    def of(self, instances: Sequence[Instance]) -> dict[str, np.ndarray]:
        """Return index maps, one row for each element."""
        found: dict[str, list[list[int]]] = {
            "q": [[i for b in one.bodies for i in self._q[b]] for one in instances],
            "u": [self._speeds(one) for one in instances],
            "rows": [self.rows_of(one) for one in instances],
            "w": [[self._w[name] for name in one.inputs] for one in instances],
            "k": [self._memory(one) for one in instances],
        }
        n = len(instances)
        return {name: np.array(x, dtype=np.int64).reshape(n, -1) for name, x in found.items()}

    def _speeds(self, one: Instance) -> list[int]:
        bodies = [i for body in one.bodies for i in self._u[body]]
        return bodies + [self._s[name] for name in one.variables]

    def _memory(self, one: Instance) -> list[int]:
        modes = [self._modes[switch] for switch in one.modes]
        kept = [self._angles[variable.name] for variable in turn_memory(one.angles)]
        return modes + kept
