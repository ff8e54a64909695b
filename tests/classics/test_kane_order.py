"""Order of RK4 where constraints hold at stages while norms of Euler parameters do not."""

from itertools import pairwise

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import examples


@pytest.mark.parametrize("formulation", [bc.Kane(), bc.Kane(speeds="relative fixed")])
def test_stages_are_normalized_also_where_rows_are_met(formulation):
    """A chain along its joints: rows are met by turns alone, so that only norms drift."""
    machine, start = examples.load("double-pendulum"), {"A": 1.2, "B": 0.4}
    ends = []
    for count in (12, 24, 48):
        run = bc.simulate(
            machine, 0.5, start=start, formulation=formulation,
            integrator=bc.RK4(step=0.5 / count), every=0.25,
        )  # fmt: skip
        ends.append(run.values("lower.position")[-1])
    errors = [np.abs(a - b).max() for a, b in pairwise(ends)]
    assert 3.6 < np.log2(errors[0] / errors[1]) < 4.8
