"""The three recursions of a tree, O(n) in the number of links (the mass matrix O(n · depth)).

    accelerations   articulated inertias inwards, accelerations outwards     u̇ = A⁻¹ (f + e)
    efforts         accelerations outwards, wrenches inwards                 A u̇ − f
    mass matrix     composite inertias inwards                               A

References:
    Featherstone (2008), Rigid Body Dynamics Algorithms, ch. 5 to 7; written here with classical
    accelerations at the joints' points instead of spatial ones.
"""

import math
from dataclasses import dataclass

from bellcrank.formulations.joint_coordinates.inertia import Articulated
from bellcrank.formulations.joint_coordinates.steps import FreeMotion, RateColumn
from bellcrank.formulations.joint_coordinates.tree import Tree
from bellcrank.spatial.arithmetic import (
    ORIGIN,
    SYMMETRIC_INDEX,
    SYMMETRIC_PAIRS,
    Scalar,
    Vector,
    add,
    dot,
    each,
    mul,
    neg,
    plus,
    scaled,
    sub,
    unit,
)

Wrenches = dict[int, tuple[Vector, Vector]]
"""Torque about the origin of a link's frame and force, along that frame, by link number."""


@dataclass(frozen=True, slots=True)
class Removed:
    """A column taken out of an articulated inertia: u̇ = sign (x − U/D · (α, a))."""

    column: RateColumn
    turn: Vector
    slide: Vector
    x: Scalar


def accelerations(tree: Tree, gravity: Vector, wrenches: Wrenches, efforts: Vector) -> Vector:
    """Return u̇.

    Args:
        tree: The tree at its q and u.
        gravity: Of the world [m/s²], shape (3,).
        wrenches: Applied to links, gravity excepted.
        efforts: Generalized efforts [N m or N], one per speed.
    """
    removed = _inwards(tree, wrenches, efforts)
    return _outwards(tree, gravity, removed, len(efforts))


def _inwards(
    tree: Tree, wrenches: Wrenches, efforts: Vector
) -> dict[tuple[int, int], list[Removed]]:
    """Return the columns removed at each step of each link."""
    links = tree.layout.links
    gathered: list[Articulated | None] = [None] * len(links)
    removed: dict[tuple[int, int], list[Removed]] = {}
    for number in range(len(links) - 1, 0, -1):
        w = tree.spins[number]
        n, f = tree.inertia[number].bias(w[-1])
        if number in wrenches:
            torque, force = wrenches[number]
            n, f = plus(n, scaled(-1.0, torque)), plus(f, scaled(-1.0, force))
        inertia = tree.inertia[number].articulated(n, f)
        outer = gathered[number]
        if outer is not None:
            inertia = inertia + outer
        for place in range(len(tree.steps[number]) - 1, -1, -1):
            step = tree.steps[number][place]
            if isinstance(step, FreeMotion):
                inertia, removed[number, place] = _without(inertia, step, efforts)
            inertia = step.articulated(inertia, w[place])
        parent = links[number].parent
        if parent:
            before = gathered[parent]
            gathered[parent] = inertia if before is None else before + inertia
    return removed


def _without(
    inertia: Articulated, freedom: FreeMotion, efforts: Vector
) -> tuple[Articulated, list[Removed]]:
    """Return the inertia that is felt through a freedom, and the columns removed."""
    removed = []
    for column in freedom.columns:
        k, turn, slide = column.axis, column.turn, column.slide
        J, H, M = inertia.J, inertia.H, inertia.M
        index = SYMMETRIC_INDEX[k]
        U_turn = [add(mul(turn, J[index[i]]), mul(slide, H[i][k])) for i in range(3)]
        U_slide = [add(mul(turn, H[k][i]), mul(slide, M[index[i]])) for i in range(3)]
        D = add(mul(turn, U_turn[k]), mul(slide, U_slide[k]))
        push = column.effort(inertia.n, inertia.f)
        if type(D) is float and D == 0.0:  # nothing has inertia against it: not determined
            inverse = x = math.nan
        else:
            inverse = 1.0 / D
            x = mul(inverse, mul(column.sign, sub(efforts[column.index], push)))
        V_turn, V_slide = list(scaled(inverse, U_turn)), list(scaled(inverse, U_slide))
        # Where the column is a pure turn or slide, its own entry is exactly one, and the rows
        # it leaves behind are exactly zero; said so, they vanish from the graph.
        if turn == 1.0 and type(slide) is float and slide == 0.0:
            V_turn[k] = 1.0
        elif turn == 0.0 and type(slide) is float and slide == 1.0:
            V_slide[k] = 1.0
        removed.append(Removed(column, V_turn, V_slide, x))
        inertia = Articulated(
            [_less(J[SYMMETRIC_INDEX[i][j]], U_turn, V_turn, i, j) for i, j in SYMMETRIC_PAIRS],
            [[_less(H[i][j], V_turn, U_slide, i, j) for j in range(3)] for i in range(3)],
            [
                _less(M[SYMMETRIC_INDEX[i][j]], U_slide, V_slide, i, j)
                for i, j in SYMMETRIC_PAIRS
            ],
            plus(inertia.n, scaled(x, U_turn)),
            plus(inertia.f, scaled(x, U_slide)),
        )
        inertia = _cleared(inertia, column)
    return inertia, removed


