"""Contents pages with very many links: judged in linear time, up to a limit, the end of a list like its beginning."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from tests.growth import growth

from medharvest.boosted_trees import build_tree
from medharvest.cli import links as links_verb
from medharvest.cli import main
from medharvest.codec import encode_record
from medharvest.harvest.analysis import JudgeRequest, answer_crawl_task
from medharvest.harvest.input_reader import answer_inspection
from medharvest.harvest.run_results import Harvest, summarise_harvest
from medharvest.journals.inputs import Source
from medharvest.links import contents_page, examples, judge_contents
from medharvest.links.examples import TraitExamples, examples_of
from medharvest.links.features import LINK_FEATURES
from medharvest.links.scan import scan_links
from medharvest.links.traits import link_traits
from medharvest.links.zero_shot import LinkModel
from medharvest.records import Kind, LinkExample, Page

URL = "https://tide.example/7/2"
TITLE = "On the course of disease {n} in a hard winter"
# Many links of one page, each kind in another structure.
CROWDS = {
    "list": '<li><a href="/a/{n}">' + TITLE + "</a></li>",
    "one address": '<a href="/a/1">' + TITLE + "</a>",
    "nested": '<ul><li><a href="/a/{n}">' + TITLE + "</a>",
    "never closed": '<a href="/a/{n}">' + TITLE,
    "headings": '<h2>Head {n}</h2><a href="/a/{n}">' + TITLE + "</a>",
    "popular": '<div>Most read articles <a href="/a/{n}">' + TITLE + "</a></div>",
    "two forms": '<li><a href="https://doi.org/10.1/{n}">' + TITLE + '</a> <a href="/p/{n}.pdf">PDF</a></li>',
}


def page(body: str) -> Page:
    return Page(url=URL, text=f"<html><body>{body}</body></html>", digest="", encoding="utf-8")


def crowd(kind: str, size: int) -> Page:
    return page("<ul>" + "".join(CROWDS[kind].format(n=n) for n in range(size)))


def uniform_list(size: int, *, more: str = "") -> Page:
    entries = "".join(f'<li><a href="/10.1000/x{n}">Paper {n}</a></li>' for n in range(100, 100 + size))
    return page(f"<ul>{entries}{more}</ul>")


def teach_varied_links(size: int) -> tuple[LinkExample, ...]:
    """Taught links that differ from each other in their traits; three of four are article links."""
    names = [f"{n:x}".translate(str.maketrans("0123456789", "ghijklmnop")) for n in range(size)]
    taught = page("".join(f'<p class="{name}"><a class="{name}" href="/{name}/">{name}</a></p>' for name in names))
    labels = {link.index: (link.index % 4 > 0, Kind.ABSTRACT) for link in scan_links(taught)}
    return examples_of(taught, labels)


@pytest.mark.parametrize("size", [20, 400])
def test_the_last_links_of_a_uniform_list_are_judged_like_the_first(size: int):
    judged = judge_contents(uniform_list(size))
    assert sum(one.article for one in judged.links) == size
    assert judged.notes == ()


def test_a_link_of_another_shape_does_not_follow_its_list():
    entries = '<li><a href="/about/help">Help</a></li><li><a href="/login?next=1">Sign in</a></li>'
    judged = judge_contents(uniform_list(20, more=entries))
    assert [one.link.text for one in judged.links if not one.article] == ["Help", "Sign in"]


def test_links_that_are_judged_unlike_others_of_their_list_are_reported(monkeypatch: pytest.MonkeyPatch):
    titled = build_tree([[LINK_FEATURES.index("caption_title"), 0, 1, 2], [-2.0], [2.0]], len(LINK_FEATURES))
    model = LinkModel(base=0.0, trees=(titled,), card={})
    monkeypatch.setattr("medharvest.links.contents_page.shipped_link_model", lambda: model)
    titles = ["Sleep and snow in the winter of the north", "Ice in the wards of a small hospital", *["Note"] * 18]
    entries = "".join(f'<li><a href="/a{n}.html">{title} {n}</a></li>' for n, title in enumerate(titles))
    judged = judge_contents(page(f"<ul>{entries}</ul>"))
    left_out = [one.link.text for one in judged.links if not one.article]
    assert 10 < len(left_out) < 20
    assert judged.unlike_siblings == len(left_out)
    assert f"look like the article links of their list: {len(left_out)};" in judged.notes[0]


@pytest.mark.parametrize("kind", CROWDS)
def test_the_work_grows_with_the_links_of_a_page(kind: str):
    pages = {size: crowd(kind, size) for size in (100, 400)}
    assert growth(lambda size: judge_contents(pages[size]), 100) < 6


def test_a_link_is_not_compared_with_the_taught_links_one_by_one():
    read = page('<p><a href="/snow/">Snow</a></p>')
    traits = link_traits(read, scan_links(read))[0]
    taught = {size: TraitExamples(teach_varied_links(size)) for size in (100, 400)}
    assert taught[400].left_out == 0

    def judge(size: int) -> None:
        assert taught[size].opinion(traits, 0.9, Kind.ABSTRACT).article

    judge(400)  # builds what is used for every link of a page
    assert growth(judge, 100) < 2


def test_the_taught_links_that_are_compared_are_limited_and_the_rest_is_reported(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(examples, "MAX_COMPARED_EXAMPLES", 50)
    judged = judge_contents(uniform_list(20), examples=teach_varied_links(200))
    assert judged.uncompared == 200 - 50 - 50  # 50 article links and the 50 others
    assert judged.notes[0].startswith("taught links not used: 100,")


@pytest.mark.no_cover  # a long page, to exceed the time limit of a test if anything is not linear
def test_a_page_with_200_000_links_is_judged_up_to_the_limit():
    judged = judge_contents(crowd("list", 200_000))
    assert len(judged.links) == contents_page.MAX_JUDGED_LINKS
    assert judged.unjudged == 200_000 - contents_page.MAX_JUDGED_LINKS
    assert all(one.article for one in judged.links)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page with more links than are judged: 25 of them, of which 20 are judged."""
    monkeypatch.setattr(contents_page, "MAX_JUDGED_LINKS", 20)
    return uniform_list(25)


