"""Machines as implicit methods with constraints take them.

    q̇ = W u + x,   r(t, q, u, u̇, λ) = A u̇ - f + Cᵀ λ = 0,   C u = ν,   Φ = 0

Nothing is solved for accelerations. Kernels give residuals and exact Jacobians; what is done
with them is in `methods/native`: `index2` (collocation) and `generalized_alpha`. These
leave Jacobians, factors and solutions to one routine, `native/routine.py`, whose address
is in the table; another one for other matrices may take its place.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from bellcrank.constraints.index2 import table as d
from bellcrank.constraints.projecting import Known
from bellcrank.errors import OptionError
from bellcrank.kernels.entries import Native
from bellcrank.kernels.guards import Guards
from bellcrank.kernels.protocol import Machine
from bellcrank.kernels.routines import routine

Array = np.ndarray


class Saddle:
    """A machine given by residuals; kernels are made when they are first needed.

    Args:
        nq: Number of coordinates.
        nu: Number of speeds; q̇ = W u + x determines all but the last `ns`.
        m: Number of rows.
        mh: Those at position level; they come first.
        kernel: Returns the kernel of a slot of the contract by name, all its outputs full:
            `kinematics` W, x; `mass` A; `residual` [a, lam] r; `residual_jacobian` [a, lam]
            r_q T, r_u; `kinematics_jacobian` (W u + x)_q T; and where there are rows `velocity`
            C, ν; `constraint_jacobian` (C u - ν)_q T; where mh > 0 `position` Φ.
        row_scale: Nominal size of the residual of each row, shape (m,).
        speed_scale: Nominal size of each speed, shape (nu,).
        ns: How many of the speeds are auxiliary states: the last ones, with unit masses, zero
            columns of W and C, and no part in what is measured by inertia. Their columns of
            `constraint_jacobian` are (C u - ν)_s.
        normalized: Whether there is a kernel `normalize` of q.
        rank: How many rows are independent; None to find out at the start.
    """

    def __init__(
        self,
        nq: int,
        nu: int,
        m: int,
        mh: int,
        kernel: Callable[[str], Native],
        row_scale: Array,
        speed_scale: Array,
        *,
        ns: int = 0,
        normalized: bool = False,
        rank: int | None = None,
    ) -> None:
        self.nq, self.nu, self.m, self.mh, self.ns = nq, nu, m, mh, ns
        self._kernel, self.rank, self.guards = kernel, rank, Guards()
        self._weight = 1.0 / np.asarray(row_scale, dtype=float)
        self._speed = np.array(speed_scale, dtype=float)
        self._names = ["kinematics", "mass", "residual", "residual_jacobian"]
        self._names += ["kinematics_jacobian"] + ["normalize"] * normalized
        self._names += ["velocity", "constraint_jacobian"] * (m > 0) + ["position"] * (mh > 0)
        for name, values, size in (
            ("row_scale", self._weight, m), ("speed_scale", self._speed, nu),
        ):  # fmt: skip
            least = (
                0.0 if name == "row_scale" else np.finfo(float).tiny
            )  # rows left out weigh 0
            if values.shape != (size,) or not (np.isfinite(values) & (values >= least)).all():
                raise OptionError(f"{name} must be {size} positive numbers, got {values}.")

    @cached_property
    def kernels(self) -> dict[str, Native]:
        """The kernels there are, by name.

        Raises:
            OptionError: One gives more or less than native code has room for.
        """
        found = {name: self._kernel(name) for name in self._names}
        for name, kernel in found.items():
            self._check(name, kernel)
        return found

    def _check(self, name: str, kernel: Any) -> None:
        """Complain about a kernel that says its sizes, if they are not those wanted."""
        nq, nu, m, mh = self.nq, self.nu, self.m, self.mh
        wanted = {
            "kinematics": [nq * nu, nq], "normalize": [nq], "position": [mh],
            "velocity": [m * nu, m], "mass": [nu * nu], "residual": [nu],
            "residual_jacobian": [nu * nu, nu * nu], "constraint_jacobian": [m * nu],
            "kinematics_jacobian": [nq * nu],
        }[name]  # fmt: skip
        given = [port.size for port in getattr(kernel, "outputs", ())]
        if given and given != wanted:
            raise OptionError(
                f"the kernel {name!r} must give {wanted} numbers where there are {nq} "
                f"coordinates, {nu} speeds and {m} rows, got {given}."
            )

    @cached_property
    def places(self) -> dict[str, int]:
        """Where each part of the working memory of a run begins [doubles]."""
        return d.places(self.nq, self.nu, self.m, self.mh)

    @cached_property
    def table(self) -> Array:
        """Its record, laid out in `constraints.index2.table`."""
        table = np.zeros((), d.LAYOUT)
        for name, offset in self.places.items():
            table[name] = offset
        for name in ("nq", "nu", "m", "mh", "ns"):
            table[name] = getattr(self, name)
        table["rank"] = -1 if self.rank is None else self.rank
        table["routine"] = routine("saddle", _find, answers=True)
        for name, kernel in self.kernels.items():
            table[name] = kernel.address
        table["weight"], table["speed"] = self._weight.ctypes.data, self._speed.ctypes.data
        return table

    @property
    def room(self) -> int:
        """Doubles of working memory of a run."""
        return int(self.table["size"])

    @property
    def work(self) -> int:
        """Doubles of scratch that the kernels want."""
        return max(kernel.work for kernel in self.kernels.values())


def saddle_of(system: Machine, p: Array) -> Saddle:
    """Return a machine of straight-line code as implicit methods take it.

    How many of its rows are independent is known where `projecting.chosen` has looked.

    Args:
        system: The machine.
        p: Parameter values in order: rows left out may depend on them.
    """
    known, equations = system.once(Known), system.equations
    found = known.chosen.get(p.tobytes())
    rank = None if found is None else len(found.rows)
    key = (system.left_out(p), rank)
    if key not in known.saddles:
        known.saddles[key] = Saddle(
            len(system.coordinates),
            len(system.speeds) + len(equations.auxiliary),
            len(equations.rows),
            sum(row.level == "position" for row in equations.rows),
            system.extended,
            system.row_scales(p),
            np.array([each.scale for each in (*equations.speeds, *equations.auxiliary)]),
            ns=len(equations.auxiliary),
            normalized=equations.has("normalize"),
            rank=rank,
        )
    return known.saddles[key]


def _find() -> Callable[..., int]:
    from bellcrank.constraints.index2.native.routine import saddle

    return saddle
