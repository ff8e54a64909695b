"""Which scalars a tree has, in which order, and which bodies move as one.

Needs no CasADi: names and sizes are known before any equation is written.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bellcrank.formulations.contract.description import variables
from bellcrank.formulations.contract.equations import StateVariable
from bellcrank.model import Body, Expression, Joint, Model, mass_properties
from bellcrank.model.expressions import evaluate
from bellcrank.spatial.arithmetic import IDENTITY, product, transpose
from bellcrank.spatial.attitudes import euler_parameters


@dataclass(frozen=True, slots=True)
class Link:
    """Bodies that move as one, tied to an inner link by a joint.

    Attributes:
        bodies: The first one is tied by the joint, the others are welded on.
        parent: Number of the inner link; 0 is the ground.
        joint: The joint that ties it.
        reversed: Whether the joint is passed from its second body to its first.
    """

    bodies: tuple[str, ...]
    parent: int
    joint: Joint | None
    reversed: bool


@dataclass(frozen=True, slots=True)
class LinkLayout:
    """The links of a tree (0 is the ground) and the places of each joint's q and u."""

    links: tuple[Link, ...]
    coordinates: tuple[StateVariable, ...]
    speeds: tuple[StateVariable, ...]
    q_start: dict[str, int]
    u_start: dict[str, int]
    link_of: dict[str, int]


def layout(model: Model) -> LinkLayout:
    """Return the layout of the spanning tree of a model.

    Args:
        model: Any model; joints that close loops have no place of their own.
    """
    graph, joints = model.graph, {joint.name: joint for joint in model.joints}
    members: list[list[str]] = [["ground"]]
    ties: list[tuple[int, Joint | None, bool]] = [(0, None, False)]
    link_of = {"ground": 0}
    q_start, u_start = {}, {}
    coordinates: list[StateVariable] = []
    speeds: list[StateVariable] = []
    for body, lower, name, backwards in zip(
        graph.order, graph.lower, graph.tree_joint, graph.reversed, strict=True
    ):
        joint = joints[name]
        inner = link_of[graph.order[lower - 1] if lower else "ground"]
        q_start[name], u_start[name] = len(coordinates), len(speeds)
        if not joint.mobility.motions:
            members[inner].append(body)
            link_of[body] = inner
            continue
        link_of[body] = len(members)
        members.append([body])
        ties.append((inner, joint, backwards))
        coordinates += variables(joint, joint.coordinates)
        speeds += variables(joint, joint.speeds)
    links = tuple(Link(tuple(bodies), *tie) for bodies, tie in zip(members, ties, strict=True))
    return LinkLayout(links, tuple(coordinates), tuple(speeds), q_start, u_start, link_of)


def drawn(model: Model, plan: LinkLayout, parameters: Mapping[str, float]) -> list[float]:
    """Return q of the drawing: `drawn` of each joint, and the attitudes bodies are drawn in."""

    def value(number: float | Expression) -> float:
        return evaluate(number, parameters) if isinstance(number, Expression) else number

    def attitude(name: str) -> list[list[float]]:
        body = model[name] if name != "ground" else None
        rows = body.pose.rotation if isinstance(body, Body) else IDENTITY
        return [[value(entry) for entry in row] for row in rows]

    q: list[float] = []
    for link in plan.links[1:]:
        assert link.joint is not None
        q += [value(entry) for entry in link.joint.drawn]
        if "orientation" in link.joint.coordinates:
            first, second = attitude(link.joint.first), attitude(link.joint.second)
            q += euler_parameters(product(transpose(first), second))
    return q


def nominal_inertia(model: Model, body: str, at: Iterable[float | Expression]) -> float:
    """Return the largest moment of inertia of a body about a point of the drawing [kg m²].

    Parameters have their own values.
    """
    mass = mass_properties(model[body])
    away = sum((nominal(c) - nominal(p)) ** 2 for c, p in zip(mass.com, at, strict=True))
    return max(nominal(mass.inertia[i][i]) for i in range(3)) + nominal(mass.mass) * away


def nominal(number: float | Expression) -> float:
    """Return a number of the drawing, parameters at their own values."""
    return float(evaluate(number, {}) if isinstance(number, Expression) else number)
