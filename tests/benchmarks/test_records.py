"""Records of benchmarks: one a processor, side by side; demands are ratios."""

import dataclasses
import itertools
import re

import pytest
from benchmarks.processor import Processor, processor
from benchmarks.records import Record, load, page, records
from benchmarks.report import Demand, Table

OLD = Processor("Old", "znver3", 2, ("AVX2", "FMA"))
NEW = Processor("New", "znver4", 8, ("AVX2", "AVX-512", "FMA"))


def record(where: Processor, ratio: float) -> Record:
    table = Table("Speed", ["chain", "time [µs]"], [["7 joints", "0.1"]], "A note.", data=[1.0])
    demand = Demand("speed, × a peer", ratio, 5.0)
    return Record(where, {"measured": "once"}, {"speed": table}, (demand,))


def test_a_record_is_read_as_it_was_written(tmp_path):
    known = record(NEW, 6.0)
    assert load(known.save(tmp_path)) == known


def test_a_run_replaces_the_record_of_its_own_processor_alone(tmp_path):
    for each in (record(OLD, 4.0), record(NEW, 6.0), record(OLD, 7.0)):
        each.save(tmp_path)
    assert {x.processor: x.demands[0].found for x in records(tmp_path)} == {OLD: 7.0, NEW: 6.0}


def test_the_processor_stands_above_every_table():
    """A table begins where a line with bars follows one without."""
    lines = [line for line in page([record(NEW, 6.0), record(OLD, 4.0)]).splitlines() if line]
    above = [
        before
        for before, line in itertools.pairwise(lines)
        if line.startswith("|") and not before.startswith("|")
    ]
    assert above == [f"{NEW}:", f"{OLD}:", "### Demands"]
    assert f"| what | wanted | {NEW}: 1 of 1 met | {OLD}: 0 of 1 met |" in lines
    assert "| speed, × a peer | ≥ 5.00 | 6.00 | **4.00**, not met |" in lines


def test_the_line_of_a_processor_says_what_code_depends_on():
    assert str(OLD) == "Old (znver3), 2 cores, AVX2, FMA, no AVX-512"
    here = processor()
    assert here.cores >= 1
    assert here.family in str(here)


@pytest.mark.parametrize("known", records(), ids=lambda x: x.processor.key)
def test_what_is_demanded_of_time_is_a_ratio(known):
    """No demand is in seconds: those of the kept records have no such unit."""
    for demand in known.demands:
        assert not re.search(r"\[[mµn]?s\]", demand.what)
        assert dataclasses.asdict(demand)["wanted"] >= 0
