"""A small draw of what `make fuzz` tries by the thousand."""

import numpy as np
import pytest
from tests.fuzz import alike, trying
from tests.fuzz.shrinking import shortest
from tests.fuzz.trying import drawn, tried

import bellcrank as bc

DRAWS = {
    "yaml_data": 60, "yaml_text": 40, "urdf": 40, "grammar": 60, "constructor": 120, "verb": 60,
    "option": 12, "result": 10, "words": 8, "native": 1, "states": 4,
    "metamorphic": 3,
}  # fmt: skip


@pytest.mark.parametrize("family", DRAWS)
def test_nothing_is_raised_that_is_not_ours_and_numbers_agree(family):
    # Integrators may have to be compiled first, which takes longer than a hang.
    found = [tried((family, 17, number), limit=200.0) for number in range(DRAWS[family])]
    assert [(drawn((name, 17, k)), said) for name, k, _, said in found if said] == []


def test_cases_travel_to_processes_and_back(capsys, monkeypatch):
    """Also those whose input cannot be sent: what is drawn is a lambda, now and then."""
    monkeypatch.setattr(trying, "warm", lambda: None)
    assert trying.main(17, 60, "constructor", workers=1) == 0
    said = capsys.readouterr().out
    assert "60 cases of seed 17 (60 constructor): 0 kinds of failures" in said


def test_what_fails_is_made_shorter():
    """Of a file, the word that is wrong is left; of options, the one that is."""
    assert shortest("a: 1\nb: {x: !!bad 3}\n", lambda text: "!!" in text) == "!!"
    options = {"until": 1.0, "start": {"A": 1, "B": [0, float("nan")]}, "rtol": 1e-6}
    bad = lambda given: any(x != x for x in given.get("start", {}).get("B", ()))  # noqa: E731
    found = shortest(options, bad)
    assert list(found) == ["start"]
    assert list(found["start"]) == ["B"]
    assert len(found["start"]["B"]) == 1


@pytest.mark.parametrize("way", ["split", "welded", "scaled", "mirrored"])
def test_a_machine_that_is_another_does_not_pass_for_the_same(way, monkeypatch):
    """Otherwise the comparison would not see anything."""
    said = alike.WAYS[way]

    def heavier(model, random):
        pair = said(model, random)
        name = pair.other.bodies[0].name
        pair.other = pair.other.replace(name, mass=1.1 * pair.other[name].mass)
        return pair

    monkeypatch.setitem(alike.WAYS, way, heavier)
    assert (alike.judge((False, 10, way, 10)) or "").startswith("apart")


ARRAY, HUGE = np.array([1.0, 2.0]), 10**400


@pytest.mark.parametrize(
    "made",
    [
        lambda: bc.Spherical("A", "rod", ARRAY, at=(0, 0, 0)),
        lambda: bc.SpringDamper("s", ARRAY, "rod"),
        lambda: bc.Gear("G", "A", ARRAY, 1.0),
        lambda: bc.Distance("D", ("rod", ARRAY), ("rod", ARRAY)),
        lambda: bc.RK4(step=HUGE),
        lambda: bc.DOP853(max_step=HUGE),
    ],
)
def test_what_was_found_is_refused_in_our_words(made):
    with pytest.raises(bc.BellcrankError):
        made()
