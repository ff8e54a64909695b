"""Where the files of meshes are, and which of them may be opened.

A mesh is taken only from a folder that the caller trusts: those given as `packages`, the folder
of the URDF file, and the package that the file is part of. `..` and links of the file system
that lead out of these are not followed.

`package://name/rest` (or `model://name/rest`) is looked for as `folder/name/rest`, and in a
folder called `name` as `folder/rest`: first in the folders given, then in the folder of the
file and up to `HIGHEST` folders above it, the topmost of the file system excepted.
"""

import os
from collections.abc import Iterable
from pathlib import Path, PurePosixPath

from bellcrank.errors import OptionError

HIGHEST = 8
PACKAGE_FILE = "package.xml"
Folders = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


class Unusable(Exception):
    """A mesh that is not taken; the text says why."""


class MeshFolders:
    """The folders that meshes are looked for in.

    Args:
        file: The URDF file.
        packages: One folder or several, which hold packages or are packages.

    Raises:
        OptionError: One of them is no folder.
    """

    def __init__(self, file: Path, packages: Folders) -> None:
        one = isinstance(packages, str | os.PathLike)
        given = [Path(p) for p in ([packages] if one else packages)]
        for folder in given:
            if not folder.is_dir():
                raise OptionError(f"packages: there is no folder {str(folder)!r}.")
        self.given = [folder.resolve() for folder in given]
        self.home = file.resolve().parent
        self.above = [f for f in (self.home, *self.home.parents)[:HIGHEST] if f != f.parent]
        own = [folder for folder in self.above if (folder / PACKAGE_FILE).is_file()]
        self.trusted = [*self.given, self.home, *own[:1]]

    def find(self, name: str) -> Path:
        """Return the file that a mesh is in.

        Raises:
            Unusable: It is nowhere, or outside the folders that are trusted.
        """
        scheme, mark, rest = name.partition("://")
        try:
            if not mark:
                return self._inside(Path(self.home, name), self.trusted)
            if scheme in ("package", "model"):
                return self._in_package(*_split(rest))
            if scheme == "file":
                return self._inside(Path(rest), self.trusted)
        except (OSError, ValueError, RuntimeError):  # too long a name, a circle of links
            raise Unusable("cannot be opened") from None
        raise Unusable(f"{scheme}:// is not fetched")

    def _in_package(self, package: str, rest: str) -> Path:
        for folder in (*self.given, *self.above):
            for root in (folder / package, folder):
                if root.name == package and root.is_dir():
                    whole = root.resolve()
                    trusted = [whole] if _within(whole, [folder]) else self.trusted
                    if (root / rest).exists():
                        return self._inside(root / rest, trusted)
        raise Unusable("not found; name the folder that holds its package with packages=")

    def _inside(self, file: Path, trusted: list[Path]) -> Path:
        found = file.resolve()
        if not _within(found, trusted):
            raise Unusable("outside the folders of the robot; name its folder with packages=")
        if not found.is_file():
            raise Unusable("not found")
        return found


def _within(path: Path, folders: list[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _split(rest: str) -> tuple[str, str]:
    """Return package and path; a package is one plain name.

    Raises:
        Unusable: It is none.
    """
    package, _, path = rest.lstrip("/").partition("/")
    if package in ("", ".", "..") or not path or PurePosixPath(path).is_absolute():
        raise Unusable("package:// needs a package and a path")
    return package, path
