"""Several links to one page."""

from __future__ import annotations

from medharvest.links import judge_links
from medharvest.records import Kind, Page

ROWS = """<a href="/a/1f">A long title of the first article</a> <a href="/a/1f">Full Text</a>
<a href="/a/2">A long title of the second article</a> <a href="/a/2f">Full Text</a>"""


def test_a_title_promises_what_another_link_to_the_same_page_says_in_words():
    page = Page(url="http://journal.example/toc", text=ROWS, digest="", encoding="utf-8")
    assert [(one.link.href, one.kind) for one in judge_links(page)] == [
        ("/a/1f", Kind.FULLTEXT),
        ("/a/1f", Kind.FULLTEXT),
        ("/a/2", Kind.ABSTRACT),
        ("/a/2f", Kind.FULLTEXT),
    ]
