"""A revision of the project: its source in a folder, its cache, its child processes."""

import io
import os
import resource
import subprocess
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path

from benchmarks.processes import bytecode_kept

ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class Revision:
    """Source that children import `bellcrank` from.

    Attributes:
        name: What it is called in tables.
        root: Folder that has `src/bellcrank`.
        cache: Folder of its compiled code.
    """

    name: str
    root: Path
    cache: Path

    def run(self, *arguments: str) -> tuple[float, str]:
        """Run `python *arguments` and return its processor time [s] and what it printed.

        Raises:
            RuntimeError: The child failed.
        """
        before = _children()
        done = subprocess.run(
            [sys.executable, *arguments],
            env=self._environment, cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(f"a child process of {self.name} failed:\n{done.stderr}")
        return _children() - before, done.stdout

    @property
    def _environment(self) -> dict[str, str]:
        """Ours, with this source first; one thread, as processor time counts all of them.

        Python keeps its bytecode, as it does of an installed package.
        """
        return bytecode_kept() | {
            "PYTHONPATH": os.pathsep.join([str(self.root / "src"), str(ROOT)]),
            "BELLCRANK_CACHE": str(self.cache),
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
        }


def _children() -> float:
    """Return the processor time of all children so far [s]."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def working_tree(cache: Path) -> Revision:
    """Return the files as they are, with changes that are not committed."""
    described = _git("describe", "--always", "--dirty", "--exclude=*").strip()
    return Revision(described, ROOT, _made(cache / described))


def checked_out(name: str, folder: Path, cache: Path) -> Revision:
    """Return a revision whose source is written into a folder.

    Args:
        name: Anything that Git takes for a commit.
        folder: Where to.
        cache: Parent of the folders of compiled code.
    """
    commit = _git("rev-parse", "--verify", "--short", f"{name}^{{commit}}").strip()
    root = _made(folder / commit)
    packed = subprocess.run(
        ["git", "archive", "--format=tar", commit, "src"],
        cwd=ROOT, check=True, capture_output=True,
    )  # fmt: skip
    with tarfile.open(fileobj=io.BytesIO(packed.stdout)) as source:
        source.extractall(root, filter="data")
    return Revision(commit, root, _made(cache / commit))


def _made(folder: Path) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _git(*arguments: str) -> str:
    done = subprocess.run(
        ["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr.strip())
    return done.stdout
