"""Nystrom4: Nyström's method for equations of second order."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bellcrank.errors import OptionError
from bellcrank.integrators.methods.method import FixedStep

if TYPE_CHECKING:
    from bellcrank.integrators.native.stepper import Stepper
    from bellcrank.integrators.problem import Problem


@dataclass(frozen=True)
class Nystrom4(FixedStep):
    """Nyström's method of order 4 for q̈ = f(t, q, q̇), with steps of fixed length.

    Variables s of a machine are rates like q̇, of integrals ∫ s dt which nothing reads:

        (q, ∫ s dt)¨ = (run, g)(t, q, q̇, s)

    is of the same form, so that they are integrated with the same order.

    Examples:
        >>> import bellcrank as bc
        >>> bc.Nystrom4(step=1e-3).order
        4
    """

    order: ClassVar[int] = 4

    @classmethod
    def shape(cls) -> tuple[int, int]:
        """Rows for k₁ to k₄ and the end of the step, and of the cubic between the ends."""
        return 5, 4

    @classmethod
    def stepper(cls, constrained: bool) -> "Stepper":
        """Return its native functions."""
        return _stepper()

    def check(self, problem: "Problem") -> None:
        """Complain where speeds are not the rates of the coordinates."""
        if not problem.second_order:
            raise OptionError(
                "Nystrom4 needs equations of the form q̈ = f(t, q, q̇), where the speeds are "
                f"the rates of the coordinates. Use RK4(step={self.step!r}), which has the "
                "same order."
            )


def _stepper() -> "Stepper":
    """Return the stepper.

    k₁ = f(t, q, u),  k₂ = f(t + h/2, q + h/2 u + h²/8 k₁, u + h/2 k₁),
    k₃ = f(t + h/2, q + h/2 u + h²/8 k₁, u + h/2 k₂),
    k₄ = f(t + h, q + h u + h²/2 k₃, u + h k₃)
    q₁ = q + h u + h²/6 (k₁ + k₂ + k₃),  u₁ = u + h/6 (k₁ + 2 k₂ + 2 k₃ + k₄)

    Variables follow the speeds in u and have no entries in q.
    """
    from bellcrank.integrators.native.stepper import Stepper, hermite
    from bellcrank.integrators.native.vectors import finite
    from bellcrank.kernels.native.run import derivative
    from bellcrank.linear.native.raw import doubles, native

    @native
    def place(run, dt, pulled, bent, part):
        """Set PLACE to q + θh u + ½ θ²h² k of row `bent`, and u + θh k of row `pulled`."""
        nq, stride = run.nq, run.stride
        x, out = doubles(run.x), doubles(run.place)
        bend, pull = (
            doubles(run.slopes + 8 * stride * bent),
            doubles(run.slopes + 8 * stride * pulled),
        )
        for n in range(nq):
            out[n] = x[n] + part * dt * (x[nq + n] + 0.5 * part * dt * bend[nq + n])
        for m in range(nq, run.nx):
            out[m] = x[m] + part * dt * pull[m]

    @native
    def attempt(run):
        time, dt, stride, nq = run.time, run.step, run.stride, run.nq
        x, x1, k = doubles(run.x), doubles(run.x1), doubles(run.slopes)
        if run.f0_valid == 0:
            derivative(run, time, run.x, run.slopes)
            run.f0_valid = 1
        for stage in range(1, 4):
            part = 1.0 if stage == 3 else 0.5
            place(run, dt, stage - 1, 2 if stage == 3 else 0, part)
            derivative(run, time + part * dt, run.place, run.slopes + 8 * stride * stage)
        for n in range(nq):
            m = nq + n
            pulls = k[m] + k[stride + m] + k[2 * stride + m]
            x1[n] = x[n] + dt * (x[m] + dt / 6.0 * pulls)
        for m in range(nq, run.nx):
            inner = k[stride + m] + k[2 * stride + m]
            x1[m] = x[m] + dt / 6.0 * (k[m] + 2.0 * inner + k[3 * stride + m])
        return finite(x1, stride)

    @native
    def dense(run):
        hermite(run, 4)

    return Stepper(
        attempt, dense, order=4, error_order=0, beta=0.0, safety=0.0, blend=4, last=4
    )
