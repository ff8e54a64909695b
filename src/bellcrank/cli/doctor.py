"""What there is on this computer, and how to get what is missing."""

import os
import platform
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

NEEDED = ("numpy", "scipy", "casadi", "llvmlite", "numba", "xarray", "h5netcdf", "pydantic")
FEATURES = ("avx2", "fma", "avx512f")


def findings() -> Iterator[str]:
    """Say in lines what was found."""
    from bellcrank import __version__
    from bellcrank.kernels import jit

    yield f"bellcrank  {__version__} in {Path(__file__).parent.parent}"
    yield f"Python     {platform.python_version()}, {platform.platform()}"
    name = jit.cpu()[0]
    has = ", ".join(each for each in FEATURES if jit.feature(each)) or "no vector extensions"
    yield f"processor  {name}, {os.cpu_count()} cores: {has}"
    yield f"packages   {', '.join(_versions(NEEDED))}"
    yield f"cache      {_cache()}"
    yield from _extras()


def _versions(names: tuple[str, ...]) -> Iterator[str]:
    for name in names:
        try:
            yield f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            yield f"{name} MISSING (pip install {name})"


def _cache() -> str:
    """Return where compiled code is kept, and whether that can be used."""
    from bellcrank.kernels import cache

    try:
        place = cache.folder()
    except FileNotFoundError as problem:
        return f"none: {problem}; set BELLCRANK_CACHE to a folder of your own"
    above = next(each for each in (place, *place.parents) if each.exists())
    if not os.access(above, os.W_OK):
        return f"{place} cannot be written; set BELLCRANK_CACHE to a folder of your own"
    count, size = cache.size()
    return f"{place}, {count} entries, {size / 2**20:.1f} MiB"


def _extras() -> Iterator[str]:
    """Say of each extra of the package whether all it needs is there."""
    needs = [each.replace('"', "'") for each in metadata.requires("bellcrank") or []]
    for extra in metadata.metadata("bellcrank").get_all("Provides-Extra") or []:
        wanted = [_plain(each) for each in needs if f"extra == '{extra}'" in each]
        lost = ", ".join(each for each in wanted if not _installed(each))
        ready = f"missing {lost}: pip install 'bellcrank[{extra}]'" if lost else "ready"
        yield f"extra      {extra}: {ready}"


def _plain(requirement: str) -> str:
    """Return the name of a requirement: letters up to the first that no name has.

    Examples:
        >>> _plain("h5netcdf>=1.3; extra == 'test'")
        'h5netcdf'
    """
    name = requirement.partition(";")[0].strip()
    end = next((n for n, c in enumerate(name) if not (c.isalnum() or c in "-_.")), len(name))
    return name[:end]


def _installed(name: str) -> bool:
    try:
        metadata.version(name)
    except metadata.PackageNotFoundError:
        return False
    return True
