"""What the bench of links measures."""

from __future__ import annotations

from bench import links
from medharvest.links import scan_links
from medharvest.pages import parse_page


def test_a_page_has_as_many_links_as_asked_for():
    page = parse_page(links.contents_page(40), url="https://tide.example/", name="contents")
    assert len(scan_links(page)) == 40


def test_the_rounds_and_their_median_are_printed(monkeypatch, capsys):
    took = iter([9.0, 3.0, 1.0, 2.0])
    monkeypatch.setattr(links, "judged", lambda _: next(took))
    monkeypatch.setattr("sys.argv", ["links", "--links", "8", "--rounds", "3"])
    links.main()
    assert "3.00, 1.00, 2.00\nmedian 2.00" in capsys.readouterr().out


def test_judging_takes_time():
    assert links.judged(links.contents_page(40)) > 0
