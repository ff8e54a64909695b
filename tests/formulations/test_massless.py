"""Joint coordinates say of a mass matrix that it may be singular exactly where it is."""

import numpy as np
import pytest

import bellcrank as bc

pytestmark = pytest.mark.slow


def rods(rng):
    """Return a tree of thin and thick rods that lie askew, on joints along and across them."""
    bodies, joints, ends = [], [], [np.zeros(3)]
    for k in range(rng.integers(1, 5)):
        a, d = ends[rng.integers(len(ends))] if k else ends[0], rng.normal(size=3)
        radius = None if rng.random() < 0.7 else 0.05
        bodies.append(bc.Body(f"b{k}", bc.Rod(tuple(a), tuple(a + d), mass=1.0, radius=radius)))
        inner = f"b{rng.integers(k)}" if k else "ground"
        tied = (inner, f"b{k}") if rng.random() < 0.5 else (f"b{k}", inner)
        joints.append(joint(rng, f"j{k}", tied, tuple(a), d / np.linalg.norm(d)))
        ends.append(a + d)
    return bc.Model("rods", bodies=bodies, joints=joints)


def joint(rng, name, tied, at, along):
    """Return some joint of a rod."""
    f = np.cross(along, rng.normal(size=3))
    f /= np.linalg.norm(f)
    across, along, third = tuple(f), tuple(along), tuple(np.cross(along, f))
    return (
        lambda: bc.Spherical(name, *tied, at=at),
        lambda: bc.Revolute(name, *tied, at=at, axis=across),
        lambda: bc.Revolute(name, *tied, at=at, axis=along),
        lambda: bc.Universal(name, *tied, at=at, axis1=across, axis2=third),
        lambda: bc.Universal(name, *tied, at=at, axis1=across, axis2=along),
        lambda: bc.Cylindrical(name, *tied, at=at, axis=along),
    )[rng.integers(6)]()


def test_a_mass_matrix_is_called_semidefinite_where_it_is_singular_off_the_drawing():
    rng, seen = np.random.default_rng(3), []
    for _ in range(40):
        equations = bc.equations(rods(rng), bc.JointCoordinates())
        q = np.array(equations.drawing({})) + rng.uniform(0.2, 0.6, len(equations.coordinates))
        sizes = list(equations.sizes.items())[2:]
        found = equations.function("mass")(0.0, q, *(np.zeros(size) for _, size in sizes))
        A = np.array(found[0] if isinstance(found, tuple | list) else found)
        pivots = np.linalg.eigvalsh(A)
        # Moments across are some 0.1 kg m², about a thick rod 1e-3; rounding of them is 1e-17.
        singular = pivots[0] < 1e-12 * max(pivots[-1], 1e-3)
        assert (equations.mass_kind == "semidefinite") == singular
        seen.append(singular)
    assert 10 < sum(seen) < 30
