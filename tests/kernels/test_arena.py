"""Arrays in large blocks: apart from each other, aligned, as lasting as any array."""

import gc

import numpy as np
import pytest

from bellcrank.kernels.batched import arena
from bellcrank.kernels.batched.arena import Arena, in_large_pages


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


def test_arrays_begin_at_lines_of_the_cache_and_outlive_their_blocks(monkeypatch):
    monkeypatch.setattr(arena.guards, "width", lambda: 0)
    room = Arena(True)
    kept = [room.copy(np.arange(n)) for n in (1, 9, 100_000)]
    assert all(array.ctypes.data % arena.LINE == 0 for array in kept)
    del room
    gc.collect()
    for n, array in zip((1, 9, 100_000), kept, strict=True):
        np.testing.assert_array_equal(array, np.arange(float(n)))


def test_large_pages_are_asked_for_within_what_is_given_and_leave_it(monkeypatch):
    array = np.random.default_rng(1).random(arena.BLOCK // 4)
    before, asked, advise = array.copy(), [], arena._advise()

    def watched(address: int, size: int, wish: int) -> None:
        asked.append((address, size))
        advise(address, size, wish)

    monkeypatch.setattr(arena, "_advise", lambda: watched)
    for offset in (0, 8, 4096, arena.PAGE + 24):
        asked.clear()
        begin, size = array.ctypes.data + offset, array.nbytes - offset
        in_large_pages(begin, size)
        assert asked
        for address, length in asked:
            assert address % arena.PAGE == length % arena.PAGE == 0
            assert begin <= address < address + length <= begin + size
    asked.clear()
    in_large_pages(array.ctypes.data, 100)  # less than a page
    assert not asked
    np.testing.assert_array_equal(array, before)
