"""The command line, from end to end."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bellcrank as bc
from bellcrank import cli, examples
from bellcrank.cli import run

# A test run in the background has SIGINT ignored, which a child would inherit.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
COMMAND = [sys.executable, "-c", f"{LISTEN}; from bellcrank.cli import main; main()"]


def bellcrank(*arguments, cwd=None):
    """Run `bellcrank` in a process of its own."""
    done = subprocess.run(
        [*COMMAND, *arguments], capture_output=True, text=True, cwd=cwd, timeout=60
    )
    # With an empty cache one is told that something is compiled once; that is no complaint.
    lines = done.stderr.splitlines(keepends=True)
    done.stderr = "".join(line for line in lines if "compiling" not in line)
    return done


def test_a_run_is_simulated_saved_and_drawn(tmp_path):
    done = bellcrank(
        *("simulate", "double-pendulum", "--until", "1", "--start", "A=0.3, B.angle_rate=pi/2"),
        *("--integrator", "dopri5", "--rtol", "1e-8", "--atol", "1e-10", "--every", "0.1"),
        *("-o", "run.nc", "--plot", "run.png", "--names", "A.angle, tip.position_z"),
        cwd=tmp_path,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(
        "machine   double pendulum\ntime      0 … 1 s, 11 points recorded\n"
    )
    loaded = bc.load(tmp_path / "run.nc")
    again = bc.simulate(
        examples.load("double-pendulum"),
        1.0,
        start={"A": 0.3, "B.angle_rate": np.pi / 2},
        integrator=bc.DOPRI5(),
        rtol=1e-8,
        atol=1e-10,
        every=0.1,
    )
    np.testing.assert_array_equal(loaded.values("B.angle"), again.values("B.angle"))
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_a_file_of_ones_own_is_simulated_with_parameters_and_inputs(tmp_path, capsys):
    machine = bc.Model(
        "slider",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass="m"))],
        joints=[bc.Prismatic("rail", "ground", "block", axis="x")],
        forces=[bc.Motor("push", "rail", bc.Input("force"))],
        parameters=[bc.Parameter("m", 1.0)],
    )
    file, out = tmp_path / "slider.yaml", tmp_path / "out.nc"
    bc.save(machine, file)
    code = run([
        "simulate",
        str(file),
        "--until",
        "2",
        "--parameters",
        "m=4",
        "--inputs",
        "force=8*t",
        "-o",
        str(out),
    ])
    assert code == 0, capsys.readouterr().err
    # m x'' = 8 t, so x = 8 t³ / (6 m)
    assert bc.load(out).values("rail.offset")[-1] == pytest.approx(8 * 8 / 24, rel=1e-9)


def test_what_is_drawn_may_be_a_pattern_and_a_file_that_cannot_be_is_named(
    tmp_path, monkeypatch, capsys
):
    plot = tmp_path / "run.svg"
    ask = ["simulate", "tsda", "--until", "1", "--names", "*.offset", "--plot", str(plot)]
    assert run(ask) == 0
    assert plot.exists()
    capsys.readouterr()  # with an empty cache one is told that something is compiled

    def full(*_, **__):
        raise OSError(28, "No space left on device", str(plot))

    monkeypatch.setattr("matplotlib.figure.Figure.savefig", full)
    assert run(ask) == 2
    assert capsys.readouterr().err == f"bellcrank: {plot}: No space left on device.\n"


def test_examples_are_listed_and_printed(capsys):
    assert run(["examples"]) == 0
    listed = capsys.readouterr().out
    assert [line.split()[0] for line in listed.splitlines()] == list(examples.names())
    assert run(["examples", "tsda"]) == 0
    assert capsys.readouterr().out == examples.path("tsda").read_text(encoding="utf-8")


def test_a_machine_is_reported(capsys):
    assert run(["report", "heavy-top"]) == 0
    assert "1 body, 1 joint, 3 degrees of freedom" in capsys.readouterr().out
    assert run(["report", "heavy-top", "--names"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split(maxsplit=1) == ["tip.angular_velocity", "angular velocity [rad/s]"]


def test_rounding_is_what_slack_says(tmp_path, capsys):
    """A door on two hinges, one of them off by 1e-4: it turns if that is rounding."""
    hinges = [
        bc.Revolute("J", "ground", "B", at=(0, 0, 0), axis=(0.48, 0.6, 0.64)),
        bc.Revolute("K", "ground", "B", at=(0.96, 1.2, 1.28), axis=(0.48, 0.6001, 0.64)),
    ]
    door = bc.Model(
        "door", bodies=[bc.Body("B", mass=1, inertia=(1, 1, 1, 0, 0, 0))], joints=hinges
    )
    bc.save(door, tmp_path / "door.yaml")
    said = []
    for slack in ([], ["--slack", "1e-4"]):
        assert run(["report", str(tmp_path / "door.yaml"), *slack]) == 0
        said.append(capsys.readouterr().out)
    assert "0 degrees of freedom" in said[0]
    assert "1 degree of freedom" in said[1]
    moving = ["simulate", str(tmp_path / "door.yaml"), "--until", "0.1", "--slack", "1e-4"]
    assert run([*moving, "--start", "J.angle_rate=2"]) == 0
    assert "at end    J.angle = 0.2" in capsys.readouterr().out
    assert run(["report", "tsda", "--slack", "1"]) == 2
    assert "slack takes a part of the machine's length" in capsys.readouterr().err


@pytest.mark.parametrize("states", ["0", "-1", "99999999999", "many"])
def test_a_number_of_states_that_cannot_be_timed_is_refused(states, capsys):
    assert run(["bench", "arm", "--states", states]) == 2
    assert "Invalid value for '--states'" in capsys.readouterr().err


def test_a_machine_is_timed(capsys):
    assert run(["bench", "arm", "--states", "64"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "seven-joint arm: 7 speeds, 64 random states"
    assert [line.split()[0] for line in lines[1:]] == [
        "accelerations",
        "mass_matrix",
        "inverse_dynamics",
    ]


def test_version_and_help(capsys):
    assert run(["--version"]) == 0
    assert capsys.readouterr().out == f"bellcrank {bc.__version__}\n"
    assert run([]) == 0
    said = capsys.readouterr().out
    assert all(word in said for word in ("simulate", "report", "examples", "bench"))


MESSAGES = [
    (
        ["simulate", "dobule-pendulum"],
        "no file and no example named 'dobule-pendulum'. Did you mean 'double-pendulum'? "
        f"The examples are: {', '.join(examples.names())}.",
    ),
    (["simulate", "no.yaml"], "no file 'no.yaml'."),
    (
        ["simulate", "tsda", "--integrator", "rk4"],
        "--integrator rk4 takes fixed steps; give one with --step.",
    ),
    (
        ["simulate", "tsda", "--step", "1"],
        "--step is for rk4, nystrom4, gauss2, trapezoidal and generalizedalpha; auto chooses "
        "its own.",
    ),
    (
        ["simulate", "tsda", "--integrator", "dopri"],
        "no integrator named 'dopri'. Did you mean 'dopri5'? There are: auto, dop853, "
        "dopri5, gauss2, generalizedalpha, nystrom4, radau5, rk4, rkf45, sdirk54, trapezoidal.",
    ),
    (["simulate", "tsda", "--start", "rail"], "--start takes name=value, got 'rail'."),
    (["simulate", "tsda", "--start", "rail=1, rail=2"], "--start gives 'rail' twice."),
    (["simulate", "tsda", "--start", "rail=x"], "--start rail takes a number, got 'x'."),
    (
        ["simulate", "tsda", "--every", "-1"],
        "--every takes a positive number of seconds or 'step', got '-1'.",
    ),
    (
        ["simulate", "tsda", "-o", "x.xlsx"],
        "-o writes .nc (everything), .csv (a table) or .html (a page that plays), got "
        "'x.xlsx'.",
    ),
    (
        ["simulate", "tsda", "--formulation", "cartesan"],
        "no formulation named 'cartesan'. Did you mean 'cartesian'? There are: cartesian, "
        "joint, kane, momentum, natural.",
    ),
    (
        ["simulate", "tsda", "--integrator", "rk4", "--step", "0.1", "--max-step", "1"],
        "--max-step is not for rk4, which takes step, max_steps.",
    ),
    (["simulate", "tsda", "--event", "apex"], "--event takes name=value, got 'apex'."),
    (["cache", "tidy"], "no action named 'tidy'. There are: clear, size, warm."),
    (["cache", "size", "tsda"], "cache size takes no machine, got 'tsda'."),
    (["simulate", "tsda", "--plot", "x.bmp"], "--plot writes .png, .svg or .pdf, got 'x.bmp'."),
    (
        ["simulate", "run.nc", "--until", "1"],
        "run.nc is the result of a run; a machine is a YAML or URDF file.",
    ),
    (["simulate", "tsda", "-o", "no/x.nc"], "no folder 'no' to write x.nc into."),
    (["report"], "Missing argument 'MODEL'."),
]


@pytest.mark.parametrize(("arguments", "message"), MESSAGES)
def test_bad_input_is_said_in_one_line_and_exits_with_2(
    arguments, message, capsys, monkeypatch, tmp_path
):
    monkeypatch.chdir(tmp_path)
    assert run(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err == f"bellcrank: {message}\n"
    assert captured.out == ""


def test_a_name_to_draw_is_looked_at_before_the_run(capsys):
    assert run(["simulate", "tsda", "--names", "rail.ofset"]) == 2
    assert (
        "no quantity named 'rail.ofset'. Did you mean 'rail.offset'?" in capsys.readouterr().err
    )


def test_how_long_has_to_be_said(tmp_path, capsys):
    bc.save(examples.load("tsda"), tmp_path / "m.yaml")
    assert run(["simulate", str(tmp_path / "m.yaml")]) == 2
    assert (
        capsys.readouterr().err
        == "bellcrank: how long? Give the time to stop at with --until.\n"
    )


def test_debug_shows_where(tmp_path):
    done = bellcrank("simulate", "dobule", "--debug")
    assert done.returncode == 1
    assert "Traceback" in done.stderr


def test_a_run_that_fails_saves_what_there_is_and_exits_with_1(tmp_path, capsys):
    # x'' = 6 x² with x(0) = 1, x'(0) = 2 is 1/(1 − t)², which ends at t = 1.
    machine = bc.Model(
        "runaway",
        bodies=[bc.Body("block", bc.Box((1, 1, 1), mass=1))],
        joints=[bc.Prismatic("rail", "ground", "block", axis="x")],
        forces=[bc.Motor("push", "rail", "6*rail.offset**2")],
    )
    bc.save(machine, tmp_path / "m.yaml")
    out = tmp_path / "part.nc"
    bad = ["--until", "2", "--start", "rail=1, rail.offset_rate=2"]
    code = run(["simulate", str(tmp_path / "m.yaml"), *bad, "-o", str(out)])
    assert code == 1
    assert capsys.readouterr().err.startswith("bellcrank: stopped at t = ")
    part = bc.load(out)
    assert part.t[-1] == pytest.approx(1.0, abs=0.01)
    inner = part.t < 0.9
    np.testing.assert_allclose(
        part.values("rail.offset")[inner], (1 - part.t[inner]) ** -2, rtol=1e-6
    )


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_saves_what_there_is_and_exits_with_130(tmp_path):
    assert run(["simulate", "double-pendulum", "--until", "1"]) == 0  # compiled from here on
    out = tmp_path / "part.nc"
    arguments = [
        "simulate",
        "double-pendulum",
        "--until",
        "1e6",
        "--every",
        "100",
        "-o",
        str(out),
    ]
    process = subprocess.Popen(
        [*COMMAND, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    time.sleep(6.0)  # long after a busy machine has started it; alone it would run for minutes
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=30)
    assert process.returncode == 130, said
    assert "bellcrank: interrupted; what follows is the run up to there." in said
    assert 0 < bc.load(out).t[-1] < 1e6


def test_a_mistake_of_ours_is_told_from_bad_input(monkeypatch, capsys):
    def broken(*_):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(cli, "find_machine", broken)
    assert run(["report", "tsda"]) == 70
    assert capsys.readouterr().err == (
        "bellcrank: ZeroDivisionError: division by zero "
        "(a mistake of ours; --debug shows where)\n"
    )


def test_the_command_is_installed():
    script = Path(sys.executable).parent / "bellcrank"
    done = subprocess.run([script, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"bellcrank {bc.__version__}\n"


def test_a_method_of_two_words_may_be_written_with_a_hyphen(capsys):
    steps = ["--step", "1e-3", "--until", "0.01"]
    for name in ("generalized-alpha", "generalizedalpha"):
        assert run(["simulate", "four-bar", "--integrator", name, *steps]) == 0
        assert "10 (0 rejected)" in capsys.readouterr().out  # of 1 ms each


# --- robots -------------------------------------------------------------------------------

BLOCK = """
<robot name="block">
  <link name="base">
    <inertial>
      <mass value="2"/>
      <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>
    </inertial>
    <visual><geometry><mesh filename="package://parts/block.stl"/></geometry></visual>
  </link>
