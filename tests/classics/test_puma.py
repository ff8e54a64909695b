"""PUMA 560 of Corke and Armstrong-Hélouvry (5.1): dynamics at published configurations.

Two of its links are no rigid bodies: link 1 has inertia without mass, and link 3 breaks the
triangle inequality. Link 1 turns about a fixed axis, so any mass on that axis does. The
dynamics are affine in s when s is added to all three moments of link 3, so their value at s = 0
is twice the value at s less the value at 2 s, both of which are rigid bodies.
"""

import numpy as np
import pytest

import bellcrank as bc

# d, a, alpha; mass; com and moments about it, in the link frame; motor J, G, B, Tc
LINKS = (
    (0.67183, 0.0, 1, 1.0, (0, 0, 0), (0.2, 0.35, 0.2), 2e-4, -62.6111, 1.48e-3, 0.395),
    (0.0, 0.4318, 0, 17.4, (-0.3638, 0.006, 0.2275), (0.13, 0.524, 0.539),
     2e-4, 107.815, 0.817e-3, 0.126),
    (0.15005, 0.0203, -1, 4.8, (-0.0203, -0.0141, 0.070), (0.066, 0.086, 0.0125),
     2e-4, -53.7063, 1.38e-3, 0.132),
    (0.4318, 0.0, 1, 0.82, (0, 0.019, 0), (1.8e-3, 1.3e-3, 1.8e-3),
     3.3e-5, 76.0364, 71.2e-6, 11.2e-3),
    (0.0, 0.0, -1, 0.34, (0, 0, 0), (0.3e-3, 0.4e-3, 0.3e-3),
     3.3e-5, 71.923, 82.6e-6, 9.26e-3),
    (0.0, 0.0, 0, 0.09, (0, 0, 0.032), (0.15e-3, 0.15e-3, 0.04e-3),
     3.3e-5, 76.686, 36.7e-6, 3.96e-3),
)  # fmt: skip
S = 0.0075
QN = np.array([0, np.pi / 4, np.pi, 0, np.pi / 4, 0])
MOTORS = np.array([J * G**2 for *_, J, G, _, _ in LINKS])
VISCOUS = np.array([B * G**2 for *_, G, B, _ in LINKS])
DRY = np.array([abs(G) * Tc for *_, G, _, Tc in LINKS])


def puma() -> bc.Model:
    """Return the arm drawn at q = 0, with s on the moments of link 3."""
    s = bc.Parameter("s", S)
    R, p, bodies, joints, lower = np.eye(3), np.zeros(3), [], [], "ground"
    for k, (d, a, turn, mass, com, moments, *_motor) in enumerate(LINKS, start=1):
        at, axis = p, R[:, 2]
        p = p + R @ [a, 0, d]
        R = R @ np.array([[1, 0, 0], [0, 1 - abs(turn), -turn], [0, turn, 1 - abs(turn)]])
        shown = tuple(J + s for J in moments) if k == 3 else moments
        name = f"link{k}"
        pose = bc.Pose(_numbers(p), tuple(_numbers(row) for row in R))
        bodies.append(
            bc.Body(
                name, mass=mass, com=_numbers(p + R @ com), inertia=(*shown, 0, 0, 0), pose=pose
            )
        )
        joints.append(bc.Revolute(f"q{k}", lower, name, at=_numbers(at), axis=_numbers(axis)))
        lower = name
    return bc.Model("PUMA 560", bodies=bodies, joints=joints)


def _numbers(vector) -> tuple[float, ...]:
    return tuple(float(x) for x in vector)


class Arm:
    """The arm's dynamics at s = 0, in the order of its joints."""

    def __init__(self) -> None:
        self.system = bc.compile(puma(), level=0)
        assert tuple(self.system.speeds) == tuple(f"q{k}.angle_rate" for k in range(1, 7))

    def efforts(self, q, u, a) -> np.ndarray:
        """Return the inverse dynamics, motors and friction apart."""
        zero = np.zeros(6)
        near, far = (
            self.system.inverse_dynamics(q, u + zero, a + zero, parameters={"s": s})
            for s in (S, 2 * S)
        )
        return 2 * near - far

    def mass(self, q) -> np.ndarray:
        """Return the mass matrix with the motors' inertia."""
        near, far = (self.system.mass_matrix(q, parameters={"s": s}) for s in (S, 2 * S))
        return 2 * near - far + np.diag(MOTORS)

    def gravity(self, q) -> np.ndarray:
        """Return the efforts at rest."""
        return self.efforts(q, 0.0, 0.0)


