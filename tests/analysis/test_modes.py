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


def test_mistakes_are_named():
    with pytest.raises(bc.OptionError, match="over takes one name"):
        bc.modes(analysed.ziegler(), over={"P": [1, 2], "Q": [1, 2]})
    with pytest.raises(bc.OptionError, match="two or more finite values"):
        bc.modes(analysed.ziegler(), over={"P": [1.0]})
    with pytest.raises(bc.OptionError, match="undamped modes take"):
        bc.modes(analysed.bicycle(), analysed.running(5.0), undamped=True)
