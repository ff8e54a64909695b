"""Ctrl-C: at once and never lost, while compiling too, and the process goes on."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from bellcrank.kernels.interrupts import heard, whole

pytestmark = pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")


@pytest.fixture
def listening():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def deaf(after):
    """Swallow Ctrl-C, and go on."""
    try:
        os.kill(os.getpid(), signal.SIGINT)
        signal.sigtimedwait([], 0.0)
    except KeyboardInterrupt:
        after.append("swallowed")
    after.append("went on")


def test_an_interrupt_that_others_swallow_is_raised_in_the_end(listening):
    after = []
    with pytest.raises(KeyboardInterrupt), heard():
        deaf(after)
    assert after == ["swallowed", "went on"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_an_import_is_finished_first(listening, tmp_path, monkeypatch):
    text = (
        "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\nfor _ in range(1000): pass\n"
    )
    (tmp_path / "slow_to_import.py").write_text(text + "done = True\n", encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(KeyboardInterrupt):
        whole("slow_to_import")
    assert whole("slow_to_import").done


def test_other_handlers_and_threads_are_left_alone():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with heard():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
    thread = threading.Thread(target=lambda: whole("json"))
    thread.start()
    thread.join()


CHILD = """
import os, random, signal, threading, time
import bellcrank as bc
from bellcrank.kernels import cache
signal.signal(signal.SIGINT, signal.default_int_handler)
length = 1 + random.random()  # never compiled before
machine = bc.Model(
    "chain",
    bodies=[bc.Body(f"B{k}", bc.Rod((k, 0, 0), (k + length, 0, 0), mass=1.0))
            for k in range(8)],
    joints=[bc.Universal(f"J{k}", f"B{k - 1}" if k else "ground", f"B{k}", at=(k, 0, 0),
                         axis1="y", axis2="z") for k in range(8)],
)
threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT)).start()
try:
    bc.simulate(machine, 0.01, formulation=bc.Kane())
    print("not interrupted")
except KeyboardInterrupt:
    print("interrupted")
def compiled_for():
    return time.perf_counter() - cache.running_clock()
before = compiled_for()
print(bc.simulate(machine, 0.01, formulation=bc.Kane()).status)
print("at once" if compiled_for() - before > 0.01 else "late")  # there was more to compile
"""


def test_compiling_is_interrupted_and_the_process_goes_on():
    done = subprocess.run(
        [sys.executable, "-c", CHILD], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.stdout.split() == ["interrupted", "done", "at", "once"], done.stderr[-2000:]
