"""Generalized speeds of the user's own over joint rates: u = Y y + z.

y are the joint rates along the spanning tree. Where fewer speeds are named than there are
rates, rates complete them, so that Y is square; those of a machine with loops are its dependent
speeds.
Needs no CasADi: a choice is read and checked as expressions and as numbers of the drawing.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bellcrank.errors import ExpressionError, OptionError, unknown_name
from bellcrank.formulations.contract.equations import Guard, StateVariable
from bellcrank.formulations.contract.linear_speeds import LinearSpeeds
from bellcrank.formulations.contract.rows import nominal_length
from bellcrank.formulations.contract.speeds_matrix import singular_guards
from bellcrank.formulations.contract.switches import switches
from bellcrank.formulations.joint_coordinates.layout import LinkLayout, drawn
from bellcrank.linear import rank
from bellcrank.model import Model
from bellcrank.model.expressions import (
    Constant,
    Expression,
    Signal,
    derivative,
    evaluate,
    expression,
    inputs,
    signals,
    substitute,
    text,
)
from bellcrank.model.expressions.checks import check_name
from bellcrank.model.names import channels
from bellcrank.units import QUANTITIES

NamedSpeeds = tuple[tuple[str, str], ...]
"""Speeds as (name, expression)."""

Choice = Mapping[str, Any] | LinearSpeeds | NamedSpeeds | None
"""What a user may choose; None for the joint rates themselves."""

WHO = "JointCoordinates"


def checked_choice(speeds: Any) -> "NamedSpeeds | LinearSpeeds | None":
    """Return a choice of speeds as a value that can be hashed and compared.

    Raises:
        OptionError: It is no choice, or names and expressions cannot be read.
    """
    if speeds is None or isinstance(speeds, LinearSpeeds):
        return speeds
    if isinstance(speeds, tuple):
        speeds = dict(speeds)
    if not isinstance(speeds, Mapping) or not speeds:
        raise OptionError(
            f"{WHO}: speeds takes expressions of joint rates by name, as in "
            "{'u1': 'A.angle_rate'}, or LinearSpeeds(Y, z); "
            f"got {speeds!r}."
        )
    found = []
    for name, law in speeds.items():
        try:
            check_name("speed", name)
            found.append((name, text(expression(law))))
        except ExpressionError as error:
            raise OptionError(f"{WHO}: speed {name!r}: {error}") from None
    return tuple(found)


@dataclass(frozen=True)
class ChosenSpeeds:
    """Speeds u = Y y + z over the joint rates y of a tree.

    Attributes:
        variables: The scalars of u.
        named: How many of them the user named; joint rates complete them.
        Y: n×n, numbers or expressions of t, parameters and joint coordinates.
        z: n, likewise.
    """

    variables: tuple[StateVariable, ...]
    named: int
    Y: tuple[tuple[float | Expression, ...], ...]
    z: tuple[float | Expression, ...]

    @property
    def guards(self) -> tuple[Guard, ...]:
        """What must not come near zero in a run: Y, where it depends on the state."""
        varies = any(isinstance(entry, Expression) for row in self.Y for entry in row)
        return singular_guards() if varies else ()


def chosen_speeds(
    model: Model, plan: LinkLayout, choice: "NamedSpeeds | LinearSpeeds"
) -> ChosenSpeeds:
    """Return the speeds of a machine, checked and completed by joint rates.

    Args:
        model: The machine.
        plan: Its joint coordinates and rates.
        choice: What was chosen.

    Raises:
        OptionError: Unknown names, speeds that are not linear in the rates, more of them than
            rates, or speeds that depend on each other in the drawing.
    """
    rates = [variable.name for variable in plan.speeds]
    names, rows, z = (
        _combined(model, plan, choice)
        if isinstance(choice, LinearSpeeds)
        else _read(model, plan, choice)
    )
    _check_names(model, plan, names)
    if len(rows) > len(rates):
        raise _refused(
            model,
            f"there are {len(rates)} joint rates ({', '.join(rates)}), and no more speeds "
            f"than that; got {len(rows)}.",
        )
    state = _drawing(model, plan)
    at = np.array([[_number(entry, state) for entry in row] for row in rows])
    sizes = _sizes(model, plan.speeds)
    others = _completing(model, names, at * sizes, rows, state)
    unit = np.eye(len(rates))
    variables = [
        _variable(model, name, row, numbers * sizes, plan.speeds)
        for name, row, numbers in zip(names, rows, at, strict=True)
    ]
    return ChosenSpeeds(
        (*variables, *_kept(plan.speeds, others)),
        len(names),
        (*rows, *(tuple(unit[j].tolist()) for j in others)),
        (*z, *(0.0 for _ in others)),
    )


def _read(model: Model, plan: LinkLayout, choice: NamedSpeeds) -> tuple[Any, Any, Any]:
    """Return names, Y and z of speeds given as expressions of joint rates."""
    rates = [variable.name for variable in plan.speeds]
    coordinates = [variable.name for variable in plan.coordinates]
    bare = _bare(plan)
    found, complaints = [], []
    for name, law in choice:
        given = _looked_up(model, expression(law), bare)
        strange = signals(given) - {"t", *rates, *coordinates}
        if inputs(given):
            complaints.append(f"'{name}' depends on an input, whose rate nobody knows.")
        elif switches((given,)):
            complaints.append(f"'{name}' = {law} is not smooth: speeds have to be.")
        complaints += [
            f"'{name}': {unknown_name('joint rate', each, [*rates, *coordinates])}"
            for each in sorted(strange)
        ]
        found.append(given)
    if complaints:
        raise _refused(model, " ".join(complaints))
    rows = [tuple(_folded(derivative(e, rate)) for rate in rates) for e in found]
    still: dict[Expression, Expression] = {Signal(rate): Constant(0.0) for rate in rates}
    for (name, law), row in zip(choice, rows, strict=True):
        if any(isinstance(e, Expression) and signals(e) & set(rates) for e in row):
            raise _refused(model, f"'{name}' = {law} is not linear in the joint rates.")
    z = tuple(_folded(substitute(e, still)) for e in found)
    return [name for name, _ in choice], tuple(rows), z


def _combined(model: Model, plan: LinkLayout, choice: LinearSpeeds) -> tuple[Any, Any, Any]:
    """Return names, Y W and z of u = Y q̇ + z, with q̇ = W y."""
    size = len(plan.coordinates)
    if len(choice.Y[0]) != size:
        names = ", ".join(variable.name for variable in plan.coordinates)
        raise _refused(
            model,
            f"Y has {size} columns, one per coordinate ({names}), got {len(choice.Y[0])}.",
        )
    bare = _bare(plan)
    entries = [e for row in (*choice.Y, choice.z) for e in row if isinstance(e, Expression)]
    known = {"t", *(variable.name for variable in plan.coordinates)}
    strange = {n for e in entries for n in signals(_looked_up(model, e, bare))} - known
    if strange:
        told = (unknown_name("coordinate", name, known) for name in sorted(strange))
        raise _refused(model, " ".join(told))

    def looked_up(entry: float | Expression) -> Expression:
        return _looked_up(model, expression(entry), bare)

    W = rate_matrix(plan)
    rows = []
    for given in choice.Y:
        row = [looked_up(entry) for entry in given]
        rows.append(tuple(
            _folded(sum((e * W[i, j] for i, e in enumerate(row) if (i, j) in W), Constant(0.0)))
            for j in range(len(plan.speeds))
        ))  # fmt: skip
    return list(choice.names), tuple(rows), tuple(_folded(looked_up(e)) for e in choice.z)


def rate_matrix(plan: LinkLayout) -> dict[tuple[int, int], Expression]:
    """Return W of q̇ = W y by place: ones, and ½ Gᵀ for Euler parameters."""
    found: dict[tuple[int, int], Expression] = {}
    q = u = 0
    while q < len(plan.coordinates):
        if plan.coordinates[q].quantity != "orientation":
            found[q, u] = Constant(1.0)
            q, u = q + 1, u + 1
            continue
        e0, x, y, z = (Signal(plan.coordinates[q + i].name) * 0.5 for i in range(4))
        block = [[-x, -y, -z], [e0, -z, y], [z, e0, -x], [-y, x, e0]]
        found |= {(q + i, u + j): block[i][j] for i in range(4) for j in range(3)}
        q, u = q + 4, u + 3
    return found


def _completing(
    model: Model, names: Sequence[str], at: np.ndarray, rows: Any, state: Mapping[str, float]
) -> list[int]:
    """Return the joint rates that complete speeds, which must be independent in the drawing."""
    lengths = np.linalg.norm(at, axis=1)
    empty = [name for name, length in zip(names, lengths, strict=True) if length == 0.0]
    if empty:
        listed = ", ".join(map(repr, empty))
        raise _refused(model, f"no joint rate is left in {listed} {_place(rows, state)}.")
    left, values, right = np.linalg.svd(at / lengths[:, None])
    if not rank.counted(values).all():
        share = np.abs(left[:, -1])
        tied = [n for n, part in zip(names, share, strict=True) if part > 0.1 * share.max()]
        raise _refused(
            model,
            f"{', '.join(map(repr, tied))} depend on each other {_place(rows, state)}, so that "
            "joint rates do not follow from the speeds. Choose speeds that are independent.",
        )
    rest = right[len(names) :]
    return sorted(rank.independent(rest.T, count=len(rest))) if len(rest) else []


def _place(rows: Any, state: Mapping[str, float]) -> str:
    used = {n for row in rows for e in row if isinstance(e, Expression) for n in signals(e)}
    shown = ", ".join(f"{n} = {v:.6g}" for n, v in state.items() if n in used and n != "t")
    return f"in the drawing ({shown})" if shown else "in the drawing"


def _variable(
    model: Model,
    name: str,
    row: Sequence[float | Expression],
    sizes: np.ndarray,
    rates: Sequence[StateVariable],
) -> StateVariable:
    """Return the scalar of a speed; a sum of like rates is of their kind."""
    used = [rate for rate, entry in zip(rates, row, strict=True) if entry != 0.0]
    kinds = {QUANTITIES[rate.quantity].unit for rate in used}
    plain = all(isinstance(entry, float) for entry in row)
    if plain and len(kinds) == 1:
        return StateVariable(name, _SCALARS.get(kinds.pop(), _OWN), model.name)
    return StateVariable(name, _OWN, model.name, float(np.abs(sizes).max()) or 1.0)


_OWN = "generalized_speed"
_SCALARS = {"rad/s": "angle_rate", "m/s": "offset_rate"}


def _kept(rates: Sequence[StateVariable], others: Sequence[int]) -> list[StateVariable]:
    """Return the rates that complete speeds; a vector of which parts are left is scalars."""
    stems = [rates[j].name.rpartition("_")[0] for j in others]
    found = []
    for j, stem in zip(others, stems, strict=True):
        whole = sum(rate.name.rpartition("_")[0] == stem for rate in rates)
        scalar = _SCALARS[QUANTITIES[rates[j].quantity].unit]
        parts = stems.count(stem) < whole and whole > 1
        found.append(replace(rates[j], quantity=scalar) if parts else rates[j])
    return found


def _check_names(model: Model, plan: LinkLayout, names: Sequence[str]) -> None:
    taken = {channel.name for channel in channels(model)} | set(model.names)
    taken |= {variable.name for variable in (*plan.coordinates, *plan.speeds)}
    taken |= {each.name for each in (*model.parameters, *model.inputs, *model.variables)}
    clash = [name for name in names if name in taken]
    if clash:
        listed = ", ".join(map(repr, clash))
        raise _refused(model, f"{listed} is the name of something else; choose another.")


def _sizes(model: Model, rates: Iterable[StateVariable]) -> np.ndarray:
    """Return the nominal sizes of joint rates."""
    length = nominal_length(model)
    return np.array([length if QUANTITIES[r.quantity].unit == "m/s" else 1.0 for r in rates])


def _drawing(model: Model, plan: LinkLayout) -> dict[str, float]:
    values = drawn(model, plan, {})
    names = (variable.name for variable in plan.coordinates)
    return {"t": 0.0} | dict(zip(names, values, strict=True))


def _bare(plan: LinkLayout) -> dict[Expression, Expression]:
    """Return coordinates that may be said by the name of their joint alone."""
    owners: dict[str, list[str]] = {}
    for variable in plan.coordinates:
        owners.setdefault(variable.owner, []).append(variable.name)
    return {Signal(o): Signal(found[0]) for o, found in owners.items() if len(found) == 1}


def _looked_up(
    model: Model, given: Expression, bare: Mapping[Expression, Expression]
) -> Expression:
    named: dict[Expression, Expression] = {Signal(p.name): p for p in model.parameters}
    return substitute(given, {**bare, **named})


def _folded(entry: Any) -> float | Expression:
    entry = expression(entry)
    return float(entry.value) if isinstance(entry, Constant) else entry


def _number(entry: float | Expression, state: Mapping[str, float]) -> float:
    return evaluate(entry, state) if isinstance(entry, Expression) else entry


def _refused(model: Model, why: str) -> OptionError:
    return OptionError(f"{WHO}: the speeds of '{model.name}': {why}")
