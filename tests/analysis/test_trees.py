"""Efforts of arms, REFERENCES_ANALYSIS B-D4: PUMA, iiwa and UR5 through `inverse_dynamics`."""

import json
from pathlib import Path

import numpy as np
import pytest
from tests.classics.test_puma import DRY, MOTORS, QN, VISCOUS, S, puma
from tests.draws import LONG

import bellcrank as bc

FORMULATIONS = (bc.JointCoordinates(), bc.Kane(), bc.Cartesian(), bc.Natural())
MEMBERS = FORMULATIONS if LONG else FORMULATIONS[:1]
TABLE = json.loads((Path(__file__).parent.parent / "data" / "robots.json").read_text())


@pytest.fixture(params=FORMULATIONS, ids=lambda f: type(f).__name__)
def formulation(request):
    return request.param


def motion(names, q, u, a):
    """Return angles, rates and accelerations of hinges, by name."""
    kinds = ("angle", q), ("angle_rate", u), ("angle_acceleration", a)
    return {f"{n}.{kind}": v[:, i] for kind, v in kinds for i, n in enumerate(names)}


def test_puma(formulation):
    """5.1 to 1e-8: at rest, with Coriolis forces, with friction as published to 6 digits."""
    names = [f"q{k}" for k in range(1, 7)]
    q, zero, one = np.tile(QN, (3, 1)), np.zeros(6), np.ones(6)
    u, a = np.array([zero, (1.0, 2, 3, 1, 2, 3), one]), np.array([zero, zero, one])
    near, far = (
        bc.inverse_dynamics(
            puma(), motion(names, q, u, a), names, parameters={"s": s}, formulation=formulation
        ).efforts
        for s in (S, 2 * S)
    )
    rest, turning, both = 2 * near - far
    known = (0, 31.6398803784, 6.035138023, 0, 0.0282528, 0)
    np.testing.assert_allclose(rest, known, atol=1e-8)
    coriolis = (-4.6344217633, 8.7257112246, -1.9268101609, 0.0022557893, 0.0190524334,
                0.0003648528)  # fmt: skip
    np.testing.assert_allclose(turning - rest, coriolis, atol=1e-8)
    published = (32.4952, 60.867, 17.7436, 1.45452, 1.29911, 0.713781)
    np.testing.assert_allclose(both + MOTORS + VISCOUS + DRY, published, rtol=1e-5)


@pytest.mark.family
@pytest.mark.oracle
@pytest.mark.parametrize("formulation", MEMBERS, ids=lambda f: type(f).__name__)
@pytest.mark.parametrize("name", ["ur5", "iiwa14_drake"])
def test_robots(name, formulation, tmp_path):
    """5.3 to 1e-9: efforts, at rest, and in motion with accelerations."""
    pytest.importorskip("pinocchio")
    from tests.oracle.iiwa import IIWA
    from tests.oracle.robots import urdf
    from tests.oracle.urdf_robots import bare, load_quietly

    table, file = TABLE["robots"][name], tmp_path / "iiwa14.urdf"
    file.write_text(IIWA)
    model = bare(load_quietly(Path(urdf("ur5_robot.urdf")) if name == "ur5" else file))
    q, v, a = (np.array(table[key]) for key in ("q", "v", "a"))
    zero = np.zeros_like(q)
    states = motion(table["joints"], *map(np.array, ([q, q, q], [zero, v, v], [zero, zero, a])))
    found = bc.inverse_dynamics(model, states, table["joints"], formulation=formulation)
    known = [table[key] for key in ("gravity_torque", "bias", "inverse_dynamics")]
    np.testing.assert_allclose(found.efforts, known, rtol=1e-9, atol=1e-9)
    assert found.exact