def _less(entry: Scalar, a: Vector, b: Vector, i: int, j: int) -> Scalar:
    return sub(entry, mul(a[i], b[j]))


def _cleared(inertia: Articulated, column: RateColumn) -> Articulated:
    """Return the inertia with the rows that a pure turn or slide leaves empty set to zero."""
    k = column.axis
    if column.turn == 1.0 and type(column.slide) is float and column.slide == 0.0:
        J = [
            0.0 if k in pair else x for pair, x in zip(SYMMETRIC_PAIRS, inertia.J, strict=True)
        ]
        H = [[0.0] * 3 if i == k else row for i, row in enumerate(inertia.H)]
        return Articulated(J, H, inertia.M, inertia.n, inertia.f)
    if column.turn == 0.0:
        M = [
            0.0 if k in pair else x for pair, x in zip(SYMMETRIC_PAIRS, inertia.M, strict=True)
        ]
        H = [[0.0 if j == k else x for j, x in enumerate(row)] for row in inertia.H]
        return Articulated(inertia.J, H, M, inertia.n, inertia.f)
    return inertia


def _outwards(
    tree: Tree, gravity: Vector, removed: dict[tuple[int, int], list[Removed]], nu: int
) -> Vector:
    """Return u̇ from the removed columns, going outwards."""
    ud: list[Scalar] = [0.0] * nu
    # Gravity is an acceleration of the ground the other way.
    motion: list[tuple[Vector, Vector]] = [(ORIGIN, each(neg, gravity))]
    for number in range(1, len(tree.steps)):
        al, a = motion[tree.layout.links[number].parent]
        w = tree.spins[number]
        for place, step in enumerate(tree.steps[number]):
            al, a = step.accelerated(w[place], al, a)
            for part in reversed(removed.get((number, place), [])):
                column = part.column
                y = sub(part.x, add(dot(part.turn, al), dot(part.slide, a)))
                ud[column.index] = mul(column.sign, y)
                al = plus(al, unit(column.axis, mul(column.turn, y)))
                a = plus(a, unit(column.axis, mul(column.slide, y)))
        motion.append((al, a))
    return ud


def needed_efforts(tree: Tree, gravity: Vector, wrenches: Wrenches) -> Vector:
    """Return A u̇ − f, the efforts needed for the tree's u̇; arguments as of `accelerations`."""
    links = tree.layout.links
    motion: list[tuple[Vector, Vector]] = [(ORIGIN, each(neg, gravity))]
    for number in range(1, len(links)):
        al, a = motion[links[number].parent]
        for w, step in zip(tree.spins[number], tree.steps[number], strict=False):
            al, a = step.accelerated(w, al, a)
            if isinstance(step, FreeMotion):
                turn, slide = step.motion("ud")
                al, a = plus(al, turn), plus(a, slide)
        motion.append((al, a))
    efforts: list[Scalar] = [0.0] * len(tree.u)
    carried = [(ORIGIN, ORIGIN)] * len(links)
    for number in range(len(links) - 1, 0, -1):
        n, f = tree.inertia[number].wrench(*motion[number])
        n_bias, f_bias = tree.inertia[number].bias(tree.spins[number][-1])
        torque, force = wrenches.get(number, (ORIGIN, ORIGIN))
        n = plus(n, n_bias, carried[number][0], scaled(-1.0, torque))
        f = plus(f, f_bias, carried[number][1], scaled(-1.0, force))
        for step in reversed(tree.steps[number]):
            if isinstance(step, FreeMotion):
                for column in step.columns:
                    efforts[column.index] = column.effort(n, f)
            n, f = step.wrench(n, f)
        parent = links[number].parent
        carried[parent] = plus(carried[parent][0], n), plus(carried[parent][1], f)
    return efforts


def mass_entries(tree: Tree) -> dict[tuple[int, int], Scalar]:
    """Return the entries of A with row ≥ column; all others are zero or mirror images."""
    links, entries = tree.layout.links, {}
    composite = list(tree.inertia)
    for number in range(len(links) - 1, 0, -1):
        inertia = composite[number]
        for place in range(len(tree.steps[number]) - 1, -1, -1):
            step = tree.steps[number][place]
            if isinstance(step, FreeMotion):
                for column in step.columns:
                    _fill_row(
                        tree,
                        number,
                        place,
                        column,
                        inertia.wrench(*column.amount(1.0)),
                        entries,
                    )
            inertia = step.rigid(inertia)
        parent = links[number].parent
        if parent:
            composite[parent] = composite[parent] + inertia
    return entries


def _fill_row(
    tree: Tree,
    number: int,
    place: int,
    column: RateColumn,
    wrench: tuple[Vector, Vector],
    entries: dict[tuple[int, int], Scalar],
) -> None:
    """Enter what a column's wrench does along all columns at or inside of it."""
    n, f = wrench
    while number:
        for step in reversed(tree.steps[number][: place + 1]):
            if isinstance(step, FreeMotion):
                for other in step.columns:
                    row, col = max(column.index, other.index), min(column.index, other.index)
                    entries[row, col] = other.effort(n, f)
            n, f = step.wrench(n, f)
        number = tree.layout.links[number].parent
        place = len(tree.steps[number]) - 1
