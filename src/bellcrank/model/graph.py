"""How bodies hang together: spanning tree, loops, body-connection array.

The tree is what a breadth-first walk from ground finds, joints whose turns are counted first.
Bodies are numbered 1 … N in the order they are given in, but lower bodies first; 0 is ground.
L(K) is the adjacent lower body of K, and u_K the number of steps from K down to the root of its
own tree, a root being a body with L(K) = 0. No mechanics here.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from bellcrank.errors import ModelError

GROUND = "ground"


@dataclass(frozen=True)
class Graph:
    """The tree of a machine and what closes its loops.

    Attributes:
        order: Names of the bodies, lower bodies first; the K-th is `order[K - 1]`.
        lower: L(K) for K = 1 … N, 0 for ground.
        tree_joint: Name of the joint between K and L(K), for each K.
        reversed: Whether K is the first body of that joint, for each K.
        loops: Names of the joints that are not in the tree, in the order of the model.
        loose: Names of bodies that no chain of joints ties to ground; empty in a model.
    """

    order: tuple[str, ...]
    lower: tuple[int, ...]
    tree_joint: tuple[str, ...]
    reversed: tuple[bool, ...]
    loops: tuple[str, ...]
    loose: tuple[str, ...] = ()

    @cached_property
    def number(self) -> dict[str, int]:
        """K of each body by name; ground is 0."""
        return {GROUND: 0} | {name: k for k, name in enumerate(self.order, start=1)}

    @cached_property
    def depth(self) -> tuple[int, ...]:
        """u_K, the number of lower bodies of each body."""
        return lower_bodies(self.lower)

    def path(self, k: int) -> tuple[int, ...]:
        """Return the bodies from the root of K's tree up to K itself, both included."""
        return path(self.lower, k)

    def children(self, k: int) -> tuple[int, ...]:
        """Return the bodies whose lower body is K; K = 0 gives the roots."""
        return self._children[k]

    @cached_property
    def _children(self) -> tuple[tuple[int, ...], ...]:
        found: list[list[int]] = [[] for _ in range(len(self.order) + 1)]
        for k, low in enumerate(self.lower, start=1):
            found[low].append(k)
        return tuple(map(tuple, found))


def spanning_graph(
    bodies: Iterable[str],
    joints: Sequence[tuple[str, str, str]],
    wanted: Collection[str] = (),
) -> Graph:
    """Return the breadth-first spanning tree from ground and the loops.

    Args:
        bodies: Names of the bodies.
        joints: `(name, first, second)` of each joint; the order decides between equals.
        wanted: Joints that are taken into the tree before all others, as far as they can be.
    """
    ties: dict[str, list[int]] = {GROUND: []} | {name: [] for name in bodies}
    for i, (_, first, second) in enumerate(joints):
        ties[first].append(i)
        ties[second].append(i)
    found = {GROUND: (GROUND, -1)}  # body: its lower body and the joint between them
    queue = [GROUND]

    def reach(body: str) -> None:
        """Queue a body and all that hangs on it by wanted joints."""
        trail = [body]
        for here in trail:  # grows while we go, and so does the queue
            for i in ties[here]:
                name, first, second = joints[i]
                other = second if first == here else first
                if name in wanted and other not in found:
                    found[other] = here, i
                    trail.append(other)
                    queue.append(other)

    reach(GROUND)
    for body in queue:
        for i in ties[body]:
            _, first, second = joints[i]
            other = second if first == body else first
            if other not in found:
                found[other] = body, i
                queue.append(other)
                reach(other)
    order = _lower_first([name for name in ties if name in found and name != GROUND], found)
    number = {GROUND: 0} | {name: k for k, name in enumerate(order, start=1)}
    used = [found[name][1] for name in order]
    in_tree = set(used)
    return Graph(
        order=tuple(order),
        lower=tuple(number[found[name][0]] for name in order),
        tree_joint=tuple(joints[i][0] for i in used),
        reversed=tuple(joints[i][1] == name for i, name in zip(used, order, strict=True)),
        loops=tuple(joint[0] for i, joint in enumerate(joints) if i not in in_tree),
        loose=tuple(name for name in ties if name not in found),
    )


def _lower_first(bodies: Sequence[str], found: Mapping[str, tuple[str, int]]) -> list[str]:
    """Return the bodies in their own order, each moved behind its lower body where it must."""
    order: list[str] = []
    placed = {GROUND}
    for body in bodies:
        trail = []
        while body not in placed:
            trail.append(body)
            body = found[body][0]
        order += reversed(trail)
        placed.update(trail)
    return order


def lower_bodies(lower: Sequence[int]) -> tuple[int, ...]:
    """Return u_K, the steps from each body down to the root of its tree, for any forest.

    Args:
        lower: L(K) for K = 1 … N, 0 for a root.

    Raises:
        ModelError: An entry is no body, or bodies go round in a circle.

    Examples:
        >>> lower_bodies((0, 1, 2, 2, 1, 5))
        (0, 1, 2, 2, 1, 2)
    """
    steps: dict[int, int] = {0: -1}
    for k in range(1, len(lower) + 1):
        trail = []
        while k not in steps:
            if k in trail:
                around = " → ".join(map(str, (*trail[trail.index(k) :], k)))
                raise ModelError(f"connection array: bodies go round in a circle, {around}.")
            trail.append(k)
            k = _checked(lower, k)
        for body in reversed(trail):
            steps[body] = steps[_checked(lower, body)] + 1
    return tuple(steps[k] for k in range(1, len(lower) + 1))


def path(lower: Sequence[int], k: int) -> tuple[int, ...]:
    """Return (root, …, L(K), K), for any forest.

    Examples:
        >>> path((0, 1, 2, 2, 1, 5), 6)
        (1, 5, 6)
    """
    trail = []
    while k:
        trail.append(k)
        k = lower[k - 1]
    return tuple(reversed(trail))


def _checked(lower: Sequence[int], k: int) -> int:
    """Return L(K) if it is 0 or a body."""
    low = lower[k - 1]
    if low not in range(len(lower) + 1):
        raise ModelError(
            f"connection array: L({k}) must be 0 or a body from 1 to {len(lower)}, got {low}."
        )
    return int(low)
