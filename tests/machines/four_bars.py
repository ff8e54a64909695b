"""Four-bars of thin rods, drawn by the places of their hinges."""

from collections.abc import Mapping, Sequence
from typing import Any

import bellcrank as bc

IN_SPACE = (0, 0, 0), (0, 0, 1), (2, 0, 2), (2, 0, 0)
"""Places A, B, C, D of the four-bar of the design page."""


def four_bar(
    A: Any,
    B: Any,
    C: Any,
    D: Any,
    *,
    name: str = "four-bar",
    bars: Sequence[str] = ("crank", "coupler", "rocker"),
    masses: Sequence[Any] = (1.0, 2.2, 2.0),
    axes: Mapping[str, Any] | None = None,
    drawn: Mapping[str, float] | None = None,
    **more: Any,
) -> bc.Model:
    """Return rods A–B, B–C and D–C on hinges A to D, of which A and D are on the ground.

    Args:
        A: Place of the crank's hinge on the ground [m]; of two numbers, all is planar.
        B: Place of the hinge between crank and coupler [m].
        C: Place of the hinge between coupler and rocker [m].
        D: Place of the rocker's hinge on the ground [m].
        name: Of the machine.
        bars: Names of the rods.
        masses: Of the rods [kg].
        axes: Directions of hinges by name; in space those that are not named are along y.
        drawn: Angles of hinges in the drawing by name [rad].
        more: Other fields of the model.
    """
    planar = len(A) == 2
    axes, drawn = axes or {}, drawn or {}
    crank, coupler, rocker = bars

    def hinge(name: str, first: str, second: str, at: Any) -> bc.Revolute:
        own = {} if planar else {"axis": axes.get(name, "y")}
        return bc.Revolute(name, first, second, at=at, drawn=drawn.get(name, 0.0), **own)

    return bc.Model(
        name,
        planar=planar,
        bodies=[
            bc.Body(bar, bc.Rod(*ends, mass=mass))
            for bar, ends, mass in zip(bars, ((A, B), (B, C), (D, C)), masses, strict=True)
        ],
        joints=[
            hinge("A", "ground", crank, A),
            hinge("B", crank, coupler, B),
            hinge("C", coupler, rocker, C),
            hinge("D", "ground", rocker, D),
        ],
        **more,
    )


def in_space(**more: Any) -> bc.Model:
    """Return the four-bar of the design page: three times redundant."""
    return four_bar(*IN_SPACE, **more)


def parallelogram(scale: float = 1.0, **more: Any) -> bc.Model:
    """Return a parallelogram 2 wide and 1 high of rods of 1 kg; it passes flat positions."""
    places = [(x * scale, y * scale) for x, y in ((0, 0), (0, 1), (2, 1), (2, 0))]
    return four_bar(*places, name="parallelogram", masses=(1.0, 1.0, 1.0), **more)