@pytest.fixture(scope="module")
def arm() -> Arm:
    return Arm()


def test_gravity(arm):
    """5.1, published to 4 digits, computed to 1e-8."""
    expected = (0, 31.6398803784, 6.035138023, 0, 0.0282528, 0)
    np.testing.assert_allclose(arm.gravity(QN), expected, atol=1e-8)
    at_zero = (0, 37.48366665, 0.24892875, 0, 0, 0)
    np.testing.assert_allclose(arm.gravity(np.zeros(6)), at_zero, atol=1e-8)
    ready = np.array([0, np.pi / 2, -np.pi / 2, 0, 0, 0])
    up = (0, -0.77523525, 0.24892875, 0, 0, 0)
    np.testing.assert_allclose(arm.gravity(ready), up, atol=1e-8)


def test_mass_matrix(arm):
    """5.1, to 1e-8; without motors as well."""
    M = arm.mass(QN)
    diagonal = (
        3.6593754122, 4.4137419336, 0.9378415752, 0.1925317061, 0.1713484517, 0.1941045057,
    )  # fmt: skip
    bare = (2.8753454435, 2.0889270886, 0.3609682433, 0.00174108, 0.00064216, 0.00004)
    np.testing.assert_allclose(np.diag(M), diagonal, atol=1e-8)
    np.testing.assert_allclose(np.diag(M) - MOTORS, bare, atol=1e-8)
    coupling = {
        (1, 2): -0.404361246, (1, 3): 0.1006136478, (1, 4): -0.0025169558, (2, 3): 0.350890665,
        (2, 5): 0.0023595131, (3, 5): 0.0014801664, (4, 6): 2.82843e-5,
    }  # fmt: skip
    for i in range(1, 7):
        for j in range(i + 1, 7):
            assert M[i - 1, j - 1] == pytest.approx(coupling.get((i, j), 0.0), abs=1e-8)
            assert M[i - 1, j - 1] == pytest.approx(M[j - 1, i - 1], abs=1e-14)
    at_zero = arm.mass(np.zeros(6))
    np.testing.assert_allclose(np.diag(at_zero)[:2], (3.9611261043, 4.4566220955), atol=1e-8)


def test_coriolis_forces(arm):
    """5.1, to 1e-8."""
    u = np.array([1.0, 2, 3, 1, 2, 3])
    found = arm.efforts(QN, u, 0.0) - arm.gravity(QN)
    expected = (
        -4.6344217633, 8.7257112246, -1.9268101609, 0.0022557893, 0.0190524334, 0.0003648528,
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=1e-8)


def test_inverse_dynamics(arm):
    """5.1: to 1e-8 without friction, to the four digits published with it."""
    found = arm.efforts(QN, 1.0, 1.0) + MOTORS
    expected = (
        1.962036487, 37.7854298333, 6.6739373224, 0.1912661164, 0.2058204096, 0.1942810742,
    )  # fmt: skip
    np.testing.assert_allclose(found, expected, atol=1e-8)
    published = (32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781)
    np.testing.assert_allclose(found + VISCOUS + DRY, published, rtol=1e-5)


def test_accelerations(arm):
    """5.1: published with friction, to 1e-8 with and without."""
    u = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0])
    tau = np.array([1, 3.2, 1.8, 0.1, 0.7, 4.6])
    load = tau - arm.efforts(QN, u, 0.0)
    M = arm.mass(QN)
    smooth = (
        -0.3540475686, -6.3989262832, -2.0684942475, 0.5112435386, 4.0212231565, 23.6984540652,
    )  # fmt: skip
    np.testing.assert_allclose(np.linalg.solve(M, load), smooth, atol=1e-8)
    rough = (
        -7.4102231637, -9.8432245816, -10.9693984451,
        -4.4314287514, -0.9881410724, 21.0227819493,
    )  # fmt: skip
    found = np.linalg.solve(M, load - VISCOUS * u - DRY * np.sign(u))
    np.testing.assert_allclose(found, rough, atol=1e-8)


def test_forward_dynamics_undoes_inverse_dynamics(arm):
    """The arm at s, without motors: accelerations under its own efforts."""
    u, a = np.array([0.1, 0.2, 0.8, 0.2, 0.5, 1.0]), np.array([1.0, -1, 2, -2, 3, -3])
    tau = arm.system.inverse_dynamics(QN, u, a)
    np.testing.assert_allclose(arm.system.accelerations(QN, u, efforts=tau), a, rtol=1e-9)
