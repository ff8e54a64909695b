"""A round: gather, run, add up, against the same by NumPy."""

import casadi as ca
import numpy as np
import pytest

from bellcrank.formulations.contract.equations import Batch
from bellcrank.kernels.batched.arena import Arena
from bellcrank.kernels.batched.element_pass import ElementPass
from bellcrank.kernels.build import kernel


def springs(count: int, nodes: int) -> tuple[Batch, np.ndarray]:
    """Return springs between random nodes: two coordinates each in, two forces out."""
    rng = np.random.default_rng(count)
    q, k, t = ca.SX.sym("q", 2), ca.SX.sym("n", 1), ca.SX.sym("t", 1)
    force = k * (q[1] - q[0]) + t
    made = ca.Function("spring", [t, q, k], [ca.vertcat(force, -force)], ["t", "q", "n"], ["r"])
    places = {"q": np.stack([rng.permutation(nodes)[:2] for _ in range(count)])}
    names = tuple(f"s{i}" for i in range(count))
    return Batch("spring", "spring", {"pull": lambda: made}, names, places, lambda p: 0), rng


@pytest.mark.parametrize("count", [1, 7, 8, 61, 64, 65, 200])
def test_a_round_is_gathering_kernels_and_sums(count):
    nodes = 9
    batch, rng = springs(count, nodes)
    stiffness = rng.uniform(1, 2, size=(count, 1))
    vectors = {"t": np.array([0.3]), "q": rng.normal(size=nodes)}
    asked = ElementPass(
        vectors,
        [(batch, kernel("pull", batch.kernels["pull"], lanes=8), stiffness)],
        Arena(False),
    )
    out = asked.total(np.full(nodes + 2, 7.0), [(asked.outputs[0]["r"], batch.places["q"] + 1)])
    assert asked.takes == {"t", "q"}
    for _ in range(2):  # sums begin anew every time
        vectors["q"][:] = rng.normal(size=nodes)
        asked()
        one, two = batch.places["q"].T
        force = stiffness[:, 0] * (vectors["q"][two] - vectors["q"][one]) + 0.3
        wanted = np.zeros(nodes + 2)
        np.add.at(wanted, one + 1, force)
        np.add.at(wanted, two + 1, -force)
        np.testing.assert_allclose(out, wanted, atol=1e-13)


def test_native_code_is_never_given_places_that_are_not_there():
    batch, _ = springs(3, 9)
    made = kernel("pull", batch.kernels["pull"], lanes=8)
    numbers = np.ones((3, 1))
    with pytest.raises(IndexError, match="in 2 numbers"):
        ElementPass({"t": np.zeros(1), "q": np.zeros(2)}, [(batch, made, numbers)], Arena(True))
    asked = ElementPass(
        {"t": np.zeros(1), "q": np.zeros(9)}, [(batch, made, numbers)], Arena(True)
    )
    with pytest.raises(IndexError, match="in 4 numbers"):
        asked.total(np.zeros(4), [(asked.outputs[0]["r"], np.full((3, 2), 4))])
    with pytest.raises(ValueError, match="shape"):
        asked.total(np.zeros(4), [(asked.outputs[0]["r"], np.zeros((3, 1), dtype=int))])
    asked()
    with pytest.raises(RuntimeError, match="no more sums"):
        asked.total(np.zeros(4), [])
