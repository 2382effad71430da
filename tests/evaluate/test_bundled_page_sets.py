"""The bundled journals as labelled data: complete, consistent, and no score survives a shuffled truth."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from medharvest import demo
from medharvest.errors import InputError
from medharvest.evaluate import page_sets
from medharvest.evaluate.issue_scores import harvest_bundled_issue, score_issues, tally_issue
from medharvest.evaluate.labelled_pages import IssuePage, LabelledPage, LinksPage, ZonesPage
from medharvest.evaluate.page_scores import score_links
from medharvest.evaluate.read_scores import score_read
from medharvest.evaluate.results import Result
from medharvest.evaluate.zone_scores import score_zones
from medharvest.records import JudgedLink, Kind, LabelledZone, Link, Verdict, Zone


def silent(_done: int, _total: int) -> None:
    pass


def judge_perfectly(page: LinksPage) -> Sequence[JudgedLink]:
    return [
        JudgedLink(
            link=Link(index=0, offset=label.offset, end=0, href="", url="", text=""),
            article=bool(label.article),
            kind=Kind(label.kind) if label.kind else None,
            verdict=Verdict("article", 1.0, "truth"),
        )
        for label in page.truth
    ]


def label_perfectly(page: ZonesPage) -> Sequence[LabelledZone]:
    return [
        LabelledZone(Zone(level=1, tag="p", path="", text=zone.text), Verdict(zone.label, 1.0, "truth"))
        for zone in page.truth
    ]


def test_every_article_can_be_read_from_some_page() -> None:
    titles = {page.truth["title"] for page in page_sets.load_bundled_articles()}
    assert titles == {article.citation.title for issue in demo.list_demo_issues() for article in issue.articles}


def test_a_perfect_reader_judge_and_labeller_score_one() -> None:
    results = [
        score_read(page_sets.load_bundled_articles(), data="demo", progress=silent, read=lambda page: page.truth),
        score_links(page_sets.load_bundled_link_pages(), data="demo", progress=silent, judge=judge_perfectly),
        score_zones(page_sets.load_bundled_zone_pages(), data="demo", progress=silent, label=label_perfectly),
    ]
    for result in results:
        assert dict(result.figures) == pytest.approx(dict.fromkeys(dict(result.figures), 1.0)), result.name


def test_a_group_is_an_author_like_any_other() -> None:
    authors = [author for page in page_sets.load_bundled_articles() for author in page.truth["authors"]]
    assert any(isinstance(author, str) for author in authors)
    assert all(isinstance(author, str) or author["family"] for author in authors)


def test_every_template_with_metadata_has_a_trap_and_no_trap_is_an_article() -> None:
    pages = page_sets.load_bundled_issues()
    assert {page.layout for page in pages if page.truth.traps} == {
        "cards-2024",
        "highwire-2010",
        "highwire-2010-b",
    }
    for page in pages:
        assert not set(page.truth.traps) & page.truth.article_of.keys()


def figure(result: Result, name: str) -> float:
    return dict(result.figures)[name]


def swapped(pages: Sequence[LabelledPage[Any]]) -> list[LabelledPage[Any]]:
    """The same pages, the first with the truth of the last and the last with that of the first."""
    first, *between, last = pages
    return [replace(first, truth=last.truth), *between, replace(last, truth=first.truth)]


def modern(pages: Sequence[LabelledPage[Any]], form: str) -> list[LabelledPage[Any]]:
    paths = {page.path for page in demo.list_demo_pages() if page.template == "cards-2024" and page.form == form}
    return [page for page in pages if page.id in paths]


@pytest.mark.no_cover
def test_reading_scores_less_when_the_truth_of_two_articles_is_shuffled() -> None:
    pages = modern(page_sets.load_bundled_articles(), "abstract")
    honest = score_read(pages, data="demo", progress=silent)
    shuffled = score_read(swapped(pages), data="demo", progress=silent)
    assert figure(shuffled, "core4") < figure(honest, "core4")
    assert shuffled.digest != honest.digest


def test_zones_score_less_when_the_truth_of_two_articles_is_shuffled() -> None:
    pages = modern(page_sets.load_bundled_zone_pages(), "abstract")
    honest = score_zones(pages, data="demo", progress=silent)
    shuffled = score_zones(swapped(pages), data="demo", progress=silent)
    assert figure(shuffled, "accuracy") < figure(honest, "accuracy")


def test_links_score_less_when_the_truth_of_two_pages_is_shuffled() -> None:
    pages = [page for page in page_sets.load_bundled_link_pages() if page.layout == "cards-2024"]
    honest = score_links(pages, data="demo", progress=silent)
    shuffled = score_links(swapped(pages), data="demo", progress=silent)
    assert figure(shuffled, "accuracy") < figure(honest, "accuracy")


@pytest.fixture(scope="module")
def modern_issue() -> IssuePage:
    return next(page for page in page_sets.load_bundled_issues() if page.layout == "cards-2024")


def test_a_harvest_is_less_complete_when_the_truth_of_two_articles_is_shuffled(
    modern_issue: IssuePage,
) -> None:
    harvest = harvest_bundled_issue(modern_issue)
    truth = modern_issue.truth
    (one, first), *_, (other, last) = truth.articles.items()
    shuffled = replace(truth, articles={**truth.articles, one: last, other: first})
    assert tally_issue(shuffled, harvest).complete == tally_issue(truth, harvest).complete - 2

    doubled = replace(harvest, citations=(*harvest.citations, harvest.citations[0]))
    assert tally_issue(truth, doubled).found == tally_issue(truth, harvest).found
    assert tally_issue(truth, doubled).records == tally_issue(truth, harvest).records + 1

    trap = replace(harvest.pages[0], wish=replace(harvest.pages[0].wish, url=f"http://x.invalid{truth.traps[0]}"))
    assert tally_issue(truth, replace(harvest, pages=(*harvest.pages, trap))).followed == 1


def test_an_issue_that_cannot_be_harvested_is_listed_and_finds_nothing(modern_issue: IssuePage) -> None:
    def refuse(page: IssuePage) -> Any:
        raise InputError(f"unreachable: {page.id}", name=page.id)

    result = score_issues([modern_issue], data="demo", progress=silent, folds="platform", harvest=refuse)
    assert [failure.page for failure in result.failures] == [modern_issue.id]
    assert figure(result, "recall") == 0
    assert result.tables[1].rows[0] == ("estuary", "0.000")
