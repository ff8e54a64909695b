"""Questions about machines: root loci, kinematics, equilibria, against peers and references."""

from functools import partial
from typing import Any

import numpy as np

import bellcrank as bc
from bellcrank import examples
from benchmarks.peers import exudyn_modes, sympy_linearizer
from benchmarks.report import Demand, Table, milli
from benchmarks.timing import in_turns, spent

WEAVE, CAPSIZE = 4.292382536341, 6.024262015388
FOUR_BAR, RODS = 4.731024503516, (2.680114012253, 7.188670870288)
"""Frequencies of REFERENCES_ANALYSIS A-D5 and A-D4 [rad/s]."""
LOCUS, SWEEP, REST = 0.100, 0.050, 0.010
"""Largest processor times of 100 speeds, 1,000 positions and one equilibrium [s]."""


def wishbone() -> bc.Model:
    """Return the quarter car of REFERENCES_ANALYSIS A-D7."""
    A, B, C, D = (0.35, 0.30), (0.75, 0.25), (0.42, 0.55), (0.70, 0.56)
    E, W, F = (0.45, 0.75), (0.80, 0.32), (0.60, 0.26875)
    turns = (1.2, 1.2, 1.2, 0, 0, 0)
    return bc.Model(
        "double wishbone",
        planar=True,
        bodies=[
            bc.Body("chassis", mass=400.0, com=(0, 0.5), inertia=turns),
            bc.Body("lower", bc.Rod(A, B, mass=5.0)),
            bc.Body("upper", bc.Rod(C, D, mass=3.0)),
            bc.Body("upright", mass=40.0, com=W, inertia=turns),
        ],
        joints=[
            bc.Prismatic("slide", "ground", "chassis", at=(0, 0), axis="y"),
            bc.Revolute("A", "chassis", "lower", at=A),
            bc.Revolute("C", "chassis", "upper", at=C),
            bc.Revolute("B", "lower", "upright", at=B),
            bc.Revolute("D", "upper", "upright", at=D),
        ],
        forces=[
            bc.SpringDamper("strut", ("chassis", E), ("lower", F), stiffness=40_000.0,
                            damping=2_500.0, length=0.66),
            bc.Force("tyre", "upright", (0, "200000 * (0.32 - W.position_y)", 0), at=W),
        ],
        points=[bc.Point("W", "upright", at=W)],
    )  # fmt: skip


def locus(bicycle: bc.Model) -> bc.Locus:
    """Return the root locus of the bicycle, 100 speeds."""
    speeds = np.linspace(0.0, 10.0, 100)
    return bc.modes(bicycle, {}, over={"rear.angle_rate": -speeds / 0.3})


def sweep(suspension: bc.Model) -> Any:
    """Return the place of the axle of the five-link suspension at 1,000 heights of its hub."""
    heights = np.linspace(0.27, 0.43, 1000)
    found = bc.kinematics(suspension, {"hub.position_z": heights})
    return found.plain("axle.position")


def four_bar() -> bc.Model:
    """Return the plain four-bar with a spring of 30 N m/rad on its crank."""
    base = examples.load("four-bar")
    return base.add(bc.JointSpring("spring", "A", stiffness=30.0, rest=-np.pi / 2))


def questions() -> Table:
    """Return the times of questions about machines, and how right peers are."""
    bicycle, suspension = examples.load("bicycle"), examples.load("suspension")
    car, loaded = wishbone(), four_bar()
    speeds, rest = -0.3 * locus(bicycle).crossings, bc.equilibrium(car)
    sweep(suspension)
    times = in_turns(
        partial(locus, bicycle), partial(sweep, suspension), partial(bc.equilibrium, car)
    )
    height = abs(rest["slide.offset"] + 0.054881608106)
    pole = np.abs(bc.equilibrium(loaded, {"A": -2.0}).linear.poles).max()
    rods = bc.modes(examples.load("double-pendulum")).frequencies
    their_time, theirs = spent(exudyn_modes.frequency)
    long, sympy = spent(sympy_linearizer.frequencies)
    off = max(abs(speeds[0] / WEAVE - 1), abs(speeds[1] / CAPSIZE - 1))
    rows = [
        ["bicycle, 100 speeds", milli(times[0]), f"{off:.1e}"],
        ["five-link suspension, 1,000 positions", milli(times[1]), ""],
        ["double wishbone, equilibrium", milli(times[2]), f"{height / 0.0549:.1e}"],
        ["loaded four-bar, frequency", "", f"{abs(pole / FOUR_BAR - 1):.1e}"],
        [exudyn_modes.NAME, milli(their_time), f"{abs(theirs / FOUR_BAR - 1):.1e}"],
        ["two rods, frequencies", "", f"{np.abs(rods / RODS - 1).max():.1e}"],
        [sympy_linearizer.NAME, milli(long), f"{np.abs(sympy / RODS - 1).max():.1e}"],
    ]  # fmt: skip
    demands = [
        Demand(f"{what}, processor seconds", seconds, wanted, at_least=False, form="{:.4f}")
        for what, seconds, wanted in zip(
            ("bicycle, 100 speeds", "five-link, 1,000 positions", "wishbone, equilibrium"),
            times, (LOCUS, SWEEP, REST), strict=True,
        )
    ]  # fmt: skip
    return Table(
        "Questions about machines, one core, after compilation",
        ["question", "processor time [ms]", "relative error"],
        rows,
        "Errors against REFERENCES_ANALYSIS. Exudyn leaves the derivative of the constraint "
        "forces out of the stiffness of this machine; SymPy derives the equations first.",
        demands,
        {"locus": times[0], "sweep": times[1], "equilibrium": times[2],
         "exudyn": theirs, "sympy_seconds": long},
    )  # fmt: skip
