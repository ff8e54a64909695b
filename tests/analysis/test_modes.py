"""Modes, their shapes and energies, and root loci that are followed by shape."""

import numpy as np
import pytest
from tests.machines import analysed

import bellcrank as bc


def test_hanging_rods():
    """A-D4: frequencies and the ratio of absolute angles, to 1e-10."""
    modes = bc.modes(analysed.hanging_rods())
    np.testing.assert_allclose(modes.frequencies, (2.680114012253, 7.188670870288), rtol=1e-10)
    ratios = [(mode["A.angle"] + mode["B.angle"]) / mode["A.angle"] for mode in modes]
    np.testing.assert_allclose(ratios, (1.430500874043, -2.097167540710), rtol=1e-10)
    for mode in modes:
        assert sum(mode.energies.values()) == pytest.approx(1.0)
        assert max(mode.participation.values()) == 1.0
        # Kinetic energy of a body: half of m v² and J ω².
        v = np.abs(mode["upper.velocity"]) ** 2
        w = np.abs(mode["upper.angular_velocity"]) ** 2
        other = np.abs(mode["lower.velocity"]) ** 2
        turn = np.abs(mode["lower.angular_velocity"]) ** 2
        upper, lower = v.sum() + w.sum() / 12, other.sum() + turn.sum() / 12
        assert mode.energies["upper"] == pytest.approx(upper / (upper + lower))
    assert "A.angle" in repr(modes)
    assert modes.dataset["frequency"].attrs["units"] == "rad/s"
    assert modes.plot().axes


def test_a_mode_is_a_motion(tmp_path):
    modes = bc.modes(analysed.wishbone())
    assert modes.damping[0] == pytest.approx(
        0.869590431239 / abs(-0.869590431239 + 5.832340195987j)
    )
    run = modes.animate(1, tmp_path / "mode.html", amplitude=0.05)
    assert (tmp_path / "mode.html").stat().st_size > 10_000
    assert np.abs(run.values("constraint_residual")).max() < 1e-10
    turned = run.values("C.angle") - modes.at["C.angle"]
    assert np.abs(turned).max() == pytest.approx(0.05, rel=0.05)
    with pytest.raises(bc.OptionError, match="there are modes 1 to 2, got 3"):
        modes.animate(3)


def test_bicycle_root_locus():
    """A-D1: weave and capsize speeds; branches of 100 speeds are followed by shape."""
    speeds = np.linspace(0.0, 10.0, 100)
    locus = bc.modes(analysed.bicycle(), {}, over={"rear.angle_rate": -speeds / 0.3})
    np.testing.assert_allclose(
        -0.3 * locus.crossings, (4.292382536341, 6.024262015388), rtol=1e-9
    )
    assert locus.zeros == 6
    assert locus.poles.shape == (100, 4)
    assert locus.plot().axes
    assert "stability changes at" in repr(locus)
    assert locus.dataset["pole"].dims == ("rear.angle_rate", "branch")


def test_flutter_load():
    """A-D3: flutter at P = 7/2 − √2, to 1e-8."""
    locus = bc.modes(analysed.ziegler(), over={"P": np.linspace(0.5, 3.0, 26)})
    np.testing.assert_allclose(locus.crossings, [3.5 - np.sqrt(2.0)], rtol=1e-8)


