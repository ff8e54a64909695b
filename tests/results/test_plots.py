"""Figures: what is on them, and that they leave no trace."""

import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib.figure import Figure

from bellcrank.errors import OptionError, UnknownName
from bellcrank.results import Label, Result


def labels_of(figure):
    return [ax.get_ylabel() for ax in figure.axes]


def legend_of(ax):
    return [text.get_text() for text in ax.get_legend().get_texts()] if ax.get_legend() else []


def test_without_names_the_coordinates_and_the_energies(run):
    figure = run.plot()
    assert labels_of(figure) == ["angle of A [rad]", "orientation of body 3", "energy [J]"]
    assert [len(ax.get_lines()) - 3 for ax in figure.axes] == [1, 4, 3]  # three events each
    assert legend_of(figure.axes[1]) == ["e0", "e1", "e2", "e3"]
    assert legend_of(figure.axes[2]) == ["kinetic energy", "potential energy", "energy"]
    assert figure.axes[-1].get_xlabel() == "time [s]"
    assert figure.axes[0].get_shared_x_axes().joined(figure.axes[0], figure.axes[-1])


def test_names_are_grouped_by_unit(run):
    figure = run.plot("A.angle", "A.angle_rate")
    assert labels_of(figure) == ["angle of A [rad]", "angle rate of A [rad/s]"]
    figure = run.plot("tip.position", "A.reaction_force_z", "tau1")
    assert labels_of(figure) == ["position of tip [m]", "reaction force of A, z\n[N]", "tau1"]
    np.testing.assert_array_equal(
        figure.axes[0].get_lines()[2].get_ydata(), run.values("tip.position_z")
    )


def test_event_names_are_written_above_the_first_panel(run):
    first, second = run.plot("A.angle", "A.angle_rate").axes
    assert [text.get_text() for text in first.texts] == ["apex", "touch", "apex"]
    assert not second.texts


def test_many_lines_get_shades_and_a_short_legend():
    t = np.linspace(0, 1, 50)
    channels = [Label(f"J{k}.angle", "angle", 1, f"J{k}") for k in range(30)]
    states = {label.name: np.sin(t + k) for k, label in enumerate(channels)}
    (ax,) = Result.from_arrays(t, {}, channels, states=states).plot().axes
    assert len(ax.get_lines()) == 30
    assert len({str(line.get_color()) for line in ax.get_lines()}) == 30
    shown = legend_of(ax)
    assert shown[0] == "J0.angle"
    assert shown[-1] == "J29.angle"
    assert len(shown) == 9
    assert ax.get_legend().get_title().get_text() == "9 of 30"


def test_lines_that_coincide_both_show():
    t = np.linspace(0, 1, 50)
    (ax,) = Result.from_arrays(t, {}, [], inputs={"a": t, "b": t, "c": 1 - t}).plot().axes
    assert [line.is_dashed() for line in ax.get_lines()] == [False, True, False]


def test_what_is_constant_to_rounding_is_a_level_line():
    t = np.linspace(0, 1, 50)
    noise = 5 + 1e-15 * np.sin(40 * t)
    (ax,) = Result.from_arrays(t, {"energy": noise}, [Label("energy", "energy")]).plot().axes
    assert ax.get_ylim() == (4.5, 5.5)


@pytest.mark.parametrize("values", [[], [1.0], [np.nan, np.nan], [np.inf, 1.0]])
def test_short_and_broken_runs_still_plot(values, tmp_path):
    n = np.arange(float(len(values)))
    run = Result.from_arrays(n, {"energy": values}, [Label("energy", "energy")])
    run.plot().savefig(tmp_path / "x.png")
    if values:
        run.phase("energy", "energy").savefig(tmp_path / "y.png")


def test_phase_portrait(run):
    figure = run.phase("A.angle", "A.angle_rate")
    (ax,) = figure.axes
    assert ax.get_xlabel() == "angle of A [rad]"
    assert ax.get_ylabel() == "angle rate of A [rad/s]"
    assert legend_of(ax) == ["start", "end"]
    (path,) = run.phase("tip.position_x", "tip.position_z").axes
    assert path.get_aspect() == 1


def test_phase_portrait_of_a_vector_is_refused(run):
    with pytest.raises(OptionError) as caught:
        run.phase("A.angle", "tip.position")
    assert str(caught.value) == (
        "a phase portrait takes single numbers, and 'tip.position' has 3; name one of "
        "tip.position_x, tip.position_y, tip.position_z."
    )


def test_unknown_names_are_refused(run):
    with pytest.raises(UnknownName, match=r"Did you mean 'A\.angle'"):
        run.plot("A.angel")
    with pytest.raises(UnknownName, match=r"Did you mean 'A\.angle'"):
        run.phase("A.angel", "A.angle")


def test_nothing_to_plot_is_said():
    with pytest.raises(OptionError) as caught:
        Result.from_arrays([0, 1], {}, []).plot()
    assert str(caught.value) == "there is nothing to plot: the result has no names."


def test_a_figure_of_your_own_and_its_size(run):
    mine = Figure(figsize=(3, 2))
    assert run.plot("A.angle", figure=mine) is mine
    assert tuple(run.plot("A.angle", size=(3, 4)).get_size_inches()) == (3, 4)


def test_figures_leave_settings_alone_and_show_in_notebooks(run):
    before = dict(mpl.rcParams)
    figure = run.plot()
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert dict(mpl.rcParams) == before


def test_pyplot_is_not_imported():
    code = (
        "import sys, numpy as np\n"
        "from bellcrank.results import Result, Label\n"
        "t = np.arange(3.0)\n"
        "run = Result.from_arrays(t, {'A.angle': t}, [Label('A.angle', 'angle', 1, 'A')])\n"
        "run.plot()\n"
        "print('matplotlib.pyplot' in sys.modules)"
    )
    out = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "False"
