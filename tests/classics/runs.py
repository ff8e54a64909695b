"""Short ways to ask for the end of a run."""

from collections.abc import Mapping
from typing import Any

import numpy as np

import bellcrank as bc

RTOL = 1e-12
ATOL = 1e-13


def at(
    model: bc.Model, until: float, start: Mapping[str, Any], rtol: float = RTOL, **options: Any
) -> "End":
    """Return the end of a run of `until` seconds, at rtol 1e-12 unless said otherwise."""
    run = bc.simulate(model, until, start=start, rtol=rtol, atol=ATOL, every=until, **options)
    return End(run)


class End:
    """The last values of a run, by name."""

    def __init__(self, run: Any) -> None:
        self.run = run

    def __getitem__(self, name: str) -> np.ndarray:
        return np.asarray(self.run.values(name))[-1]


def series(
    model: bc.Model,
    times: np.ndarray,
    start: Mapping[str, Any],
    rtol: float = RTOL,
    atol: float = ATOL,
) -> Any:
    """Return a run recorded at equal intervals, at rtol 1e-12 unless said otherwise."""
    every = float(times[1] - times[0])
    return bc.simulate(
        model, float(times[-1]), start=start, rtol=rtol, atol=atol, every=every
    )  # fmt: skip


def rotation(p: np.ndarray) -> np.ndarray:
    """Return R for unit Euler parameters, scalar first."""
    e0, e = p[0], np.asarray(p[1:])
    cross = np.array([[0, -e[2], e[1]], [e[2], 0, -e[0]], [-e[1], e[0], 0]])
    return (e0**2 - e @ e) * np.eye(3) + 2 * (np.outer(e, e) + e0 * cross)


def about(axis: str, angle: float) -> tuple[float, ...]:
    """Return the Euler parameters of a turn about a world axis."""
    p = [np.cos(angle / 2), 0.0, 0.0, 0.0]
    p[1 + "xyz".index(axis)] = np.sin(angle / 2)
    return tuple(float(x) for x in p)


def assert_same_attitude(found: np.ndarray, expected: Any, atol: float) -> None:
    """Euler parameters p and −p are one attitude."""
    expected = np.asarray(expected)
    sign = np.sign(np.dot(found, expected))
    np.testing.assert_allclose(sign * found, expected, atol=atol)
