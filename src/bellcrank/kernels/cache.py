"""What was compiled once is kept: a private folder of checked files.

An entry is one `.blob` file named after the SHA-256 of its key. It begins with a checksum
over key and payload, because flipped bits in object code link silently and crash later. A
bad entry is no error: it is rebuilt. Files are written beside their place and moved there
in one step, so two processes may build the same entry at once.

The folder is `$BELLCRANK_CACHE`, or `bellcrank` in the user's cache folder. When it cannot
be used, compiled code is kept in memory for the life of the process, and one warning says so.
"""

import contextlib
import functools
import hashlib
import os
import stat
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

import llvmlite

from bellcrank.kernels import jit
from bellcrank.kernels.interrupts import heard

MAGIC = b"bellcrnk"
LIMIT = 1 << 30  # bytes kept on disk; the entries longest unused go first
PATIENCE = 0.5  # seconds of compiling after which one says so
SOURCES = ("model", "spatial", "linear", "formulations", "kernels", "constraints", "machine")
NATIVE = ("linear", "kernels", "constraints", "machine/batched/native", "integrators")

_memory: dict[str, bytes] = {}
_warned: set[Path | None] = set()
_added: dict[Path, int] = {}  # bytes written to a folder since it was last pruned


# --- keys ---------------------------------------------------------------------------------


@functools.cache
def fingerprint(*folders: str, root: Path | None = None) -> str:
    """Return the SHA-256 over the Python sources in `folders` of the package.

    Code made by other sources must not be served from the cache, so this is part of keys.

    Args:
        folders: Names of folders below `root`; by default those that shape kernels.
        root: The package; by default the one that runs.
    """
    root = root or Path(__file__).parent.parent
    total = hashlib.sha256()
    for folder in folders or SOURCES:
        total.update(f"{folder}\0{_digest(str(root / folder))}".encode())
    return total.hexdigest()


def _digest(folder: str) -> str:
    """Return the SHA-256 over the names and the text of all Python sources in a folder.

    Every process waits for it, so it takes strings, not paths: a third of the time.
    """
    total = hashlib.sha256()
    for parent, folders, files in os.walk(folder):
        folders.sort()
        for name in sorted(each for each in files if each.endswith(".py")):
            path = f"{parent}{os.sep}{name}"
            inner = path[len(folder) :].replace(os.sep, "/")
            with open(path, "rb") as source:  # noqa: PTH123 - see above
                total.update(f"{inner}\0".encode() + hashlib.sha256(source.read()).digest())
    return total.hexdigest()


@functools.cache
def version(package: str) -> str:
    """Return the version of an installed package without importing it, or `absent`.

    The name of its `.dist-info` folder says it; where there is none, size and time of
    the package's first file stand for it.
    """
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return "absent"
    start = Path(spec.origin)
    for entry in os.listdir(start.parent.parent):  # noqa: PTH208 - strings are all we need
        name, _, rest = entry.partition("-")
        if name.lower() == package and rest.endswith(".dist-info"):
            return rest.removesuffix(".dist-info")
    state = start.stat()
    return f"{state.st_size}@{state.st_mtime_ns}"


@functools.cache
def environment() -> str:
    """Return what machine code depends on besides its source: processor and libraries."""
    name, features = jit.cpu()
    return "\n".join((
        f"triple {jit.triple()}",
        f"cpu {name} {features}",
        f"llvmlite {llvmlite.__version__}",
        f"casadi {version('casadi')}",
        f"python {sys.version}",
    ))


# --- the folder ---------------------------------------------------------------------------


def folder() -> Path:
    """Return the folder of the cache, which need not exist yet.

    Raises:
        FileNotFoundError: The user has no home folder, as in some containers.
    """
    try:
        return _folder()
    except RuntimeError:  # from Path.home and Path.expanduser
        raise FileNotFoundError("this user has no home folder") from None


def _folder() -> Path:
    if chosen := os.environ.get("BELLCRANK_CACHE"):
        return Path(chosen).expanduser()
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local"
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    else:
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "bellcrank"


def _usable() -> Path | None:
    """Return the folder, private to us, or None after one warning when it cannot be used."""
    place = None
    try:
        place = folder()
        place.mkdir(mode=0o700, parents=True, exist_ok=True)
        state = place.stat()
        if os.name == "posix":
            if state.st_uid != os.getuid():
                raise PermissionError("it belongs to another user")
            if stat.S_IMODE(state.st_mode) & 0o022:
                raise PermissionError("others may write to it")
        if not os.access(place, os.R_OK | os.W_OK | os.X_OK):
            raise PermissionError("it cannot be read and written")
    except OSError as problem:
        _complain(place, problem)
        return None
    return place


def _complain(place: Path | None, problem: OSError) -> None:
    if place in _warned:
        return
    _warned.add(place)
    reason = problem.strerror or str(problem)
    which = f"the cache folder {place}" if place else "the cache"
    warnings.warn(
        f"{which} cannot be used ({reason}): compiled code is kept for this "
        "process only. Set BELLCRANK_CACHE to a folder of your own.",
        RuntimeWarning,
        stacklevel=4,
    )


# --- entries ------------------------------------------------------------------------------


def blob(key: str, make: Callable[[], bytes], *, name: str = "") -> bytes:
    """Return the bytes kept under `key`, making and keeping them if they are not there.

    Processor and library versions belong to every key and need not be in `key`; a
    `fingerprint` of the sources the bytes come from must be.

    Args:
        key: What the bytes are, in full.
        make: Makes them.
        name: What it is part of, in a user's words, for the line that says we are compiling.
    """
    digest = hashlib.sha256(f"{key}\n{environment()}".encode()).digest()
    place = _usable()
    if place is None:
        return _remembered(digest.hex(), make, name)
    path = place / f"{digest.hex()}.blob"
    payload = _memory.get(digest.hex()) or _read(path, digest)
    if payload is None:
        with compiling(name), _timed(), heard():
            payload = make()
        _write(path, digest, payload)
    return payload


