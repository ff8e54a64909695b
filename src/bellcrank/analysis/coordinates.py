"""Independent coordinates by name, the same in every formulation: those of joints.

Angles and lengths are what results call them, `A.angle` with its rate `A.angle_rate`. Where a
joint has an orientation, small turns are counted by a rotation vector along the axes of its
first body: `F.rotation_x`, with its rate `F.rotation_x_rate`:

    R + δR = (1 + δθ~) R,   δθ̇ = R δω′,   δθ̈ = R δω̇′ + ω × δθ̇

ω′ being along the axes of the second body, ω = R ω′ along those of the first. In a steady
motion such a joint turns at Ω about axes of its first body and spins at σ about axes of its
second:

    ω = Ω + R σ,   ω̇ = Ω × R σ,   v̇ = Ω × v

Small turns and displacements are then counted along axes that turn at Ω, in which the linear
equations are constant: δη̇ = δθ̇ − Ω × δθ, δη̈ = δθ̈ − 2 Ω × δθ̇ + Ω × (Ω × δθ).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from bellcrank.errors import OptionError, UnknownName
from bellcrank.linear import rank
from bellcrank.machine.arguments import names_given
from bellcrank.machine.system import System
from bellcrank.model import Model
from bellcrank.model.names import Channel, components, quantity_of
from bellcrank.spatial.attitudes import rotation_matrices
from bellcrank.units import QUANTITIES

Array = np.ndarray
THRESHOLDS = (0.3, 0.03, 1e-3, 1e-6)  # of its size, that a coordinate must add to be chosen
FAINT = 0.03  # of the largest motions: what moves less is measured by this


@dataclass(frozen=True)
class Coordinate:
    """One scalar coordinate of a joint, or one component of its turning.

    Attributes:
        name: Such as `A.angle` or `F.rotation_x`.
        rate: The name of its rate.
        joint: Whose it is.
        unit: Of the coordinate.
    """

    name: str
    rate: str
    joint: str
    unit: str


@dataclass(frozen=True)
class SeenJoints:
    """Coordinates of joints and their changes along directions, for a batch of states.

    Attributes:
        coordinates: What is seen.
        position: Changes of them, shape (b, n, k).
        rate: Changes of their rates.
        acceleration: Changes of their accelerations.
        value: Their own values; zero for turnings, shape (b, n).
        speed: Their rates.
        push: Their accelerations.
        axes: R of joints that have an orientation, by name, shape (b, 3, 3).
    """

    coordinates: tuple[Coordinate, ...]
    position: Array
    rate: Array
    acceleration: Array
    value: Array
    speed: Array
    push: Array
    axes: Mapping[str, Array]


def seen(
    model: Model,
    system: System,
    y: Array,
    dy: Array,
    spins: Mapping[str, Array] | None = None,
) -> SeenJoints:
    """Return the coordinates of all joints, with what `observe` shows and how it changes.

    Args:
        model: The machine.
        system: Its equations.
        y: All channels, shape (b, ny).
        dy: Their changes along directions, shape (b, ny, k).
        spins: σ of joints in a steady motion, whose axes turn at the rest of their turning;
            None for axes that do not turn.
    """
    places, start = {}, 0
    for channel in system.equations.channels:
        places[channel.name] = slice(start, start + channel.size)
        start += channel.size

    def parts(name: str) -> tuple[Array, Array]:
        return y[:, places[name]], dy[:, places[name]]

    found, blocks, axes = [], [], {}
    for joint in model.joints:
        names = zip(joint.coordinates, joint.speeds, joint.accelerations, strict=True)
        for at, by, push in names:
            triple = [parts(f"{joint.name}.{name}") for name in (at, by, push)]
            if at == "orientation":
                found += _turning(joint.name)
                blocks.append(_turned(*triple))
                axes[joint.name] = rotation_matrices(triple[0][0])
            else:
                found += _plain(joint.name, at, by, triple[0][0].shape[-1])
                (v, dv), (r, dr), (p, dp) = triple
                blocks.append((dv, dr, dp, v, r, p))
    if not found:
        empty, none = np.zeros((len(y), 0, dy.shape[-1])), np.zeros((len(y), 0))
        return SeenJoints((), empty, empty, empty, none, none, none, {})
    whole = (np.concatenate(each, axis=1) for each in zip(*blocks, strict=True))
    made = SeenJoints(tuple(found), *whole, axes=axes)
    return made if spins is None else _along(made, spins)


def vectors(joints: Sequence[Coordinate], joint: str, kind: str) -> list[int]:
    """Return the numbers of the three coordinates of a joint of a kind; none where it has none.

    Args:
        joints: All coordinates.
        joint: The joint.
        kind: `rotation` or `position`.
    """
    names = [f"{joint}.{kind}_{axis}" for axis in "xyz"]
    return [i for i, c in enumerate(joints) if c.name in names]


def _along(joints: SeenJoints, spins: Mapping[str, Array]) -> SeenJoints:
    """Return coordinates along axes that turn steadily with joints."""
    rate, acceleration = joints.rate.copy(), joints.acceleration.copy()
    for joint, R in joints.axes.items():
        turns = vectors(joints.coordinates, joint, "rotation")
        spin = spins.get(joint, np.zeros(3))
        Omega = joints.speed[:, turns] - (R @ spin[..., None])[..., 0]
        for rows in (turns, vectors(joints.coordinates, joint, "position")):
            if not rows:
                continue
            at, by = joints.position[:, rows], joints.rate[:, rows]
            carried = -_cross(at, Omega)  # Ω × δθ
            rate[:, rows] -= carried
            acceleration[:, rows] += 2 * _cross(by, Omega) - _cross(carried, Omega)
    return replace(joints, rate=rate, acceleration=acceleration)


def _plain(joint: str, at: str, by: str, size: int) -> list[Coordinate]:
    unit = QUANTITIES[quantity_of(at)].unit
    names = zip(
        components(f"{joint}.{at}", size), components(f"{joint}.{by}", size), strict=True
    )
    return [Coordinate(name, rate, joint, unit) for name, rate in names]


def _turning(joint: str) -> list[Coordinate]:
    names = [f"{joint}.rotation_{axis}" for axis in "xyz"]
    return [Coordinate(name, f"{name}_rate", joint, "rad") for name in names]


def _turned(
    orientation: tuple[Array, Array], turning: tuple[Array, Array], push: tuple[Array, Array]
) -> tuple[Array, ...]:
    """Return the blocks of a rotation vector along the axes of the first body."""
    (p, dp), (w, dw), (al, dal) = orientation, turning, push
    theta = _rotation_vector(p, dp)
    R = rotation_matrices(p)
    omega, alpha = ((R @ each[..., None])[..., 0] for each in (w, al))
    rate = R @ dw
    return theta, rate, R @ dal - _cross(rate, omega), np.zeros_like(omega), omega, alpha


def _cross(theta: Array, vector: Array) -> Array:
    """Return θ × v for many θ, shape (b, 3, k), and one v, shape (b, 3)."""
    turned = np.cross(np.swapaxes(theta, 1, 2), vector[:, None, :])
    return np.swapaxes(turned, 1, 2)


def _rotation_vector(p: Array, dp: Array) -> Array:
    """Return δθ of δR Rᵀ for a change of Euler parameters: 2 vec(δp p*), shape (b, 3, k)."""
    e0, e = p[:, 0, None, None], p[:, 1:]
    d0, d = dp[:, :1], dp[:, 1:]
    cross = _cross(d, e)  # δe × e; of δp p* it enters with a minus sign
    return 2 * (e0 * d - d0 * e[..., None] - cross)


def choose(
    candidates: Sequence[Coordinate],
    rows: Array,
    length: float,
    count: int,
    wanted: Sequence[str] = (),
    first: Sequence[int] = (),
) -> list[int]:
    """Return which coordinates are independent and say all there is.

    They are taken in the order of the joints, where they say something new; those that say
    little new, only where others do not suffice.

    Args:
        candidates: Coordinates or their rates.
        rows: Their changes along all directions that are free, shape (n, k).
        length: Of the machine [m].
        count: How many there must be.
        wanted: Names that the user chose; all of them are taken.
        first: Numbers of those to be tried first.

    Raises:
        OptionError: The names do not say all there is, or repeat each other.
    """
    names = [c.name for c in candidates]
    sizes = np.array([length if c.unit == "m" else 1.0 for c in candidates])
    rows = rows / sizes[:, None]
    # Directions are made orthonormal in what they move: the choice is that of the machine, not
    # of the basis in which a formulation happens to see it.
    rows = np.linalg.svd(rows, full_matrices=False)[0][:, :count]
    order = [names.index(name) for name in wanted]
    if wanted:
        chosen = _taken(rows, order, 1e-9, [], count)
        if len(chosen) < len(order) or len(chosen) < count:
            raise OptionError(_not_independent(names, order, chosen, count))
        return chosen
    order = [*first, *(i for i in range(len(names)) if i not in first)]
    chosen: list[int] = []
    for threshold in THRESHOLDS:
        chosen = _taken(rows, order, threshold, chosen, count)
        if len(chosen) == count:
            break
    return chosen


def _taken(
    rows: Array, order: Sequence[int], threshold: float, chosen: list[int], count: int
) -> list[int]:
    """Return what is chosen, and those in order that add enough to it."""
    own = np.maximum(np.linalg.norm(rows, axis=1), FAINT)
    return rank.in_order(rows, threshold * own, order, chosen, count)


def _not_independent(
    names: Sequence[str], order: Sequence[int], chosen: Sequence[int], count: int
) -> str:
    repeated = [names[i] for i in order if i not in chosen]
    if repeated:
        return (
            f"coordinates {', '.join(map(repr, repeated))} follow from the others named here. "
            f"Name {count} that are independent."
        )
    free = [name for i, name in enumerate(names) if i not in chosen]
    return (
        f"the machine has {count} independent coordinates, got {len(order)}. Name as many; "
        f"there are also {', '.join(map(repr, free[:8]))}."
    )


def check_names(
    wanted: Sequence[str], candidates: Sequence[Coordinate], whole: bool = False
) -> list[str]:
    """Return names of coordinates; a bare joint means its only one, or all where `whole`.

    Raises:
        UnknownName: There is none of that name.
    """
    names = [c.name for c in candidates]
    own: dict[str, list[str]] = {}
    for c in candidates:
        own.setdefault(c.joint, []).append(c.name)
    found = []
    for name in names_given("coordinates", wanted):
        if name in names:
            found.append(name)
        elif len(own.get(name, ())) == 1 or (whole and name in own):
            found += own[name]
        else:
            raise UnknownName("coordinate", name, own.get(name) or names)
    return found


def channel_places(channels: Sequence[Channel]) -> dict[str, int]:
    """Return where every scalar of `observe` is, by name."""
    names = [part for channel in channels for part in components(channel.name, channel.size)]
    return {name: i for i, name in enumerate(names)}
