"""What must hold for any machine in any state.

Rates along the motion are exact derivatives taken by CasADi, so that a law is held to rounding
and not to a difference quotient. Each law takes an `Evaluated` machine, q and u.
"""

from collections.abc import Callable
from typing import Any

import casadi as ca
import numpy as np
from tests.laws.evaluation import Evaluated

Law = Callable[[Evaluated, np.ndarray, np.ndarray], None]


def close(found: Any, expected: Any, scale: float = 0.0, tol: float = 1e-9) -> None:
    """Compare to `tol` of the largest value in sight."""
    found, expected = np.asarray(found, dtype=float), np.asarray(expected, dtype=float)
    largest = max(
        1.0, scale, *(float(np.max(np.abs(x), initial=0.0)) for x in (found, expected))
    )
    np.testing.assert_allclose(found, expected, rtol=0, atol=tol * largest)


def along_the_motion(
    machine: Evaluated, slot: str, q: np.ndarray, u: np.ndarray, a: np.ndarray, *own: np.ndarray
) -> list[np.ndarray]:
    """Return d/dt of the outputs of a slot for given accelerations, time held."""
    rates = machine.rates(q, u)
    x, y = ca.SX.sym("q", len(q)), ca.SX.sym("u", len(u))
    sizes = machine.equations.sizes
    rest = [np.zeros(sizes["s"]), np.zeros(sizes["w"]), machine.parameters, machine.modes(q, u)]
    outputs = machine.equations.function(slot).call([0.0, x, y, *rest, *own])
    found = []
    for output in outputs:
        flat = ca.vec(output)
        rate = ca.jtimes(flat, x, ca.DM(rates)) + ca.jtimes(flat, y, ca.DM(a))
        value = ca.Function("rate", [x, y], [rate])(q, u).full()
        found.append(value.reshape(output.shape, order="F"))
    return found


def gradient(machine: Evaluated, slot: str, number: int, q: np.ndarray, u: np.ndarray):
    """Return the derivative of one scalar output by q, shape (nq,)."""
    x = ca.SX.sym("q", len(q))
    sizes = machine.equations.sizes
    rest = [np.zeros(sizes["s"]), np.zeros(sizes["w"]), machine.parameters, machine.modes(q, u)]
    output = machine.equations.function(slot).call([0.0, x, u, *rest])[number]
    return ca.Function("gradient", [x], [ca.jacobian(output, x)])(q).full()[0]


def energies(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> tuple[float, float]:
    """Return kinetic and potential energy [J]."""
    kinetic, potential = machine("energy", q, u)[:2]
    return float(kinetic[0]), float(potential[0])


def kinetic_energy_is_half_u_M_u(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> None:
    """½ uᵀ M u = T."""
    close(u @ machine.mass(q, u) @ u / 2, energies(machine, q, u)[0])


def mass_is_symmetric_and_positive(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> None:
    """M = Mᵀ > 0."""
    M = machine.mass(q, u)
    close(M, M.T, tol=1e-13)
    if machine.nu:
        assert np.linalg.eigvalsh(M).min() > 0


def forward_undoes_inverse(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> None:
    """The recursion under the efforts A a − f gives back a; they are also M a − f."""
    a = np.random.default_rng(1).normal(size=machine.nu)
    efforts = machine("residual", q, u, a, np.zeros(0))[0]
    close(efforts, machine.mass(q, u) @ a - machine.force(q, u))
    close(machine.accelerations(q, u, efforts), a, tol=1e-8)


def power_put_in_is_energy_gained(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> None:
    """dE/dt = power of what is not conservative."""
    a = machine.accelerations(q, u)
    gained = along_the_motion(machine, "energy", q, u, a)
    power = machine("power", q, u)[0]
    close(gained[0] + gained[1], np.sum(power), scale=float(abs(gained[0][0, 0])))


def velocity_is_the_rate_of_position(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> None:
    """ṙ = v, and ṙ̇ = a, for the mass centre of every body; ω̇ = α."""
    a = machine.accelerations(q, u)
    _, twist, acceleration = machine.bodies(q, u, a)
    pose_rate, twist_rate, _ = along_the_motion(machine, "bodies", q, u, a, a)
    close(pose_rate[:3], twist[3:])
    close(twist_rate, acceleration)


def angular_velocity_is_the_rate_of_attitude(
    machine: Evaluated, q: np.ndarray, u: np.ndarray
) -> None:
    """ṗ = ½ (0, ω) p for the Euler parameters p of every body, ω along the world's axes."""
    a = np.zeros(machine.nu)
    pose, twist, _ = machine.bodies(q, u, a)
    rate = along_the_motion(machine, "bodies", q, u, a, a)[0][3:]
    for p, pd, w in zip(pose[3:].T, rate.T, twist[:3].T, strict=True):
        close(p @ p, 1.0, tol=1e-12)
        close(pd, 0.5 * np.concatenate([[-w @ p[1:]], p[0] * w + np.cross(w, p[1:])]))


def conservative_force_is_the_slope_of_the_potential(
    machine: Evaluated, q: np.ndarray, u: np.ndarray
) -> None:
    """At rest, without what is not conservative, f = −Wᵀ ∂V/∂q."""
    rest = np.zeros_like(u)
    W = machine("kinematics", q, rest)[0].reshape(len(q), machine.nu)
    slope = gradient(machine, "energy", 1, q, rest)
    close(machine.force(q, rest), -W.T @ slope)


def jacobians_are_derivatives(machine: Evaluated, q: np.ndarray, u: np.ndarray) -> None:
    """`residual_jacobian` is the derivative of `residual`, in q through the tangent."""
    a = np.random.default_rng(2).normal(size=machine.nu)
    x, y = ca.SX.sym("q", len(q)), ca.SX.sym("u", len(u))
    sizes = machine.equations.sizes
    rest = [np.zeros(sizes["s"]), np.zeros(sizes["w"]), machine.parameters, machine.modes(q, u)]
    r = machine.equations.function("residual").call([0.0, x, y, *rest, a, np.zeros(0)])[0]
    by_q, by_u = ca.Function("slopes", [x, y], [ca.jacobian(r, x), ca.jacobian(r, y)])(q, u)
    T = machine("kinematics", q, u)[0].reshape(len(q), -1) if machine.nu else np.eye(len(q))
    r_q, r_u = machine("residual_jacobian", q, u, a, np.zeros(0))
    close(r_q.reshape(machine.nu, T.shape[1]), by_q.full() @ T)
    close(r_u.reshape(machine.nu, machine.nu), by_u.full())


LAWS: tuple[Law, ...] = (
    kinetic_energy_is_half_u_M_u,
    mass_is_symmetric_and_positive,
    forward_undoes_inverse,
    power_put_in_is_energy_gained,
    velocity_is_the_rate_of_position,
    angular_velocity_is_the_rate_of_attitude,
    jacobians_are_derivatives,
)
"""The laws that any machine obeys whatever acts on it."""
