"""Where the bodies of a tree stand in its drawing: ground below, each body above its lower one.

Leaves are set side by side from left to right, and a body over the middle of what it carries,
turned upside down: the tree grows upwards from the ground, as trees do.
"""

from dataclasses import dataclass

from bellcrank.model import Model

STEP_X, STEP_Y = 2.4, 1.7  # distance of neighbours and of levels, in units of the drawing


@dataclass(frozen=True)
class Spot:
    """A body in the drawing: its number, name, place, and the tree joint below it."""

    number: int
    name: str
    x: float
    y: float
    lower: int
    joint: str
    kind: str


@dataclass(frozen=True)
class Chord:
    """A joint that closes a loop, between bodies by their numbers; 0 is ground."""

    first: int
    second: int
    joint: str
    kind: str


@dataclass(frozen=True)
class TreeLayout:
    """All places.

    Attributes:
        spots: One per body, in the order of numbers.
        chords: One per loop-closing joint.
        width, height: Of the whole, in units of the drawing.
    """

    spots: tuple[Spot, ...]
    chords: tuple[Chord, ...]
    width: float
    height: float

    def place(self, number: int) -> tuple[float, float]:
        """Return where a body stands; ground is in the middle of the bottom line."""
        if number == 0:
            return self.width / 2.0, 0.0
        spot = self.spots[number - 1]
        return spot.x, spot.y


def layout(model: Model) -> TreeLayout:
    """Return the drawing of a model's tree."""
    graph = model.graph
    x = _columns(graph.lower)
    spots = tuple(
        Spot(
            k,
            graph.order[k - 1],
            STEP_X * (x[k] + 0.5),
            STEP_Y * (graph.depth[k - 1] + 1),
            graph.lower[k - 1],
            graph.tree_joint[k - 1],
            type(model[graph.tree_joint[k - 1]]).__name__,
        )
        for k in range(1, len(graph.order) + 1)
    )
    chords = tuple(
        Chord(graph.number[j.first], graph.number[j.second], j.name, type(j).__name__)
        for j in (model[name] for name in graph.loops)
    )
    columns = max((value for k, value in x.items() if k), default=0.0) + 1.0
    height = STEP_Y * (max(graph.depth, default=0) + 1)
    return TreeLayout(spots, chords, STEP_X * columns, height)


def _columns(lower: tuple[int, ...]) -> dict[int, float]:
    """Return the column of each body: leaves in turn, others over the middle of theirs."""
    children: dict[int, list[int]] = {k: [] for k in range(len(lower) + 1)}
    for k, low in enumerate(lower, start=1):
        children[low].append(k)
    found: dict[int, float] = {}
    free = 0
    stack = [(0, False)]
    while stack:
        k, done = stack.pop()
        if done:
            ends = [found[child] for child in children[k]]
            found[k] = (min(ends) + max(ends)) / 2.0
        elif children[k]:
            stack.append((k, True))
            stack.extend((child, False) for child in reversed(children[k]))
        else:
            found[k] = float(free)
            free += 1
    return found
