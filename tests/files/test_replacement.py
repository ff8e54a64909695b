"""Files are replaced whole or not at all, whatever happens on the way."""

import os
import resource
import signal
import stat
import subprocess
import sys
import textwrap
import time
from contextlib import contextmanager
from functools import cache

import pytest

import bellcrank as bc
from bellcrank import examples
from bellcrank.errors import FileError
from bellcrank.replacement import PREFIX, replace_text, replacing


@contextmanager
def full_disk(size):
    """Let no file grow beyond so many bytes, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)


@pytest.fixture(scope="module")
def run():
    return bc.simulate(examples.load("double-pendulum"), 0.5)


@cache
def verified():
    return bc.verify(examples.load("double-pendulum"), 0.1, states=2, runs=False)


WRITTEN = {
    "machine.yaml": lambda run, path: bc.save(examples.load("ladder"), path),
    "run.nc": lambda run, path: run.save(path),
    "page.html": lambda run, path: run.animate(path),
    "report.html": lambda run, path: bc.report(examples.load("four-bar"), path),
    "verified.html": lambda run, path: verified().save(path),
    "verified.json": lambda run, path: verified().save(path),
    "sheet.html": lambda run, path: bc.derive(examples.load("kane-six-bodies")).save(path),
    "sheet.tex": lambda run, path: bc.derive(examples.load("kane-six-bodies")).save(path),
}


@pytest.mark.parametrize("name", WRITTEN)
def test_a_full_disk_leaves_what_was_there(run, tmp_path, name):
    path = tmp_path / name
    WRITTEN[name](run, path)  # what must be compiled is compiled while there is room
    path.write_text("what was there")
    with full_disk(2000), pytest.raises(FileError, match="cannot write"):
        WRITTEN[name](run, path)
    assert path.read_text() == "what was there"
    assert [file.name for file in tmp_path.iterdir()] == [name]
    WRITTEN[name](run, path)
    assert path.stat().st_size > 2000
    assert [file.name for file in tmp_path.iterdir()] == [name]


def test_a_part_of_a_saved_machine_is_no_machine(tmp_path):
    """Of every beginning of a file, none loads as another machine."""
    model, whole, part = examples.load("four-bar"), tmp_path / "a.yaml", tmp_path / "b.yaml"
    bc.save(model, whole)
    content = whole.read_bytes()
    assert bc.load(whole) == model
    loaded = 0
    for size in range(len(content)):
        part.write_bytes(content[:size])
        try:
            assert bc.load(part) == model
            loaded += 1
        except FileError:
            pass
    assert loaded <= 1  # without the last end of a line it is whole


def test_a_file_written_by_hand_needs_no_mark(tmp_path):
    path = tmp_path / "a.yaml"
    bc.save(examples.load("four-bar"), path)
    lines = path.read_text().splitlines()
    path.write_text("\n".join(lines[1:-1]))
    assert bc.load(path) == examples.load("four-bar")


def test_new_files_follow_the_umask_and_old_ones_keep_their_permissions(run, tmp_path):
    before = os.umask(0o077)
    try:
        for name, write in WRITTEN.items():
            path = tmp_path / name
            write(run, path)
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
            path.chmod(0o640)
            write(run, path)
            assert stat.S_IMODE(path.stat().st_mode) == 0o640
    finally:
        os.umask(before)


def test_a_link_stays_a_link(run, tmp_path):
    target, link = tmp_path / "target.nc", tmp_path / "link.nc"
    run.save(target)
    target.chmod(0o600)
    link.symlink_to(target)
    inode = target.stat().st_ino
    run.save(link)
    assert link.is_symlink()
    assert target.stat().st_ino != inode
    assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_what_a_killed_process_left_is_removed(tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("before")
    script = f"""
        import sys, time
        from pathlib import Path
        from bellcrank.replacement import replacing
        with replacing(Path({str(path)!r})) as draft:
            draft.write_text("half of")
            print("ready", flush=True)
            time.sleep(60)
    """
    child = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(script)], stdout=subprocess.PIPE
    )
    assert child.stdout is not None
    child.stdout.readline()
    child.kill()
    child.wait()
    child.stdout.close()
    (left,) = tmp_path.glob(f"{PREFIX}*")
    assert path.read_text() == "before"
    replace_text(path, "young ones stay")
    assert left.exists()
    old = time.time() - 3600
    os.utime(left, (old, old))
    with replacing(path) as draft:  # a draft of a process that lives is not touched
        os.utime(draft, (old, old))
        replace_text(tmp_path / "b.txt", "beside")
        assert not left.exists()
        draft.write_text("after")
    assert path.read_text() == "after"
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.txt", "b.txt"]
