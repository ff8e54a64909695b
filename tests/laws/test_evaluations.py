"""One machine, four ways to evaluate it: CasADi, the op list in NumPy, scalar code, lanes."""

import numpy as np
import pytest
from tests.laws.evaluation import Evaluated

from bellcrank import examples
from bellcrank.formulations import JointCoordinates
from bellcrank.kernels.build import build
from bellcrank.kernels.lower import lower
from bellcrank.testing import state

COUNT = 11  # one group of eight lanes and a tail of three


def test_there_are_examples():
    assert len(examples.names()) >= 8


def arguments(machine: Evaluated) -> list[np.ndarray]:
    """Return random arguments of the slots, shape (COUNT, size) each."""
    rng = np.random.default_rng(4)
    sizes = machine.equations.sizes
    packed = [machine.pack(state(machine.model, seed)) for seed in range(COUNT)]
    q, u = (np.array(part).reshape(COUNT, -1) for part in zip(*packed, strict=True))
    t, s, w = (rng.normal(size=(COUNT, sizes[name])) for name in ("t", "s", "w"))
    p = np.tile(machine.parameters, (COUNT, 1))
    k = np.array([machine.modes(*pair) for pair in packed]).reshape(COUNT, -1)
    return [t, q, u, s, w, p, k]


@pytest.mark.parametrize("name", examples.names())
def test_scalar_lanes_and_casadi_agree(name):
    machine = Evaluated(examples.load(name), JointCoordinates())
    function = machine.equations.function("derivatives")
    given = arguments(machine)
    rows = [function.call([x[i] for x in given]) for i in range(COUNT)]
    expected = [np.array([row[j].full()[:, 0] for row in rows]) for j in range(len(rows[0]))]
    program = lower(function)
    found = [program.evaluate(*given)]
    found += [build(program, lanes=lanes, level=0)(*given) for lanes in (1, 4, 8)]
    # Rounding of N operations grows as a random walk.
    tolerance = 1e-13 * np.sqrt(len(program.operations))
    for outputs in found:
        for ours, known in zip(outputs, expected, strict=True):
            scale = max(1.0, float(np.max(np.abs(known), initial=0.0)))
            np.testing.assert_allclose(ours, known, rtol=0, atol=tolerance * scale)
