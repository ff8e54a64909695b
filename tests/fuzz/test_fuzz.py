"""A small draw of what `make fuzz` tries by the thousand."""

import numpy as np
import pytest
from tests.fuzz.trying import tried

import bellcrank as bc

DRAWS = {
    "yaml_data": 60, "yaml_text": 40, "urdf": 40, "grammar": 60, "constructor": 120,
    "option": 12, "result": 10, "words": 8, "native": 1, "states": 4,
}  # fmt: skip


@pytest.mark.parametrize("family", DRAWS)
def test_nothing_is_raised_that_is_not_ours_and_numbers_agree(family):
    found = [tried((family, 17, number)) for number in range(DRAWS[family])]
    assert [(number, given, said) for _, number, _, given, said in found if said] == []


ARRAY, HUGE = np.array([1.0, 2.0]), 10**400


@pytest.mark.parametrize(
    "made",
    [
        lambda: bc.Spherical("A", "rod", ARRAY, at=(0, 0, 0)),
        lambda: bc.Gear("G", "A", ARRAY, 1.0),
        lambda: bc.Distance("D", ("rod", ARRAY), ("rod", ARRAY)),
        lambda: bc.RK4(step=HUGE),
        lambda: bc.DOP853(max_step=HUGE),
    ],
)
def test_what_was_found_is_refused_in_our_words(made):
    with pytest.raises(bc.BellcrankError):
        made()
