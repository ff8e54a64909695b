"""A small recorded run that all tests of results share."""

import numpy as np
import pytest

from bellcrank.results import Label, Result

T = np.linspace(0, 2, 201)
CHANNELS = (
    Label("A.angle", "angle", 1, "A"),
    Label("body 3.orientation", "orientation", 4, "body 3"),
    Label("A.angle_rate", "angle_rate", 1, "A"),
    Label("tip.position", "position", 3, "tip"),
    Label("crank.velocity_body", "velocity", 3, "crank"),
    Label("A.reaction_force", "force", 3, "A"),
    Label("kinetic_energy", "kinetic_energy"),
    Label("potential_energy", "potential_energy"),
    Label("energy", "energy"),
)


def states():
    quarter = np.stack([np.cos(T / 2), np.sin(T / 2), 0 * T, 0 * T], 1)
    return {"A.angle": np.sin(T), "body 3.orientation": quarter, "A.angle_rate": np.cos(T)}


def observed():
    arm = np.stack([np.sin(T), 0 * T, -np.cos(T)], 1)
    kinetic, potential = np.cos(T) ** 2 / 2, np.sin(T) ** 2 / 2
    return {
        "tip.position": arm,
        "crank.velocity_body": arm[:, ::-1],
        "A.reaction_force": -10 * arm,
        "kinetic_energy": kinetic,
        "potential_energy": potential,
        "energy": kinetic + potential,
    }


class Counter:
    """A function that knows how often it was called."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self):
        """Count, then do it."""
        self.calls += 1
        return self.function()


@pytest.fixture
def observe():
    return Counter(observed)


@pytest.fixture
def run(observe):
    return Result.from_arrays(
        T,
        observe,
        CHANNELS,
        states=states(),
        inputs={"tau1": np.sign(T - 1)},
        events=[("apex", 0.5, {"A.angle": 0.479}), ("touch", 1.25), ("apex", 1.5)],
        statistics={"steps": 31, "rejected": np.int64(2), "smallest_step": 1e-3},
        provenance={"model": "arm", "rtol": 1e-9, "integrator": "DOP853()"},
    )
