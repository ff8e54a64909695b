"""A machine with constraints, given by kernels.

    q̇ = W u + x,   A u̇ = f - Cᵀ λ,   Φ = 0,   C u = ν,   C u̇ = γ

What native code is told about it is a record laid out by `table`.
"""

from dataclasses import dataclass, fields

import numpy as np

from bellcrank.constraints.table import LAYOUT
from bellcrank.errors import OptionError
from bellcrank.kernels import Kernel
from bellcrank.kernels.late import Late

Array = np.ndarray

ARGUMENTS = ("t", "q", "u", "s", "w", "p", "k")


@dataclass(frozen=True, eq=False)
class Constrained:
    """A machine with constraints, given by kernels whose outputs are full matrices.

    Attributes:
        nq, nu, ns: Numbers of coordinates, speeds and auxiliary states.
        m: Number of rows.
        mh: Those at position level; they come first.
        kinematics: Gives W (nq × nu) and x (nq).
        normalize: Gives q back on the invariants of the coordinates, where there are any.
        position: Gives Φ (mh); None where mh = 0.
        velocity: Gives C (m × nu) and ν (m).
        acceleration: Gives γ (m).
        mass: Gives A (nu × nu), definite on the kernel of C.
        force: Gives f (nu).
        jerk: Gives D (m × nu) and d (m), D u̇ = d being the rate of C u̇ = γ without C ü.
        row_scale: Nominal size of the residual of each row, infinite for one that repeats
            others and is left out, shape (m,).
        speed_scale: Nominal size of each speed, shape (nu,).
        auxiliary: Gives ṡ (ns); None where ns = 0.
        auxiliary_scale: Nominal size of each auxiliary state, shape (ns,); ones if None.
        semidefinite: Whether A may be singular, or nearly so, off the kernel of C: then
            A + α Cᵀ C takes its place everywhere.
    """

    nq: int
    nu: int
    ns: int
    m: int
    mh: int
    kinematics: Kernel
    normalize: Kernel | None
    position: Kernel | None
    velocity: Kernel
    acceleration: Kernel
    mass: Kernel
    force: Kernel
    jerk: Kernel | Late | None
    row_scale: Array
    speed_scale: Array
    auxiliary: Kernel | None = None
    auxiliary_scale: Array | None = None
    semidefinite: bool = False

    def __post_init__(self) -> None:
        shapes = {
            "kinematics": ((self.nq, self.nu), (self.nq, 1)),
            "normalize": ((self.nq, 1),),
            "position": ((self.mh, 1),),
            "velocity": ((self.m, self.nu), (self.m, 1)),
            "acceleration": ((self.m, 1),),
            "mass": ((self.nu, self.nu),),
            "force": ((self.nu, 1),),
            "jerk": ((self.m, self.nu), (self.m, 1)),
            "auxiliary": ((self.ns, 1),),
        }
        needed = {"position": self.mh, "auxiliary": self.ns, "normalize": 0, "jerk": 0}
        for name, wanted in shapes.items():
            kernel = getattr(self, name)
            if kernel is not None:
                _check(name, kernel, wanted)
            elif needed.get(name, 1):
                raise OptionError(f"a machine with constraints needs the kernel {name!r}.")
        for name, size in (("row_scale", self.m), ("speed_scale", self.nu)):
            scale = np.asarray(getattr(self, name), dtype=float)
            finite = np.isfinite(scale) | (name == "row_scale")
            if scale.shape != (size,) or not (finite & (scale > 0)).all():
                raise OptionError(f"{name} must be {size} positive numbers, got {scale}.")

    @property
    def kernels(self) -> dict[str, Kernel | Late]:
        """The kernels there are, by name."""
        given = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: kernel for name, kernel in given if isinstance(kernel, Kernel | Late)}


def _check(name: str, kernel: Kernel | Late, wanted: tuple[tuple[int, int], ...]) -> None:
    """Complain about a kernel whose outputs are not full matrices of the wanted shapes."""
    got = [(port.rows, port.cols) for port in kernel.outputs]
    sparse = [port.name for port in kernel.outputs if port.size != port.rows * port.cols]
    taken = tuple(port.name for port in kernel.inputs)
    if sparse:
        raise OptionError(
            f"output {sparse[0]!r} of the kernel {name!r} must be full, but has structural "
            "zeros. Densify it."
        )
    if [a * b for a, b in got] != [a * b for a, b in wanted]:
        raise OptionError(
            f"the kernel {name!r} must give {', '.join(f'{a} × {b}' for a, b in wanted)}, "
            f"got {', '.join(f'{a} × {b}' for a, b in got)}."
        )
    if taken != ARGUMENTS:
        raise OptionError(
            f"the kernel {name!r} must take {', '.join(ARGUMENTS)}, got {', '.join(taken)}."
        )


def scratch(machine: Constrained) -> int:
    """Return the doubles of scratch that the kernels of a machine want."""
    return max(kernel.work for kernel in machine.kernels.values())


def described(
    machine: Constrained, places: dict[str, int]
) -> tuple[tuple[np.ndarray, ...], np.ndarray]:
    """Return numbers about a machine, to be kept alive, and its table."""
    weight = 1.0 / np.asarray(machine.row_scale, dtype=float)
    speed = 1.0 / np.asarray(machine.speed_scale, dtype=float)
    table = np.zeros((), LAYOUT)
    for name, offset in places.items():
        table[name] = offset
    for name in ("nq", "nu", "ns", "m", "mh"):
        table[name] = getattr(machine, name)
    for name, kernel in machine.kernels.items():
        table[name] = kernel.address
    table["weight"], table["speed"] = weight.ctypes.data, speed.ctypes.data
    order = np.arange(max(machine.nu, machine.m), dtype=np.int64)
    table["speed_order"] = table["row_order"] = order.ctypes.data
    table["rank"] = table["rank_h"] = -1
    table["singular_mass"] = machine.semidefinite
    return (weight, speed, order), table