def test_branches_that_cross_twice_keep_their_shapes():
    """Two uncoupled oscillators, one of which is tuned past the other and back.

    Sorted by size the branches would swap; followed by shape they stay correlated above 0.9.
    """
    model = bc.Model(
        "two",
        planar=True,
        gravity=(0, 0),
        parameters=[bc.Parameter("p", 0.0)],
        bodies=[
            bc.Body("one", mass=1.0, com=(0, 0), inertia=(1, 1, 1, 0, 0, 0)),
            bc.Body("two", mass=1.0, com=(2, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Prismatic("A", "ground", "one", at=(0, 0), axis="x"),
            bc.Prismatic("B", "ground", "two", at=(2, 0), axis="x"),
        ],
        forces=[
            bc.JointSpring("k1", "A", law="100 * A.offset"),
            bc.JointSpring("k2", "B", law="(60 + 80 * sin(p)) * B.offset"),
        ],
    )  # fmt: skip
    values = np.linspace(0.0, np.pi, 41)
    locus = bc.modes(model, {}, over={"p": values})
    assert locus.correlations.min() > 0.9
    frequencies = np.abs(locus.poles.imag)
    for branch, shape in zip(frequencies.T, np.swapaxes(locus.shapes, 0, 1), strict=True):
        mine = np.abs(shape[:, list(locus.states).index("A.offset")]).max() > 0.05
        expected = 10.0 if mine else np.sqrt(60 + 80 * np.sin(values))
        np.testing.assert_allclose(branch, expected, rtol=1e-9)
    tuned = np.sqrt(60 + 80 * np.sin(values))
    assert (np.diff(np.sign(tuned - 10.0)) != 0).sum() == 2


def test_strain_energies_are_those_of_springs():
    """Two masses on three springs: ½ k δ² of each, and as much as the kinetic energy."""
    model = bc.Model(
        "chain",
        planar=True,
        gravity=(0, 0),
        bodies=[
            bc.Body("one", mass=1.0, com=(1, 0), inertia=(1, 1, 1, 0, 0, 0)),
            bc.Body("two", mass=2.0, com=(2, 0), inertia=(1, 1, 1, 0, 0, 0)),
        ],
        joints=[
            bc.Prismatic("A", "ground", "one", at=(1, 0), axis="x"),
            bc.Prismatic("B", "ground", "two", at=(2, 0), axis="x"),
        ],
        forces=[
            bc.JointSpring("k1", "A", stiffness=70.0, damping=0.4),
            bc.SpringDamper("k2", ("one", (1, 0)), ("two", (2, 0)), stiffness=30.0),
            bc.Bushing("k3", ("ground", (2, 0)), ("two", (2, 0)),
                       stiffness=(50.0, 0, 0, 0, 0, 0)),
        ],
    )  # fmt: skip
    for mode in bc.modes(model):
        a, b = mode["A.offset"], mode["B.offset"]
        stored = 70 * abs(a) ** 2, 30 * abs(b - a) ** 2, 50 * abs(b) ** 2
        shares = [part / sum(stored) for part in stored]
        assert list(mode.strain_energies) == ["k1", "k2", "k3"]
        np.testing.assert_allclose(list(mode.strain_energies.values()), shares, rtol=1e-9)
    table = bc.modes(model).dataset["strain_energy"]
    assert table.dims == ("mode", "spring")


def rotor():
    """Return a disc in a soft gimbal: I λ² ∓ i J W λ + k = 0 for its whirls."""
    light = (1e-12, 1e-12, 1e-12, 0, 0, 0)
    return bc.Model(
        "rotor",
        gravity=(0, 0, 0),
        bodies=[
            bc.Body("outer", mass=1e-9, com=(0, 0, 0), inertia=light),
            bc.Body("inner", mass=1e-9, com=(0, 0, 0), inertia=light),
            bc.Body("disc", mass=1.0, com=(0, 0, 0), inertia=(0.5, 0.5, 0.8, 0, 0, 0)),
        ],
        joints=[
            bc.Revolute("X", "ground", "outer", at=(0, 0, 0), axis="x"),
            bc.Revolute("Y", "outer", "inner", at=(0, 0, 0), axis="y"),
            bc.Revolute("S", "inner", "disc", at=(0, 0, 0), axis="z"),
        ],
        forces=[bc.JointSpring(f"k{n}", n, stiffness=200.0) for n in "XY"],
    )


def test_campbell_diagram():
    """Whirls split with the spin; where they meet multiples of it is known in closed form."""
    spins = np.linspace(0.0, 60.0, 31)
    locus = bc.modes(rotor(), over={"S.angle_rate": spins})
    whirls = np.sort(np.abs(locus.poles.imag), axis=1)[:, [0, 2]]

    slow = np.sqrt((0.8 * spins) ** 2 + 400.0) - 0.8 * spins  # of 0.5 w² + 0.8 W w = 200
    np.testing.assert_allclose(whirls[:, 0], slow, rtol=1e-7)
    np.testing.assert_allclose(whirls[:, 1] * whirls[:, 0], 200.0 / 0.5, rtol=1e-7)
    # The poles are equal at rest, where shapes are those of the branches all the same.
    assert locus.correlations.min() > 0.9
    np.testing.assert_allclose(locus.critical(1), [np.sqrt(200 / (0.5 + 0.8))], rtol=1e-8)
    both = [np.sqrt(200 / (4 * 0.5 + 2 * 0.8)), np.sqrt(200 / (4 * 0.5 - 2 * 0.8))]
    np.testing.assert_allclose(locus.critical(2), both, rtol=1e-8)
    assert locus.campbell((1, 2)).axes


def test_mistakes_are_named():
    with pytest.raises(bc.OptionError, match="over takes one name"):
        bc.modes(analysed.ziegler(), over={"P": [1, 2], "Q": [1, 2]})
    with pytest.raises(bc.OptionError, match="two or more finite values"):
        bc.modes(analysed.ziegler(), over={"P": [1.0]})
    with pytest.raises(bc.OptionError, match="undamped modes take"):
        bc.modes(analysed.bicycle(), analysed.running(5.0), undamped=True)
