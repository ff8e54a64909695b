"""The axes of the matrix: formulations, integrators, ways to hold constraints."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import NamedTuple

import bellcrank as bc
from bellcrank.integrators import Method

FORMULATIONS: dict[str, object] = {
    "joint": bc.JointCoordinates(),
    "kane": bc.Kane(),
    "cartesian": bc.Cartesian(),
    "natural": bc.Natural(),
    "momentum": bc.Momentum(linear="start", angular="start"),
}
MORE_FORMULATIONS: dict[str, object] = {
    "kane relative": bc.Kane("relative body"),
    "kane fixed": bc.Kane("absolute fixed"),
    "cartesian euler": bc.Cartesian(form="euler"),
    "cartesian frame": bc.Cartesian(reference="frame"),
    "natural constant": bc.Natural(constant=True),
    "momentum zero": bc.Momentum(),
}
INTEGRATORS: dict[str, Callable[[float], Method]] = {
    "Auto": lambda h: bc.Auto(),
    "RK4": lambda h: bc.RK4(step=h),
    "Nystrom4": lambda h: bc.Nystrom4(step=h),
    "RKF45": lambda h: bc.RKF45(),
    "DOPRI5": lambda h: bc.DOPRI5(),
    "DOP853": lambda h: bc.DOP853(),
    "Radau5": lambda h: bc.Radau5(),
    "SDIRK54": lambda h: bc.SDIRK54(),
    "Gauss2": lambda h: bc.Gauss2(step=h),
    "Trapezoidal": lambda h: bc.Trapezoidal(step=h),
    "GeneralizedAlpha": lambda h: bc.GeneralizedAlpha(step=h),
}
WAYS: dict[str, object] = {
    "project": "project",
    "independent": "independent",
    "partition": bc.Independent("partition"),
    "index2": "index2",
    "index3": "index3",
    "baumgarte": "baumgarte",
}


class Combination(NamedTuple):
    """One cell of the matrix, by names."""

    machine: str
    formulation: str
    integrator: str
    way: str

    def __str__(self) -> str:
        return " × ".join(self)


def every(
    machines: Iterable[str], formulations: Iterable[str], ways: Iterable[str] = tuple(WAYS)
) -> list[Combination]:
    """Return all of them, those of one machine and formulation side by side."""
    found = product(machines, formulations, INTEGRATORS, ways)
    return [Combination(*each) for each in found]


def covering(machines: Iterable[str]) -> Iterator[Combination]:
    """Yield combinations in which, over all machines, each pair of choices occurs.

    Machine number n takes the formulation n mod 5, and to each integrator the way in which they
    meet in a Latin square that is shifted from machine to machine.
    """
    formulations, ways = list(FORMULATIONS), list(WAYS)
    for n, machine in enumerate(machines):
        formulation = formulations[n % len(formulations)]
        for k, integrator in enumerate(INTEGRATORS):
            way = ways[(n // len(formulations) + n + k) % len(ways)]
            yield Combination(machine, formulation, integrator, way)
