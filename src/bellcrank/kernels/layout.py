"""Parts of a working memory, one after the other."""

from collections.abc import Mapping

from bellcrank.kernels import guards


def offsets(sizes: Mapping[int, int], end: int, start: int = 0) -> dict[int, int]:
    """Return where each part begins [doubles]; where asked for, guard words lie behind each.

    Args:
        sizes: Of the parts, in order, by their slots in a table.
        end: The slot for the end of the last one.
        start: Where the first one begins.
    """
    found, place, guard = {}, start, guards.width()
    for slot, size in sizes.items():
        found[slot] = place
        place += size + guard
    found[end] = place
    return found
