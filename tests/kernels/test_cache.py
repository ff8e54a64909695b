"""The cache: damage, change of sources, several processes, and folders that cannot be used."""

import os
import shutil
import stat
import subprocess
import sys
import time
import warnings
from pathlib import Path

import casadi as ca
import numpy as np
import pytest

import bellcrank
from bellcrank.kernels import build, cache, kernel

X = np.linspace(-1, 1, 5)


def function():
    x = ca.SX.sym("x", 5)
    return ca.Function("f", [x], [ca.sin(x) * x + ca.exp(x)])


def fresh(make=function, **options):
    """Return what a kernel computes, as a process would that remembers nothing."""
    build.forget()
    return kernel("key", make, **options)(X)[0]


def entry(folder):
    (path,) = folder.glob("*.blob")
    return path


def flips(size):
    """Return two hundred places of bits in an entry; those of the seal are among them."""
    rng = np.random.default_rng(0)
    return [*rng.choice(8 * size, 180, replace=False).tolist(), *range(0, 8 * 40, 16)]


def flipped(content, place):
    bad = bytearray(content)
    bad[place // 8] ^= 1 << place % 8
    return bytes(bad)


def test_two_hundred_flipped_bits_are_each_found(cache_folder):
    """Bytes of the length of object code: each damaged entry is made again, and once."""
    made, payload = [], np.random.default_rng(1).bytes(4000)

    def make():
        made.append(1)
        return payload

    assert cache.blob("key", make) == payload
    good = entry(cache_folder).read_bytes()
    places = flips(len(good))
    assert len(places) == 200
    for count, place in enumerate(places):
        entry(cache_folder).write_bytes(flipped(good, place))
        assert cache.blob("key", make) == payload
        assert len(made) == count + 2
        assert entry(cache_folder).read_bytes() == good


def test_object_code_with_a_flipped_bit_is_rebuilt(cache_folder):
    expected = fresh()
    good = entry(cache_folder).read_bytes()
    for place in flips(len(good))[::40]:
        entry(cache_folder).write_bytes(flipped(good, place))
        np.testing.assert_array_equal(fresh(), expected)
        assert entry(cache_folder).read_bytes() == good


@pytest.mark.parametrize("content", [b"", b"bellcrnk", b"x" * 4000])
def test_what_is_no_entry_is_rebuilt(cache_folder, content):
    expected = fresh()
    entry(cache_folder).write_bytes(content)
    np.testing.assert_array_equal(fresh(), expected)


def test_an_entry_under_another_name_is_not_served(cache_folder):
    first = cache.blob("one", lambda: b"1")
    content = entry(cache_folder).read_bytes()
    entry(cache_folder).unlink()
    cache.blob("two", lambda: b"2")
    entry(cache_folder).write_bytes(content)
    assert first == b"1"
    assert cache.blob("two", lambda: b"2") == b"2"


def test_the_folder_and_its_files_are_private(cache_folder):
    cache.blob("one", lambda: b"1")
    assert stat.S_IMODE(cache_folder.stat().st_mode) == 0o700
    assert stat.S_IMODE(entry(cache_folder).stat().st_mode) == 0o600
    assert len(list(cache_folder.iterdir())) == 1  # no drafts are left


def test_editing_a_source_changes_the_key(tmp_path):
    package = Path(bellcrank.__file__).parent
    copy = tmp_path / "bellcrank"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    before = cache.fingerprint(root=copy)
    assert before == cache.fingerprint(root=package)
    for folder in cache.SOURCES:
        cache.fingerprint.cache_clear()
        source = copy / folder / "edited.py"
        source.parent.mkdir(exist_ok=True)
        source.write_text("g = 9.81\n")
        after = cache.fingerprint(root=copy)
        assert after != before
        before = after
        cache.fingerprint.cache_clear()
        source.write_text("g = 9.80\n")
        assert cache.fingerprint(root=copy) != before
        before = cache.fingerprint(root=copy)


ALONE = """
import casadi as ca
from bellcrank.kernels import kernel
x = ca.SX.sym("x")
kernel("key", lambda: ca.Function("f", [x], [2 * x]))
"""


def test_edited_sources_compile_again(tmp_path, cache_folder):
    """A copy of the package, twice as it is and once edited: two entries."""
    package, copy = Path(bellcrank.__file__).parent, tmp_path / "bellcrank"
    shutil.copytree(package, copy, ignore=shutil.ignore_patterns("__pycache__"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    for edit, entries in (("", 1), ("", 1), ("g = 9.81\n", 2)):
        if edit:
            (copy / cache.SOURCES[0] / "edited.py").write_text(edit)
        subprocess.run([sys.executable, "-c", ALONE], env=environment, check=True)
        assert len(list(cache_folder.glob("*.blob"))) == entries


def test_keys_depend_on_processor_and_libraries():
    text = cache.environment()
    assert "\ncpu " in text
    assert f"casadi {ca.__version__}" in text
    assert "llvmlite 0." in text
    assert cache.version("no_such_package") == "absent"
    assert cache.version("numpy") == np.__version__


CHILD = """
import sys, time
import casadi as ca, numpy as np
from bellcrank.kernels import kernel
x = ca.SX.sym("x", 5)
while time.time() < float(sys.argv[1]):
    pass
for i in range(20):
    made = kernel(f"key {i}", lambda: ca.Function("f", [x], [ca.sin(x) * x + i]))
    print(made(np.linspace(-1, 1, 5))[0].tolist())
"""


def test_two_processes_at_once_agree(cache_folder):
    command = [sys.executable, "-W", "error", "-c", CHILD, str(time.time() + 0.8)]
    children = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]
    outputs = [child.communicate(timeout=60) for child in children]
    assert [child.returncode for child in children] == [0, 0], outputs
    assert outputs[0] == outputs[1]
    assert len(list(cache_folder.iterdir())) == 20


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    place = tmp_path / "file" / "cache"
    monkeypatch.setenv("BELLCRANK_CACHE", str(place))
    made = []
    with warnings.catch_warnings(record=True, action="always") as caught:
        found = [cache.blob("key", lambda: made.append(1) or b"1") for _ in range(3)]
    assert found == [b"1"] * 3
    assert [str(w.message) for w in caught] == [
        f"the cache folder {place} cannot be used (Not a directory): compiled code is kept for "
        "this process only. Set BELLCRANK_CACHE to a folder of your own."
    ]
    assert len(made) == 1


def test_a_folder_that_others_may_write_to_is_not_trusted(cache_folder):
    cache_folder.mkdir()
    cache_folder.chmod(0o777)
    with pytest.warns(RuntimeWarning, match="others may write to it"):
        fresh()
    assert list(cache_folder.iterdir()) == []


def test_a_user_without_a_home_works_in_memory(monkeypatch):
    def no_home():
        raise RuntimeError("Could not determine home directory.")

    for name in ("BELLCRANK_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(cache.Path, "home", no_home)
    with pytest.warns(RuntimeWarning, match="the cache cannot be used .this user has no home"):
        expected = fresh()
    np.testing.assert_array_equal(fresh(), expected)  # and it is said once
    cache.clear()


@pytest.mark.skipif(os.name != "posix", reason="files have no owner there")
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_an_entry_that_others_may_write_is_made_anew(cache_folder, mode):
    expected = fresh()
    path = entry(cache_folder)
    path.chmod(mode)
    made = []
    np.testing.assert_array_equal(fresh(lambda: made.append(1) or function()), expected)
    assert made
    assert path.stat().st_mode & 0o777 == 0o600


def test_an_entry_that_is_a_link_is_not_followed(cache_folder, tmp_path):
    fresh()
    path = entry(cache_folder)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    made = []
    fresh(lambda: made.append(1) or function())
    assert made
    assert not path.is_symlink()


@pytest.mark.skipif(os.name != "posix", reason="folders have no owner there")
def test_a_folder_of_another_user_is_not_trusted(cache_folder, monkeypatch):
    cache_folder.mkdir(mode=0o700)
    monkeypatch.setattr(os, "getuid", lambda: cache_folder.stat().st_uid + 1)
    with pytest.warns(RuntimeWarning, match="it belongs to another user"):
        fresh()
    assert list(cache_folder.iterdir()) == []


@pytest.mark.parametrize("mode", [0o500, 0o000])
def test_an_unwritable_or_unreadable_folder_is_done_without(cache_folder, monkeypatch, mode):
    cache_folder.mkdir()
    cache_folder.chmod(mode)
    if os.getuid() == 0:  # nothing is forbidden to root: let the system say it is
        monkeypatch.setattr(os, "access", lambda *_: False)
    with warnings.catch_warnings(record=True, action="always") as caught:
        np.testing.assert_array_equal(fresh(), fresh())
    cache_folder.chmod(0o700)
    assert len(caught) == 1
    assert caught[0].category is RuntimeWarning
    assert "it cannot be read and written" in str(caught[0].message)


def test_a_full_disk_leaves_the_entry_in_memory(monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.warns(RuntimeWarning, match="No space left on device"):
        assert cache.blob("key", lambda: b"1") == b"1"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cache.blob("key", lambda: b"2") == b"1"


def test_entries_longest_unused_go_first(cache_folder):
    """One too many for the limit, by less than the smallest of them, and only that one goes."""
    head, large = 40, cache.LIMIT // 64  # of an entry; after so much the folder is looked at
    for i in range(3):
        cache.blob(f"key {i}", lambda: b"x" * 1000)
        os.utime(max(cache_folder.iterdir(), key=os.path.getmtime), (i + 1.0, i + 1.0))
    cache.blob("key 0", lambda: b"never")  # used: now the youngest
    rest = cache_folder / "rest.blob"
    rest.touch()
    os.truncate(rest, cache.LIMIT - 2 * (1000 + head) - (large + head) - 500)
    cache.blob("key 3", lambda: bytes(large))
    assert cache.blob("key 0", lambda: b"new") == b"x" * 1000
    assert len(list(cache_folder.iterdir())) == 4
    assert cache.blob("key 2", lambda: b"new") == b"x" * 1000
    assert cache.blob("key 1", lambda: b"new") == b"new"


def test_clearing_takes_entries_only(cache_folder):
    cache.blob("key", lambda: b"1")
    (cache_folder / "notes.txt").write_text("mine")
    cache.clear()
    assert [path.name for path in cache_folder.iterdir()] == ["notes.txt"]


def test_a_long_compilation_is_announced_once(capsys):
    def slow():
        with cache.compiling("inner"):
            time.sleep(1.2 * cache.PATIENCE)
        return b"1"

    cache.blob("key", slow, name="the equations of 'crank'")
    cache.blob("key", slow, name="the equations of 'crank'")
    cache.blob("more", slow, name="the equations of 'crank'")
    cache.blob("quick", lambda: b"1", name="quick")
    time.sleep(1.2 * cache.PATIENCE)
    said = "bellcrank: compiling the equations of 'crank' (first run only)\n"
    assert capsys.readouterr().err == said


def test_on_a_terminal_one_line_comes_and_goes(monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)

    def slow():
        time.sleep(1.2 * cache.PATIENCE)
        return b"1"

    for part in "ab":
        cache.blob(part, slow, name="the equations of 'one alone'")
    shown = capsys.readouterr().err.split(cache.ERASED)
    line = "bellcrank: compiling the equations of 'one alone' (first run only)"
    assert [each for each in shown if each] == [f"{line} 1 …", f"{line} 2 …"]
    assert shown[-1] == ""


def test_a_running_clock_stands_still_while_compiling():
    """Of all the time that passes it leaves out at least what passes within."""
    inside = []

    def make():
        begin = time.perf_counter()
        time.sleep(0.1)
        found = cache.blob("in", lambda: b"1") + b"1"
        inside.append(time.perf_counter() - begin)
        return found

    wall, begin = time.perf_counter(), cache.running_clock()
    cache.blob("slow", make)
    ran, passed = cache.running_clock() - begin, time.perf_counter() - wall
    assert 0 <= ran <= passed - inside[0] + 1e-9  # rounding of times


@pytest.mark.parametrize(
    ("platform", "variables", "expected"),
    [
        ("linux", {}, "home/.cache/bellcrank"),
        ("linux", {"XDG_CACHE_HOME": "xdg"}, "xdg/bellcrank"),
        ("darwin", {}, "home/Library/Caches/bellcrank"),
        ("win32", {"LOCALAPPDATA": "local"}, "local/bellcrank"),
    ],
)
def test_the_folder_is_where_the_platform_wants_it(monkeypatch, platform, variables, expected):
    for name in ("BELLCRANK_CACHE", "XDG_CACHE_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(Path, "home", lambda: Path("home"))
    monkeypatch.setattr(sys, "platform", platform)
    assert cache.folder() == Path(expected)
