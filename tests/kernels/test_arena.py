"""Arrays in large blocks: apart from each other, aligned, as lasting as any array."""

import gc
import os
import subprocess
import sys

import numpy as np
import pytest

from bellcrank.kernels.batched import arena
from bellcrank.kernels.batched.arena import Arena, in_large_pages, whole_pages


@pytest.mark.parametrize("many", [False, True])
def test_arrays_are_apart_and_zero(many, monkeypatch):
    monkeypatch.setattr(arena.np, "empty", lambda size, dtype: np.full(size, 255, dtype))
    room = Arena(many)
    shapes = [3, (4, 5), 0, (7, 0), arena.BLOCK // 8 - 10, 1000, (2, arena.BLOCK // 8), 9]
    found = [room.zeros(shape, (float, np.int32)[i % 2]) for i, shape in enumerate(shapes)]
    for i, array in enumerate(found):
        assert array.flags.c_contiguous
        assert not array.any()
        array[...] = i + 1
    for i, array in enumerate(found):  # nobody wrote into another
        assert (array == i + 1).all()
        assert array.dtype == (float, np.int32)[i % 2]
        assert array.shape == np.zeros(shapes[i]).shape


def test_arrays_begin_at_lines_of_the_cache():
    """Where no guard words lie between them, as in every process but those of tests."""
    code = (
        "import numpy as np\n"
        "from bellcrank.kernels.batched.arena import LINE, Arena\n"
        "room = Arena(True)\n"
        "kept = [room.copy(np.arange(n)) for n in (1, 9, 100_000)]\n"
        "assert all(array.ctypes.data % LINE == 0 for array in kept)\n"
    )
    bare = {name: value for name, value in os.environ.items() if name != "BELLCRANK_GUARDS"}
    subprocess.run([sys.executable, "-c", code], env=bare, check=True)


def test_arrays_outlive_their_blocks():
    room = Arena(True)
    kept = [room.copy(np.arange(n)) for n in (1, 9, 100_000)]
    del room
    gc.collect()
    for n, array in zip((1, 9, 100_000), kept, strict=True):
        np.testing.assert_array_equal(array, np.arange(float(n)))


def test_large_pages_are_asked_for_within_what_is_given_and_leave_it():
    array = np.random.default_rng(1).random(arena.BLOCK // 4)
    before = array.copy()
    for offset in (0, 8, 4096, arena.PAGE + 24):
        begin, size = array.ctypes.data + offset, array.nbytes - offset
        address, length = whole_pages(begin, size)
        assert address % arena.PAGE == length % arena.PAGE == 0
        assert begin <= address < address + length <= begin + size
        assert size - length < 2 * arena.PAGE  # all that fit
        in_large_pages(begin, size)
    assert whole_pages(array.ctypes.data, 100)[1] == 0
    in_large_pages(array.ctypes.data, 100)  # less than a page
    np.testing.assert_array_equal(array, before)
