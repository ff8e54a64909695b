"""Torque-free arms whose tip is prescribed: C09, C20, and dynamic singularities."""

import numpy as np
import pytest
from tests.formulations.momentum.arms import TIGHT, PlanarArm, SpatialArm
from tests.formulations.momentum.test_joint_rates import summed

import bellcrank as bc

pytestmark = pytest.mark.slow

PLANAR, SPATIAL = PlanarArm(), SpatialArm()
BENT = (0.0, 0.9, -1.3)


def planar_reach(x, y):
    """Return the arm, its tip going from where it is by x(t) and y(t), and its start."""
    r = PLANAR.points(BENT)
    at = r[3] - r[0]
    model = PLANAR.model(
        bc.Drive("reach", "tip", position_x=f"{at[0]} + {x}", position_y=f"{at[1]} + {y}")
    )
    start = {"float.x": 0, "float.y": 0, "float.angle": BENT[0]}
    return model, start | {"shoulder": BENT[1], "elbow": BENT[2]}


def test_c09_the_planar_tip_follows_its_path():
    """Hub and joint angles as by three unknown rates, to 1e-7; H = 0 summed over bodies."""
    model, start = planar_reach("(-0.5*sin(t))", "0.6*(1 - cos(t))")
    run = bc.simulate(model, 2.0, formulation=bc.Momentum(), start=start, every=0.1, **TIGHT)
    known = PLANAR.reach(lambda t: (-0.5 * np.cos(t), 0.6 * np.sin(t)), BENT, 2.0)
    seen = [run.values(f"{name}.angle") for name in ("float", "shoulder", "elbow")]
    np.testing.assert_allclose(seen, known.sol(run.t), atol=1e-7)
    tip = run.values("tip.position")
    np.testing.assert_allclose(tip[:, 0] - tip[0, 0], -0.5 * np.sin(run.t), atol=1e-9)
    Q, H = summed(model, run)
    assert max(np.abs(Q).max(), np.abs(H).max()) < 1e-9


def test_c09_a_dynamic_singularity_stops_the_run_before_it():
    """It ends where the reference's rates grow without bound, elbow bent; the rest is kept."""
    model, start = planar_reach("0.8*t", "0")
    with pytest.raises(
        bc.IntegrationFailed, match="dynamic singularity of 'planar arm'"
    ) as caught:
        bc.simulate(model, 6.0, formulation=bc.Momentum(), start=start, every=0.05, **TIGHT)
    run = caught.value.run
    angles = [run.final[f"{name}.angle"] for name in ("float", "shoulder", "elbow")]
    determinants = [np.linalg.det(PLANAR.tip_matrix(a)) for a in (BENT, angles)]
    assert 0 < determinants[1] / determinants[0] < 1e-3
    assert abs(angles[2]) > 0.1  # not only at the straight elbow
    known = PLANAR.reach(lambda t: (0.8, 0.0), BENT, caught.value.time - 1e-3)
    seen = np.array([run.values(f"{n}.angle") for n in ("float", "shoulder", "elbow")])
    before = run.t < known.t[-1]
    assert before.sum() > 5
    np.testing.assert_allclose(seen[:, before], known.sol(run.t[before]), atol=1e-7)


def test_a_start_at_a_singularity_is_refused():
    """The drawing is straight: whatever the joints do, the tip cannot go outwards."""
    r = sum(PLANAR.l)
    model = PLANAR.model(bc.Drive("reach", "tip", position_x=f"{r} - t**2", position_y="0"))
    start = {"float.x": 0, "float.y": 0, "float.angle": 0, "shoulder": 0, "elbow": 0}
    with pytest.raises(bc.StartError, match="dynamic singularity"):
        bc.simulate(model, 1.0, formulation=bc.Momentum(), start=start)


def test_c20_the_spatial_tip_follows_its_path():
    """Attitude and joint angles as by six unknown rates, to 1e-6 over 1.5 s."""
    gamma, p = (0.3, 0.9, -1.2), (1.0, 0.0, 0.0, 0.0)
    r = SPATIAL.motion(p, gamma, np.zeros(3), np.zeros(3))[0]
    at = r[3] - r[0]
    model = SPATIAL.model(
        bc.Drive(
            "reach",
            "tip",
            position_x=f"{at[0]} - 0.4*sin(t)",
            position_y=f"{at[1]} + 0.3*(1 - cos(t))",
            position_z=f"{at[2]} + 0.5*sin(t)",
        )
    )
    start = {"float.orientation": p, "float.position": (0, 0, 0), "elbow": gamma[2]}
    start |= {"shoulder.angle1": gamma[0], "shoulder.angle2": gamma[1]}
    run = bc.simulate(model, 1.5, formulation=bc.Momentum(), start=start, every=0.1, **TIGHT)
    known = SPATIAL.reach(
        lambda t: (-0.4 * np.cos(t), 0.3 * np.sin(t), 0.5 * np.cos(t)), p, gamma, 1.5
    ).sol(run.t)
    names = ("shoulder.angle1", "shoulder.angle2", "elbow.angle")
    np.testing.assert_allclose([run.values(n) for n in names], known[4:], atol=1e-6)
    attitude = run.values("hub.orientation").T
    signs = np.sign((attitude * known[:4]).sum(axis=0))
    np.testing.assert_allclose(attitude * signs, known[:4], atol=1e-6)
    assert np.ptp(known[4:], axis=1).min() > 0.1
    assert np.abs(summed(model, run)[1]).max() < 1e-9