def _remembered(entry: str, make: Callable[[], bytes], name: str) -> bytes:
    if entry not in _memory:
        with compiling(name, kept=False), _timed(), heard():
            _memory[entry] = make()
    return _memory[entry]


# --- the time it takes --------------------------------------------------------------------

_clock = threading.local()


def running_clock() -> float:
    """Return a time that stands still while this thread compiles [s]."""
    return perf_counter() - _compiled_for()


def _compiled_for() -> float:
    return getattr(_clock, "total", 0.0)


@contextlib.contextmanager
def _timed() -> Iterator[None]:
    """Count the time inside; of contexts within contexts only the outer one."""
    begin, before = perf_counter(), _compiled_for()
    try:
        yield
    finally:
        _clock.total = before + perf_counter() - begin


def _seal(digest: bytes, payload: bytes) -> bytes:
    return MAGIC + hashlib.sha256(MAGIC + digest + payload).digest()


def _read(path: Path, digest: bytes) -> bytes | None:
    """Return the payload of an entry, or None if it is absent, unreadable or damaged."""
    try:
        content = path.read_bytes() if _ours(path) else b""
    except OSError:
        return None
    size = len(MAGIC) + hashlib.sha256().digest_size
    seal, payload = content[:size], content[size:]
    if seal != _seal(digest, payload):
        return None
    with contextlib.suppress(OSError):
        os.utime(path)  # recently used: the last to be thrown out
    return payload


def _ours(path: Path) -> bool:
    """Return whether an entry can have been written by nobody else: it becomes machine code."""
    state = path.lstat()
    if os.name != "posix":
        return stat.S_ISREG(state.st_mode)
    mine = state.st_uid == os.getuid() and not stat.S_IMODE(state.st_mode) & 0o022
    return stat.S_ISREG(state.st_mode) and mine


def _write(path: Path, digest: bytes, payload: bytes) -> None:
    """Put an entry in its place in one step; a full disk leaves it in memory only."""
    draft = path.with_name(f"{path.stem}.{os.getpid()}-{threading.get_ident()}.blob")
    try:
        draft.write_bytes(_seal(digest, payload) + payload)
        draft.chmod(0o600)
        draft.replace(path)
        _account(path.parent, len(payload))
    except OSError as problem:
        _complain(path.parent, problem)
        _memory[path.stem] = payload
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)


def _account(place: Path, size: int) -> None:
    """Prune the folder at the first entry of a process, and whenever much has been added."""
    _added[place] = _added.get(place, LIMIT) + size
    if _added[place] > LIMIT // 64:
        _added[place] = 0
        _prune(place)


def _prune(place: Path) -> None:
    """Remove the entries longest unused until the folder is within its limit."""
    found = _entries(place)
    total = sum(size for _, size, _ in found)
    for _, size, path in sorted(found) if total > LIMIT else ():
        if total <= LIMIT:
            return
        Path(path).unlink(missing_ok=True)
        total -= size


def _entries(place: Path) -> list[tuple[float, int, str]]:
    """Return when each entry was used last, its size [B] and its path."""
    found = []
    with os.scandir(place) as listed:
        for entry in listed:
            with contextlib.suppress(OSError):  # another process may remove it meanwhile
                if entry.name.endswith(".blob"):
                    state = entry.stat()
                    found.append((state.st_mtime, state.st_size, entry.path))
    return found


def size() -> tuple[int, int]:
    """Return how many entries there are on disk, and their bytes."""
    with contextlib.suppress(OSError):
        sizes = [size for _, size, _ in _entries(folder())]
        return len(sizes), sum(sizes)
    return 0, 0


def forget() -> None:
    """Forget what this process keeps besides the entries on disk: others, and its warnings."""
    _memory.clear()
    _warned.clear()


def clear() -> None:
    """Forget everything: the entries on disk and those in memory."""
    forget()
    with contextlib.suppress(FileNotFoundError):  # no home folder, nothing on disk
        for path in folder().glob("*.blob"):
            path.unlink(missing_ok=True)


# --- the notice ---------------------------------------------------------------------------

_announcing = threading.Lock()
_announced: Counter[str] = Counter()  # how many parts of a subject were compiled
_said: set[str] = set()
ERASED = "\r\x1b[K"


@contextlib.contextmanager
def compiling(subject: str, *, kept: bool = True) -> Iterator[None]:
    """Say on stderr what is being compiled, if that takes long enough to wonder.

    On a terminal it is one line that goes when it is done; elsewhere it is said once for each
    subject. Contexts within contexts are silent, and so is one without a subject.

    Args:
        subject: In a user's words: `the equations of 'four-bar'`.
        kept: Whether later runs are spared it.
    """
    if not subject or not _announcing.acquire(blocking=False):
        yield
        return
    live, count = sys.stderr.isatty(), _announced[subject]
    line = f"bellcrank: compiling {subject}{' (first run only)' if kept else ''}"
    timer = threading.Timer(PATIENCE, _say, (line, f" {count + 1} …" if live else ""))
    timer.daemon = True
    if live or line not in _said:
        timer.start()
    try:
        yield
    finally:
        timer.cancel()
        _announced[subject] += 1
        if live:
            print(ERASED, end="", file=sys.stderr, flush=True)
        _announcing.release()


def _say(line: str, live: str) -> None:
    """Print a line; one that is `live` stays open, and ends with that."""
    _said.add(line)
    print(f"{ERASED}{line}{live}" if live else f"{line}\n", end="", file=sys.stderr, flush=True)
