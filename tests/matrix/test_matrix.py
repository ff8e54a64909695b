"""A covering part of the matrix; all of it is `make matrix`.

Each small machine meets each method, and each example one method and way, so that over all
machines every pair of formulation, method and way to hold constraints occurs.
"""

import pytest
from tests.matrix.combinations import FORMULATIONS, INTEGRATORS, WAYS, Combination, every
from tests.matrix.machines import EXAMPLES, SMALL
from tests.matrix.parent import verdicts

PATIENCE = 300.0
FREE = ("driven four-bar", "loop")  # small, with rows, without freedom and with one
LARGE = ("chain", "arm", "kane-six-bodies", "six-bodies", "bricard", "andrews", "astronaut")


def _small() -> list[Combination]:
    """Return every cell of two machines in joint coordinates, and pairs of the others."""
    ways, methods, schools = list(WAYS), list(INTEGRATORS), list(FORMULATIONS)
    found = every(FREE, ["joint"])
    for n, machine in enumerate(SMALL):
        found += [
            Combination(machine, schools[(n + k) % 5], method, ways[(n + k // 5 + k) % 6])
            for k, method in enumerate(methods)
        ]
    return found


def _examples() -> list[Combination]:
    """Return a cell of each example that compiles quickly."""
    quick = [name for name in EXAMPLES if name not in LARGE and name != "ladder"]
    methods, ways = list(INTEGRATORS), ("project", "independent", "baumgarte")
    return [
        Combination(name, "joint" if n % 2 else "cartesian", methods[n % 11], ways[n % 3])
        for n, name in enumerate(quick)
    ]


@pytest.mark.slow
@pytest.mark.parametrize("cells", [_small(), _examples()], ids=["small", "examples"])
def test_right_or_refused(cells: list[Combination]) -> None:
    """Every cell is right within its order, refused with a reason, or stopped as singular."""
    found = list(verdicts(dict.fromkeys(cells), PATIENCE))
    wrong = [f"{cell}: {text}" for cell, text, _ in found if text.startswith("wrong")]
    assert not wrong, "\n".join(wrong)
    assert sum(text.startswith("right") for _, text, _ in found) > len(found) / 4
