"""States that grow beyond what energies can hold end a run, with the reason."""

from typing import Any

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import IntegrationFailed, StartError


def _slide(*forces: bc.Force) -> bc.Model:
    body = bc.Body("B", mass=1.0, inertia=(1, 1, 1, 0, 0, 0))
    joint = bc.Prismatic("S", "ground", "B", at=(0, 0, 0), axis="x")
    return bc.Model("slide", bodies=[body], joints=[joint], forces=forces)


@pytest.mark.parametrize("speed", [1e131, -1e200, 1e300])
def test_a_start_whose_energy_is_infinite_is_refused(speed: float) -> None:
    with pytest.raises(StartError, match=r"'S.offset_rate' is -?1e\+\d+"):
        bc.simulate(_slide(), 1.0, start={"S.offset_rate": speed})


def test_a_large_start_whose_energy_is_finite_runs() -> None:
    run = bc.simulate(_slide(), 1.0, start={"S.offset_rate": 1e120}, every=0.5)
    np.testing.assert_allclose(run.values("S.offset"), [0.0, 5e119, 1e120], rtol=1e-12)


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian()])
@pytest.mark.parametrize("integrator", [bc.Auto(), bc.RK4(step=0.001)])
@pytest.mark.parametrize("law", ["(1 + t)**(1e3*t)", "exp(700*t)"])
def test_a_force_without_bound_ends_the_run(
    formulation: Any, integrator: Any, law: str
) -> None:
    model = _slide(bc.Force("F", "B", (law, 0, 0)))
    with pytest.raises(IntegrationFailed, match=r"has grown to \d.*beyond 1e\+130") as caught:
        bc.simulate(model, 2.0, formulation=formulation, integrator=integrator, every=0.01)
    run = caught.value.run
    assert np.isfinite(run.values("energy")).all()
    assert 0.3 < caught.value.time < 0.7
