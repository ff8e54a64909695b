"""Questions about machines on the command line."""

import numpy as np
import pytest

from bellcrank import cli


@pytest.fixture
def asked(tmp_path, monkeypatch, capsys):
    """Return a function that runs a command in a folder of its own and returns what it said."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        code = cli.run([str(word) for word in words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_equilibrium(asked):
    code, out, _ = asked("equilibrium", "double-pendulum", "--near", "A=0.3, B=0")
    assert code == 0
    assert "it is stable" in out
    assert "2.68011401" in out
    code, out, _ = asked("equilibrium", "governor", "--near", "arm=1", "--rates",
                         "turn.angle_rate=10")  # fmt: skip
    assert code == 0
    assert "steady motion of 'governor'" in out


def test_linearize_and_modes(asked, tmp_path):
    code, out, _ = asked("linearize", "cart-pole", "--at", "hinge=0", "--outputs",
                         "pole.position_x", "-o", "m.npz")  # fmt: skip
    assert code == 0
    assert "A =" in out
    with np.load(tmp_path / "m.npz") as kept:
        assert kept["A"].shape == (4, 4)
        assert kept["inputs"].tolist() == ["push"]
    code, out, _ = asked("modes", "double-pendulum", "-o", "m.html", "--plot", "m.png")
    assert code == 0
    assert (tmp_path / "m.html").exists()
    assert (tmp_path / "m.png").exists()


def test_kinematics(asked, tmp_path):
    code, out, _ = asked("kinematics", "four-bar", "--over", "A=0:6:30", "--names",
                         "middle.position", "-o", "path.csv")  # fmt: skip
    assert code == 0
    assert "stands still at" in out
    table = np.loadtxt(tmp_path / "path.csv", delimiter=",", skiprows=1)
    assert table.shape == (30, 4)


def test_mistakes(asked):
    for words, said in (
        (("kinematics", "four-bar", "--over", "A=0"), "--over takes name=first:last:count"),
        (("equilibrium", "slider-crank"), "nothing balances 'slider-crank'"),
        (("linearize", "cart-pole", "-o", "m.txt"), "matrices are written as .npz"),
    ):
        code, _, err = asked(*words)
        assert code == 2
        assert said in err
