"""What an iteration of the generalized-α method works on, for large machines.

All that is done to vectors is native (`native.sparse_alpha`), on a table of their addresses.
"""

import ctypes
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

import numpy as np

from bellcrank.integrators.batched import table as d
from bellcrank.integrators.methods import GeneralizedAlpha
from bellcrank.integrators.problem import Array
from bellcrank.kernels.batched.assembled import Assembled, AssembledState
from bellcrank.kernels.batched.element_pass import pass_address
from bellcrank.kernels.routines import routine
from bellcrank.machine.batched.matrix import Linear

TURNING = ("angular_velocity", "angle_rate")  # quantities whose steps are angles


@final
class MotionPoint:
    """A point of the motion, which lies in memory as one block.

    Attributes:
        t: Time [s].
        q, u: Coordinates and speeds.
        a: The accelerations that the method averages.
        ud: The true ones, u̇.
        lam: Multipliers.
        k: Memory of the model.
        address: Where the numbers are: q, u, a, u̇, λ, k.
    """

    def __init__(self, t: float, numbers: Array, machine: Assembled) -> None:
        self.t, self.address = t, numbers.ctypes.data
        nq, nu, m = machine.nq, machine.nu, machine.m
        self.q, self.u = numbers[:nq], numbers[nq : nq + nu]
        self.a, self.ud = numbers[nq + nu : nq + 2 * nu], numbers[nq + 2 * nu : nq + 3 * nu]
        self.lam, self.k = numbers[nq + 3 * nu :][:m], numbers[nq + 3 * nu + m :]

    @classmethod
    def begin(
        cls, machine: Assembled, t: float, q: Array, u: Array, a: Array, lam: Array, k: Array
    ) -> "MotionPoint":
        """Return a point where both accelerations are the same."""
        numbers = np.concatenate([q, u, a, a, lam, k])
        if numbers.size != machine.nq + 3 * machine.nu + machine.m + machine.vectors["k"].size:
            raise ValueError(f"{numbers.size} numbers are no point of this machine")
        return cls(t, numbers, machine)


@dataclass(frozen=True)
class Scheme:
    """The numbers of the method: αm, αf, γ and β."""

    am: float
    af: float
    gamma: float
    beta: float

    @classmethod
    def of(cls, method: GeneralizedAlpha) -> "Scheme":
        """Return those of a method: γ for second order, β for damping at high frequency."""
        am, af = method.averages
        gamma = 0.5 - am + af
        return cls(am, af, gamma, 0.25 * (0.5 + gamma) ** 2)

    def share(self, h: float) -> float:
        """Return s = ∂ξ/∂u̇₁."""
        return self.beta * h * h * (1.0 - self.af) / (1.0 - self.am)

    def numbers(self, h: float) -> dict[str, float]:
        """Return what native code takes for steps of h, by the fields of `sparse_table`.

        Speeds and accelerations at the end are linear in ξ − h u₀: their values where that is
        zero are sums of a₀, u̇₀ and u₀ with these factors, and they rise with these slopes.
        """
        b, g, rest, kept = self.beta, self.gamma, 1.0 - self.af, 1.0 - 0.5 / self.beta
        mix, slope = (1.0 - self.am) / rest, 1.0 / (b * h * h)
        return {
            "h": h, "half": 0.5 * h * h, "rise": b * h * h, "share": self.share(h),
            "a_of_a": mix * kept + self.am / rest, "a_of_ud": -self.af / rest,
            "u_of_a": h * (1.0 - g + g * kept), "kept": kept,
            "own_slope": slope, "a_slope": mix * slope, "u_slope": h * g * slope,
            "u_share": b * h / g,
        }  # fmt: skip


@final
class Iteration:
    """The vectors of a step.

    Attributes:
        machine: The machine, whose own vectors are among them.
    """

    def __init__(self, linear: Linear, scheme: Scheme) -> None:
        machine, self._scheme, self._h = linear.machine, scheme, 0.0
        self._linear = linear  # the table has addresses of its vectors and factors
        self.machine, values = machine, machine.vectors
        free, u0, a0, guess = (machine.arena.zeros(machine.nu) for _ in range(4))
        turning = [v.quantity in TURNING for v in machine.equations.speeds]
        turning = np.flatnonzero(turning)
        self._vectors: dict[str, Array] = {}
        self._table = table = np.zeros((), d.LAYOUT)
        self._enter({
            "q": values["q"], "q0": values["q0"], "x": values["x"], "u": values["u"],
            "a": values["a"], "lam": values["lam"], "lacking": machine.lacking,
            "free": free, "u0": u0, "a0": a0, "guess": guess, "scale": linear.scale,
            "turning": turning,
        })  # fmt: skip
        for name in ("nq", "nu", "m", "mh"):
            table[name] = getattr(machine, name)
        table["turns"] = len(turning)
        table["pass_routine"], table["move"] = pass_address(), machine.moving.address
        table["residual"] = machine.element_pass("residual").address
        call = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 5)(routine("sparse_alpha", _find))
        given = table.ctypes.data, 0
        self._remember()
        self._do: Callable[..., Any] = lambda what, one=0, other=0: call(
            *given, one, other, what
        )
        table["lu"], table["matrix"] = linear.factors.routine, linear.factors.address

    def _enter(self, vectors: Mapping[str, Array]) -> None:
        """Enter vectors into the table, and keep them."""
        self._vectors |= vectors
        for name, vector in vectors.items():
            self._table[name] = vector.ctypes.data

    def _remember(self) -> None:
        """Enter into the table how memory is brought up to date."""
        machine, table = self.machine, self._table
        table["nk"] = len(machine.equations.memory)
        if not table["nk"]:
            return
        sides, switches, turns, angles = machine.kept
        kinds = np.zeros(table["nk"], dtype=np.int64)
        kinds[switches], kinds[angles] = d.SIDE, d.ANGLE
        self._enter({"k": machine.vectors["k"], "z": sides, "angles": turns, "kinds": kinds})
        table["memory"] = machine.element_pass("memory").address

    def begin(self, before: MotionPoint, point: MotionPoint, h: float) -> None:
        """Set what is known of a step, and ξ and λ as they are expected.

        Args:
            before: Where the step before began, or the point itself.
            point: Where this one begins.
            h: Its length [s].
        """
        if h != self._h:
            self._length(h)
        self._do(d.BEGIN, before.address, point.address)

    def _length(self, h: float) -> None:
        """Set all that depends on the length of steps alone."""
        self._h = h
        for name, number in self._scheme.numbers(h).items():
            self._table[name] = number

    def place(self) -> AssembledState:
        """Return the state at the end of the step ξ; its vectors are the machine's own."""
        self._do(d.PLACE)
        own = self.machine.vectors
        names = ("q", "u", "w", "k", "a", "lam", "c", "x")
        return AssembledState(float(own["t"][0]), *(own[name] for name in names))

    def correct(self) -> tuple[float, float]:
        """Correct ξ and λ; return the largest change of ξ, and how far it is from the guess."""
        self._do(d.CORRECT)
        return float(self._table["size"]), float(self._table["stray"])

    def end(self, point: MotionPoint) -> MotionPoint:
        """Return the end of a step that was found, from where it began."""
        machine = self.machine
        k = machine.vectors["k"]
        numbers = np.empty(machine.nq + 3 * machine.nu + machine.m + k.size)
        found = MotionPoint(float(machine.vectors["t"][0]), numbers, machine)
        self._do(d.END, point.address, found.address)
        return found


def _find() -> Callable[..., None]:
    from bellcrank.integrators.batched.native import alpha

    return alpha