def test_links_past_the_limit_are_reported(few: Page):
    assert judge_contents(few).notes == (
        "links not judged: 5, because the page has more than 20; hint: give the contents page of one issue",
    )


def test_a_worker_passes_on_what_was_left_out(few: Page):
    request = encode_record(JudgeRequest())
    job = {"task": "judge", "url": URL, "name": URL, "charset": "utf-8", "max_pdf_pages": 1, "request": request}
    assert answer_crawl_task(job, few.text.encode(), ()).unjudged == 5


def test_a_run_says_what_was_left_out():
    harvest = Harvest(run=1, folder="", citations=(), pages=(), failures=(), left_out=("links not judged: 5",))
    assert "links not judged: 5" in summarise_harvest(harvest).splitlines()


def test_the_verb_links_says_what_was_left_out(
    few: Page, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    saved = tmp_path / "issue.html"
    saved.write_text(few.text)
    head = {"url": URL, "charset": "", "name": "issue.html", "max_pdf_pages": 1, "inspection": "JudgedPage"}
    own = {"examples": "[]", "profile": "default", "outlined": False}

    def inspect_here(sources: Sequence[Source], *_: object, **__: object) -> Iterator[tuple[Source, object]]:
        yield sources[0], answer_inspection(head | own, few.text.encode(), ())  # a worker does not know the small limit

    monkeypatch.setattr(links_verb, "inspect_sources", inspect_here)
    with pytest.raises(SystemExit) as stop:
        main(["links", str(saved), "--url", URL, "--json"])
    out, err = capsys.readouterr()
    assert not stop.value.code
    assert "links not judged: 5," in err
    assert len(out.splitlines()) == 20
