"""The bundled journals as a person sees them."""

from __future__ import annotations

import pytest

from medharvest.demo import link_truth, list_demo_issues, list_demo_pages, serve
from medharvest.records import Kind

ISSUES = {issue.id: issue for issue in list_demo_issues()}


@pytest.fixture(scope="module")
def server():
    with serve({}) as served:
        yield served


@pytest.mark.parametrize("name", ISSUES)
def test_a_contents_page_shows_every_title_and_no_broken_picture(name, page, server):
    issue = ISSUES[name]
    broken = []
    page.on("response", lambda answer: broken.append(answer.url) if answer.status >= 400 else None)
    page.goto(server.url + issue.path)
    text = " ".join(page.inner_text("body").split())
    for article in issue.articles:
        assert article.citation.title.casefold() in text.casefold(), article.id
    assert not [url for url in broken if "favicon" not in url]


@pytest.mark.parametrize("name", [name for name, issue in ISSUES.items() if not issue.template.startswith("table")])
def test_the_trap_is_on_the_page_and_nobody_can_see_it(name, page, server):
    page.goto(server.url + ISSUES[name].path)
    traps = page.locator("a[href*='/private/']")
    assert traps.count() >= 1
    for trap in traps.all():
        box = trap.bounding_box()
        assert not trap.is_visible() or box is None or box["width"] * box["height"] == 0 or box["x"] + box["width"] <= 0


def test_every_article_link_of_the_truth_leads_to_a_page(page, server):
    paths = {entry.path for entry in list_demo_pages()}
    contents = {entry.file: entry.path for entry in list_demo_pages() if entry.kind is Kind.ISSUE}
    for link in link_truth():
        if link.article and link.file in contents:
            page_path = contents[link.file]
            joined = page.evaluate("([a, b]) => new URL(a, b).pathname", [link.href, server.url + page_path])
            assert joined in paths, link
