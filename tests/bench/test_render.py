"""The tables and plots of the docs are what the raw results give."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from bench import render


def test_the_speed_page_is_rendered_from_its_result_files(root):
    done = subprocess.run([sys.executable, "-m", "bench.render", "--check"], cwd=root, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_page_that_was_edited_by_hand_is_found_and_written_anew(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(render, "ROOT", tmp_path)
    monkeypatch.setattr(render, "FOLDER", tmp_path)
    monkeypatch.setattr(render, "files", lambda: {"speed.md": "as measured\n"})
    (tmp_path / "speed.md").write_text("faster\n", encoding="utf-8")
    monkeypatch.setattr(sys, "argv", ["render", "--check"])
    assert render.main() == 1
    assert "speed.md" in capsys.readouterr().out
    monkeypatch.setattr(sys, "argv", ["render"])
    assert render.main() == 0
    assert (tmp_path / "speed.md").read_text(encoding="utf-8") == "as measured\n"


def _row(cpu: float, digest: str = "a") -> dict[str, object]:
    return {"wall": 2.0, "cpu": cpu, "megabytes": 50.0, "requests": 100, "pages": 100, "digest": digest}


@pytest.fixture
def crawl() -> dict[str, object]:
    return {
        "command": "python -m bench.crawl",
        "commit": "0" * 40,
        "versions": {"python": "3.11"},
        "pages": 100,
        "runs": {
            "medharvest": [_row(0.9), _row(1.0), _row(3.0)],
            "Scrapy, idiomatic": [_row(5.0), _row(4.0), _row(6.0, "b")],
        },
        "journals": [
            {"issue": "/one/", "pages": 7, "Scrapy": [], "wget": []},
            {"issue": "/two/", "pages": 5, "Scrapy": [], "wget": ["/two/x.html"]},
        ],
    }


def test_a_contender_is_compared_by_the_median_and_by_the_pages_of_every_run(crawl):
    lines = render.crawling(crawl)
    assert "| medharvest | 10.00 | 1.00 | 0.9, 1.0, 3.0 | 2.0 | 50 | 100 | yes |" in lines
    assert "| Scrapy, idiomatic | 50.00 | 0.20 | 5.0, 4.0, 6.0 | 2.0 | 50 | 100 | no |" in lines


def test_a_difference_on_the_bundled_journals_is_said(crawl):
    text = " ".join(render.crawling(crawl))
    assert "The 2 issues of the bundled journals, 12 pages in all" in text
    assert "Scrapy has exactly the same pages. wget and medharvest differ in `/two/x.html` of `/two/`." in text


def test_the_cost_of_a_page_is_counted_from_mark_to_mark():
    row = {"marks": [(100, 9_900, 1.0), (200, 19_800, 1.2), (500, 49_500, 2.4)]}
    windows = render._windows(row)
    assert [window[:2] for window in windows] == [(200, 19_800), (500, 49_500)]
    assert [window[2] for window in windows] == pytest.approx([2.0, 4.0])


def test_every_result_names_its_command_its_commit_and_its_versions(root):
    for file in (root / "bench" / "results").glob("*.json"):
        result = json.loads(file.read_text(encoding="utf-8"))
        assert result["command"].startswith("python")
        assert len(result["commit"]) == 40
        assert result["versions"]["python"]


def test_reading_is_shown_beside_trafilatura():
    runs = {
        "medharvest read": [2.0, 1.0, 9.0],
        "trafilatura bare_extraction": [8.0],
        "selectolax, parsing alone": [0.1],
        "medharvest read, PDFs": [4.0],
    }
    known = {"command": "python -m bench.read", "commit": "0" * 40, "versions": {"python": "3.11"}}
    lines = render.reading({**known, "pages": 100, "bytes": 5_000_000, "pdfs": 3, "pdf pages": 200, "runs": runs})
    assert "| medharvest read | 20.0 | 50 | 1.00 |" in lines
    assert "| trafilatura bare_extraction | 80.0 | 12 | 4.00 |" in lines
    text = " ".join(lines)
    assert "20 times as long as parsing" in text
    assert "50 pages per CPU second" in text


def test_broken_pages_are_shown_by_their_sort():
    row = {"pages": 3, "record": 2, "reason": 1, "seconds": 0.5, "megabytes": 30.0}
    known = {"command": "python -m bench.mutate", "commit": "0" * 40, "versions": {"python": "3.11"}}
    lines = render.breaking({**known, "pages": 3, "originals": 2, "failures": [], "mutations": {"cut": row}})
    assert "| cut | 3 | 2 | 1 | 0.50 | 30 |" in lines
    assert "0 of them crashed" in " ".join(lines)


def test_matching_is_compared_with_our_own_by_medians():
    runs = {
        "medharvest": [{"build": 0.1, "rate": 20.0, "hits": 5.0}],
        "str.count": [{"build": 0.0, "rate": 10.0, "hits": 9.0}],
    }
    lines = render.matching(
        {
            "command": "python -m bench.match",
            "commit": "0" * 40,
            "versions": {"python": "3.11"},
            "load": [{"seconds": 0.1, "megabytes": 20.0}],
            "crawl": [{"terms": 3, "page": 0.001, "anchor": 2e-6}],
            "runs": {"100": runs},
        }
    )
    assert "| 100 | medharvest | 20.0 | 1.00 | 0.10 | 5 |" in lines
    assert "| 100 | str.count | 10.0 | 0.50 | 0.00 | 9 |" in lines
