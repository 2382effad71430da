"""The bench of the review app measures what it says."""

from __future__ import annotations

from typing import Any

from bench.render_review import reviewing

from bench import review


def test_what_is_measured_is_rendered():
    about: dict[str, Any] = {"command": "python -m bench.review", "commit": "0" * 40, "cores": 2}
    about["versions"] = {"python": "3.11"}
    result = about | review.measured(60, 2, 6, pause=0.0)
    assert result["acts"] == sum(one["count"] for one in result["kinds"].values()) >= 12
    assert {"record", "accept field", "accept record"} <= result["kinds"].keys()
    assert 5_000 < result["first_page_bytes"] < 200_000
    lines = reviewing(result)
    assert sum(line.startswith(f"| all | {result['acts']} |") for line in lines) == 1
    assert "2 people at work at once in a store with 60 records" in " ".join(lines)


def test_percentiles_are_those_of_the_times():
    found = review.spread([n / 1000 for n in range(1, 101)])
    assert found == {"count": 100, "median": 51.0, "p95": 96.0, "p99": 100.0}
