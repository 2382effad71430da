"""The bench of the formats measures what it says."""

from __future__ import annotations

import pytest

from bench import export, render
from medharvest.formats import FORMATS


@pytest.mark.parametrize("name", ["ris", "jsonld"])
def test_a_format_is_written_and_read_back_and_its_cost_told(name):
    found = export.measured(name, 3)
    assert set(found) == {"write", "read", "normal", "back", "rounds", "bytes", "early", "late", "all"}
    assert found["bytes"] > 1000
    assert (found["read"] > 0) == (FORMATS[name].read is not None)
    assert found["back"] == (3 if FORMATS[name].read else 0)
    assert found["late"] >= found["early"]


def test_no_two_records_are_the_same():
    made = list(export.records(200))
    assert len({record.doi for record in made}) == len({record.title for record in made}) == 200


def test_the_table_has_a_row_for_each_format():
    run = {
        "write": 2.0,
        "read": 4.0,
        "normal": 5.0,
        "back": 1000,
        "bytes": 3e6,
        "early": 50.4,
        "late": 51.0,
        "all": 60.0,
    }
    result = {
        "command": "python -m bench.export",
        "commit": "0" * 40,
        "versions": {"python": "3.11"},
        "records": 1000,
        "runs": {"ris": run, "marcxml": run | {"read": 0, "normal": 0}},
    }
    lines = render.exporting(result)
    assert "| `ris` | 500 | 250 | 200 | 3 | 50 | 51 | 60 |" in lines
    assert "| `marcxml` | 500 |  |  | 3 | 50 | 51 | 60 |" in lines
