"""Messages about many or long names stay short, and take no longer than what they are about."""

import difflib

import numpy as np
import pytest

import bellcrank as bc
from bellcrank.errors import FileError, ModelError, UnknownName, did_you_mean, refuse_unknown


def names(count, seed):
    letters = np.random.default_rng(seed).integers(97, 123, (count, 12))
    return [f"body_{bytes(row.tolist()).decode()}" for row in letters]


def test_the_nearest_of_thousands_is_found():
    known = names(3000, 1)
    for name in known[::300]:
        for wrong in (
            name[:-1],
            f"{name}x",
            name.replace("body", "bdoy"),
            name.upper().lower(),
        ):
            assert did_you_mean(wrong, set(known) - {wrong}) == f" Did you mean {name!r}?" or (
                wrong == name
            )


def test_few_comparisons_are_made_among_many_names(monkeypatch):
    counted, ratio = [], difflib.SequenceMatcher.real_quick_ratio
    monkeypatch.setattr(
        difflib.SequenceMatcher,
        "real_quick_ratio",
        lambda self: (counted.append(1), ratio(self))[1],
    )
    with pytest.raises(ModelError) as caught:
        refuse_unknown("body", names(300, 2), names(3000, 1))
    assert len(caught.value.complaints) == 300
    assert len(counted) <= 8 * 300
    assert len(str(caught.value)) < 50 * 400
    assert str(caught.value).endswith("and 250 more, in `.complaints` of this error.")


def test_a_file_full_of_unknown_names_has_a_short_message(tmp_path):
    path = tmp_path / "many.yaml"
    body = "{name: B, mass: 1, com: [0, 0, 0], inertia: [1, 1, 1, 0, 0, 0]}"
    joints = (
        f"  - {{type: Free, name: J{i}, first: ground, second: {name}}}"
        for i, name in enumerate(names(500, 3))
    )
    path.write_text(
        f"bellcrank: 1\nname: many\nbodies:\n  - {body}\njoints:\n" + "\n".join(joints)
    )
    with pytest.raises(FileError) as caught:
        bc.load(path)
    assert len(str(caught.value)) < 20_000
    assert str(caught.value).endswith(" more.")


def test_a_long_name_is_not_repeated_in_full():
    with pytest.raises(UnknownName) as caught:
        refuse_unknown("body", ["x" * 100_000], ["crank", "y" * 100_000])
    assert len(str(caught.value)) < 400
    assert "(100000 letters)" in str(caught.value)
