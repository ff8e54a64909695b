"""A small draw of `make audit`: random regular machines raise no alarm."""

from itertools import islice

import pytest
from tests.analysis.audited import SORTS, cases, tried


@pytest.mark.parametrize("number", [1, 4, 5, 8], ids=lambda number: SORTS[number % len(SORTS)])
def test_random_regular_machines_raise_no_alarm(number):
    kinds = {str(case): tried(case).kind for case in islice(cases(number), 6)}
    assert set(kinds.values()) <= {"silent", "right"}, kinds
