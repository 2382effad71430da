"""What blocks bring: the parts that are counted, and the page."""

from __future__ import annotations

from dataclasses import replace

import pytest
from bench.block_uses import _changed_web, _names_any, _texts_of_blocks, _without_blocks
from bench.render_blocks import uses_page

from medharvest.records import Page
from medharvest.topics.estimates import TopicLink, TopicPage


@pytest.mark.parametrize(
    ("text", "named"),
    [("A. Quillmark and others", True), ("Related articles", False), ("1, 2", True)],
)
def test_a_zone_is_right_if_it_shares_a_telling_word_with_the_truth(text: str, *, named: bool) -> None:
    assert _names_any(text, '[{"family": "Quillmark", "given": "A"}]') is named


def test_the_texts_of_blocks_have_no_tags() -> None:
    menu = "".join(f"<li><a href={name}><b>{name}</b></a>" for name in ("one", "two", "three"))
    page = Page(url="", text=f"<p>before</p><ul>{menu}</ul><p>after", digest="", encoding="utf-8")
    assert [text.split() for text in _texts_of_blocks(page)] == [["one", "two", "three"]]


def test_a_web_without_blocks_has_the_same_links(tmp_path, monkeypatch) -> None:
    page = TopicPage(url="u", body="b", links=(TopicLink("v", listed=True),))
    monkeypatch.setattr("bench.block_uses.OfflineWeb", lambda _path: type("Web", (), {"page": {"u": page}.get})())
    assert _changed_web(tmp_path, _without_blocks).page("u") == replace(page, links=(TopicLink("v"),))
    assert _changed_web(tmp_path, _without_blocks).page("none") is None


def test_the_page_shows_figures_without_and_with() -> None:
    links = dict.fromkeys(("accuracy", "macro", "article-recall", "article-precision"), 0.5)
    crawl = dict.fromkeys(
        ("harvest_100", "harvest_500", "harvest_1000", "recall_800", "precision_1000", "held_1000"), 0.25
    )
    found = {way: {"recall": 0.75, "precision": 0.5, "found": 12.0} for way in ("bare", "near")}
    result = {
        "command": "python -m bench.block_uses",
        "commit": "0" * 40,
        "versions": {"python": "3.11"},
        "links": {"without": links, "with": links},
        "topics": {"hub": {"without": crawl, "body text": crawl, "with": crawl}},
        "search": {"without": found, "with": found},
        "zones": {
            "pages": 2,
            "labels": {"author": {"right": 5, "right in blocks": 1, "false": 3, "false in blocks": 2}},
        },
    }
    text = uses_page(result)
    assert "| links | links right | 0.500 |  | 0.500 |" in text
    assert "| crawls from hub seeds | HR@100 | 0.250 | 0.250 | 0.250 |" in text
    assert "| searches | hits | 12 |  | 12 |" in text
    assert "| author | 5 | 1 | 3 | 2 |" in text
