"""A file is replaced whole, or not at all.

What is written goes to a draft beside the file, which takes the file's place in one step when
it is complete and on the disk. A full disk, an error or a killed process leave what was there
before. A link stays a link: what it points to is replaced. A file that was there keeps its
permissions, a new one has those of the user's umask.

A draft is named after the computer and the process that writes it, so that one left behind by
a process that is no more is found and removed when the next file is written to its folder.
"""

import contextlib
import hashlib
import os
import platform
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from secrets import token_hex

from bellcrank.errors import FileError, shortened

PREFIX = ".bellcrank-"
LONGEST = 4096  # letters of a path; no system takes more
LEFT_ALONE = 60.0  # seconds: a younger draft may belong to a process of the same number


def path_of(given: object) -> Path:
    """Return the path of a file that is to be read or written.

    Raises:
        FileError: It is no path.
    """
    named = isinstance(given, str | os.PathLike) and isinstance(os.fspath(given), str)
    if not named:
        kind = type(given).__name__
        raise FileError(f"a file is named by a path such as 'machine.yaml', got a {kind}.")
    path = Path(given)  # pyright: ignore[reportArgumentType]
    if len(str(path)) > LONGEST:
        raise FileError(f"a path has at most {LONGEST} letters, got {len(str(path))}.")
    try:
        os.stat(path)  # noqa: PTH116, as Path.exists hides what is no path at all
    except (FileNotFoundError, NotADirectoryError):
        pass  # who reads says it
    except OSError as error:
        raise FileError(f"{shortened(str(path))}: {error.strerror or error}.") from None
    except ValueError as error:
        raise FileError(f"{shortened(str(path))} is no path: {error}.") from None
    return path


@contextlib.contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the draft that takes the place of `path` if nothing is raised.

    Raises:
        FileError: The draft cannot be written, or cannot take its place.
    """
    try:
        target = path.resolve()
        if target.is_dir():
            raise FileError(f"cannot write {str(path)!r}: it is a folder.")
        if not target.parent.is_dir():
            raise FileError(
                f"cannot write {str(path)!r}: there is no folder {str(path.parent)!r}."
            )
        _sweep(target.parent)
        draft = target.parent / f"{_own_prefix()}{token_hex(4)}{target.suffix}"
        try:
            draft.touch(exist_ok=False)
            yield draft
            _keep_mode(target, draft)
            with draft.open("rb+") as file:
                os.fsync(file.fileno())
            draft.replace(target)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise FileError(f"cannot write {str(path)!r}: {error.strerror or error}.") from error


def replace_text(path: Path, text: str) -> None:
    """Write a text as UTF-8, lines ending as they do.

    Raises:
        FileError: It cannot be written; what was there before still is.
    """
    with replacing(path) as draft:
        draft.write_text(text, encoding="utf-8", newline="\n")


def _own_prefix() -> str:
    return f"{PREFIX}{_computer()}-{os.getpid()}-"


def _computer() -> str:
    return hashlib.sha256(platform.node().encode()).hexdigest()[:8]


def _keep_mode(target: Path, draft: Path) -> None:
    """Give a draft the permissions of the file it replaces."""
    with contextlib.suppress(FileNotFoundError):
        draft.chmod(stat.S_IMODE(target.stat().st_mode))


def _sweep(folder: Path) -> None:
    """Remove drafts of processes of this computer that are no more."""
    with contextlib.suppress(OSError):
        for draft in folder.glob(f"{PREFIX}{_computer()}-*"):
            number = draft.name.removeprefix(f"{PREFIX}{_computer()}-").partition("-")[0]
            if number.isdigit() and not _runs(int(number)) and _age(draft) > LEFT_ALONE:
                draft.unlink(missing_ok=True)


def _age(draft: Path) -> float:
    return time.time() - draft.stat().st_mtime


def _runs(number: int) -> bool:
    """Return whether a process is there; on Windows nobody can say without asking it to end."""
    if os.name != "posix":
        return True
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
