"""What can be said about a screenshot."""

import io

import numpy as np
from PIL import Image


def pixels(shot):
    """Return a PNG as an array, shape (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB")).astype(int)


def colours(shot):
    """Return how many different colours a picture has."""
    return len(np.unique(pixels(shot).reshape(-1, 3), axis=0))


def changed(one, other):
    """Return the part of pixels that differ clearly between two pictures."""
    return float((np.abs(pixels(one) - pixels(other)).max(axis=2) > 24).mean())
