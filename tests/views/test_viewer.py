"""The live viewer without a browser: one worker, own ports, a clean end."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import numpy as np
import pytest
from tests.views.client import HANGS, Client

import bellcrank as bc
from bellcrank.errors import ModelError, OptionError
from bellcrank.views.controls import Controls, Slider, ViewRequest, gathered, parameter_slider
from bellcrank.views.mailbox import Mailbox
from bellcrank.views.ports import HOST, free_port


@pytest.fixture
def port():
    """Return a port that is free now, different for each worker of the tests."""
    with socket.socket() as trial:
        trial.bind((HOST, 0))
        return trial.getsockname()[1]


@pytest.fixture
def viewer(run, port):
    with bc.view(run, port=port, block=False, say=lambda _: None) as made:
        yield made


# --- the worker


def test_the_newest_wish_is_done_and_those_overtaken_are_not():
    done, go = [], threading.Event()

    def work(request):
        go.wait(5)
        done.append(request)

    box = Mailbox(work)
    box.put(0)
    time.sleep(0.05)  # the first is being done
    for request in range(1, 50):
        box.put(request)
    go.set()
    assert box.idle(5)
    assert done == [0, 49]
    box.close()


def test_work_is_never_done_twice_at_a_time_and_errors_do_not_end_it():
    inside, most, errors = [0], [0], []

    def work(request):
        inside[0] += 1
        most[0] = max(most[0], inside[0])
        time.sleep(0.002)
        inside[0] -= 1
        if request == "bad":
            raise ValueError(request)

    box = Mailbox(work, errors.append)
    threads = [threading.Thread(target=box.put, args=(k,)) for k in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    box.idle(5)
    box.put("bad")
    assert box.idle(5)
    box.put("good")
    assert box.idle(5)
    assert most == [1]
    assert [str(error) for error in errors] == ["bad"]
    box.close()


# --- what can be turned


def test_sliders_hold_their_value_within_their_range():
    for value in (2.0, -3.0, 0.0, 1e-6, 9.81):
        slider = parameter_slider("p", value)
        assert slider.low < value < slider.high
        assert 0 < slider.step < slider.high - slider.low


def test_only_what_was_turned_replaces_what_was_given():
    sliders = (
        Slider("A.angle", 0.3, -3, 3, "rad"),
        Slider("A.angle_rate", 0.0, -9, 9, "rad/s"),
    )
    tree = Controls(lambda *_: None, start=sliders, held={"A": 0.3, "B": 1.0})
    assert gathered(tree, [0.3, 0.0], set()) == {"A": 0.3, "B": 1.0}
    assert gathered(tree, [0.3, 2.0], {1}) == {"A": 0.3, "B": 1.0, "A.angle_rate": 2.0}
    assert gathered(tree, [0.7, 0.0], {0}) == {"A.angle": 0.7, "B": 1.0}
    loop = Controls(lambda *_: None, start=sliders, held={"A": 0.3, "B": 1.0}, loops=True)
    assert gathered(loop, [0.7, 0.0], {0}) == {"A.angle": 0.7}
    near = Controls(lambda *_: None, start=sliders, held={"C": bc.Near(1.0)}, loops=True)
    assert gathered(near, [0.7, 0.0], {0}) == {"A.angle": 0.7, "C": bc.Near(1.0)}
    spin = tuple(Slider("F.velocity", v, -9, 9, "m/s", k) for k, v in enumerate((1.0, 2, 3)))
    free = Controls(lambda *_: None, start=spin)
    assert gathered(free, [1.0, 5.0, 3.0], {1}) == {"F.velocity": (1.0, 5.0, 3.0)}


# --- the server


def test_it_answers_on_this_computer_only_and_shows_the_run(viewer, run):
    assert viewer.url.startswith("http://127.0.0.1:")
    with urllib.request.urlopen(viewer.url, timeout=10) as answer:
        assert answer.status == 200
    assert viewer.run is run
    assert viewer.server.get_host() == "127.0.0.1"


def test_a_wish_gives_the_run_that_simulate_gives(viewer, machine):
    request = ViewRequest(
        {"m_crank": 1.7, "k": 55.0}, {"A": -0.4}, "JointCoordinates", "DOP853"
    )
    viewer.worker.put(request)
    assert viewer.worker.idle(60)
    again = bc.simulate(
        machine, until=10.0, start={"A": -0.4}, parameters={"m_crank": 1.7, "k": 55.0},
        integrator=bc.DOP853(),
    )  # fmt: skip
    np.testing.assert_array_equal(viewer.run.values("A.angle"), again.values("A.angle"))
    assert "energy drift" in viewer.status.content
    assert "constraint residual" in viewer.status.content


def test_a_loaded_result_is_viewed_and_run_again_as_it_was_run(run, port, tmp_path):
    run.save(tmp_path / "run.nc")
    loaded = bc.load(tmp_path / "run.nc")
    with bc.view(loaded, port=port, block=False, say=lambda _: None) as viewer:
        controls = viewer.controls
        start = gathered(controls, [], set())
        viewer.worker.put(
            ViewRequest({"m_crank": 1.0, "k": 40.0}, start, controls.formulations[0], "Auto")
        )
        assert viewer.worker.idle(60)
        assert viewer.run is not loaded
        # The start is the first record, which assembly moves by rounding.
        again, before = viewer.run.values("A.angle"), run.values("A.angle")
    np.testing.assert_allclose(again, before, atol=1e-6)


def test_a_run_that_stops_early_is_shown_as_far_as_it_came(port):
    blow_up = bc.Model(
        "runaway",
        bodies=[bc.Body("rod", bc.Rod((0, 0, 0), (0, 0, -1), mass=1.0))],
        joints=[bc.Revolute("A", "ground", "rod", at=(0, 0, 0), axis="y")],
        forces=[bc.Motor("push", "A", effort="A.angle_rate**3 + 1")],
    )
    said = []
    with bc.view(blow_up, until=20.0, port=port, block=False, say=said.append) as viewer:
        assert viewer.end < 20.0
    assert said[0].startswith("stopped at t = ")


def test_what_cannot_be_run_is_said_in_the_panel_and_the_motion_stays(viewer, run):
    viewer.worker.put(
        ViewRequest({}, {"A": 0.1, "B": 0.7, "D": 2.0}, "JointCoordinates", "Auto")
    )
    assert viewer.worker.idle(60)
    assert "⚠" in viewer.status.content
    assert viewer.run is run


def test_sliders_are_the_parameters_and_as_many_start_values_as_freedoms(viewer):
    assert [slider.name for slider in viewer.controls.parameters] == ["m_crank", "k"]
    assert [slider.label for slider in viewer.controls.start] == [
        "A.angle [rad]",
        "A.angle_rate [rad/s]",
    ]
    assert viewer.controls.formulations[0] == "JointCoordinates"
    assert {"Auto", "RK4", "Radau5"} <= set(viewer.controls.integrators)


@pytest.fixture
def client(viewer):
    viewer.play(False)
    made = Client(viewer)
    yield made
    made.close()


def test_each_of_thirty_moves_of_a_slider_is_answered(viewer, client):
    """By a run that begins where the slider was left, and by new curves."""
    chart = client.told("GuiUplotMessage")
    for k in range(30):
        asked, shown = 0.3 + 0.02 * (k + 1), None
        client.turn("A.angle [rad]", asked)
        while shown != pytest.approx(asked, abs=1e-9):  # the clock may still mark the old run
            client.receive(lambda m: m.get("uuid") == chart and "data" in m.get("updates", {}))
            shown = viewer.run.values("A.angle")[0]


def test_what_the_viewer_does_itself_is_no_wish(viewer, client, run):
    viewer.play(True)
    client.receive(lambda m: m["type"] == "GuiUpdateMessage" and "value" in m["updates"])
    viewer.play(False)
    assert viewer.worker.idle(5)
    assert viewer.run is run
    client.turn(viewer.slider.label, 4.0)
    moved = client.receive(lambda m: m["type"] == "SetPositionMessage")
    assert viewer.time == 4.0
    assert moved


def test_sliders_turned_faster_than_it_can_run_end_at_the_last(viewer, client):
    chart, slider = client.told("GuiUplotMessage"), viewer.controls.parameters[0].label
    for value in np.linspace(0.3, 1.9, 60):
        client.turn(slider, float(value))
    client.receive(lambda m: m.get("uuid") == chart and "data" in m.get("updates", {}))
    deadline = time.perf_counter() + HANGS
    while viewer.run.provenance["parameters"]["m_crank"] != 1.9:
        assert time.perf_counter() < deadline
        time.sleep(0.01)


def test_the_share_button_is_off_and_the_axis_is_no_calendar(client):
    themes = [m for m in client.first if m["type"] == "ThemeConfigurationMessage"]
    charts = [m for m in client.first if m["type"] == "GuiUplotMessage"]
    assert [theme["show_share_button"] for theme in themes] == [False]
    assert charts
    assert all(chart["props"]["scales"]["x"] == {"time": False} for chart in charts)


def test_a_taken_port_picks_the_next_and_says_so(port):
    said = []
    with socket.socket() as taken:
        taken.bind((HOST, port))
        taken.listen()
        assert free_port(port, said.append) > port
    assert said == [f"port {port} is taken; {said[0].split()[4]} is used instead."]
    with pytest.raises(OptionError, match=r"^a port is a number from 1 to 65535, got 0\.$"):
        free_port(0, said.append)


def test_it_is_refused_what_is_neither_model_nor_result():
    with pytest.raises(ModelError, match=r"^a Model or a Result is viewed, got 'arm'\.$"):
        bc.view("arm", block=False)


def test_closing_ends_the_server_and_its_threads(run, port):
    viewer = bc.view(run, port=port, block=False, say=lambda _: None)
    viewer.close()
    viewer.close()
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(viewer.url, timeout=5)
    names = [thread.name for thread in threading.enumerate()]
    assert not any(name.startswith("bellcrank") for name in names)


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_control_c_ends_the_command_cleanly(port):
    command = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler); "
    command += "from bellcrank.cli import main; main()"
    process = subprocess.Popen(
        [sys.executable, "-c", command, "view", "double-pendulum", "--until", "1",
         "--port", str(port)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )  # fmt: skip
    try:
        lines = [process.stdout.readline() for _ in range(2)]
        assert f"http://127.0.0.1:{port}" in lines[0]
        assert lines[1] == "Ctrl-C ends it.\n"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in out + err