</robot>
"""


@pytest.fixture
def block(tmp_path, monkeypatch):
    """Return a robot of one link, whose picture lies in a package elsewhere."""
    import trimesh

    (tmp_path / "robot").mkdir()
    (tmp_path / "robot" / "block.urdf").write_text(BLOCK)
    (tmp_path / "stock" / "parts").mkdir(parents=True)
    trimesh.creation.box((1.0, 1.0, 1.0)).export(tmp_path / "stock" / "parts" / "block.stl")
    monkeypatch.chdir(tmp_path / "robot")
    return "block.urdf"


def test_a_robot_floats_and_finds_its_packages(block, capsys):
    """It falls g t²/2 in a second; its picture is found where the option says."""
    where = ["--floating", "--packages", "../stock"]
    assert run(["simulate", block, "--until", "1", *where]) == 0
    said = capsys.readouterr()
    assert "block.stl" not in said.err
    place = next(line for line in said.out.splitlines() if "root_joint.position" in line)
    np.testing.assert_allclose([*map(float, place.split()[-3:])], (0, 0, -4.905), atol=1e-9)
    assert run(["report", block, *where]) == 0
    assert "6 degrees of freedom" in capsys.readouterr().out


def test_a_robot_is_welded_if_not_said_otherwise_and_lost_packages_are_told(block, capsys):
    assert run(["report", block]) == 0
    said = capsys.readouterr()
    assert "0 degrees of freedom" in said.out
    assert "package://parts/block.stl" in said.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["report", "four-bar", "--floating"],
         "four-bar is an example; --floating and --packages are for URDF files."),
        (["view", "run.nc", "--packages", "."],
         "run.nc is a result; --floating and --packages are for URDF files."),
        (["report", "a.yaml", "--floating"],
         "a.yaml: floating and packages are for URDF files."),
        (["report", "block.urdf", "--packages", "nowhere"],
         "packages: there is no folder 'nowhere'."),
    ],
)  # fmt: skip
def test_what_is_said_of_robots_is_not_taken_for_others(block, arguments, said, capsys):
    assert run(arguments) == 2
    assert capsys.readouterr().err == f"bellcrank: {said}\n"


def test_every_option_of_a_run_is_on_the_command_line(tmp_path, capsys):
    """Formulation, constraints, limits of steps and events; a table and a page come out."""
    table, page = tmp_path / "run.csv", tmp_path / "run.html"
    asked = ["simulate", "double-pendulum", "--until", "0.5", "--every", "0.1"]
    more = ["--formulation", "cartesian", "--constraints", "index2", "--integrator", "radau5",
            "--max-step", "0.05", "--event", "down=A.angle - 0.5"]  # fmt: skip
    assert run([*asked, *more, "--stop", "early=t - 0.4", "-o", str(table)]) == 0
    assert "event     early at 0.4 s" in capsys.readouterr().out
    times = [float(line.split(",")[0]) for line in table.read_text().splitlines()[1:]]
    np.testing.assert_allclose(times, [0.0, 0.1, 0.2, 0.3, 0.4], atol=1e-9)
    assert run([*asked, "-o", str(page)]) == 0
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html>")


def test_the_doctor_says_what_there_is(capsys):
    assert run(["doctor"]) == 0
    said = dict(line.split(maxsplit=1) for line in capsys.readouterr().out.splitlines())
    assert said["bellcrank"].startswith(bc.__version__)
    assert {"Python", "processor", "packages", "cache", "extra"} <= set(said)
    assert "MISSING" not in said["packages"]


def test_the_cache_is_warmed_measured_and_cleared(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("BELLCRANK_CACHE", str(tmp_path / "own"))
    assert run(["cache", "size"]) == 0
    assert capsys.readouterr().out.startswith("0 entries, 0.0 MiB in ")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "old.blob").write_bytes(bytes(2**20))
    assert run(["cache", "clear"]) == 0
    assert capsys.readouterr().out.startswith("cleared 1 entry, 1.0 MiB in ")
    assert not list((tmp_path / "own").iterdir())
    monkeypatch.undo()
    assert run(["cache", "warm", "tsda"]) == 0
    assert capsys.readouterr().out.startswith("tsda ")
