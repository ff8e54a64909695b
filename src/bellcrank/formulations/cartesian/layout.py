"""Which scalars the bodies of a machine have in Cartesian coordinates, in which order.

    particle       r                  2 in the plane, 3 in space
    planar body    x, y, φ
    spatial body   r, p               7; speeds ṙ, ω′ (6) or ṙ, ṗ (7)

Needs no CasADi: names and sizes are known before any equation is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from bellcrank.formulations.cartesian.particles import points
from bellcrank.formulations.contract.equations import Row, StateVariable
from bellcrank.model import Body, Expression, Model, Particle, mass_properties
from bellcrank.model.algebra import nominal, nominals
from bellcrank.model.expressions import evaluate
from bellcrank.model.matter.mass import massless_axes
from bellcrank.spatial.attitudes import euler_parameters

Kind = Literal["particle", "planar", "spatial"]
Form = Literal["omega", "euler"]
Reference = Literal["centroid", "frame"]


@dataclass(frozen=True, slots=True)
class Placed:
    """A body and the places of its scalars.

    Attributes:
        name: The body.
        kind: What it is to this formulation.
        q: Its first coordinate, r first.
        u: Its first speed, ṙ first.
        dim: Components of r: 2 or 3.
    """

    name: str
    kind: Kind
    q: int
    u: int
    dim: int


@dataclass(frozen=True, slots=True)
class BodyLayout:
    """The bodies in order, and the scalars of q and u."""

    bodies: tuple[Placed, ...]
    coordinates: tuple[StateVariable, ...]
    speeds: tuple[StateVariable, ...]
    form: Form
    reference: Reference


def layout(model: Model, form: Form, reference: Reference) -> BodyLayout:
    """Return the layout of all bodies of a model."""
    bodies: list[Placed] = []
    coordinates: list[StateVariable] = []
    speeds: list[StateVariable] = []
    alone = points(model)
    for body in model.bodies:
        kind: Kind = "planar" if model.planar else "spatial"
        if body.name in alone:
            kind = "particle"
        dim = 2 if model.planar else 3
        bodies.append(Placed(body.name, kind, len(coordinates), len(speeds), dim))
        named = _names(body.name, kind, dim, form, _frame(body, reference))
        coordinates += [StateVariable(name, what, body.name) for name, what in named[0]]
        speeds += [StateVariable(name, what, body.name) for name, what in named[1]]
    return BodyLayout(tuple(bodies), tuple(coordinates), tuple(speeds), form, reference)


def _frame(body: Body | Particle, reference: Reference) -> bool:
    return reference == "frame" and isinstance(body, Body)


Named = list[tuple[str, str]]


def _names(body: str, kind: Kind, dim: int, form: Form, frame: bool) -> tuple[Named, Named]:
    """Return names and quantities of a body's coordinates and of its speeds."""
    if dim == 2:
        axes = ("origin_x", "origin_y") if frame else ("x", "y")
        q = [(f"{body}.{axis}", "offset") for axis in axes]
        u = [(f"{body}.{axis}_rate", "offset_rate") for axis in axes]
        if kind == "planar":
            q.append((f"{body}.angle", "angle"))
            u.append((f"{body}.angle_rate", "angle_rate"))
        return q, u
    place, rate = ("origin", "origin_rate") if frame else ("position", "velocity")
    q = [(f"{body}.{place}_{axis}", "position") for axis in "xyz"]
    u = [(f"{body}.{rate}_{axis}", "velocity") for axis in "xyz"]
    if kind == "spatial":
        q += [(f"{body}.orientation_{i}", "orientation") for i in range(4)]
        if form == "euler":
            u += [(f"{body}.orientation_rate_{i}", "orientation_rate") for i in range(4)]
        else:
            u += [
                (f"{body}.angular_velocity_body_{axis}", "angular_velocity") for axis in "xyz"
            ]
    return q, u


def lacking(model: Model, placed: Placed) -> list[tuple[float, ...]]:
    """Return directions of (velocity, ω′) in which a body has no inertia.

    A thin rod has none about itself, a particle with an arm has none about any axis. Inertias
    that depend on parameters are judged by their nominal values.
    """
    properties = mass_properties(model[placed.name])
    n = placed.dim
    found = []
    if (nominal(properties.mass) or 0.0) <= 0.0:
        found = [tuple(float(i == j) for j in range(6)) for i in range(n)]
    rows = [nominals(row) or (0.0, 0.0, 0.0) for row in properties.inertia]
    if placed.kind == "planar" and rows[2][2] <= 0.0:
        found.append((0.0, 0.0, 0.0, 0.0, 0.0, 1.0))
    if placed.kind == "spatial":
        found += [(0.0, 0.0, 0.0, *axis) for axis in _massless_axes(model, placed.name, rows)]
    return found


def _massless_axes(model: Model, name: str, J: list) -> list[tuple[float, ...]]:
    """Return the body axes about which an inertia along world axes has no moment."""
    import numpy as np

    R = np.array([nominals(row) for row in model[name].pose.rotation], dtype=float)
    return [tuple(float(x) for x in axis) for axis in (R.T @ massless_axes(J)).T]


def norm_rows(plan: BodyLayout) -> tuple[Row, ...]:
    """Return the rows ½(pᵀp − 1) that ṗ as speeds need."""
    if plan.form != "euler":
        return ()
    return tuple(
        Row(f"{placed.name}: norm", placed.name, "norm", "position")
        for placed in plan.bodies
        if placed.kind == "spatial"
    )


def drawn(model: Model, plan: BodyLayout, parameters: Mapping[str, float]) -> list[float]:
    """Return q of the drawing: where bodies stand, and the attitudes they are drawn in."""

    def value(number: float | Expression) -> float:
        return evaluate(number, parameters) if isinstance(number, Expression) else number

    q: list[float] = []
    for placed in plan.bodies:
        body = model[placed.name]
        at = body.pose.position if _frame(body, plan.reference) else mass_properties(body).com
        q += [value(entry) for entry in at[: placed.dim]]
        if placed.kind == "planar":
            R = body.pose.rotation
            q.append(_angle(value(R[0][0]), value(R[1][0])))
        elif placed.kind == "spatial":
            q += euler_parameters([[value(e) for e in row] for row in body.pose.rotation])
    return q


def _angle(c: float, s: float) -> float:
    from math import atan2

    return atan2(s, c)
