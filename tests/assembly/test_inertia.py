"""A start where nothing has inertia against a free motion is refused, naming it."""

import pytest

import bellcrank as bc


@pytest.mark.parametrize("formulation", [bc.JointCoordinates(), bc.Cartesian(), bc.Kane()])
def test_a_thin_rod_between_two_balls_spins_without_inertia(formulation):
    a, b = (0, 0, 0), (1, 0, 0)
    rod = bc.Model(
        "rod",
        bodies=[
            bc.Body("rod", bc.Rod(a, b, mass=1.0)),
            bc.Body("block", bc.Box((0.1, 0.1, 0.1), b, mass=1.0)),
        ],
        joints=[
            bc.Spherical("A", "ground", "rod", at=a),
            bc.Spherical("B", "rod", "block", at=b),
            bc.Prismatic("slide", "ground", "block", axis="z"),
        ],
    )  # fmt: skip
    with pytest.raises(bc.StartError, match="nothing has inertia against"):
        bc.simulate(rod, 0.1, formulation=formulation)


def test_the_same_rod_runs_where_it_is_two_points():
    """Natural coordinates do not have the spin at all."""
    a, b = (0, 0, 0), (1, 0, 0)
    rod = bc.Model(
        "rod",
        bodies=[bc.Body("rod", bc.Rod(a, b, mass=1.0))],
        joints=[bc.Spherical("A", "ground", "rod", at=a)],
    )
    run = bc.simulate(rod, 0.2, formulation=bc.Natural())
    assert run.audit["energy_drift"] < 1e-7
