"""Whatever stands in a file, it is a machine or a `FileError`; nothing else happens."""

import copy
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bellcrank import Model, examples
from bellcrank.errors import FileError
from bellcrank.files.machine import machine_from
from bellcrank.files.text import Document, parse_yaml, read_yaml

NAMES = ("double-pendulum", "tsda", "six-bodies", "heavy-top", "arm")
GOOD = [read_yaml(examples.path(name)).data for name in NAMES]
TEXTS = ("", "x", "ground", "1/0", "2*", "t", "a.b", "9" * 400, "\x07", "(" * 500, "Body")
NUMBERS = (True, -1, 0, 1e308, float("nan"), float("inf"), 10**30)
LISTS = ([], [1], [1, 2], [[1]], [None] * 3, ["ground", [0, 0, 0]], [{}], [[], [], []])
ODD = st.sampled_from([None, *TEXTS, *NUMBERS, *LISTS, {}, {"a": 1}, {"type": "Rod"}])


def outcome(read):
    """Return what reading gives, a `FileError` included; anything else that is raised fails."""
    try:
        return read()
    except FileError as error:
        return error


@pytest.mark.parametrize("field", ["at", "axis"])
@pytest.mark.parametrize("bodies", [("[ground]", "rod"), ("{a: b}", "[rod]"), ("1", "null")])
@pytest.mark.parametrize("sides", ["{ground: [0, 0, 1], rod: [0, 0, 1]}", "{rod: z}", "{}"])
def test_sides_of_bodies_that_are_no_names_are_refused(field, bodies, sides):
    text = (
        "{name: m, bodies: [{name: rod, mass: 1, inertia: [1, 1, 1, 0, 0, 0]}], joints: "
        f"[{{name: A, type: Revolute, first: {bodies[0]}, second: {bodies[1]}, "
        f"{field}: {sides}}}]}}"
    )
    assert isinstance(
        outcome(lambda: machine_from(parse_yaml(text, "m.yaml"), Path())), FileError
    )


def places(data, place=()):
    """Return every place in plain data."""
    found = [place]
    items = (
        data.items()
        if isinstance(data, dict)
        else enumerate(data)
        if isinstance(data, list)
        else ()
    )
    for key, value in items:
        found += places(value, (*place, key))
    return found


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_a_damaged_file_is_refused_and_nothing_else(data):
    tree = copy.deepcopy(data.draw(st.sampled_from(GOOD)))
    for _ in range(data.draw(st.integers(1, 3))):
        *around, last = data.draw(st.sampled_from([p for p in places(tree) if p]))
        owner = tree
        for key in around:
            owner = owner[key]
        how = data.draw(st.sampled_from(["change", "remove", "rename"]))
        if how == "change":
            owner[last] = copy.deepcopy(data.draw(ODD))
        elif how == "remove" or isinstance(owner, list):
            del owner[last]
        else:
            owner[f"{last}x"] = owner.pop(last)
    found = outcome(lambda: machine_from(Document(tree, "damaged.yaml"), Path())[0])
    assert isinstance(found, Model) or str(found).startswith("damaged.yaml")


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60) | st.binary(max_size=40).map(lambda b: b.decode("latin-1")))
def test_any_text_is_data_or_a_file_error(text):
    found = outcome(lambda: parse_yaml(text))
    assert isinstance(found, Document) or str(found).startswith("text")
