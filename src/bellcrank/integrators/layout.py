"""Parts of a working memory, one after the other."""

from collections.abc import Mapping


def offsets(sizes: Mapping[int, int], end: int, start: int = 0) -> dict[int, int]:
    """Return where each part begins [doubles].

    Args:
        sizes: Of the parts, in order, by their slots in a table.
        end: The slot for the end of the last one.
        start: Where the first one begins.
    """
    found, place = {}, start
    for slot, size in sizes.items():
        found[slot] = place
        place += size
    found[end] = place
    return found
