"""What the twins of a machine share: which of their scalars is which of ours."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from tests.oracle.steps import Elementary, elementary

import bellcrank as bc
from bellcrank.model import mass_properties

SUFFIXES = {3: ("_x", "_y", "_z"), 1: ("",)}


@dataclass(frozen=True)
class Link:
    """One body of the tree with all that another package needs to know of it.

    Attributes:
        number, lower: Of the body and of its lower body; ground is 0.
        name: Of the body.
        at: The joint point, world numbers of the drawing [m].
        steps: The elementary motions from the lower body.
        mass: [kg]. com: World numbers of the drawing [m]. inertia: About the mass centre along
            world axes of the drawing [kg m²].
    """

    number: int
    lower: int
    name: str
    at: np.ndarray
    steps: list[Elementary]
    mass: float
    com: np.ndarray
    inertia: np.ndarray


def links(model: bc.Model) -> Iterator[Link]:
    """Return the bodies of a tree, lower bodies first."""
    graph = model.graph
    axes = {body.name: np.array(body.pose.rotation, dtype=float) for body in model.bodies}
    axes["ground"] = np.eye(3)
    for k, name in enumerate(graph.order):
        joint, backwards = model[graph.tree_joint[k]], graph.reversed[k]
        known = mass_properties(model[name])
        yield Link(
            k + 1,
            graph.lower[k],
            name,
            np.array(joint.at_first, dtype=float),
            elementary(joint, axes[joint.first], axes[joint.second], backwards),
            float(known.mass),
            np.array(known.com, dtype=float),
            np.array(known.inertia, dtype=float),
        )


def depth_first(found: list[Link]) -> list[Link]:
    """Return the links branch by branch, as both packages want them numbered."""

    def below(number: int) -> list[Link]:
        return [
            x for link in found if link.lower == number for x in (link, *below(link.number))
        ]

    return below(0)


@dataclass(frozen=True)
class Correspondence:
    """The other package's scalars in terms of ours; `steps` in the other package's order."""

    steps: tuple[Elementary, ...]

    def coordinates(self, values: dict[str, Any]) -> np.ndarray:
        """Return all coordinates of the other package, Euler parameters scalar first."""
        return np.concatenate([np.zeros(0), *(step.coordinates(values) for step in self.steps)])

    def rate_map(self, values: dict[str, Any], speeds: list[str]) -> np.ndarray:
        """Return G(q) with v = G u and v̇ = G u̇, u in the order of `speeds`."""
        G = np.zeros((sum(step.nv for step in self.steps), len(speeds)))
        row = 0
        for step in self.steps:
            names = [f"{step.joint}.{step.speed}{suffix}" for suffix in SUFFIXES[step.nv]]
            columns = [speeds.index(name) for name in names]
            G[row : row + step.nv, columns] = step.rate_map(values)
            row += step.nv
        return G
